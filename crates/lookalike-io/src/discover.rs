//! Paths to files: which files an input means, in which order, and under which name each is known.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, Metadata};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use walkdir::WalkDir;

use crate::error::{Error, Result};
use crate::remote::{self, RemoteFile};
use crate::work::is_work_folder;

/// Where a file's bytes come from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A file of this path, which can be read again.
    Path(PathBuf),
    /// A pipe or a device of this path, which cannot.
    Pipe(PathBuf),
    /// Standard input.
    Stdin,
    /// An object of a store, or a page. What is read of it is copied, and can be read again there.
    Remote(RemoteFile),
}

/// One file of the input.
#[derive(Clone, Debug)]
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
    /// All of a pipe, if it had to be read as a whole.
    copy: Arc<OnceLock<File>>,
}

impl InputFile {
    /// The path to show in messages: as the user wrote it.
    pub fn shown(&self) -> PathBuf {
        match &self.origin {
            Origin::Path(path) | Origin::Pipe(path) => path.clone(),
            Origin::Stdin => PathBuf::from("standard input"),
            Origin::Remote(file) => PathBuf::from(file.shown()),
        }
    }

    /// What tells the file from what it was or will be at other times.
    pub fn label(&self) -> String {
        let since = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let modified = self.modified.map_or(0, since);
        format!("input {} of {} bytes, written at {modified}", self.shown().display(), self.bytes)
    }

    /// Sets the copy that is read from then on.
    pub(crate) fn set_copy(&self, copy: File) {
        // Set once, by the one who reads the pipe.
        let _ = self.copy.set(copy);
    }

    /// Opens the file from its start, to be read again.
    ///
    /// # Errors
    ///
    /// When it cannot be opened.
    pub(crate) fn open_again(&self) -> Result<File> {
        let unreadable = Error::unreadable(self.shown());
        match &self.origin {
            Origin::Path(path) => File::open(path).map_err(unreadable),
            Origin::Remote(file) => Ok(file.local().expect("what is read again was read before")),
            Origin::Pipe(_) | Origin::Stdin => {
                self.copy.get().expect("what cannot be read again is spooled").try_clone().map_err(unreadable)
            }
        }
    }

