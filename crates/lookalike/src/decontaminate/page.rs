//! The results as a page: each test set, its items with the passages in place, and common text.

use std::collections::BTreeMap;

use lookalike_page::{Budget, Cell, Column, Html, Page, Section, Table, html, name, number};

use super::decide::Decided;
use super::rows::because;
use super::search::{Hit, Searched};
use super::{DecontaminateSummary, Tests};
use crate::options::{DecontaminateOptions, ReportTexts};

const TITLE: &str = "Test items in the corpus";

/// Maximum number of items shown with their passages, of passages for each, and of bytes for all of them.
const ITEMS: usize = 200;
const PASSAGES: usize = 3;
const PASSAGE_BYTES: usize = 1_500_000;

/// Maximum number of items shown with common passages.
const COMMON: usize = 50;

/// Maximum bytes of a question to show.
const QUESTION: usize = 600;

/// The page of a run.
pub(super) fn page(
    summary: &DecontaminateSummary,
    tests: &Tests,
    searched: &Searched,
    decided: &Decided,
    options: &DecontaminateOptions,
) -> String {
    let mut shown = Shown {
        tests,
        searched,
        decided,
        options,
        budget: Budget::new(PASSAGE_BYTES),
        texts: options.report.unwrap_or_default(),
    };
    let mut sections = vec![
        Section::new("sets", "Test sets", sets(summary)),
        Section::new("items", "Contaminated items", shown.items(summary)),
        Section::new("common", "Common text, which does not count", html!("{}{}", templates(summary), shown.common())),
    ];
    if summary.skipped_count() > 0 {
        sections.push(Section::new("skipped", "What was skipped", skipped(summary)));
    }
    sections.push(Section::new("run", "Parameters and stages", html!("{}{}", parameters(summary), stages(summary))));
    Page { title: TITLE.to_owned(), lead: lead(summary), sections }.render()
}

fn lead(summary: &DecontaminateSummary) -> Html {
    let items: u64 = summary.sets.iter().map(|set| set.item_count).sum();
    let contaminated: u64 = summary.sets.iter().map(|set| set.contaminated_count).sum();
    let answered: u64 = summary.sets.iter().map(|set| set.answered_count).sum();
    let found = format!(
        "{} of {} in {} of {}.",
        number::count(contaminated),
        number::of(items, "test item"),
        number::count(summary.contaminated_document_count),
        number::of(summary.corpus.document_count, "document"),
    );
    let fact = |label: &str, value: u64, note: &str| {
        html!("<div><dt>{}</dt><dd>{}<small>{}</small></dd></div>\n", label, number::count(value), note)
    };
    let facts = [
        fact("contaminated items", contaminated, &format!("of {}", number::count(items))),
        fact("with the answer", answered, "near the question"),
        fact("documents with items", summary.contaminated_document_count, ""),
        fact("passages", summary.hit_count, ""),
        fact("common passages", summary.common_hit_count, "which accuse nobody"),
    ];
    let facts: Html = facts.into_iter().collect();
    let limit = match (summary.over_limit, summary.fail_if_contaminated) {
        (true, Some(limit)) => html!(
            "<section class=\"eye\" aria-labelledby=\"eye-h\"><h2 id=\"eye-h\">What needs attention</h2>\n<p>{}</p></section>\n",
            format!("A test set has {} or more of its items in the corpus: the run failed.", number::share(limit))
        ),
        _ => Html::default(),
    };
    html!("<h1>{}</h1><p class=\"lead\">{}</p>\n<dl class=\"facts\">{}</dl>\n{}", TITLE, found, facts, limit)
}

fn sets(summary: &DecontaminateSummary) -> Html {
    let columns = vec![
        Column::text("test set"),
        Column::number("items"),
        Column::number("contaminated"),
        Column::number("share"),
        Column::number("with the answer"),
        Column::number("documents"),
        Column::number("only common text"),
        Column::number("widespread"),
        Column::number("too short"),
    ];
    let mut table = Table::new("Test sets", columns);
    table.rows = summary
        .sets
        .iter()
        .map(|set| {
            vec![
                Cell::text(&name(&set.set)),
                Cell::count(set.item_count),
                Cell::count(set.contaminated_count),
                Cell::share(set.share),
                Cell::count(set.answered_count),
                Cell::count(set.document_count),
                Cell::count(set.common_count),
                Cell::count(set.widespread_count),
                Cell::count(set.short_count + set.only_common_count),
            ]
        })
        .collect();
    html!(
        "<p>{}</p>{}",
        "An item is contaminated if a document has it; items that are too short or have nothing of their own were not searched for. \
         A widespread item is in too many documents to count against any of them.",
        table.render()
    )
}

fn templates(summary: &DecontaminateSummary) -> Html {
    if summary.common_passages.is_empty() {
        return Html::default();
    }
    let columns = vec![Column::text("passage of many items"), Column::number("items"), Column::number("documents")];
    let mut table = Table::new("Passages that many items share", columns);
    let row = |passage: &super::CommonPassage| {
        vec![Cell::text(&passage.text), Cell::count(passage.item_count), Cell::count(passage.document_count)]
    };
    table.rows = summary.common_passages.iter().map(row).collect();
    table.render()
}

fn skipped(summary: &DecontaminateSummary) -> Html {
    let mut table = Table::new("The first of them", vec![Column::text("place"), Column::text("reason")]);
    let row = |entry: &crate::report::summary::SkippedEntry| {
        let place = format!("{}, {} {}", entry.file, entry.entry, entry.position);
        vec![Cell::text(&name(&place)), Cell::text(&name(entry.reason.text()))]
    };
    table.rows = summary.skipped.iter().take(100).map(row).collect();
    table.render()
}

