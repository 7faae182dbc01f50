//! The methods: speed of sketching, speed of finding similar bit sketches, and the cost of an exact join compared with
//! the default.

use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use anyhow::Result;
use lookalike_core::bucket::banding::Banding;
use lookalike_core::bucket::hamming::{Tables, pairs_within};
use lookalike_core::hash::mix;
use lookalike_core::measure::similarity::Threshold;
use lookalike_core::method::{Method, MinHash, SimHash, SuperShingle, Weights, Width};
use lookalike_core::sketch::SlotKind;

use super::measure::measure;
use super::sketching;
use crate::bench::corpora::{mixed, texts};
use crate::bench::{DOCUMENTS, RECALL, SHINGLE, THRESHOLD};
use crate::table::Table;
use crate::workspace::{Workspace, succeed};

/// Options of `cargo xtask bench methods`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of measurements
    #[arg(long, value_name = "R", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
}

/// Number of bit sketches compared with each other.
const SKETCHES: u64 = 1_000_000;

/// Measures and prints.
pub(in crate::bench) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if cfg!(debug_assertions) {
        let mut cargo = workspace.cargo();
        cargo.args(["run", "--quiet", "--release", "--package", "xtask", "--", "bench", "methods"]);
        return succeed(cargo.args(["--runs", &options.runs.to_string()]));
    }
    let folder = &workspace.target().join("bench");
    let file = mixed::prepare(folder, DOCUMENTS)?;
    let documents = texts::read(&file)?;
    let mut table = Table::new(&["measure", "median", "target"]);
    for (name, method, target) in methods()? {
        let mut speeds = sketching::speeds(&documents, &SHINGLE.parse()?, &*method, options.runs);
        let speed = format!("{:.0} MB/s", median(&mut speeds));
        table.row([format!("text to sketch, one thread: {name}"), speed, target.to_owned()]);
    }

    let sketches = planted();
    let mut found = 0;
    let mut seconds: Vec<f64> = (0..options.runs)
        .map(|_| {
            let start = Instant::now();
            found = black_box(pairs_within(&sketches, 3)).len();
            start.elapsed().as_secs_f64()
        })
        .collect();
    let name = format!("{found} pairs within 3 bits of {SKETCHES} sketches, {} threads", rayon::current_num_threads());
    table.row([name, format!("{:.3} s", median(&mut seconds)), "≤ 1 s".to_owned()]);

    let lookalike = workspace.build_lookalike()?;
    let pairs = |method: &str| {
        let mut command = Command::new(&lookalike);
        command.arg("dedup").arg(&file).args(["--id", "id", "--dry-run", "--quiet", "--method", method]);
        command
    };
    let (mut default, mut exact) = (Vec::new(), Vec::new());
    for _ in 0..options.runs {
        default.push(measure(&pairs("minhash"))?.seconds);
        exact.push(measure(&pairs("exact"))?.seconds);
    }
    let mut ratios: Vec<f64> = exact.iter().zip(&default).map(|(exact, default)| exact / default).collect();
    table.row(["dedup of 45,000 documents".to_owned(), format!("{:.2} s", median(&mut default))]);
    table.row(["dedup --exact".to_owned(), format!("{:.2} s", median(&mut exact))]);
    table.row(["exact / default".to_owned(), format!("{:.2}", median(&mut ratios)), "≤ 10".to_owned()]);
    print!("{table}");
    Ok(())
}

type Named = (&'static str, Box<dyn Method>, &'static str);

fn methods() -> Result<Vec<Named>> {
    let threshold = Threshold::new(THRESHOLD)?;
    let banding = Banding::for_recall(threshold, RECALL)?;
    let groups = Banding::new(SuperShingle::GROUPS, SuperShingle::ROWS)?.with_agreeing(SuperShingle::AGREEING)?;
    let simhash = |width| SimHash::new(width, Weights::Count, SimHash::DISTANCE, Tables::Blocks, false);
    Ok(vec![
        ("minhash, fast", Box::new(MinHash::new(banding, SlotKind::Fast, threshold)), ""),
        ("minhash, classic", Box::new(MinHash::new(banding, SlotKind::Classic, threshold)), ""),
        ("supershingle", Box::new(SuperShingle::new(groups, SlotKind::Fast)), ""),
        ("simhash, 64 bits", Box::new(simhash(Width::Bits64)?), "≥ 300 MB/s"),
        ("simhash, 128 bits", Box::new(simhash(Width::Bits128)?), ""),
    ])
}

/// Random sketches, one in three of which is a copy of another with up to seven bits flipped.
fn planted() -> Vec<u64> {
    let mut sketches: Vec<u64> = Vec::new();
    for at in 0..SKETCHES {
        let random = mix(at + 1);
        let other = (random.is_multiple_of(3) && at > 0).then(|| sketches[(random >> 8) as usize % sketches.len()]);
        let flips = (0..random >> 56 & 7).map(|flip| 1_u64 << (mix(random ^ flip) % 64));
        sketches.push(other.map_or(random, |other| flips.fold(other, |bits, flip| bits ^ flip)));
    }
    sketches
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
