//! Closed pipes, full disks and invalid calls: streams and exit codes of every command.
#![cfg(unix)]

use crate::folder;
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::folder::{Folder, Ran, lines, prints, text};

/// A folder with an input for every command, and one call of each that writes to standard output.
fn calls() -> (Folder, Vec<Vec<&'static str>>) {
    let folder = Folder::new();
    folder.write("in.jsonl", lines()).write("sets.txt", "a b c\na b c d\n").write("prints.csv", prints());
    folder.write("old.txt", text(1)).write("new.txt", text(2));
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    std::os::unix::fs::symlink(examples, folder.0.path().join("examples")).unwrap();
    let calls = vec![
        vec!["dedup", "in.jsonl", "-o", "-"],
        vec!["dedup", "in.jsonl", "-o", "-", "--annotate"],
        vec!["dedup", "in.jsonl", "--dry-run", "--summary", "json"],
        vec!["pairs", "in.jsonl"],
        vec!["sets", "sets.txt", "--threshold", "0.5"],
        vec!["prints", "prints.csv", "--all-pairs"],
        vec!["prints", "prints.csv", "--format", "tsv", "--against", "prints.csv"],
        vec!["link", "explain", "examples/customers.csv", "1", "2", "--id", "id"],
        vec!["compare", "old.txt", "new.txt"],
        vec!["tune"],
        vec!["tune", "--summary", "json"],
        vec!["evaluate", "in.jsonl", "--methods", "minhash"],
        vec!["--help"],
        vec!["dedup", "--help"],
        vec!["--version"],
    ];
    (folder, calls)
}

/// The write end of a pipe that is closed on the other side.
fn closed_pipe() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

fn run(folder: &Folder, arguments: &[&str], stdout: Stdio, stderr: Stdio) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
    command.args(arguments).current_dir(folder.0.path()).stdin(Stdio::null());
    Ran::new(command.stdout(stdout).stderr(stderr).spawn().unwrap().wait_with_output().unwrap())
}

fn shell(folder: &Folder, line: &str) -> Ran {
    let mut shell = Command::new("bash");
    let line = line.replace("lookalike", env!("CARGO_BIN_EXE_lookalike"));
    shell.args(["-c", &line]).current_dir(folder.0.path());
    Ran::new(shell.output().unwrap())
}

