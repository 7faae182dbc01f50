//! Queries of files, each answered by an index.

use lookalike_index::{Answer, Hit, SearchOptions, Snapshot};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::corpus::walk::{Walked, walk};
use crate::error::Result;
use crate::options::ReadOptions;
use crate::progress::Progress;
use crate::report::summary::SkippedEntry;

/// A document that was searched for, and what was found.
#[derive(Debug)]
pub struct Asked<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its text.
    pub text: &'a str,
    /// What the index has that is like it.
    pub answer: Answer,
}

/// What was searched for, in numbers.
#[derive(Clone, Debug, Default)]
pub struct Searched {
    /// How many documents were searched for.
    pub queries: u64,
    /// How many of them have a match.
    pub matched: u64,
    /// How many matches there are, up to the limit of each.
    pub hits: u64,
    /// How many answers are not complete, since they have more candidates than are looked at.
    pub incomplete: u64,
    /// How many records have no text.
    pub without_text: u64,
    /// How many entries were skipped.
    pub skipped_count: u64,
    /// What was skipped, and why: the first of them.
    pub skipped: Vec<SkippedEntry>,
}

impl Searched {
    /// Of one query.
    pub fn of(answer: &Answer) -> Self {
        Self {
            queries: 1,
            matched: u64::from(!answer.hits.is_empty()),
            hits: answer.hits.len() as u64,
            incomplete: u64::from(!answer.complete),
            ..Self::default()
        }
    }
}

/// A match, as programs read it.
#[derive(Debug, Serialize)]
pub struct SearchRow<'a> {
    /// What was searched for.
    pub query_id: &'a str,
    /// What was found.
    pub id: &'a str,
    /// How similar they are, by the measure of the index.
    pub similarity: f64,
    /// How much of what was searched for lies in what was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub containment_of_query: Option<f64>,
    /// How much of what was found lies in what was searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub containment_of_match: Option<f64>,
    /// Whether they are equal in every character, up to Unicode's NFC and white space at line ends.
    pub exact_copy: bool,
    /// What is stored with the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<&'a RawValue>,
}

impl<'a> SearchRow<'a> {
    /// A hit of this query.
    pub fn new(query_id: &'a str, hit: &'a Hit) -> Self {
        Self {
            query_id,
            id: &hit.id,
            similarity: hit.similarity,
            containment_of_query: hit.containment_left(),
            containment_of_match: hit.containment_right(),
            exact_copy: hit.is_exact_copy,
            fields: serde_json::from_str(&hit.fields).ok(),
        }
    }
}

/// Searches for every document of the input, and gives the answers to `each`, in its order.
///
/// # Errors
///
/// When an input cannot be read, the index cannot be read, or `each` fails.
pub fn search(
    snapshot: &Snapshot,
    read: &ReadOptions,
    options: &SearchOptions,
    each: &mut (dyn FnMut(Asked<'_>) -> Result<()> + Send),
    progress: &dyn Progress,
) -> Result<Searched> {
    let mut searched = Searched::default();
    let skips = walk(read, "search", progress, |round| {
        let texts: Vec<&str> = round.iter().map(|query| &*query.text).collect();
        for (Walked { id, text, .. }, answer) in round.iter().zip(snapshot.search_many(&texts, options)?) {
            let one = Searched::of(&answer);
            searched.queries += one.queries;
            searched.matched += one.matched;
            searched.hits += one.hits;
            searched.incomplete += one.incomplete;
            each(Asked { id, text, answer })?;
        }
        Ok(())
    })?;
    Ok(Searched { without_text: skips.without_text, skipped_count: skips.count, skipped: skips.named, ..searched })
}
