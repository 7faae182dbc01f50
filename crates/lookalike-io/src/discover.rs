//! Paths to files: which files an input means, in which order, and under which name each is known.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use walkdir::WalkDir;

use crate::error::{Error, Result};

/// Where a file's bytes come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file of this path.
    Path(PathBuf),
    /// Standard input.
    Stdin,
}

/// One file of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// Where its bytes come from.
    pub origin: Origin,
    /// Its name in ids and in the output, with `/` between folders: the path below what all inputs have in common,
    /// so that it does not change with the folder one stands in.
    pub name: String,
    /// Its size on disk; zero where that is not known.
    pub bytes: u64,
}

impl InputFile {
    /// The path to show in messages: as the user wrote it.
    pub fn shown(&self) -> PathBuf {
        match &self.origin {
            Origin::Path(path) => path.clone(),
            Origin::Stdin => PathBuf::from("standard input"),
        }
    }
}

/// The files that `inputs` mean: files as given, folders with all that lies in them (but hidden files, and what
/// lies in `output`), `-` for standard input. In the order given, and by name inside a folder.
///
/// # Errors
///
/// When a path cannot be read, a folder has no files, or a file is given twice.
pub fn discover(inputs: &[PathBuf], output: Option<&Path>) -> Result<Vec<InputFile>> {
    let output = output.and_then(|output| output.canonicalize().ok());
    let mut found: Vec<(PathBuf, PathBuf)> = Vec::new();
    for input in inputs {
        if input.as_os_str() == "-" {
            found.push((input.clone(), PathBuf::from("stdin")));
            continue;
        }
        let root = input.canonicalize().map_err(Error::unreadable(input))?;
        if root.is_dir() {
            found.extend(files_in(input, &root, output.as_deref())?);
        } else {
            found.push((input.clone(), root));
        }
    }
    let common =
        common_folder(found.iter().filter(|(shown, _)| shown.as_os_str() != "-").map(|(_, real)| real.as_path()));
    let mut seen = HashSet::new();
    found
        .into_iter()
        .map(|(shown, real)| {
            if !seen.insert(real.clone()) {
                return Err(Error::GivenTwice { path: shown });
            }
            if shown.as_os_str() == "-" {
                return Ok(InputFile { origin: Origin::Stdin, name: "stdin".to_owned(), bytes: 0 });
            }
            let bytes = real.metadata().map_err(Error::unreadable(&shown))?.len();
            let name = name_below(&common, &real);
            Ok(InputFile { origin: Origin::Path(shown), name, bytes })
        })
        .collect()
}

/// The files below a folder, each as shown and as it really is.
fn files_in(input: &Path, root: &Path, output: Option<&Path>) -> Result<Vec<(PathBuf, PathBuf)>> {
    let mut files = Vec::new();
    let is_hidden = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    let walk = WalkDir::new(root).follow_links(true).sort_by_file_name().into_iter();
    for entry in
        walk.filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry.path()) && Some(entry.path()) != output)
    {
        let entry = match entry {
            Ok(entry) => entry,
            // A link back to a folder above: everything in it is met anyway.
            Err(error) if error.loop_ancestor().is_some() => continue,
            Err(error) => {
                let path = error.path().unwrap_or(root).to_owned();
                return Err(Error::unreadable(path)(error.into()));
            }
        };
        if entry.file_type().is_file() {
            let below = entry.path().strip_prefix(root).expect("a walk stays below its root");
            files.push((input.join(below), entry.path().to_owned()));
        }
    }
    if files.is_empty() { Err(Error::NothingToRead { path: input.to_owned() }) } else { Ok(files) }
}

/// The deepest folder that all files lie in.
fn common_folder<'a>(files: impl Iterator<Item = &'a Path>) -> PathBuf {
    files
        .map(|file| file.parent().unwrap_or(file).to_owned())
        .reduce(|left, right| {
            left.components()
                .zip(right.components())
                .take_while(|(left, right)| left == right)
                .map(|(part, _)| part)
                .collect()
        })
        .unwrap_or_default()
}

/// The name of a file below a folder, with `/` on every system. It has no `..`, so it never leads out of an output.
fn name_below(folder: &Path, file: &Path) -> String {
    let below = file.strip_prefix(folder).unwrap_or(file);
    let parts = below.components().filter_map(|part| match part {
        Component::Normal(part) => Some(part.to_string_lossy()),
        _ => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn names(inputs: &[&Path], output: Option<&Path>) -> Vec<String> {
        let inputs: Vec<PathBuf> = inputs.iter().map(|input| input.to_path_buf()).collect();
        discover(&inputs, output).unwrap().into_iter().map(|file| file.name).collect()
    }

    #[test]
    fn a_folder_means_its_files_by_name_without_hidden_ones_and_the_output() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["b.txt", "a/z.jsonl", "a/y.jsonl", ".hidden", "out/kept/b.txt"] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        assert_eq!(names(&[folder.path()], Some(&folder.path().join("out"))), ["a/y.jsonl", "a/z.jsonl", "b.txt"]);
        // The same name in two folders stays apart, and a single file has its own name.
        let [a, out] = ["a", "out"].map(|name| folder.path().join(name));
        assert_eq!(names(&[&out, &a], None), ["out/kept/b.txt", "a/y.jsonl", "a/z.jsonl"]);
        assert_eq!(names(&[&a.join("y.jsonl")], None), ["y.jsonl"]);
    }

    #[test]
    fn what_is_not_there_or_there_twice_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.txt");
        assert!(matches!(discover(std::slice::from_ref(&file), None), Err(Error::Unreadable { .. })));
        assert!(matches!(discover(&[folder.path().to_owned()], None), Err(Error::NothingToRead { .. })));
        fs::write(&file, "x").unwrap();
        assert!(matches!(discover(&[file.clone(), folder.path().to_owned()], None), Err(Error::GivenTwice { .. })));
    }
}
