//! Paths to files: which files an input means, in which order, and under which name each is known.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use serde::Serialize;
use walkdir::WalkDir;

use crate::error::{Error, Result};
use crate::remote::{self, RemoteFile};
use crate::work::is_work_folder;
use crate::write::{beside, parent};

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

/// The files that an input means, and what was met on the way and is not read.
#[derive(Clone, Debug, Default)]
pub struct Discovered {
    /// The files to read, in order.
    pub files: Vec<InputFile>,
    /// What is not read though nothing is wrong with it.
    pub left_out: LeftOut,
}

/// What lies in the folders of an input and is not read, though nothing is wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Files and folders whose names start with a dot.
    pub hidden: Names,
    /// Further names of files and folders that are read: symbolic and hard links.
    pub links: Names,
    /// Folders that hold an unfinished run.
    pub work_folders: Names,
}

/// Names of files: all are counted, and the first are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Names {
    /// How many there are.
    pub count: u64,
    /// The first of them.
    pub first: Vec<String>,
}

impl LeftOut {
    /// Adds what another search left out.
    pub fn add(&mut self, other: Self) {
        self.hidden.add(other.hidden);
        self.links.add(other.links);
        self.work_folders.add(other.work_folders);
    }

    /// Forgets the work folder of this very run, which a run that is not resumed does not meet.
    pub(crate) fn forget_work_folder(&mut self, own: &Path) {
        let Ok(own) = own.canonicalize() else { return };
        let names = &mut self.work_folders;
        let before = names.first.len();
        names.first.retain(|name| Path::new(name).canonicalize().ok().as_ref() != Some(&own));
        names.count -= (before - names.first.len()) as u64;
    }
}

impl Names {
    /// How many names are kept.
    const KEPT: usize = 100;

    fn push(&mut self, path: &Path) {
        self.add(Self { count: 1, first: vec![path.display().to_string()] });
    }

    fn add(&mut self, other: Self) {
        self.count += other.count;
        let room = Self::KEPT.saturating_sub(self.first.len());
        self.first.extend(other.first.into_iter().take(room));
    }
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
    /// Whether the user named it. One that was found in a folder, by a pattern or in a list is skipped if it cannot be read.
    pub is_named: bool,
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
        // What could not even be looked at was skipped, so nothing was read of it.
        let was_skipped = self.modified.is_none() && self.identity.is_none();
        let is_same = was_skipped
            || fs::metadata(path).is_ok_and(|now| {
                (now.len(), now.modified().ok(), identity(&now)) == (self.bytes, self.modified, self.identity)
            });
        if is_same { Ok(()) } else { Err(Error::Changed { path: path.clone() }) }
    }
}

impl InputFile {
    /// Writes all of the file as it lies on disk. False, and nothing is written, where it cannot be read a second time.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or the output cannot be written; `path` is named then.
    pub fn copy_to(&self, path: &Path, writer: &mut impl Write) -> Result<bool> {
        let Origin::Path(input) = &self.origin else { return Ok(false) };
        let mut file = File::open(input).map_err(Error::unreadable(input))?;
        let copied = io::copy(&mut file, writer).map_err(Error::unwritable(path))?;
        if copied == self.bytes { Ok(true) } else { Err(Error::Changed { path: input.clone() }) }
    }

    /// Why it is skipped, when it cannot be read.
    pub(crate) fn why_skipped(&self, cause: &io::Error) -> String {
        match fs::read_link(self.shown()) {
            Ok(target) if cause.kind() == io::ErrorKind::NotFound => {
                format!("a link to {}, which does not exist", target.display())
            }
            _ => format!("cannot be read: {cause}"),
        }
    }
}

/// What tells one file from another, whatever it is called.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems do not tell")]
pub(crate) fn identity(metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
pub(crate) fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}

/// The files that `inputs` mean: files as given, folders with all that lies in them (but hidden files, and what is or
/// lies in `output` or in a work folder), patterns with `*`, `?` and `[…]`, addresses of object stores and pages, `-` for standard input. In the
/// order given, and by name inside a folder. A file that is met under several names, by links, is read once.
///
/// # Errors
///
/// When a path cannot be read, a folder has no files, an input is given twice, or an input is the output.
pub fn discover(inputs: &[PathBuf], output: Option<&Path>) -> Result<Discovered> {
    discover_listed(inputs, &[], output)
}

