//! Paths to files: which files an input means, in which order, and under which name each is known.

use std::collections::{HashMap, HashSet};
use std::fs::{self, Metadata};
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use walkdir::WalkDir;

use crate::error::{Error, Result};

/// Where a file's bytes come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file of this path, which can be read again.
    Path(PathBuf),
    /// A pipe or a device of this path, which cannot.
    Pipe(PathBuf),
    /// Standard input.
    Stdin,
}

/// One file of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// Where its bytes come from.
    pub origin: Origin,
    /// Its name in ids and in the output, with `/` between folders: the path below what all inputs have in common,
    /// so that it does not change with the folder one stands in. No two files have the same.
    pub name: String,
    /// Its size on disk; zero where that is not known.
    pub bytes: u64,
    /// When it was last written to, by which a change is noticed.
    modified: Option<SystemTime>,
    identity: Option<(u64, u64)>,
}

impl InputFile {
    /// The path to show in messages: as the user wrote it.
    pub fn shown(&self) -> PathBuf {
        match &self.origin {
            Origin::Path(path) | Origin::Pipe(path) => path.clone(),
            Origin::Stdin => PathBuf::from("standard input"),
        }
    }

    /// Makes sure that the file is what it was when it was found.
    ///
    /// # Errors
    ///
    /// [`Error::Changed`] when it is not.
    pub fn check_unchanged(&self) -> Result<()> {
        let Origin::Path(path) = &self.origin else { return Ok(()) };
        let is_same = fs::metadata(path).is_ok_and(|now| {
            (now.len(), now.modified().ok(), identity(&now)) == (self.bytes, self.modified, self.identity)
        });
        if is_same { Ok(()) } else { Err(Error::Changed { path: path.clone() }) }
    }
}

/// What tells one file from another, whatever it is called.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems do not tell")]
fn identity(metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}

/// The files that `inputs` mean: files as given, folders with all that lies in them (but hidden files, and what is or
/// lies in `output`), `-` for standard input. In the order given, and by name inside a folder. A file that a folder
/// has under two names, by a link, is read once.
///
/// # Errors
///
/// When a path cannot be read, a folder has no files, a file is given twice, or an input is the output.
pub fn discover(inputs: &[PathBuf], output: Option<&Path>) -> Result<Vec<InputFile>> {
    let output = output.and_then(|output| output.canonicalize().ok());
    let mut found: Vec<Found> = Vec::new();
    let mut seen: HashSet<(u64, u64)> = HashSet::new();
    for input in inputs {
        if input.as_os_str() == "-" {
            if found.iter().any(|file| file.origin == Origin::Stdin) {
                return Err(Error::GivenTwice { path: input.clone() });
            }
            found.push(Found { origin: Origin::Stdin, below: PathBuf::from("stdin"), metadata: None });
            continue;
        }
        let metadata = fs::metadata(input).map_err(Error::unreadable(input))?;
        if output.is_some() && input.canonicalize().ok() == output {
            return Err(Error::OutputIsInput { path: input.clone() });
        }
        let below = std::path::absolute(input).map_err(Error::unreadable(input))?;
        if metadata.is_dir() {
            let before = found.len();
            for file in files_in(input, &below, output.as_deref())? {
                if file.metadata.as_ref().and_then(identity).is_none_or(|file| seen.insert(file)) {
                    found.push(file);
                }
            }
            if found.len() == before {
                return Err(Error::NothingToRead { path: input.clone() });
            }
        } else if metadata.is_file() {
            if identity(&metadata).is_some_and(|file| !seen.insert(file)) {
                return Err(Error::GivenTwice { path: input.clone() });
            }
            found.push(Found { origin: Origin::Path(input.clone()), below, metadata: Some(metadata) });
        } else {
            found.push(Found { origin: Origin::Pipe(input.clone()), below, metadata: None });
        }
    }
    let common = common_folder(found.iter().filter(|file| file.below.is_absolute()).map(|file| file.below.as_path()));
    let names = unique(found.iter().map(|file| name_below(&common, &file.below)).collect());
    let input_file = |(file, name): (Found, String)| InputFile {
        origin: file.origin,
        name,
        bytes: file.metadata.as_ref().map_or(0, Metadata::len),
        modified: file.metadata.as_ref().and_then(|metadata| metadata.modified().ok()),
        identity: file.metadata.as_ref().and_then(identity),
    };
    Ok(found.into_iter().zip(names).map(input_file).collect())
}

