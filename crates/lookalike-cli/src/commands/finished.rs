//! A finished run by its command line: what it read, and when two documents were near-duplicates.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Parser;
use lookalike::io::remote::is_url;
use lookalike::{ReadOptions, RunCommand, Scheme, SketchKey};

use crate::commands::{Arguments, Command};

/// How a run of `dedup` read its input, and what it looked for.
pub(crate) struct Finished {
    pub(crate) read: ReadOptions,
    pub(crate) references: Vec<PathBuf>,
    pub(crate) scheme: Scheme,
}

/// The options of the run in a folder: none where the input was not files, or the command line is not one of this version.
///
/// Relative names of the command line are those of the folder where the run was started. The process does not go there: other
/// threads have names of their own.
pub(crate) fn finished(folder: &Path) -> Result<Option<Finished>> {
    let RunCommand { command, working_folder, .. } = lookalike::command_of(folder)?;
    let there = working_folder.filter(|there| there.is_dir()).unwrap_or_default();
    Ok(of_words(command, &there))
}

/// What the run in a folder read, if that is known.
#[cfg(feature = "serve")]
pub(crate) fn input_of(folder: &Path) -> Option<(ReadOptions, Vec<PathBuf>)> {
    finished(folder).ok().flatten().map(|finished| (finished.read, finished.references))
}

fn of_words(mut words: Vec<String>, there: &Path) -> Option<Finished> {
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
    let Command::Dedup(mut arguments) = Arguments::try_parse_from(words).ok()?.command else { return None };
    arguments.seen_from(there);
    let mut request = arguments.request().ok()?;
    request.read.listed.iter_mut().for_each(|name| seen_from(name, there));
    let options = request.check().ok()?;
    let scheme = options.scheme().clone();
    let scheme = if has_key { scheme.with_key(SketchKey::Random) } else { scheme };
    Some(Finished { read: options.read().clone(), references: options.references().to_vec(), scheme })
}

/// Makes a name that was written in a folder one that holds in every folder.
pub(crate) fn seen_from(name: &mut PathBuf, there: &Path) {
    if name.is_relative() && !name.to_str().is_some_and(is_url) {
        *name = there.join(&*name);
    }
}