/// As [`discover`], with further inputs that stand in a list: what cannot be read of these is skipped when it is opened.
///
/// # Errors
///
/// As [`discover`].
pub fn discover_listed(inputs: &[PathBuf], listed: &[PathBuf], output: Option<&Path>) -> Result<Discovered> {
    let mut search = Search {
        output: output.and_then(real_output),
        output_url: output
            .and_then(Path::to_str)
            .filter(|output| remote::is_url(output))
            .map(|output| below_url(&remote::place(output))),
        ..Search::default()
    };
    let inputs = inputs.iter().map(|input| (input, true)).chain(listed.iter().map(|input| (input, false)));
    for (input, is_named) in inputs {
        match input.to_str() {
            Some("-") => search.stdin()?,
            Some(url) if remote::is_url(url) => search.remote(url)?,
            Some(pattern) if is_pattern(pattern) && !input.exists() => search.pattern(pattern)?,
            _ => {
                let absolute = std::path::absolute(input).map_err(Error::unreadable(input))?;
                if !search.given.insert(absolute) {
                    return Err(Error::GivenTwice { path: input.clone() });
                }
                search.path(input, is_named)?;
            }
        }
    }
    let (found, left_out) = search.finish();
    let common = common_folder(found.iter().filter(|file| file.below.is_absolute()).map(|file| file.below.as_path()));
    let names = unique(found.iter().map(|file| name_below(&common, &file.below)).collect());
    let input_file = |(file, name): (Found, String)| InputFile {
        bytes: match (&file.facts, &file.origin) {
            (Some(facts), _) => facts.bytes,
            (None, Origin::Remote(file)) => file.bytes,
            (None, _) => 0,
        },
        origin: file.origin,
        name,
        is_named: file.is_named,
        modified: file.facts.and_then(|facts| facts.modified),
        identity: file.facts.and_then(|facts| facts.identity),
        copy: Arc::default(),
    };
    Ok(Discovered { files: found.into_iter().zip(names).map(input_file).collect(), left_out })
}

/// The path of an output whatever links lead to it, also of one that is not there yet.
fn real_output(output: &Path) -> Option<PathBuf> {
    let below = || Some(parent(output).canonicalize().ok()?.join(output.file_name()?));
    output.canonicalize().ok().or_else(below)
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
    /// Files and folders that were given by their names.
    given: HashSet<PathBuf>,
    /// One file may be here several times, under one name or many.
    found: Vec<Found>,
    seen_urls: HashSet<String>,
    left_out: LeftOut,
}

struct Found {
    origin: Origin,
    /// Its absolute path, by which it is named.
    below: PathBuf,
    /// Of a regular file; none where it cannot be had.
    facts: Option<Facts>,
    /// Whether it was reached through a symbolic link.
    is_link: bool,
    /// Whether the user named it.
    is_named: bool,
}

/// What is kept of a file's metadata: there may be millions of files.
#[derive(Clone, Copy)]
struct Facts {
    bytes: u64,
    modified: Option<SystemTime>,
    identity: Option<(u64, u64)>,
}

impl Facts {
    fn of(metadata: &Metadata) -> Self {
        Self { bytes: metadata.len(), modified: metadata.modified().ok(), identity: identity(metadata) }
    }
}

impl Found {
    /// Something that is not a regular file.
    fn special(origin: Origin, below: PathBuf) -> Self {
        Self { origin, below, facts: None, is_link: false, is_named: true }
    }

    /// What is the same for all names of one file.
    fn key(&self) -> Key {
        let identity = self.facts.and_then(|facts| facts.identity);
        identity.map_or_else(|| Key::Path(without_detours(&self.below)), Key::Identity)
    }
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Identity((u64, u64)),
    Path(PathBuf),
}

/// What is the same for all names of one folder.
fn folder_key(path: &Path) -> Key {
    let identity = fs::metadata(path).ok().as_ref().and_then(identity);
    identity.map_or_else(|| Key::Path(path.canonicalize().unwrap_or_else(|_| path.to_owned())), Key::Identity)
}

impl Search {
    fn stdin(&mut self) -> Result<()> {
        if self.found.iter().any(|file| matches!(file.origin, Origin::Stdin)) {
            return Err(Error::GivenTwice { path: "-".into() });
        }
        self.found.push(Found::special(Origin::Stdin, PathBuf::from("stdin")));
        Ok(())
    }

