//! `lookalike index add`.

use std::io;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use lookalike::index::{AddOptions, Added, LeftOut, add_with};
use lookalike::until_closed;

use super::open;
use crate::commands::{Done, done, with_threads};
use crate::flags::read::ReadArguments;
use crate::flags::resources::{adds_to_index, memory};
use crate::show::streams::{self, talk};
use crate::show::{notes, numbers, one_line};

#[derive(Debug, Args)]
pub(crate) struct AddArguments {
    /// The index
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    #[command(flatten)]
    read: ReadArguments,
    /// Leave out documents with a near-duplicate in the index or among the documents before them, and print them as JSONL with
    /// the document that is kept and their similarity
    #[arg(long)]
    unless_alike: bool,
    /// Also store this field or column, to have it shown with matches; may be repeated
    #[arg(long = "field", value_name = "NAME")]
    fields: Vec<String>,
    /// Memory limit, such as 500M or 4G [default: half of the machine's memory]
    #[arg(long, value_name = "SIZE", help_heading = "Resources")]
    memory: Option<String>,
}

impl AddArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let memory = memory(self.memory.as_deref())?;
        let run = self.read.run.options()?.within(memory);
        let mut read = self.read.options(None, memory)?;
        read.settings.limit = read.settings.limit.with_window_log(memory.window_log(run.thread_count().1));
        if let Some(field) = self.fields.iter().find(|field| **field == read.settings.fields.text) {
            bail!("--field {field} names the text, which is stored already: leave it out");
        }
        read.settings.fields.others = self.fields;
        let options = AddOptions { read, unless_alike: self.unless_alike, memory };
        adds_to_index();
        let writer = open(&self.index)?.writer()?;
        let start = Instant::now();
        let mut stdout = streams::stdout();
        let added = with_threads(run, |progress| {
            // Documents are added also when nobody reads which ones are not.
            let mut left_out = |row: LeftOut| {
                let written = serde_json::to_writer(&mut stdout, &row).map_err(io::Error::from);
                until_closed(written.and_then(|()| stdout.write_all(b"\n")).map_err(lookalike::Error::unwritable))
            };
            add_with(&writer, &options, &mut left_out, progress)
        })??;
        writer.close()?;
        until_closed(stdout.flush().map_err(lookalike::Error::unwritable))?;
        notes::skipped(&added.skipped, added.skipped_count);
        if let (Some(field), 1..) = (&options.read.settings.fields.id, added.without_id) {
            let documents = numbers::of(added.without_id, "document");
            talk!("note: {documents} without a field '{}': named by file and position", one_line(field));
        }
        if !run.quiet {
            show(&added, start.elapsed().as_secs_f64());
        }
        Ok(done(added.skipped_count))
    }
}

/// What became of the documents.
fn show(added: &Added, seconds: f64) {
    let mut parts = vec![format!("{} added", numbers::count(added.added))];
    for (count, what) in [
        (added.replaced, "replaced"),
        (added.unchanged, "unchanged"),
        (added.alike, "left out (a near-duplicate is there)"),
        (added.without_text, "without a text"),
    ] {
        if count > 0 {
            parts.push(format!("{} {what}", numbers::count(count)));
        }
    }
    talk!(
        "{} read ({}): {}, in {}",
        numbers::of(added.documents, "document"),
        numbers::bytes(added.bytes),
        parts.join(", "),
        numbers::seconds(seconds)
    );
}
