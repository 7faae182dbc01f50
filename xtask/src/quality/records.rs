//! Precision, recall and F1 of `lookalike link` on tables of which it is known who is who; no config, no labels.
//!
//! Inside one table all pairs of a cluster are held against the answer, since a cluster
//! says that they are all the same; between two tables the matches are.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::thin::{self, Rows};
use crate::bench::history;
use crate::pairs::{Pair, pair, share};
use crate::table::Table;
use crate::workspace::words;

/// Tables with their answer.
struct Set {
    folder: &'static str,
    tables: &'static [&'static str],
    id: &'static str,
    more: &'static [&'static str],
    least_f1: f64,
}

const SETS: [Set; 6] = [
    Set { folder: "febrl4", tables: &["a.csv", "b.csv"], id: "rec_id", more: &[], least_f1: 0.999 },
    Set { folder: "febrl1", tables: &["records.csv"], id: "rec_id", more: &[], least_f1: 0.999 },
    Set { folder: "fake_1000", tables: &["records.csv"], id: "unique_id", more: &[], least_f1: 0.98 },
    Set { folder: "fodors_zagats", tables: &["fodors.csv", "zagats.csv"], id: "id", more: &[], least_f1: 0.985 },
    Set { folder: "early_childhood", tables: &["records.csv"], id: "id", more: &[], least_f1: 0.92 },
    Set {
        folder: "amazon_google",
        tables: &["amazon.csv", "google.csv"],
        id: "id",
        more: &["--one-to-one"],
        least_f1: 0.68,
    },
];

/// Runs all sets of the folder `data`; names those that were missed.
pub(super) fn run(lookalike: &Path, data: &Path) -> Result<Vec<String>> {
    let mut table = Table::new(&["set", "true", "found", "precision", "recall", "F1", "wanted", "verdict"]);
    let mut missed = Vec::new();
    for set in &SETS {
        let folder = data.join(set.folder);
        let is_two = set.tables.len() == 2;
        let read = |folder: &Path, listed: &str, clusters: &str| {
            if is_two { pairs(&folder.join(listed)) } else { pairs_of_clusters(&folder.join(clusters)) }
        };
        let answer = read(&folder, "gold_pairs.csv", "gold_clusters.csv")?;
        let out = tempfile::tempdir().context("cannot make a folder for the result")?;
        let out = out.path().join("linked");
        link(lookalike, set, &folder, &out)?;
        let found = read(&out, "matches.csv", "clusters.csv")?;
        let right = found.intersection(&answer).count();
        let f1 = share(2 * right, found.len() + answer.len());
        let is_met = f1 >= set.least_f1;
        if !is_met {
            missed.push(format!("F1 {f1:.4} of {}", set.folder));
        }
        table.row([
            set.folder.to_owned(),
            answer.len().to_string(),
            found.len().to_string(),
            format!("{:.4}", share(right, found.len())),
            format!("{:.4}", share(right, answer.len())),
            format!("{f1:.4}"),
            set.least_f1.to_string(),
            if is_met { "met" } else { "missed" }.to_owned(),
        ]);
    }
    print!("{table}");
    Ok(missed)
}

/// What is wanted of a table in which few records have a match: the share of records in a wrong pair where no record has one, and the
/// least F1 where 1 and 5 of 100 have.
const MOST_WRONG: f64 = 0.002;
const LEAST_F1: [f64; 2] = [0.7, 0.8];

/// The tables that are thinned, by their place in [`SETS`]: all but the products.
const THIN: [usize; 5] = [0, 1, 2, 3, 4];

