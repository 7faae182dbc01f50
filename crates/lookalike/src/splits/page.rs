//! The report of `splits`: a table of all pairs of splits, and leaks side by side.

use std::collections::{BTreeMap, BTreeSet};

use lookalike_core::hash::Key;
use lookalike_core::text::shingle::Shingler;
use lookalike_page::{
    Budget, Cell, Column, Excerpt, Html, Page, Section, SideBySide, SideText, Table, html, name, number,
};

use super::leaks::{Leak, SharedPassage};
use super::report::SplitsReport;
use crate::options::Scheme;
use crate::report::page::TextSource;
use crate::report::page::rows::Place;
use crate::report::page::texts::Text;
use crate::shared_text::pieces::pieces;

const TITLE: &str = "Leaks between splits";

/// Maximum number of leaks shown for each pair of splits, and of bytes for all of them.
const SHOWN: usize = 20;
const SHOWN_BYTES: usize = 1_500_000;

/// A document and the one of an earlier split that it is like.
#[derive(Clone, Debug)]
pub(super) struct ShownLeak {
    why: String,
    same_words: bool,
    /// Ids, and names of splits.
    ids: [String; 2],
    splits: [String; 2],
    places: [Place; 2],
    texts: [Text; 2],
}

/// The leaks of each pair of splits that are shown, from the least to the most similar ones.
pub(super) fn shown_leaks(leaks: &[Leak], source: &dyn TextSource) -> Vec<ShownLeak> {
    let mut by_pair: BTreeMap<(usize, usize), Vec<&Leak>> = BTreeMap::new();
    leaks.iter().for_each(|leak| by_pair.entry(leak.splits).or_default().push(leak));
    let shown = by_pair.into_values().flat_map(|mut leaks| {
        leaks.sort_by(|left, right| left.similarity.total_cmp(&right.similarity));
        let step = leaks.len().div_ceil(SHOWN);
        leaks.into_iter().step_by(step.max(1))
    });
    let without_text = |leak: &Leak| ShownLeak {
        why: if leak.same_words {
            "Both have the same words.".to_owned()
        } else {
            format!("Similarity {}.", number::similarity(leak.similarity))
        },
        same_words: leak.same_words,
        ids: [leak.document_id.clone(), leak.other_id.clone()],
        splits: [leak.split.clone(), leak.other_split.clone()],
        places: [(&leak.file, leak.position), (&leak.other_file, leak.other_position)].map(place),
        texts: [Text::new("", 0), Text::new("", 0)],
    };
    with_texts(shown.map(without_text).collect(), source)
}

/// The first shared passage of each document, and how many it has.
type FirstPassages<'a> = BTreeMap<u32, (&'a SharedPassage, u64)>;

/// The same for documents that share passages, the first ones of each pair of splits.
pub(super) fn shown_passages(passages: &[SharedPassage], source: &dyn TextSource) -> Vec<ShownLeak> {
    let mut by_pair: BTreeMap<(usize, usize), FirstPassages<'_>> = BTreeMap::new();
    for shared in passages {
        let documents = by_pair.entry(shared.splits).or_default();
        if documents.len() < SHOWN || documents.contains_key(&shared.passage.document) {
            documents.entry(shared.passage.document).or_insert((shared, 0)).1 += 1;
        }
    }
    let without_text = |(shared, count): (&SharedPassage, u64)| {
        let SharedPassage { split, other_split, passage, .. } = shared;
        ShownLeak {
            why: format!("{} in common with the earlier split.", number::of(count, "passage")),
            same_words: false,
            ids: [passage.document_id.clone(), passage.first_document_id.clone()],
            splits: [split.clone(), other_split.clone()],
            places: [(&passage.file, passage.position), (&passage.first_file, passage.first_position)].map(place),
            texts: [Text::new("", 0), Text::new("", 0)],
        }
    };
    with_texts(by_pair.into_values().flat_map(BTreeMap::into_values).map(without_text).collect(), source)
}

fn place((file, position): (&String, u64)) -> Place {
    Place { is_reference: false, file: file.clone(), position }
}

/// Those whose texts can be read.
fn with_texts(leaks: Vec<ShownLeak>, source: &dyn TextSource) -> Vec<ShownLeak> {
    let wanted: BTreeSet<Place> = leaks.iter().flat_map(|leak| leak.places.clone()).collect();
    let texts = source.texts(&wanted);
    let with_text = |mut leak: ShownLeak| {
        leak.texts = [texts.get(&leak.places[0])?.clone(), texts.get(&leak.places[1])?.clone()];
        Some(leak)
    };
    leaks.into_iter().filter_map(with_text).collect()
}

