//! Runs the real binary in a fresh folder; shared by several test files.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

use std::fs;
use std::io::Write;
use std::process::{Child, Command, Output, Stdio};

pub struct Folder(pub tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, b"")
    }

    /// Starts a run that waits for its input.
    pub fn start(&self, arguments: &[&str]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_lookalike"))
            .args(arguments)
            .current_dir(self.0.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    pub fn run_with(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let mut child = self.start(arguments);
        // A run that refuses its arguments does not read its input.
        let _ = child.stdin.take().unwrap().write_all(input);
        Ran::new(child.wait_with_output().unwrap())
    }

    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }
}

/// Interrupts a run that waits for its input, as Ctrl-C does.
pub fn interrupt(mut child: Child) -> Ran {
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let stdin = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    Ran::new(output)
}

pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn new(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

pub fn text(seed: usize) -> String {
    (0..60).map(|at| format!("w{}", seed * 1000 + at)).collect::<Vec<_>>().join(" ")
}

pub fn lines() -> String {
    let near = format!("{} closing", text(1));
    let line = |id, text: &str| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    line("a", &text(1)) + &line("b", &text(2)) + &line("c", &near) + &line("d", &text(2))
}

/// A table of three small prints, which can be compared quickly.
pub fn prints() -> String {
    let row = |print: usize, at: usize| {
        let (x, y) = (40 + at * 37 % 200 + print, 40 + at * 53 % 240);
        format!("{print},{x},{y},{}\n", at * 71 % 360)
    };
    let rows: String = (1..=3).flat_map(|print| (0..12).map(move |at| row(print, at))).collect();
    format!("print,x,y,angle\n{rows}")
}

/// Checks for one line on stderr that contains these words, exit code 2, and no output.
pub fn assert_refused(folder: &Folder, arguments: &[&str], said: &[&str]) {
    let before = folder.names();
    let ran = folder.run(arguments);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}");
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("lookalike: "), "{}", ran.stderr);
    for said in said {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
    assert_eq!(folder.names(), before, "{arguments:?}");
}
