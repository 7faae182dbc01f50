//! Results of `evaluate`.

use lookalike::{Evaluation, MethodEvaluation};
use lookalike_page::chart::{Bar, Bars};
use lookalike_page::{Cell, Column, Html, Page, Section, Table, html, name, number};

/// Draws a page that compares methods.
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
                Cell::count(score.found_count),
                Cell::count(score.right_count),
                Cell::count(score.missed_count),
                share(score.recall),
                share(score.precision),
                share(score.f1),
                method.candidate_count.map_or_else(|| Cell::text("–"), Cell::count),
                Cell::number(&format!("{:.2}", method.seconds), method.seconds),
                Cell::count(method.sketch_bytes as u64),
                method
                    .peak_memory_bytes
                    .map_or_else(|| Cell::text("–"), |bytes| Cell::number(&number::bytes(bytes), bytes as f64)),
            ]
        })
        .collect();
    let mut true_pairs = Table::new(
        "True pairs",
        vec![Column::text("shingle"), Column::number("threshold"), Column::number("pairs"), Column::text("by")],
    );
    true_pairs.rows = evaluation
        .true_pairs
        .iter()
        .map(|true_pairs| {
            vec![
                Cell::text(&name(&true_pairs.shingle)),
                Cell::number(&true_pairs.threshold.to_string(), true_pairs.threshold),
                Cell::count(true_pairs.pair_count),
                Cell::text(&name(&true_pairs.by)),
            ]
        })
        .collect();
    let mut sections = vec![
        Section::new(
            "methods",
            "Methods",
            html!("{}{}", bars(evaluation, "missed", |method| method.score.missed_count), table.render()),
        ),
        Section::new("true-pairs", "What there is to find", true_pairs.render()),
    ];
    if !evaluation.super_shingles.is_empty() {
        sections.push(Section::new("agreement", "Pairs by equal super-shingles", agreement(evaluation)));
    }
    let best = evaluation.methods.iter().max_by(|left, right| left.score.f1.total_cmp(&right.score.f1));
    let best = best.map_or(String::new(), |best| format!(" {} has the best F1, {:.4}.", best.name, best.score.f1));
    let lead = format!(
        "{} on {} distinct texts.{best}",
        number::of(evaluation.methods.len() as u64, "scheme"),
        number::count(evaluation.text_count)
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
                Cell::count(agreement.equal_count as u64),
                Cell::count(agreement.pair_count),
                Cell::number(&number::similarity(agreement.mean_similarity), agreement.mean_similarity),
                Cell::share(agreement.near_duplicate_share),
            ]
        })
        .collect();
    table.render()
}
