//! Links the tables of the shared data without a config, and holds the result against what is known.
//!
//! `cargo run --release -p lookalike-core --example link_quality -- [DATA] [--only NAME] [--errors N]`

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use lookalike_core::link::cluster::Clusters;
use lookalike_core::link::config::Config;
use lookalike_core::link::decide::{matches, one_to_one, suggest_threshold};
use lookalike_core::link::guess::guess;
use lookalike_core::link::key::{Bounds, find_candidates};
use lookalike_core::link::measure::compare;
use lookalike_core::link::records::Records;
use lookalike_core::link::score::Scorer;
use lookalike_core::link::table::Table;
use lookalike_core::link::weigh::{Frequencies, Model, compare_all};

struct Set {
    name: &'static str,
    tables: &'static [&'static str],
    id: &'static str,
    gold: &'static str,
    one_to_one: bool,
    target: f64,
}

const SETS: [Set; 7] = [
    Set {
        name: "febrl4",
        tables: &["a.csv", "b.csv"],
        id: "rec_id",
        gold: "gold_pairs.csv",
        one_to_one: false,
        target: 0.996,
    },
    Set {
        name: "febrl1",
        tables: &["records.csv"],
        id: "rec_id",
        gold: "gold_clusters.csv",
        one_to_one: false,
        target: 0.99,
    },
    Set {
        name: "fake_1000",
        tables: &["records.csv"],
        id: "unique_id",
        gold: "gold_clusters.csv",
        one_to_one: false,
        target: 0.88,
    },
    Set {
        name: "fodors_zagats",
        tables: &["fodors.csv", "zagats.csv"],
        id: "id",
        gold: "gold_pairs.csv",
        one_to_one: false,
        target: 0.98,
    },
    Set {
        name: "early_childhood",
        tables: &["records.csv"],
        id: "id",
        gold: "gold_clusters.csv",
        one_to_one: false,
        target: 0.90,
    },
    Set {
        name: "amazon_google",
        tables: &["amazon.csv", "google.csv"],
        id: "id",
        gold: "gold_pairs.csv",
        one_to_one: true,
        target: 0.65,
    },
    Set {
        name: "dblp_titles_18k",
        tables: &["titles.tsv"],
        id: "id",
        gold: "gold_clusters.tsv",
        one_to_one: false,
        target: 0.0,
    },
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut data = PathBuf::from("/work/shared/data");
    let (mut only, mut errors, mut verbose) = (None, 0, false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--only" => only = args.next(),
            "--errors" => errors = args.next().ok_or("--errors needs a number")?.parse()?,
            "--verbose" => verbose = true,
            other => data = PathBuf::from(other),
        }
    }
    println!(
        "{:16} {:>7} {:>7} {:>9} {:>7} {:>9} {:>9} {:>7} {:>9}",
        "set", "F1", "target", "precision", "recall", "threshold", "candidate", "covered", "seconds"
    );
    for set in SETS.iter().filter(|set| only.as_deref().is_none_or(|only| only == set.name)) {
        run(set, &data.join(set.name), errors, verbose)?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<Table, Box<dyn Error>> {
    let is_tsv = path.extension().is_some_and(|extension| extension == "tsv");
    let mut reader =
        csv::ReaderBuilder::new().delimiter(if is_tsv { b'\t' } else { b',' }).quoting(!is_tsv).from_path(path)?;
    let mut table = Table::new(reader.headers()?.iter());
    for record in reader.records() {
        table.push(&record?.iter().collect::<Vec<_>>())?;
    }
    Ok(table)
}

fn run(set: &Set, folder: &Path, errors: usize, verbose: bool) -> Result<(), Box<dyn Error>> {
    let tables = set.tables.iter().map(|name| read(&folder.join(name))).collect::<Result<Vec<_>, _>>()?;
    let (first, second) = (&tables[0], tables.get(1));
    let ids: Vec<&str> = tables.iter().flat_map(|table| table.column(table.find(set.id).unwrap()).iter()).collect();
    let row_of: HashMap<(bool, &str), u32> =
        ids.iter().zip(0..).map(|(id, row)| ((row as usize >= first.row_count(), *id), row)).collect();
    let gold = gold(set, folder, &row_of)?;

    let start = Instant::now();
    let config: Config = guess(first, second, Some(set.id));
    let records = Records::prepare(first, second, &config)?;
    let candidates = find_candidates(&records, &Bounds::for_count(records.count()));
    let keyed = start.elapsed();
    let patterns = compare_all(&records, &candidates);
    let model = Model::estimate(&records, &candidates, &patterns);
    let frequencies = Frequencies::new(&records, &candidates, &patterns, &model);
    let scorer = Scorer { records: &records, model: &model, frequencies: &frequencies };
    let mut scored = scorer.score_all(&candidates, &patterns);
    if set.one_to_one {
        scored = one_to_one(&records, &scored);
    }
    let threshold = suggest_threshold(&scored);
    let sorted = matches(&records, &scored, 0.0);
    let (mut oracle, mut right, mut oracle_at) = (0.0, 0.0, 0.0);
    for (count, pair) in (1..).zip(&sorted) {
        right += f64::from(u8::from(gold.contains(&(pair.left, pair.right))));
        let f1 = 2.0 * right / (f64::from(count) + gold.len() as f64);
        if f1 > oracle {
            (oracle, oracle_at) = (f1, pair.probability());
        }
    }
    let scored = matches(&records, &scored, threshold);
    let clusters = Clusters::join(&scorer, &scored);
    let direct = scored.iter().filter(|pair| gold.contains(&(pair.left, pair.right))).count();
    let found: HashSet<(u32, u32)> = if records.are_of_two_tables() {
        scored.iter().map(|pair| (pair.left, pair.right)).collect()
    } else {
        (0..clusters.count() as u32).flat_map(|cluster| pairs_of(clusters.members(cluster))).collect()
    };
    let seconds = start.elapsed().as_secs_f64();

    let right = found.intersection(&gold).count() as f64;
    let (precision, recall) = (right / found.len() as f64, right / gold.len() as f64);
    let f1 = 2.0 * precision * recall / (precision + recall);
    let candidate_set: HashSet<(u32, u32)> = (0..candidates.len()).map(|at| candidates.pair(at)).collect();
    let covered = gold.intersection(&candidate_set).count() as f64 / gold.len() as f64;
    let mark = if f1 >= set.target { ' ' } else { '!' };
    println!(
        "{:16} {f1:>7.4}{mark}{:>7.3} {precision:>9.4} {recall:>7.4} {threshold:>9.3} {:>9} {covered:>7.4} {seconds:>9.2}  (keys {:.2}) direct P {:.4} R {:.4} best {oracle:.4} at {oracle_at:.4}",
        set.name,
        set.target,
        candidates.len(),
        keyed.as_secs_f64(),
        direct as f64 / scored.len() as f64,
        direct as f64 / gold.len() as f64
    );
    if verbose {
        for column in &config.columns {
            println!("    {:20} {:13} {}", column.name, column.kind.name(), column.why);
        }
        for (kind, report) in candidates.reports() {
            println!("    {:10} {:?}", kind.name(), report);
        }
        println!("    prior {:.2}, matches {:.0} of {}", model.prior, model.match_count, gold.len());
        for field in &model.fields {
            println!(
                "    {:20} {}",
                field.name,
                field.weights.iter().map(|weight| format!("{weight:6.2}")).collect::<Vec<_>>().join(" ")
            );
            println!(
                "    {:20} {}",
                "  m",
                field.among_matches.iter().map(|share| format!("{share:6.3}")).collect::<Vec<_>>().join(" ")
            );
            println!(
                "    {:20} {}",
                "  u",
                field.among_others.iter().map(|share| format!("{share:6.4}")).collect::<Vec<_>>().join(" ")
            );
        }
    }
    let show = |title: &str, pairs: Vec<&(u32, u32)>, worst_first: f64| {
        let mut weighed: Vec<_> =
            pairs.into_iter().map(|(left, right)| (scorer.score(*left, *right).weight, *left, *right)).collect();
        weighed.sort_by(|a, b| (worst_first * a.0).total_cmp(&(worst_first * b.0)));
        println!("  {title}: {}", weighed.len());
        let step = (weighed.len() / errors.max(1)).max(1);
        for (weight, left, right) in weighed.iter().step_by(step).take(errors) {
            let pattern = compare(&records, *left, *right);
            let said = scorer.said(*left, *right, pattern);
            let key = if candidate_set.contains(&(*left, *right)) { "" } else { " (no candidate)" };
            println!("    {weight:.2}{key} {} {}", ids[*left as usize], ids[*right as usize]);
            for (at, field) in records.fields().iter().enumerate() {
                let text = |record: u32| field.text(record).unwrap_or("-").chars().take(90).collect::<String>();
                println!("      {:>6.2} {:14} {} | {}", said[at], field.name, text(*left), text(*right));
            }
        }
    };
    if errors > 0 {
        show("wrong", found.difference(&gold).collect(), -1.0);
        show("missed", gold.difference(&found).collect(), 1.0);
    }
    Ok(())
}

fn pairs_of(members: &[u32]) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for (at, left) in members.iter().enumerate() {
        pairs.extend(members[at + 1..].iter().map(|right| (*left.min(right), *left.max(right))));
    }
    pairs
}

fn gold(set: &Set, folder: &Path, row_of: &HashMap<(bool, &str), u32>) -> Result<HashSet<(u32, u32)>, Box<dyn Error>> {
    let table = read(&folder.join(set.gold))?;
    let rows = (0..table.row_count()).map(|row| (table.column(0).get(row), table.column(1).get(row)));
    if set.gold.contains("pairs") {
        return Ok(rows.map(|(left, right)| (row_of[&(false, left)], row_of[&(true, right)])).collect());
    }
    let mut clusters: HashMap<&str, Vec<u32>> = HashMap::new();
    rows.for_each(|(id, cluster)| clusters.entry(cluster).or_default().push(row_of[&(false, id)]));
    Ok(clusters.values().flat_map(|members| pairs_of(members)).collect())
}
