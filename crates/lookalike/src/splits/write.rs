//! Writes leaks, and all documents with their clusters. The output is complete or absent.

use std::collections::HashMap;
use std::io::Write;

use lookalike_io::input::discover::unique;
use lookalike_io::write::{OutputFile, Staging, add_field};
use serde_json::Value;

use super::Splits;
use super::clusters::Clusters;
use super::leaks::{Leak, SharedPassage};
use super::report::SplitsReport;
use crate::corpus::walk::{ROUND_BYTES, walk_entries};
use crate::error::{Error, Result};
use crate::options::{RowFormat, SplitsOptions};
use crate::output::destination::REPORT;
use crate::output::kept::{SUMMARY, commit_report, open_report, place_report, write_summary};
use crate::output::sink::{Row, RowWriter, Sink};
use crate::passages::{jsonl_name, object};
use crate::progress::Progress;

/// The names of what a run writes, and a later run may replace.
const ENTRIES: &[&str] = &["grouped", LEAKS, PASSAGES, REPORT, SUMMARY];
const LEAKS: &str = "leaks.jsonl";
const PASSAGES: &str = "passages.jsonl";

/// The output folder, if there is one.
pub(super) struct Target {
    staging: Option<Staging>,
    /// The report, if it has a name of its own.
    report: Option<OutputFile>,
    /// For each file of the input, by its name, what is written of it.
    names: HashMap<String, String>,
}

impl Target {
    /// Makes sure that there is room for the output under its name.
    pub(super) fn open(options: &SplitsOptions, splits: &Splits, progress: &dyn Progress) -> Result<Self> {
        debug_assert!(splits.names.len() > 1);
        let files = options.read().discover(options.folder())?.files;
        let stage = |folder| Staging::new(folder, options.force, ENTRIES, &files, &progress.unfinished());
        let staging = options.folder().map(stage).transpose()?;
        let report = open_report(options.report_file(), options.force, &progress.unfinished())?;
        let written = files.iter().map(|file| format!("grouped/{}", jsonl_name(&file.name))).collect();
        let names = files.iter().map(|file| file.name.clone()).zip(unique(written)).collect();
        Ok(Self { staging, report, names })
    }

    /// Writes the evidence, and the documents if they have clusters.
    pub(super) fn write(
        &mut self,
        options: &SplitsOptions,
        leaks: &[Leak],
        passages: &[SharedPassage],
        clusters: Option<Clusters>,
        progress: &dyn Progress,
    ) -> Result<()> {
        let Some(staging) = &self.staging else { return Ok(()) };
        write_rows(staging, LEAKS, leaks)?;
        if options.passages.is_some() {
            write_rows(staging, PASSAGES, passages)?;
        }
        match (&options.group, clusters) {
            (Some(field), Some(clusters)) => self.write_grouped(staging, options, field, clusters.numbers(), progress),
            _ => Ok(()),
        }
    }

    fn write_grouped(
        &self,
        staging: &Staging,
        options: &SplitsOptions,
        field: &str,
        numbers: Vec<u32>,
        progress: &dyn Progress,
    ) -> Result<()> {
        let round_bytes = ROUND_BYTES.min(options.resources().memory.bytes() / 96);
        let mut numbers = numbers.into_iter();
        let mut open = None;
        let changed = || Error::from(lookalike_io::Error::Changed { path: options.read().inputs[0].clone() });
        walk_entries(options.read(), options.folder(), "write", (round_bytes, true), progress, |round| {
            for document in &round {
                if open.as_ref().is_none_or(|(name, _)| *name != document.file) {
                    let name = self.names.get(&*document.file).ok_or_else(changed)?;
                    if let Some((_, mut file)) = open.replace((document.file.clone(), staging.file(name)?)) {
                        file.flush().map_err(Error::unwritable)?;
                    }
                }
                let mut line = object(options.read(), document, &document.text);
                add_field(&mut line, field, &Value::from(numbers.next().ok_or_else(changed)?));
                line.push(b'\n');
                let (_, file) = open.as_mut().expect("it was just opened");
                file.write_all(&line).map_err(Error::unwritable)?;
            }
            Ok(())
        })?;
        open.map_or(Ok(()), |(_, mut file)| file.flush().map_err(Error::unwritable))
    }

    /// Writes the summary and the page, and gives everything its name.
    pub(super) fn commit(self, report: &SplitsReport, page: Option<&str>) -> Result<()> {
        let page = page.map_or(Ok(None), |page| place_report(page, self.report, self.staging.as_ref()))?;
        if let Some(staging) = self.staging {
            write_summary(report, &staging)?;
            staging.commit()?;
        }
        commit_report(page)
    }
}

fn write_rows<R: Row + Clone>(staging: &Staging, name: &str, rows: &[R]) -> Result<()> {
    let mut writer = RowWriter::new(staging.file(name)?, RowFormat::Jsonl);
    writer.take(rows.to_vec()).map_err(Error::unwritable)?;
    Sink::<R>::finish(&mut writer).map_err(Error::unwritable)
}
