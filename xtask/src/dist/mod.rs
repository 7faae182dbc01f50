//! `cargo xtask dist`: builds all files of a release in one folder, and tests each in an environment where nothing else
//! is installed.
//!
//! A static Linux binary in an archive, a Debian package, wheels, the recipe of a container image, release notes, and
//! checksums of them all. Tests that are impossible on this machine are reported, and are not failures. `RELEASE.md`
//! describes where the files are published.

mod clean;
mod deb;
mod elf;
mod notes;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::python::{self, Reach};
use crate::workspace::{Workspace, succeed};

/// Musl's C library is linked statically, so the program runs on every Linux of the architecture.
const TARGET: &str =
    if cfg!(target_arch = "aarch64") { "aarch64-unknown-linux-musl" } else { "x86_64-unknown-linux-musl" };

/// Name of the binary in the archive and the image.
const BINARY: &str = "lookalike";

/// Options of `cargo xtask dist`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// The folder to write to [default: target/dist]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    /// A static binary that is already built, in place of building one
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
    /// Leave out the wheels, which take the longest to build
    #[arg(long)]
    no_wheels: bool,
}

/// The release files and their sources.
struct Dist<'a> {
    workspace: &'a Workspace,
    /// The folder of all files.
    folder: PathBuf,
    version: &'static str,
    /// The static program.
    binary: PathBuf,
    /// Completions and manual pages.
    assets: PathBuf,
}

/// Builds, tests and computes checksums.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    ensure!(cfg!(target_os = "linux"), "packages for Linux are built on Linux");
    let folder = options.folder.clone().unwrap_or_else(|| workspace.target().join("dist"));
    let folder = std::path::absolute(folder)?;
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let binary = match &options.binary {
        Some(path) => std::path::absolute(path)?,
        None => build(workspace)?,
    };
    let static_program = fs::read(&binary).with_context(|| format!("cannot read {}", binary.display()))?;
    ensure!(elf::is_static(&static_program)?, "{} needs libraries of the system", binary.display());
    println!("{} needs no library of the system", binary.display());

    let assets = workspace.target().join("dist-assets");
    succeed(Command::new(&binary).arg("assets").arg(&assets).stdout(Stdio::null()))?;
    let dist = Dist { workspace, folder, version: env!("CARGO_PKG_VERSION"), binary, assets };
    dist.archive()?;
    clean::run(workspace, &dist.binary)?;
    let package = deb::build(&dist)?;
    deb::install(workspace, &package)?;
    if options.no_wheels {
        println!("left out: the wheels");
    } else {
        dist.wheels()?;
    }
    dist.image()?;
    let changes = fs::read_to_string(workspace.root().join("CHANGELOG.md")).context("cannot read CHANGELOG.md")?;
    fs::write(dist.folder.join("RELEASE_NOTES.md"), notes::of_version(&changes, dist.version)?)?;
    dist.sum_up()
}

/// Builds the static program. Rustup installs the musl target; its C compiler must be installed.
fn build(workspace: &Workspace) -> Result<PathBuf> {
    let mut listed = Command::new("rustup");
    listed.args(["target", "list", "--installed"]).current_dir(workspace.root());
    let listed = listed.output().context("cannot run rustup")?;
    if !String::from_utf8_lossy(&listed.stdout).lines().any(|target| target == TARGET) {
        succeed(Command::new("rustup").args(["target", "add", TARGET]).current_dir(workspace.root()))?;
    }
    let compiler = Command::new("musl-gcc").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    ensure!(compiler.is_ok_and(|status| status.success()), "musl-gcc is missing: install the package musl-tools");
    let mut cargo = workspace.cargo();
    cargo.args(["build", "--locked", "--quiet", "--release", "--package", "lookalike-cli", "--target", TARGET]);
    succeed(&mut cargo)?;
    Ok(workspace.target().join(TARGET).join("release").join(BINARY))
}

