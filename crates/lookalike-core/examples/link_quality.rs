//! Links the tables of the shared data without a config, and holds the result against what is known.
//!
//! `cargo run --release -p lookalike-core --example link_quality -- [DATA] [--only NAME] [--errors N] [--verbose]`

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use lookalike_core::link::cluster::Clusters;
use lookalike_core::link::config::Config;
use lookalike_core::link::decide::{matches, one_to_one, suggest_threshold};
use lookalike_core::link::guess::guess;
use lookalike_core::link::key::{Bounds, Candidates, find_candidates};
use lookalike_core::link::records::Records;
use lookalike_core::link::score::Scorer;
use lookalike_core::link::weigh::{Frequencies, Model, compare_all};
use lookalike_core::table::Table;

struct Set {
    name: &'static str,
    tables: &'static [&'static str],
    id: &'static str,
    gold: &'static str,
    one_to_one: bool,
    target: f64,
}

const fn set(
    name: &'static str,
    tables: &'static [&'static str],
    id: &'static str,
    gold: &'static str,
    target: f64,
) -> Set {
    Set { name, tables, id, gold, one_to_one: false, target }
}

const SETS: [Set; 7] = [
    set("febrl4", &["a.csv", "b.csv"], "rec_id", "gold_pairs.csv", 0.996),
    set("febrl1", &["records.csv"], "rec_id", "gold_clusters.csv", 0.99),
    set("fake_1000", &["records.csv"], "unique_id", "gold_clusters.csv", 0.88),
    set("fodors_zagats", &["fodors.csv", "zagats.csv"], "id", "gold_pairs.csv", 0.98),
    set("early_childhood", &["records.csv"], "id", "gold_clusters.csv", 0.90),
    Set { one_to_one: true, ..set("amazon_google", &["amazon.csv", "google.csv"], "id", "gold_pairs.csv", 0.65) },
    set("dblp_titles_18k", &["titles.tsv"], "id", "gold_clusters.tsv", 0.0),
];

type Pairs = HashSet<(u32, u32)>;

fn main() -> Result<(), Box<dyn Error>> {
    let mut data = PathBuf::from("../shared/data");
    let (mut only, mut errors, mut is_verbose) = (None, 0, false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--only" => only = args.next(),
            "--errors" => errors = args.next().ok_or("--errors needs a number")?.parse()?,
            "--verbose" => is_verbose = true,
            other => data = PathBuf::from(other),
        }
    }
    println!("set                   F1  target  precision  recall  threshold  candidates  covered  seconds");
    for set in SETS.iter().filter(|set| only.as_deref().is_none_or(|only| only == set.name)) {
        run(set, &data.join(set.name), errors, is_verbose)?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<Table, Box<dyn Error>> {
    let is_tsv = path.extension().is_some_and(|extension| extension == "tsv");
    let delimiter = if is_tsv { b'\t' } else { b',' };
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).quoting(!is_tsv).from_path(path)?;
    let mut table = Table::new(reader.headers()?.iter());
    for record in reader.records() {
        table.push(&record?.iter().collect::<Vec<_>>())?;
    }
    Ok(table)
}

