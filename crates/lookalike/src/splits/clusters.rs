//! Clusters of documents that belong in one split: near-duplicates, and on request documents that share a passage.

/// Sets of documents that are joined.
#[derive(Clone, Debug, Default)]
pub(super) struct Clusters {
    /// For each document another one of its cluster; itself, if it stands for the cluster.
    parents: Vec<u32>,
}

impl Clusters {
    /// Makes room for this number of documents, each in a cluster of its own at first.
    pub(super) fn grow(&mut self, documents: usize) {
        self.parents.extend(self.parents.len() as u32..documents as u32);
    }

    /// Joins the clusters of two documents. The first document stands for both.
    pub(super) fn join(&mut self, left: u32, right: u32) {
        let [left, right] = [left, right].map(|document| self.find(document));
        self.parents[left.max(right) as usize] = left.min(right);
    }

    fn find(&mut self, mut document: u32) -> u32 {
        while self.parents[document as usize] != document {
            let above = self.parents[self.parents[document as usize] as usize];
            self.parents[document as usize] = above;
            document = above;
        }
        document
    }

    /// Number of clusters.
    pub(super) fn count(&self) -> u64 {
        (0..).zip(&self.parents).filter(|(document, parent)| document == *parent).count() as u64
    }

    /// The number of each document's cluster: they are numbered from 1 in the order of their first documents.
    pub(super) fn numbers(mut self) -> Vec<u32> {
        let mut numbers = vec![0; self.parents.len()];
        let mut count = 0;
        for document in 0..self.parents.len() as u32 {
            let first = self.find(document);
            if first == document {
                count += 1;
                numbers[document as usize] = count;
            } else {
                numbers[document as usize] = numbers[first as usize];
            }
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_numbered_by_their_first_documents() {
        let mut clusters = Clusters::default();
        clusters.grow(6);
        clusters.join(4, 1);
        clusters.join(5, 4);
        clusters.join(3, 2);
        assert_eq!(clusters.count(), 3);
        assert_eq!(clusters.numbers(), [1, 2, 3, 3, 2, 2]);
    }
}
