//! Complete or absent: output is written aside, and moved into place at the end.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tempfile::{NamedTempFile, TempDir};

use crate::discover::{InputFile, below_url};
use crate::error::{Error, Result};
use crate::remote;

/// What is being made at the moment, so that a signal can clean it up.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes all output that is not complete. For a process that is about to end, and does not come back to its work.
pub fn abandon_unfinished() {
    let unfinished = UNFINISHED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for path in unfinished.iter() {
        // What is gone already needs no removing.
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
}

pub(crate) fn note_unfinished(path: &Path) {
    UNFINISHED.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(path.to_owned());
}

/// How the name of a folder or file starts that is being made.
pub(crate) const STAGING_PREFIX: &str = ".lookalike-";

/// A folder that is being made.
#[derive(Debug)]
pub struct Staging {
    target: Target,
    folder: TempDir,
    /// The names that a run writes. They may be replaced, and nothing else.
    owned: &'static [&'static str],
}

/// What becomes of the folder.
#[derive(Debug)]
enum Target {
    /// It gets this name, beside of which it is made.
    New(PathBuf),
    /// What is in it goes to the folder of this name, inside of which it is made, so that nothing else need be writable.
    Inside(PathBuf),
    /// What is in it goes to this address; it is made in the system's temporary folder.
    Remote(String),
}

/// The file that is written last, and shows that a folder is of an earlier run.
const SEAL: &str = "summary.json";

impl Staging {
    /// A place to make `target`, which will hold some of the names `owned`.
    ///
    /// # Errors
    ///
    /// When `target` holds something and `force` is not given; when what would be replaced is not of an earlier run, or is
    /// one of `inputs`; or when nothing can be written there.
    pub fn new(target: &Path, force: bool, owned: &'static [&'static str], inputs: &[InputFile]) -> Result<Self> {
        let (target, parent) = if let Some(url) = target.to_str().filter(|url| remote::is_url(url)) {
            check_remote(url, force, inputs)?;
            (Target::Remote(url.to_owned()), std::env::temp_dir())
        } else {
            match fs::read_dir(target) {
                Ok(mut entries) => {
                    if entries.next().is_some() {
                        check_replaceable(target, force, owned, inputs)?;
                    }
                    (Target::Inside(target.to_owned()), target.to_owned())
                }
                Err(_) if target.exists() => {
                    return Err(Error::WrongKind { path: target.to_owned(), what: "not a folder" });
                }
                Err(_) => (Target::New(target.to_owned()), parent(target).to_owned()),
            }
        };
        fs::create_dir_all(&parent).map_err(Error::unwritable(&parent))?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(STAGING_PREFIX);
        #[cfg(unix)]
        {
            // A temporary folder is private; an output is like any other folder, less what the user masks.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o777));
        }
        let folder = builder.tempdir_in(&parent).map_err(Error::unwritable(&parent))?;
        note_unfinished(folder.path());
        Ok(Self { target, folder, owned })
    }

    /// Where to write.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A file of this name to write to. Folders in the name are made.
    ///
    /// # Errors
    ///
    /// When it cannot be made.
    pub fn file(&self, name: &str) -> Result<BufWriter<File>> {
        let path = self.path().join(name);
        let folder = parent(&path);
        fs::create_dir_all(folder).map_err(Error::unwritable(folder))?;
        Ok(BufWriter::with_capacity(1 << 20, File::create(&path).map_err(Error::unwritable(&path))?))
    }

    /// Moves everything into place. If something cannot be moved, what was there before is there again.
    ///
    /// # Errors
    ///
    /// When something cannot be moved.
    pub fn commit(self) -> Result<()> {
        let target = match &self.target {
            Target::Remote(url) => {
                remote::remove_all(url, self.owned)?;
                return remote::upload(self.folder.path(), url, SEAL);
            }
            Target::New(path) | Target::Inside(path) => path.clone(),
        };
        // From here on a signal finds nothing to remove: moving takes no time, and must not be done by halves.
        UNFINISHED.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
        if let Target::New(_) = self.target {
            return fs::rename(self.folder.keep(), &target).map_err(Error::unwritable(&target));
        }
        let old = tempfile::Builder::new().prefix(STAGING_PREFIX).tempdir_in(&target);
        let old = old.map_err(Error::unwritable(&target))?;
        let mut moved: Vec<(PathBuf, PathBuf)> = Vec::new();
        let replaced = self.replace(&target, old.path(), &mut moved);
        if replaced.is_err() {
            for (from, to) in moved.iter().rev() {
                // The first error is the one to tell.
                let _ = fs::rename(to, from);
            }
        }
        replaced.map_err(Error::unwritable(&target))
    }

    /// Moves the old entries away and the new ones in, the seal last; `moved` says from where to where.
    fn replace(&self, target: &Path, old: &Path, moved: &mut Vec<(PathBuf, PathBuf)>) -> std::io::Result<()> {
        let mut moves: Vec<(PathBuf, PathBuf)> = Vec::new();
        for name in self.owned.iter().filter(|name| is_there(&target.join(name))) {
            moves.push((target.join(name), old.join(name)));
        }
        let mut new: Vec<_> =
            fs::read_dir(self.path())?.map(|entry| Ok(entry?.file_name())).collect::<std::io::Result<_>>()?;
        new.sort_by_key(|name| name == SEAL);
        moves.extend(new.iter().map(|name| (self.path().join(name), target.join(name))));
        for (from, to) in moves {
            fs::rename(&from, &to)?;
            moved.push((from, to));
        }
        Ok(())
    }
}

