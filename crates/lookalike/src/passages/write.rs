//! Writes the evidence, husks, and documents without their passages or with a list of them. The output is complete or
//! absent.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::sync::Arc;

use lookalike_core::repeat::Copy;
use lookalike_io::input::discover::{InputFile, unique};
use lookalike_io::write::{OutputFile, Staging, add_field, with_text};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::PassageRows;
use super::baseline::{Baseline, First};
use super::find::Finder;
use super::firsts::Firsts;
use super::gather::Gathered;
use super::rounds::without;
use super::rows::{Husk, RepeatedPassage};
use super::sarif::{Lines, SarifWriter};
use super::summary::PassagesSummary;
use crate::corpus::walk::Walked;
use crate::error::{Error, Result};
use crate::options::{Action, PASSAGES_FIELD, PassageFormat, PassagesOptions, ReadOptions, RowFormat};
use crate::output::destination::REPORT;
use crate::output::kept::{SUMMARY, commit_report, open_report, place_report, write_summary};
use crate::output::sink::{RowWriter, Sink};
use crate::progress::Progress;

/// The names of what a run writes, and a later run may replace.
const ENTRIES: &[&str] = &["annotated", "cut", CUTS, LOG, HUSKS, REPORT, SUMMARY];
const CUTS: &str = "cuts.jsonl";
const LOG: &str = "cuts.sarif";
const HUSKS: &str = "husks.jsonl";

/// The passages of a document.
pub(super) struct Found {
    /// True if it is the first document with some unit.
    pub(super) is_first: bool,
    /// Its repeated passages, in order.
    pub(super) passages: Vec<Copy>,
    /// Of each passage, what identifies its content.
    pub(super) fingerprints: Vec<u64>,
    /// Number of words outside its passages; none if it has no passages.
    pub(super) words_left: Option<u64>,
}

/// The output folder and the sinks of a run.
pub(super) struct Target<'a> {
    staging: Option<Staging>,
    /// The report, where it has a name of its own.
    report: Option<OutputFile>,
    cuts: Option<RowWriter<BufWriter<File>>>,
    log: Option<SarifWriter<BufWriter<File>>>,
    husks: Option<RowWriter<BufWriter<File>>>,
    rows: PassageRows<'a>,
    baseline: Option<Baseline>,
    /// Documents that are the first with some unit.
    firsts: Firsts,
    /// For each file of the input, by its name, what is written of it.
    names: HashMap<String, String>,
    /// The file that is being written.
    open: Option<(Arc<str>, BufWriter<File>)>,
}

impl<'a> Target<'a> {
    /// Makes sure that there is room for the output under its name.
    pub(super) fn open(
        options: &PassagesOptions,
        files: &[InputFile],
        mut rows: PassageRows<'a>,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let stage = |folder| Staging::new(folder, options.force, ENTRIES, files, &progress.unfinished());
        let staging = options.folder().map(stage).transpose()?;
        let report = open_report(options.report_file.as_deref(), options.force, &progress.unfinished())?;
        let file = |name| -> Result<Option<RowWriter<BufWriter<File>>>> {
            let file = staging.as_ref().map(|staging| staging.file(name)).transpose()?;
            Ok(file.map(|file| RowWriter::new(file, RowFormat::Jsonl)))
        };
        let is_log = options.format == PassageFormat::Sarif;
        let cuts = if is_log { None } else { file(CUTS)? };
        let log = staging.as_ref().filter(|_| is_log).map(|staging| staging.file(LOG)).transpose()?;
        let log =
            log.map(|file| SarifWriter::new(file, files, options.counting)).transpose().map_err(Error::unwritable)?;
        let husks = file(HUSKS)?;
        let names_of_files = files.iter().map(|file| &*file.name).collect();
        let baseline = options.baseline.as_deref().map(|path| Baseline::read(path, &names_of_files)).transpose()?;
        if let Some(sink) = &mut rows.passages {
            sink.start(&RepeatedPassage::COLUMNS).map_err(Error::unwritable)?;
        }
        if let Some(sink) = &mut rows.husks {
            sink.start(&Husk::COLUMNS).map_err(Error::unwritable)?;
        }
        let names = names(files, options.action);
        Ok(Self {
            staging,
            report,
            cuts,
            log,
            husks,
            rows,
            baseline,
            firsts: Firsts::new(options, progress),
            names,
            open: None,
        })
    }

