//! Tables in which few records have a match: one record of each true cluster, and a share of the others added back.
//!
//! If duplicates are rare, namesakes and neighbors outnumber them, and a model learned from the data may learn those
//! instead. The main target here is therefore that little is found.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use anyhow::{Context, Result};

use crate::bench::dice::Dice;
use crate::pairs::Pair;

/// The shares of records that have a duplicate.
pub(super) const SHARES: [f64; 3] = [0.0, 0.01, 0.05];

/// An input table: its header, and its rows by id.
pub(super) struct Rows {
    heading: csv::StringRecord,
    rows: Vec<csv::StringRecord>,
}

impl Rows {
    /// Reads a table whose first column is its id.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let mut reader = csv::Reader::from_path(path).with_context(|| format!("cannot read {}", path.display()))?;
        let heading = reader.headers()?.clone();
        Ok(Self { heading, rows: reader.records().collect::<csv::Result<_>>()? })
    }

    /// Writes only the rows with these ids.
    pub(super) fn write(&self, path: &Path, wanted: &HashSet<String>) -> Result<()> {
        let mut writer = csv::Writer::from_path(path).with_context(|| format!("cannot write {}", path.display()))?;
        writer.write_record(&self.heading)?;
        for row in self.rows.iter().filter(|row| wanted.contains(&row[0])) {
            writer.write_record(row)?;
        }
        Ok(writer.flush()?)
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|row| &row[0])
    }
}

/// The remaining ids of one table: the first of each cluster in random order, and for some a second one.
pub(super) fn of_one(clusters: &HashMap<String, String>, share: f64) -> HashSet<String> {
    let mut members: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    clusters.iter().for_each(|(id, cluster)| members.entry(cluster).or_default().push(id));
    let mut dice = Dice::new(7);
    let (mut kept, mut others) = (HashSet::new(), Vec::new());
    for ids in members.values_mut() {
        ids.sort_unstable();
        dice.shuffle(ids);
        kept.insert(ids[0].to_owned());
        others.extend(ids.get(1).map(|id| (*id).to_owned()));
    }
    dice.shuffle(&mut others);
    let count = (share * kept.len() as f64).round() as usize;
    kept.extend(others.into_iter().take(count));
    kept
}

/// The remaining ids of two tables: records in both are kept in a random one, and some in both.
pub(super) fn of_two(ids: [Vec<&str>; 2], answer: &HashSet<Pair>, share: f64) -> [HashSet<String>; 2] {
    let mut dice = Dice::new(9);
    let mut pairs: Vec<&Pair> = answer.iter().collect();
    pairs.sort_unstable();
    dice.shuffle(&mut pairs);
    let mut kept = ids.map(|ids| ids.into_iter().map(str::to_owned).collect::<HashSet<String>>());
    // A record of several pairs is removed with the first of them.
    for (at, (left, right)) in pairs.iter().enumerate() {
        if kept[0].contains(left) && kept[1].contains(right) {
            let (side, id) = if at % 2 == 0 { (0, left) } else { (1, right) };
            kept[side].remove(id);
        }
    }
    let count = (share * kept[0].len().min(kept[1].len()) as f64).round() as usize;
    let back: Vec<Pair> = pairs
        .iter()
        .filter(|(left, right)| kept[0].contains(left) != kept[1].contains(right))
        .take(count)
        .map(|pair| (*pair).clone())
        .collect();
    for (left, right) in back {
        kept[0].insert(left);
        kept[1].insert(right);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_duplicates_nobody_is_there_twice() {
        let clusters: HashMap<String, String> = (0..100).map(|id| (id.to_string(), (id / 2).to_string())).collect();
        assert_eq!(of_one(&clusters, 0.0).len(), 50);
        assert_eq!(of_one(&clusters, 0.1).len(), 55);
        let answer: HashSet<Pair> = (0..100).map(|id| (format!("a{id}"), format!("b{id}"))).collect();
        let ids: Vec<String> = (0..100).map(|id| id.to_string()).collect();
        let [left, right] = ["a", "b"].map(|side| ids.iter().map(|id| format!("{side}{id}")).collect::<Vec<_>>());
        let both = |share: f64| {
            let ids = [&left, &right].map(|ids| ids.iter().map(String::as_str).collect::<Vec<_>>());
            let [left, right] = of_two(ids, &answer, share);
            answer.iter().filter(|(one, other)| left.contains(one) && right.contains(other)).count()
        };
        assert_eq!((both(0.0), both(0.1)), (0, 5));
    }
}
