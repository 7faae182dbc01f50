//! Search: a text, or a stored document, and everything in an index that is like it.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Multipart, State};
use axum::response::Html as Body;
use lookalike_index::{Query as Sought, SearchOptions};
use lookalike_page::{Html, html, name, number};
use serde::Deserialize;

use super::fields::{Fields, Takes};
use super::hits::{self, Found, Opened};
use super::index;
use super::layout::{Current, Page, Screen};
use crate::api::Query;
use crate::keys::MaySearch;
use crate::problem::{Kind, Problem};
use crate::state::{OpenIndex, Shared};

/// What an address may ask for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    index: String,
    /// Documents like the one with this id.
    id: Option<String>,
    open: Option<String>,
    threshold: Option<f64>,
    limit: Option<usize>,
    text: String,
}

/// How many matches are shown when nobody says, and at most.
const USUAL_LIMIT: usize = 10;
const MOST: usize = 200;

/// Beyond this, the text is not sent back into its field: a browser would be busy with it.
const MOST_SENT_BACK: usize = 1_000_000;

/// The form, and what an address asks for.
pub(super) async fn show(
    _may: MaySearch,
    State(shared): State<Arc<Shared>>,
    Query(asked): Query<Asked>,
) -> Result<Page, Problem> {
    let is_asked = asked.id.is_some() || !asked.text.is_empty();
    let found = if is_asked { find_in(&shared, asked.clone()).await? } else { Html::default() };
    Ok(page(&shared, &asked, &found))
}

/// The form as it was sent, and what was found.
pub(super) async fn find(_may: MaySearch, State(shared): State<Arc<Shared>>, form: Multipart) -> Result<Page, Problem> {
    let asked = Asked::of(form, &shared).await?;
    let found = find_in(&shared, asked.clone()).await?;
    Ok(page(&shared, &asked, &found))
}

/// Only what was found, for a script that asks while somebody types.
pub(super) async fn matches(
    _may: MaySearch,
    State(shared): State<Arc<Shared>>,
    form: Multipart,
) -> Result<Body<String>, Problem> {
    let asked = Asked::of(form, &shared).await?;
    Ok(Body(find_in(&shared, asked).await?.to_string()))
}

impl Asked {
    async fn of(form: Multipart, shared: &Shared) -> Result<Self, Problem> {
        let mut fields = Fields::read(form, Takes::Texts, &shared.limits).await?;
        let wrong = |name: &str, allowed: &str| Problem::new(Kind::Malformed, format!("{name}: give {allowed}"));
        let threshold = fields.given("threshold").map(str::parse).transpose();
        let limit = fields.given("limit").map(str::parse).transpose();
        Ok(Self {
            index: fields.text("index").to_owned(),
            id: None,
            open: fields.given("open").map(str::to_owned),
            threshold: threshold.map_err(|_| wrong("threshold", "a number between 0 and 1"))?,
            limit: limit.map_err(|_| wrong("limit", "a whole number"))?,
            text: fields.take_text("text")?,
        })
    }

    fn limit(&self) -> usize {
        self.limit.unwrap_or(USUAL_LIMIT).clamp(1, MOST)
    }
}

/// The index that is meant; the first if nobody says.
fn index_of(shared: &Shared, name: &str) -> Result<Arc<OpenIndex>, Problem> {
    match shared.indexes().into_iter().next() {
        Some(first) if name.is_empty() => Ok(first),
        _ => shared.index(name),
    }
}

async fn find_in(shared: &Arc<Shared>, asked: Asked) -> Result<Html, Problem> {
    if asked.id.is_none() && asked.text.trim().is_empty() {
        return Ok(Html::default());
    }
    let index = index_of(shared, &asked.index)?;
    shared.work.search(move || Ok(hits::show(&search(&index, &asked)?))).await
}

/// Searches, and opens one match.
fn search(index: &OpenIndex, asked: &Asked) -> Result<Found, Problem> {
    let snapshot = index.snapshot()?;
    let start = Instant::now();
    let options = SearchOptions { threshold: asked.threshold, limit: asked.limit(), ..SearchOptions::default() };
    let sought = asked.id.as_deref().map_or(Sought::Text(&asked.text), Sought::Id);
    let answer = snapshot.search(sought, &options)?;
    let seconds = start.elapsed().as_secs_f64();
    let opened = asked.open.as_deref().or(answer.hits.first().map(|hit| &*hit.id)).map(str::to_owned);
    let opened = match opened {
        Some(id) => Opened::of(&snapshot, index.index.scheme(), asked.id.as_deref(), &asked.text, &id)?,
        None => None,
    };
    Ok(Found {
        index: index.name.clone(),
        documents: snapshot.len(),
        threshold: asked.threshold.unwrap_or_else(|| index.index.scheme().threshold()),
        id: asked.id.clone(),
        answer,
        seconds,
        opened,
    })
}

fn page(shared: &Shared, asked: &Asked, found: &Html) -> Page {
    let body = html!(
        "<h1>Find near-duplicates</h1>\n{}<section id=\"matches\" aria-label=\"Matches\">{}</section>\n",
        form(shared, asked),
        found
    );
    Screen { title: "Search", current: Current::Search, body }.page()
}

fn form(shared: &Shared, asked: &Asked) -> Html {
    let indexes = shared.indexes();
    if indexes.is_empty() {
        return index::none(shared);
    }
    let of_index = |index: &Arc<OpenIndex>| {
        let chosen = Html::ours(if index.name == asked.index { " selected" } else { "" });
        html!("<option{}>{}</option>", chosen, index.name)
    };
    let options: Html = indexes.iter().map(of_index).collect();
    let lowest = index_of(shared, &asked.index).map_or(0.8, |index| index.index.scheme().threshold());
    let threshold = asked.threshold.unwrap_or(lowest).to_string();
    let text = Html::exact(if asked.text.len() > MOST_SENT_BACK { "" } else { &asked.text });
    let likeness = asked.id.as_deref().map_or(Html::default(), |id| {
        html!("<p>Documents like <b dir=\"auto\">{}</b>, other than itself.</p>\n", name(id))
    });
    html!(
        "{}<form id=\"search\" class=\"ask\" method=\"post\" action=\"/\" enctype=\"multipart/form-data\" data-live=\"/matches\">\n<label for=\"text\">Text</label>\n<textarea id=\"text\" name=\"text\" rows=\"7\" dir=\"auto\" data-drop placeholder=\"Paste a text, or drop a file\">\n{}</textarea>\n<div class=\"row\"><span><label for=\"index\">Index</label><select id=\"index\" name=\"index\">{}</select></span><span><label for=\"threshold\">Similarity at least</label><input id=\"threshold\" name=\"threshold\" type=\"number\" min=\"{}\" max=\"1\" step=\"any\" value=\"{}\"></span><span><label for=\"limit\">Matches at most</label><input id=\"limit\" name=\"limit\" type=\"number\" min=\"1\" max=\"{}\" value=\"{}\"></span><span class=\"file\"><label for=\"file\">or a file</label><input id=\"file\" name=\"file\" type=\"file\"></span><button class=\"main\">Search</button></div></form>\n",
        likeness,
        text,
        options,
        lowest.to_string(),
        threshold,
        MOST,
        asked.limit()
    )
}

/// How long something took, as short as people say it.
pub(super) fn took(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.1} ms", 1000.0 * seconds) } else { number::seconds(seconds) }
}
