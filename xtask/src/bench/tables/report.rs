//! The final table of the benchmark, and the section generated from it: each measure with its median and range, its
//! target, and the result.

use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::results::{Machine, Record};
use super::thousands;
use crate::bench::timed::accuracy::Accuracy;
use crate::bench::timed::measure::Usage;
use crate::bench::timed::timing::{Timings, UNIFORM_LOCALE};
use crate::bench::{SHINGLE, THRESHOLD};
use crate::table::Table;

/// Maximum time of `lookalike dedup` relative to `wc -w`.
const RATIO_TARGET: f64 = 0.7;
/// Maximum share of verification in the run.
const VERIFICATION_TARGET: f64 = 0.25;
/// Minimum speed of sketching on one core in MB/s.
const SKETCHING_TARGET: f64 = 300.0;
/// Maximum memory: for the program, and per document.
const MEMORY_TARGET: (f64, f64) = (256e6, 700.0);
/// Minimum share of true pairs that are found.
const RECALL_TARGET: f64 = 0.99;

/// All measurements of the benchmark.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Measured {
    /// The size of the corpus, as JSONL.
    pub(in crate::bench) corpus_bytes: u64,
    pub(in crate::bench) timings: Timings,
    /// Megabytes of text per second on one thread, by run.
    pub(in crate::bench) sketching: Vec<f64>,
    pub(in crate::bench) accuracy: Accuracy,
}

/// Target of a measure.
enum Target {
    AtMost(f64),
    AtLeast(f64),
}

/// The rows under construction.
struct Rows(Table);

impl Rows {
    /// Adds a measure with several values, as median and range in a unit with this many digits.
    fn measured(&mut self, name: &str, values: &[f64], unit: &str, digits: usize, target: Option<&Target>) {
        let (least, middle, most) = range(values);
        let number = |value: f64| format!("{value:.digits$}");
        let range = if values.len() > 1 { format!("{} to {}", number(least), number(most)) } else { String::new() };
        let (wanted, verdict) = match target {
            None => (String::new(), String::new()),
            Some(target) => {
                let (sign, limit, excess) = match *target {
                    Target::AtMost(limit) => ("≤", limit, middle - limit),
                    Target::AtLeast(limit) => ("≥", limit, limit - middle),
                };
                let verdict =
                    if excess <= 0.0 { "met".to_owned() } else { format!("**missed** by {}", number(excess).trim()) };
                (format!("{sign} {}", number(limit)), verdict)
            }
        };
        self.0.row([name.to_owned(), number(middle), unit.to_owned(), range, wanted, verdict]);
    }

    /// Adds a measure with one value and no target.
    fn counted(&mut self, name: &str, count: usize) {
        self.0.row([name.to_owned(), count.to_string()]);
    }
}

/// The minimum, the median and the maximum of some numbers.
pub(in crate::bench) fn range(values: &[f64]) -> (f64, f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
    (sorted[0], middle, sorted[sorted.len() - 1])
}

/// Prints machine, corpus and table.
pub(in crate::bench) fn print(corpus: &Path, lookalike: &Path, measured: &Measured) {
    println!("machine   {}", Machine::here());
    if let Some(load) = measured.timings.load {
        println!("load      {load} over the minute before the runs, this benchmark's own build included");
    }
    println!("versions  {}; {}", first_line(lookalike), first_line(Path::new("wc")));
    println!("corpus    {}: {}", corpus.display(), corpus_line(measured));
    println!("runs      {}\n", runs_line(measured));
    print!("{}", table(measured));
}

fn corpus_line(measured: &Measured) -> String {
    let documents = thousands(measured.timings.summaries[0].input.document_count);
    format!("{:.1} MB of JSONL, {documents} documents", measured.corpus_bytes as f64 / 1e6)
}

fn runs_line(measured: &Measured) -> String {
    let count = measured.timings.dedup.len();
    format!("{count}, alternating; {SHINGLE}, threshold {THRESHOLD}, two threads, output and report written")
}

fn table(measured: &Measured) -> Table {
    let Measured { corpus_bytes, timings, sketching, accuracy } = measured;
    let mut rows = Rows(Table::new(&["measure", "median", "", "range", "target", "verdict"]));
    speed_rows(&mut rows, timings);
    stage_rows(&mut rows, timings, *corpus_bytes as f64 / 1e6);
    rows.measured("sketching alone, one thread", sketching, "MB/s", 0, Some(&Target::AtLeast(SKETCHING_TARGET)));
    memory_rows(&mut rows, timings, timings.summaries[0].input.document_count as f64);
    accuracy_rows(&mut rows, accuracy);
    rows.0
}

/// The section for the performance page.
pub(in crate::bench) fn section(record: &Record<Measured>) -> String {
    let measured = &record.results;
    format!(
        "{}\n{}. Runs: {}.\n\n{}",
        record.origin(),
        corpus_line(measured),
        runs_line(measured),
        table(measured).to_markdown()
    )
}