    /// Makes sure that the file is what it was when it was found.
    ///
    /// # Errors
    ///
    /// [`Error::Changed`] when it is not.
    pub fn check_unchanged(&self) -> Result<()> {
        let path = match &self.origin {
            Origin::Path(path) => path,
            Origin::Remote(file) => return file.check_unchanged(),
            Origin::Pipe(_) | Origin::Stdin => return Ok(()),
        };
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
/// lies in `output` or in a work folder), patterns with `*`, `?` and `[…]`, addresses of object stores and pages, `-` for standard input. In the
/// order given, and by name inside a folder. A file that a folder has under two names, by a link, is read once.
///
/// # Errors
///
/// When a path cannot be read, a folder has no files, a file is given twice, or an input is the output.
pub fn discover(inputs: &[PathBuf], output: Option<&Path>) -> Result<Vec<InputFile>> {
    let mut search = Search {
        output: output.and_then(|output| output.canonicalize().ok()),
        output_url: output.and_then(Path::to_str).filter(|output| remote::is_url(output)).map(below_url),
        ..Search::default()
    };
    for input in inputs {
        match input.to_str() {
            Some("-") => search.stdin()?,
            Some(url) if remote::is_url(url) => search.remote(url)?,
            Some(pattern) if is_pattern(pattern) && !input.exists() => search.pattern(pattern)?,
            _ => search.path(input)?,
        }
    }
    let found = search.found;
    let common = common_folder(found.iter().filter(|file| file.below.is_absolute()).map(|file| file.below.as_path()));
    let names = unique(found.iter().map(|file| name_below(&common, &file.below)).collect());
    let input_file = |(file, name): (Found, String)| InputFile {
        bytes: match (&file.metadata, &file.origin) {
            (Some(metadata), _) => metadata.len(),
            (None, Origin::Remote(file)) => file.bytes,
            (None, _) => 0,
        },
        origin: file.origin,
        name,
        modified: file.metadata.as_ref().and_then(|metadata| metadata.modified().ok()),
        identity: file.metadata.as_ref().and_then(identity),
        copy: Arc::default(),
    };
    Ok(found.into_iter().zip(names).map(input_file).collect())
}

/// How all addresses below this one start.
pub(crate) fn below_url(url: &str) -> String {
    format!("{}/", url.trim_end_matches('/'))
}

/// Whether a path has signs of a pattern in it.
fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

/// What was found so far.
#[derive(Default)]
struct Search {
    output: Option<PathBuf>,
    /// How the address of what lies in the output starts, if it is far away.
    output_url: Option<String>,
    found: Vec<Found>,
    seen: HashSet<(u64, u64)>,
    seen_urls: HashSet<String>,
}

impl Search {
    fn stdin(&mut self) -> Result<()> {
        if self.found.iter().any(|file| matches!(file.origin, Origin::Stdin)) {
            return Err(Error::GivenTwice { path: "-".into() });
        }
        self.found.push(Found { origin: Origin::Stdin, below: PathBuf::from("stdin"), metadata: None });
        Ok(())
    }

    fn remote(&mut self, url: &str) -> Result<()> {
        let found = remote::find(url)?;
        let is_output = |file: &RemoteFile| self.output_url.as_ref().is_some_and(|output| file.url.starts_with(output));
        if found.iter().all(is_output) {
            return Err(Error::OutputIsInput { path: url.into() });
        }
        for file in found.into_iter().filter(|file| !is_output(file)).collect::<Vec<_>>() {
            if !self.seen_urls.insert(file.url.clone()) {
                return Err(Error::GivenTwice { path: file.url.into() });
            }
            // As a path: the scheme, the bucket or host, and the name there.
            let url = file.url.split(['?', '#']).next().unwrap_or_default();
            let below = PathBuf::from(format!("/{}", url.replacen("://", "/", 1)));
            self.found.push(Found { origin: Origin::Remote(file), below, metadata: None });
        }
        Ok(())
    }

    fn pattern(&mut self, pattern: &str) -> Result<()> {
        let path = || PathBuf::from(pattern);
        let options = glob::MatchOptions { require_literal_leading_dot: true, ..glob::MatchOptions::default() };
        let paths = glob::glob_with(pattern, options)
            .map_err(|error| Error::NotAPattern { path: path(), reason: error.msg.to_owned() })?;
        let before = self.found.len();
        for matched in paths {
            self.path(&matched.map_err(|error| Error::Unreadable { path: path(), cause: error.into() })?)?;
        }
        if self.found.len() == before { Err(Error::NothingMatches { path: path() }) } else { Ok(()) }
    }

    fn path(&mut self, input: &Path) -> Result<()> {
        let metadata = fs::metadata(input).map_err(Error::unreadable(input))?;
        if self.output.is_some() && input.canonicalize().ok() == self.output {
            return Err(Error::OutputIsInput { path: input.to_owned() });
        }
        let below = std::path::absolute(input).map_err(Error::unreadable(input))?;
        if metadata.is_dir() {
            let before = self.found.len();
            for file in files_in(input, &below, self.output.as_deref())? {
                if file.metadata.as_ref().and_then(identity).is_none_or(|file| self.seen.insert(file)) {
                    self.found.push(file);
                }
            }
            if self.found.len() == before {
                return Err(Error::NothingToRead { path: input.to_owned() });
            }
        } else if metadata.is_file() {
            if identity(&metadata).is_some_and(|file| !self.seen.insert(file)) {
                return Err(Error::GivenTwice { path: input.to_owned() });
            }
            self.found.push(Found { origin: Origin::Path(input.to_owned()), below, metadata: Some(metadata) });
        } else {
            self.found.push(Found { origin: Origin::Pipe(input.to_owned()), below, metadata: None });
        }
        Ok(())
    }
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
    let is_ours = |path: &Path| is_output(path) || path.is_dir() && is_work_folder(path);
    let walk = WalkDir::new(input).follow_links(true).sort_by_file_name().into_iter();
    for entry in walk.filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry.path()) && !is_ours(entry.path())) {
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

    #[test]
    fn a_pattern_means_what_matches_it() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["b.txt", "a.txt", "a.md", ".c.txt", "x/d.txt", "[1].txt"] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let names = |pattern: &str| names(&[&folder.path().join(pattern)], None);
        assert_eq!(names("[ab].*"), ["a.md", "a.txt", "b.txt"]);
        assert_eq!(names("**/?.txt"), ["a.txt", "b.txt", "x/d.txt"]);
        // A file of that very name goes first.
        assert_eq!(names("[1].txt"), ["[1].txt"]);
        let none = discover(&[folder.path().join("*.gz")], None);
        assert!(matches!(none, Err(Error::NothingMatches { .. })));
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
