//! What `tune` and `evaluate` found, as pages for a browser.

use std::path::Path;

use anyhow::{Context, Result};
use lookalike::io::write::OutputFile;
use lookalike::{Estimate, Evaluation, MethodEvaluation, PairStep, Point, Sampled, Tuning};
use lookalike_page::chart::{Bar, Bars, Curve, Step};
use lookalike_page::{Cell, Column, Html, Page, Section, Table, chart, html, name, number};

use crate::stop;

/// Writes a page to a file.
pub(crate) fn write(page: &Page, path: &Path, force: bool) -> Result<()> {
    let mut file = OutputFile::new(path, force, stop::unfinished())?;
    file.writer().write_all(page.render().as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(file.commit()?)
}

/// What a banding finds, and what the corpus has.
pub(crate) fn tune(tuning: &Tuning, curve: &[Point]) -> Page {
    let mut sections = vec![Section::new("recall", "What the method finds", s_curve(tuning, curve).draw().figure())];
    if let Some(sample) = &tuning.sample {
        sections.push(Section::new("pairs", "Pairs by similarity", pairs(sample)));
    }
    let mut parameters = Table::new("Parameters", vec![Column::text("parameter"), Column::text("value")]);
    let rows = [
        ("bands", tuning.bands.to_string()),
        ("rows of a band", tuning.rows.to_string()),
        ("bands that must agree", tuning.agree.to_string()),
        ("slots", tuning.slots.to_string()),
        ("bytes per document", tuning.sketch_bytes.to_string()),
        ("half of the pairs are found at", format!("{:.3}", tuning.half_found_at)),
    ];
    parameters.rows = rows.iter().map(|(name, value)| vec![Cell::text(name), Cell::text(value)]).collect();
    sections.push(Section::new("run", "Parameters", parameters.render()));
    let suggested = tuning.sample.as_ref().map_or_else(
        || format!("A pair at {} is found with a chance of {:.4}.", tuning.threshold, tuning.recall_at_threshold),
        |sample| {
            format!(
                "The suggested threshold is {}. A pair at {} is found with a chance of {:.4}.",
                sample.suggestion.threshold, tuning.threshold, tuning.recall_at_threshold
            )
        },
    );
    let reason = tuning.sample.as_ref().map_or(String::new(), |sample| sample.suggestion.reason.clone());
    let lead = html!("<h1>Choosing a threshold</h1><p class=\"lead\">{}</p><p>{}</p>", suggested, reason);
    Page { title: "Choosing a threshold".to_owned(), lead, sections }
}

fn s_curve(tuning: &Tuning, curve: &[Point]) -> Curve {
    Curve {
        id: "s-curve".to_owned(),
        title: format!("{} bands of {} rows", tuning.bands, tuning.rows),
        description: format!(
            "The chance that a pair is found, by its similarity: {:.4} at the threshold of {}.",
            tuning.recall_at_threshold, tuning.threshold
        ),
        points: curve.iter().map(|at| chart::Point { similarity: at.similarity, found: at.found }).collect(),
        threshold: tuning.threshold,
        recall: Some(tuning.recall_at_threshold),
        histogram: tuning.sample.as_ref().map_or_else(Vec::new, |sample| histogram(&sample.pairs)),
        counted: "pairs of the corpus, about".to_owned(),
    }
}

/// Pairs from one similarity up to the next.
fn histogram(steps: &[PairStep]) -> Vec<Step> {
    let mut steps: Vec<&PairStep> = steps.iter().collect();
    steps.sort_by(|left, right| left.similarity.total_cmp(&right.similarity));
    let above = steps.iter().skip(1).map(|step| (step.similarity, step.pairs.value)).chain([(1.0, 0.0)]);
    let step = |(step, (to, more)): (&&PairStep, (f64, f64))| Step {
        from: step.similarity.min(0.98),
        to: to.max(step.similarity.min(0.98) + 0.01),
        count: (step.pairs.value - more).max(0.0).round() as u64,
    };
    steps.iter().zip(above).map(step).collect()
}

fn pairs(sample: &Sampled) -> Html {
    let columns = ["pairs", "95 % interval", "removed, at most", "95 % interval of these"].map(Column::number);
    let columns = [Column::text("similarity of at least")].into_iter().chain(columns).collect();
    let mut table = Table::new("Pairs from a similarity on", columns);
    let count = |estimate: Estimate| Cell::count(estimate.value.round() as u64);
    let range = |estimate: Estimate| {
        let [low, high] = [estimate.low, estimate.high].map(|end| number::count(end.round() as u64));
        Cell::text(&format!("{low} to {high}"))
    };
    let none = || Cell::text("–");
    table.rows = sample
        .pairs
        .iter()
        .map(|step| {
            let [removed, removed_range] =
                step.removed.map_or_else(|| [none(), none()], |removed| [count(removed), range(removed)]);
            vec![
                Cell::text(&format!("{:.2}", step.similarity)),
                count(step.pairs),
                range(step.pairs),
                removed,
                removed_range,
            ]
        })
        .collect();
    let read = if sample.is_whole {
        format!("All {} were read.", number::of(sample.documents, "document"))
    } else {
        format!(
            "{} of about {} were read; intervals hold if the rest is like them.",
            number::count(sample.documents),
            number::of(sample.documents_of_corpus, "document")
        )
    };
    html!("<p>{}</p>{}", read, table.render())
}

/// Methods side by side.
pub(crate) fn evaluate(evaluation: &Evaluation) -> Page {
    let columns = [
        "threshold",
        "pairs",
        "right",
        "missed",
        "recall",
        "precision",
        "F1",
        "candidates",
        "seconds",
        "bytes per document",
        "peak memory",
    ]
    .map(Column::number);
    let columns = [Column::text("method"), Column::text("shingle")].into_iter().chain(columns).collect();
    let mut table = Table { is_filtered: true, ..Table::new("Methods", columns) };
    let share = |share: f64| Cell::number(&number::similarity(share), share);
    table.rows = evaluation
        .methods
        .iter()
        .map(|method| {
            let score = &method.score;
            vec![
                Cell::text(&name(&method.name)),
                Cell::text(&name(&method.shingle)),
                Cell::number(&method.threshold.to_string(), method.threshold),
                Cell::count(score.found),
                Cell::count(score.right),
                Cell::count(score.missed),
                share(score.recall),
                share(score.precision),
                share(score.f1),
                method.candidates.map_or_else(|| Cell::text("–"), Cell::count),
                Cell::number(&format!("{:.2}", method.seconds), method.seconds),
                Cell::count(method.sketch_bytes as u64),
                method
                    .peak_memory_bytes
                    .map_or_else(|| Cell::text("–"), |bytes| Cell::number(&number::bytes(bytes), bytes as f64)),
            ]
        })
        .collect();
    let mut truth = Table::new(
        "True pairs",
        vec![Column::text("shingle"), Column::number("threshold"), Column::number("pairs"), Column::text("by")],
    );
    truth.rows = evaluation
        .truth
        .iter()
        .map(|truth| {
            vec![
                Cell::text(&name(&truth.shingle)),
                Cell::number(&truth.threshold.to_string(), truth.threshold),
                Cell::count(truth.pairs),
                Cell::text(&name(&truth.by)),
            ]
        })
        .collect();
    let mut sections = vec![
        Section::new(
            "methods",
            "Methods",
            html!("{}{}", bars(evaluation, "missed", |method| method.score.missed), table.render()),
        ),
        Section::new("truth", "What there is to find", truth.render()),
    ];
    if !evaluation.super_shingles.is_empty() {
        sections.push(Section::new("agreement", "Pairs by equal super-shingles", agreement(evaluation)));
    }
    let best = evaluation.methods.iter().max_by(|left, right| left.score.f1.total_cmp(&right.score.f1));
    let best = best.map_or(String::new(), |best| format!(" {} has the best F1, {:.4}.", best.name, best.score.f1));
    let lead = format!(
        "{} on {} distinct texts.{best}",
        number::of(evaluation.methods.len() as u64, "scheme"),
        number::count(evaluation.texts)
    );
    let lead = html!("<h1>Methods side by side</h1><p class=\"lead\">{}</p>", lead);
    Page { title: "Methods side by side".to_owned(), lead, sections }
}

fn bars(evaluation: &Evaluation, counted: &str, count: impl Fn(&MethodEvaluation) -> u64) -> Html {
    let label = |(at, method): (usize, &MethodEvaluation)| Bar {
        label: (at + 1).to_string(),
        count: count(method),
        opens: None,
    };
    let names = evaluation
        .methods
        .iter()
        .zip(1..)
        .map(|(method, at)| format!("{at} {} {} {}", method.name, method.shingle, method.threshold));
    let bars = Bars {
        id: "missed".to_owned(),
        title: "True pairs that were missed".to_owned(),
        description: format!(
            "By scheme, in the order of the table: {}.",
            names.take(12).collect::<Vec<_>>().join(", ")
        ),
        counted: counted.to_owned(),
        axis: "scheme".to_owned(),
        bars: evaluation.methods.iter().take(20).enumerate().map(label).collect(),
        apart: Vec::new(),
    };
    bars.draw().figure()
}

fn agreement(evaluation: &Evaluation) -> Html {
    let columns = ["equal super-shingles", "pairs", "mean similarity", "near-duplicates"].map(Column::number).into();
    let mut table = Table::new("Pairs by equal super-shingles", columns);
    table.rows = evaluation
        .super_shingles
        .iter()
        .map(|agreement| {
            vec![
                Cell::count(agreement.equal as u64),
                Cell::count(agreement.pairs),
                Cell::number(&number::similarity(agreement.mean_similarity), agreement.mean_similarity),
                Cell::share(agreement.near_duplicates),
            ]
        })
        .collect();
    table.render()
}
