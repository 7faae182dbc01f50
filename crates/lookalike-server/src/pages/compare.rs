//! Compares two documents of an index by their ids, or two texts, side by side.

use std::sync::Arc;
use std::thread;

use axum::extract::State;
use lookalike::{Scheme, pieces_of};
use lookalike_index::Snapshot;
use lookalike_page::{Excerpt, Html, SideBySide, SideText, html, name, number};
use serde::Deserialize;

use super::layout::{Current, Page, Screen};
use super::{address, measures};
use crate::access::{MaySearch, Sight};
use crate::extract::Query;
use crate::form::{Fields, Form, Takes};
use crate::memory::Memory;
use crate::problem::{Kind, Problem};
use crate::state::Shared;

/// The documents in a URL.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    index: String,
    left: String,
    right: String,
    /// True if long texts are shown whole.
    whole: bool,
}

/// One of two documents.
struct Sought {
    id: Option<String>,
    text: Option<String>,
}

/// Longer texts are shown whole only on request: browsers are slow with them.
const MOST_WHOLE: usize = 1_000_000;

/// Two stored documents, or a form for two texts.
pub(super) async fn show(
    _may: MaySearch,
    sight: Sight,
    State(shared): State<Arc<Shared>>,
    Query(asked): Query<Asked>,
) -> Result<Page, Problem> {
    if asked.left.is_empty() || asked.right.is_empty() {
        return Ok(page("Compare", &form(&shared, &asked.index)));
    }
    sight.sees_documents()?;
    let index = shared.index(&asked.index)?;
    let (of_job, all) = (asked.clone(), Arc::clone(&shared));
    let shown = shared.work.search(move || {
        let (snapshot, asked) = (index.snapshot()?, of_job);
        let sought = [&asked.left, &asked.right].map(|id| stored(&snapshot, id));
        let [left, right] = sought;
        compared(
            [&left?, &right?],
            index.index.scheme(),
            if asked.whole { Whole::Yes } else { Whole::Ask(whole_link(&asked)) },
            (&all.memory, 0),
        )
    });
    Ok(page("Compare", &shown.await?))
}

/// Two texts, or a text and a stored document.
pub(super) async fn texts(
    _may: MaySearch,
    sight: Sight,
    State(shared): State<Arc<Shared>>,
    form: Form,
) -> Result<Page, Problem> {
    let mut fields = Fields::read(form, Takes::Texts, &shared).await?;
    let index = fields.given("index").map(|name| shared.index(name)).transpose()?;
    let (right_id, is_whole) = (fields.given("right_id").map(str::to_owned), fields.given("whole").is_some());
    if right_id.is_some() {
        sight.sees_documents()?;
    }
    let (left, right) = (fields.take_text("text")?, fields.take("other"));
    let counted = left.len() + right.len();
    let work = shared.memory.work(counted).await?;
    let left = Sought { id: None, text: Some(left) };
    let all = Arc::clone(&shared);
    let shown = shared.work.search(move || {
        let _held = (fields, work);
        let scheme = index.as_ref().map_or_else(Scheme::default, |index| index.index.scheme().clone());
        let right = match (&right_id, &index) {
            (Some(id), Some(index)) => stored(&index.snapshot()?, id)?,
            _ => Sought { id: None, text: Some(right) },
        };
        let again = || Html::text("To see them whole, go back, tick “whole texts” and compare again.");
        let whole = if is_whole { Whole::Yes } else { Whole::Ask(again()) };
        compared([&left, &right], &scheme, whole, (&all.memory, counted))
    });
    Ok(page("Compare", &shown.await?))
}

fn page(title: &str, body: &Html) -> Page {
    Screen { title, current: Current::Compare, body: html!("<h1>Compare</h1>\n{}", body) }.page()
}

fn stored(snapshot: &Snapshot, id: &str) -> Result<Sought, Problem> {
    let missing = || Problem::new(Kind::NoSuchDocument, format!("no document of the index has the id '{}'", name(id)));
    let document = snapshot.document(id)?.ok_or_else(missing)?;
    Ok(Sought { id: Some(document.id), text: document.text })
}

/// Choice to show texts whole, or shortened with a link to request the whole texts.
enum Whole {
    Yes,
    Ask(Html),
}

fn whole_link(asked: &Asked) -> Html {
    let parameters = [("index", &*asked.index), ("left", &asked.left), ("right", &asked.right), ("whole", "true")];
    html!("<a class=\"button\" href=\"{}\">Show both whole</a>", address::with("/compare", &parameters))
}

