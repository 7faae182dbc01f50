//! Precision, recall and F1 of `lookalike link` on tables with known matches; without a config or labels.
//!
//! Within one table, all pairs of a cluster are compared with the truth, since a cluster claims that they are all the
//! same; between two tables, the matches are.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use flate2::read::GzDecoder;

use super::thin::{self, Rows};
use crate::bench::history;
use crate::pairs::{Pair, pair, share};
use crate::table::Table;
use crate::workspace::words;

/// Tables with their true matches.
struct Set {
    name: &'static str,
    folder: &'static str,
    tables: &'static [&'static str],
    answer: &'static str,
    id: &'static str,
    more: &'static [&'static str],
    least_f1: f64,
}

/// The answers of most sets: pairs of two tables, clusters of one.
const PAIRS: &str = "gold_pairs.csv";
const CLUSTERS: &str = "gold_clusters.csv";

const SETS: [Set; 9] = [
    Set {
        name: "febrl4",
        folder: "febrl4",
        tables: &["a.csv", "b.csv"],
        answer: PAIRS,
        id: "rec_id",
        more: &[],
        least_f1: 0.999,
    },
    Set {
        name: "febrl1",
        folder: "febrl1",
        tables: &["records.csv"],
        answer: CLUSTERS,
        id: "rec_id",
        more: &[],
        least_f1: 0.999,
    },
    Set {
        name: "fake_1000",
        folder: "fake_1000",
        tables: &["records.csv"],
        answer: CLUSTERS,
        id: "unique_id",
        more: &[],
        least_f1: 0.98,
    },
    Set {
        name: "fodors_zagats",
        folder: "fodors_zagats",
        tables: &["fodors.csv", "zagats.csv"],
        answer: PAIRS,
        id: "id",
        more: &[],
        least_f1: 0.985,
    },
    Set {
        name: "early_childhood",
        folder: "early_childhood",
        tables: &["records.csv"],
        answer: CLUSTERS,
        id: "id",
        more: &[],
        least_f1: 0.92,
    },
    Set {
        name: "amazon_google",
        folder: "amazon_google",
        tables: &["amazon.csv", "google.csv"],
        answer: PAIRS,
        id: "id",
        more: &["--one-to-one"],
        least_f1: 0.68,
    },
    Set {
        name: "census",
        folder: "census",
        tables: &["named.csv.gz"],
        answer: "gold.csv.gz",
        id: "id",
        more: &[],
        least_f1: 0.75,
    },
    Set {
        name: "census, two tables",
        folder: "census",
        tables: &["ta.csv.gz", "tb.csv.gz"],
        answer: "tgold.csv.gz",
        id: "id",
        more: &["--one-to-one"],
        least_f1: 0.97,
    },
    Set {
        name: "imdb_tmdb",
        folder: "imdb_tmdb",
        tables: &["a.csv.gz", "b.csv.gz"],
        answer: "gold.csv.gz",
        id: "id",
        more: &["--one-to-one"],
        least_f1: 0.91,
    },
];

/// Runs all sets of the folder `data`; lists failures.
pub(super) fn run(lookalike: &Path, data: &Path) -> Result<Vec<String>> {
    let mut table = Table::new(&["set", "true", "found", "precision", "recall", "F1", "wanted", "verdict"]);
    let mut missed = Vec::new();
    for set in &SETS {
        let folder = data.join(set.folder);
        let is_two = set.tables.len() == 2;
        let answer = match (is_two, set.answer) {
            (true, answer) => pairs(&folder.join(answer))?,
            (false, CLUSTERS) => pairs_of_clusters(&folder.join(CLUSTERS))?,
            // Within one table, a pair has no first record.
            (false, answer) => pairs(&folder.join(answer))?.iter().map(|(one, other)| pair(one, other)).collect(),
        };
        let out = tempfile::tempdir().context("cannot make a folder for the result")?;
        let out = out.path().join("linked");
        link(lookalike, set, &folder, &out)?;
        let found =
            if is_two { pairs(&out.join("matches.csv")) } else { pairs_of_clusters(&out.join("clusters.csv")) }?;
        let right = found.intersection(&answer).count();
        let f1 = share(2 * right, found.len() + answer.len());
        let is_met = f1 >= set.least_f1;
        if !is_met {
            missed.push(format!("F1 {f1:.4} of {}", set.name));
        }
        table.row([
            set.name.to_owned(),
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

/// Targets for a table in which few records have a match: the maximum share of records in a wrong pair if no record has
/// a match, and the minimum F1 if 1 and 5 of 100 have one.
const MOST_WRONG: f64 = 0.002;
const LEAST_F1: [f64; 2] = [0.7, 0.8];

/// The tables that are thinned, by their index in [`SETS`]: all except the products.
const THIN: [usize; 5] = [0, 1, 2, 3, 4];

/// Links tables in which few records have a match; lists failures. The tables and their true matches are kept in
/// `keep`, if given, for other programs.
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

/// A permanent or a temporary folder.
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

/// Adds a row to the table, and returns failures.
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

/// Writes the tables of a set with few matches; returns the remaining ones, and the number of records.
fn write_thin(set: &Set, whole: &Path, folder: &Path, share: f64) -> Result<(HashSet<Pair>, usize)> {
    let tables = set.tables.iter().map(|table| Rows::read(&whole.join(table))).collect::<Result<Vec<_>>>()?;
    let (answer, kept): (HashSet<Pair>, Vec<HashSet<String>>) = if let [left, right] = &tables[..] {
        let answer = pairs(&whole.join(PAIRS))?;
        let kept = thin::of_two([left.ids().collect(), right.ids().collect()], &answer, share);
        (answer, kept.into())
    } else {
        let clusters: HashMap<String, String> =
            rows(&whole.join(CLUSTERS))?.into_iter().map(|[id, cluster]| (id, cluster)).collect();
        (pairs_of_clusters(&whole.join(CLUSTERS))?, vec![thin::of_one(&clusters, share)])
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
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let is_packed = path.extension().is_some_and(|extension| extension == "gz");
    let file: Box<dyn Read> = if is_packed { Box::new(GzDecoder::new(file)) } else { Box::new(file) };
    let mut reader = csv::Reader::from_reader(file);
    let row = |row: csv::Result<csv::StringRecord>| {
        let row = row?;
        let cell = |at: usize| row.get(at).map(str::to_owned).with_context(|| format!("a row of two cells: {row:?}"));
        anyhow::Ok([cell(0)?, cell(1)?])
    };
    reader.records().map(row).collect::<Result<_>>().with_context(|| path.display().to_string())
}

/// The listed pairs. An id of one table may also be in the other, for a different person.
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
