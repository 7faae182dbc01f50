//! Results of `sets`.

use lookalike::{SIMILARITY_STEPS, SetsOptions, SetsReport};
use lookalike_page::chart::{Bar, Bars};
use lookalike_page::{Cell, Column, Html, Page, Section, Table, html, name, number};

/// Draws the page of a join: pairs by similarity, the parameters, and the time.
pub(crate) fn sets(report: &SetsReport, options: &SetsOptions) -> Page {
    let mut sections = vec![
        Section::new("pairs", "Pairs by similarity", pairs(report, options)),
        Section::new("run", "Parameters and stages", html!("{}{}", parameters(report, options), stages(report))),
    ];
    if report.skipped_count > 0 {
        sections.insert(1, Section::new("skipped", "Rows that were skipped", skipped(report)));
    }
    let against = report.reference_count.map_or(String::new(), |count| format!(" and {}", number::of(count, "set")));
    let found =
        format!("{} among {}{against}.", number::of(report.pair_count, "pair"), number::of(report.set_count, "set"));
    let empty = match report.empty_count {
        0 => String::new(),
        count => format!("{} without elements, which match nothing.", number::of(count, "set")),
    };
    let lead = html!("<h1>Similar sets</h1><p class=\"lead\">{}</p><p>{}</p>", found, empty);
    Page { title: "Similar sets".to_owned(), lead, sections }
}

fn pairs(report: &SetsReport, options: &SetsOptions) -> Html {
    let threshold = options.finding().threshold().map_or(0.0, lookalike::core::measure::similarity::Threshold::value);
    let (equal, steps) = report.by_similarity.split_last().expect("there are steps");
    // Pairs below the threshold were not searched for.
    let first = ((threshold * SIMILARITY_STEPS as f64 + 1e-9) as usize).min(SIMILARITY_STEPS - 1);
    let bar = |(at, count): (usize, &u64)| Bar {
        label: format!("{:.2}", at as f64 / SIMILARITY_STEPS as f64),
        count: *count,
        opens: None,
    };
    let bars = Bars {
        id: "by-similarity".to_owned(),
        title: format!("Pairs by {}", options.measure().word()),
        description: format!(
            "Each bar is a step of 0.05, named by its lower end; sets with a similarity of 1 stand apart.{}",
            if options.top().is_some() {
                " A pair is counted for each of its sets that has it among its nearest."
            } else {
                ""
            }
        ),
        counted: "pairs".to_owned(),
        axis: options.measure().word().to_owned(),
        bars: steps.iter().enumerate().skip(first).map(bar).collect(),
        apart: vec![Bar { label: "1".to_owned(), count: *equal, opens: None }],
    };
    bars.draw().figure()
}

fn parameters(report: &SetsReport, options: &SetsOptions) -> Html {
    let mut table = Table::new("Parameters", vec![Column::text("parameter"), Column::text("value")]);
    let paths = |paths: &[std::path::PathBuf]| {
        paths.iter().take(20).map(|path| name(&path.to_string_lossy())).collect::<Vec<_>>().join(", ")
    };
    let mut say = |name: &str, value: String| table.rows.push(vec![Cell::text(name), Cell::text(&value)]);
    say("input", paths(options.inputs()));
    if report.reference_count.is_some() {
        say("compared with", paths(options.against()));
    }
    say("measure", options.measure().word().to_owned());
    if let Some(threshold) = options.finding().threshold() {
        say("threshold", threshold.value().to_string());
    }
    if let Some(top) = options.top() {
        say("nearest of each set", top.to_string());
    }
    if options.is_by_rarity() {
        say("weights", "by rarity".to_owned());
    }
    table.render()
}

fn stages(report: &SetsReport) -> Html {
    let mut table = Table::new("Stages", vec![Column::text("stage"), Column::number("seconds")]);
    let row = |stage: &lookalike::Stage| {
        vec![Cell::text(&stage.name), Cell::number(&format!("{:.3}", stage.seconds), stage.seconds)]
    };
    table.rows = report.stages.iter().map(row).collect();
    table.render()
}

fn skipped(report: &SetsReport) -> Html {
    let mut table = Table::new("The first of them", vec![Column::text("place"), Column::text("reason")]);
    let row = |entry: &lookalike::SkippedEntry| {
        let place = format!("{}, {} {}", entry.file, entry.entry, entry.position);
        vec![Cell::text(&name(&place)), Cell::text(&name(entry.reason.text()))]
    };
    table.rows = report.skipped.iter().map(row).collect();
    html!("<p>{}</p>{}", format!("{} in all.", number::of(report.skipped_count, "row")), table.render())
}
