//! Shows a person what linking did, what it would compare, and why two records are a match.

use std::io::{self, Write};
use std::path::Path;

use lookalike::core::link::config::Kind;
use lookalike::core::link::explain::{BOUNDED, FieldExplanation};
use lookalike::core::link::key::Outcome;
use lookalike::core::link::teach::LEAST_LABELS;
use lookalike::{
    Accuracy, Analysis, ClusterExplanation, ColumnReport, Compared, KeyExplanation, LabelsReport, LearnedReport,
    LinkReport, PairExplanation,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::show::{numbers, one_line, shown_path};

/// Output of a run.
#[derive(Clone, Copy)]
pub(crate) struct Wrote<'a> {
    /// The folder of the result.
    pub(crate) folder: &'a Path,
    /// The folder has a report.
    pub(crate) has_report: bool,
    /// A report with a name of its own.
    pub(crate) report_file: Option<&'a Path>,
}

/// Shows the kinds of the columns, what was found, and where the result is.
pub(crate) fn show(report: &LinkReport, wrote: Wrote<'_>) -> io::Result<()> {
    let mut out = io::stderr().lock();
    let records: Vec<String> = report.record_counts.iter().map(|count| numbers::of(*count, "record")).collect();
    let empty = match report.empty_row_count {
        0 => String::new(),
        rows => format!("; {} without a value left out", numbers::of(rows, "row")),
    };
    writeln!(out, "read      {}{empty}", records.join(" and "))?;
    show_columns(&mut out, &report.columns)?;
    writeln!(out, "compared  {}", numbers::of(report.candidate_count, "pair"))?;
    for key in &report.keys {
        let split = match key.not_compared_count {
            0 => String::new(),
            pairs => format!(", {} of large buckets were not compared", numbers::of(pairs, "pair")),
        };
        let (found, alone) = (numbers::count(key.candidate_count), numbers::count(key.alone_count));
        writeln!(out, "          {:14} {found:>12}, {alone} found by it alone{split}", key.kind)?;
    }
    if report.one_field_only_count > 0 {
        let pairs = numbers::of(report.one_field_only_count, "pair");
        writeln!(out, "          {pairs} that share only one field were not compared: there were too many")?;
    }
    let threshold = report.threshold;
    writeln!(out, "matches   {} with a probability of {threshold:.3} or more", numbers::count(report.match_count))?;
    if !report.calibrated {
        writeln!(
            out,
            "          ranked by probability, which is no promise here: label some pairs to learn how many are right"
        )?;
    }
    for band in &report.probabilities {
        writeln!(out, "          {:>12} from {}", numbers::count(band.match_count), band.from)?;
    }
    writeln!(out, "clusters  {} of two records or more", numbers::count(report.cluster_count))?;
    if report.apart_match_count > 0 {
        let apart = numbers::count(report.apart_match_count);
        writeln!(out, "          {apart} of the matches do not join their clusters, which disagree as a whole")?;
    }
    if let Some(added) = &report.added {
        let (records, merges) = (numbers::of(added.record_count, "record"), numbers::of(added.merge_count, "cluster"));
        writeln!(out, "added     {records}; {merges} merged into another: see merges.csv")?;
    }
    if let Some(labels) = &report.labels {
        show_labels(&mut out, labels)?;
    }
    if let Some(validation) = &report.validation {
        let right = |share: Option<f64>| share.map_or("?".to_owned(), |share| format!("{:.1} %", 100.0 * share));
        let (random, sure) = (validation.random, validation.sure);
        writeln!(out, "valid     random pairs differ by {random:.2} on average, sure matches by {sure:.2}")?;
        for band in validation.bands.iter().chain([&validation.all]) {
            let (from, to) = (band.from, band.to);
            let (low, high) = (right(band.low), right(band.high));
            let matches = numbers::count(band.match_count);
            let mean = band.mean;
            writeln!(
                out,
                "          {from:.4} to {to:.4}: {matches} differ by {mean:.2}: {} right ({low} to {high})",
                right(band.right)
            )?;
        }
    }
    let page = if wrote.has_report { "report.html (for your browser), " } else { "" };
    writeln!(
        out,
        "wrote     {}: {page}matches.csv, clusters.csv, linked.csv, merged.csv, link.toml, model.json, summary.json",
        shown_path(wrote.folder)
    )?;
    if let Some(file) = wrote.report_file {
        writeln!(out, "wrote     {} (for your browser)", shown_path(file))?;
    }
    writeln!(out, "took      {}", numbers::seconds(report.seconds))
}

