//! `cargo xtask kills`: runs that are killed at many moments, resumed, and compared with one that was not.
//!
//! Not a part of `test`: moments depend on the machine, and the tests inject a fault at every operation of the disk instead. This
//! finds what nobody thought of as an operation.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::workspace::{Workspace, succeed};

/// What can be told.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// How many runs to kill, each at another moment
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
}

/// The folders of all rounds.
struct Folders {
    corpus: PathBuf,
    work: PathBuf,
}

/// Kills a run in each round; ends with the first that does not go on as it should.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let lookalike = workspace.build_lookalike()?;
    let folder = tempfile::tempdir()?;
    let folders = Folders { corpus: folder.path().join("corpus"), work: folder.path().join("work") };
    write_corpus(&folders.corpus)?;

    let (plain, out) = (folder.path().join("plain"), folder.path().join("out"));
    let start = Instant::now();
    succeed(&mut folders.dedup(&lookalike, &plain))?;
    let whole = start.elapsed();
    let expected = content(&plain)?;

    let mut killed = 0;
    for round in 0..options.rounds {
        let mut child = folders.dedup(&lookalike, &out).spawn().context("cannot run lookalike")?;
        thread::sleep(whole * round / options.rounds);
        // As `kill -9` does it; a run that has ended is no error.
        let _ = child.kill();
        let was_killed = !child.wait()?.success();
        killed += u32::from(was_killed);
        if was_killed && (!out.exists() || folders.work.join("commit").exists()) {
            succeed(folders.dedup(&lookalike, &out).arg("--resume")).with_context(|| format!("round {round}"))?;
        }
        ensure!(content(&out)? == expected, "round {round}: the result is not that of a run that was not killed");
        fs::remove_dir_all(&out)?;
    }
    ensure!(killed > 0, "no run was killed before its end");
    println!("{killed} of {} runs were killed before their end; all results are the same", options.rounds);
    Ok(())
}

impl Folders {
    fn dedup(&self, lookalike: &Path, out: &Path) -> Command {
        let mut command = Command::new(lookalike);
        command.arg("dedup").arg(&self.corpus).args(["--id", "id", "--quiet", "-o"]).arg(out);
        command.arg("--work").arg(&self.work).stdout(Stdio::null());
        command
    }
}

/// Near-duplicates of every degree, in files that can be read again at any place and one that cannot.
fn write_corpus(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    for file in 0..12_u64 {
        let line = |line: u64| {
            // One of 400 texts, with a few words of its own.
            let (base, own) = (line * 7 % 400, file * 10_000 + line);
            let word = |at: u64| if at % 41 == own % 41 { own * 1000 + at } else { base * 1000 + at };
            let text: Vec<String> = (0..120).map(|at| format!("w{:x}", word(at))).collect();
            format!("{{\"id\":\"d{own}\",\"text\":\"{}\"}}\n", text.join(" "))
        };
        let lines: String = (0..2000).map(line).collect();
        if file == 5 {
            let packed = fs::File::create(folder.join("05.jsonl.gz"))?;
            let mut encoder = flate2::write::GzEncoder::new(packed, flate2::Compression::fast());
            std::io::Write::write_all(&mut encoder, lines.as_bytes())?;
            encoder.finish()?;
        } else {
            fs::write(folder.join(format!("{file:02}.jsonl")), lines)?;
        }
    }
    Ok(())
}

/// All files of a result by their names, but for times and memory.
fn content(out: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let (mut folders, mut files) = (vec![out.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("{} is not there", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let mut bytes = fs::read(&path)?;
            if path.ends_with("summary.json") {
                let mut summary: serde_json::Value = serde_json::from_slice(&bytes)?;
                let object = summary.as_object_mut().context("summary.json is no object")?;
                ["stages", "seconds", "peak_memory_bytes"].iter().for_each(|key| drop(object.remove(*key)));
                bytes = summary.to_string().into_bytes();
            }
            files.push((path.strip_prefix(out)?.to_owned(), bytes));
        }
    }
    files.sort();
    Ok(files)
}
