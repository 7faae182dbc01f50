//! A clean copy of the repository: tracked files as they are in the work tree, and nothing else. Output of earlier
//! README commands must not affect the check.
//!
//! The copy preserves modification times, by which cargo recognizes sources that are already built, so that the copy
//! needs no second build.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::workspace::Workspace;

/// A copy that is kept for inspection unless it is removed.
pub(super) struct Copy {
    root: PathBuf,
    /// Held while the copy is in use, to prevent concurrent runs.
    _lock: File,
}

impl Copy {
    /// Copies the workspace to a folder in the target folder, replacing an earlier copy.
    pub(super) fn make(workspace: &Workspace) -> Result<Self> {
        let folder = workspace.target().join("xtask");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let lock = File::create(folder.join("readme.lock")).context("cannot make readme.lock")?;
        lock.lock().context("cannot lock readme.lock")?;

        let root = folder.join("readme");
        remove(&root)?;
        for file in files(workspace.root(), workspace.target())? {
            copy_file(&workspace.root().join(&file), &root.join(&file))
                .with_context(|| format!("cannot copy {}", file.display()))?;
        }
        Ok(Self { root, _lock: lock })
    }

    /// The path of the copy.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Removes the copy.
    pub(super) fn remove(self) -> Result<()> {
        remove(&self.root)
    }
}

fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to.parent().context("a file lies in a folder")?)?;
    fs::copy(from, to)?;
    File::options().append(true).open(to)?.set_modified(from.metadata()?.modified()?)?;
    Ok(())
}

/// The files of the repository, as paths below `root`.
fn files(root: &Path, target: &Path) -> Result<Vec<PathBuf>> {
    let listed =
        Command::new("git").args(["ls-files", "-z", "--cached"]).current_dir(root).stderr(Stdio::null()).output();
    let mut files = Vec::new();
    match listed {
        Ok(output) if output.status.success() => {
            let names = String::from_utf8(output.stdout).context("a file name is not UTF-8")?;
            // A tracked file may have been deleted.
            files.extend(names.split_terminator('\0').map(PathBuf::from).filter(|file| root.join(file).is_file()));
        }
        // Without git, as in an unpacked archive, all files except cargo's output belong to the repository.
        _ => walk(root, Path::new(""), target, &mut files)?,
    }
    Ok(files)
}

fn walk(root: &Path, folder: &Path, target: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(root.join(folder)).with_context(|| format!("cannot list {}", folder.display()))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_file() {
            files.push(path);
        } else if kind.is_dir() && entry.path() != target && entry.file_name() != ".git" {
            walk(root, &path, target, files)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copied_file_keeps_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("a/b/to"));
        fs::write(&from, "text").unwrap();
        let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
        File::options().append(true).open(&from).unwrap().set_modified(long_ago).unwrap();
        copy_file(&from, &to).unwrap();
        assert_eq!(fs::read(&to).unwrap(), b"text");
        assert_eq!(to.metadata().unwrap().modified().unwrap(), long_ago);
    }

    #[test]
    fn the_output_of_an_earlier_command_is_not_copied() {
        let folder = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| {
            let status = Command::new("git").args(arguments).current_dir(folder.path()).stdout(Stdio::null()).status();
            assert!(status.unwrap().success());
        };
        for file in ["README.md", "first/summary.json"] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        git(&["init", "--quiet"]);
        git(&["add", "README.md"]);
        let files = files(folder.path(), &folder.path().join("target")).unwrap();
        assert_eq!(files, [Path::new("README.md")]);
    }

    #[test]
    fn a_walk_leaves_out_what_cargo_makes() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["Cargo.toml", "src/main.rs", "target/debug/a", ".git/HEAD"] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let mut files = Vec::new();
        walk(folder.path(), Path::new(""), &folder.path().join("target"), &mut files).unwrap();
        files.sort();
        assert_eq!(files, [Path::new("Cargo.toml"), Path::new("src/main.rs")]);
    }
}
