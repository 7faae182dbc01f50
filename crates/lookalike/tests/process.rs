//! A job within a process: others may run at the same time, it stops on request, and it uses only the threads of the
//! pool it is called from. All tests run in their own pools, since one of them checks that nobody starts the global
//! one.

mod made;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Barrier, Mutex};
use std::thread;

use lookalike::io::write::Unfinished;
use lookalike::{Counted, DedupRequest, Error, Progress, Silent, Summary};

use made::Case;

const FILES: u64 = 40;
const THREADS: usize = 2;

/// Files of two documents: one that is also in the next file except for its last word, and one that is unique.
fn corpus(name: &str) -> Case {
    let case = Case::new();
    let words = |seed: u64| -> String { (0..60).map(|word| format!("{name}{} ", seed * 1000 + word)).collect() };
    for file in 0..FILES {
        let texts = [words(file / 2) + if file % 2 == 0 { "one" } else { "two" }, words(1000 + file)];
        case.write(&format!("in/{file:02}.jsonl"), made::jsonl(&texts));
    }
    case
}

fn in_pool<T: Send>(job: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(THREADS).build().unwrap().install(job)
}

fn dedup(request: &DedupRequest, progress: &dyn Progress) -> lookalike::Result<Summary> {
    let options = request.clone().check().unwrap();
    in_pool(|| lookalike::dedup(&options, progress))
}

/// The output of a run, except its summary, which contains times.
fn written(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                // These contain times.
                false if path.ends_with("summary.json") || path.ends_with("report.html") => {}
                false => files.push((path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap())),
            }
        }
    }
    files.sort();
    files
}

/// The names in a case's folder.
fn names(case: &Case) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(case.folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Stops a job when a stage starts, or after this many parts.
struct Stop {
    stage: &'static str,
    after: u64,
    is_there: AtomicBool,
    parts: AtomicU64,
    is_asked: AtomicBool,
    /// The stages that were started.
    stages: Mutex<Vec<&'static str>>,
}

impl Stop {
    fn at(stage: &'static str, after: u64) -> Self {
        let (is_there, parts, is_asked, stages) = Default::default();
        Self { stage, after, is_there, parts, is_asked, stages }
    }
}

impl Progress for Stop {
    fn stage(&self, name: &'static str, _: Option<u64>) {
        self.stages.lock().unwrap().push(name);
        self.is_there.store(name == self.stage, SeqCst);
        if self.is_there.load(SeqCst) && self.after == 0 {
            self.is_asked.store(true, SeqCst);
        }
    }

    fn advance(&self, _: u64, _: Counted) {
        if self.is_there.load(SeqCst) && self.parts.fetch_add(1, SeqCst) + 1 >= self.after {
            self.is_asked.store(true, SeqCst);
        }
    }

    fn finish(&self) {}

    fn is_stopped(&self) -> bool {
        self.is_asked.load(SeqCst)
    }
}

#[test]
fn a_job_that_is_stopped_reads_no_further_and_leaves_nothing_behind() {
    let case = corpus("read");
    let stop = Stop::at("sketch", 5);
    let error = dedup(&case.request("in", 0.8), &stop).unwrap_err();
    assert!(matches!(error, Error::Stopped), "{error}");
    // Parts that other threads were processing were finished.
    let parts = stop.parts.load(SeqCst);
    assert!((5..=5 + THREADS as u64).contains(&parts), "{parts} of {FILES} files were read");
    assert_eq!(*stop.stages.lock().unwrap(), ["sketch"]);
    assert_eq!(names(&case), ["in"]);
}

#[test]
fn a_job_stops_in_every_stage_and_what_was_there_before_stays() {
    let case = corpus("stage");
    let request = case.request("in", 0.8);
    dedup(&request, &Silent).unwrap();
    fs::write(case.path("out/removed.jsonl"), "of an earlier run").unwrap();
    for stage in ["sketch", "copies", "bucket", "verify", "write"] {
        let stop = Stop::at(stage, 0);
        let error = dedup(&request, &stop).unwrap_err();
        assert!(matches!(error, Error::Stopped), "{stage}: {error}");
        assert_eq!(fs::read_to_string(case.path("out/removed.jsonl")).unwrap(), "of an earlier run", "{stage}");
        assert_eq!(names(&case), ["in", "out"], "{stage}");
        let stages = stop.stages.lock().unwrap();
        assert!(stage == "copies" || stages.last() == Some(&stage), "{stage}: {stages:?}");
    }
}

#[test]
fn a_job_that_was_stopped_is_resumed_and_gives_what_one_gives_that_was_not() {
    let case = corpus("resume");
    let whole = case.request("in", 0.8).output(case.path("whole"));
    dedup(&whole, &Silent).unwrap();
    for (stage, after) in [("sketch", 7), ("write", 0)] {
        let with_work = |resume: bool| case.request("in", 0.8).work(case.path("work")).resume(resume);
        assert!(matches!(dedup(&with_work(false), &Stop::at(stage, after)), Err(Error::Stopped)));
        assert_eq!(names(&case), ["in", "whole", "work"], "{stage}");
        let counting = Stop::at("sketch", u64::MAX);
        dedup(&with_work(true), &counting).unwrap();
        assert!(counting.parts.load(SeqCst) <= FILES - after.max(1), "{stage}: all was read again");
        assert_eq!(written(&case.path("out")), written(&case.path("whole")), "{stage}");
        fs::remove_dir_all(case.path("out")).unwrap();
    }
}

/// Waits before it writes, twice: until all others do so, and until these have ended.
struct Meet<'a>(&'a Barrier, Unfinished);

