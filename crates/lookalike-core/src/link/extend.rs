//! New records to a finished result: clusters keep their ids, and those that a new record makes one are listed.
//!
//! The records are those of the result, in their order, and then the new ones, all as one table.

use std::collections::HashMap;

use super::cluster::Joining;
use super::records::Records;
use super::score::{Scored, Scorer};
use super::verdicts::Verdicts;
use crate::ids::{Number, Record};

/// Old clusters with the new records in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// The id of the cluster of each record, old and new.
    pub cluster_of: Vec<u64>,
    /// Old clusters that were merged.
    pub merges: Vec<Merge>,
}

/// A cluster that became part of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Merge {
    /// The id that is no longer used.
    pub from: u64,
    /// The id of the merged cluster, which is the lesser of the two.
    pub into: u64,
}

/// The initial clusters: the old ones, and each new record alone under an unused id.
pub fn clusters_before(records: &Records, old: &[u64]) -> Vec<u64> {
    let mut new: Vec<Record> = records.all().skip(old.len()).collect();
    new.sort_unstable_by_key(|record| (records.content(*record), *record));
    let mut all = old.to_vec();
    all.resize(records.count(), 0);
    new.iter().zip(first_free(old)..).for_each(|(record, id)| all[record.index()] = id);
    all
}

fn first_free(old: &[u64]) -> u64 {
    old.iter().max().map_or(1, |most| most + 1)
}

/// Joins matches, best first, of which one record at least is new. `old` has the cluster ids of the old records.
pub fn extend(scorer: &Scorer<'_>, matches: &[Scored], old: &[u64]) -> Extension {
    let records = scorer.records;
    let ids = clusters_before(records, old);
    let mut first_of: HashMap<u64, Record> = HashMap::new();
    let of_record: Vec<Record> =
        ids.iter().zip(records.all()).map(|(id, record)| *first_of.entry(*id).or_insert(record)).collect();
    let mut members: Vec<Vec<Record>> = (0..records.count()).map(|_| Vec::new()).collect();
    for (record, cluster) in records.all().zip(&of_record) {
        members[cluster.index()].push(record);
    }
    for members in &mut members {
        members.sort_unstable_by_key(|record| (records.content(*record), *record));
    }
    let verdicts = Verdicts::default();
    let mut joining = Joining { scorer, of_record, members, verdicts: &verdicts };
    for pair in matches {
        joining.join(pair);
    }
    let mut id_of: HashMap<Record, u64> = HashMap::new();
    for (id, cluster) in old.iter().zip(&joining.of_record) {
        id_of.entry(*cluster).and_modify(|least| *least = (*least).min(*id)).or_insert(*id);
    }
    let mut new: Vec<Record> =
        joining.of_record.iter().copied().filter(|cluster| !id_of.contains_key(cluster)).collect();
    new.sort_unstable_by_key(|cluster| (records.content(joining.members_of(*cluster)[0]), *cluster));
    new.dedup();
    id_of.extend(new.into_iter().zip(first_free(old)..));
    let cluster_of: Vec<u64> = joining.of_record.iter().map(|cluster| id_of[cluster]).collect();
    let moved = old.iter().zip(&cluster_of).filter(|(from, into)| from != into);
    let mut merges: Vec<Merge> = moved.map(|(from, into)| Merge { from: *from, into: *into }).collect();
    merges.sort_unstable();
    merges.dedup();
    Extension { cluster_of, merges }
}