/// Compares two documents; memory for `counted` bytes of text is already reserved.
fn compared(
    both: [&Sought; 2],
    scheme: &Scheme,
    whole: Whole,
    (memory, counted): (&Memory, usize),
) -> Result<Html, Problem> {
    let [Some(left), Some(right)] = both.map(|sought| sought.text.as_deref()) else {
        return Err(Problem::new(Kind::Impossible, "the index keeps no texts, so there is nothing to compare"));
    };
    let _more = memory.beyond(counted, 2 * lookalike::comparing_bytes([left, right], scheme))?;
    // Both are slow for long texts, and independent.
    let (comparison, cut) = thread::scope(|scope| {
        let cut = scope.spawn(|| pieces_of([left, right], scheme).pieces);
        (lookalike::compare(left, right, scheme), cut.join())
    });
    let comparison = comparison?;
    let [left_pieces, right_pieces] =
        cut.map_err(|_| Problem::new(Kind::Internal, "the texts could not be cut: see the log"))?;
    let is_long = left.len().max(right.len()) > MOST_WHOLE;
    let (excerpt, asks) = match whole {
        Whole::Ask(how) if is_long => (Excerpt::Short, Some(how)),
        Whole::Ask(_) | Whole::Yes => (Excerpt::Blocks, None),
    };
    let asks = asks.map_or(Html::default(), |how| {
        let sizes = [left, right].map(|text| number::bytes(text.len() as u64));
        html!(
            "<p class=\"ask-first\">The texts have {} and {}, which a browser may take a while to show. Here is what differs, and a little around it. {}</p>\n",
            sizes[0],
            sizes[1],
            how
        )
    });
    let side = |role: &str, sought: &Sought, pieces| SideText {
        role: role.to_owned(),
        name: sought.id.as_deref().map_or_else(|| "a text".to_owned(), name),
        pieces,
        ..SideText::default()
    };
    let marks_space = comparison.verdict == lookalike::Verdict::SameWords;
    let sides = SideBySide {
        left: side("left", both[0], left_pieces),
        right: side("right", both[1], right_pieces),
        excerpt,
        marks_space,
    };
    Ok(html!(
        "<p class=\"lead\">{}</p>\n{}<section class=\"pair whole\" aria-label=\"Both texts\">{}{}{}{}</section>\n",
        measures::sentence(&comparison),
        measures::all(&comparison),
        measures::legend(),
        asks,
        sides.strip(),
        sides.render()
    ))
}

fn form(shared: &Shared, chosen: &str) -> Html {
    let indexes = shared.indexes();
    let option = |index: &Arc<crate::state::OpenIndex>| {
        let is_chosen = Html::ours(if index.name == chosen { " selected" } else { "" });
        html!("<option{}>{}</option>", is_chosen, index.name)
    };
    let options: Html = indexes.iter().map(option).collect();
    let by_id = if indexes.is_empty() {
        Html::default()
    } else {
        html!(
            "<h2>Two stored documents</h2>\n<form class=\"ask\" method=\"get\" action=\"/compare\"><div class=\"row\"><span><label for=\"index\">Index</label><select id=\"index\" name=\"index\">{}</select></span><span><label for=\"left\">Left id</label><input id=\"left\" name=\"left\" required></span><span><label for=\"right\">Right id</label><input id=\"right\" name=\"right\" required></span><button class=\"main\">Compare</button></div></form>\n",
            options
        )
    };
    let like = if indexes.is_empty() {
        Html::default()
    } else {
        html!(
            "<span><label for=\"like\">As the index</label><select id=\"like\" name=\"index\"><option value=\"\">none: the defaults</option>{}</select></span>",
            options
        )
    };
    html!(
        "<p>All measures of two texts, exactly, and what they share.</p>\n<form class=\"ask\" method=\"post\" action=\"/compare\" enctype=\"multipart/form-data\">\n<div class=\"two\"><span><label for=\"text\">Left</label><textarea id=\"text\" name=\"text\" rows=\"12\" dir=\"auto\" data-drop placeholder=\"Paste a text, or drop a file\"></textarea></span><span><label for=\"other\">Right</label><textarea id=\"other\" name=\"other\" rows=\"12\" dir=\"auto\" data-drop placeholder=\"Paste a text, or drop a file\"></textarea></span></div>\n<div class=\"row\">{}<span class=\"tick\"><input id=\"whole\" name=\"whole\" type=\"checkbox\" value=\"true\"><label for=\"whole\">whole texts, also over 1 MB</label></span><button class=\"main\">Compare</button></div></form>\n{}",
        like,
        by_id
    )
}
