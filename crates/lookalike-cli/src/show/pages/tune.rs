//! Results of `tune`.

use lookalike::{Estimate, PairStep, Point, Sampled, Tuning};
use lookalike_page::chart::{Curve, Step};
use lookalike_page::{Cell, Column, Html, Page, Section, Table, chart, html, number};

/// Draws the page of a banding: the pairs that it finds, and those of the corpus.
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
    let above = steps.iter().skip(1).map(|step| (step.similarity, step.pair_count.value)).chain([(1.0, 0.0)]);
    let step = |(step, (to, more)): (&&PairStep, (f64, f64))| Step {
        from: step.similarity.min(0.98),
        to: to.max(step.similarity.min(0.98) + 0.01),
        count: (step.pair_count.value - more).max(0.0).round() as u64,
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
                step.removed_count.map_or_else(|| [none(), none()], |removed| [count(removed), range(removed)]);
            vec![
                Cell::text(&format!("{:.2}", step.similarity)),
                count(step.pair_count),
                range(step.pair_count),
                removed,
                removed_range,
            ]
        })
        .collect();
    let read = if sample.complete {
        format!("All {} were read.", number::of(sample.document_count, "document"))
    } else {
        format!(
            "{} of about {} were read; intervals hold if the rest is like them.",
            number::count(sample.document_count),
            number::of(sample.corpus_document_count, "document")
        )
    };
    html!("<p>{}</p>{}", read, table.render())
}
