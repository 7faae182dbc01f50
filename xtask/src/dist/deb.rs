//! The Debian package: the static binary with its manual pages, completions and licenses. It has no dependencies.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::{Dist, clean, copy_program, list};
use crate::workspace::{Workspace, succeed};

/// Debian's name of the architecture.
const ARCHITECTURE: &str = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };

/// Destination of each shell's completions, by file extension.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/lookalike"),
    ("fish", "usr/share/fish/vendor_completions.d/lookalike.fish"),
    ("_lookalike", "usr/share/zsh/vendor-completions/_lookalike"),
];

/// Builds the package, and returns its path.
pub(super) fn build(dist: &Dist<'_>) -> Result<PathBuf> {
    let staged = tempfile::tempdir().context("cannot make a folder for the package")?;
    let root = staged.path().join("root");
    let place = |path: &str| -> Result<PathBuf> {
        let path = root.join(path);
        fs::create_dir_all(path.parent().context("a file lies in a folder")?)?;
        Ok(path)
    };
    copy_program(&dist.binary, &place("usr/bin/lookalike")?)?;
    fs::write(place("usr/share/doc/lookalike/copyright")?, copyright(dist.workspace)?)?;
    compress(&dist.workspace.root().join("CHANGELOG.md"), &place("usr/share/doc/lookalike/changelog.gz")?)?;
    let mut assets = Vec::new();
    list(&dist.assets, Path::new(""), &mut assets)?;
    for asset in assets {
        let name = asset.file_name().context("a file has a name")?.to_string_lossy().into_owned();
        if Path::new(&name).extension() == Some("1".as_ref()) {
            compress(&dist.assets.join(&asset), &place(&format!("usr/share/man/man1/{name}.gz"))?)?;
        } else if let Some((_, path)) = COMPLETIONS.iter().find(|(end, _)| name.ends_with(end)) {
            fs::copy(dist.assets.join(&asset), place(path)?)?;
        }
    }
    let size = size_of(&root)?;
    fs::write(place("DEBIAN/control")?, control(dist.version, size))?;
    let package = dist.folder.join(format!("lookalike_{}_{ARCHITECTURE}.deb", dist.version));
    let mut dpkg = Command::new("dpkg-deb");
    // The compression that every dpkg of the last ten years supports.
    dpkg.args(["--root-owner-group", "-Zxz", "--build"]).arg(&root).arg(&package).stdout(Stdio::null());
    succeed(&mut dpkg)?;
    println!("{}", package.display());
    Ok(package)
}

/// Installs the package into an empty root with `dpkg`, and runs it.
pub(super) fn install(workspace: &Workspace, package: &Path) -> Result<()> {
    let root = tempfile::tempdir().context("cannot make a root")?;
    let state = root.path().join("var/lib/dpkg");
    for folder in ["info", "updates", "triggers"] {
        fs::create_dir_all(state.join(folder))?;
    }
    fs::write(state.join("status"), "")?;
    let mut dpkg = Command::new("dpkg");
    dpkg.arg("--root").arg(root.path()).args(["--force-not-root", "--force-script-chrootless", "--install"]);
    dpkg.arg(package).env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").stdout(Stdio::null());
    succeed(&mut dpkg)?;
    ensure!(root.path().join("usr/share/man/man1/lookalike.1.gz").is_file(), "the package has no manual page");
    clean::run_in(workspace, root.path(), "the Debian package")
}

/// The description of the package.
fn control(version: &str, kilobytes: u64) -> String {
    let mut text = String::new();
    let mut field = |name: &str, value: &str| writeln!(text, "{name}: {value}").expect("a string takes everything");
    field("Package", "lookalike");
    field("Version", version);
    field("Architecture", ARCHITECTURE);
    field("Maintainer", "the maintainers of lookalike <lookalike@localhost>");
    field("Installed-Size", &kilobytes.to_string());
    field("Section", "utils");
    field("Priority", "optional");
    field("Description", "find and remove near-duplicates, with evidence");
    text + " lookalike removes near-duplicate documents, links records, joins similar sets\n \
            and matches fingerprints. Every removal names the kept document and their\n exact similarity.\n"
}

/// Both licenses, in the file that Debian requires.
fn copyright(workspace: &Workspace) -> Result<String> {
    let mut text = "lookalike is licensed under either of the following, at your option.\n".to_owned();
    for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
        let license = fs::read_to_string(workspace.root().join(file)).with_context(|| format!("cannot read {file}"))?;
        write!(text, "\n{}\n{license}", "-".repeat(72))?;
    }
    Ok(text)
}

/// Compresses a file with gzip, without its name and time.
fn compress(from: &Path, to: &Path) -> Result<()> {
    let bytes = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
    let mut packer = flate2::write::GzEncoder::new(fs::File::create(to)?, flate2::Compression::best());
    std::io::Write::write_all(&mut packer, &bytes)?;
    packer.finish()?;
    Ok(())
}

/// The size of all files below a folder in kilobytes, rounded up, as Debian counts it.
fn size_of(root: &Path) -> Result<u64> {
    let mut files = Vec::new();
    list(root, Path::new(""), &mut files)?;
    files.iter().map(|file| Ok(fs::metadata(root.join(file))?.len().div_ceil(1024))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_goes_on_in_lines_that_begin_with_a_blank() {
        let text = control("0.1.0", 7);
        let (fields, description) = text.split_once("Description: ").unwrap();
        assert!(fields.contains("Version: 0.1.0\n") && fields.contains("Installed-Size: 7\n"));
        assert!(fields.lines().all(|line| line.contains(": ")));
        assert!(description.lines().skip(1).all(|line| line.starts_with(' ') && !line.starts_with("  ")));
    }
}
