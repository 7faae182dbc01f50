//! The part of the page about known answers: counts, other thresholds, calibration, and the pairs that are wrong or
//! missed.

use lookalike_core::link::weigh::log_odds;
use lookalike_page::chart::{Line, Lines};
use lookalike_page::{Cell, Column, Html, Table, html, number};

use super::super::labels::{Accuracy, CalibrationBand, LabelsReport, LearnedReport, ThresholdReport};

/// Probabilities that are marked on the axis of thresholds.
const TICKS: [f64; 7] = [0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999];

/// Accuracy of the result by a known answer.
pub(super) fn accuracy(labels: &LabelsReport, threshold: f64) -> Html {
    let mut shown = counts(labels);
    labels.learned.iter().for_each(|learned| shown.push(&html!("<p>{}</p>\n", learned_from(learned))));
    if !labels.thresholds.is_empty() {
        shown.push(&by_threshold(&labels.thresholds, threshold).draw().figure());
    }
    if !labels.calibration.is_empty() {
        shown.push(&html!(
            "<h3>Stated and true probabilities</h3>\n<p>Where the program is calibrated, the share that is right is the stated one. An interval holds it with 95 %.</p>\n{}",
            calibration(&labels.calibration).render()
        ));
    }
    shown
}

fn counts(labels: &LabelsReport) -> Html {
    let columns = ["right", "wrong", "missed", "precision", "recall", "F1"].map(Column::number);
    let mut table = Table::new("Accuracy", [Column::text("of")].into_iter().chain(columns).collect());
    let share = |share: Option<f64>| {
        share.map_or_else(|| Cell::text("–"), |share| Cell::number(&number::similarity(share), share))
    };
    let row = |what: &str, of: &Accuracy| {
        let counts = [of.right_count, of.wrong_count, of.missed_count].map(Cell::count);
        let shares = [of.precision, of.recall, of.f1].map(share);
        [Cell::text(what)].into_iter().chain(counts).chain(shares).collect()
    };
    let what = if labels.learned.is_some() { "labeled pairs" } else { "matches" };
    table.rows = vec![row(what, &labels.matches)];
    table.rows.extend(labels.clusters.iter().map(|clusters| row("pairs in one cluster", clusters)));
    let missed: Html = labels
        .missed
        .iter()
        .map(|(reason, count)| html!("<li>{} missed: {}</li>", number::count(*count), reason))
        .collect();
    html!("{}<ul>{}</ul>", table.render(), missed)
}

/// Describes in words what was learned from labels.
fn learned_from(learned: &LearnedReport) -> String {
    let count = learned.same_count + learned.different_count;
    let before = format!(
        "Of {} ({} the same, {} different), the weights without them get {} right",
        number::of(count, "label"),
        learned.same_count,
        learned.different_count,
        learned.right_before_count
    );
    match learned.right_count {
        Some(right) if learned.used => {
            format!(
                "{before}, and weights that were learned from the others {right}. The weights are learned from all."
            )
        }
        Some(right) => format!(
            "{before}, and weights that were learned from the others {right}. These fit no better, so the weights are those of the data."
        ),
        None => format!("{before}. They are too few to learn from."),
    }
}

/// Precision, recall and F1 by threshold.
fn by_threshold(thresholds: &[ThresholdReport], threshold: f64) -> Lines {
    let (low, high) = (log_odds(thresholds[0].threshold), log_odds(thresholds[thresholds.len() - 1].threshold));
    let place = |probability: f64| ((log_odds(probability) - low) / (high - low)).clamp(0.0, 1.0);
    let line = |name: &str, of: fn(&Accuracy) -> Option<f64>| Line {
        name: name.to_owned(),
        points: thresholds.iter().filter_map(|at| Some((place(at.threshold), of(&at.accuracy)?))).collect(),
    };
    let columns = ["matches", "precision", "recall", "F1"].map(Column::number);
    let mut table =
        Table::new("Accuracy by threshold", [Column::number("threshold")].into_iter().chain(columns).collect());
    let share = |share: Option<f64>| {
        share.map_or_else(|| Cell::text("–"), |share| Cell::number(&number::similarity(share), share))
    };
    let row = |ThresholdReport { threshold, accuracy: of }: &ThresholdReport| {
        let found = of.right_count + of.wrong_count;
        let shares = [of.precision, of.recall, of.f1].map(share);
        [Cell::number(&format!("{threshold:.5}"), *threshold), Cell::count(found)].into_iter().chain(shares).collect()
    };
    table.rows = thresholds.iter().map(row).collect();
    Lines {
        id: "by-threshold".to_owned(),
        title: "Precision and recall by threshold".to_owned(),
        description: format!(
            "What each threshold would lead to, by the known answer; the axis has equal distances for equal odds. This run took {threshold:.3}."
        ),
        lines: vec![line("precision", |of| of.precision), line("recall", |of| of.recall), line("F1", |of| of.f1)],
        axis: "minimum probability of a match".to_owned(),
        ticks: TICKS.iter().map(|probability| (place(*probability), probability.to_string())).collect(),
        mark: Some((place(threshold), format!("threshold {threshold:.3}"))),
        numbers: table,
    }
}

fn calibration(bands: &[CalibrationBand]) -> Table {
    let columns = ["pairs", "stated", "right", "at least", "at most"].map(Column::number);
    let mut table =
        Table::new("Calibration by band", [Column::text("probability")].into_iter().chain(columns).collect());
    let row = |band: &CalibrationBand| {
        let shares = [band.stated, band.right, band.low, band.high].map(Cell::share);
        [Cell::text(&format!("{} to {}", band.from, band.to)), Cell::count(band.pair_count)]
            .into_iter()
            .chain(shares)
            .collect()
    };
    table.rows = bands.iter().map(row).collect();
    table
}
