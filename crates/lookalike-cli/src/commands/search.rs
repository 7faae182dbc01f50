//! `lookalike search`: the near-duplicates of a text, a stored document or a file of queries, among the documents of an index.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, anyhow};
use clap::Args;
use lookalike::index::{Answer, Asked, Error as IndexError, Hit, Index, SearchRow, Searched, Snapshot, Store};
use lookalike::io::read::Split;
use lookalike::{FoundText, RowFormat, RowWriter, Scheme, SearchRequest, Sink, TextPair, until_closed};

use crate::commands::index::open;
use crate::commands::{Done, done, to_output};
use crate::flags::output::{RowsGo, SummaryArguments};
use crate::flags::read::SettingArguments;
use crate::flags::resources::ResourceArguments;
use crate::flags::run::RunOptions;
use crate::flags::words::words;
use crate::show::side_by_side::Layout;
use crate::show::streams::{self, talk};
use crate::show::{notes, numbers, one_line, shown_path};

#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    /// The index
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    /// Text to search for; - reads queries from standard input, one per line or JSONL record
    #[arg(value_name = "QUERY")]
    query: Option<String>,
    /// Search for each document of these files, folders, patterns or addresses
    #[arg(long, value_name = "INPUT", num_args = 1.., help_heading = "Input")]
    input: Vec<PathBuf>,
    /// Search for documents similar to the stored document with this id
    #[arg(long, value_name = "ID", help_heading = "Input")]
    like: Option<String>,
    #[command(flatten)]
    settings: SettingArguments,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    summary: SummaryArguments,
    /// Minimum similarity, not below that of the index [default: that of the index]
    #[arg(short, long, value_name = "T", allow_negative_numbers = true, help_heading = "Similarity")]
    threshold: Option<f64>,
    /// Number of matches per query at most [default: 10]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Similarity")]
    top: Option<i64>,
    /// Number of candidates to measure per query at most, those with the most similar sketches first [default: 100000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Method", hide_short_help = true)]
    max_candidates: Option<i64>,
    #[command(flatten)]
    resources: ResourceArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct OutputArguments {
    /// Show each match side by side with the query, with differences in [-…-] and [+…+]
    #[arg(long, conflicts_with = "format")]
    show: bool,
    /// Format of the matches as rows: JSON objects, or tab- or comma-separated with a header line [default: a table for people]
    #[arg(long, value_name = "FORMAT", value_parser = words::<RowFormat>())]
    format: Option<RowFormat>,
    /// File to write to, instead of standard output (-)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the output file if it exists
    #[arg(long)]
    force: bool,
}

impl SearchArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let request = self.request();
        let run = RunOptions { resources: request.resources.check()?, talk: self.resources.run.talk() };
        let search = request.check()?;
        let (path, index) = (self.index.clone(), open(&self.index)?);
        let snapshot = index.snapshot()?;
        let target = self.output.output.clone().filter(|output| output.as_os_str() != "-");
        let show = if self.output.show {
            Show::SideBySide(Layout::of_terminal(target.is_none()), index.scheme())
        } else {
            self.output.format.map_or(Show::Table, Show::Rows)
        };
        let stdout = if self.output.show { Box::new(streams::painted_stdout()) } else { streams::stdout() };
        let force = self.output.force;
        let how = self.summary;
        let start = Instant::now();
        let searched = to_output(target.as_deref(), force, &run, stdout, |writer, progress| {
            let mut out = Shown { writer, snapshot: &snapshot, show, has_header: false };
            let take = &mut |asked: Asked<'_>| out.take(asked);
            let searched = until_closed(lookalike::index::search(&snapshot, &search, take, progress))?;
            until_closed(out.writer.flush().map_err(lookalike::Error::unwritable))?;
            Ok(searched)
        });
        let (searched, is_read) = searched.map_err(|error| with_commands(error, &path, &index))?;
        notes::skipped(&searched.skipped, searched.skipped_count);
        notes::left_out(&searched.left_out);
        notes::without_effect(&searched.without_effect);
        how.print(&searched, RowsGo::to(target.as_deref()), || {
            if is_read {
                note(&searched, &snapshot, start.elapsed().as_secs_f64(), &run, search.options.max_candidates());
            }
            Ok(())
        })?;
        Ok(done(searched.skipped_count))
    }

    fn request(&self) -> SearchRequest {
        let mut request = SearchRequest::default();
        request.input = self.settings.request(self.input.clone());
        match self.query.as_deref() {
            Some("-") if self.input.is_empty() => {
                request.input.inputs.push("-".into());
                request.input.split = request.input.split.or(Some(Split::Line));
            }
            text => request.text = text.map(str::to_owned),
        }
        request.like.clone_from(&self.like);
        request.resources = self.resources.request();
        request.threshold = self.threshold;
        request.top = self.top;
        request.max_candidates = self.max_candidates;
        request
    }
}

