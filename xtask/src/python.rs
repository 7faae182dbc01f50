//! The Python package: built into its own environment and tested there, or built as a wheel.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::workspace::{Workspace, succeed};

/// Maximum size of a released wheel.
const MOST_WHEEL_BYTES: u64 = 10_000_000;

/// Folder of the package.
pub(crate) fn package(workspace: &Workspace) -> PathBuf {
    workspace.root().join("crates").join("lookalike-python")
}

/// Builds the package into an environment with the newest data frame libraries, and runs its tests and type checks.
pub(crate) fn test(workspace: &Workspace) -> Result<()> {
    let python = environment(workspace, "newest", &package(workspace).join("requirements-test.txt"))?;
    install_debug(workspace, &python)?;
    let package = package(workspace);
    let run = |module: &str, arguments: &[&str]| {
        succeed(
            module_of(&python, module)
                .args(arguments)
                .current_dir(&package)
                .env("LOOKALIKE_COMMAND", command(workspace)),
        )
    };
    run("ruff", &["check", "--quiet", "."])?;
    run("ruff", &["format", "--quiet", "--check", "."])?;
    run("pytest", &["--quiet", "--no-header", "-p", "no:cacheprovider"])
}

/// Runs the tests of data frames with the oldest libraries that can be installed.
pub(crate) fn test_oldest(workspace: &Workspace) -> Result<()> {
    let package = package(workspace);
    let python = environment(workspace, "oldest", &package.join("tests").join("oldest.txt"))?;
    install_debug(workspace, &python)?;
    let mut pytest = module_of(&python, "pytest");
    pytest.args(["--quiet", "--no-header", "-p", "no:cacheprovider", "tests/test_frames.py"]);
    succeed(pytest.current_dir(&package))
}

/// Free-threaded interpreters, which cannot load the common wheel: each needs its own.
const FREE_THREADED: [&str; 2] = ["python3.13t", "python3.14t"];

/// The newest C library that a Linux wheel may require: that of 2012, which every supported distribution has.
const MANYLINUX: &str = "manylinux_2_17";

/// The Linux systems that a wheel supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// This one, and those with a C library at least as new.
    Here,
    /// All with [`MANYLINUX`], by linking with zig; for released wheels.
    Everywhere,
}

/// Builds the wheels of this machine for itself. Returns the one for all versions of Python.
pub(crate) fn wheel(workspace: &Workspace) -> Result<PathBuf> {
    wheels(workspace, Reach::Here).map(|mut wheels| wheels.swap_remove(0))
}

/// Builds the wheels of this machine, as users install them, and checks that each works where nothing else is
/// installed: first one for all versions of Python, then one for each free-threaded interpreter found.
pub(crate) fn wheels(workspace: &Workspace, reach: Reach) -> Result<Vec<PathBuf>> {
    let mut wheels = vec![wheel_for(workspace, reach, None)?];
    for interpreter in FREE_THREADED {
        let mut asked = Command::new(interpreter);
        asked.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        if asked.status().is_ok_and(|status| status.success()) {
            wheels.push(wheel_for(workspace, reach, Some(interpreter))?);
        } else {
            println!("{interpreter} is not here: no wheel for it");
        }
    }
    Ok(wheels)
}

/// The wheel for one interpreter, or for all that support the stable ABI.
fn wheel_for(workspace: &Workspace, reach: Reach, interpreter: Option<&str>) -> Result<PathBuf> {
    let builder = environment(workspace, "dist", &package(workspace).join("requirements-dist.txt"))?;
    let wheels = workspace.target().join("wheels");
    let mut maturin = module_of(&builder, "maturin");
    maturin
        .args(["build", "--locked", "--profile", "wheel", "--compression-level", "9", "--quiet", "--out"])
        .arg(&wheels);
    maturin.current_dir(package(workspace));
    if let Some(interpreter) = interpreter {
        maturin.args(["--interpreter", interpreter]);
    }
    let is_for_all = cfg!(target_os = "linux") && reach == Reach::Everywhere;
    if is_for_all {
        // Maturin finds zig by the Python of its own environment.
        let own = builder.parent().context("Python lies in a folder")?;
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(own.to_owned()).chain(env::split_paths(&path));
        maturin.args(["--zig", "--compatibility", MANYLINUX]).env("PATH", env::join_paths(folders)?);
    } else if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        // The compiler's own linker merges identical functions; zig's does not.
        maturin.args(["--", "-C", "link-arg=-Wl,--icf=all"]);
    }
    succeed(&mut maturin)?;
    let wheel = newest_wheel(&wheels)?;
    // The wheel must not contain paths of this machine.
    succeed(Command::new(&builder).arg(package(workspace).join("build_backend.py")).arg(&wheel))?;
    if is_for_all {
        check_tag(&builder, &wheel)?;
    }
    let bytes = fs::metadata(&wheel)?.len();
    println!("{} of {:.1} MB", wheel.display(), bytes as f64 / 1e6);
    ensure!(bytes <= MOST_WHEEL_BYTES, "the wheel has {bytes} bytes, and {MOST_WHEEL_BYTES} are allowed");
    let alone = folder(workspace, &interpreter.map_or_else(|| "alone".to_owned(), |name| format!("alone-{name}")));
    let system = interpreter.map_or_else(system_python, Into::into);
    let python = make_environment(&alone, &system)?;
    succeed(pip(&python).args(["--force-reinstall", "--no-deps"]).arg(&wheel))?;
    succeed(Command::new(&python).arg(package(workspace).join("tests").join("alone.py")))?;
    Ok(wheel)
}