impl Progress for Meet<'_> {
    fn stage(&self, name: &'static str, _: Option<u64>) {
        if name == "write" {
            self.0.wait();
            self.0.wait();
        }
    }
    fn advance(&self, _: u64, _: Counted) {}
    fn finish(&self) {}

    fn unfinished(&self) -> Unfinished {
        self.1.clone()
    }
}

#[test]
fn two_jobs_run_at_once_and_one_that_fails_takes_nothing_from_the_other() {
    let (first, second) = (corpus("first"), corpus("second"));
    let whole = second.request("in", 0.8).output(second.path("whole"));
    dedup(&whole, &Silent).unwrap();
    let barrier = Barrier::new(2);
    // Side by side in one folder, which also contains unfinished output.
    let [failing, writing] = ["failing", "writing"].map(|name| second.path("outputs").join(name));
    thread::scope(|scope| {
        let job = scope.spawn(|| {
            let request = second.request("in", 0.8).output(writing.clone());
            dedup(&request, &Meet(&barrier, Unfinished::default()))
        });
        barrier.wait();
        let request = first.request("in", 0.8).output(failing.clone());
        let stopped = dedup(&request, &Stop::at("verify", 0));
        let request = first.request("missing", 0.8).output(failing.clone());
        let failed = dedup(&request, &Silent);
        barrier.wait();
        assert!(matches!(stopped, Err(Error::Stopped)) && failed.is_err());
        let summary = job.join().unwrap().unwrap();
        assert_eq!((summary.input.document_count, summary.found.removed_count), (2 * FILES, FILES / 2));
    });
    assert_eq!(written(&writing), written(&second.path("whole")));
    assert!(!failing.exists());
    assert_eq!(fs::read_dir(second.path("outputs")).unwrap().count(), 1);
}

#[test]
fn what_is_abandoned_of_one_job_is_of_that_job_alone() {
    let case = corpus("abandon");
    let (first, second, barrier) = (Unfinished::default(), Unfinished::default(), Barrier::new(3));
    let job = |out: &'static str, unfinished: &Unfinished| {
        let request = case.request("in", 0.8).output(case.path(out));
        dedup(&request, &Meet(&barrier, unfinished.clone()))
    };
    thread::scope(|scope| {
        let jobs = [scope.spawn(|| job("first", &first)), scope.spawn(|| job("second", &second))];
        barrier.wait();
        assert_eq!(names(&case), [".lookalike-first", ".lookalike-second", "in"]);
        assert!(!first.abandon(), "nothing is complete");
        let left = names(&case);
        barrier.wait();
        let [_, done] = jobs.map(|job| job.join().unwrap());
        assert_eq!(left, [".lookalike-second", "in"]);
        assert_eq!(done.unwrap().found.removed_count, FILES / 2);
    });
    assert!(second.abandon(), "it is complete");
    assert!(case.path("second/summary.json").exists());
}

/// A forked process has only one thread, and a global pool from before would never respond. Forking requires `unsafe`,
/// which is forbidden here; using no pool except the job's own makes it safe.
#[test]
fn a_job_uses_the_pool_that_it_is_called_in_and_starts_no_other() {
    let case = corpus("pool");
    let request = |out: &str| case.request("in", 0.8).output(case.path(out));
    // In a pool, and in another one after that was dropped.
    dedup(&request("one"), &Silent).unwrap();
    dedup(&request("two"), &Silent).unwrap();
    assert_eq!(written(&case.path("one")), written(&case.path("two")));
    // This fails if the global pool exists.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
}