fn show_columns(out: &mut dyn Write, columns: &[ColumnReport]) -> io::Result<()> {
    writeln!(out, "columns   treated as")?;
    let width = columns.iter().map(|column| column.name.chars().count()).max().unwrap_or(0).min(30);
    for column in columns {
        let name = one_line(&column.name);
        let why =
            if column.kind == Kind::Ignored { format!("ignored: {}", column.why) } else { column.kind.to_string() };
        let other =
            column.other_name.as_ref().map_or(String::new(), |other| format!(", '{other}' in the second table"));
        writeln!(out, "          {name:width$}  {}", one_line(&format!("{why}{other}")))?;
    }
    Ok(())
}

/// Shows the accuracy by a known answer.
fn show_labels(out: &mut dyn Write, labels: &LabelsReport) -> io::Result<()> {
    let share = |share: Option<f64>| share.map_or("?".to_owned(), |share| format!("{share:.4}"));
    let mut line = |label: &str, what: &str, of: &Accuracy| {
        let [precision, recall, f1] = [of.precision, of.recall, of.f1].map(share);
        let [right, wrong, missed] = [of.right_count, of.wrong_count, of.missed_count].map(numbers::count);
        writeln!(
            out,
            "{label:9} {what:8}  precision {precision}, recall {recall}, F1 {f1}: {right} right, {wrong} wrong, {missed} missed"
        )
    };
    match (&labels.learned, &labels.clusters) {
        (Some(learned), _) => {
            line("labels", "held out", &labels.matches)?;
            show_learned(out, learned)?;
        }
        (None, clusters) => {
            line("labels", "matches", &labels.matches)?;
            clusters.iter().try_for_each(|clusters| line("", "clusters", clusters))?;
        }
    }
    for (reason, count) in &labels.missed {
        writeln!(out, "          {} missed: {reason}", numbers::count(*count))?;
    }
    if labels.matches.wrong_count + labels.matches.missed_count > 0 {
        writeln!(out, "          see wrong.csv and missed.csv")?;
    }
    if labels.not_judged_count > 0 {
        writeln!(
            out,
            "          {} of which it says nothing",
            numbers::of(labels.not_judged_count, "match").replace("matchs", "matches")
        )?;
    }
    if labels.unknown_row_count > 0 {
        let rows = numbers::of(labels.unknown_row_count, "row");
        writeln!(out, "          {rows} of it left out: no record has the id, or two have")?;
    }
    Ok(())
}

/// Shows what was learned from labeled pairs.
fn show_learned(out: &mut dyn Write, learned: &LearnedReport) -> io::Result<()> {
    let LearnedReport { same_count, different_count, right_before_count, .. } = learned;
    let labels = numbers::of(same_count + different_count, "label");
    writeln!(out, "          {labels}: {same_count} same, {different_count} different")?;
    match learned.right_count {
        Some(right) => {
            writeln!(
                out,
                "          right by weights without labels: {right_before_count}; by weights from the other labels: {right}"
            )?;
            if !learned.used {
                writeln!(out, "          the labels fit no better, so the weights are those of the data")?;
            }
            Ok(())
        }
        None => writeln!(out, "          too few to learn from: label at least {LEAST_LABELS} of each"),
    }
}

