//! Reconstructs a finished run from its command line: its inputs, and its definition of near-duplicates.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Parser;
use lookalike::io::remote::is_url;
use lookalike::{ReadOptions, RunCommand, Scheme, SketchKey};

use crate::commands::{Arguments, Command};

/// Inputs and scheme of a finished `dedup` run.
pub(crate) struct Finished {
    pub(crate) read: ReadOptions,
    pub(crate) references: Vec<PathBuf>,
    pub(crate) scheme: Scheme,
}

/// Returns the options of the run in a folder; `None` if its input was not files, or the command line is not valid in
/// this version.
///
/// Relative names in the command line are relative to the folder where the run was started. The process does not change
/// to that folder, because other threads use relative names of their own.
pub(crate) fn finished(folder: &Path) -> Result<Option<Finished>> {
    let RunCommand { command, working_folder, .. } = lookalike::command_of(folder)?;
    let there = working_folder.filter(|there| there.is_dir()).unwrap_or_default();
    Ok(of_words(command, &there))
}

/// Returns the input options and references of the run in a folder, if they are known.
#[cfg(feature = "serve")]
pub(crate) fn input_of(folder: &Path) -> Option<(ReadOptions, Vec<PathBuf>)> {
    finished(folder).ok().flatten().map(|finished| (finished.read, finished.references))
}

fn of_words(mut words: Vec<String>, there: &Path) -> Option<Finished> {
    let count = words.len();
    // The key is not recorded, and only affects sketches.
    words.retain(|word| !word.starts_with("--key="));
    if let Some(key) = words.iter().position(|word| word == "--key") {
        words.drain(key..(key + 2).min(words.len()));
    }
    let has_key = words.len() < count;
    // Standard input cannot be read again.
    if words.iter().any(|word| word == "-") {
        return None;
    }
    let Command::Dedup(mut arguments) = Arguments::try_parse_from(words).ok()?.command else { return None };
    arguments.seen_from(there);
    let mut request = arguments.request().ok()?;
    request.read.listed.iter_mut().for_each(|name| seen_from(name, there));
    let options = request.check().ok()?;
    let scheme = options.scheme().clone();
    let scheme = if has_key { scheme.with_key(SketchKey::Random) } else { scheme };
    Some(Finished { read: options.read().clone(), references: options.references().to_vec(), scheme })
}

/// Makes a path relative to a folder valid from every folder.
pub(crate) fn seen_from(name: &mut PathBuf, there: &Path) {
    if name.is_relative() && !name.to_str().is_some_and(is_url) {
        *name = there.join(&*name);
    }
}
