//! A killed run resumes where it was, and gives the same result as an uninterrupted one.

mod folder;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A corpus with near-duplicates of all degrees: files that can be read again from any position, and one that cannot.
fn corpus(folder: &Path) -> PathBuf {
    let corpus = folder.join("corpus");
    fs::create_dir_all(&corpus).unwrap();
    for file in 0..12_u64 {
        let lines: String = (0..150_u64)
            .map(|line| {
                // One of 40 texts, with a few unique words.
                let (base, own) = (line * 7 % 40, file * 1000 + line);
                let word = |at: u64| if at % 41 == own % 41 { own * 1000 + at } else { base * 1000 + at };
                let text: Vec<String> = (0..120).map(|at| format!("w{:x}", word(at))).collect();
                format!("{{\"id\":\"d{own}\",\"text\":\"{}\"}}\n", text.join(" "))
            })
            .collect();
        let bytes = if file == 5 { zstd::encode_all(lines.as_bytes(), 1).unwrap() } else { lines.into_bytes() };
        fs::write(corpus.join(format!("{file:02}.jsonl{}", if file == 5 { ".zst" } else { "" })), bytes).unwrap();
    }
    corpus
}

fn command(corpus: &Path, out: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
    command.arg("dedup").arg(corpus).args(["--id", "id", "--threads", "2", "-o"]).arg(out).args(more);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn run(corpus: &Path, out: &Path, more: &[&str]) -> Output {
    command(corpus, out, more).output().unwrap()
}

/// All files of an output, except for times and memory.
fn content(out: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folders = vec![out.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let bytes = |path: PathBuf| {
        let mut bytes = fs::read(&path).unwrap();
        if path.ends_with("summary.json") {
            let mut summary: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            for key in ["stages", "seconds", "peak_memory_bytes", "command"] {
                summary.as_object_mut().unwrap().remove(key).unwrap();
            }
            bytes = summary.to_string().into_bytes();
        }
        // It contains the times and the command line.
        if path.ends_with("report.html") {
            bytes.clear();
        }
        (path.strip_prefix(out).unwrap().to_owned(), bytes)
    };
    files.into_iter().map(bytes).collect()
}

fn line(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.lines().filter(|line| line.starts_with("lookalike: ")).collect::<Vec<_>>().join("\n")
}

fn wait(mut child: Child, time: Duration) -> bool {
    std::thread::sleep(time);
    // As `kill -9` does it.
    let _ = child.kill();
    !child.wait().unwrap().success()
}

/// Tries five moments; the library's tests try faults at every disk operation, and `cargo xtask kills` any number of
/// moments.
#[test]
fn a_run_that_was_killed_at_any_of_five_moments_ends_as_one_that_was_not() {
    let folder = folder::Folder::new();
    let corpus = corpus(folder.0.path());
    let [plain, out, work] = ["plain", "out", "work"].map(|name| folder.0.path().join(name));
    let start = Instant::now();
    assert_eq!(run(&corpus, &plain, &["--work", work.to_str().unwrap()]).status.code(), Some(0));
    let whole = start.elapsed();
    assert!(!work.exists(), "nothing is left of a run that came to its end");
    let expected = content(&plain);
    assert!(expected.len() > 13, "kept files, evidence and summary");

    let mut killed = 0;
    for moment in 0..5 {
        let child = command(&corpus, &out, &["--work", work.to_str().unwrap()]).stderr(Stdio::null()).spawn().unwrap();
        let was_killed = wait(child, whole * moment / 5);
        killed += u32::from(was_killed);
        let is_done = out.exists() && !work.join("commit").exists();
        if was_killed && !is_done {
            // The output's name never refers to a partial output.
            assert!(!out.exists() || content(&out) == expected, "moment {moment}");
            let resumed = run(&corpus, &out, &["--work", work.to_str().unwrap(), "--resume"]);
            assert_eq!(resumed.status.code(), Some(0), "moment {moment}: {}", line(&resumed));
        }
        assert_eq!(content(&out), expected, "moment {moment}");
        assert!(!folder.names().iter().any(|name| name.starts_with('.')), "moment {moment}: {:?}", folder.names());
        fs::remove_dir_all(&out).unwrap();
    }
    // The first is at the very start. Later ones may be after the end of a run that was faster than the timed one.
    assert!(killed > 0, "no moment was before the end");
}

#[test]
fn what_cannot_be_resumed_is_refused_with_the_remedy() {
    let folder = folder::Folder::new();
    let corpus = corpus(folder.0.path());
    let [out, work] = ["out", "work"].map(|name| folder.0.path().join(name));
    let work = work.to_str().unwrap();
    let mut child = command(&corpus, &out, &["--work", work]).stderr(Stdio::null()).spawn().unwrap();
    while !Path::new(work).join("run.json").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();

    let refused = |more: &[&str], expected: &str| {
        let output = run(&corpus, &out, more);
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        let line = line(&output);
        assert!(line.contains(expected) && line.lines().count() == 1, "{more:?}: {line}");
        assert!(!out.exists());
    };
    // As a run in progress holds it.
    let lock = fs::File::open(Path::new(work).join("run.lock")).unwrap();
    lock.lock().unwrap();
    refused(&["--work", work, "--resume"], "is in use by another run");
    drop(lock);
    refused(&["--work", work], "holds an unfinished run: resume it, or discard it; give --resume or --force");
    refused(&["--work", work, "--resume", "--threshold", "0.7"], "belongs to another run");
    refused(&["--resume"], "--work");
    refused(&["--work", corpus.to_str().unwrap()], "that lookalike did not write");
    refused(&["--work", corpus.join("01.jsonl").to_str().unwrap()], "cannot be the work folder");
    refused(&["--memory", "1M"], "--memory must be at least 64.0 MB, not 1M");
    refused(&["--memory", "much"], "--memory must be a size such as 500M or 4G, not much");
    // A different modification time and length.
    let changed = corpus.join("07.jsonl");
    let mut bytes = fs::read(&changed).unwrap();
    bytes.extend_from_slice(b"{\"id\":\"new\",\"text\":\"a new one\"}\n");
    fs::write(&changed, bytes).unwrap();
    refused(&["--work", work, "--resume"], "07.jsonl");
    assert_eq!(run(&corpus, &out, &["--work", work, "--force"]).status.code(), Some(0));
    assert!(out.join("summary.json").exists() && !Path::new(work).exists());
}

#[test]
fn a_work_folder_inside_of_the_input_is_no_input() {
    let folder = folder::Folder::new();
    let corpus = corpus(folder.0.path());
    let (out, work) = (folder.0.path().join("out"), corpus.join("work"));
    let mut child = command(&corpus, &out, &["--work", work.to_str().unwrap()]).stderr(Stdio::null()).spawn().unwrap();
    while !work.join("run.json").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let resumed = run(&corpus, &out, &["--work", work.to_str().unwrap(), "--resume"]);
    assert_eq!(resumed.status.code(), Some(0), "{}", line(&resumed));
    assert!(!out.join("kept/work").exists());
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_what_can_be_resumed() {
    let folder = folder::Folder::new();
    let corpus = corpus(folder.0.path());
    let [out, work] = ["out", "work"].map(|name| folder.0.path().join(name));
    let child = command(&corpus, &out, &["--work", work.to_str().unwrap()]).spawn().unwrap();
    while !work.join("run.json").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(line(&output), "lookalike: interrupted, and nothing was written: resume it with --resume");
    assert!(!out.exists() && work.join("run.json").exists());
    let resumed = run(&corpus, &out, &["--work", work.to_str().unwrap(), "--resume"]);
    assert_eq!(resumed.status.code(), Some(0), "{}", line(&resumed));
}

/// On a disk of 64 kB. Not every system lets users mount one of their own.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "mounts a disk of its own: cargo xtask test runs it where users may do that"]
fn a_disk_that_is_too_small_is_told_before_the_run() {
    let folder = folder::Folder::new();
    let corpus = corpus(folder.0.path());
    let [out, disk] = ["out", "disk"].map(|name| folder.0.path().join(name));
    fs::create_dir_all(&disk).unwrap();
    let on_disk = |command: &str| {
        let script = format!("mount -t tmpfs -o size=64k tmpfs {} && {command}", disk.display());
        Command::new("unshare").args(["-rm", "sh", "-c", &script]).output()
    };
    assert!(on_disk("true").is_ok_and(|mounted| mounted.status.success()), "no disk of our own can be mounted here");
    let run = format!(
        "exec {} dedup {} --id id -o {} --work {}/work",
        env!("CARGO_BIN_EXE_lookalike"),
        corpus.display(),
        out.display(),
        disk.display()
    );
    let small = on_disk(&run).unwrap();
    assert_eq!(small.status.code(), Some(2));
    assert!(line(&small).contains("the run will need about"), "{}", line(&small));
    assert!(!out.exists());
}

#[test]
fn a_run_that_is_done_says_so_when_it_is_resumed() {
    let folder = folder::Folder::new();
    folder.write("in.jsonl", folder::lines() + "no JSON\n");
    let dedup = ["dedup", "in.jsonl", "-o", "out", "--work", "work"];
    assert_eq!(folder.run(&dedup).code, 1);
    let before = content(&folder.0.path().join("out"));
    let ran = folder.run(&[&dedup[..], &["--resume"]].concat());
    // The exit code is that of the run: something was skipped.
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}", ran.stderr);
    assert_eq!(ran.stderr, "lookalike: the run is finished, and there is nothing to resume: its result is in out\n");
    assert_eq!(content(&folder.0.path().join("out")), before);
    assert_eq!(folder.names(), ["in.jsonl", "out"]);
}

#[test]
fn pairs_that_are_done_are_not_resumed_and_not_touched() {
    let folder = folder::Folder::new();
    folder.write("in.jsonl", folder::lines());
    let pairs = ["pairs", "in.jsonl", "-o", "pairs.tsv", "--work", "work"];
    assert_eq!(folder.run(&pairs).code, 0);
    let before = folder.read("pairs.tsv");
    let resume = [&pairs[..], &["--resume"]].concat();
    folder::assert_refused(&folder, &resume, &["no run to resume in work", "pairs.tsv is complete", "--force"]);
    assert_eq!(folder.read("pairs.tsv"), before);
}
