//! Finds the files of an input, their order, and their names.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::file::Facts;
use super::names::{common_folder, name_below, without_detours};
use crate::error::{Error, Result};
use crate::file_system::parent;
use crate::remote::{self, RemoteFile};

pub use super::exclude::Exclude;
pub use super::file::{InputFile, Origin};
pub use super::left_out::{LeftOut, Names};
pub use super::names::unique;

/// The files of an input, and those that were left out.
#[derive(Clone, Debug, Default)]
pub struct Discovered {
    /// The files to read, in order.
    pub files: Vec<InputFile>,
    /// Files that were left out although they are valid.
    pub left_out: LeftOut,
}

/// Finds the files of `inputs`: files, folders with everything in them (except hidden files, the output, and work
/// folders), patterns with `*`, `?` and `[…]`, addresses of object stores and pages, and `-` for standard input. They
/// are in the order given, and sorted by name within a folder. A file that is reached under several names, by links, is
/// read once.
///
/// # Errors
///
/// If a path cannot be read, a folder has no files, an input is given twice, or an input is the output.
pub fn discover(inputs: &[PathBuf], output: Option<&Path>) -> Result<Discovered> {
    discover_except(inputs, &[], output, &Exclude::default())
}

/// Like [`discover`], without files that match patterns, and with further inputs from a list. Files of the list that
/// cannot be read are skipped when they are opened.
///
/// # Errors
///
/// As [`discover`], and if patterns exclude everything.
pub fn discover_except(
    inputs: &[PathBuf],
    listed: &[PathBuf],
    output: Option<&Path>,
    exclude: &Exclude,
) -> Result<Discovered> {
    let mut search = Search {
        exclude: exclude.clone(),
        is_used: vec![false; exclude.written().count()],
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
    if let (true, Some(path)) = (found.is_empty() && left_out.excluded.count > 0, left_out.excluded.first.first()) {
        return Err(Error::AllExcluded { path: path.into() });
    }
    let common = common_folder(found.iter().filter(|file| file.below.is_absolute()).map(|file| file.below.as_path()));
    let names = unique(found.iter().map(|file| name_below(&common, &file.below)).collect());
    let input_file = |(file, name): (Found, String)| {
        let Found { origin, is_named, is_met, facts, .. } = file;
        let mut input = InputFile::new(origin, name, is_named, facts);
        input.is_met = is_met;
        input
    };
    Ok(Discovered { files: found.into_iter().zip(names).map(input_file).collect(), left_out })
}

/// The real path of an output, following links, even if it does not exist yet.
fn real_output(output: &Path) -> Option<PathBuf> {
    let below = || Some(parent(output).canonicalize().ok()?.join(output.file_name()?));
    output.canonicalize().ok().or_else(below)
}

/// The prefix of all addresses below this one.
pub(crate) fn below_url(url: &str) -> String {
    format!("{}/", url.trim_end_matches('/'))
}

/// True if a path contains wildcards.
fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

/// The files found so far.
#[derive(Default)]
pub(super) struct Search {
    pub(super) output: Option<PathBuf>,
    /// Prefix of addresses inside a remote output.
    output_url: Option<String>,
    /// Files and folders that were given by their names.
    given: HashSet<PathBuf>,
    /// A file may occur several times, under one name or several.
    pub(super) found: Vec<Found>,
    seen_urls: HashSet<String>,
    exclude: Exclude,
    /// The patterns that excluded something.
    is_used: Vec<bool>,
    pub(super) left_out: LeftOut,
}

pub(super) struct Found {
    pub(super) origin: Origin,
    /// Its absolute path, from which its name is derived.
    pub(super) below: PathBuf,
    /// For a regular file; none if it is not available.
    pub(super) facts: Option<Facts>,
    /// True if it was reached through a symbolic link.
    pub(super) is_link: bool,
    /// True if the user named it.
    pub(super) is_named: bool,
    /// True if it was found in a folder, by a pattern or in a list, and may be unintended.
    pub(super) is_met: bool,
}

impl Found {
    /// An input that is not a regular file.
    fn special(origin: Origin, below: PathBuf) -> Self {
        Self { origin, below, facts: None, is_link: false, is_named: true, is_met: false }
    }

    /// The same for all names of one file.
    fn key(&self) -> Key {
        let identity = self.facts.and_then(|facts| facts.identity);
        identity.map_or_else(|| Key::Path(without_detours(&self.below)), Key::Identity)
    }
}

#[derive(PartialEq, Eq, Hash)]
pub(super) enum Key {
    Identity((u64, u64)),
    Path(PathBuf),
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
        let is_listed = found.len() > 1;
        for file in found.into_iter().filter(|file| !is_output(file)).collect::<Vec<_>>() {
            if !self.seen_urls.insert(file.url.clone()) {
                return Err(Error::GivenTwice { path: file.url.into() });
            }
            // As a path: the scheme, the bucket or host, and the name there.
            let place = remote::place(&file.url);
            let plain = place.split(['?', '#']).next().unwrap_or_default();
            let below_given = plain.strip_prefix(&below_url(url)).unwrap_or(plain);
            if self.is_excluded(Path::new(below_given), Path::new(&file.shown())) {
                continue;
            }
            let below = PathBuf::from(format!("/{}", plain.replacen("://", "/", 1)));
            self.found.push(Found { is_met: is_listed, ..Found::special(Origin::Remote(file), below) });
        }
        Ok(())
    }

    fn pattern(&mut self, pattern: &str) -> Result<()> {
        let path = || PathBuf::from(pattern);
        let options = glob::MatchOptions { require_literal_leading_dot: true, ..glob::MatchOptions::default() };
        let paths = glob::glob_with(pattern, options)
            .map_err(|error| Error::NotAPattern { path: path(), reason: error.msg.to_owned() })?;
        let (before, excluded) = (self.found.len(), self.left_out.excluded.clone());
        for matched in paths {
            // A folder that cannot be read is skipped when it is opened.
            let matched = matched.unwrap_or_else(|error| error.path().to_owned());
            self.path(&matched, false)?;
        }
        let is_nothing = self.found.len() == before && self.left_out.excluded == excluded;
        if is_nothing { Err(Error::NothingMatches { path: path() }) } else { Ok(()) }
    }

    /// True if a pattern excludes a file or folder; records that the pattern was used.
    pub(super) fn is_excluded(&mut self, below: &Path, shown: &Path) -> bool {
        let mut is_excluded = false;
        for at in self.exclude.matching(below, &shown.to_string_lossy()) {
            self.is_used[at] = true;
            is_excluded = true;
        }
        if is_excluded {
            self.left_out.excluded.push(shown);
        }
        is_excluded
    }

    fn path(&mut self, input: &Path, is_named: bool) -> Result<()> {
        if self.is_excluded(Path::new(input.file_name().unwrap_or_default()), input) {
            return Ok(());
        }
        let below = std::path::absolute(input).map_err(Error::unreadable(input))?;
        let origin = Origin::Path(input.to_owned());
        let metadata = match fs::metadata(input) {
            Ok(metadata) => metadata,
            Err(cause) if is_named => return Err(Error::unreadable(input)(cause)),
            Err(_) => {
                self.found.push(Found { origin, below, facts: None, is_link: false, is_named, is_met: true });
                return Ok(());
            }
        };
        if self.output.is_some() && input.canonicalize().ok() == self.output {
            return Err(Error::OutputIsInput { path: input.to_owned() });
        }
        if metadata.is_dir() {
            let (before, excluded) = (self.found.len(), self.left_out.excluded.clone());
            self.folder(input, &below)?;
            if self.found.len() == before && self.left_out.excluded == excluded {
                return Err(Error::NothingToRead { path: input.to_owned() });
            }
        } else if metadata.is_file() {
            let is_link = input.is_symlink();
            let facts = Some(Facts::of(&metadata));
            self.found.push(Found { origin, below, facts, is_link, is_named, is_met: !is_named });
        } else {
            self.found.push(Found::special(Origin::Pipe(input.to_owned()), below));
        }
        Ok(())
    }

    /// Every file once: by its own name rather than by that of a link, and by the first of several.
    fn finish(self) -> (Vec<Found>, LeftOut) {
        let Self { mut found, mut left_out, exclude, is_used, .. } = self;
        let unused = exclude.written().zip(is_used).filter(|(_, is_used)| !is_used);
        left_out.excluding_nothing = unused.map(|(pattern, _)| pattern.to_owned()).collect();
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
                    // A file that was given and is in a given folder has one name.
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[cfg(unix)]
    fn listed(files: &[PathBuf]) -> Result<Discovered> {
        discover_except(&[], files, None, &Exclude::default())
    }

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
        // Files of the same name in two folders stay distinct, and a single file has its own name.
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

    fn folder_of(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        folder
    }

    #[test]
    fn what_a_pattern_excludes_is_not_read_however_it_was_given() {
        let folder = folder_of(&["a.txt", "b.md", "sub/c.txt", "sub/d.md", "cache/e.txt"]);
        let at = |name: &str| folder.path().join(name);
        let except = |inputs: &[PathBuf], patterns: &[&str]| {
            let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
            discover_except(inputs, &[], None, &Exclude::new(&patterns).unwrap())
        };
        let of = |found: &Discovered| found.files.iter().map(|file| file.name.clone()).collect::<Vec<_>>();
        let all = [folder.path().to_owned()];
        let found = except(&all, &["*.md", "cache", "*.pdf"]).unwrap();
        assert_eq!(of(&found), ["a.txt", "sub/c.txt"]);
        let shown = ["b.md", "cache", "sub/d.md"].map(|name| at(name).display().to_string());
        assert_eq!(found.left_out.excluded, Names { count: 3, first: shown.to_vec() });
        assert_eq!(found.left_out.excluding_nothing, ["*.pdf"]);
        assert_eq!(of(&except(&all, &["sub/*"]).unwrap()), ["a.txt", "b.md", "cache/e.txt"]);
        // Named, by a pattern, and in a list.
        assert_eq!(of(&except(&[at("a.txt"), at("b.md")], &["b.*"]).unwrap()), ["a.txt"]);
        assert_eq!(of(&except(&[at("*")], &["b.md", "sub", "cache"]).unwrap()), ["a.txt"]);
        let listed =
            discover_except(&[], &[at("a.txt"), at("b.md")], None, &Exclude::new(&["a.*".to_owned()]).unwrap());
        assert_eq!(of(&listed.unwrap()), ["b.md"]);
        assert!(matches!(except(&all, &["*"]), Err(Error::AllExcluded { .. })));
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
        // A file with that literal name takes precedence.
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
        // Links sort before and after their targets.
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
        // If it is named, a link is read under its name; together with its target, once.
        assert_eq!(names(&[&at("a.txt")], None), ["a.txt"]);
        assert_eq!(names(&[&at("a.txt"), &at("m.txt")], None), ["m.txt"]);
        assert_eq!(left_out(&[at("a.txt"), at("m.txt")]).count, 1);
        // A file that is also in a given folder has one name, however it is written.
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
        // Two links from each folder to the next: 2^36 paths to the last one.
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
        // If links are the only paths, the first of them determines the names.
        let from_first = names(&[&at(0)], None);
        assert_eq!((from_first.len(), from_first[0].clone()), (36, format!("{}file.txt", "a/".repeat(35))));
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
            listed(std::slice::from_ref(&link)).unwrap(),
        ] {
            assert_eq!((found.files.len(), found.files[0].is_named), (1, false));
            found.files[0].check_unchanged().unwrap();
            let cause = fs::metadata(&link).unwrap_err();
            assert_eq!(found.files[0].why_skipped(&cause), "a link to gone, which does not exist");
        }
        assert!(listed(&[folder.path().join("gone.txt")]).is_ok());
    }
}
