//! A run that dies while its output gets its name, at every step: the next run completes it and leaves nothing behind.

mod made;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Barrier;

use lookalike::io::Error as IoError;
use lookalike::io::work::{FaultKind, Faults};
use lookalike::{DedupRequest, Earlier, Error, Silent};
use made::{Case, jsonl, try_dedup};

/// What is under the output's name before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Nothing,
    EmptyFolder,
    /// The result of a run over other documents, and a file of the user's.
    Result,
}

const ALL: [Before; 3] = [Before::Nothing, Before::EmptyFolder, Before::Result];

fn text(seed: usize) -> String {
    (0..30).map(|at| format!("w{}", seed * 100 + at)).collect::<Vec<_>>().join(" ")
}

fn case(before: Before) -> Case {
    let case = Case::new();
    case.write("corpus/a.jsonl", jsonl(&[text(1), text(2), text(1)]));
    case.write("corpus/b.jsonl", jsonl(&[text(3), text(2)]));
    match before {
        Before::Nothing => {}
        Before::EmptyFolder => fs::create_dir(case.path("out")).unwrap(),
        Before::Result => {
            case.write("other/old.jsonl", jsonl(&[text(7), text(7), text(8)]));
            try_dedup(&case.request("other", 0.7).force(false).no_report(true)).unwrap();
            case.write("out/mine.txt", "mine");
            fs::remove_dir_all(case.path("other")).unwrap();
        }
    }
    case
}

fn request(folder: &Path, has_work: bool, earlier: Earlier) -> DedupRequest {
    let mut request = DedupRequest::new([folder.join("corpus")]).threshold(0.7).output(folder.join("out"));
    request.work.work = has_work.then(|| folder.join("work"));
    // A report has times in it.
    request.resume(earlier == Earlier::Resume).force(true).no_report(true)
}

/// Everything below a folder: files with their bytes, folders without any. Times are taken out of the summary.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut tree = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_owned();
            if path.is_dir() {
                tree.insert(name, Vec::new());
                folders.push(path);
                continue;
            }
            let mut bytes = fs::read(&path).unwrap();
            if path.ends_with("summary.json") {
                let mut summary: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
                for key in ["stages", "seconds", "peak_memory_bytes"] {
                    summary.as_object_mut().unwrap().remove(key).unwrap();
                }
                // It follows from the paths and times of the input.
                summary.as_object_mut().unwrap().remove("run");
                // The folder of each case has a name of its own.
                bytes = summary.to_string().replace(folder.to_str().unwrap(), "").into_bytes();
            }
            tree.insert(name, bytes);
        }
    }
    tree
}

/// Not a test by itself: the process that dies in those below.
#[test]
fn dies() {
    let Ok(wanted) = std::env::var("LOOKALIKE_DIES_IN_COMMIT") else { return };
    let [at, has_work, folder] = wanted.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
    let faults = Faults::in_commit(at.parse().unwrap(), FaultKind::Death);
    let options = request(Path::new(folder), has_work == "true", Earlier::Refuse).check().unwrap().with_faults(faults);
    let _ = lookalike::dedup(&options, &Silent);
}

/// Kills a run at every step of its end, then starts the next one; `earlier` and `force` are of that one.
fn dies_everywhere(before: Before, has_work: bool, earlier: Earlier, force: bool) {
    let undisturbed = case(before);
    let plain = request(undisturbed.folder.path(), has_work, Earlier::Refuse).check().unwrap();
    lookalike::dedup(&plain, &Silent).unwrap();
    let (expected, steps) = (tree(undisturbed.folder.path()), plain.faults().commit_count());
    assert!(expected.contains_key(Path::new("out/summary.json")) && !expected.contains_key(Path::new("work")));
    assert!(steps >= if before == Before::Nothing { 4 } else { 8 }, "{steps} steps");
    for at in 1..=steps {
        let case = case(before);
        let died = Command::new(std::env::current_exe().unwrap())
            .args(["dies", "--exact"])
            .env("LOOKALIKE_DIES_IN_COMMIT", format!("{at} {has_work} {}", case.folder.path().display()))
            .output()
            .unwrap();
        assert!(!died.status.success(), "{before:?}, step {at}");
        let done = try_dedup(&request(case.folder.path(), has_work, earlier).force(force));
        assert!(done.is_ok(), "{before:?}, step {at} of {steps}: {done:?}");
        let found = tree(case.folder.path());
        let names = |tree: &BTreeMap<PathBuf, Vec<u8>>| tree.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&found), names(&expected), "{before:?}, step {at} of {steps}");
        assert!(found == expected, "{before:?}, step {at} of {steps}: other bytes");
    }
}

