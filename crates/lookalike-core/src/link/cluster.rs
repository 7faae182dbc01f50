//! Matches to clusters that one weak link does not chain together, and the best record of each.
//!
//! Matches are taken best first. What a reader would get wrong: a match between two clusters joins them only when *all*
//! their records agree on the whole, so that a record of which little is known cannot tie two families into one.

use super::records::{MISSING, Records};
use super::score::{Scored, Scorer};

/// Which records mean the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clusters {
    of_record: Vec<u32>,
    members: Vec<Vec<u32>>,
}

impl Clusters {
    /// Joins matches to clusters. `matches` must be best first, as they come from [`matches`](super::decide::matches).
    pub fn join(scorer: &Scorer<'_>, matches: &[Scored]) -> Self {
        let alone = (0..scorer.records.count()).map(|_| Vec::new()).collect();
        Joining { scorer, of_record: (0..scorer.records.count() as u32).collect(), members: alone }.finish(matches)
    }

    /// The cluster of a record; a record without a match is one alone.
    pub fn of(&self, record: u32) -> u32 {
        self.of_record[record as usize]
    }

    /// How many clusters there are, also of one record.
    pub fn count(&self) -> usize {
        self.members.len()
    }

    /// The records of a cluster in the order of what they hold.
    pub fn members(&self, cluster: u32) -> &[u32] {
        &self.members[cluster as usize]
    }

    /// Whether the two records of a pair are in one cluster.
    pub fn hold(&self, pair: &Scored) -> bool {
        self.of(pair.left) == self.of(pair.right)
    }

    /// Numbers clusters by what their records hold.
    fn number(records: &Records, mut members: Vec<Vec<u32>>) -> Self {
        for members in &mut members {
            members.sort_unstable_by_key(|record| (records.content(*record), *record));
        }
        members.sort_unstable_by_key(|members| (records.content(members[0]), members[0]));
        let mut of_record = vec![0; records.count()];
        for (cluster, members) in (0..).zip(&members) {
            members.iter().for_each(|record| of_record[*record as usize] = cluster);
        }
        Self { of_record, members }
    }
}

/// Clusters that grow.
pub(super) struct Joining<'a, 'b> {
    pub(super) scorer: &'a Scorer<'b>,
    /// The cluster of each record: the number of one of its records.
    pub(super) of_record: Vec<u32>,
    /// The records of each cluster; none for a record alone.
    pub(super) members: Vec<Vec<u32>>,
}

/// How much of what a match needs all pairs of two clusters must have on average: less, since some know little.
const AGREEMENT: f64 = 0.8;

/// Records of each cluster that are looked at: those with the least content, which is as good as chance.
const MOST_LOOKED_AT: usize = 20;

impl Joining<'_, '_> {
    fn finish(mut self, matches: &[Scored]) -> Clusters {
        for pair in matches {
            self.join(pair);
        }
        let records = self.scorer.records;
        let members = (0..records.count() as u32)
            .filter(|record| self.of_record[*record as usize] == *record)
            .map(|record| self.members_of(record).to_vec())
            .collect();
        Clusters::number(records, members)
    }

    /// Joins the clusters of a pair if they agree; the two that became one, if so: first the one that stays.
    pub(super) fn join(&mut self, pair: &Scored) -> Option<(u32, u32)> {
        let [a, b] = [pair.left, pair.right].map(|record| self.of_record[record as usize]);
        if a == b || !self.agree(a, b) {
            return None;
        }
        let (into, from) = if self.members_of(a).len() < self.members_of(b).len() { (b, a) } else { (a, b) };
        let mut all = [self.members_of(into), self.members_of(from)].concat();
        all.sort_unstable_by_key(|record| self.scorer.records.content(*record));
        for record in self.members_of(from).to_vec() {
            self.of_record[record as usize] = into;
        }
        self.members[from as usize] = Vec::new();
        self.members[into as usize] = all;
        Some((into, from))
    }

    pub(super) fn members_of(&self, cluster: u32) -> &[u32] {
        match &self.members[cluster as usize][..] {
            // A record alone needs no list: its number stands in the numbers of all.
            [] => std::slice::from_ref(&self.of_record[cluster as usize]),
            members => members,
        }
    }

    fn agree(&self, a: u32, b: u32) -> bool {
        let [left, right] = [a, b].map(|cluster| self.members_of(cluster));
        if left.len() == 1 && right.len() == 1 {
            return true;
        }
        let [left, right] = [left, right].map(|side| &side[..side.len().min(MOST_LOOKED_AT)]);
        let evidence = |a: u32, b: u32| self.scorer.score(a, b).weight - self.scorer.model.prior;
        let sum: f64 = left.iter().flat_map(|a| right.iter().map(move |b| evidence(*a, *b))).sum();
        sum / (left.len() * right.len()) as f64 >= -self.scorer.model.prior * AGREEMENT
    }
}

/// The record that stands best for all: its values are those that most others have too, and few are missing. Ties go to
/// the longer values, then to what stands first in order of the letters. None of no records.
pub fn best_record(records: &Records, members: &[u32]) -> Option<u32> {
    let support = |record: u32| -> usize {
        let of_field = |field: &super::records::Field| {
            let value = field.of_record[record as usize];
            if value == MISSING {
                0
            } else {
                members.iter().filter(|other| field.of_record[**other as usize] == value).count()
            }
        };
        records.fields().iter().map(of_field).sum()
    };
    let texts = |record: u32| -> Vec<&str> {
        records.fields().iter().map(|field| field.text(record).unwrap_or_default()).collect()
    };
    let length = |record: u32| texts(record).iter().map(|text| text.len()).sum::<usize>();
    members.iter().copied().max_by(|a, b| {
        let by_support = support(*a).cmp(&support(*b)).then_with(|| length(*a).cmp(&length(*b)));
        by_support.then_with(|| texts(*b).cmp(&texts(*a))).then_with(|| records.content(*b).cmp(&records.content(*a)))
    })
}