    fn remote(&mut self, url: &str) -> Result<()> {
        let found = remote::find(url)?;
        let is_output = |file: &RemoteFile| {
            self.output_url.as_ref().is_some_and(|output| remote::place(&file.url).starts_with(output))
        };
        if found.iter().all(is_output) {
            return Err(Error::OutputIsInput { path: url.into() });
        }
        for file in found.into_iter().filter(|file| !is_output(file)).collect::<Vec<_>>() {
            if !self.seen_urls.insert(file.url.clone()) {
                return Err(Error::GivenTwice { path: file.url.into() });
            }
            // As a path: the scheme, the bucket or host, and the name there.
            let place = remote::place(&file.url);
            let url = place.split(['?', '#']).next().unwrap_or_default();
            let below = PathBuf::from(format!("/{}", url.replacen("://", "/", 1)));
            self.found.push(Found::special(Origin::Remote(file), below));
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
            // What cannot be looked into is skipped when it is opened.
            let matched = matched.unwrap_or_else(|error| error.path().to_owned());
            self.path(&matched, false)?;
        }
        if self.found.len() == before { Err(Error::NothingMatches { path: path() }) } else { Ok(()) }
    }

    fn path(&mut self, input: &Path, is_named: bool) -> Result<()> {
        let below = std::path::absolute(input).map_err(Error::unreadable(input))?;
        let origin = Origin::Path(input.to_owned());
        let metadata = match fs::metadata(input) {
            Ok(metadata) => metadata,
            Err(cause) if is_named => return Err(Error::unreadable(input)(cause)),
            Err(_) => {
                self.found.push(Found { origin, below, facts: None, is_link: false, is_named });
                return Ok(());
            }
        };
        if self.output.is_some() && input.canonicalize().ok() == self.output {
            return Err(Error::OutputIsInput { path: input.to_owned() });
        }
        if metadata.is_dir() {
            let before = self.found.len();
            self.folder(input, &below)?;
            if self.found.len() == before {
                return Err(Error::NothingToRead { path: input.to_owned() });
            }
        } else if metadata.is_file() {
            let is_link = input.is_symlink();
            self.found.push(Found { origin, below, facts: Some(Facts::of(&metadata)), is_link, is_named });
        } else {
            self.found.push(Found::special(Origin::Pipe(input.to_owned()), below));
        }
        Ok(())
    }

    /// The regular files below a folder, and what should be one and cannot be read.
    ///
    /// Every folder is walked once, however many links lead to it: links that lead to each other would otherwise double
    /// the walk at each level. Real folders go first, so that files have their own names; links follow, each by itself.
    fn folder(&mut self, input: &Path, root: &Path) -> Result<()> {
        let first = self.found.len();
        let mut walked: HashSet<Key> = HashSet::new();
        let mut links = BTreeSet::new();
        self.walk(input, input, root, &mut walked, &mut links)?;
        while let Some(link) = links.pop_first() {
            self.walk(&link, input, root, &mut walked, &mut links)?;
        }
        // By name, as if links were folders.
        self.found[first..].sort_by(|left, right| left.below.cmp(&right.below));
        Ok(())
    }

    /// Goes through one folder, or one that a link leads to, and notes links to others.
    fn walk(
        &mut self,
        start: &Path,
        input: &Path,
        root: &Path,
        walked: &mut HashSet<Key>,
        links: &mut BTreeSet<PathBuf>,
    ) -> Result<()> {
        let Self { output, found, left_out, .. } = self;
        let is_hidden = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let is_output = |path: &Path| output.is_some() && path.canonicalize().ok() == *output;
        // What a killed run left of this output: the run that makes it removes that.
        let aside = output.as_deref().and_then(beside);
        let is_ours = |path: &Path| {
            is_output(path)
                || aside.as_ref().is_some_and(|aside| path.file_name() == aside.file_name())
                    && path.canonicalize().ok() == aside
        };
        let is_by_link = start != input;
        let mut walk = WalkDir::new(start).sort_by_file_name().into_iter();
        while let Some(entry) = walk.next() {
            let (path, depth) = match &entry {
                Ok(entry) => (entry.path().to_owned(), entry.depth()),
                Err(error) => (error.path().unwrap_or(start).to_owned(), error.depth()),
            };
            let is_symlink = depth > 0 && entry.as_ref().is_ok_and(walkdir::DirEntry::path_is_symlink);
            let metadata = if is_symlink || depth == 0 { fs::metadata(&path).ok() } else { None };
            let is_folder = match &metadata {
                Some(metadata) => metadata.is_dir(),
                None => entry.as_ref().is_ok_and(|entry| entry.file_type().is_dir()),
            };
            let is_ours = depth > 0 && is_ours(&path);
            let is_work = || is_folder && depth > 0 && is_work_folder(&path);
            if is_ours || depth > 0 && (is_hidden(&path) || is_work()) {
                if is_hidden(&path) && !is_ours {
                    left_out.hidden.push(&path);
                } else if !is_ours {
                    left_out.work_folders.push(&path);
                }
                if is_folder && !is_symlink {
                    walk.skip_current_dir();
                }
                continue;
            }
            let metadata = match entry {
                Ok(_) if is_folder && is_symlink => {
                    links.insert(path);
                    continue;
                }
                Ok(_) if is_folder => {
                    if !walked.insert(folder_key(&path)) {
                        if depth == 0 {
                            left_out.links.push(&path);
                        }
                        walk.skip_current_dir();
                    }
                    continue;
                }
                // What leads nowhere is skipped when it is opened.
                Ok(_) if is_symlink => match metadata {
                    Some(metadata) if !metadata.is_file() => continue,
                    metadata => metadata,
                },
                Ok(entry) if entry.file_type().is_file() => fs::metadata(&path).ok(),
                // A pipe or a socket.
                Ok(_) => continue,
                Err(error) if depth == 0 && !is_by_link => {
                    let cause = error.into_io_error().unwrap_or_else(|| io::ErrorKind::NotFound.into());
                    return Err(Error::Unreadable { path, cause });
                }
                // What may not be looked into is skipped when it is opened.
                Err(_) => None,
            };
            let below = root.join(path.strip_prefix(input).expect("a walk stays below its root"));
            let is_link = is_by_link || is_symlink;
            let facts = metadata.as_ref().map(Facts::of);
            found.push(Found { origin: Origin::Path(path), below, facts, is_link, is_named: false });
        }
        Ok(())
    }