struct Found {
    origin: Origin,
    /// Its absolute path, by which it is named.
    below: PathBuf,
    /// Of a regular file.
    metadata: Option<Metadata>,
}

/// The regular files below a folder.
fn files_in(input: &Path, root: &Path, output: Option<&Path>) -> Result<Vec<Found>> {
    let mut files = Vec::new();
    let is_hidden = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    let is_output = |path: &Path| output.is_some() && path.canonicalize().ok().as_deref() == output;
    let walk = WalkDir::new(input).follow_links(true).sort_by_file_name().into_iter();
    for entry in walk.filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry.path()) && !is_output(entry.path())) {
        let entry = match entry {
            Ok(entry) => entry,
            // A link back to a folder above: everything in it is met anyway.
            Err(error) if error.loop_ancestor().is_some() => continue,
            Err(error) => {
                let path = error.path().unwrap_or(input).to_owned();
                let cause = error.into_io_error().unwrap_or_else(|| std::io::ErrorKind::NotFound.into());
                return Err(Error::Unreadable { path, cause });
            }
        };
        if entry.file_type().is_file() {
            let below = entry.path().strip_prefix(input).expect("a walk stays below its root");
            let metadata = fs::metadata(entry.path()).map_err(Error::unreadable(entry.path()))?;
            let origin = Origin::Path(entry.path().to_owned());
            files.push(Found { origin, below: root.join(below), metadata: Some(metadata) });
        }
    }
    Ok(files)
}

/// The deepest folder that all files lie in.
fn common_folder<'a>(files: impl Iterator<Item = &'a Path>) -> PathBuf {
    files
        .map(|file| file.parent().unwrap_or(file).to_owned())
        .reduce(|left, right| {
            let both = left.components().zip(right.components());
            both.take_while(|(left, right)| left == right).map(|(part, _)| part).collect()
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

/// Makes names different that are not, by a number at the end of all but the first: `stdin` and `stdin~2`.
pub fn unique(names: Vec<String>) -> Vec<String> {
    let mut taken: HashSet<String> = names.iter().cloned().collect();
    let mut times: HashMap<String, u32> = HashMap::new();
    let mut different = Vec::with_capacity(names.len());
    for name in names {
        let time = times.entry(name.clone()).or_insert(0);
        *time += 1;
        if *time == 1 {
            different.push(name);
            continue;
        }
        let mut other = format!("{name}~{time}");
        while !taken.insert(other.clone()) {
            *time += 1;
            other = format!("{name}~{time}");
        }
        different.push(other);
    }
    different
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
        assert!(matches!(discover(&[file.clone(), file.clone()], None), Err(Error::GivenTwice { .. })));
        assert!(matches!(discover(&[folder.path().to_owned()], Some(folder.path())), Err(Error::OutputIsInput { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_with_two_names_is_read_once_and_two_files_with_one_name_stay_apart() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.txt"), "x").unwrap();
        std::os::unix::fs::symlink("a.txt", folder.path().join("link.txt")).unwrap();
        std::os::unix::fs::symlink(".", folder.path().join("loop")).unwrap();
        assert_eq!(names(&[folder.path()], None), ["a.txt"]);
        assert_eq!(names(&[&folder.path().join("link.txt")], None), ["link.txt"]);
        let names = ["a", "b", "a", "a~2", "a"].map(str::to_owned).to_vec();
        assert_eq!(unique(names), ["a", "b", "a~3", "a~2", "a~4"]);
    }

    #[test]
    fn a_change_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "one").unwrap();
        let found = discover(std::slice::from_ref(&path), None).unwrap().remove(0);
        found.check_unchanged().unwrap();
        let later = found.modified.unwrap() + std::time::Duration::from_secs(2);
        fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
        assert!(matches!(found.check_unchanged(), Err(Error::Changed { .. })));
    }
}
