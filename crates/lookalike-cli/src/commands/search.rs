//! `lookalike search`: the near-duplicates of a text, a stored document or a file of queries, among the documents of an index.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use lookalike::index::{Answer, Asked, Hit, Query, SearchOptions, SearchRow, Searched, Snapshot};
use lookalike::io::read::{Fields, Settings, Split};
use lookalike::{FoundText, ReadOptions, Scheme, TextPair, until_closed};

use crate::commands::index::open;
use crate::commands::{Done, done, to_output};
use crate::flags::run::{RunArguments, RunOptions};
use crate::show::side_by_side::Layout;
use crate::show::streams::{self, talk};
use crate::show::{notes, numbers, one_line};

#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    /// The index
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    /// Text to search for; - reads queries from standard input, one per line or JSONL record
    #[arg(value_name = "TEXT", required_unless_present_any = ["input", "id"], conflicts_with_all = ["input", "id"])]
    text: Option<String>,
    /// Search for each document of these files, folders, patterns or addresses
    #[arg(long, value_name = "INPUT", num_args = 1.., conflicts_with = "id")]
    input: Vec<PathBuf>,
    /// Search for documents similar to the stored document with this id
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// Field of the text in records of queries
    #[arg(long, value_name = "FIELD", default_value = "text")]
    text_field: String,
    /// Field of the id in records of queries [default: file and position]
    #[arg(long, value_name = "FIELD")]
    id_field: Option<String>,
    /// Number of matches per query at most
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Minimum similarity, not below that of the index [default: that of the index]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// Number of candidates to measure per query at most, those with the most similar sketches first
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    max_candidates: usize,
    /// Show each match side by side with the query, with differences in [-…-] and [+…+]
    #[arg(long, conflicts_with = "format")]
    show: bool,
    /// Format of the matches
    #[arg(long, value_enum, default_value_t = FormatArgument::Text)]
    format: FormatArgument,
    /// File to write to, instead of standard output (-)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the output file if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    run: RunArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormatArgument {
    /// A table for people
    Text,
    /// One JSON object per line and match
    Jsonl,
    /// Tab-separated, with a header line
    Tsv,
}

/// What is searched for.
enum Wanted {
    Text(String),
    Id(String),
    Input(Box<ReadOptions>),
}

impl SearchArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let run = self.run.options()?;
        if self.limit == 0 {
            bail!("--limit 0 finds nothing: give 1 or more");
        }
        let options =
            SearchOptions { threshold: self.threshold, limit: self.limit, max_candidates: self.max_candidates };
        let index = open(&self.index)?;
        let snapshot = index.snapshot()?;
        let target = self.output.clone().filter(|output| output.as_os_str() != "-");
        let show = if self.show {
            Show::SideBySide(Layout::of_terminal(target.is_none()), index.scheme())
        } else {
            Show::Rows(self.format)
        };
        let stdout = if self.show { Box::new(streams::painted_stdout()) } else { streams::stdout() };
        let force = self.force;
        let wanted = self.wanted();
        let start = Instant::now();
        let (searched, is_read) = to_output(target.as_deref(), force, run, stdout, |writer, progress| {
            let mut out = Shown { writer, snapshot: &snapshot, show, has_header: false };
            let searched = match &wanted {
                Wanted::Text(text) => {
                    let answer = snapshot.search(Query::Text(text), &options)?;
                    let searched = Searched::of(&answer);
                    until_closed(out.take(Asked { id: "query", text, answer }))?;
                    searched
                }
                Wanted::Id(id) => {
                    let answer = snapshot.search(Query::Id(id), &options)?;
                    let searched = Searched::of(&answer);
                    let text = snapshot.document(id)?.and_then(|document| document.text);
                    until_closed(out.take(Asked { id, text: text.as_deref().unwrap_or_default(), answer }))?;
                    searched
                }
                Wanted::Input(read) => {
                    let take = &mut |asked: Asked<'_>| out.take(asked);
                    until_closed(lookalike::index::search(&snapshot, read, &options, take, progress))?
                }
            };
            until_closed(out.writer.flush().map_err(lookalike::Error::unwritable))?;
            Ok(searched)
        })?;
        notes::skipped(&searched.skipped, searched.skipped_count);
        if is_read {
            note(&searched, &snapshot, start.elapsed().as_secs_f64(), run, options.max_candidates);
        }
        Ok(done(searched.skipped_count))
    }

    fn wanted(self) -> Wanted {
        let fields = Fields { text: self.text_field, id: self.id_field, ..Fields::default() };
        let read = |inputs: Vec<PathBuf>, split| {
            let settings = Settings { fields, split, ..Settings::default() };
            Wanted::Input(Box::new(ReadOptions { settings, ..ReadOptions::new(inputs) }))
        };
        match (self.text, self.id) {
            (Some(text), _) if text == "-" => read(vec!["-".into()], Split::Line),
            (Some(text), _) => Wanted::Text(text),
            (None, Some(id)) => Wanted::Id(id),
            (None, None) => read(self.input, Split::File),
        }
    }
}