/// Shows what would be compared, key by key.
pub(crate) fn show_analysis(out: &mut dyn Write, analysis: &Analysis) -> io::Result<()> {
    let records: Vec<String> = analysis.record_counts.iter().map(|count| numbers::of(*count, "record")).collect();
    writeln!(out, "read      {}", records.join(" and "))?;
    show_columns(out, &analysis.columns)?;
    let bound = numbers::count(analysis.bucket_pair_count);
    writeln!(
        out,
        "keys      a bucket of more than {bound} pairs is split by a key of another column; --effort raises this"
    )?;
    for key in &analysis.keys {
        let split = match key.split_bucket_count {
            0 => String::new(),
            buckets => format!(
                "; {} split, {} not compared",
                numbers::of(buckets, "bucket"),
                numbers::of(key.not_compared_count, "pair")
            ),
        };
        let (pairs, buckets) = (numbers::of(key.candidate_count, "pair"), numbers::of(key.bucket_count, "bucket"));
        let columns = one_line(&key.columns.join(" and "));
        writeln!(out, "          {} {columns}: {pairs} in {buckets}{split}", key.kind)?;
        for block in &key.largest {
            let (records, value) = (numbers::of(block.record_count, "record"), one_line(&block.value));
            writeln!(out, "              {records:>14}  {value}")?;
        }
    }
    Ok(())
}

/// Explains why two records are a match: field by field, by which key, and in which clusters.
pub(crate) fn show_explanation(out: &mut dyn Write, ids: &[String; 2], pair: &PairExplanation) -> io::Result<()> {
    let explanation = &pair.fields;
    let [left, right] = ids.each_ref().map(|id| one_line(id));
    writeln!(out, "{left} and {right}: {:+.2} bits, probability {:.6}", explanation.weight, explanation.probability)?;
    let shown = |value: &Option<String>| one_line(value.as_deref().unwrap_or("(missing)"));
    let names: Vec<String> = explanation.fields.iter().map(|field| one_line(&field.name)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max("together".len());
    writeln!(out, "{:width$}     bits  points", "")?;
    for (field, name) in explanation.fields.iter().zip(&names) {
        let (left, right) = (shown(&field.left), shown(&field.right));
        writeln!(out, "{name:width$}  {:>+7.2}  {:>6}  {}: {left} | {right}", field.weight, field.points, field.level)?;
    }
    let mut line = |name: &str, weight: f64, why: &str| {
        writeln!(out, "{}", format!("{name:width$}  {weight:>+7.2}  {:>6}  {why}", "").trim_end())
    };
    line("prior", explanation.prior, "the odds of a random pair")?;
    if explanation.bounded != 0.0 {
        line("bounded", explanation.bounded, BOUNDED)?;
    }
    line("together", explanation.weight, "")?;
    writeln!(out, "{}", verdict(pair))?;
    for key in &pair.keys {
        writeln!(out, "  {}", shown_key(key))?;
    }
    writeln!(out, "{}", one_line(&shown_clusters(pair)))
}

/// The explanation of a pair of records, for programs.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Explained<'a> {
    /// The id of the first record.
    left_id: &'a str,
    /// The id of the second.
    right_id: &'a str,
    /// True if they are a match.
    matched: bool,
    /// The probability that they are one.
    probability: f64,
    /// The minimum probability of a match.
    threshold: f64,
    /// All evidence together, with the prior and its bounds.
    bits: f64,
    /// The bits of a random pair.
    prior: f64,
    /// The bits that were taken off or given back because fields do not speak independently.
    bounded: f64,
    /// Evidence of each column.
    fields: Vec<ExplainedField<'a>>,
    /// The keys that both have.
    keys: Vec<SharedKey<'a>>,
    /// The cluster of each.
    clusters: [u64; 2],
}

/// Evidence of a column about two records.
#[derive(Serialize, JsonSchema)]
struct ExplainedField<'a> {
    /// The column.
    name: &'a str,
    /// Kind of its values.
    kind: String,
    /// The value of the first record.
    left: Option<&'a str>,
    /// The value of the second.
    right: Option<&'a str>,
    /// Similarity of the values, in words.
    level: &'a str,
    /// Points, up to 100.
    points: u8,
    /// Bits that it adds.
    bits: f64,
}

