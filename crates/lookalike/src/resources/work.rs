//! Storage of a run for data that does not fit in memory, from which it can be resumed.

use std::path::Path;
use std::sync::OnceLock;

use lookalike_core::hash::Key;
use lookalike_io::input::discover::Origin;
use lookalike_io::input::shelf::Shelf;
use lookalike_io::work::{Earlier, WorkFolder, WorkOptions};
use lookalike_io::write::Unfinished;
use serde_json::Value;

use crate::error::{Error, Result};
use crate::resources::memory::Memory;

/// The memory and the work folder of a run.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) memory: Memory,
    key: Key,
    options: WorkOptions,
    unfinished: Unfinished,
    /// Created when needed, unless the user has named one.
    folder: OnceLock<WorkFolder>,
}

impl Work {
    /// Opens the storage of a run; `parameters` identify it, one per line.
    pub(crate) fn start(
        memory: Memory,
        options: &WorkOptions,
        shelf: &Shelf,
        parameters: &[String],
        unfinished: Unfinished,
    ) -> Result<Self> {
        let folder = OnceLock::new();
        let mut key = Key::random();
        if let Some(path) = &options.folder {
            let label = label(shelf, parameters, options.earlier)?;
            let opened = WorkFolder::open(path, &label, options)?;
            key = opened.key();
            folder.set(opened).expect("it was not set before");
        }
        Ok(Self { memory, key, options: options.clone(), unfinished, folder })
    }

    /// The storage of one task of a run that consists of many: they share the key, and nothing is resumed from here.
    #[cfg(feature = "parquet")]
    pub(crate) fn of_task(memory: Memory, key: Key, unfinished: Unfinished) -> Self {
        Self { memory, key, options: WorkOptions::default(), unfinished, folder: OnceLock::new() }
    }

    /// The storage of a run that reads no files: a folder is created only for data that does not fit in memory.
    pub(crate) fn of_texts(memory: Memory, unfinished: Unfinished) -> Self {
        let (key, options) = (Key::random(), WorkOptions::default());
        Self { memory, key, options, unfinished, folder: OnceLock::new() }
    }

    /// The key of everything that decides: unpredictable, and the same when a run is resumed. The result does not
    /// depend on it.
    pub(crate) fn key(&self) -> Key {
        self.key
    }

    /// The folder that the user has named: everything is written there, whether it fits in memory or not.
    pub(crate) fn named(&self) -> Option<&WorkFolder> {
        self.folder.get().filter(|folder| folder.is_named())
    }

    /// The folder, named or temporary.
    pub(crate) fn folder(&self) -> Result<&WorkFolder> {
        if let Some(folder) = self.folder.get() {
            return Ok(folder);
        }
        let folder = WorkFolder::temporary(&self.options, &self.unfinished)?;
        // If two threads create one, the second is deleted at once.
        Ok(self.folder.get_or_init(|| folder))
    }

    /// The path of the folder, even if it does not exist yet.
    pub(crate) fn shown_folder(&self) -> std::path::PathBuf {
        self.options.folder.clone().unwrap_or_else(std::env::temp_dir)
    }

    /// Ends a completed run, and removes its temporary data.
    pub(crate) fn finish(self) -> Result<()> {
        Ok(self.folder.into_inner().map_or(Ok(()), WorkFolder::finish)?)
    }
}

/// Returns an error if a run to be resumed is already complete: only its result remains.
pub(crate) fn check_not_done(options: &WorkOptions, output: Option<&Path>, result_of: &str) -> Result<()> {
    let (Some(work), Some(output), Earlier::Resume) = (&options.folder, output, options.earlier) else { return Ok(()) };
    let summary = || std::fs::read(output.join("summary.json")).ok();
    if !WorkFolder::is_without_run(work) {
        return Ok(());
    }
    let Some(summary) = summary().and_then(|summary| serde_json::from_slice::<Value>(&summary).ok()) else {
        return Ok(());
    };
    if summary["run"] != *result_of {
        return Ok(());
    }
    let skipped = |name: &str| summary["input"][name].as_u64().unwrap_or(0);
    let skipped = skipped("skipped_count") + skipped("reference_skipped_count");
    Err(Error::RunIsDone { output: output.to_owned(), skipped })
}

/// Identifies a run.
pub(crate) fn label(shelf: &Shelf, parameters: &[String], earlier: Earlier) -> Result<Vec<String>> {
    let mut label = vec![format!("lookalike {}", env!("CARGO_PKG_VERSION"))];
    label.extend_from_slice(parameters);
    for file in shelf.files() {
        if earlier == Earlier::Resume && matches!(file.origin, Origin::Stdin | Origin::Pipe(_) | Origin::Held(_)) {
            return Err(Error::CannotResume { input: file.shown().display().to_string() });
        }
        label.push(file.label());
    }
    Ok(label)
}