/// How matches are shown.
#[derive(Clone, Copy)]
enum Show<'a> {
    Rows(FormatArgument),
    SideBySide(Layout, &'a Scheme),
}

struct Shown<'a> {
    writer: &'a mut (dyn Write + Send),
    snapshot: &'a Snapshot,
    show: Show<'a>,
    has_header: bool,
}

impl Shown<'_> {
    fn take(&mut self, asked: Asked<'_>) -> lookalike::Result<()> {
        let Asked { id, text, answer: Answer { hits, .. } } = asked;
        for hit in &hits {
            let written = match self.show {
                Show::Rows(FormatArgument::Text) => self.line(id, hit),
                Show::Rows(FormatArgument::Jsonl) => self.json(id, hit),
                Show::Rows(FormatArgument::Tsv) => self.tsv(id, hit),
                Show::SideBySide(layout, scheme) => {
                    let stored = self.snapshot.document(&hit.id)?.and_then(|document| document.text);
                    let found = |id: &str, text: &str| FoundText {
                        id: id.to_owned(),
                        place: id.to_owned(),
                        text: text.to_owned(),
                    };
                    let pair = TextPair {
                        left: found(id, text),
                        right: found(&hit.id, stored.as_deref().unwrap_or("(the index keeps no texts)")),
                        similarity: hit.similarity,
                    };
                    layout.write(self.writer, &pair, scheme)
                }
            };
            written.map_err(lookalike::Error::unwritable)?;
        }
        Ok(())
    }

    fn line(&mut self, query: &str, hit: &Hit) -> io::Result<()> {
        if !std::mem::replace(&mut self.has_header, true) {
            writeln!(self.writer, "similarity  of query  of match  query → match")?;
        }
        let share = |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{share:.4}"));
        let copy = if hit.is_exact_copy { " (exact copy)" } else { "" };
        writeln!(
            self.writer,
            "{:<10}  {:<8}  {:<8}  {} → {}{copy}",
            format!("{:.6}", hit.similarity),
            share(hit.containment_left()),
            share(hit.containment_right()),
            one_line(query),
            one_line(&hit.id)
        )
    }

    fn json(&mut self, query: &str, hit: &Hit) -> io::Result<()> {
        serde_json::to_writer(&mut *self.writer, &SearchRow::new(query, hit))?;
        self.writer.write_all(b"\n")
    }

    fn tsv(&mut self, query: &str, hit: &Hit) -> io::Result<()> {
        if !std::mem::replace(&mut self.has_header, true) {
            writeln!(self.writer, "query_id\tid\tsimilarity\tcontainment_of_query\tcontainment_of_match\texact_copy")?;
        }
        let share = |share: Option<f64>| share.map_or_else(String::new, |share| share.to_string());
        let [query, id] = [query, &hit.id].map(|id| id.replace(['\t', '\n', '\r'], " "));
        writeln!(
            self.writer,
            "{query}\t{id}\t{}\t{}\t{}\t{}",
            hit.similarity,
            share(hit.containment_left()),
            share(hit.containment_right()),
            hit.is_exact_copy
        )
    }
}

/// What was found, in a line.
fn note(searched: &Searched, snapshot: &Snapshot, seconds: f64, run: RunOptions, max_candidates: usize) {
    if searched.incomplete > 0 {
        let who = match (searched.queries, searched.incomplete) {
            (1, _) => "the query has".to_owned(),
            (_, 1) => "1 query has".to_owned(),
            (_, several) => format!("{} queries have", numbers::count(several)),
        };
        let most = numbers::count(max_candidates as u64);
        talk!("note: {who} more than {most} candidates, so matches may be missing: raise --max-candidates");
    }
    if run.quiet {
        return;
    }
    let found = match searched.hits {
        1 => "1 match".to_owned(),
        several => format!("{} matches", numbers::count(several)),
    };
    let among = numbers::of(snapshot.len(), "document");
    let queries = match searched.queries {
        1 => String::new(),
        queries => format!(" for {} of {} queries", numbers::count(searched.matched), numbers::count(queries)),
    };
    talk!("{found}{queries} among {among}, in {}", numbers::seconds(seconds));
}
