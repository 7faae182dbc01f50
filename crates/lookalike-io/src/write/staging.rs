//! Complete or absent: output is written to a staging folder, and moved into place at the end.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempDir};

use crate::aside::{Aside, STAGING_PREFIX, beside};
use crate::error::{Error, Result};
use crate::faults::Faults;
use crate::file_system::parent;
use crate::input::discover::{InputFile, below_url};
use crate::remote;
use crate::unfinished::Unfinished;

/// An output folder that is being written.
#[derive(Debug)]
pub struct Staging {
    target: Target,
    path: PathBuf,
    /// The names that a run writes. Only these may be replaced.
    owned: &'static [&'static str],
    unfinished: Unfinished,
}

/// Destination of the folder.
#[derive(Debug)]
enum Target {
    /// The folder is renamed to this path.
    New(PathBuf, Aside),
    /// The contents are moved to the existing folder at this path.
    Inside(PathBuf, Aside),
    /// The contents are uploaded to this address; the folder is in the system's temporary folder.
    Remote(String, TempDir),
}

/// The file that is written last, and identifies a folder as the result of a run.
const SEAL: &str = "summary.json";

impl Staging {
    /// Creates a staging folder for `target`, which will contain some of the names `owned`. It is recorded in
    /// `unfinished` until it is complete. Leftovers of a killed run are removed.
    ///
    /// # Errors
    ///
    /// If `target` is not empty and `force` is not given; if what would be replaced is not from an earlier run, or is
    /// one of `inputs`; if another run writes there; or if nothing can be written there.
    pub fn new(
        target: &Path,
        force: bool,
        owned: &'static [&'static str],
        inputs: &[InputFile],
        unfinished: &Unfinished,
    ) -> Result<Self> {
        if let Some(url) = target.to_str().filter(|url| remote::is_url(url)) {
            check_remote(url, force, inputs)?;
            return Self::remote(url, owned, unfinished);
        }
        let unfinished = unfinished.clone();
        let beside = beside(target);
        let Ok(entries) = fs::read_dir(target) else {
            let Some(beside) = beside.filter(|_| !is_there(target)) else {
                return Err(Error::WrongKind { path: target.to_owned(), what: "not a folder" });
            };
            let parent = parent(target);
            fs::create_dir_all(parent).map_err(Error::unwritable(parent))?;
            let mut aside = Aside::take(&beside, target)?;
            aside.begin(&unfinished)?;
            return Ok(Self {
                path: aside.new_entries(),
                target: Target::New(target.to_owned(), aside),
                owned,
                unfinished,
            });
        };
        // A run that was killed just after the folder was renamed.
        if let Some(left) = beside.map(|beside| Aside::left(&beside, target)).transpose()?.flatten() {
            left.remove(&Faults::default()).map_err(Error::unwritable(target))?;
        }
        let inside = Aside::inside(target);
        let left = Aside::left(&inside, target)?;
        let names: Vec<PathBuf> =
            entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| *path != inside).collect();
        // Entries were being moved, and the seal is missing: entries with our names are part of a result.
        let is_part = left.as_ref().is_some_and(Aside::was_moving) && !is_there(&target.join(SEAL));
        let is_owned = |path: &PathBuf| owned.iter().any(|name| path.ends_with(name));
        if !names.is_empty() {
            if !(force || is_part && names.iter().all(is_owned)) {
                return Err(Error::OutputExists { path: target.to_owned() });
            }
            check_replaceable(target, is_part, owned, inputs)?;
        }
        let mut aside = match left {
            Some(left) => left,
            None => Aside::take(&inside, target)?,
        };
        if is_part {
            for path in names.iter().filter(|path| is_owned(path)) {
                let is_folder = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
                let removed = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
                removed.map_err(Error::unwritable(path))?;
            }
        }
        aside.begin(&unfinished)?;
        Ok(Self { path: aside.new_entries(), target: Target::Inside(target.to_owned(), aside), owned, unfinished })
    }

    /// Creates a staging folder for `target` again, after an earlier attempt at the same run was about to move it into
    /// place: the existing contents may be a part of it. For remote targets, nothing else shows that.
    ///
    /// # Errors
    ///
    /// As [`Staging::new`].
    pub fn again(
        target: &Path,
        owned: &'static [&'static str],
        inputs: &[InputFile],
        unfinished: &Unfinished,
    ) -> Result<Self> {
        let Some(url) = target.to_str().filter(|url| remote::is_url(url)) else {
            return Self::new(target, true, owned, inputs, unfinished);
        };
        check_not_input(url, inputs)?;
        Self::remote(url, owned, unfinished)
    }

    fn remote(url: &str, owned: &'static [&'static str], unfinished: &Unfinished) -> Result<Self> {
        let parent = std::env::temp_dir();
        let folder = tempfile::Builder::new().prefix(STAGING_PREFIX).tempdir_in(&parent);
        let folder = folder.map_err(Error::unwritable(&parent))?;
        let unfinished = unfinished.clone();
        unfinished.note(folder.path());
        Ok(Self { path: folder.path().to_owned(), target: Target::Remote(url.to_owned(), folder), owned, unfinished })
    }

    /// Path to write to.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder to remove if the run is abandoned: [`Staging::path`], or its parent.
    pub fn around(&self) -> &Path {
        match &self.target {
            Target::New(_, aside) | Target::Inside(_, aside) => aside.path(),
            Target::Remote(_, folder) => folder.path(),
        }
    }

    /// Creates a file with this name, and the folders in the name.
    ///
    /// # Errors
    ///
    /// If it cannot be created.
    pub fn file(&self, name: &str) -> Result<BufWriter<File>> {
        let path = self.path().join(name);
        let folder = parent(&path);
        fs::create_dir_all(folder).map_err(Error::unwritable(folder))?;
        Ok(BufWriter::with_capacity(1 << 20, File::create(&path).map_err(Error::unwritable(&path))?))
    }

    /// Moves everything into place. On failure, the previous state is restored.
    ///
    /// # Errors
    ///
    /// If something cannot be moved.
    pub fn commit(self) -> Result<()> {
        self.commit_with(&Faults::default())
    }

    /// [`Staging::commit`] with simulated failures, for tests.
    ///
    /// # Errors
    ///
    /// If something cannot be moved.
    #[doc(hidden)]
    pub fn commit_with(self, faults: &Faults) -> Result<()> {
        let Self { target, path, owned, unfinished } = self;
        let aside = match target {
            Target::Remote(url, _folder) => {
                // The seal is removed first and restored last, so that intermediate states never look complete.
                let (seal, others): (Vec<&str>, _) = owned.iter().partition(|name| **name == SEAL);
                remote::remove_all(&url, &[seal, others].concat())?;
                return remote::upload(&path, &url, SEAL);
            }
            Target::New(target, aside) => {
                let rename = || faults.check_commit().and_then(|()| fs::rename(&path, &target));
                let renamed = |cause: std::io::Error| match fs::read_dir(&target).map(Iterator::count) {
                    Ok(0) | Err(_) => Error::unwritable(&target)(cause),
                    // Something was created there during the run.
                    Ok(_) => Error::OutputExists { path: target.clone() },
                };
                unfinished.complete(aside.path(), || rename().map_err(renamed))?;
                aside
            }
            Target::Inside(target, aside) => {
                let replace = || replace(&target, &aside, owned, faults).map_err(Error::unwritable(&target));
                unfinished.complete(aside.path(), replace)?;
                aside
            }
        };
        // The output is complete. The next run finds anything that cannot be removed.
        let _ = aside.remove(faults);
        Ok(())
    }
}

