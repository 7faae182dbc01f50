//! Kills a run at every step of moving its output into place: the next run completes it and leaves nothing behind. The
//! same for a run that also adds kept documents to an index.

mod made;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Barrier;
use std::time::Duration;

use lookalike::index::{CreateOptions, Error as IndexError, Index, NewDocument};
use lookalike::io::Error as IoError;
use lookalike::io::work::{FaultKind, Faults};
use lookalike::{DedupRequest, Earlier, Error, Silent};
use made::{Case, jsonl, similarity, try_dedup};

/// Contents of the output path before the run.
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
    // A report contains times.
    request.resume(earlier == Earlier::Resume).force(true).no_report(true)
}

/// Everything below a folder: files with their bytes, folders without. Times are removed from the summary.
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
                // It depends on the paths and times of the input.
                summary.as_object_mut().unwrap().remove("run");
                // The folder of each case has a unique name.
                bytes = summary.to_string().replace(folder.to_str().unwrap(), "").into_bytes();
            }
            tree.insert(name, bytes);
        }
    }
    tree
}

#[test]
#[ignore = "not a test: the process that dies in those below"]
fn dies() {
    let wanted = std::env::var("LOOKALIKE_DIES_IN_COMMIT").unwrap();
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
            .args(["dies", "--exact", "--ignored"])
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
            .args(["dies", "--exact", "--ignored"])
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

/// Retries until the index is unlocked: a process that another test has just started briefly holds the locks of this
/// one.
fn patiently<T>(mut attempt: impl FnMut() -> Result<T, Error>) -> T {
    for _ in 0..500 {
        match attempt() {
            Err(Error::Index(IndexError::Locked { .. })) => std::thread::sleep(Duration::from_millis(20)),
            done => return done.unwrap(),
        }
    }
    panic!("the index stays locked");
}

fn run_again(case: &Case) {
    patiently(|| try_dedup(&deliver(case.folder.path())));
}

fn put(case: &Case, document: NewDocument<'_>) {
    patiently(|| Ok(Index::open(&case.path("index"))?.writer()?.put(document)?));
}

/// A delivery of documents, and an index with near-duplicates of some of them. One is longer than those it is a
/// near-duplicate of, one has the words of another, one replaces a stored document.
fn delivery() -> Case {
    let case = Case::new();
    let longer = format!("{} and more", text(1));
    let shouted = text(2).to_uppercase();
    let texts = [text(1), longer, text(2), shouted, text(3), text(4), text(40)];
    case.write("delivery.jsonl", jsonl(&texts));
    let scheme = similarity("word:2", 0.7, 1.0);
    patiently(|| Ok(Index::create(&case.path("index"), &CreateOptions::new(scheme.clone()))?));
    put(&case, NewDocument::new("old", &format!("{} as before", text(3))));
    put(&case, NewDocument::new("other", &text(9)));
    case
}

fn deliver(folder: &Path) -> DedupRequest {
    let request = DedupRequest::new([folder.join("delivery.jsonl")]).id("id").output(folder.join("out"));
    request.against_index(folder.join("index")).add_kept(true).force(true).no_report(true)
}

/// Texts of files, by name.
type Written = BTreeMap<PathBuf, String>;

/// The output, without the name of the case's folder.
fn written(case: &Case) -> Written {
    let folder = case.folder.path().to_str().unwrap();
    let shown = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(folder, "");
    tree(&case.path("out")).into_iter().map(|(name, bytes)| (name, shown(bytes))).collect()
}

/// Text and fields of the documents of an index, by id.
type Stored = BTreeMap<String, (Option<String>, String)>;

/// The documents of the index: the order of insertion does not matter.
fn stored(case: &Case) -> Stored {
    let snapshot = Index::open(&case.path("index")).unwrap().snapshot().unwrap();
    snapshot.documents().map(Result::unwrap).map(|stored| (stored.id, (stored.text, stored.fields))).collect()
}

#[test]
#[ignore = "not a test: the process that dies in those below"]
fn dies_in_a_delivery() {
    let wanted = std::env::var("LOOKALIKE_DIES_IN_DELIVERY").unwrap();
    let (at, folder) = wanted.split_once(' ').unwrap();
    let faults = Faults::in_commit(at.parse().unwrap(), FaultKind::Death);
    let options = deliver(Path::new(folder)).check().unwrap().with_faults(faults);
    patiently(|| lookalike::dedup(&options, &Silent));
}

fn die_at(step: u64, case: &Case) {
    let died = Command::new(std::env::current_exe().unwrap())
        .args(["dies_in_a_delivery", "--exact", "--ignored"])
        .env("LOOKALIKE_DIES_IN_DELIVERY", format!("{step} {}", case.folder.path().display()))
        .output()
        .unwrap();
    assert!(!died.status.success(), "step {step}");
}

/// Runs a delivery to its end, again, and once more after it was killed at each step: the output and the index are the
/// same each time. Returns them.
fn repeats(delivery: impl Fn() -> Case) -> (Written, Stored) {
    let undisturbed = delivery();
    let options = deliver(undisturbed.folder.path()).check().unwrap();
    patiently(|| lookalike::dedup(&options, &Silent));
    let (expected, index) = (written(&undisturbed), stored(&undisturbed));
    let steps = options.faults().commit_count();
    assert!(steps >= 6, "{steps} steps");
    for step in 1..=steps {
        let case = delivery();
        die_at(step, &case);
        run_again(&case);
        assert_eq!(written(&case), expected, "step {step} of {steps}");
        assert_eq!(stored(&case), index, "step {step} of {steps}");
    }
    run_again(&undisturbed);
    assert_eq!(written(&undisturbed), expected);
    assert_eq!(stored(&undisturbed), index);
    (expected, index)
}

#[test]
fn a_delivery_that_dies_at_any_step_is_run_again_to_the_same_bytes_and_the_same_index() {
    let undisturbed = delivery();
    let summary = patiently(|| try_dedup(&deliver(undisturbed.folder.path())));
    assert_eq!((summary.found.kept_count, summary.found.removed_by_reference_count), (4, 1));
    assert_eq!((summary.wrote.added_to_index_count, summary.wrote.replaced_in_index_count), (4, 0));
    let (expected, index) = repeats(delivery);
    assert_eq!((written(&undisturbed), stored(&undisturbed)), (expected, index));
}

#[test]
fn a_delivery_is_not_compared_with_the_documents_that_it_replaces() {
    let as_before = format!("{} as before", text(40));
    let with_earlier = || {
        let case = delivery();
        // "5" is delivered with another text; "6" is a near-duplicate of the stored text of "5".
        put(&case, NewDocument::new("5", &as_before));
        case
    };
    let summary = {
        let case = with_earlier();
        patiently(|| try_dedup(&deliver(case.folder.path())))
    };
    assert_eq!((summary.wrote.added_to_index_count, summary.wrote.replaced_in_index_count), (4, 1));
    let (written, index) = repeats(with_earlier);
    assert_eq!(index["5"].0.as_deref(), Some(&*text(4)));
    assert_eq!(index["6"].0.as_deref(), Some(&*text(40)));
    assert!(!written[Path::new("removed.jsonl")].contains(r#""kept_id":"5""#));
}

#[test]
fn a_new_version_that_is_a_near_duplicate_is_removed_again_when_the_delivery_is_repeated() {
    let as_before = format!("{} as before", text(40));
    let (written, index) = repeats(|| {
        let case = delivery();
        put(&case, NewDocument::new("5", &as_before));
        // The text that "5" is delivered with, and an edit of "2".
        put(&case, NewDocument::new("fifth", &format!("{} as well", text(4))));
        put(&case, NewDocument::new("2", &format!("{} as well", text(2))));
        case
    });
    // The earlier version of "5" stays, and "6", which is similar to it, is stored too.
    assert_eq!(index["5"].0.as_deref(), Some(&*as_before));
    assert_eq!(index["6"].0.as_deref(), Some(&*text(40)));
    assert!(written[Path::new("removed.jsonl")].contains(r#""removed_id":"5","kept_id":"fifth""#));
    assert_eq!(index["2"].0.as_deref(), Some(&*text(2)));
}

#[test]
fn a_document_that_is_stored_under_its_id_already_is_itself_and_keeps_its_fields() {
    let (without, with) = (delivery(), delivery());
    let longer = format!("{} and more", text(1));
    put(&with, NewDocument::new("1", &longer).with_fields(r#"{"year":1999}"#));
    run_again(&without);
    run_again(&with);
    assert_eq!(written(&without), written(&with));
    assert_eq!(stored(&with)["1"], (Some(longer.clone()), r#"{"year":1999}"#.to_owned()));
    assert_eq!(stored(&without).len(), stored(&with).len());
    // If nothing is added, everything stored is a reference.
    let only_compared = deliver(with.folder.path()).add_kept(false);
    assert_eq!(try_dedup(&only_compared).unwrap().found.kept_count, 0);
}