fn run(set: &Set, folder: &Path, errors: usize, is_verbose: bool) -> Result<(), Box<dyn Error>> {
    let tables = set.tables.iter().map(|name| read(&folder.join(name))).collect::<Result<Vec<_>, _>>()?;
    let (first, second) = (&tables[0], tables.get(1));
    let mut ids = Vec::new();
    for table in &tables {
        ids.extend(table.column(table.find(set.id)?).iter());
    }
    let gold = gold(set, folder, &ids, first.row_count())?;

    let start = Instant::now();
    let config = guess(first, second, Some(set.id));
    let records = Records::prepare(first, second, &config)?;
    let candidates = find_candidates(&records, &Bounds::for_count(records.count()));
    let patterns = compare_all(&records, &candidates);
    let model = Model::estimate(&records, &candidates, &patterns);
    let frequencies = Frequencies::new(&records, &candidates, &patterns, &model);
    let scorer = Scorer { records: &records, model: &model, frequencies: &frequencies };
    let mut scored = scorer.score_all(&candidates, &patterns);
    if set.one_to_one {
        scored = one_to_one(&records, &scored);
    }
    let threshold = suggest_threshold(&scored);
    let matches = matches(&records, &scored, threshold);
    let clusters = Clusters::join(&scorer, &matches);
    let seconds = start.elapsed().as_secs_f64();

    // Inside one table a cluster says that all its records are the same; between two tables the matches say it.
    let found: Pairs = if records.are_of_two_tables() {
        matches.iter().map(|pair| (pair.left, pair.right)).collect()
    } else {
        (0..clusters.count() as u32).flat_map(|cluster| pairs_of(clusters.members(cluster))).collect()
    };
    let candidate_pairs: Pairs = (0..candidates.len()).map(|at| candidates.pair(at)).collect();
    let right = found.intersection(&gold).count() as f64;
    let (precision, recall) = (right / found.len() as f64, right / gold.len() as f64);
    let f1 = 2.0 * right / (found.len() + gold.len()) as f64;
    let covered = gold.intersection(&candidate_pairs).count() as f64 / gold.len() as f64;
    let mark = if f1 >= set.target { ' ' } else { '!' };
    println!(
        "{:16} {f1:>7.4}{mark} {:>6.3} {precision:>10.4} {recall:>7.4} {threshold:>10.3} {:>11} {covered:>8.4} {seconds:>8.2}",
        set.name,
        set.target,
        candidates.len()
    );
    if is_verbose {
        show_model(&config, &candidates, &model);
    }
    if errors > 0 {
        show_errors("wrong", &scorer, &ids, found.difference(&gold), errors, -1.0);
        show_errors("missed", &scorer, &ids, gold.difference(&found), errors, 1.0);
    }
    Ok(())
}

fn show_model(config: &Config, candidates: &Candidates, model: &Model) {
    for column in &config.columns {
        println!("    {:20} {:13} {}", column.name, column.kind.name(), column.why);
    }
    for (kind, report) in candidates.reports() {
        println!("    {:10} {report:?}", kind.name());
    }
    println!("    prior {:.2}, {:.0} matches", model.prior, model.match_count);
    for field in &model.fields {
        let list = |numbers: &[f64]| numbers.iter().map(|number| format!("{number:7.3}")).collect::<String>();
        println!("    {:20} {}", field.name, list(&field.weights));
        println!("        among matches    {}", list(&field.among_matches));
        println!("        among others     {}", list(&field.among_others));
    }
}

/// Some of the errors, spread from the worst to the least.
fn show_errors<'a>(
    title: &str,
    scorer: &Scorer<'_>,
    ids: &[&str],
    pairs: impl Iterator<Item = &'a (u32, u32)>,
    most: usize,
    direction: f64,
) {
    let mut weighed: Vec<_> =
        pairs.map(|(left, right)| (direction * scorer.score(*left, *right).weight, *left, *right)).collect();
    weighed.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    println!("  {title}: {}", weighed.len());
    for (_, left, right) in weighed.iter().step_by(weighed.len() / most + 1) {
        let why = scorer.explain(*left, *right);
        println!("    {:.2}, bounded {:.2}: {} {}", why.weight, why.bounded, ids[*left as usize], ids[*right as usize]);
        for field in &why.fields {
            let short = |text: &Option<String>| text.as_deref().unwrap_or("-").chars().take(80).collect::<String>();
            let (left, right) = (short(&field.left), short(&field.right));
            println!("      {:>6.2} {:14} {:26} {left} | {right}", field.weight, field.name, field.level);
        }
    }
}

fn pairs_of(members: &[u32]) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for (at, left) in members.iter().enumerate() {
        pairs.extend(members[at + 1..].iter().map(|right| (*left.min(right), *left.max(right))));
    }
    pairs
}

fn gold(set: &Set, folder: &Path, ids: &[&str], first_count: usize) -> Result<Pairs, Box<dyn Error>> {
    let row_of: HashMap<(bool, &str), u32> =
        ids.iter().zip(0..).map(|(id, row)| ((row as usize >= first_count, *id), row)).collect();
    let table = read(&folder.join(set.gold))?;
    let rows = (0..table.row_count()).map(|row| (table.column(0).get(row), table.column(1).get(row)));
    if set.gold.contains("pairs") {
        return Ok(rows.map(|(left, right)| (row_of[&(false, left)], row_of[&(true, right)])).collect());
    }
    let mut clusters: HashMap<&str, Vec<u32>> = HashMap::new();
    rows.for_each(|(id, cluster)| clusters.entry(cluster).or_default().push(row_of[&(false, id)]));
    Ok(clusters.values().flat_map(|members| pairs_of(members)).collect())
}