    /// Writes the passages found in the documents of a round; `first` is the number of the first document.
    pub(super) fn write(
        &mut self,
        finder: &Finder<'_>,
        first: u32,
        round: &[Walked],
        found: &[Found],
        gathered: &mut Gathered,
    ) -> Result<()> {
        let mut passages = Vec::new();
        let mut husks = Vec::new();
        // A document comes after those that have its passages first.
        for ((number, document), found) in (first..).zip(round).zip(found) {
            if found.is_first {
                let lines = self.log.as_ref().and_then(|_| Lines::of(document));
                self.firsts.add(number, document, lines)?;
            }
            let of_document = self.passages_of(number, document, found)?;
            self.log_passages(document, &of_document)?;
            let husk = husk(finder.options, document, found);
            gathered.add(document, found, &of_document, husk.is_some());
            passages.push(of_document);
            husks.extend(husk);
        }
        if self.staging.is_some() && finder.options.action != Action::Report {
            self.write_documents(finder, round, found, &passages)?;
        }
        let passages: Vec<RepeatedPassage> = passages.into_iter().flatten().collect();
        take(&mut self.cuts, &mut self.rows.passages, passages)?;
        take(&mut self.husks, &mut self.rows.husks, husks)
    }

    fn passages_of(&mut self, number: u32, document: &Walked, found: &Found) -> Result<Vec<RepeatedPassage>> {
        let Self { firsts, baseline, .. } = self;
        let row = |(copy, fingerprint): (&Copy, &u64)| {
            let (first, first_file) = firsts.of(copy.first.document)?;
            let place = || First { file: first_file.to_string(), position: first.position };
            Ok(RepeatedPassage {
                document_id: document.id.clone(),
                start: copy.start.into(),
                end: copy.end.into(),
                first_document_id: first.id.to_string(),
                first_start: copy.first.start.into(),
                copies: copy.documents.into(),
                file: document.file.to_string(),
                position: document.position,
                first_file: first_file.to_string(),
                first_position: first.position,
                fingerprint: format!("{fingerprint:016x}"),
                new: baseline.as_mut().map(|baseline| baseline.is_new(*fingerprint, &document.file, place())),
                document: number,
                first_document: copy.first.document,
            })
        };
        found.passages.iter().zip(&found.fingerprints).map(row).collect()
    }

    fn log_passages(&mut self, document: &Walked, passages: &[RepeatedPassage]) -> Result<()> {
        let Some(log) = &mut self.log else { return Ok(()) };
        let firsts = &mut self.firsts;
        let first_line = |passage: &RepeatedPassage| {
            let (first, _) = firsts.of(passage.first_document)?;
            Ok(first.lines.as_ref().map(|lines| lines.line(passage.first_start)))
        };
        let first_lines = passages.iter().map(first_line).collect::<Result<Vec<Option<u64>>>>()?;
        log.take(document, passages, &first_lines).map_err(Error::unwritable)
    }

    fn write_documents(
        &mut self,
        finder: &Finder<'_>,
        round: &[Walked],
        found: &[Found],
        passages: &[Vec<RepeatedPassage>],
    ) -> Result<()> {
        let options = finder.options;
        let line = |(document, (found, passages)): (&Walked, (&Found, &Vec<RepeatedPassage>))| {
            let is_left_out = options.remove_husks && husk(options, document, found).is_some();
            (!is_left_out).then(|| match options.action {
                Action::Annotate => annotated(options, document, passages),
                Action::Cut | Action::Report => cut(options, document, &found.passages),
            })
        };
        let pairs = round.par_iter().zip(found.par_iter().zip(passages));
        let lines: Vec<Option<Vec<u8>>> = pairs.map(line).collect();
        for (document, line) in round.iter().zip(lines) {
            if self.open.as_ref().is_none_or(|(name, _)| **name != *document.file) {
                self.close()?;
                let staging = self.staging.as_ref().expect("documents are written to a folder");
                let name = self.names.get(&*document.file).expect("every document is of a file");
                self.open = Some((Arc::clone(&document.file), staging.file(name)?));
            }
            if let (Some(mut line), Some((_, file))) = (line, &mut self.open) {
                line.push(b'\n');
                file.write_all(&line).map_err(Error::unwritable)?;
            }
        }
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        self.open.take().map_or(Ok(()), |(_, mut file)| file.flush().map_err(Error::unwritable))
    }