    /// Every file once: by its own name rather than by that of a link, and by the first of several.
    fn finish(self) -> (Vec<Found>, LeftOut) {
        let Self { mut found, mut left_out, .. } = self;
        let mut chosen: HashMap<Key, usize> = HashMap::with_capacity(found.len());
        let mut is_read = vec![true; found.len()];
        for (at, file) in found.iter().enumerate() {
            match chosen.entry(file.key()) {
                Entry::Vacant(entry) => drop(entry.insert(at)),
                Entry::Occupied(mut entry) => {
                    let first = *entry.get();
                    let (read, other) = if found[first].is_link && !file.is_link { (at, first) } else { (first, at) };
                    entry.insert(read);
                    is_read[other] = false;
                    let [read, other] = [read, other].map(|at| &found[at]);
                    // A file that was given and lies in a folder that was given has one name.
                    if without_detours(&read.below) != without_detours(&other.below)
                        && let Origin::Path(path) = &other.origin
                    {
                        left_out.links.push(path);
                    }
                }
            }
        }
        let mut is_read = is_read.into_iter();
        found.retain(|_| is_read.next().unwrap_or(true));
        (found, left_out)
    }
}

/// A path without `..`, as it is written: links are not looked at.
fn without_detours(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
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
        discover(&inputs, output).unwrap().files.into_iter().map(|file| file.name).collect()
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
    fn hidden_files_and_folders_are_counted_and_named() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["a.txt", ".DS_Store", ".git/config", ".git/HEAD", "sub/.x"] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let found = discover(&[folder.path().to_owned()], None).unwrap();
        assert_eq!(found.files.len(), 1);
        let names = [".DS_Store", ".git", "sub/.x"].map(|name| folder.path().join(name).display().to_string());
        assert_eq!(found.left_out.hidden, Names { count: 3, first: names.to_vec() });
        // Named, it is read.
        let named = discover(&[folder.path().join(".DS_Store")], None).unwrap();
        assert_eq!((named.files.len(), named.left_out), (1, LeftOut::default()));
        let mut many = Names::default();
        (0..1000).for_each(|_| many.push(Path::new("x")));
        assert_eq!((many.count, many.first.len()), (1000, Names::KEPT));
    }

    #[test]
    fn a_folder_that_looks_like_a_work_folder_is_counted_and_named_and_read_when_it_is_given() {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in
            [("a.txt", "x"), ("w/run.lock", ""), ("w/run.json", r#"{"lookalike":"work"}"#), ("w/b.txt", "y")]
        {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let work = folder.path().join("w");
        let mut found = discover(&[folder.path().to_owned()], None).unwrap();
        assert_eq!(found.files.len(), 1);
        assert_eq!(found.left_out.work_folders, Names { count: 1, first: vec![work.display().to_string()] });
        found.left_out.forget_work_folder(&work);
        assert_eq!(found.left_out, LeftOut::default());
        assert_eq!(names(&[&work], None), ["b.txt", "run.json", "run.lock"]);
    }

    #[test]
    fn what_a_killed_run_left_beside_its_output_is_not_counted() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["a.txt", ".lookalike-out/new/x.txt", ".lookalike-other/new/x.txt"] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let found = discover(&[folder.path().to_owned()], Some(&folder.path().join("out"))).unwrap();
        let other = folder.path().join(".lookalike-other").display().to_string();
        assert_eq!(found.left_out.hidden, Names { count: 1, first: vec![other] });
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
    fn a_file_is_read_once_by_its_own_name_and_its_links_are_named() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("real")).unwrap();
        fs::write(at("m.txt"), "x").unwrap();
        fs::write(at("real/n.txt"), "y").unwrap();
        // Links come before and after what they lead to, in the order of names.
        symlink("m.txt", at("a.txt")).unwrap();
        symlink("m.txt", at("z.txt")).unwrap();
        fs::hard_link(at("m.txt"), at("o.txt")).unwrap();
        symlink("real", at("also")).unwrap();
        symlink(".", at("loop")).unwrap();
        assert_eq!(names(&[folder.path()], None), ["m.txt", "real/n.txt"]);
        let left_out = |inputs: &[PathBuf]| discover(inputs, None).unwrap().left_out.links;
        let links = ["a.txt", "also", "loop", "o.txt", "z.txt"].map(|name| at(name).display().to_string());
        let mut found = left_out(&[folder.path().to_owned()]);
        found.first.sort();
        assert_eq!(found, Names { count: 5, first: links.to_vec() });
        // Named, a link is read by its name; with what it leads to, once.
        assert_eq!(names(&[&at("a.txt")], None), ["a.txt"]);
        assert_eq!(names(&[&at("a.txt"), &at("m.txt")], None), ["m.txt"]);
        assert_eq!(left_out(&[at("a.txt"), at("m.txt")]).count, 1);
        // A file that is also in a folder has one name, however it is written.
        assert_eq!(names(&[&at("real"), &at("real/n.txt")], None), ["n.txt"]);
        assert_eq!(left_out(&[at("real"), at("real/n.txt")]).count, 0);
        assert_eq!(left_out(&[at("real"), at("real/../real/n.txt")]).count, 0);
    }

    #[cfg(unix)]
    #[test]
    fn folders_full_of_links_to_each_other_are_walked_once_each() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |level: usize| folder.path().join(format!("{level:02}"));
        // Two links from each folder into the next: 2^36 ways to the last one.
        for level in 0..36 {
            fs::create_dir(at(level)).unwrap();
            fs::write(at(level).join("file.txt"), level.to_string()).unwrap();
            for link in ["a", "b"] {
                symlink(format!("../{:02}", level + 1), at(level).join(link)).unwrap();
            }
        }
        fs::create_dir(at(36)).unwrap();
        let all = discover(&[folder.path().to_owned()], None).unwrap();
        assert_eq!(all.files.len(), 36);
        assert!(all.files.iter().all(|file| file.name.ends_with("/file.txt") && file.name.len() == 11));
        assert_eq!(all.left_out.links.count, 72);
        // Where links are the only way, the first of them names what it leads to.
        let from_first = names(&[&at(0)], None);
        assert_eq!((from_first.len(), from_first[0].clone()), (36, format!("{}file.txt", "a/".repeat(35))));
    }

    #[test]
    fn two_files_with_one_name_stay_apart() {
        let names = ["a", "b", "a", "a~2", "a"].map(str::to_owned).to_vec();
        assert_eq!(unique(names), ["a", "b", "a~3", "a~2", "a~4"]);
    }

    #[cfg(unix)]
    #[test]
    fn what_leads_nowhere_is_refused_when_named_and_left_to_be_skipped_when_found() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link.txt");
        std::os::unix::fs::symlink("gone", &link).unwrap();
        std::os::unix::fs::symlink("gone", folder.path().join(".hidden")).unwrap();
        assert!(matches!(discover(std::slice::from_ref(&link), None), Err(Error::Unreadable { .. })));
        for found in [
            discover(&[folder.path().to_owned()], None).unwrap(),
            discover(&[folder.path().join("*.txt")], None).unwrap(),
            discover_listed(&[], std::slice::from_ref(&link), None).unwrap(),
        ] {
            assert_eq!((found.files.len(), found.files[0].is_named), (1, false));
            found.files[0].check_unchanged().unwrap();
            let cause = fs::metadata(&link).unwrap_err();
            assert_eq!(found.files[0].why_skipped(&cause), "a link to gone, which does not exist");
        }
        assert!(discover_listed(&[], &[folder.path().join("gone.txt")], None).is_ok());
    }

    #[test]
    fn a_change_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "one").unwrap();
        let found = discover(std::slice::from_ref(&path), None).unwrap().files.remove(0);
        found.check_unchanged().unwrap();
        let later = found.modified.unwrap() + std::time::Duration::from_secs(2);
        fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
        assert!(matches!(found.check_unchanged(), Err(Error::Changed { .. })));
    }
}
