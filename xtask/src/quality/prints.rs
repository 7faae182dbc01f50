//! `lookalike prints` on real fingerprints: error rates of alignment, recall of candidates, and speed.
//!
//! Note that databases are from different sensors, and finger 101 of one is not finger 101 of another.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use lookalike_core::prints::accuracy::equal_error_rate;
use lookalike_core::prints::candidates::DEFAULT_ALIGNED;
use lookalike_core::prints::score::DEFAULT_THRESHOLD;

use crate::bench::measure::measure;
use crate::pairs::{self, Pairs, pair, share};
use crate::table::Table;

const FOLDER: &str = "fingerprints_fvc2002";

/// A database: its name, the maximum equal error rate, and that of `OpenAFIS` by its published scores.
const DATABASES: [(&str, f64, f64); 4] =
    [("DB1_B", 0.06, 0.081), ("DB2_B", 0.06, 0.075), ("DB3_B", 0.09, 0.142), ("DB4_B", 0.04, 0.067)];

/// Minimum number of alignments per second per core.
const LEAST_SPEED: f64 = 2_000.0;

/// Side of a grid's squares in pixels: large, since these prints are shifted.
const SQUARE: &str = "40";

/// Numbers of candidates to align per query.
const ALIGNED: [usize; 4] = [1, 5, 10, 20];

/// Runs all databases and lists failures; does nothing if they are missing.
pub(super) fn run(lookalike: &Path, data: &Path) -> Result<Vec<String>> {
    let source = data.join(FOLDER).join("minutiae.csv");
    if !source.is_file() {
        println!("no {}: fingerprints are not measured", source.display());
        return Ok(Vec::new());
    }
    let folder = tempfile::tempdir().context("cannot make a folder for the prints")?;
    let prints = Prints { lookalike, folder: folder.path(), minutiae: read(&source)? };
    let missed = prints.verify()?;
    prints.identify()?;
    Ok(missed)
}

/// The lines of each print, by its name.
type Minutiae = BTreeMap<String, Vec<String>>;

fn read(source: &Path) -> Result<Minutiae> {
    let text = fs::read_to_string(source).with_context(|| format!("cannot read {}", source.display()))?;
    let mut minutiae = Minutiae::new();
    for line in text.lines().skip(1) {
        let (name, _) = line.split_once(',').with_context(|| format!("not a minutia: {line:?}"))?;
        minutiae.entry(name.to_owned()).or_default().push(line.to_owned());
    }
    Ok(minutiae)
}

/// `DB1_B/101` and `1` of `DB1_B/101_1`.
fn finger_and_number(name: &str) -> (&str, &str) {
    name.rsplit_once('_').unwrap_or((name, ""))
}

/// The scores of pairs of the same finger, and of different ones.
fn apart(pairs: &Pairs) -> [Vec<f64>; 2] {
    let of = |is_genuine: bool| {
        let is_one = |one: &str, other: &str| finger_and_number(one).0 == finger_and_number(other).0;
        pairs.iter().filter(|((one, other), _)| is_one(one, other) == is_genuine).map(|(_, score)| *score).collect()
    };
    [of(true), of(false)]
}

struct Prints<'a> {
    lookalike: &'a Path,
    folder: &'a Path,
    minutiae: Minutiae,
}

