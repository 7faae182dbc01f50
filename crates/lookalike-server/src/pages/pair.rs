//! A removal side by side with the kept document, with links to the adjacent pairs of its list, and the labels of the
//! audit.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Redirect;
use lookalike::{Answer, label_of_removal, label_removal};
use lookalike_page::{Html, html, number};
use serde::Deserialize;

use super::layout::{Current, Page, Screen};
use super::result::{Tab, result_tabs};
use super::{address, measures};
use crate::access::{MayRead, MayWrite};
use crate::extract::{Path, Query};
use crate::form::{Fields, Form, Takes};
use crate::keys::Caller;
use crate::problem::{Kind, Problem};
use crate::results;
use crate::runs::filter::AskedRows;
use crate::runs::opened::{OpenResult, unreadable};
use crate::runs::table::PlacedRemoval;
use crate::state::Shared;

/// The pair in a URL: the position of its row, and its number in the list.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AskedPair {
    row: Option<u64>,
    n: Option<u64>,
    whole: bool,
}

/// Maximum bytes of a text shown without a request for the whole.
const MOST_WHOLE: usize = 1_000_000;

/// Shows one removal side by side with the kept document.
pub(super) async fn show(
    _may: MayRead,
    State(shared): State<Arc<Shared>>,
    Path(result): Path<String>,
    Query(asked): Query<AskedPair>,
    Query(rows): Query<AskedRows>,
) -> Result<Page, Problem> {
    let (of_job, folder, can_label) = (result.clone(), shared.result(&result)?, !shared.is_read_only);
    let body = results::with(&shared, result.clone(), move |open| {
        let row = wanted(open, asked, &rows)?;
        let pair = open.run.pair(&row.removal, if asked.whole { usize::MAX } else { MOST_WHOLE });
        let at = Address { result: &of_job, rows: &rows };
        let missing = match (pair.has_texts, pair.more) {
            (false, _) => html!(
                "<p class=\"ask-first\">{}</p>",
                "The texts are not shown: the input could not be read again from here, or has changed since the run."
            ),
            (true, 0) => Html::default(),
            (true, more) => html!(
                "<p class=\"ask-first\">{} are left out. <a class=\"button\" href=\"{}\">Show both whole</a></p>",
                number::of(more, "character"),
                at.pair(asked.n, row.at, true)
            ),
        };
        let label = if can_label {
            label_form(&of_job, &rows, asked.n, row.at, label_of_removal(&folder, &row.removal)?)
        } else {
            Html::default()
        };
        let cluster =
            address::with(&format!("/results/{}/clusters/{}", address::part(&of_job), row.removal.cluster), &[]);
        Ok(html!(
            "{}<h2 class=\"unseen\">The removed and the kept document</h2>\n<article class=\"pair whole\">{}<p><a href=\"{}\">All {} of their cluster</a></p>{}{}{}{}{}</article>\n",
            steps(open, &at, asked.n)?,
            pair.head,
            cluster,
            number::of(row.removal.cluster_size.into(), "document"),
            label,
            if pair.has_texts { measures::legend() } else { Html::default() },
            missing,
            pair.strip,
            pair.sides
        ))
    });
    let body = body.await?;
    let body = html!("{}<h1>A removal of {}</h1>\n{}", result_tabs(&result, Tab::Removed), result, body);
    Ok(Screen { title: "A removal", current: Current::Results, body }.page())
}

/// The row in a URL. If both are given, the position decides: the list may have changed.
fn wanted(open: &OpenResult, asked: AskedPair, rows: &AskedRows) -> Result<PlacedRemoval, Problem> {
    let missing = || Problem::new(Kind::Malformed, "row: no row of removed.jsonl begins there");
    match (asked.row, asked.n) {
        (Some(row), _) => open.table()?.at(row).map_err(|error| unreadable(&error))?.ok_or_else(missing),
        (None, n) => open.rows(&rows.check()?, n.unwrap_or(0), 1)?.rows.pop().ok_or_else(missing),
    }
}

/// Addresses of the pairs of a list.
struct Address<'a> {
    result: &'a str,
    rows: &'a AskedRows,
}

impl Address<'_> {
    fn pair(&self, n: Option<u64>, row: u64, is_whole: bool) -> Html {
        let (n, row) = (n.map(|n| n.to_string()), row.to_string());
        let mut parameters = self.rows.given();
        parameters.extend(n.as_deref().map(|n| ("n", n)));
        parameters.push(("row", &row));
        parameters.extend(is_whole.then_some(("whole", "true")));
        address::with(&format!("/results/{}/pair", address::part(self.result)), &parameters)
    }

    fn numbered(&self, n: u64) -> Html {
        let n = n.to_string();
        let parameters: Vec<(&str, &str)> = self.rows.given().into_iter().chain([("n", &*n)]).collect();
        address::with(&format!("/results/{}/pair", address::part(self.result)), &parameters)
    }
}