impl Dist<'_> {
    /// The binary with its licenses, manual pages and completions.
    fn archive(&self) -> Result<()> {
        let name = format!("lookalike-{}-{TARGET}", self.version);
        let staged = tempfile::tempdir().context("cannot make a folder for the archive")?;
        let root = staged.path().join(&name);
        fs::create_dir_all(&root)?;
        copy_program(&self.binary, &root.join(BINARY))?;
        for file in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
            fs::copy(self.workspace.root().join(file), root.join(file))
                .with_context(|| format!("cannot copy {file}"))?;
        }
        copy_folder(&self.assets, &root.join("assets"))?;
        let archive = self.folder.join(format!("{name}.tar.gz"));
        // Without names and times of this machine, so that the same binary gives the same archive.
        let mut tar = Command::new("tar");
        tar.args(["--create", "--gzip", "--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"]);
        succeed(tar.arg("--file").arg(&archive).arg("--directory").arg(staged.path()).arg(&name))?;
        println!("{}", archive.display());
        Ok(())
    }

    /// The wheels, each tested in an environment without any other package.
    fn wheels(&self) -> Result<()> {
        for wheel in python::wheels(self.workspace, Reach::Everywhere)? {
            let name = wheel.file_name().context("a wheel has a name")?;
            fs::copy(&wheel, self.folder.join(name)).with_context(|| format!("cannot copy {}", wheel.display()))?;
        }
        Ok(())
    }

    /// The recipe of the image beside its binary; built and run if there is a program for it.
    fn image(&self) -> Result<()> {
        let image = self.folder.join("image");
        fs::create_dir_all(&image)?;
        copy_program(&self.binary, &image.join(BINARY))?;
        let recipe = self.workspace.root().join("packaging").join("Containerfile");
        fs::copy(&recipe, image.join("Containerfile")).with_context(|| format!("cannot copy {}", recipe.display()))?;
        let Some(builder) = ["podman", "docker"].into_iter().find(|program| answers(program)) else {
            println!("left out: neither podman nor docker works here, so that the image was not built");
            return Ok(());
        };
        let tag = format!("lookalike:{}", self.version);
        let mut build = Command::new(builder);
        succeed(build.args(["build", "--file", "Containerfile", "--tag", &tag, "."]).current_dir(&image))?;
        succeed(Command::new(builder).args(["run", "--rm", &tag, "--version"]))
    }

    /// Writes the checksums of all files, and checks them.
    fn sum_up(&self) -> Result<()> {
        let mut files = Vec::new();
        list(&self.folder, Path::new(""), &mut files)?;
        files.sort();
        let mut sums = Command::new("sha256sum");
        let output = sums.args(&files).current_dir(&self.folder).stderr(Stdio::inherit()).output()?;
        ensure!(output.status.success(), "sha256sum: {}", output.status);
        fs::write(self.folder.join("SHA256SUMS"), output.stdout)?;
        let mut check = Command::new("sha256sum");
        succeed(check.args(["--check", "--quiet", "SHA256SUMS"]).current_dir(&self.folder))?;
        println!("{} files in {}, with SHA256SUMS", files.len(), self.folder.display());
        Ok(())
    }
}

/// True if a program exists and its service, if it has one, responds.
fn answers(program: &str) -> bool {
    let mut call = Command::new(program);
    call.arg("info").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    call.status().is_ok_and(|status| status.success())
}

/// Copies a program with its permissions.
fn copy_program(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    let mut files = Vec::new();
    list(from, Path::new(""), &mut files)?;
    for file in files {
        let to = to.join(&file);
        fs::create_dir_all(to.parent().context("a file lies in a folder")?)?;
        fs::copy(from.join(&file), &to).with_context(|| format!("cannot copy {}", file.display()))?;
    }
    Ok(())
}

/// The files below a folder, as paths relative to it.
fn list(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in root.join(folder).read_dir().with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() { list(root, &path, files)? } else { files.push(path) }
    }
    Ok(())
}
