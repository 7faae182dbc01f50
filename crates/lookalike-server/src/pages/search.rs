//! The search page: finds documents similar to a text, a stored document or the documents of a file.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::response::Html as Body;
use lookalike::{ReadRequest, ResourceRequest, SearchRequest};
use lookalike_index::Query as Sought;
use lookalike_page::{Html, html, name, number};
use serde::Deserialize;

use super::hits::{self, Found, Opener, Queried};
use super::layout::{Current, Page, Screen};
use super::{file_hits, index};
use crate::access::{MaySearch, Sight};
use crate::extract::Query;
use crate::form::{Fields, Form, SentFile, Takes};
use crate::memory::Memory;
use crate::problem::{Kind, Problem};
use crate::state::{OpenIndex, Shared};

/// The parameters of a URL.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    index: String,
    /// Finds documents similar to the one with this id.
    like: Option<String>,
    open: Option<String>,
    threshold: Option<f64>,
    top: Option<usize>,
    text: String,
    /// The text and id fields of a file's records.
    text_field: Option<String>,
    id_field: Option<String>,
}

/// Default and maximum number of matches shown.
const USUAL_TOP: usize = 10;
const MOST: usize = 200;

/// Maximum time to search for the documents of a file: less than the limit of a request.
const LONGEST: Duration = Duration::from_secs(25);

/// Longer texts are not sent back to their field, since browsers are slow with them.
const MOST_SENT_BACK: usize = 1_000_000;

/// Shows the form, and the results for the parameters of the URL.
pub(super) async fn show(
    _may: MaySearch,
    sight: Sight,
    State(shared): State<Arc<Shared>>,
    Query(asked): Query<Asked>,
) -> Result<Page, Problem> {
    let is_asked = asked.like.is_some() || !asked.text.is_empty();
    let found = if is_asked { find_in(&shared, asked.clone(), None, sight).await? } else { Html::default() };
    Ok(page(&shared, &asked, &found))
}

/// Shows the submitted form and the results.
pub(super) async fn find(
    _may: MaySearch,
    sight: Sight,
    State(shared): State<Arc<Shared>>,
    form: Form,
) -> Result<Page, Problem> {
    let (asked, file, _held) = Asked::of(form, &shared).await?;
    let found = find_in(&shared, asked.clone(), file, sight).await?;
    Ok(page(&shared, &asked, &found))
}

/// Shows only the results, for a script that searches while the user types.
pub(super) async fn matches(
    _may: MaySearch,
    sight: Sight,
    State(shared): State<Arc<Shared>>,
    form: Form,
) -> Result<Body<String>, Problem> {
    let (asked, file, _held) = Asked::of(form, &shared).await?;
    Ok(Body(find_in(&shared, asked, file, sight).await?.to_string()))
}

impl Asked {
    /// Parses a form: its query, its file, and the form itself, whose memory stays reserved while it exists.
    async fn of(form: Form, shared: &Shared) -> Result<(Self, Option<SentFile>, Fields), Problem> {
        let mut fields = Fields::read(form, Takes::Texts, shared).await?;
        let wrong = |name: &str, allowed: &str| Problem::new(Kind::Malformed, format!("{name}: give {allowed}"));
        let threshold = fields.given("threshold").map(str::parse).transpose();
        let top = fields.given("top").map(str::parse).transpose();
        // An uploaded file takes precedence over a text left from an earlier search.
        let file = fields.file.take();
        let text = if file.is_some() { String::new() } else { fields.take_text("text")? };
        let asked = Self {
            index: fields.text("index").to_owned(),
            like: None,
            open: fields.given("open").map(str::to_owned),
            threshold: threshold.map_err(|_| wrong("threshold", "a number between 0 and 1"))?,
            top: top.map_err(|_| wrong("top", "a whole number"))?,
            text,
            text_field: fields.given("text_field").map(str::to_owned),
            id_field: fields.given("id_field").map(str::to_owned),
        };
        Ok((asked, file, fields))
    }

    /// A search with these options, for which there is no query yet.
    fn request(&self) -> SearchRequest {
        let mut request = SearchRequest::default();
        request.threshold = self.threshold;
        request.top = Some(self.top() as i64);
        request
    }

    fn top(&self) -> usize {
        self.top.unwrap_or(USUAL_TOP).clamp(1, MOST)
    }
}

/// The selected index; the first by default.
fn index_of(shared: &Shared, name: &str) -> Result<Arc<OpenIndex>, Problem> {
    match shared.indexes().into_iter().next() {
        Some(first) if name.is_empty() => Ok(first),
        _ => shared.index(name),
    }
}

async fn find_in(shared: &Arc<Shared>, asked: Asked, file: Option<SentFile>, sight: Sight) -> Result<Html, Problem> {
    let all = Arc::clone(shared);
    if let Some(file) = file {
        let index = index_of(shared, &asked.index)?;
        let until = Instant::now() + LONGEST;
        let (room, bytes) = shared.memory.job().await?;
        return shared
            .work
            .search(move || {
                let _room = room;
                let mut request = asked.request();
                request.input = ReadRequest::new([file.path.clone()]);
                [request.input.text, request.input.id] = [asked.text_field, asked.id_field];
                request.resources = ResourceRequest::default().memory(bytes);
                file_hits::show(&index, &file, &request.check()?, (sight, &all.memory), until)
            })
            .await;
    }
    if asked.like.is_none() && asked.text.trim().is_empty() {
        return Ok(Html::default());
    }
    let index = index_of(shared, &asked.index)?;
    let work = shared.memory.work(asked.text.len()).await?;
    let find = move || {
        let _work = work;
        Ok(hits::show(&search(&index, asked, sight, &all.memory)?))
    };
    shared.work.search(find).await
}

