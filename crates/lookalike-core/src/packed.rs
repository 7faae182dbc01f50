//! Many short lists, or many strings, in two vectors instead of one allocation each.

/// Lists of numbers, stored contiguously.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lists {
    values: Vec<u32>,
    ends: Vec<usize>,
}

impl Lists {
    /// Adds a list at the end.
    pub fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.values.extend(list);
        self.ends.push(self.values.len());
    }

    /// Reserves space for this many more values.
    pub fn reserve(&mut self, value_count: usize) {
        self.values.reserve(value_count);
    }

    /// List `at`.
    #[inline]
    pub fn list(&self, at: usize) -> &[u32] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.values[start..self.ends[at]]
    }

    /// Bytes of memory of the lists.
    pub fn byte_count(&self) -> usize {
        size_of_val::<[u32]>(&self.values) + size_of_val::<[usize]>(&self.ends)
    }

    /// Number of lists.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there are no lists.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All lists in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|at| self.list(at))
    }

    /// All values, list after list.
    pub fn values(&self) -> &[u32] {
        &self.values
    }

    /// The inverse: for each of `count` values, the lists that contain it.
    #[must_use]
    pub fn transposed(&self, count: usize) -> Self {
        let mut ends = vec![0; count];
        self.values.iter().for_each(|value| ends[*value as usize] += 1);
        let mut total = 0;
        for end in &mut ends {
            // For now the start; filling in moves each to its end.
            (*end, total) = (total, total + *end);
        }
        let mut values = vec![0; total];
        for (at, list) in (0..).zip(self.iter()) {
            for value in list {
                let end = &mut ends[*value as usize];
                values[*end] = at;
                *end += 1;
            }
        }
        Self { values, ends }
    }
}

impl<L: IntoIterator<Item = u32>> FromIterator<L> for Lists {
    fn from_iter<I: IntoIterator<Item = L>>(lists: I) -> Self {
        let mut all = Self::default();
        lists.into_iter().for_each(|list| all.push(list));
        all
    }
}

/// Strings, stored contiguously.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strings {
    text: String,
    ends: Vec<usize>,
}

impl Strings {
    /// Adds a string at the end.
    pub fn push(&mut self, string: &str) {
        self.text.push_str(string);
        self.ends.push(self.text.len());
    }

    /// String `at`.
    #[inline]
    pub fn get(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start..self.ends[at]]
    }

    /// Number of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there are no strings.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All strings in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        (0..self.len()).map(|at| self.get(at))
    }

    /// Bytes of memory of the strings.
    pub fn byte_count(&self) -> usize {
        self.text.len() + size_of_val::<[usize]>(&self.ends)
    }

    /// Adds all strings of `others`.
    pub fn append(&mut self, others: &Self) {
        let before = self.text.len();
        self.text.push_str(&others.text);
        self.ends.extend(others.ends.iter().map(|end| before + end));
    }
}

impl<S: AsRef<str>> FromIterator<S> for Strings {
    fn from_iter<I: IntoIterator<Item = S>>(strings: I) -> Self {
        let mut all = Self::default();
        strings.into_iter().for_each(|string| all.push(string.as_ref()));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposed_twice_is_the_same() {
        let lists: Lists = [vec![0, 2], vec![], vec![1, 2, 3]].into_iter().collect();
        let transposed = lists.transposed(4);
        assert_eq!(transposed.iter().collect::<Vec<_>>(), [&[0][..], &[2], &[0, 2], &[2]]);
        assert_eq!(transposed.transposed(3), lists);
    }

    #[test]
    fn what_was_put_in_is_found_again() {
        let mut strings: Strings = ["one", "", "three"].into_iter().collect();
        strings.append(&["four"].into_iter().collect());
        assert_eq!(strings.iter().collect::<Vec<_>>(), ["one", "", "three", "four"]);
        assert_eq!((strings.get(1), strings.len()), ("", 4));
    }
}