/// Links tables in which few records have a match; names those that were missed. The tables and their answers stay in `keep`, if
/// there is one, for other programs.
pub(super) fn run_thin(lookalike: &Path, data: &Path, keep: Option<&Path>) -> Result<Vec<String>> {
    let mut table = Table::new(&["table", "share", "true", "found", "right", "F1", "wrong records", "verdict"]);
    let mut missed = Vec::new();
    for set in THIN.map(|set| &SETS[set]) {
        let whole = data.join(set.folder);
        for (at, share) in thin::SHARES.into_iter().enumerate() {
            let folder = Folder::new(keep, &format!("{}-{share}", set.folder))?;
            let (answer, count) = write_thin(set, &whole, folder.path(), share)?;
            write_answer(&answer, folder.path())?;
            let least = if at == 0 { None } else { Some(LEAST_F1[at - 1]) };
            let name = format!("{} thinned to {share}", set.folder);
            let tables: Vec<PathBuf> = set.tables.iter().map(|table| folder.path().join(table)).collect();
            let found = found(lookalike, &tables, set.id, folder.path())?;
            missed.extend(judge(&mut table, &name, share, &found, &answer, count, least));
        }
    }
    for (at, share) in thin::SHARES.into_iter().enumerate() {
        const PEOPLE: usize = 5_000;
        let folder = Folder::new(keep, &format!("history-{share}"))?;
        let path = folder.path().join("history.csv");
        history::write(PEOPLE, share, &path)?;
        let found = found(lookalike, &[path], history::ID, folder.path())?;
        let twice = (share * PEOPLE as f64).round() as usize;
        let answer: HashSet<Pair> = (0..twice).map(|one| pair(&format!("{one}-0"), &format!("{one}-1"))).collect();
        write_answer(&answer, folder.path())?;
        let least = if at == 0 { None } else { Some(LEAST_F1[at - 1]) };
        missed.extend(judge(&mut table, "people of the past", share, &found, &answer, PEOPLE + twice, least));
    }
    print!("{table}");
    Ok(missed)
}

/// A folder that stays, or one that does not.
enum Folder {
    Kept(PathBuf),
    Passing(tempfile::TempDir),
}

impl Folder {
    fn new(keep: Option<&Path>, name: &str) -> Result<Self> {
        let Some(keep) = keep else {
            return Ok(Self::Passing(tempfile::tempdir().context("cannot make a folder for the tables")?));
        };
        let folder = keep.join(name);
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Self::Kept(folder))
    }

    fn path(&self) -> &Path {
        match self {
            Self::Kept(path) => path,
            Self::Passing(folder) => folder.path(),
        }
    }
}

/// Writes the true pairs beside their tables.
fn write_answer(answer: &HashSet<Pair>, folder: &Path) -> Result<()> {
    let mut pairs: Vec<&Pair> = answer.iter().collect();
    pairs.sort_unstable();
    let mut writer = csv::Writer::from_path(folder.join("answer.csv")).context("cannot write the answer")?;
    writer.write_record(["left", "right"])?;
    pairs.iter().try_for_each(|(left, right)| writer.write_record([left, right]))?;
    Ok(writer.flush()?)
}

/// Adds a row to the table, and says what was missed.
fn judge(
    table: &mut Table,
    name: &str,
    share_twice: f64,
    found: &HashSet<Pair>,
    answer: &HashSet<Pair>,
    count: usize,
    least_f1: Option<f64>,
) -> Option<String> {
    let right = found.intersection(answer).count();
    let f1 = share(2 * right, found.len() + answer.len());
    let wrong: HashSet<&String> = found.difference(answer).flat_map(|(one, other)| [one, other]).collect();
    let wrong = share(wrong.len(), count);
    let is_met = least_f1.map_or(wrong <= MOST_WRONG, |least| f1 >= least);
    table.row([
        name.to_owned(),
        share_twice.to_string(),
        answer.len().to_string(),
        found.len().to_string(),
        right.to_string(),
        format!("{f1:.4}"),
        format!("{wrong:.4}"),
        if is_met { "met" } else { "missed" }.to_owned(),
    ]);
    (!is_met).then(|| format!("{name}: F1 {f1:.4}, {wrong:.4} of the records wrong"))
}

