//! The report of a run: the most repeated passages, and documents with their passages in place.

use lookalike_page::{Budget, Cell, Column, Html, Page, Section, Table, clipped, html, marked, name, number};

use super::gather::{Gathered, ShownDocument};
use super::summary::PassagesSummary;

/// Maximum size of the sections of sources and of documents.
const SOURCE_BYTES: usize = 250_000;
const DOCUMENT_BYTES: usize = 1_000_000;

/// Maximum number of characters shown between passages, and of a passage.
const BETWEEN: usize = 300;
const PASSAGE: usize = 600;

/// Maximum number of characters of a quote in a table.
const QUOTE: usize = 160;

/// The whole page.
pub(super) fn page(summary: &PassagesSummary, gathered: Gathered) -> String {
    let sections = vec![
        Section::new("repeated", "What repeats most", most_repeated(summary)),
        Section::new("documents", "Documents that lose most", documents(gathered)),
        Section::new("sources", "Sources", sources(summary)),
        Section::new("run", "Stages", stages(summary)),
    ];
    Page { title: "Repeated passages".to_owned(), lead: lead(summary), sections }.render()
}

fn lead(summary: &PassagesSummary) -> Html {
    let found = &summary.found;
    let said = format!(
        "{} of {} have {} that other documents have too ({}): {} of text, {}. {} kept.",
        number::count(found.document_count),
        number::of(summary.input.document_count, "document"),
        number::of(found.passage_count, "passage"),
        summary.unit,
        number::bytes(found.cut_bytes),
        number::share(found.share),
        if summary.keep == crate::options::KeepCopy::First { "The first copy is" } else { "No copy is" },
    );
    let husks = if found.husk_count == 0 {
        Html::default()
    } else {
        html!(
            "<section class=\"eye\" aria-labelledby=\"eye-h\"><h2 id=\"eye-h\">What needs attention</h2>\n<ul><li>{}</li></ul></section>\n",
            format!(
                "Without its passages, {} fewer than {} words: see husks.jsonl.",
                if found.husk_count == 1 {
                    "1 document has".to_owned()
                } else {
                    format!("{} documents have", number::count(found.husk_count))
                },
                summary.husk
            )
        )
    };
    html!("<h1>Repeated passages</h1>\n<p class=\"lead\">{}</p>\n{}", said, husks)
}

fn most_repeated(summary: &PassagesSummary) -> Html {
    if summary.most_repeated.is_empty() {
        return html!("<p>{}</p>", "No passage was found in several documents.");
    }
    let columns = vec![
        Column::text("passage"),
        Column::number("documents"),
        Column::number("bytes of copies"),
        Column::text("first in"),
        Column::number("at byte"),
    ];
    let mut table = Table { is_filtered: true, ..Table::new("Passages by the bytes of their copies", columns) };
    let row = |repeated: &super::summary::MostRepeated| {
        vec![
            Cell::text(&clipped(&on_one_line(&repeated.quote), QUOTE)),
            Cell::count(repeated.copies),
            Cell::number(&number::bytes(repeated.cut_bytes), repeated.cut_bytes as f64),
            Cell::text(&name(&repeated.first_document_id)),
            Cell::count(repeated.first_start),
        ]
    };
    table.rows = summary.most_repeated.iter().map(row).collect();
    table.render()
}

/// A quotation without its line breaks, for a cell of a table.
fn on_one_line(quote: &str) -> String {
    quote.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Documents with their passages marked, those that lose most first.
fn documents(gathered: Gathered) -> Html {
    let mut section = html!(
        "<p class=\"legend\">{} <mark class=\"p1\">{}</mark>. {}</p>\n",
        "What other documents have too is",
        "underlined",
        "Long stretches are shortened."
    );
    let mut room = Budget::new(DOCUMENT_BYTES);
    for document in gathered.shown.into_values().rev() {
        let shown = document_in_place(&document);
        if room.take(&shown) {
            section.push(&shown);
        }
    }
    section
}

fn document_in_place(document: &ShownDocument) -> Html {
    let ShownDocument { id, text, passages } = document;
    let mut body = Html::default();
    let mut end = 0;
    for passage in passages {
        let (start, passage_end) = (passage.start as usize, passage.end as usize);
        body.push(&html!("{}", shortened(&text[end..start], BETWEEN)));
        body.push(&html!(
            "<mark class=\"p1\" title=\"{}\">{}</mark>",
            format!(
                "first in {}, at byte {}; in {}",
                name(&passage.first_document_id),
                passage.first_start,
                number::of(passage.copies, "document")
            ),
            shortened(&text[start..passage_end], PASSAGE)
        ));
        end = passage_end;
    }
    body.push(&html!("{}", shortened(&text[end..], BETWEEN)));
    let count = number::of(passages.len() as u64, "passage");
    html!(
        "<details class=\"group\" open><summary>{} <small>{}</small></summary><div class=\"text\" dir=\"auto\">{}</div></details>\n",
        name(id),
        count,
        body
    )
}

/// A text with its middle left out if it is long.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() { marked(text) } else { clipped(text, most) }
}

fn sources(summary: &PassagesSummary) -> Html {
    let numbers = ["documents", "passages", "bytes of text", "share repeated"].map(Column::number);
    let columns = [Column::text("source")].into_iter().chain(numbers).collect();
    let table = Table { is_filtered: true, ..Table::new("Sources", columns) };
    let (mut rows, mut room) = (Html::default(), Budget::new(SOURCE_BYTES));
    for source in &summary.sources {
        let row = table.row(&[
            Cell::text(&name(&source.source)),
            Cell::count(source.document_count),
            Cell::count(source.passage_count),
            Cell::number(&number::bytes(source.text_bytes), source.text_bytes as f64),
            Cell::share(source.share),
        ]);
        if !room.take(&row) {
            break;
        }
        rows.push(&row);
    }
    table.around(&rows)
}

fn stages(summary: &PassagesSummary) -> Html {
    let mut table = Table::new("Stages", vec![Column::text("stage"), Column::number("seconds")]);
    let row = |stage: &crate::report::summary::Stage| {
        vec![Cell::text(&stage.name), Cell::number(&number::seconds(stage.seconds), stage.seconds)]
    };
    table.rows = summary.stages.iter().map(row).collect();
    table.render()
}