/// Names the commands that make an index for a threshold that is too low for this one.
fn with_commands(error: anyhow::Error, path: &Path, index: &Index) -> anyhow::Error {
    let of_job = |cause: &(dyn std::error::Error + 'static)| match cause.downcast_ref() {
        Some(lookalike::Error::Index(IndexError::ThresholdTooLow { threshold, .. })) => Some(*threshold),
        _ => None,
    };
    let of_index = |cause: &(dyn std::error::Error + 'static)| match cause.downcast_ref() {
        Some(IndexError::ThresholdTooLow { threshold, .. }) => Some(*threshold),
        _ => None,
    };
    let Some(threshold) = error.chain().find_map(|cause| of_job(cause).or_else(|| of_index(cause))) else {
        return error;
    };
    let scheme = index.scheme();
    let measure = match scheme.criterion().measure() {
        "jaccard" => String::new(),
        measure => format!(" --measure {measure}"),
    };
    let has_texts = index.snapshot().is_ok_and(|snapshot| snapshot.stat().store == Store::Text);
    let add = if has_texts {
        format!("lookalike index export {} | lookalike index add NEW - --id id", shown_path(path))
    } else {
        "lookalike index add NEW INPUT".to_owned()
    };
    let create = format!("lookalike index create NEW --threshold {threshold}{measure} --shingle {}", scheme.shingle());
    anyhow!("{error}: {create}, then {add}")
}

/// Output format of matches.
#[derive(Clone, Copy)]
enum Show<'a> {
    Table,
    Rows(RowFormat),
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
        let Asked { id, text, answer: Answer { hits, match_count, .. }, .. } = asked;
        for hit in &hits {
            let written = match self.show {
                Show::Table => self.line(id, hit),
                Show::Rows(format) => self.row(format, SearchRow::new(id, hit, match_count)),
                Show::SideBySide(layout, scheme) => {
                    let stored = self.snapshot.document(&hit.id)?.and_then(|document| document.text);
                    let stored = stored.as_deref().unwrap_or("(the index keeps no texts)");
                    let sides = (FoundText::new(id, text), FoundText::new(&hit.id, stored));
                    let pair = TextPair::new(sides.0, sides.1, hit.similarity);
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
        let copy = if hit.exact_copy { " (exact copy)" } else { "" };
        writeln!(
            self.writer,
            "{:<10}  {:<8}  {:<8}  {} → {}{copy}",
            format!("{:.6}", hit.similarity),
            share(hit.containment_of_query()),
            share(hit.containment_of_match()),
            one_line(query),
            one_line(&hit.id)
        )
    }

    fn row(&mut self, format: RowFormat, row: SearchRow) -> io::Result<()> {
        let mut rows: RowWriter<_> = RowWriter::new(&mut *self.writer, format);
        if !std::mem::replace(&mut self.has_header, true) {
            Sink::<SearchRow>::start(&mut rows, &SearchRow::COLUMNS)?;
        }
        rows.take(vec![row])
    }
}

/// Prints notes about missing matches, and a line about what was found.
fn note(searched: &Searched, snapshot: &Snapshot, seconds: f64, run: &RunOptions, max_candidates: usize) {
    if searched.incomplete_count > 0 {
        let who = match (searched.query_count, searched.incomplete_count) {
            (1, _) => "the query has".to_owned(),
            (_, 1) => "1 query has".to_owned(),
            (_, several) => format!("{} queries have", numbers::count(several)),
        };
        let most = numbers::count(max_candidates as u64);
        talk!("note: {who} more than {most} candidates, so matches may be missing: raise --max-candidates");
    }
    if searched.cut_count > 0 {
        let whose = match (searched.query_count, searched.cut_count) {
            (1, _) => String::new(),
            (_, 1) => "1 query has more matches than are listed: ".to_owned(),
            (_, several) => format!("{} queries have more matches than are listed: ", numbers::count(several)),
        };
        let (listed, all) = (numbers::count(searched.listed_count), numbers::count(searched.match_count));
        talk!("note: {whose}{listed} of {all} matches; --top {} lists all", searched.most_match_count);
    }
    if run.is_quiet() {
        return;
    }
    let found = match (searched.listed_count, searched.match_count) {
        (_, 1) => "1 match".to_owned(),
        (listed, all) if listed < all => format!("{} of {} matches", numbers::count(listed), numbers::count(all)),
        (_, all) => format!("{} matches", numbers::count(all)),
    };
    let among = numbers::of(snapshot.len(), "document");
    let queries = match searched.query_count {
        1 => String::new(),
        queries => format!(" for {} of {} queries", numbers::count(searched.matched_count), numbers::count(queries)),
    };
    talk!("{found}{queries} among {among}, in {}", numbers::seconds(seconds));
}