fn speed_rows(rows: &mut Rows, timings: &Timings) {
    let seconds = |usages: &[Usage]| -> Vec<f64> { usages.iter().map(|usage| usage.seconds).collect() };
    let (wc, dedup) = (seconds(&timings.wc), seconds(&timings.dedup));
    let cpu: Vec<f64> = timings.dedup.iter().filter_map(|usage| usage.cpu_seconds).collect();
    // A run is compared with the one next to it, under the same conditions.
    let ratios = |wc: &[f64]| -> Vec<f64> { dedup.iter().zip(wc).map(|(dedup, wc)| dedup / wc).collect() };
    let ratio_target = Some(&Target::AtMost(RATIO_TARGET));

    rows.measured(&format!("wc -w, one thread, locale {}", timings.locale), &wc, "s", 2, None);
    if let Some(uniform_wc) = &timings.uniform_wc {
        rows.measured(&format!("wc -w, one thread, locale {UNIFORM_LOCALE}"), &seconds(uniform_wc), "s", 2, None);
    }
    rows.measured("lookalike dedup, two threads", &dedup, "s", 2, None);
    if !cpu.is_empty() {
        rows.measured("lookalike dedup, processor time", &cpu, "s", 2, None);
    }
    rows.measured("dedup / wc -w", &ratios(&wc), "", 2, ratio_target);
    if let Some(uniform_wc) = &timings.uniform_wc {
        rows.measured(
            &format!("dedup / wc -w, locale {UNIFORM_LOCALE}"),
            &ratios(&seconds(uniform_wc)),
            "",
            2,
            ratio_target,
        );
    }
}

fn stage_rows(rows: &mut Rows, timings: &Timings, megabytes: f64) {
    let summaries = &timings.summaries;
    for stage in &summaries[0].stages {
        let seconds: Vec<f64> = summaries.iter().map(|summary| summary.seconds(&stage.name)).collect();
        let speed = megabytes / range(&seconds).1;
        let unit = if speed < 1e5 { format!("s, {speed:.0} MB/s") } else { "s".to_owned() };
        rows.measured(&format!("  stage {}", stage.name), &seconds, &unit, 3, None);
    }
    let verification: Vec<f64> = summaries
        .iter()
        .zip(&timings.dedup)
        .map(|(summary, dedup)| summary.verification_seconds() / dedup.seconds)
        .collect();
    let sharing: Vec<f64> = summaries
        .iter()
        .map(|summary| summary.found.sharing_bucket_count as f64 / summary.input.document_count as f64)
        .collect();
    rows.measured("share of verification", &verification, "", 3, Some(&Target::AtMost(VERIFICATION_TARGET)));
    rows.measured("documents that share a bucket", &sharing[..1], "of all", 3, None);
}

fn memory_rows(rows: &mut Rows, timings: &Timings, document_count: f64) {
    let (fixed, each) = MEMORY_TARGET;
    let target = Target::AtMost((fixed + each * document_count) / 1e6);
    let measured: Vec<f64> = timings.dedup.iter().filter_map(|usage| Some(usage.peak_bytes? as f64 / 1e6)).collect();
    let stated: Vec<f64> =
        timings.summaries.iter().filter_map(|summary| Some(summary.peak_memory_bytes? as f64 / 1e6)).collect();
    if !measured.is_empty() {
        rows.measured("peak memory", &measured, "MB", 0, Some(&target));
    }
    if !stated.is_empty() {
        rows.measured("peak memory, as stated", &stated, "MB", 0, Some(&target));
    }
}

fn accuracy_rows(rows: &mut Rows, accuracy: &Accuracy) {
    rows.measured("lookalike pairs", &[accuracy.pairs_seconds], "s", 2, None);
    rows.counted("true pairs", accuracy.true_count);
    rows.counted("found pairs", accuracy.found_count);
    rows.measured("recall of pairs", &[accuracy.recall()], "", 4, Some(&Target::AtLeast(RECALL_TARGET)));
    rows.measured("precision of pairs", &[accuracy.precision()], "", 4, Some(&Target::AtLeast(1.0)));
    rows.measured("largest error of a similarity", &[accuracy.largest_difference], "", 6, None);
    rows.counted("documents removed", accuracy.removed_count);
    rows.measured("documents lost for nothing", &[accuracy.lost_count as f64], "", 0, Some(&Target::AtMost(0.0)));
    let left = Target::AtMost(1.0 - RECALL_TARGET);
    rows.measured("true pairs left among the kept", &[accuracy.left_share()], "of all", 4, Some(&left));
}

/// The first line of a program's version output.
pub(in crate::bench) fn first_line(program: &Path) -> String {
    let output = Command::new(program).arg("--version").output();
    let said = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    said.lines().next().map_or_else(|| format!("{} of unknown version", program.display()), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_an_even_number_lies_between_two() {
        assert_eq!(range(&[4.0, 1.0, 2.0]), (1.0, 2.0, 4.0));
        assert_eq!(range(&[4.0, 1.0, 2.0, 3.0]), (1.0, 2.5, 4.0));
    }

    #[test]
    fn a_missed_target_says_by_how_much() {
        let mut rows = Rows(Table::new(&["measure", "median", "", "range", "target", "verdict"]));
        rows.measured("ratio", &[0.75, 0.85], "", 2, Some(&Target::AtMost(0.7)));
        rows.measured("speed", &[310.0], "MB/s", 0, Some(&Target::AtLeast(300.0)));
        let text = rows.0.to_string();
        assert!(text.contains("**missed** by 0.10") && text.contains("0.75 to 0.85") && text.contains("≥ 300"));
        assert!(text.lines().last().unwrap().ends_with("met"));
    }
}
