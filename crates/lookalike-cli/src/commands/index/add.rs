//! `lookalike index add`.

use std::io;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use lookalike::index::{Added, Duplicate, add_with};
use lookalike::{AddRequest, RowFormat, RowWriter, Sink, until_closed};

use super::open;
use crate::commands::{Done, done, with_threads};
use crate::flags::output::{RowsGo, SummaryArguments};
use crate::flags::read::ReadArguments;
use crate::flags::resources::{ResourceArguments, adds_to_index};
use crate::flags::run::RunOptions;
use crate::flags::words::words;
use crate::show::streams::{self, talk};
use crate::show::{notes, numbers, one_line};

#[derive(Debug, Args)]
pub(crate) struct AddArguments {
    /// The index
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    #[command(flatten)]
    read: ReadArguments,
    /// Also store these fields or columns, such as date,section, to have them shown with matches
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Input")]
    fields: Vec<String>,
    /// Do not add documents with a near-duplicate in the index or among the documents before them; print them with the stored
    /// document and their similarity
    #[arg(long, help_heading = "Output")]
    unless_duplicate: bool,
    /// Format of the documents that were not added: JSON objects, or tab- or comma-separated with a header line [default: jsonl]
    #[arg(long, value_name = "FORMAT", value_parser = words::<RowFormat>(), requires = "unless_duplicate", help_heading = "Output")]
    format: Option<RowFormat>,
    #[command(flatten)]
    summary: SummaryArguments,
    #[command(flatten)]
    resources: ResourceArguments,
}

impl AddArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let mut request = AddRequest::default();
        request.read = self.read.request()?;
        request.resources = self.resources.request();
        request.unless_duplicate = self.unless_duplicate.then_some(true);
        request.fields = self.fields;
        let options = request.check()?;
        let run = RunOptions { resources: options.resources().clone(), talk: self.resources.run.talk() };
        adds_to_index();
        let writer = open(&self.index)?.writer()?;
        let start = Instant::now();
        let mut rows = RowWriter::new(streams::stdout(), self.format.unwrap_or_default());
        let rows: &mut (dyn Sink<Duplicate> + Send) = &mut rows;
        // Documents are added even if no one reads the list of those that are not.
        let unread = |written: io::Result<()>| until_closed(written.map_err(lookalike::Error::unwritable));
        if self.unless_duplicate {
            unread(rows.start(&Duplicate::COLUMNS))?;
        }
        let added = with_threads(&run, |progress| {
            add_with(&writer, &options, &mut |row| unread(rows.take(vec![row])), progress)
        })??;
        writer.close()?;
        unread(rows.finish())?;
        notes::skipped(&added.skipped, added.skipped_count);
        notes::left_out(&added.left_out);
        notes::without_effect(&added.without_effect);
        if let (Some(field), 1..) = (&options.read().settings().fields.id, added.without_id_count) {
            let documents = numbers::of(added.without_id_count, "document");
            talk!("note: {documents} without a field '{}': named by file, position and text", one_line(field));
        }
        if let Some(field) = &added.id_field {
            notes::id_field(field);
        }
        // Standard output is used for the documents that were not added.
        self.summary.print(&added, RowsGo::ToStdout, || {
            if !run.is_quiet() {
                show(&added, start.elapsed().as_secs_f64());
            }
            Ok(())
        })?;
        Ok(done(added.skipped_count))
    }
}

/// Shows the number of documents by result: added, replaced and so on.
fn show(added: &Added, seconds: f64) {
    let mut parts = vec![format!("{} added", numbers::count(added.added_count))];
    for (count, what) in [
        (added.replaced_count, "replaced"),
        (added.unchanged_count, "unchanged"),
        (added.duplicate_count, "not added (the index has a near-duplicate)"),
        (added.without_text_count, "without a text"),
    ] {
        if count > 0 {
            parts.push(format!("{} {what}", numbers::count(count)));
        }
    }
    talk!(
        "{} read ({}): {}, in {}",
        numbers::of(added.document_count, "document"),
        numbers::bytes(added.input_bytes),
        parts.join(", "),
        numbers::seconds(seconds)
    );
}