impl Prints<'_> {
    /// All pairs of each database; returns failures.
    fn verify(&self) -> Result<Vec<String>> {
        let mut table = Table::new(&[
            "database",
            "genuine",
            "impostor",
            "equal error rate",
            "at most",
            "OpenAFIS",
            "found",
            "false",
            "candidates",
            "grid found",
            "grid false",
            "aligned/s/core",
            "verdict",
        ]);
        let everyone = self.write("everyone.csv", |_| true)?;
        let (candidates, _) = self.pairs(&everyone, &["--threshold", "0"])?;
        let mut failures = Vec::new();
        for (database, most, openafis) in DATABASES {
            let input = self.write("database.csv", |name| name.starts_with(database))?;
            let (all, seconds) = self.pairs(&input, &["--all-pairs"])?;
            let (sharing, _) = self.pairs(&input, &["--grid", SQUARE])?;
            let scores = apart(&all);
            let rate = equal_error_rate(&scores[0], &scores[1]).context("no pair of one finger, or none of two")?;
            let speed = all.len() as f64 / seconds;
            let is_met = rate <= most && speed >= LEAST_SPEED;
            if !is_met {
                failures.push(format!("{database} with {rate:.4} at {speed:.0} comparisons a second"));
            }
            let within = candidates.keys().filter(|pair| all.contains_key(*pair));
            let candidates: Pairs = within.map(|pair| (pair.clone(), 0.0)).collect();
            let reach = |kind: usize| {
                let reaching = scores[kind].iter().filter(|score| **score >= DEFAULT_THRESHOLD).count();
                share(reaching, scores[kind].len())
            };
            let among = |pairs: &Pairs, kind: usize| share(apart(pairs)[kind].len(), scores[kind].len());
            table.row([
                database.to_owned(),
                scores[0].len().to_string(),
                scores[1].len().to_string(),
                format!("{rate:.4}"),
                most.to_string(),
                openafis.to_string(),
                format!("{:.4}", reach(0)),
                format!("{:.5}", reach(1)),
                format!("{:.4}", among(&candidates, 0)),
                format!("{:.3}", among(&sharing, 0)),
                format!("{:.3}", among(&sharing, 1)),
                format!("{speed:.0}"),
                if is_met { "met" } else { "missed" }.to_owned(),
            ]);
        }
        print!("{table}");
        println!(
            "All pairs of a database: genuine are of one finger, impostor of two. Found and false: at the threshold of \
             {DEFAULT_THRESHOLD}. Candidates: the genuine pairs among them, {DEFAULT_ALIGNED} of each of {} prints. A grid has \
             squares of {SQUARE} pixels. Speed: by the processor time of the whole command.",
            self.minutiae.len()
        );
        Ok(failures)
    }

    /// The first impressions are the gallery, and all others are queries.
    fn identify(&self) -> Result<()> {
        let is_first = |name: &str| finger_and_number(name).1 == "1";
        let gallery = self.write("gallery.csv", is_first)?;
        let queries = self.write("queries.csv", |name| !is_first(name))?;
        let gallery = gallery.to_str().context("the temporary folder has a name that is not Unicode")?;
        let names: Vec<&str> = self.minutiae.keys().map(String::as_str).filter(|name| !is_first(name)).collect();

        let mut table = Table::new(&["aligned", "candidates", "first", "ms a query"]);
        for aligned in ALIGNED {
            let count = aligned.to_string();
            let flags = ["--against", gallery, "--max-candidates", &count, "--top", &count];
            let (found, seconds) = self.pairs(&queries, &flags)?;
            let mut best: BTreeMap<&str, f64> = BTreeMap::new();
            for ((one, other), score) in &found {
                let query = if is_first(one) { other } else { one };
                best.entry(query).and_modify(|best| *best = best.max(*score)).or_insert(*score);
            }
            let mate = |query: &str| found.get(&pair(query, &format!("{}_1", finger_and_number(query).0)));
            let among = names.iter().filter(|query| mate(query).is_some()).count();
            let first = names.iter().filter(|query| mate(query).is_some_and(|score| *score >= best[**query])).count();
            table.row([
                count.clone(),
                format!("{:.4}", share(among, names.len())),
                format!("{:.4}", share(first, names.len())),
                format!("{:.2}", 1000.0 * seconds / names.len() as f64),
            ]);
        }
        print!("{table}");
        println!(
            "{} queries in a gallery of {} fingers: how often the right one is among so many candidates, and is the best of \
             them once they are aligned. Time: of the processor, of the whole command.",
            names.len(),
            self.minutiae.len() - names.len()
        );
        Ok(())
    }

    /// A file of some of the prints.
    fn write(&self, file: &str, is_in: impl Fn(&str) -> bool) -> Result<PathBuf> {
        let path = self.folder.join(file);
        let mut text = "print,type,x,y,angle,quality\n".to_owned();
        for line in self.minutiae.iter().filter(|(name, _)| is_in(name)).flat_map(|(_, lines)| lines) {
            text.push_str(line);
            text.push('\n');
        }
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }

    /// The pairs that the command writes, and its processor time in seconds.
    fn pairs(&self, input: &Path, flags: &[&str]) -> Result<(Pairs, f64)> {
        let out = self.folder.join("pairs.tsv");
        let mut command = Command::new(self.lookalike);
        command.arg("prints").arg(input).args(flags).args(["--format", "tsv", "--threads", "1", "--force", "-o"]);
        let usage = measure(command.arg(&out))?;
        Ok((pairs::read(&out)?, usage.cpu_seconds.unwrap_or(usage.seconds)))
    }
}