/// Writes the tables of a set with few matches; those that are left, and how many records there are.
fn write_thin(set: &Set, whole: &Path, folder: &Path, share: f64) -> Result<(HashSet<Pair>, usize)> {
    let tables = set.tables.iter().map(|table| Rows::read(&whole.join(table))).collect::<Result<Vec<_>>>()?;
    let (answer, kept): (HashSet<Pair>, Vec<HashSet<String>>) = if let [left, right] = &tables[..] {
        let answer = pairs(&whole.join("gold_pairs.csv"))?;
        let kept = thin::of_two([left.ids().collect(), right.ids().collect()], &answer, share);
        (answer, kept.into())
    } else {
        let clusters: HashMap<String, String> =
            rows(&whole.join("gold_clusters.csv"))?.into_iter().map(|[id, cluster]| (id, cluster)).collect();
        (pairs_of_clusters(&whole.join("gold_clusters.csv"))?, vec![thin::of_one(&clusters, share)])
    };
    for ((rows, name), kept) in tables.iter().zip(set.tables).zip(&kept) {
        rows.write(&folder.join(name), kept)?;
    }
    let is_left = |(one, other): &Pair| kept[0].contains(one) && kept[kept.len() - 1].contains(other);
    Ok((answer.into_iter().filter(is_left).collect(), kept.iter().map(HashSet::len).sum()))
}

/// The matches between two tables, or the pairs of all clusters of one.
fn found(lookalike: &Path, tables: &[PathBuf], id: &str, folder: &Path) -> Result<HashSet<Pair>> {
    let out = folder.join("linked");
    link_tables(lookalike, tables, id, &[], &out)?;
    if tables.len() == 2 { pairs(&out.join("matches.csv")) } else { pairs_of_clusters(&out.join("clusters.csv")) }
}

fn link(lookalike: &Path, set: &Set, folder: &Path, out: &Path) -> Result<()> {
    let tables: Vec<PathBuf> = set.tables.iter().map(|table| folder.join(table)).collect();
    link_tables(lookalike, &tables, set.id, set.more, out)
}

fn link_tables(lookalike: &Path, tables: &[PathBuf], id: &str, more: &[&str], out: &Path) -> Result<()> {
    let mut command = Command::new(lookalike);
    command.arg("link").args(tables).args(["--quiet", "--force", "--id", id]).args(more).arg("-o").arg(out);
    let output = command.output().with_context(|| format!("cannot run {}", lookalike.display()))?;
    if !output.status.success() {
        bail!("{}: {}\n{}", words(&command), output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// The first two columns of all rows.
fn rows(path: &Path) -> Result<Vec<[String; 2]>> {
    let mut reader = csv::Reader::from_path(path).with_context(|| format!("cannot read {}", path.display()))?;
    let row = |row: csv::Result<csv::StringRecord>| {
        let row = row?;
        let cell = |at: usize| row.get(at).map(str::to_owned).with_context(|| format!("a row of two cells: {row:?}"));
        anyhow::Ok([cell(0)?, cell(1)?])
    };
    reader.records().map(row).collect::<Result<_>>().with_context(|| path.display().to_string())
}

/// Pairs as they are listed. An id of the one table may be one of the other, which is somebody else.
fn pairs(path: &Path) -> Result<HashSet<Pair>> {
    Ok(rows(path)?.into_iter().map(|[left, right]| (left, right)).collect())
}

/// All pairs of records of one cluster.
fn pairs_of_clusters(path: &Path) -> Result<HashSet<Pair>> {
    let mut clusters: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for [id, cluster] in rows(path)? {
        clusters.entry(cluster).or_default().push(id);
    }
    let mut pairs = HashSet::new();
    for members in clusters.values() {
        for (at, one) in members.iter().enumerate() {
            pairs.extend(members[..at].iter().map(|other| pair(one, other)));
        }
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_says_that_all_its_records_are_the_same() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "id,cluster\nc,1\na,1\nb,1\nd,2\n").unwrap();
        let pairs = pairs_of_clusters(file.path()).unwrap();
        assert_eq!(pairs, HashSet::from([pair("a", "b"), pair("a", "c"), pair("b", "c")]));
    }
}
