//! `lookalike index`: a folder that stores documents, to search them and to compare new ones with them.

mod add;
mod create;
mod show;
pub(super) mod upkeep;

use std::path::Path;

use anyhow::Result;
use clap::Subcommand;
use lookalike::index::Index;

use self::add::AddArguments;
use self::create::CreateArguments;
use self::upkeep::{
    CompactArguments, DeleteArguments, ExportArguments, MergeArguments, SnapshotArguments, StatArguments,
    UpgradeArguments, VerifyArguments,
};
use crate::commands::Done;

#[derive(Debug, Subcommand)]
pub(crate) enum IndexCommand {
    /// Create an empty index, and print the recall to expect.
    #[command(after_help = "Example:\n  lookalike index create archive --threshold 0.8\n\n\
        Threshold, shingle and method are fixed for the life of an index.")]
    Create(CreateArguments),
    /// Add documents; those that are there already, with the same id and text, change nothing.
    #[command(after_help = "Examples:\n  lookalike index add archive examples/news --id id\n  \
        lookalike index add archive examples/five.jsonl --id id --unless-duplicate\n\n\
        Each document is on disk before it is counted. To resume an interrupted run, repeat the command. Without --id, \
        the field id is used if every document has one of its own; otherwise ids are made of file, position and text.")]
    Add(AddArguments),
    /// Delete documents by id: no search finds them any more.
    #[command(after_help = "Examples:\n  lookalike index delete archive agency-007\n  \
        lookalike index delete archive herald-001 herald-002\n\n\
        Their bytes stay on disk until lookalike index compact --purge.")]
    Delete(DeleteArguments),
    /// Join segments and free space; --purge removes every byte of deleted documents.
    Compact(CompactArguments),
    /// Show the contents of an index.
    Stat(StatArguments),
    /// Check every byte of an index; --repair rebuilds what is damaged from the stored texts.
    Verify(VerifyArguments),
    /// Copy an index as it is now, by hard links where possible, while others write to it.
    Snapshot(SnapshotArguments),
    /// Write all documents, in the order in which they were added.
    Export(ExportArguments),
    /// Add the documents of other indexes with the same parameters.
    Merge(MergeArguments),
    /// Bring an index made by an earlier version up to date.
    Upgrade(UpgradeArguments),
}

impl IndexCommand {
    pub(crate) fn run(self) -> Result<Done> {
        match self {
            Self::Create(arguments) => arguments.run(),
            Self::Add(arguments) => arguments.run(),
            Self::Delete(arguments) => arguments.run(),
            Self::Compact(arguments) => arguments.run(),
            Self::Stat(arguments) => arguments.run(),
            Self::Verify(arguments) => arguments.run(),
            Self::Snapshot(arguments) => arguments.run(),
            Self::Export(arguments) => arguments.run(),
            Self::Merge(arguments) => arguments.run(),
            Self::Upgrade(arguments) => arguments.run(),
        }
    }
}

/// Opens an existing index.
pub(crate) fn open(index: &Path) -> Result<Index> {
    Ok(Index::open(index)?)
}