    /// Writes the summary and the report, and gives everything its name.
    pub(super) fn commit(mut self, summary: &PassagesSummary, page: Option<&str>) -> Result<()> {
        self.close()?;
        finish(self.cuts.as_mut(), self.rows.passages)?;
        self.log.as_mut().map_or(Ok(()), SarifWriter::finish).map_err(Error::unwritable)?;
        finish(self.husks.as_mut(), self.rows.husks)?;
        let report = page.map_or(Ok(None), |page| place_report(page, self.report, self.staging.as_ref()))?;
        if let Some(staging) = self.staging {
            write_summary(summary, &staging)?;
            staging.commit()?;
        }
        commit_report(report)
    }
}

/// Gives rows to a file and to a sink.
fn take<R: crate::output::sink::Row + Clone>(
    file: &mut Option<RowWriter<BufWriter<File>>>,
    sink: &mut Option<&mut (dyn Sink<R> + Send)>,
    rows: Vec<R>,
) -> Result<()> {
    match (file, sink) {
        (Some(file), Some(sink)) => {
            file.take(rows.clone()).map_err(Error::unwritable)?;
            sink.take(rows).map_err(Error::unwritable)
        }
        (Some(file), None) => file.take(rows).map_err(Error::unwritable),
        (None, Some(sink)) => sink.take(rows).map_err(Error::unwritable),
        (None, None) => Ok(()),
    }
}

fn finish<R: crate::output::sink::Row>(
    file: Option<&mut RowWriter<BufWriter<File>>>,
    sink: Option<&mut (dyn Sink<R> + Send)>,
) -> Result<()> {
    file.map_or(Ok(()), |file| Sink::<R>::finish(file)).map_err(Error::unwritable)?;
    sink.map_or(Ok(()), super::super::output::sink::Sink::finish).map_err(Error::unwritable)
}

/// Returns the row of a document if it is a husk.
fn husk(options: &PassagesOptions, document: &Walked, found: &Found) -> Option<Husk> {
    let word_count = found.words_left.filter(|words| *words < u64::from(options.husk))?;
    let cut_bytes = found.passages.iter().map(|passage| u64::from(passage.end - passage.start)).sum();
    let (document_id, file) = (document.id.clone(), document.file.to_string());
    Some(Husk { document_id, word_count, cut_bytes, file, position: document.position })
}

/// The line of a document without its passages.
fn cut(options: &PassagesOptions, document: &Walked, passages: &[Copy]) -> Vec<u8> {
    object(&options.read, document, &without(&document.text, passages))
}

/// The line of a document with a list of its passages.
fn annotated(options: &PassagesOptions, document: &Walked, passages: &[RepeatedPassage]) -> Vec<u8> {
    let note = |passage: &RepeatedPassage| {
        json!({
            "start": passage.start,
            "end": passage.end,
            "first_document_id": passage.first_document_id,
            "first_start": passage.first_start,
            "copies": passage.copies,
        })
    };
    let mut line = object(&options.read, document, &document.text);
    add_field(&mut line, PASSAGES_FIELD, &Value::Array(passages.iter().map(note).collect()));
    line
}

/// The object of a document with this text: its own, or one that has what is known of it.
pub(crate) fn object(read: &ReadOptions, document: &Walked, text: &str) -> Vec<u8> {
    let path = &read.settings.fields.text;
    let own = document.entry.as_ref().and_then(|(kind, entry)| with_text(kind, entry, path, text));
    own.unwrap_or_else(|| {
        let mut object = json!({ "id": document.id, "text": text });
        if let Some(uri) = &document.uri {
            object["uri"] = uri.as_str().into();
        }
        object.to_string().into_bytes()
    })
}

/// Output file names by input file.
fn names(files: &[InputFile], action: Action) -> HashMap<String, String> {
    let folder = if action == Action::Annotate { "annotated" } else { "cut" };
    let written = files.iter().map(|file| format!("{folder}/{}", jsonl_name(&file.name))).collect();
    files.iter().map(|file| file.name.clone()).zip(unique(written)).collect()
}

/// The name of a file of JSON lines that is not packed.
pub(crate) fn jsonl_name(name: &str) -> String {
    let packed = [".gz", ".gzip", ".zst", ".zstd"].iter().find_map(|end| name.strip_suffix(end));
    let plain = packed.unwrap_or(name);
    if matches!(plain.rsplit_once('.'), Some((_, "jsonl" | "ndjson"))) {
        plain.to_owned()
    } else {
        format!("{plain}.jsonl")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_go_to_files_of_lines() {
        for (name, written) in [
            ("a.jsonl", "a.jsonl"),
            ("a.jsonl.gz", "a.jsonl"),
            ("x/a.csv.zst", "x/a.csv.jsonl"),
            ("a.html", "a.html.jsonl"),
        ] {
            assert_eq!(jsonl_name(name), written);
        }
    }
}