#[test]
fn a_run_that_dies_at_any_step_of_its_commit_is_resumed_to_the_same_bytes() {
    for before in ALL {
        dies_everywhere(before, true, Earlier::Resume, before == Before::Result);
    }
}

#[test]
fn a_run_with_force_replaces_one_that_died_at_any_step_of_its_commit() {
    for before in ALL {
        dies_everywhere(before, true, Earlier::Replace, true);
        dies_everywhere(before, false, Earlier::Refuse, true);
    }
}

#[test]
fn an_output_in_parts_is_replaced_without_force_and_a_complete_one_is_not() {
    let case = case(Before::EmptyFolder);
    for at in 1..=8 {
        let _ = fs::remove_dir_all(case.path("out"));
        fs::create_dir(case.path("out")).unwrap();
        Command::new(std::env::current_exe().unwrap())
            .args(["dies", "--exact"])
            .env("LOOKALIKE_DIES_IN_COMMIT", format!("{at} false {}", case.folder.path().display()))
            .output()
            .unwrap();
        let is_complete = case.path("out/summary.json").exists();
        let done = try_dedup(&request(case.folder.path(), false, Earlier::Refuse).force(false));
        if is_complete {
            assert!(matches!(done, Err(Error::Io(IoError::OutputExists { .. }))), "step {at}: {done:?}");
        } else {
            done.unwrap();
            assert!(case.path("out/summary.json").exists(), "step {at}");
        }
    }
}

#[test]
fn of_runs_that_write_to_one_folder_at_the_same_time_each_is_refused_or_ends_whole_and_nothing_hidden_is_left() {
    for before in ALL {
        for _ in 0..2 {
            let case = case(before);
            let barrier = Barrier::new(3);
            let folder = case.folder.path();
            let results: Vec<_> = std::thread::scope(|scope| {
                let run = || {
                    let request = request(folder, false, Earlier::Refuse);
                    barrier.wait();
                    try_dedup(&request)
                };
                let threads: Vec<_> = (0..3).map(|_| scope.spawn(run)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert!(results.iter().any(Result::is_ok), "{before:?}: {results:?}");
            for error in results.into_iter().filter_map(Result::err) {
                let is_refused = matches!(error, Error::Io(IoError::OutputInUse { .. } | IoError::OutputExists { .. }));
                assert!(is_refused, "{before:?}: {error}");
            }
            let expected = {
                let alone = self::case(before);
                try_dedup(&request(alone.folder.path(), false, Earlier::Refuse)).unwrap();
                tree(alone.folder.path())
            };
            assert!(tree(folder) == expected, "{before:?}: {:?}", tree(folder).keys());
        }
    }
}

#[test]
fn a_folder_of_the_users_that_has_the_name_of_ours_is_spared() {
    let case = case(Before::Nothing);
    case.write(".lookalike-out/mine.txt", "mine");
    let refused = try_dedup(&request(case.folder.path(), false, Earlier::Refuse)).unwrap_err();
    assert!(matches!(refused, Error::Io(IoError::NotOurs { .. })), "{refused}");
    assert_eq!(fs::read(case.path(".lookalike-out/mine.txt")).unwrap(), b"mine");
    assert!(!case.path("out").exists());
}