/// Moves the old entries away and the new ones in, or none at all. The seal is removed first and restored last: if it
/// is missing and the folder of old entries exists, the next run knows that the result is incomplete.
fn replace(target: &Path, aside: &Aside, owned: &[&str], faults: &Faults) -> std::io::Result<()> {
    let (new, old) = (aside.new_entries(), aside.old_entries());
    faults.check_commit()?;
    fs::create_dir(&old)?;
    let mut leaving: Vec<&&str> = owned.iter().filter(|name| is_there(&target.join(name))).collect();
    leaving.sort_by_key(|name| **name != SEAL);
    let mut coming: Vec<_> = fs::read_dir(&new)?.map(|entry| Ok(entry?.file_name())).collect::<std::io::Result<_>>()?;
    coming.sort_by(|left, right| (left == SEAL, left).cmp(&(right == SEAL, right)));
    let leaving = leaving.into_iter().map(|name| (target.join(name), old.join(name)));
    let moves: Vec<(PathBuf, PathBuf)> =
        leaving.chain(coming.iter().map(|name| (new.join(name), target.join(name)))).collect();
    for (done, (from, to)) in moves.iter().enumerate() {
        let moved = faults.check_commit().and_then(|()| fs::rename(from, to));
        if moved.is_err() {
            for (from, to) in moves[..done].iter().rev() {
                // Report the first error.
                let _ = fs::rename(to, from);
            }
            return moved;
        }
    }
    Ok(())
}

