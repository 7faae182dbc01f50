//! Matches to clusters that one weak link does not chain together, and the best record of each.
//!
//! Matches are taken best first. Note that a match between two clusters joins them only when *all*
//! their records agree on the whole, so that a record of which little is known cannot tie two families into one.

use std::collections::HashMap;

use super::records::{MISSING, Records};
use super::score::{Scored, Scorer};
use super::verdicts::Verdicts;
use crate::ids::{Number, Record};

/// Clusters of records that mean the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clusters {
    of_record: Vec<u32>,
    members: Vec<Vec<Record>>,
}

impl Clusters {
    /// Joins matches to clusters. `matches` must be best first, as they come from [`matches`](super::decide::matches).
    pub fn join(scorer: &Scorer<'_>, matches: &[Scored]) -> Self {
        Self::join_with(scorer, matches, &Verdicts::default())
    }

    /// Joins matches to clusters, with the labels that people gave to some pairs.
    pub fn join_with(scorer: &Scorer<'_>, matches: &[Scored], verdicts: &Verdicts) -> Self {
        let alone = (0..scorer.records.count()).map(|_| Vec::new()).collect();
        let of_record = scorer.records.all().collect();
        let mut joining = Joining { scorer, of_record, members: alone, verdicts };
        let is_said = |pair: &&Scored| verdicts.are_same(pair.left, pair.right);
        for pair in matches.iter().filter(is_said) {
            joining.join(pair);
        }
        joining.finish(matches)
    }

    /// The cluster of a record; a record without a match is one alone.
    pub fn of(&self, record: Record) -> u32 {
        self.of_record[record.index()]
    }

    /// Number of clusters, including those of one record.
    pub fn count(&self) -> usize {
        self.members.len()
    }

    /// The records of a cluster in the order of their contents.
    pub fn members(&self, cluster: u32) -> &[Record] {
        &self.members[cluster as usize]
    }

    /// Numbers clusters by the contents of their records.
    fn number(records: &Records, mut members: Vec<Vec<Record>>) -> Self {
        for members in &mut members {
            members.sort_unstable_by_key(|record| (records.content(*record), *record));
        }
        members.sort_unstable_by_key(|members| (records.content(members[0]), members[0]));
        let mut of_record = vec![0; records.count()];
        for (cluster, members) in (0..).zip(&members) {
            members.iter().for_each(|record| of_record[record.index()] = cluster);
        }
        Self { of_record, members }
    }
}

/// Clusters while they are being joined.
pub(super) struct Joining<'a, 'b> {
    pub(super) scorer: &'a Scorer<'b>,
    /// The cluster of each record, named by one of its records.
    pub(super) of_record: Vec<Record>,
    /// The records of each cluster, of which the first [`MOST_LOOKED_AT`] are those with the least content, in this order; none
    /// for a record alone.
    pub(super) members: Vec<Vec<Record>>,
    /// Labels that people gave to pairs.
    pub(super) verdicts: &'a Verdicts,
}

/// Share of the evidence for a match that the pairs of two clusters must have on average: less than 1, since some
/// records have few values.
const AGREEMENT: f64 = 0.8;

/// Records of each cluster that are looked at: those with the least content, which is as good as chance.
const MOST_LOOKED_AT: usize = 20;

impl Joining<'_, '_> {
    fn finish(mut self, matches: &[Scored]) -> Clusters {
        for pair in matches {
            self.join(pair);
        }
        let records = self.scorer.records;
        let members = records
            .all()
            .filter(|record| self.of_record[record.index()] == *record)
            .map(|record| self.members_of(record).to_vec())
            .collect();
        Clusters::number(records, members)
    }

    /// Joins the clusters of a pair if they agree; the two that became one, if so: first the one that stays.
    pub(super) fn join(&mut self, pair: &Scored) -> Option<(Record, Record)> {
        let [a, b] = [pair.left, pair.right].map(|record| self.of_record[record.index()]);
        let is_said = self.verdicts.are_same(pair.left, pair.right);
        if a == b || self.are_apart(a, b) || !is_said && !self.agree(a, b) {
            return None;
        }
        let (into, from) = if self.members_of(a).len() < self.members_of(b).len() { (b, a) } else { (a, b) };
        let added = self.members_of(from).to_vec();
        let least = self.least_of([into, from]);
        for record in &added {
            self.of_record[record.index()] = into;
        }
        self.members[from.index()] = Vec::new();
        let members = &mut self.members[into.index()];
        // A record alone has no list yet.
        let kept = members.len().min(MOST_LOOKED_AT);
        members[..kept].copy_from_slice(&least[..kept]);
        members.extend(&least[kept..]);
        members.extend(added.iter().skip(MOST_LOOKED_AT));
        Some((into, from))
    }