/// Checks that a wheel runs where its name says: auditwheel checks the versions of all symbols.
fn check_tag(python: &Path, wheel: &Path) -> Result<()> {
    let output = module_of(python, "auditwheel").arg("show").arg(wheel).output().context("cannot run auditwheel")?;
    ensure!(output.status.success(), "auditwheel: {}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stdout);
    let tag = platform(&said).with_context(|| format!("auditwheel names no platform:\n{said}"))?;
    let name = wheel.file_name().unwrap_or_default().to_string_lossy();
    ensure!(
        name.contains(MANYLINUX) && tag.starts_with(MANYLINUX),
        "{name} is for {MANYLINUX} by its name, and for {tag} by its symbols"
    );
    println!("{name} is for {tag}, as auditwheel finds");
    Ok(())
}

/// The platform in auditwheel's output, which may break lines anywhere.
fn platform(said: &str) -> Option<String> {
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, rest) = said.split_once("following platform tag:")?;
    rest.split('"').nth(1).map(str::to_owned)
}

fn newest_wheel(folder: &Path) -> Result<PathBuf> {
    let mut wheels = Vec::new();
    for entry in folder.read_dir().with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.extension() == Some(OsStr::new("whl")) {
            wheels.push((fs::metadata(&path)?.modified()?, path));
        }
    }
    wheels.sort();
    wheels.pop().map(|(_, path)| path).context("maturin made no wheel")
}

/// The environment of this name with these packages: created once, and again if the list changes.
pub(crate) fn environment(workspace: &Workspace, name: &str, requirements: &Path) -> Result<PathBuf> {
    let folder = folder(workspace, name);
    let wanted = fs::read_to_string(requirements).with_context(|| format!("cannot read {}", requirements.display()))?;
    let stamp = folder.join("installed.txt");
    let python = make_environment(&folder, &system_python())?;
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    println!("installing what {} lists", requirements.display());
    succeed(pip(&python).arg("-r").arg(requirements))?;
    fs::write(&stamp, wanted)?;
    Ok(python)
}

pub(crate) fn folder(workspace: &Workspace, name: &str) -> PathBuf {
    workspace.target().join("python").join(name)
}

/// The Python for creating environments, unless a job needs another.
fn system_python() -> OsString {
    env::var_os("PYTHON").unwrap_or_else(|| "python3".into())
}

fn make_environment(folder: &Path, system: &OsStr) -> Result<PathBuf> {
    let python =
        if cfg!(windows) { folder.join("Scripts").join("python.exe") } else { folder.join("bin").join("python") };
    if !python.exists() {
        succeed(Command::new(system).args(["-m", "venv"]).arg(folder))?;
    }
    Ok(python)
}

fn pip(python: &Path) -> Command {
    let mut command = module_of(python, "pip");
    command.args(["install", "--quiet", "--disable-pip-version-check"]);
    command
}

pub(crate) fn module_of(python: &Path, module: &str) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", module]);
    command
}

/// Installs the package with the native part of a debug build into an environment. Maturin would build a wheel with
/// other features of the same dependencies, which would take as long as everything else.
fn install_debug(workspace: &Workspace, python: &Path) -> Result<()> {
    let output =
        Command::new(python).args(["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).output()?;
    ensure!(output.status.success(), "python does not say where packages are: {}", output.status);
    let packages = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    place_debug(workspace, &packages)
}

/// Copies the package with the native part of a debug build into a folder of packages.
pub(crate) fn place_debug(workspace: &Workspace, packages: &Path) -> Result<()> {
    // With all targets, so that dependencies have the same features as for the tests, and are not built again.
    succeed(workspace.cargo().args(["build", "--quiet", "--workspace", "--all-targets"]))?;
    let (built, suffix) = if cfg!(windows) {
        ("lookalike_python.dll", "pyd")
    } else if cfg!(target_os = "macos") {
        ("liblookalike_python.dylib", "abi3.so")
    } else {
        ("liblookalike_python.so", "abi3.so")
    };
    let installed = packages.join("lookalike");
    if installed.exists() {
        fs::remove_dir_all(&installed)?;
    }
    copy_sources(&package(workspace).join("python").join("lookalike"), &installed)?;
    let built = workspace.target().join("debug").join(built);
    if !built.exists() {
        bail!("{} was not built", built.display());
    }
    fs::copy(&built, installed.join(format!("_native.{suffix}")))?;
    Ok(())
}

/// Copies a folder of Python sources with its subfolders, but without what Python has compiled.
fn copy_sources(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in from.read_dir().with_context(|| format!("cannot read {}", from.display()))? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        if path.is_file() {
            fs::copy(&path, to.join(name))?;
        } else if name != "__pycache__" {
            copy_sources(&path, &to.join(name))?;
        }
    }
    Ok(())
}

/// The command of the same build, for comparison in tests.
pub(crate) fn command(workspace: &Workspace) -> PathBuf {
    workspace.target().join("debug").join(format!("lookalike{}", env::consts::EXE_SUFFIX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_platform_is_what_stands_in_quotes() {
        let said = "\na.whl is consistent with the following\nplatform tag:\n\"manylinux_2_17_x86_64\".\n\nA \"b\"";
        assert_eq!(platform(said).as_deref(), Some("manylinux_2_17_x86_64"));
        assert_eq!(platform("nothing of this kind"), None);
    }

    #[test]
    fn folders_of_the_package_are_copied_too() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for name in ["a.py", "spark/b.py", "spark/__pycache__/b.pyc"] {
            let path = from.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        copy_sources(from.path(), &to.path().join("new")).unwrap();
        let copied = |name: &str| to.path().join("new").join(name).exists();
        assert!(copied("a.py") && copied("spark/b.py") && !copied("spark/__pycache__"));
    }
}
