//! Results of a search for the documents of a file: one answer per document, with its best match shown.

use std::time::Instant;

use lookalike::index::{self, Asked as Answered, Search, Searched};
use lookalike::{Counted, Progress};
use lookalike_page::{Budget, Html, clipped, html, name, number};

use super::hits::{self, Found, Opener};
use super::search::took;
use crate::access::Sight;
use crate::form::SentFile;
use crate::memory::Memory;
use crate::problem::{Kind, Problem};
use crate::state::OpenIndex;

/// Maximum number of documents with matches to show.
const MOST_SHOWN: usize = 100;

/// Maximum bytes of side-by-side texts in the page.
const TEXT_BYTES: usize = 1_000_000;

/// Maximum number of documents without a match, and of skipped entries, to list.
const NAMED: usize = 20;

/// Maximum number of characters of a reason.
const REASON: usize = 200;

/// Searches for every document of a file, read like the command does, and shows the answers.
pub(super) fn show(
    index: &OpenIndex,
    file: &SentFile,
    search: &Search,
    (sight, memory): (Sight, &Memory),
    until: Instant,
) -> Result<Html, Problem> {
    let start = Instant::now();
    let snapshot = index.snapshot()?;
    let scheme = index.index.scheme();
    let opener = Opener { snapshot: &snapshot, scheme, sight, memory };
    let (mut shown, mut room, mut answers, mut without) = (0, Budget::new(TEXT_BYTES), Html::default(), Vec::new());
    let mut each = |asked: Answered<'_>| {
        let Some(best) = asked.answer.hits.first().map(|hit| hit.id.clone()) else {
            if without.len() < NAMED {
                without.push(document(asked.id, file));
            }
            return Ok(());
        };
        if shown == MOST_SHOWN {
            return Ok(());
        }
        let own = document(asked.id, file);
        let opened = opener.open(&own, Some(asked.text), &best, asked.text.len());
        let found = Found {
            index: index.name.clone(),
            documents: snapshot.len(),
            threshold: search.options.threshold().unwrap_or_else(|| scheme.threshold()),
            query: hits::Queried::File,
            answer: asked.answer,
            seconds: 0.0,
            opened: opened.ok(),
        };
        answers.push(&of_document(&own, &found, shown == 0, &mut room));
        shown += 1;
        Ok(())
    };
    let searched = index::search(&snapshot, search, &mut each, &Until(until));
    let searched = searched.map_err(|error| match error {
        lookalike::Error::Stopped => Problem::new(
            Kind::TookTooLong,
            "the file has too many documents for the page: search for them with the command",
        ),
        lookalike::Error::Index(error) => error.into(),
        error => file.problem(&error),
    })?;
    if let (0, Some(entry)) = (searched.query_count, searched.skipped.first()) {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        let detail = format!("nothing could be read of {name}: {}", clipped(entry.reason.text(), REASON));
        return Err(Problem::new(Kind::NotPossible, detail));
    }
    Ok(html!(
        "<p class=\"found\" role=\"status\">{}</p>\n{}{}{}{}",
        summed_up(&searched, snapshot.len(), start.elapsed().as_secs_f64()),
        answers,
        rest(&searched, shown),
        unmatched(&searched, &without),
        skipped(&searched)
    ))
}

/// The id of a document as its owner knows it: files are shown by their names.
fn document(id: &str, file: &SentFile) -> String {
    let folder = file.path.parent().map(|folder| format!("{}/", folder.display())).unwrap_or_default();
    id.strip_prefix(&folder).unwrap_or(id).to_owned()
}

/// Stops a search when its time is over.
struct Until(Instant);

impl Progress for Until {
    fn stage(&self, _: &'static str, _: Option<u64>) {}
    fn advance(&self, _: u64, _: Counted) {}
    fn finish(&self) {}

    fn is_stopped(&self) -> bool {
        Instant::now() > self.0
    }
}

fn summed_up(searched: &Searched, documents: u64, seconds: f64) -> String {
    let among = format!("among {}, in {}", number::of(documents, "stored document"), took(seconds));
    let of = number::of(searched.query_count, "document");
    let cut = match (searched.listed_count, searched.match_count) {
        (listed, all) if listed < all => {
            format!(
                "{} of {} matches are listed: raise “Matches at most” to see more.",
                number::count(listed),
                number::count(all)
            )
        }
        (_, 1) => "1 match; its similarity is exact.".to_owned(),
        (_, all) => format!("{} matches; every similarity is exact.", number::count(all)),
    };
    let all = match searched.incomplete_count {
        0 => String::new(),
        count => format!(" {} had more candidates than were compared.", number::of(count, "document")),
    };
    format!("{} of {of} in the file matched, {among}. {cut}{all}", number::count(searched.matched_count))
}

/// Renders one document with its matches.
fn of_document(id: &str, found: &Found, is_open: bool, room: &mut Budget) -> Html {
    let (listed, all) = (found.answer.hits.len() as u64, found.answer.match_count);
    let count = if listed < all {
        format!("{} of {} matches", number::count(listed), number::count(all))
    } else if all == 1 {
        "1 match".to_owned()
    } else {
        format!("{} matches", number::count(all))
    };
    let best = found.answer.hits.first().map_or(0.0, |hit| hit.similarity);
    let hits: Html = found.answer.hits.iter().map(|hit| hits::show_hit(found, hit)).collect();
    let opened = found.opened.as_ref().map(|opened| hits::show_opened(found, opened)).unwrap_or_default();
    let opened = if room.take(&opened) {
        opened
    } else {
        html!("<p class=\"soft\">{}</p>", "The page is full: search for this document alone to see the texts.")
    };
    html!(
        "<details class=\"group\"{}><summary><span dir=\"auto\">{}</span> <small>{}, the best {}</small></summary><div class=\"beside\"><ol class=\"hits\">{}</ol>\n{}</div></details>\n",
        Html::ours(if is_open { " open" } else { "" }),
        name(id),
        count,
        number::similarity(best),
        hits,
        opened
    )
}

/// Describes documents with matches that are not shown.
fn rest(searched: &Searched, shown: usize) -> Html {
    match searched.matched_count.saturating_sub(shown as u64) {
        0 => Html::default(),
        more => html!(
            "<p class=\"ask-first\">{} with matches. The command lists all of them.</p>\n",
            number::of(more, "more document")
        ),
    }
}

fn unmatched(searched: &Searched, named: &[String]) -> Html {
    let count = searched.query_count - searched.matched_count;
    if count == 0 {
        return Html::default();
    }
    let more = match count.saturating_sub(named.len() as u64) {
        0 => String::new(),
        more => format!(" and {} more", number::count(more)),
    };
    let names: Vec<String> = named.iter().map(|id| name(id)).collect();
    html!("<p dir=\"auto\"><b>No match:</b> {}{}</p>\n", names.join(", "), more)
}

fn skipped(searched: &Searched) -> Html {
    let without_text = match searched.without_text_count {
        0 => Html::default(),
        count => html!("<p>{} without text.</p>\n", number::of(count, "record")),
    };
    if searched.skipped_count == 0 {
        return without_text;
    }
    let reason = |entry: &lookalike::SkippedEntry| {
        let place = format!("{} {}: ", entry.entry, number::count(entry.position));
        html!("<li>{}{}</li>", place, clipped(entry.reason.text(), REASON))
    };
    let reasons: Html = searched.skipped.iter().take(NAMED).map(reason).collect();
    html!("{}<p><b>Skipped: {}</b></p><ul>{}</ul>\n", without_text, number::count(searched.skipped_count), reasons)
}