    pub(super) fn members_of(&self, cluster: Record) -> &[Record] {
        match &self.members[cluster.index()][..] {
            // A record alone needs no list: it is in `of_record`.
            [] => std::slice::from_ref(&self.of_record[cluster.index()]),
            members => members,
        }
    }

    /// The least of two clusters: all of both that are looked at, sorted.
    fn least_of(&self, clusters: [Record; 2]) -> Vec<Record> {
        let mut least = clusters.map(|cluster| looked_at(self.members_of(cluster))).concat();
        least.sort_unstable_by_key(|record| (self.scorer.records.content(*record), *record));
        least
    }

    /// True if a person labeled two of their records as different.
    fn are_apart(&self, a: Record, b: Record) -> bool {
        if self.verdicts.is_empty() {
            return false;
        }
        let (few, of_other) = if self.members_of(a).len() < self.members_of(b).len() { (a, b) } else { (b, a) };
        let mut others = self.members_of(few).iter().flat_map(|record| self.verdicts.apart_from(*record));
        others.any(|other| self.of_record[other.index()] == of_other)
    }

    fn agree(&self, a: Record, b: Record) -> bool {
        let [left, right] = [a, b].map(|cluster| self.members_of(cluster));
        if left.len() == 1 && right.len() == 1 {
            return true;
        }
        Agreement::new(self.scorer, left, right).is_enough()
    }
}

/// Agreement of the records of two clusters as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// Average evidence of all fields, over all pairs.
    pub mean: f64,
    /// Minimum average for the clusters to become one.
    pub needed: f64,
}

impl Agreement {
    /// Compares two clusters, whose records are in the order of their contents.
    pub fn new(scorer: &Scorer<'_>, left: &[Record], right: &[Record]) -> Self {
        let [left, right] = [left, right].map(looked_at);
        let sum: f64 = left.iter().flat_map(|a| right.iter().map(move |b| scorer.agreement(*a, *b))).sum();
        Self { mean: sum / (left.len() * right.len()) as f64, needed: -scorer.model.prior * AGREEMENT }
    }

    /// True if the clusters become one.
    pub fn is_enough(self) -> bool {
        self.mean >= self.needed
    }
}

fn looked_at(members: &[Record]) -> &[Record] {
    &members[..members.len().min(MOST_LOOKED_AT)]
}

/// The record that stands best for all: its values are those that most others have too, and few are missing. Ties go to
/// the longer values, then to what stands first in order of the letters. None of no records.
pub fn best_record(records: &Records, members: &[Record]) -> Option<Record> {
    if let [alone] = members {
        return Some(*alone);
    }
    let mut counts: HashMap<(usize, u32), usize> = HashMap::new();
    let values = |record: Record| {
        let fields = records.fields().iter().enumerate();
        fields.map(move |(at, field)| (at, field.of_record[record.index()])).filter(|(_, value)| *value != MISSING)
    };
    members.iter().flat_map(|record| values(*record)).for_each(|value| *counts.entry(value).or_default() += 1);
    let texts = |record: Record| -> Vec<&str> {
        records.fields().iter().map(|field| field.text(record).unwrap_or_default()).collect()
    };
    let ranked = members.iter().map(|record| {
        let support: usize = values(*record).map(|value| counts[&value]).sum();
        let length: usize = texts(*record).iter().map(|text| text.len()).sum();
        (support, length, *record)
    });
    let best = ranked.max_by(|a, b| {
        let by_support = (a.0, a.1).cmp(&(b.0, b.1));
        by_support
            .then_with(|| texts(b.2).cmp(&texts(a.2)))
            .then_with(|| records.content(b.2).cmp(&records.content(a.2)))
    });
    best.map(|(_, _, record)| record)
}