/// A key that both records have.
#[derive(Serialize, JsonSchema)]
struct SharedKey<'a> {
    /// The kind.
    kind: &'a str,
    /// The columns that it is built from.
    columns: &'a [String],
    /// Number of records that have it.
    record_count: usize,
    /// True if the records were compared because of it.
    compared: bool,
}

impl<'a> Explained<'a> {
    pub(crate) fn new([left_id, right_id]: &'a [String; 2], pair: &'a PairExplanation) -> Self {
        let PairExplanation { fields: said, threshold, is_match, keys, clusters, .. } = pair;
        let field = |field: &'a FieldExplanation| ExplainedField {
            name: &field.name,
            kind: field.kind.to_string(),
            left: field.left.as_deref(),
            right: field.right.as_deref(),
            level: field.level,
            points: field.points,
            bits: field.weight,
        };
        let key = |key: &'a KeyExplanation| SharedKey {
            kind: key.kind,
            columns: &key.columns,
            record_count: key.records,
            compared: key.outcome != Outcome::TooMany,
        };
        Self {
            left_id,
            right_id,
            matched: *is_match,
            probability: said.probability,
            threshold: *threshold,
            bits: said.weight,
            prior: said.prior,
            bounded: said.bounded,
            fields: said.fields.iter().map(field).collect(),
            keys: keys.iter().map(key).collect(),
            clusters: match clusters {
                ClusterExplanation::Together { cluster, .. } => [*cluster; 2],
                ClusterExplanation::Apart { clusters, .. } => *clusters,
            },
        }
    }
}

/// States whether the records are a match, and how they came to be compared.
fn verdict(pair: &PairExplanation) -> String {
    let threshold = pair.threshold;
    let decision = if pair.is_match {
        format!("a match: the threshold is a probability of {threshold:.3}")
    } else if pair.fields.probability < threshold {
        format!("not a match: the threshold is a probability of {threshold:.3}")
    } else if pair.compared == Compared::Yes {
        "not a match: one of the two has a better one".to_owned()
    } else {
        "not a match: the two were not compared".to_owned()
    };
    let compared = match pair.compared {
        Compared::Yes => "brought together by",
        Compared::NoKey => "no key brought them together: they share none",
        Compared::TooMany => "no key brought them together: too many records have those that they share (see --effort)",
        Compared::OneField => "left out because they share keys of one column only (see --effort)",
        Compared::SameTable => "both are of one table, and matches are looked for between two (see --within)",
    };
    format!("{decision}\n{compared}")
}

fn shown_key(key: &KeyExplanation) -> String {
    let came = match key.outcome {
        Outcome::Compared => "all of them compared",
        Outcome::ComparedBySplit => "split by a key of another column, which both have",
        Outcome::TooMany => "too many, and no key of another column in common",
    };
    let columns = one_line(&key.columns.join(" and "));
    format!("{} {columns}: {} with this key, {came}", key.kind, numbers::of(key.records as u64, "record"))
}

fn shown_clusters(pair: &PairExplanation) -> String {
    match &pair.clusters {
        ClusterExplanation::Together { cluster, records } => {
            let through = if pair.is_match { "" } else { ", through other records" };
            format!("in one cluster, {cluster}, of {}{through}", numbers::of(*records as u64, "record"))
        }
        ClusterExplanation::Apart { clusters: [left, right], records, mean, needed, least } => {
            let [of_left, of_right] = records.map(|count| numbers::of(count as u64, "record"));
            let apart = format!("in two clusters, {left} ({of_left}) and {right} ({of_right})");
            if !pair.is_match {
                return apart;
            }
            let (a, b, said) = least;
            let why = if mean < needed {
                format!("these agree by {mean:+.2} bits on average and need {needed:+.2}")
            } else {
                format!(
                    "when the match was looked at they did not agree enough (now {mean:+.2} bits, needed {needed:+.2})"
                )
            };
            format!("{apart}: {why}; {a} and {b} agree least, {said:+.2}")
        }
    }
}