fn parameters(summary: &DecontaminateSummary) -> Html {
    let mut table = Table::new("Parameters", vec![Column::text("parameter"), Column::text("value")]);
    let mut say = |name: &str, value: &str| table.rows.push(vec![Cell::text(name), Cell::text(value)]);
    say("version", &summary.lookalike);
    if !summary.command.is_empty() {
        say("command", &summary.command.join(" "));
    }
    say("fields", &summary.fields.join(", "));
    say("words in a row", &summary.ngram.to_string());
    say("coverage of a question", &summary.coverage.to_string());
    say("share of a file that makes a passage common", &summary.common_share.to_string());
    say("action", summary.action.into());
    table.render()
}

fn stages(summary: &DecontaminateSummary) -> Html {
    let mut table = Table::new("Stages", vec![Column::text("stage"), Column::number("seconds")]);
    let row = |stage: &crate::report::summary::Stage| {
        vec![Cell::text(&stage.name), Cell::number(&format!("{:.3}", stage.seconds), stage.seconds)]
    };
    table.rows = summary.stages.iter().map(row).collect();
    table.render()
}

/// The data of the passages to show, and the remaining bytes for them.
struct Shown<'a> {
    tests: &'a Tests,
    searched: &'a Searched,
    decided: &'a Decided,
    options: &'a DecontaminateOptions,
    budget: Budget,
    texts: ReportTexts,
}

impl Shown<'_> {
    /// Contaminated items, each with some of its passages.
    fn items(&mut self, summary: &DecontaminateSummary) -> Html {
        let by_item = self.passages(false);
        let mut all = Html::default();
        let mut count = 0;
        for (item, hits) in by_item.iter().take(ITEMS) {
            let group = self.item(*item, hits);
            if !self.budget.take(&group) {
                break;
            }
            all.push(&group);
            count += 1;
        }
        let contaminated: u64 = summary.sets.iter().map(|set| set.contaminated_count).sum();
        let intro = match contaminated {
            0 => "No document has a test item.".to_owned(),
            all if all == count => "Click an item to see where it is.".to_owned(),
            all => format!("The first {} of {}; hits.jsonl has them all.", number::count(count), number::count(all)),
        };
        html!("<p>{}</p>{}", intro, all)
    }

    /// Items with common text in documents.
    fn common(&mut self) -> Html {
        let by_item = self.passages(true);
        let mut all = Html::default();
        for (item, hits) in by_item.iter().take(COMMON) {
            let group = self.item(*item, hits);
            if !self.budget.take(&group) {
                break;
            }
            all.push(&group);
        }
        all
    }

    /// The hits of each item that are common, or are not.
    fn passages(&self, common: bool) -> BTreeMap<u32, Vec<usize>> {
        let wanted = |item: &u32| -> Vec<usize> {
            self.decided.hits_of(*item).filter(|(_, is_common)| *is_common == common).map(|(hit, _)| hit).collect()
        };
        let items = self.decided.by_item.keys().map(|item| (*item, wanted(item)));
        items.filter(|(_, hits)| !hits.is_empty()).collect()
    }

    fn item(&self, item: u32, hits: &[usize]) -> Html {
        let facts = &self.tests.items[item as usize];
        let question = &facts.question[..facts.question.floor_char_boundary(QUESTION)];
        let question = match self.texts {
            ReportTexts::None => Html::default(),
            _ => html!("<p class=\"who\">The item</p><div class=\"text\" dir=\"auto\">{}</div>", question),
        };
        let passages: Html = hits.iter().take(PASSAGES).map(|hit| self.passage(*hit)).collect();
        let more = match hits.len().saturating_sub(PASSAGES) as u64 {
            0 => Html::default(),
            more => html!("<p class=\"soft\">{}</p>", format!("and {}", number::of(more, "more passage"))),
        };
        html!(
            "<details class=\"group\"><summary>{} <small>{}, {}</small></summary><div>{}{}{}</div></details>\n",
            name(&facts.id),
            name(&self.tests.sets[facts.set as usize]),
            number::of(hits.len() as u64, "passage"),
            question,
            passages,
            more
        )
    }

    fn passage(&self, number: usize) -> Html {
        let hit = &self.searched.hits[number];
        let document = &self.searched.documents[hit.document as usize];
        let fields = self.options.fields.iter().zip(&hit.found.fields).filter(|(_, is_found)| **is_found);
        let fields: Vec<&str> = fields.map(|(name, _)| name.as_str()).collect();
        let common =
            self.decided.common[number].map_or(String::new(), |reason| format!(", common: {}", because(reason)));
        let answer = match hit.found.answer_near {
            Some(true) => ", answer near the question",
            Some(false) | None => "",
        };
        let facts = format!(
            "bytes {} to {}, {} of the question, fields found: {}{answer}{common}",
            number::count(hit.found.bytes.start as u64),
            number::count(hit.found.bytes.end as u64),
            number::share(hit.found.coverage),
            if fields.is_empty() { "none in whole".to_owned() } else { fields.join(", ") },
        );
        html!(
            "<article class=\"pair\"><h3>{}</h3><p class=\"place\">{}</p>{}</article>\n",
            name(&document.id),
            facts,
            self.text(hit)
        )
    }

    fn text(&self, hit: &Hit) -> Html {
        let quote = &hit.quote;
        let clipped = quote.text.len() < hit.found.bytes.len();
        match self.texts {
            ReportTexts::None => Html::default(),
            ReportTexts::Excerpt | ReportTexts::Full => html!(
                "<div class=\"text\" dir=\"auto\">{}<mark class=\"p0\">{}{}</mark>{}</div>",
                &*quote.before,
                &*quote.text,
                if clipped { " …" } else { "" },
                if clipped { "" } else { &*quote.after }
            ),
        }
    }
}
