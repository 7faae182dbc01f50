//! Searches an index for a text, a stored document, or the documents of files.

use std::io;

use lookalike_index::{Answer, Hit, Query, SearchOptions, Snapshot};
use lookalike_io::input::discover::LeftOut;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::corpus::walk::{Walked, walk};
use crate::error::Result;
use crate::options::{ReadOptions, Search, SearchQuery};
use crate::output::sink::{Cell, Row};
use crate::progress::Progress;
use crate::report::summary::SkippedEntry;

/// A query document and its answer.
#[derive(Debug)]
#[non_exhaustive]
pub struct Asked<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its text.
    pub text: &'a str,
    /// The matches in the index.
    pub answer: Answer,
}

impl<'a> Asked<'a> {
    /// Creates the answer to a named text.
    pub fn new(id: &'a str, text: &'a str, answer: Answer) -> Self {
        Self { id, text, answer }
    }
}

/// Counts of a search for many documents.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Searched {
    /// Documents that were searched for.
    pub query_count: u64,
    /// Queries that have a match.
    pub matched_count: u64,
    /// Matches of all queries.
    pub match_count: u64,
    /// Matches that are in the answers, at most `top` per query.
    pub listed_count: u64,
    /// Queries with more matches than are in their answers.
    pub cut_count: u64,
    /// The largest number of matches that a query has.
    pub most_match_count: u64,
    /// Queries with more candidates than may be compared.
    pub incomplete_count: u64,
    /// Records without text.
    pub without_text_count: u64,
    /// Entries that were skipped.
    pub skipped_count: u64,
    /// The first skipped entries, with reasons.
    pub skipped: Vec<SkippedEntry>,
    /// Files that were left out.
    pub left_out: LeftOut,
    /// Options that have no effect on files of these formats.
    pub without_effect: Vec<String>,
}

impl Searched {
    /// Summarizes the answer to one query.
    pub fn of(answer: &Answer) -> Self {
        Self {
            query_count: 1,
            matched_count: u64::from(answer.match_count > 0),
            match_count: answer.match_count,
            listed_count: answer.hits.len() as u64,
            cut_count: u64::from(answer.match_count > answer.hits.len() as u64),
            most_match_count: answer.match_count,
            incomplete_count: u64::from(answer.candidate_count > answer.compared_count),
            ..Self::default()
        }
    }

    fn add(&mut self, one: &Self) {
        self.query_count += one.query_count;
        self.matched_count += one.matched_count;
        self.match_count += one.match_count;
        self.listed_count += one.listed_count;
        self.cut_count += one.cut_count;
        self.most_match_count = self.most_match_count.max(one.most_match_count);
        self.incomplete_count += one.incomplete_count;
    }
}

/// A match, as programs read it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SearchRow {
    /// The id of what was searched for.
    pub query_id: String,
    /// The id of the match.
    pub id: String,
    /// Their similarity by the measure of the index.
    pub similarity: f64,
    /// The share of the query that the match contains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub containment_of_query: Option<f64>,
    /// The share of the match that the query contains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub containment_of_match: Option<f64>,
    /// True if they are equal in every character, up to Unicode's NFC and white space at line ends.
    pub exact_copy: bool,
    /// Number of matches of the query; the rows of a query are the best of them.
    #[serde(default)]
    pub match_count: u64,
    /// The fields that are stored with the match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Map<String, serde_json::Value>>"))]
    pub fields: Option<Box<RawValue>>,
}

impl SearchRow {
    /// The names of its cells.
    pub const COLUMNS: [&'static str; 7] =
        ["query_id", "id", "similarity", "containment_of_query", "containment_of_match", "exact_copy", "match_count"];

    /// Creates the row of a hit of this query, which has this many matches.
    pub fn new(query_id: &str, hit: &Hit, match_count: u64) -> Self {
        Self {
            query_id: query_id.to_owned(),
            id: hit.id.clone(),
            similarity: hit.similarity,
            containment_of_query: hit.containment_of_query(),
            containment_of_match: hit.containment_of_match(),
            exact_copy: hit.exact_copy,
            match_count,
            fields: RawValue::from_string(hit.fields.clone()).ok(),
        }
    }
}

impl Row for SearchRow {
    fn each_cell(&self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()> {
        each(Cell::Text(&self.query_id))?;
        each(Cell::Text(&self.id))?;
        each(Cell::Real(self.similarity))?;
        each(self.containment_of_query.map_or(Cell::Empty, Cell::Real))?;
        each(self.containment_of_match.map_or(Cell::Empty, Cell::Real))?;
        each(Cell::Flag(self.exact_copy))?;
        each(Cell::Whole(self.match_count))
    }
}

/// Answers a search, and passes the answers to `each`: one, or one per document of the input, in input order.
///
/// # Errors
///
/// If an input cannot be read, the index cannot be read or has no document like this, or `each` fails.
pub fn search(
    snapshot: &Snapshot,
    search: &Search,
    each: &mut (dyn FnMut(Asked<'_>) -> Result<()> + Send),
    progress: &dyn Progress,
) -> Result<Searched> {
    let Search { query, options } = search;
    let of_stored;
    let (query, id, text) = match query {
        SearchQuery::Input(read) => return search_input(snapshot, read, options, each, progress),
        SearchQuery::Text(text) => (Query::Text(text), "query", &**text),
        SearchQuery::Document { id, text } => (Query::Document { id, text }, &**id, &**text),
        SearchQuery::Like(id) => {
            of_stored = snapshot.document(id)?.and_then(|document| document.text);
            (Query::Id(id), &**id, of_stored.as_deref().unwrap_or_default())
        }
    };
    let answer = snapshot.search(query, options)?;
    let searched = Searched::of(&answer);
    each(Asked::new(id, text, answer))?;
    Ok(searched)
}

/// Searches for every document of the input.
fn search_input(
    snapshot: &Snapshot,
    read: &ReadOptions,
    options: &SearchOptions,
    each: &mut (dyn FnMut(Asked<'_>) -> Result<()> + Send),
    progress: &dyn Progress,
) -> Result<Searched> {
    let mut searched = Searched::default();
    let skips = walk(read, "search", progress, |round| {
        let queries: Vec<Query<'_>> =
            round.iter().map(|query| Query::Document { id: &query.id, text: &query.text }).collect();
        for (Walked { id, text, .. }, answer) in round.iter().zip(snapshot.search_each(&queries, options)?) {
            searched.add(&Searched::of(&answer));
            each(Asked::new(id, text, answer))?;
        }
        Ok(())
    })?;
    Ok(Searched {
        without_text_count: skips.without_text,
        skipped_count: skips.count,
        skipped: skips.named,
        left_out: skips.left_out,
        without_effect: skips.without_effect,
        ..searched
    })
}
