//! Results of a search: the matches with their measures, and one of them shown beside the list.

use lookalike::{Scheme, pieces_of};
use lookalike_index::{Answer, Hit, Snapshot};
use lookalike_page::{Excerpt, Html, SideBySide, SideText, clipped, html, name, number};
use serde_json::{Map, Value};

use super::address;
use super::layout::share_line;
use super::search::took;
use crate::access::Sight;
use crate::memory::Memory;
use crate::problem::{Kind, Problem};

/// The results.
pub(super) struct Found {
    pub(super) index: String,
    pub(super) documents: u64,
    pub(super) threshold: f64,
    pub(super) query: Queried,
    pub(super) answer: Answer,
    pub(super) seconds: f64,
    pub(super) opened: Option<Opened>,
}

/// The query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Queried {
    /// The text of the form.
    Text,
    /// Documents similar to the stored one with this id.
    Like(String),
    /// A document of an uploaded file.
    File,
}

/// A match shown side by side.
pub(super) struct Opened {
    /// Name of the query.
    own: String,
    id: String,
    /// None if the index does not store texts.
    sides: Option<SideBySide>,
}

/// Longer texts are shown as excerpts here; the page for comparing shows them whole.
const MOST_WHOLE: usize = 60_000;

/// Maximum number of fields shown with a document, and of characters of each.
const MOST_FIELDS: usize = 4;
const FIELD_LENGTH: usize = 60;

/// Prepares matches for display.
#[derive(Clone, Copy)]
pub(super) struct Opener<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) scheme: &'a Scheme,
    /// The part of the match that may be shown.
    pub(super) sight: Sight,
    pub(super) memory: &'a Memory,
}

impl Opener<'_> {
    /// Prepares a match of a text with a given name. Memory for `counted` bytes of text is already reserved.
    pub(super) fn open(&self, own: &str, text: Option<&str>, id: &str, counted: usize) -> Result<Opened, Problem> {
        let missing =
            || Problem::new(Kind::NoSuchDocument, format!("no document of the index has the id '{}'", name(id)));
        let document = self.snapshot.document(id)?.ok_or_else(missing)?;
        let sides = document.text.as_deref().zip(text).map(|(other, text)| {
            let _more = self.memory.beyond(counted, lookalike::comparing_bytes([text, other], self.scheme))?;
            let [left, mut right] = pieces_of([text, other], self.scheme).pieces;
            if self.sight == Sight::Shared {
                right.retain(|piece| piece.passage.is_some() && !piece.is_only);
            }
            let excerpt = if text.len().max(other.len()) > MOST_WHOLE { Excerpt::Short } else { Excerpt::Blocks };
            let side = |role: &str, name: String, pieces| SideText {
                role: role.to_owned(),
                name,
                pieces,
                ..SideText::default()
            };
            Ok::<_, Problem>(SideBySide {
                left: side("left", name(own), left),
                right: side("right", name(id), right),
                excerpt,
                marks_space: false,
            })
        });
        Ok(Opened { own: own.to_owned(), id: id.to_owned(), sides: sides.transpose()? })
    }
}

/// Renders the results.
pub(super) fn show(found: &Found) -> Html {
    let hits: Html = found.answer.hits.iter().map(|hit| show_hit(found, hit)).collect();
    if hits.is_empty() {
        return html!("<p class=\"found\" role=\"status\">{}</p>\n", summed_up(found));
    }
    html!(
        "<p class=\"found\" role=\"status\">{}</p>\n<div class=\"beside\"><ol class=\"hits\">{}</ol>\n{}</div>\n",
        summed_up(found),
        hits,
        found.opened.as_ref().map(|opened| show_opened(found, opened)).unwrap_or_default()
    )
}

/// Describes the number of matches, of documents, and whether the list is complete.
fn summed_up(found: &Found) -> String {
    let answer = &found.answer;
    let among = format!("among {}, in {}", number::of(found.documents, "document"), took(found.seconds));
    let all = if answer.compared_count == answer.candidate_count {
        String::new()
    } else {
        format!(
            " There are more candidates than were compared: {} of {}.",
            number::count(answer.compared_count),
            number::count(answer.candidate_count)
        )
    };
    let listed = answer.hits.len() as u64;
    match answer.match_count {
        0 => format!("No document has a similarity of {} or more, {among}.{all}", found.threshold),
        1 => format!("1 match {among}. Its similarity is exact.{all}"),
        count if listed < count => format!(
            "{} of {} matches {among}. Every similarity is exact; raise “Matches at most” to see more.{all}",
            number::count(listed),
            number::count(count)
        ),
        count => format!("{} matches {among}. Every similarity is exact.{all}", number::count(count)),
    }
}

