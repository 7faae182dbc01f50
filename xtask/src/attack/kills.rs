//! Runs that are killed at many moments, resumed, and compared with an uninterrupted one.
//!
//! Timing depends on the machine, so tests inject a fault at every disk operation; they also run as part of the attack.
//! Random moments find cases that were not considered as operations.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::{Means, Tally};
use crate::bench::dice::Dice;
use crate::workspace::succeed;

/// The folders of all rounds.
struct Folders {
    corpus: PathBuf,
    work: PathBuf,
}

/// Kills runs at random moments until the time is over.
pub(super) fn at_random(means: &Means<'_>) -> Result<Tally> {
    let mut tally = Tally::default();
    let mut dice = Dice::new(means.seed);
    let folders = Folders { corpus: means.folder.join("corpus"), work: means.folder.join("work") };
    write_corpus(&folders.corpus)?;
    let (plain, out) = (means.folder.join("plain"), means.folder.join("out"));
    let start = Instant::now();
    succeed(&mut folders.dedup(means.lookalike, &plain))?;
    let whole = start.elapsed();
    let expected = content(&plain)?;
    let mut killed = 0;
    while means.has_time() {
        let mut child = folders.dedup(means.lookalike, &out).spawn().context("cannot run lookalike")?;
        thread::sleep(whole.mul_f64(dice.unit() * 1.1));
        // Like `kill -9`; it is not an error if the run has already ended.
        let _ = child.kill();
        let was_killed = !child.wait()?.success();
        killed += u32::from(was_killed);
        let round = || -> Result<()> {
            if was_killed {
                succeed(folders.dedup(means.lookalike, &out).arg("--resume"))?;
            }
            ensure!(content(&out)? == expected, "the result is not that of a run that was not killed");
            let names: Vec<String> = names(means.folder)?;
            ensure!(names == ["corpus", "out", "plain"], "left behind: {}", names.join(", "));
            Ok(())
        };
        tally.count(round().err().map(|error| format!("round {}: {error:#}", tally.tried)));
        for folder in [&out, &folders.work] {
            let _ = fs::remove_dir_all(folder);
        }
    }
    ensure!(killed > 0, "no run was killed before its end");
    tally.note = format!("{killed} were killed before their end");
    Ok(tally)
}

/// Runs the tests that kill the process at every operation of the work folder and at every rename of a commit.
pub(super) fn at_each_step(means: &Means<'_>) -> Result<Tally> {
    let mut tally = Tally::default();
    for test in ["commit", "resume"] {
        let mut command = means.workspace.cargo();
        let output = command.args(["test", "--workspace", "--test", test]).output().context("cannot run cargo")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let lines: Vec<&str> =
            text.lines().filter(|line| line.starts_with("test ") && line.contains(" ... ")).collect();
        ensure!(!lines.is_empty(), "no tests ran: {}", String::from_utf8_lossy(&output.stderr));
        for line in lines.iter().filter(|line| !line.contains("... ignored")) {
            tally.count((!line.ends_with("ok")).then(|| (*line).to_owned()));
        }
    }
    tally.note = String::from("tests, each of many steps");
    Ok(tally)
}

/// The names in a folder, in order.
fn names(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

impl Folders {
    fn dedup(&self, lookalike: &Path, out: &Path) -> Command {
        let mut command = Command::new(lookalike);
        command.arg("dedup").arg(&self.corpus).args(["--id", "id", "--quiet", "-o"]).arg(out);
        command.arg("--work").arg(&self.work).stdout(Stdio::null());
        command
    }
}

/// Near-duplicates of varying similarity, in files that can be read again at any offset and one that cannot.
pub(super) fn write_corpus(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    for file in 0..12_u64 {
        let line = |line: u64| {
            // One of 400 texts, with a few unique words.
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

/// All files of a result by their names, except times and memory.
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
                ["stages", "seconds", "peak_memory_bytes", "command"].iter().for_each(|key| drop(object.remove(*key)));
                bytes = summary.to_string().into_bytes();
            }
            // It contains times and the command line.
            if path.ends_with("report.html") {
                bytes.clear();
            }
            files.push((path.strip_prefix(out)?.to_owned(), bytes));
        }
    }
    files.sort();
    Ok(files)
}