/// Links to the previous and next pair of the list, and back to the list.
fn steps(open: &OpenResult, at: &Address<'_>, n: Option<u64>) -> Result<Html, Problem> {
    let Some(n) = n else { return Ok(Html::default()) };
    let count = open.rows(&at.rows.check()?, n, 1)?.count;
    let step = |n: u64, what: &'static str, relation: &'static str| {
        html!("<a class=\"button\" rel=\"{}\" href=\"{}\">{}</a> ", relation, at.numbered(n), what)
    };
    let previous = n.checked_sub(1).map_or_else(Html::default, |n| step(n, "Previous", "prev"));
    let next = if n + 1 < count { step(n + 1, "Next", "next") } else { Html::default() };
    let list = address::with(&format!("/results/{}/removed", address::part(at.result)), &at.rows.given());
    Ok(html!(
        "<nav class=\"pages\" aria-label=\"Pairs\"><p>{}{}<span class=\"soft\">{} of {}</span> <a href=\"{}\">Back to the list</a></p></nav>\n",
        previous,
        next,
        number::count(n + 1),
        number::count(count),
        list
    ))
}

/// The buttons of the audit: each answer is on disk before it is acknowledged.
fn label_form(result: &str, rows: &AskedRows, n: Option<u64>, row: u64, said: Option<Answer>) -> Html {
    let button = |answer: Option<Answer>, value: &'static str, name: &'static str| {
        let is_said = answer.is_some() && answer == said;
        let pressed = Html::ours(if is_said { " aria-pressed=\"true\"" } else { " aria-pressed=\"false\"" });
        html!("<button name=\"answer\" value=\"{}\"{}>{}</button> ", value, pressed, name)
    };
    let undo = if said.is_some() {
        html!("<button name=\"answer\" value=\"none\">Take back</button>")
    } else {
        Html::default()
    };
    let hidden =
        |name: &str, value: &str| html!("<input type=\"hidden\" name=\"{}\" value=\"{}\">", name, Html::exact(value));
    let mut fields: Html = rows.given().iter().map(|(name, value)| hidden(name, value)).collect();
    fields.push(&hidden("row", &row.to_string()));
    n.iter().for_each(|n| fields.push(&hidden("n", &n.to_string())));
    html!(
        "<form class=\"label\" method=\"post\" action=\"/results/{}/label\" enctype=\"multipart/form-data\"><fieldset><legend>Are they the same?</legend>{}{}{}{}{}</fieldset></form>\n",
        address::part(result),
        fields,
        button(Some(Answer::Same), "same", "Same"),
        button(Some(Answer::Different), "different", "Different"),
        button(Some(Answer::CannotTell), "cannot_tell", "Cannot tell"),
        undo
    )
}

/// Stores an answer, and redirects to the next pair of the list.
pub(super) async fn label(
    _may: MayWrite,
    State(shared): State<Arc<Shared>>,
    Path(result): Path<String>,
    caller: Option<Extension<Caller>>,
    form: Form,
) -> Result<Redirect, Problem> {
    let fields = Fields::read(form, Takes::Words, &shared).await?;
    let answer = match fields.text("answer") {
        "same" => Some(Answer::Same),
        "different" => Some(Answer::Different),
        "cannot_tell" => Some(Answer::CannotTell),
        "none" => None,
        _ => return Err(Problem::new(Kind::Malformed, "answer: give same, different, cannot_tell or none")),
    };
    let text = |name: &str| fields.given(name).map(str::to_owned);
    let rows = AskedRows {
        order: text("order"),
        band: text("band"),
        cluster: text("cluster"),
        source: text("source"),
        kept_source: text("kept_source"),
        similarity_from: text("similarity_from"),
        similarity_to: text("similarity_to"),
        kind: text("kind"),
        text: text("text"),
    };
    let number = |name: &str| fields.given(name).and_then(|text| text.parse::<u64>().ok());
    let (row, n) = (number("row"), number("n"));
    let labeler = caller.and_then(|Extension(caller)| caller.owner().map(str::to_owned));
    let (folder, of_job) = (shared.result(&result)?, result.clone());
    let to = results::with(&shared, result, move |open| {
        let wanted = wanted(open, AskedPair { row, n, whole: false }, &rows)?;
        label_removal(&folder, &wanted.removal, answer, labeler)?;
        let at = Address { result: &of_job, rows: &rows };
        let is_more = |n: u64| open.rows(&rows.check()?, n, 1).map(|found| n < found.count);
        Ok(match n {
            Some(n) if answer.is_some() && is_more(n + 1)? => at.numbered(n + 1),
            n => at.pair(n, wanted.at, false),
        })
    });
    Ok(Redirect::to(&to.await?.as_str().replace("&amp;", "&")))
}
