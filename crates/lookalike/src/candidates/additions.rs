//! Adds kept documents to a saved index such that a run interrupted at any moment can be repeated: all of them in one
//! commit, just before the output is renamed into place. No document that this replaces was compared with, so the next
//! attempt decides the same, whether it was interrupted before the commit or after it.

use std::collections::HashMap;

use lookalike_core::ids::Document;
use lookalike_index::NewDocument;
use lookalike_io::work::Faults;
use rayon::prelude::*;

use super::known::OpenIndex;
use crate::corpus::Corpus;
use crate::corpus::reread::Reread;
use crate::error::{Error, Result};
use crate::options::DedupOptions;
use crate::resources::memory::Memory;

/// Kept documents to be added to the index.
#[derive(Default)]
pub(crate) struct Additions {
    unstored: Vec<Addition>,
    /// Number of kept documents that are finally in the index, whichever run added them.
    pub(crate) stored_count: u64,
    /// Number of replaced documents: of the index, or by a later input document with the same id.
    pub(crate) replaced_count: u64,
}

/// Id, fields and text.
type Addition = (String, String, String);

impl OpenIndex {
    /// Reads the kept documents that are to be added, if any.
    pub(crate) fn additions(
        &self,
        corpus: &Corpus,
        kept: &[Document],
        reread: &Reread<'_>,
        options: &DedupOptions,
    ) -> Result<Additions> {
        let Some(writer) = &self.writer else { return Ok(Additions::default()) };
        let stored = writer.snapshot()?;
        check_room(corpus, kept, options.resources.memory)?;
        let read = |document: &Document| {
            let described = corpus.describe(*document)?;
            let uri = described.uri().map(|uri| format!("{{\"uri\":{}}}", serde_json::Value::from(uri)));
            let text = reread.text(*document)?;
            Ok((described.stored_id(&text), uri.unwrap_or_default(), text))
        };
        let read: Vec<Addition> = kept.par_iter().map(read).collect::<Result<_>>()?;
        // Of documents with the same id, the last is stored.
        let last: HashMap<String, usize> = read.iter().enumerate().map(|(at, (id, ..))| (id.clone(), at)).collect();
        let mut additions = Additions { stored_count: last.len() as u64, ..Additions::default() };
        additions.replaced_count = (read.len() - last.len()) as u64;
        for (at, addition) in read.into_iter().enumerate() {
            let (id, _, text) = &addition;
            if last[id] != at {
                continue;
            }
            let is_known = self.own.contains(id);
            // A document that is already in the index keeps its stored fields.
            if is_known && stored.has_text(id, text)? {
                continue;
            }
            additions.replaced_count += u64::from(is_known);
            additions.unstored.push(addition);
        }
        Ok(additions)
    }

    /// Adds the documents that are not in the index yet, in one commit.
    pub(crate) fn add(&self, additions: &Additions, faults: &Faults) -> Result<()> {
        let Some(writer) = &self.writer else { return Ok(()) };
        faults.check_commit().map_err(Error::unwritable)?;
        let documents: Vec<NewDocument<'_>> = additions
            .unstored
            .iter()
            .map(|(id, fields, text)| NewDocument::new(id, text).with_fields(fields))
            .collect();
        writer.put_many(&documents)?;
        faults.check_commit().map_err(Error::unwritable)
    }
}

/// Checks that there is enough memory for the additions. A commit is atomic, so they are held in memory together.
fn check_room(corpus: &Corpus, kept: &[Document], memory: Memory) -> Result<()> {
    let mut bytes = 0;
    for document in kept {
        bytes += u64::from(corpus.row(*document)?.place.length);
    }
    // Twice: as read, and serialized.
    if 2 * bytes > memory.bytes() { Err(Error::NoRoomToAdd { bytes: 2 * bytes }) } else { Ok(()) }
}