/// The whole page.
pub(super) fn page(report: &SplitsReport, scheme: &Scheme, leaks: &[ShownLeak], passages: &[ShownLeak]) -> String {
    let (mut shingler, mut room) = (scheme.shingler(Key::FIXED), Budget::new(SHOWN_BYTES));
    let mut section = |shown: &[ShownLeak]| side_by_side(shown, &mut shingler, &mut room);
    let mut sections = vec![
        Section::new("pairs", "Pairs of splits", pairs(report)),
        Section::new("leaks", "Near-duplicates", section(leaks)),
    ];
    if report.passages.is_some() {
        sections.push(Section::new("passages", "Documents that share passages", section(passages)));
    }
    sections.push(Section::new("run", "Stages", stages(report)));
    Page { title: TITLE.to_owned(), lead: lead(report), sections }.render()
}

fn lead(report: &SplitsReport) -> Html {
    let documents: u64 = report.splits.iter().map(|split| split.document_count).sum();
    let worst = report.pairs.iter().max_by(|left, right| left.share.total_cmp(&right.share));
    let found = worst.map_or_else(String::new, |pair| {
        format!(
            "{} in {}. At most {} of a split leaks: {} of {} in {} from {}.",
            number::of(documents, "document"),
            number::of(report.splits.len() as u64, "split"),
            number::share(pair.share),
            number::count(pair.leak_count),
            number::count(pair.document_count),
            name(&pair.split),
            name(&pair.other_split),
        )
    });
    let limit = match (report.failed, report.fail_if_leaks) {
        (true, Some(limit)) => html!(
            "<section class=\"eye\" aria-labelledby=\"eye-h\"><h2 id=\"eye-h\">What needs attention</h2>\n<p>{}</p></section>\n",
            format!("A pair of splits shares more than {} of its documents: the run failed.", number::share(limit))
        ),
        _ => Html::default(),
    };
    html!("<h1>{}</h1>\n<p class=\"lead\">{}</p>\n{}", TITLE, found, limit)
}

fn pairs(report: &SplitsReport) -> Html {
    let has_passages = report.passages.is_some();
    let mut numbers = vec!["documents", "leaks", "share", "near-duplicates", "same words"];
    numbers.extend(has_passages.then_some("with passages"));
    let columns =
        ["split", "earlier split"].map(Column::text).into_iter().chain(numbers.into_iter().map(Column::number));
    let mut table = Table::new("Every split with every earlier one", columns.collect());
    let row = |pair: &super::SplitPair| {
        let mut cells = vec![
            Cell::text(&name(&pair.split)),
            Cell::text(&name(&pair.other_split)),
            Cell::count(pair.document_count),
            Cell::count(pair.leak_count),
            Cell::share(pair.share),
            Cell::count(pair.near_duplicate_count),
            Cell::count(pair.same_words_count),
        ];
        cells.extend(pair.with_passage_count.map(Cell::count));
        cells
    };
    table.rows = report.pairs.iter().map(row).collect();
    table.render()
}

fn side_by_side(shown: &[ShownLeak], shingler: &mut Shingler, room: &mut Budget) -> Html {
    if shown.is_empty() {
        return html!("<p>{}</p>", "None was found.");
    }
    let mut section = html!(
        "<p class=\"legend\">{} <mark class=\"p1\"><sup>1</sup>{}</mark>, {}</p>\n",
        "What both documents have is",
        "numbered and underlined",
        "with the same number on both sides. Of many leaks, some of each similarity are shown."
    );
    for leak in shown {
        let pair = leak.render(shingler);
        if !room.take(&pair) {
            break;
        }
        section.push(&pair);
    }
    section
}

impl ShownLeak {
    fn render(&self, shingler: &mut Shingler) -> Html {
        let [own, other] = pieces([&*self.texts[0].text, &*self.texts[1].text], shingler).pieces;
        let side = |role: &str, at: usize, pieces| SideText {
            role: role.to_owned(),
            name: name(&self.ids[at]),
            place: name(&self.splits[at]),
            pieces,
            more: self.texts[at].more,
        };
        let sides = SideBySide {
            left: side("later", 0, own),
            right: side("earlier", 1, other),
            excerpt: Excerpt::Short,
            marks_space: self.same_words,
        };
        html!("<article class=\"pair\"><p>{}</p>{}</article>\n", self.why, sides.render())
    }
}

fn stages(report: &SplitsReport) -> Html {
    let mut table = Table::new("Stages", vec![Column::text("stage"), Column::number("seconds")]);
    let row = |stage: &crate::report::summary::Stage| {
        vec![Cell::text(&stage.name), Cell::number(&number::seconds(stage.seconds), stage.seconds)]
    };
    table.rows = report.stages.iter().map(row).collect();
    table.render()
}