pub(super) fn show_hit(found: &Found, hit: &Hit) -> Html {
    let is_open = found.opened.as_ref().is_some_and(|opened| opened.id == hit.id);
    let tag = if hit.exact_copy { Html::ours(" <span class=\"tag\">a copy</span>") } else { Html::default() };
    let parts = match (hit.containment_of_query(), hit.containment_of_match()) {
        (Some(of_query), Some(of_match)) => {
            let is_text = found.query == Queried::Text;
            let whose = if is_text { "of your text is in it" } else { "of the document is in it" };
            html!(
                "<p class=\"part\">{}<span>{} {}</span></p><p class=\"part\">{}<span>{} of it is in {}</span></p>",
                share_line(of_query),
                number::share(of_query),
                whose,
                share_line(of_match),
                number::share(of_match),
                if is_text { "yours" } else { "the document" }
            )
        }
        _ => Html::default(),
    };
    html!(
        "<li class=\"hit\"{}><p class=\"score\"><b>{}</b>{}</p><p class=\"who\"><b dir=\"auto\">{}</b></p>{}{}{}</li>\n",
        Html::ours(if is_open { " aria-current=\"true\"" } else { "" }),
        number::similarity(hit.similarity),
        tag,
        name(&hit.id),
        stored(&hit.fields),
        parts,
        actions(found, &hit.id, is_open)
    )
}

/// The stored fields of a document: its source or address first.
pub(super) fn stored(fields: &str) -> Html {
    let Ok(fields) = serde_json::from_str::<Map<String, Value>>(fields) else { return Html::default() };
    let shown = |(name, value): (&String, &Value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        html!(
            "<span><i>{}</i> <span dir=\"auto\">{}</span></span> ",
            clipped(name, FIELD_LENGTH),
            clipped(&value, FIELD_LENGTH)
        )
    };
    let is_first = |name: &str| matches!(name, "source" | "uri" | "url" | "host" | "title");
    let (first, rest): (Vec<_>, Vec<_>) = fields.iter().partition(|(name, _)| is_first(name));
    let shown: Html = first.into_iter().chain(rest).take(MOST_FIELDS).map(shown).collect();
    html!("<p class=\"stored\">{}</p>", shown)
}

/// Actions for a match: links for a stored document, and buttons that submit the text again.
fn actions(found: &Found, id: &str, is_open: bool) -> Html {
    let compare = match &found.query {
        Queried::Like(own) => {
            let to = address::with("/compare", &[("index", &found.index), ("left", own), ("right", id)]);
            html!("<a class=\"button\" href=\"{}\">Compare<span class=\"unseen\"> with {}</span></a>", to, name(id))
        }
        // The text is not in the form.
        Queried::File => Html::default(),
        Queried::Text => html!(
            "<button form=\"search\" formaction=\"/compare\" name=\"right_id\" value=\"{}\">Compare<span class=\"unseen\"> with {}</span></button>",
            Html::exact(id),
            name(id)
        ),
    };
    let open = match (&found.query, is_open) {
        (_, true) | (Queried::File, _) => Html::default(),
        (Queried::Like(own), false) => {
            let to = address::with("/", &[("index", &found.index), ("like", own), ("open", id)]);
            html!("<a class=\"button\" href=\"{}\">Open<span class=\"unseen\"> {}</span></a> ", to, name(id))
        }
        (Queried::Text, false) => html!(
            "<button form=\"search\" name=\"open\" value=\"{}\">Open<span class=\"unseen\"> {}</span></button> ",
            Html::exact(id),
            name(id)
        ),
    };
    let like = address::with("/", &[("index", &found.index), ("like", id)]);
    html!(
        "<p class=\"actions\">{}{} <a href=\"{}\">More like it<span class=\"unseen\">: {}</span></a></p>",
        open,
        compare,
        like,
        name(id)
    )
}

pub(super) fn show_opened(found: &Found, opened: &Opened) -> Html {
    let body = match &opened.sides {
        Some(sides) => html!("{}{}", sides.strip(), sides.render()),
        None => html!("<p>{}</p>", "The index keeps no texts, so there is nothing to show side by side."),
    };
    let hint = if opened.sides.is_some() { super::measures::legend() } else { Html::default() };
    html!(
        "<section class=\"opened pair\" aria-label=\"{}\">{}{}</section>\n",
        match found.query {
            Queried::Text => "Your text and its match".to_owned(),
            // A page may have many.
            Queried::Like(_) | Queried::File => format!("{} and its match {}", name(&opened.own), name(&opened.id)),
        },
        hint,
        body
    )
}