/// Searches, and opens one match.
fn search(index: &OpenIndex, asked: Asked, sight: Sight, memory: &Memory) -> Result<Found, Problem> {
    let snapshot = index.snapshot()?;
    let start = Instant::now();
    let mut request = asked.request();
    let sent_bytes = asked.text.len();
    // An address may name a document for a text that was left in the form.
    request.text = asked.like.is_none().then_some(asked.text);
    request.like.clone_from(&asked.like);
    let search = request.check()?;
    let stored = asked.like.as_deref().map(|id| snapshot.document(id)).transpose()?.flatten();
    // There is always one, since the request names no files.
    let query = search.query.single().unwrap_or(Sought::Text(""));
    let (own, text) = match query {
        Sought::Id(id) => (id, stored.as_ref().and_then(|document| document.text.as_deref())),
        Sought::Text(text) | Sought::Document { text, .. } => ("your text", Some(text)),
    };
    let needed = text.map_or(0, |text| index.index.working_bytes(text));
    let more = memory.beyond(sent_bytes, needed)?;
    let answer = snapshot.search(query, &search.options)?;
    drop(more);
    let seconds = start.elapsed().as_secs_f64();
    let opened = asked.open.as_deref().or(answer.hits.first().map(|hit| &*hit.id)).map(str::to_owned);
    let opener = Opener { snapshot: &snapshot, scheme: index.index.scheme(), sight, memory };
    let opened = match opened {
        // If two stored documents are copies, their shared passages are the whole documents.
        Some(_) if asked.like.is_some() && sight == Sight::Shared => None,
        Some(id) => Some(opener.open(own, text, &id, sent_bytes)?),
        None => None,
    };
    Ok(Found {
        index: index.name.clone(),
        documents: snapshot.len(),
        threshold: asked.threshold.unwrap_or_else(|| index.index.scheme().threshold()),
        query: asked.like.clone().map_or(Queried::Text, Queried::Like),
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
        let lowest = index.index.scheme().threshold().to_string();
        html!("<option{} data-threshold=\"{}\">{}</option>", chosen, lowest, index.name)
    };
    let options: Html = indexes.iter().map(of_index).collect();
    let lowest = index_of(shared, &asked.index).map_or(0.8, |index| index.index.scheme().threshold());
    // Each index has its own threshold: only one that the user entered is sent along.
    let threshold = asked.threshold.map(|threshold| threshold.to_string()).unwrap_or_default();
    let text = Html::exact(if asked.text.len() > MOST_SENT_BACK { "" } else { &asked.text });
    let likeness = asked.like.as_deref().map_or(Html::default(), |id| {
        html!("<p>Documents like <b dir=\"auto\">{}</b>, other than itself.</p>\n", name(id))
    });
    html!(
        "{}<form id=\"search\" class=\"ask\" method=\"post\" action=\"/\" enctype=\"multipart/form-data\" data-live=\"/matches\">\n<label for=\"text\">Text</label>\n<textarea id=\"text\" name=\"text\" rows=\"7\" dir=\"auto\" data-drop placeholder=\"Paste a text, or drop a file: JSONL, CSV, Parquet and WARC are searched document by document\">\n{}</textarea>\n<div class=\"row\"><span><label for=\"index\">Index</label><select id=\"index\" name=\"index\">{}</select></span><span><label for=\"threshold\">Similarity at least</label><input id=\"threshold\" name=\"threshold\" type=\"number\" min=\"0\" max=\"1\" step=\"any\" placeholder=\"{}\" value=\"{}\"></span><span><label for=\"top\">Matches at most</label><input id=\"top\" name=\"top\" type=\"number\" min=\"1\" max=\"{}\" value=\"{}\"></span><span class=\"file\"><label for=\"file\">or the documents of a file</label><input id=\"file\" name=\"file\" type=\"file\"></span><button class=\"main\">Search</button></div>\n<details class=\"of-file\"><summary>Fields of the file</summary><div class=\"row\"><span><label for=\"text-field\">Field of the text</label><input id=\"text-field\" name=\"text_field\" placeholder=\"text\" value=\"{}\"></span><span><label for=\"id-field\">Field of the id</label><input id=\"id-field\" name=\"id_field\" placeholder=\"file and position\" value=\"{}\"></span></div></details></form>\n",
        likeness,
        text,
        options,
        lowest.to_string(),
        threshold,
        MOST,
        asked.top(),
        Html::exact(asked.text_field.as_deref().unwrap_or_default()),
        Html::exact(asked.id_field.as_deref().unwrap_or_default())
    )
}

/// Formats a duration briefly.
pub(super) fn took(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.1} ms", 1000.0 * seconds) } else { number::seconds(seconds) }
}
