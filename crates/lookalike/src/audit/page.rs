//! The result of an audit as part of a page: Henzinger's table, with the interval of each precision.

use std::io::ErrorKind;
use std::path::Path;

use lookalike_page::{Cell, Column, Html, Section, Table, html, name, number};

use crate::audit::{AUDIT, Answer, AuditResult, Disagreement, JudgedRow, Kappa};
use crate::error::{Error, Result};
use crate::options::ReportOptions;
use crate::progress::Progress;
use crate::report::page::{Reported, write_report};
use crate::statistics::Estimate;

/// Maximum number of disagreements to list.
const LISTED: usize = 50;

/// Writes the report on a finished run, with the result of its audit if there is one.
///
/// # Errors
///
/// [`Error::NotARun`] if the folder has no summary of `dedup` or no evidence; and if the file cannot be written.
pub fn report(options: &ReportOptions, progress: &dyn Progress) -> Result<Reported> {
    let of_audit = |audit: AuditResult| Section::new("audit", "Precision by labels", section(&audit));
    write_report(options, read(&options.folder)?.map(of_audit), progress)
}

/// The result of an audit in a folder; none if there was none.
fn read(folder: &Path) -> Result<Option<AuditResult>> {
    let path = folder.join(AUDIT);
    let not_a_run = |reason: String| Error::NotARun { path: folder.to_owned(), reason: format!("{AUDIT}: {reason}") };
    match std::fs::read(&path) {
        Ok(json) => serde_json::from_slice(&json).map(Some).map_err(|error| not_a_run(error.to_string())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(not_a_run(error.to_string())),
    }
}

/// The table, and conclusions.
pub(super) fn section(audit: &AuditResult) -> Html {
    let mut section = html!("<p>{}</p>\n", sentence(audit));
    let mut rows = audit.bands.clone();
    rows.push(audit.all.clone());
    section.push(&table("Removals by similarity", &rows));
    section.push(&html!("<h3>Same and other source</h3>\n{}", table("Removals by source", &audit.sources)));
    if !audit.super_shingles.is_empty() {
        section.push(&html!(
            "<h3>Equal super-shingles</h3>\n{}",
            table("Removals by equal super-shingles", &audit.super_shingles)
        ));
    }
    if let Some(misses) = &audit.near_misses {
        section.push(&html!(
            "<h3>Near misses</h3>\n<p>{}</p>\n{}",
            "Pairs of kept documents just below the threshold. If most of them are the same, the threshold could be lower.",
            table("Near misses", std::slice::from_ref(misses))
        ));
    }
    section.push(&labelers(audit));
    section
}

fn sentence(audit: &AuditResult) -> String {
    let labeled = number::of(audit.all.labeled_count, "labeled removal");
    let copies = match audit.exact_copy_count {
        0 => String::new(),
        count => format!(" Exact copies ({}) need no label, and are in no row.", number::count(count)),
    };
    let Some(precision) = &audit.all.precision else {
        return format!("No removal is labeled yet.{copies}");
    };
    let lost = match (audit.something_lost_count, audit.worse_kept_count) {
        (0, 0) => String::new(),
        (lost, worse) => format!(
            " In {} something is lost, and in {} the worse copy was kept.",
            number::of(lost, "removal"),
            number::count(worse)
        ),
    };
    let more = audit.label_count_to_halve.map_or_else(String::new, |labels| {
        format!(" An interval half as wide takes about {}.", number::of(labels, "more label"))
    });
    format!(
        "By {labeled}, {} wrong, the precision is {}, at 95 % confidence.{copies}{lost}{more}",
        number::count(audit.all.different_count),
        interval(precision.estimate)
    )
}

fn interval(estimate: Estimate) -> String {
    format!("{} ({} to {})", share(estimate.value), share(estimate.low), share(estimate.high))
}

/// Three digits, rounded so that a value below 1 is never shown as 1.
fn share(share: f64) -> String {
    let shown = format!("{share:.3}");
    if shown == "1.000" && share < 1.0 { "0.999".to_owned() } else { shown }
}

fn table(caption: &str, rows: &[JudgedRow]) -> Html {
    let mut table = Table::new(
        caption,
        vec![
            Column::text("pairs"),
            Column::number("removed"),
            Column::number("labeled"),
            Column::number("same"),
            Column::number("different"),
            Column::number("cannot tell"),
            Column::number("precision"),
            Column::number("95 % interval"),
            Column::number("if cannot tell is different … same"),
        ],
    );
    table.rows = rows.iter().map(row).collect();
    table.render()
}

fn row(row: &JudgedRow) -> Vec<Cell> {
    let none = || Cell::text("–");
    let mut cells = vec![
        Cell::text(&row.name),
        row.pair_count.map_or_else(none, Cell::count),
        Cell::count(row.labeled_count),
        Cell::count(row.same_count),
        Cell::count(row.different_count),
        Cell::count(row.cannot_tell_count),
    ];
    match &row.precision {
        None => cells.extend([none(), none(), none()]),
        Some(precision) => {
            let Estimate { value, low, high } = precision.estimate;
            let [least, most] = [precision.if_cannot_tell_is_different, precision.if_cannot_tell_is_same];
            cells.push(Cell::number(&share(value), value));
            cells.push(Cell::number(&format!("{} – {}", share(low), share(high)), low));
            cells.push(Cell::number(&format!("{} … {}", share(least.value), share(most.value)), least.value));
        }
    }
    cells
}

/// The agreement of several labelers, and their disagreements.
fn labelers(audit: &AuditResult) -> Html {
    if audit.agreement.is_empty() {
        return Html::default();
    }
    let mut table = Table::new(
        "Agreement",
        vec![
            Column::text("labelers"),
            Column::number("pairs of both"),
            Column::number("agreed"),
            Column::number("Cohen’s κ"),
        ],
    );
    let row = |kappa: &Kappa| {
        vec![
            Cell::text(&format!("{} and {}", name(&kappa.left), name(&kappa.right))),
            Cell::count(kappa.pair_count),
            Cell::count(kappa.agreed_count),
            kappa.kappa.map_or_else(|| Cell::text("–"), |kappa| Cell::number(&format!("{kappa:.3}"), kappa)),
        ]
    };
    table.rows = audit.agreement.iter().map(row).collect();
    let mut section = html!("<h3>Labelers</h3>\n{}", table.render());
    if !audit.disagreements.is_empty() {
        let mut list =
            Table::new("Disagreements", vec![Column::text("one"), Column::text("other"), Column::text("answers")]);
        let answer = |(who, answer): &(String, Answer)| format!("{}: {}", name(who), worded(*answer));
        let row = |pair: &Disagreement| {
            let answers: Vec<String> = pair.answers.iter().map(answer).collect();
            vec![Cell::text(&name(&pair.left_id)), Cell::text(&name(&pair.right_id)), Cell::text(&answers.join(", "))]
        };
        list.rows = audit.disagreements.iter().take(LISTED).map(row).collect();
        section.push(&html!(
            "<details class=\"numbers\"><summary>{}</summary>{}</details>\n",
            format!("{} of labelers", number::of(audit.disagreements.len() as u64, "disagreement")),
            list.render()
        ));
    }
    section
}

fn worded(answer: Answer) -> &'static str {
    match answer {
        Answer::Same => "same",
        Answer::Different => "different",
        Answer::CannotTell => "cannot tell",
    }
}
