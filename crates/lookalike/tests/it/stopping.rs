//! Jobs about tables stop within a stage, however long the stage would take, and write nothing more.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use lookalike::{Counted, Error, PrintsRequest, Progress, SetsRequest, prints, sets};

/// Asks to stop once it was asked so often within a stage.
struct StopWithin {
    stage: &'static str,
    after: u64,
    is_there: AtomicBool,
    asked: AtomicU64,
    stages: Mutex<Vec<&'static str>>,
}

impl StopWithin {
    fn new(stage: &'static str, after: u64) -> Self {
        Self { stage, after, is_there: AtomicBool::new(false), asked: AtomicU64::new(0), stages: Mutex::default() }
    }
}

impl Progress for StopWithin {
    fn stage(&self, name: &'static str, _: Option<u64>) {
        self.is_there.store(name == self.stage, SeqCst);
        self.stages.lock().unwrap().push(name);
    }

    fn advance(&self, _: u64, _: Counted) {}

    fn finish(&self) {}

    fn is_stopped(&self) -> bool {
        // Once stopped, it stays so.
        self.asked.load(SeqCst) > self.after
            || self.is_there.load(SeqCst) && self.asked.fetch_add(1, SeqCst) + 1 > self.after
    }
}

/// Number of calls in each stage before the test stops it.
const AFTER: u64 = 3;

/// Stops a job in each of these stages; none of the stages after it begins.
fn check(stages: &[&'static str], job: impl Fn(&dyn Progress) -> Result<(), Error>) {
    for stage in stages {
        let stop = StopWithin::new(stage, AFTER);
        let outcome = job(&stop);
        assert!(matches!(outcome, Err(Error::Stopped)), "{stage}: {outcome:?}");
        assert_eq!(stop.stages.lock().unwrap().last(), Some(stage));
    }
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn sets_stop_while_they_are_joined_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for at in 0..20_000_u32 {
        writeln!(text, "{} {} {} {}", at / 2, at / 3 + 50_000, at / 5 + 100_000, at % 7 + 900_000).unwrap();
    }
    let request = SetsRequest::new([write(folder.path(), "in.txt", &text)]);
    for (request, stages) in [
        (request.clone().threshold(0.4), &["read", "join", "write"][..]),
        (request.clone().threshold(0.4).recall(0.95), &["join", "write"]),
        (request.top(2), &["join", "write"]),
    ] {
        let options = request.check().unwrap();
        check(stages, |progress| sets(&options, &mut Vec::new(), progress).map(|_| ()));
    }
}

#[test]
fn prints_stop_while_they_are_prepared_searched_and_aligned() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "print,x,y,angle\n".to_owned();
    for at in 0..30 * 12_u32 {
        let scattered = at.wrapping_mul(2_654_435_761);
        writeln!(text, "p{},{},{},{}", at / 12, scattered % 293, scattered / 293 % 397, scattered / 7 % 360).unwrap();
    }
    let input = write(folder.path(), "in.csv", &text);
    let run = |request: PrintsRequest, stages: &[&'static str]| {
        let options = request.check().unwrap();
        check(stages, |progress| prints(&options, &mut Vec::new(), progress).map(|_| ()));
    };
    let request = PrintsRequest::new([input.clone()]);
    run(request.clone().max_candidates(5), &["prepare", "candidates", "align", "sample", "direction"]);
    run(request.clone().all_pairs(true), &["prepare", "direction", "align"]);
    run(request.against([input]).max_candidates(5).top(1), &["prepare", "align", "sample"]);
}