#[test]
fn a_reader_that_goes_away_is_not_an_error() {
    let (folder, calls) = calls();
    for call in calls {
        let ran = run(&folder, &call, closed_pipe(), Stdio::piped());
        assert_eq!(ran.code, 0, "{call:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains("lookalike:") && !ran.stderr.contains("panicked"), "{call:?}: {}", ran.stderr);
    }
}

#[test]
fn nobody_has_to_listen_either() {
    let (folder, calls) = calls();
    for call in &calls {
        assert_eq!(run(&folder, call, closed_pipe(), closed_pipe()).code, 0, "{call:?}");
        assert_eq!(run(&folder, call, Stdio::null(), closed_pipe()).code, 0, "{call:?}");
    }
    let refused = [&["dedup", "in.jsonl"][..], &["dedup", "--color"], &["pairs", "missing"], &[]];
    for call in refused {
        assert_eq!(run(&folder, call, closed_pipe(), closed_pipe()).code, 2, "{call:?}");
    }
    let ran = shell(&folder, "lookalike pairs in.jsonl >&- 2>&-");
    assert_eq!(ran.code, 0);
}

#[test]
fn the_exit_code_does_not_depend_on_how_much_was_read() {
    let folder = Folder::new();
    // 44,850 pairs: several megabytes, which fit neither a pipe nor a buffer.
    let line = format!("{{\"text\":\"{}\"}}\n", text(1));
    folder.write("few.jsonl", line.repeat(3)).write("many.jsonl", line.repeat(300));
    folder.write("bad.jsonl", line.repeat(300) + "{oops\n");
    for (input, code) in [("few.jsonl", 0), ("many.jsonl", 0), ("bad.jsonl", 1)] {
        let ran = shell(&folder, &format!("lookalike pairs {input} | head -n 1; echo ${{PIPESTATUS[0]}}"));
        let said: Vec<&str> = ran.stdout.lines().collect();
        assert!(said[0].starts_with("{\"left_id\""), "{}", ran.stdout);
        assert_eq!(said[1], code.to_string(), "{input}: {}", ran.stderr);
        // The number of pairs is unknown if not all were written.
        assert_eq!(ran.stderr.contains("pairs among"), input == "few.jsonl", "{}", ran.stderr);
    }
    for arguments in [&["pairs", "bad.jsonl"][..], &["dedup", "bad.jsonl", "-o", "-"], &["evaluate", "bad.jsonl"]] {
        assert_eq!(run(&folder, arguments, closed_pipe(), Stdio::null()).code, 1, "{arguments:?}");
    }
}

#[test]
fn the_evidence_is_written_whoever_reads_the_documents() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines());
    let dedup = ["dedup", "in.jsonl", "-o", "-", "--removed", "removed.jsonl"];
    assert_eq!(run(&folder, &dedup, closed_pipe(), Stdio::null()).code, 0);
    assert_eq!(folder.read("removed.jsonl").lines().count(), 2);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_with_one_line() {
    let (folder, calls) = calls();
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    for call in calls {
        let ran = run(&folder, &call, full(), Stdio::piped());
        assert_eq!(ran.code, 2, "{call:?}: {}", ran.stderr);
        let last = ran.stderr.lines().last().unwrap_or_default();
        assert!(last.starts_with("lookalike: cannot write") && last.contains("No space left"), "{call:?}: {last}");
        assert_eq!(run(&folder, &call, Stdio::null(), full()).code, 0, "{call:?}");
    }
    // Files that accompany the documents are then absent.
    let dedup = ["dedup", "in.jsonl", "-o", "-", "--removed", "removed.jsonl"];
    assert_eq!(run(&folder, &dedup, full(), Stdio::null()).code, 2);
    assert!(!folder.0.path().join("removed.jsonl").exists());
}

#[test]
fn a_wrong_call_points_to_the_help_of_its_command() {
    let folder = Folder::new();
    let help = folder.run(&["--help"]).stdout;
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let commands = commands.lines().take_while(|line| !line.is_empty());
    // The description of a command may take several lines, which are indented further.
    let commands = commands.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let commands: Vec<&str> = commands.filter(|name| !name.is_empty()).collect();
    assert!(commands.len() >= 8, "{commands:?}");
    for command in commands {
        folder::assert_refused(&folder, &[command, "--color"], &[&format!("; see lookalike {command} --help")]);
    }
    let add = ["index", "add", "archive", "in.jsonl", "--format", "csv"];
    folder::assert_refused(&folder, &add, &["--unless-duplicate; see lookalike index add --help"]);
    folder::assert_refused(&folder, &["link", "explained", "--color"], &["; see lookalike link --help"]);
    folder::assert_refused(&folder, &["dedupe", "x"], &["'dedupe'; a similar", "'dedup'; see lookalike --help"]);
    folder::assert_refused(&folder, &["dedup", "x", "--treshold", "1"], &["found; a similar", "'--threshold'; see"]);
}

#[test]
fn a_name_that_is_not_unicode_is_no_trouble() {
    let folder = Folder::new();
    let name = OsStr::from_bytes(b"caf\xE9.jsonl");
    std::fs::write(folder.0.path().join(name), lines()).unwrap();
    let run = |arguments: &[&OsStr]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
        command.args(arguments).current_dir(folder.0.path()).output().unwrap()
    };
    let [dedup, output, dash] = ["dedup", "-o", "-"].map(OsStr::new);
    assert_eq!(run(&[dedup, name, output, dash]).status.code(), Some(0));
    assert_eq!(run(&[name]).status.code(), Some(2));
    assert_eq!(run(&[dedup, name]).status.code(), Some(2));
}
