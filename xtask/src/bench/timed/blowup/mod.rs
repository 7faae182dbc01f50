//! `cargo xtask bench blowup`: corpora on which a careless detector takes quadratic time, at full and half size.
//!
//! The time per document should be equal at both sizes: the ratio is 1 for linear time, and 2 for quadratic time. Speed
//! is only shown with both promises checked.

mod check;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::bench::corpora::quadratic::{Kind, Texts};
use crate::bench::tables::results::Record;
use crate::bench::tables::{against, pages, results};
use crate::bench::timed::running::{Output, Program, Run, again_optimized, dedup};
use crate::table::Table;
use crate::workspace::Workspace;
use check::{Verdict, judge};

/// Maximum exponent of the growth of time.
const MOST_EXPONENT: f64 = 1.2;

/// Options of `cargo xtask bench blowup`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Size of the corpora: 1 is a million documents for the largest
    #[arg(long, value_name = "SCALE", default_value_t = 1.0)]
    scale: f64,
    /// Keep the corpora in target/bench
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    program: Program,
}

/// One corpus at both sizes.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Growth {
    corpus: String,
    half: Measured,
    full: Measured,
    /// Ratio of the times per document at full and half size.
    ratio: f64,
}

/// One corpus at one size.
#[derive(Serialize, Deserialize)]
struct Measured {
    documents: usize,
    bytes: u64,
    seconds_per_document: f64,
    run: Run,
    verdict: Verdict,
}

/// Measures, checks, prints and saves.
pub(in crate::bench) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    ensure!(options.scale > 0.0 && options.scale <= 1.0, "--scale {} is not above 0 and at most 1", options.scale);
    if cfg!(debug_assertions) {
        return again_optimized(workspace);
    }
    let folder = workspace.target().join("bench");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let lookalike = options.program.path(workspace)?;
    let texts = Texts::new();
    let mut growths = Vec::new();
    for kind in Kind::ALL {
        let full_size = (kind.full_size() as f64 * options.scale) as usize;
        let [half, full] =
            [full_size / 2, full_size].map(|size| measure(&texts, kind, size, &folder, &lookalike, options));
        let (half, full) = (half?, full?);
        let ratio = full.seconds_per_document / half.seconds_per_document;
        growths.push(Growth { corpus: kind.name().to_owned(), half, full, ratio });
    }

    let table = table(&growths);
    println!("machine   {}\n", results::Machine::here());
    print!("{table}");
    let is_whole = options.scale >= 1.0;
    let file = results::write(workspace, if is_whole { "blowup" } else { "blowup-trial" }, &[&lookalike], &growths)?;
    if is_whole {
        pages::refresh(workspace.root())?;
    }
    println!("\nraw numbers in {}", file.display());
    for growth in &growths {
        for measured in [&growth.half, &growth.full] {
            let Verdict { wrong_removals, left_share, example, .. } = &measured.verdict;
            ensure!(
                measured.verdict.holds(),
                "{}: a promise is broken: {wrong_removals} removals are wrong, {left_share} of the pairs left{}",
                growth.corpus,
                example.as_ref().map_or(String::new(), |example| format!(": {example}"))
            );
        }
    }
    Ok(())
}

fn measure(
    texts: &Texts,
    kind: Kind,
    size: usize,
    folder: &Path,
    lookalike: &Path,
    options: &Options,
) -> Result<Measured> {
    let file = folder.join(format!("blowup-{kind:?}-{size}.jsonl").to_lowercase());
    let out = folder.join("blowup-out");
    eprintln!("{}: {size} documents", kind.name());
    texts.write(kind, size, &file).with_context(|| format!("cannot write {}", file.display()))?;
    let run = dedup(lookalike, &[&file], &out, Output::Dry, &["--id", "id"])?;
    let verdict = judge(texts, kind, size, &out.join("removed.jsonl"))?;
    let bytes = file.metadata()?.len();
    if !options.keep {
        fs::remove_file(&file)?;
    }
    ensure!(
        run.summary.found.removed_count == verdict.removed as u64,
        "the summary counts other removals than were written"
    );
    Ok(Measured { documents: size, bytes, seconds_per_document: run.usage.seconds / size as f64, run, verdict })
}

fn table(growths: &[Growth]) -> Table {
    let mut table = Table::new(&[
        "corpus",
        "documents",
        "s",
        "processor s",
        "µs per document",
        "ratio to half",
        "peak MB",
        "kept",
        "removed",
        "pairs compared",
        "passed over",
        "unjustified removals",
        "kept pairs similar",
        "pairs left",
    ]);
    for growth in growths {
        for (measured, ratio) in [(&growth.half, String::new()), (&growth.full, format!("{:.2}", growth.ratio))] {
            let (found, verdict) = (&measured.run.summary.found, &measured.verdict);
            table.row([
                growth.corpus.clone(),
                measured.documents.to_string(),
                format!("{:.2}", measured.run.usage.seconds),
                format!("{:.2}", measured.run.usage.cpu_seconds.unwrap_or(0.0)),
                format!("{:.2}", measured.seconds_per_document * 1e6),
                ratio,
                format!("{:.0}", measured.run.peak_bytes() / 1e6),
                found.kept_count.to_string(),
                found.removed_count.to_string(),
                found.candidate_count.to_string(),
                found.passed_over.pair_count.to_string(),
                format!("{} of {}", verdict.wrong_removals, verdict.measured_removals),
                format!("{} of {}", verdict.near_duplicates_kept, verdict.measured_kept_pairs),
                format!("{:.6}", verdict.left_share),
            ]);
        }
    }
    table
}

impl Growth {
    /// Exponent of the growth of time between half and full size.
    fn exponent(&self) -> f64 {
        let documents = self.full.documents as f64 / self.half.documents as f64;
        (self.full.run.usage.seconds / self.half.run.usage.seconds).ln() / documents.ln()
    }
}

/// The section for the benchmarks page.
pub(in crate::bench) fn section(record: &Record<Vec<Growth>>) -> String {
    let growths = &record.results;
    let steepest = growths.iter().max_by(|one, other| one.exponent().total_cmp(&other.exponent()));
    let steepest = steepest.map_or(String::new(), |growth| {
        let verdict = against(&format!("n^{MOST_EXPONENT}"), growth.exponent() <= MOST_EXPONENT);
        format!("The steepest growth is n^{:.2}: {} (target {verdict}).\n\n", growth.exponent(), growth.corpus)
    });
    format!(
        "## Corpora that provoke quadratic time\n\nTexts of one kind at half and full size, `--dry-run`. {}\n\n{steepest}\
         - *ratio to half*: 1 if time grows in proportion to the input, 2 if it grows with its square.\n\
         - *passed over*: pairs that the summary reports as not compared.\n\
         - *unjustified removals*: removals whose named document is not kept or is below the threshold (all are checked), \
         or\n  whose similarity differs from that of an independent implementation (2,000 are measured again).\n\
         - *kept pairs similar*: near-duplicates among 2,000 pairs of kept documents (for the chain, among all neighbors).\n\
         - *pairs left*: the share of near-duplicate pairs of which both documents are kept, at most 0.01 at a recall of \
         0.99.\n\n{}",
        record.origin(),
        table(growths).to_markdown()
    )
}