/// Maximum length of the seal of an earlier run.
const LONGEST_SEAL: usize = 64 << 20;

/// Checks that an address may get a new result.
fn check_remote(url: &str, force: bool, inputs: &[InputFile]) -> Result<()> {
    check_not_input(url, inputs)?;
    if remote::is_empty(url, SEAL)? {
        return Ok(());
    }
    if !force {
        return Err(Error::OutputExists { path: url.into() });
    }
    let seal = remote::read_small(&format!("{}{SEAL}", below_url(url)), LONGEST_SEAL)?;
    if seal.is_some_and(|seal| is_seal(&String::from_utf8_lossy(&seal))) {
        Ok(())
    } else {
        Err(Error::NotOurs { path: url.into() })
    }
}

/// Checks that no input is below an address.
fn check_not_input(url: &str, inputs: &[InputFile]) -> Result<()> {
    let place = below_url(&remote::place(url));
    match inputs.iter().find(|input| input.shown().to_string_lossy().starts_with(&place)) {
        Some(input) => Err(Error::OutputIsInput { path: input.shown() }),
        None => Ok(()),
    }
}

fn is_seal(summary: &str) -> bool {
    summary.contains("\"lookalike\"")
}

/// Checks that an output folder with a complete or partial result may get a new one.
fn check_replaceable(target: &Path, is_part: bool, owned: &[&str], inputs: &[InputFile]) -> Result<()> {
    let is_ours = is_part || fs::read_to_string(target.join(SEAL)).is_ok_and(|seal| is_seal(&seal));
    for path in owned.iter().map(|name| target.join(name)).filter(|path| is_there(path)) {
        if !is_ours {
            return Err(Error::NotOurs { path });
        }
        let Ok(real) = path.canonicalize() else { continue };
        let is_replaced = |input: &&InputFile| input.shown().canonicalize().is_ok_and(|input| input.starts_with(&real));
        if let Some(input) = inputs.iter().find(is_replaced) {
            return Err(Error::OutputIsInput { path: input.shown() });
        }
    }
    Ok(())
}

/// True if something has this name, even a broken link.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// An output file that is being written.
#[derive(Debug)]
pub struct OutputFile {
    target: PathBuf,
    writer: Writer,
}

#[derive(Debug)]
enum Writer {
    /// A temporary file, to be moved.
    Aside(BufWriter<NamedTempFile>),
    /// A pipe or a device, which cannot be replaced, only written to.
    Through(BufWriter<File>),
    /// In the system's temporary folder, to be uploaded to an address.
    Remote(BufWriter<NamedTempFile>),
}

