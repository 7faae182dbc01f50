//! A finished run by its command line: what it read, and when two documents were near-duplicates.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Parser;
use lookalike::io::remote::is_url;
use lookalike::{DedupOptions, ReadOptions, RunCommand, Scheme, SketchKey};

use crate::commands::{Arguments, Command};

/// How a run of `dedup` read its input, and what it looked for.
pub(crate) struct Finished {
    pub(crate) read: ReadOptions,
    pub(crate) references: Vec<PathBuf>,
    pub(crate) scheme: Scheme,
}

/// The options of the run in a folder: none where the input was not files, or the command line is not one of this version.
pub(crate) fn finished(folder: &Path) -> Result<Option<Finished>> {
    let RunCommand { command, working_folder } = lookalike::command_of(folder)?;
    let here = env::current_dir().context("the current folder is gone: go to another")?;
    let there = working_folder.filter(|there| *there != here && there.is_dir());
    let Some(there) = there else { return Ok(of_words(command)) };
    // Lists of files, stop words and indexes that the line names are there too.
    env::set_current_dir(&there).with_context(|| format!("cannot go to {}", there.display()))?;
    let finished = of_words(command);
    env::set_current_dir(&here).with_context(|| format!("cannot go back to {}", here.display()))?;
    Ok(finished.map(|finished| finished.seen_from(&there)))
}

/// What the run in a folder read, if that is known.
#[cfg(feature = "serve")]
pub(crate) fn input_of(folder: &Path) -> Option<(ReadOptions, Vec<PathBuf>)> {
    finished(folder).ok().flatten().map(|finished| (finished.read, finished.references))
}

fn of_words(mut words: Vec<String>) -> Option<Finished> {
    let count = words.len();
    // Its key is not known, and matters only to sketches.
    words.retain(|word| !word.starts_with("--key="));
    if let Some(key) = words.iter().position(|word| word == "--key") {
        words.drain(key..(key + 2).min(words.len()));
    }
    let has_key = words.len() < count;
    // Standard input was read once and for all.
    if words.iter().any(|word| word == "-") {
        return None;
    }
    let Command::Dedup(arguments) = Arguments::try_parse_from(words).ok()?.command else { return None };
    let DedupOptions { read, against, scheme, .. } = arguments.options().ok()?.options;
    let scheme = if has_key { scheme.with_key(SketchKey::Random) } else { scheme };
    Some(Finished { read, references: against.map(|against| against.references).unwrap_or_default(), scheme })
}

impl Finished {
    /// The same, with names that hold in every folder.
    fn seen_from(mut self, there: &Path) -> Self {
        let names = [&mut self.read.inputs, &mut self.read.listed, &mut self.references];
        for name in names.into_iter().flatten() {
            if name.is_relative() && !name.to_str().is_some_and(is_url) {
                *name = there.join(&*name);
            }
        }
        self
    }
}
