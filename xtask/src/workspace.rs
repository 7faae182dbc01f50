//! Locates the workspace, and calls cargo in it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// The workspace of this program.
pub(crate) struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

impl Workspace {
    /// Asks cargo, since its target folder can be configured in many ways.
    pub(crate) fn find() -> Result<Self> {
        // At run time first: the same binary may serve a copy of the sources elsewhere.
        let manifest = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&manifest).parent().context("xtask lies in the workspace")?.to_owned();
        let output = cargo(&root)
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .stderr(Stdio::inherit())
            .output()
            .context("cargo metadata")?;
        ensure!(output.status.success(), "cargo metadata: {}", output.status);
        let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).context("cargo metadata")?;
        let target = metadata["target_directory"].as_str().context("cargo metadata names no target folder")?.into();
        Ok(Self { root, target })
    }

    /// The folder with the workspace's `Cargo.toml`.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The folder that cargo builds into.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// The folder of the quality data: `bench/data` if it contains sets, or `../shared/data` beside the workspace.
    pub(crate) fn data(&self) -> PathBuf {
        let own = self.root.join("bench").join("data");
        let has_sets =
            own.read_dir().is_ok_and(|mut entries| entries.any(|entry| entry.is_ok_and(|it| it.path().is_dir())));
        if has_sets { own } else { self.root.join("../shared/data") }
    }

    /// A cargo command in the workspace's root.
    pub(crate) fn cargo(&self) -> Command {
        cargo(&self.root)
    }

    /// Builds the release binary `lookalike`, and returns its path.
    pub(crate) fn build_lookalike(&self) -> Result<PathBuf> {
        succeed(self.cargo().args(["build", "--quiet", "--release", "--package", "lookalike-cli"]))?;
        Ok(self.target.join("release").join(format!("lookalike{}", env::consts::EXE_SUFFIX)))
    }
}

/// A call of the cargo that called this program, in `folder`.
fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(folder);
    command
}

/// Runs a command, and converts a failure to an error.
pub(crate) fn succeed(command: &mut Command) -> Result<()> {
    let words = words(command);
    let status = command.status().with_context(|| format!("cannot run {words}"))?;
    ensure!(status.success(), "{words}: {status}");
    Ok(())
}

/// A command as a person would type it.
pub(crate) fn words(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let words: Vec<_> = std::iter::once(program).chain(command.get_args()).map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}