impl OutputFile {
    /// Creates a temporary file beside `target`, recorded in `unfinished`.
    ///
    /// # Errors
    ///
    /// If `target` exists and `force` is not given, or nothing can be written there.
    pub fn new(target: &Path, force: bool, unfinished: &Unfinished) -> Result<Self> {
        let unwritable = || Error::unwritable(target);
        if let Some(url) = target.to_str().filter(|url| remote::is_url(url)) {
            if !force && remote::read_small(url, 0)?.is_some() {
                return Err(Error::OutputExists { path: target.to_owned() });
            }
            let file = NamedTempFile::new().map_err(Error::unwritable(std::env::temp_dir()))?;
            unfinished.note(file.path());
            let writer = Writer::Remote(BufWriter::with_capacity(1 << 20, file));
            return Ok(Self { target: target.to_owned(), writer });
        }
        if let Ok(metadata) = target.metadata() {
            if metadata.is_dir() {
                return Err(Error::WrongKind { path: target.to_owned(), what: "a folder" });
            }
            if !metadata.is_file() {
                let file = File::options().write(true).open(target).map_err(unwritable())?;
                return Ok(Self { target: target.to_owned(), writer: Writer::Through(BufWriter::new(file)) });
            }
            if !force {
                return Err(Error::OutputExists { path: target.to_owned() });
            }
        }
        let parent = parent(target);
        fs::create_dir_all(parent).map_err(Error::unwritable(parent))?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(STAGING_PREFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(parent).map_err(unwritable())?;
        unfinished.note(file.path());
        let writer = Writer::Aside(BufWriter::with_capacity(1 << 20, file));
        Ok(Self { target: target.to_owned(), writer })
    }

    /// The writer.
    pub fn writer(&mut self) -> &mut (dyn Write + Send) {
        match &mut self.writer {
            Writer::Aside(writer) | Writer::Remote(writer) => writer,
            Writer::Through(writer) => writer,
        }
    }

    /// Moves the file into place.
    ///
    /// # Errors
    ///
    /// If it cannot be finished or moved.
    pub fn commit(self) -> Result<()> {
        let target = self.target;
        match self.writer {
            Writer::Through(mut writer) => writer.flush().map_err(Error::unwritable(&target)),
            Writer::Remote(writer) => {
                let file = writer.into_inner().map_err(|error| Error::unwritable(&target)(error.into_error()))?;
                remote::upload_file(file.path(), &target.to_string_lossy())
            }
            Writer::Aside(writer) => {
                let file = writer.into_inner().map_err(|error| Error::unwritable(&target)(error.into_error()))?;
                file.persist(&target).map_err(|error| Error::unwritable(&target)(error.error))?;
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    const OWNED: &[&str] = &["kept", "removed.jsonl", SEAL];

    fn staging(target: &Path, force: bool) -> Result<Staging> {
        Staging::new(target, force, OWNED, &[], &Unfinished::default())
    }

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A folder with the result of an earlier run, and a file of the user.
    fn earlier_run(out: &Path) {
        for (file, text) in
            [("kept/old.txt", "old"), ("removed.jsonl", "old"), ("mine.txt", "mine"), (SEAL, "\"lookalike\"")]
        {
            write(&out.join(file), text);
        }
    }

    #[test]
    fn nothing_is_seen_until_all_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("a/out");
        let staging = staging(&out, false).unwrap();
        staging.file("kept/x.txt").unwrap().write_all(b"x").unwrap();
        assert!(!out.exists());
        staging.commit().unwrap();
        assert_eq!(names(&folder.path().join("a")), ["out"]);
        assert_eq!(fs::read(out.join("kept/x.txt")).unwrap(), b"x");
    }

    #[test]
    fn what_was_given_up_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        drop(staging(&folder.path().join("out"), false).unwrap());
        drop(staging(folder.path(), false).unwrap());
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn force_replaces_what_an_earlier_run_made_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        earlier_run(folder.path());
        assert!(matches!(staging(folder.path(), false), Err(Error::OutputExists { .. })));
        let staging = staging(folder.path(), true).unwrap();
        staging.file("removed.jsonl").unwrap().write_all(b"new").unwrap();
        staging.commit().unwrap();
        assert_eq!(names(folder.path()), ["mine.txt", "removed.jsonl"]);
        assert_eq!(fs::read(folder.path().join("removed.jsonl")).unwrap(), b"new");
    }

    #[test]
    fn force_spares_what_no_run_made_and_what_is_read() {
        let folder = tempfile::tempdir().unwrap();
        write(&folder.path().join("kept/mine.txt"), "mine");
        assert!(matches!(staging(folder.path(), true), Err(Error::NotOurs { .. })));
        earlier_run(folder.path());
        let inputs = crate::input::discover::discover(&[folder.path().join("kept")], None).unwrap().files;
        assert!(matches!(
            Staging::new(folder.path(), true, OWNED, &inputs, &Unfinished::default()),
            Err(Error::OutputIsInput { .. })
        ));
    }

    #[test]
    fn what_cannot_be_moved_leaves_the_old_result() {
        let folder = tempfile::tempdir().unwrap();
        earlier_run(folder.path());
        let staging = staging(folder.path(), true).unwrap();
        staging.file("removed.jsonl").unwrap().write_all(b"new").unwrap();
        // A non-empty folder cannot be replaced by a rename.
        staging.file("mine.txt/x").unwrap().write_all(b"new").unwrap();
        assert!(matches!(staging.commit(), Err(Error::Unwritable { .. })));
        assert_eq!(names(folder.path()), ["kept", "mine.txt", "removed.jsonl", SEAL]);
        assert_eq!(fs::read(folder.path().join("removed.jsonl")).unwrap(), b"old");
    }
}