/// How long the seal of an earlier run may be.
const LONGEST_SEAL: usize = 64 << 20;

/// Whether an address may get a new result.
fn check_remote(url: &str, force: bool, inputs: &[InputFile]) -> Result<()> {
    let below = below_url(url);
    if let Some(input) = inputs.iter().find(|input| input.shown().to_string_lossy().starts_with(&below)) {
        return Err(Error::OutputIsInput { path: input.shown() });
    }
    if remote::is_empty(url, SEAL)? {
        return Ok(());
    }
    if !force {
        return Err(Error::OutputExists { path: url.into() });
    }
    let seal = remote::read_small(&format!("{below}{SEAL}"), LONGEST_SEAL)?;
    if seal.is_some_and(|seal| is_seal(&String::from_utf8_lossy(&seal))) {
        Ok(())
    } else {
        Err(Error::NotOurs { path: url.into() })
    }
}

fn is_seal(summary: &str) -> bool {
    summary.contains("\"lookalike\"")
}

/// Whether an output folder that holds something may get a new result.
fn check_replaceable(target: &Path, force: bool, owned: &[&str], inputs: &[InputFile]) -> Result<()> {
    if !force {
        return Err(Error::OutputExists { path: target.to_owned() });
    }
    let is_ours = fs::read_to_string(target.join(SEAL)).is_ok_and(|seal| is_seal(&seal));
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

/// Whether there is something of this name, also a link to nowhere.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// A single file that is being made.
#[derive(Debug)]
pub struct OutputFile {
    target: PathBuf,
    writer: Writer,
}

#[derive(Debug)]
enum Writer {
    /// Aside, to be moved.
    Aside(BufWriter<NamedTempFile>),
    /// A pipe or a device cannot be replaced, only written to.
    Through(BufWriter<File>),
    /// In the system's temporary folder, to be sent to an address.
    Remote(BufWriter<NamedTempFile>),
}

impl OutputFile {
    /// A file aside of `target`.
    ///
    /// # Errors
    ///
    /// When `target` exists and `force` is not given, or nothing can be written there.
    pub fn new(target: &Path, force: bool) -> Result<Self> {
        let unwritable = || Error::unwritable(target);
        if let Some(url) = target.to_str().filter(|url| remote::is_url(url)) {
            if !force && remote::read_small(url, 0)?.is_some() {
                return Err(Error::OutputExists { path: target.to_owned() });
            }
            let file = NamedTempFile::new().map_err(Error::unwritable(std::env::temp_dir()))?;
            note_unfinished(file.path());
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
        note_unfinished(file.path());
        let writer = Writer::Aside(BufWriter::with_capacity(1 << 20, file));
        Ok(Self { target: target.to_owned(), writer })
    }

    /// Where to write.
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
    /// When it cannot be finished or moved.
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

/// The folder that a path lies in; the present one where the path names none.
fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
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
        Staging::new(target, force, OWNED, &[])
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
        let inputs = crate::discover::discover(&[folder.path().join("kept")], None).unwrap().files;
        assert!(matches!(Staging::new(folder.path(), true, OWNED, &inputs), Err(Error::OutputIsInput { .. })));
    }

    #[test]
    fn what_cannot_be_moved_leaves_the_old_result() {
        let folder = tempfile::tempdir().unwrap();
        earlier_run(folder.path());
        let staging = staging(folder.path(), true).unwrap();
        staging.file("removed.jsonl").unwrap().write_all(b"new").unwrap();
        // A name that is taken by a folder with something in it cannot be replaced by a rename.
        staging.file("mine.txt/x").unwrap().write_all(b"new").unwrap();
        assert!(matches!(staging.commit(), Err(Error::Unwritable { .. })));
        assert_eq!(names(folder.path()), ["kept", "mine.txt", "removed.jsonl", SEAL]);
        assert_eq!(fs::read(folder.path().join("removed.jsonl")).unwrap(), b"old");
    }
}
