//! Simulates a crash and a failure at every disk operation: acknowledged writes survive, deleted documents do not, and
//! commits are atomic.

use std::path::Path;
use std::sync::Arc;

use crate::made::{Chance, Model, documents};
use lookalike_index::disk::{Fault, Loss, Simulated};
use lookalike_index::{CreateOptions, Error, Index, NewDocument, Result, Store, Writer};

fn folder() -> &'static Path {
    Path::new("/index")
}

/// One step of the script, applied to the writer and to the model.
#[derive(Clone, Debug)]
enum Step {
    Put(Vec<(String, String)>),
    PutUnlessAlike(Vec<(String, String)>),
    Delete(Vec<String>),
    Compact(bool),
}

fn script(seed: u64, steps: usize) -> Vec<Step> {
    let mut chance = Chance::new(seed);
    let mut script = Vec::new();
    for at in 0..steps {
        script.push(match (at % 9, chance.below(8)) {
            (8, purge) => Step::Compact(purge % 2 == 0),
            (_, 0 | 1) => Step::Delete((0..3).map(|_| format!("d{}", chance.below(20))).collect()),
            (_, kind) => {
                let count = 1 + chance.below(5);
                let new = (0..count).map(|_| (format!("d{}", chance.below(20)), chance.text(20))).collect();
                if kind == 2 { Step::PutUnlessAlike(new) } else { Step::Put(new) }
            }
        });
    }
    script
}

fn ask(writer: &Writer, step: &Step) -> Result<()> {
    let new = |all: &'_ [(String, String)]| -> Vec<(String, String)> { all.to_vec() };
    match step {
        Step::Put(all) | Step::PutUnlessAlike(all) => {
            let all = new(all);
            let documents: Vec<NewDocument<'_>> = all.iter().map(|(id, text)| NewDocument::new(id, text)).collect();
            match step {
                Step::Put(_) => writer.put_many(&documents).map(drop),
                // Random texts are not similar, so that all are put.
                _ => writer.put_if_new(&documents).map(drop),
            }
        }
        Step::Delete(ids) => writer.delete(&ids.iter().map(|id| &**id).collect::<Vec<_>>()).map(drop),
        Step::Compact(purge) => writer.compact(*purge),
    }
}

fn tell(model: &mut Model, step: &Step) {
    match step {
        Step::Put(all) | Step::PutUnlessAlike(all) => all.iter().for_each(|(id, text)| model.put(id, "", text)),
        Step::Delete(ids) => ids.iter().for_each(|id| {
            model.delete(id);
        }),
        Step::Compact(_) => {}
    }
}

fn create(disk: &Simulated, store: Store) -> Result<Index> {
    Index::create_on(Arc::new(disk.clone()), folder(), &CreateOptions::default().with_store(store))
}

fn open(disk: &Simulated) -> Result<Index> {
    Index::open_on(Arc::new(disk.clone()), folder())
}

/// Ids of all documents, which here identify texts by their words.
fn held(index: &Index) -> Vec<(String, String, String)> {
    documents(&index.snapshot().unwrap())
}

#[test]
fn no_crash_loses_what_was_acknowledged() {
    let disk = Simulated::default();
    let index = create(&disk, Store::Text).unwrap();
    let created = disk.operation_count();
    let mut models = vec![(created, Model::default())];
    {
        let mut writer = index.writer().unwrap();
        writer.set_limits(8_000, 6_000);
        let mut model = Model::default();
        for (at, step) in script(1, 45).iter().enumerate() {
            ask(&writer, step).unwrap();
            tell(&mut model, step);
            models.push((disk.operation_count(), model.clone()));
            if at % 20 == 19 {
                drop(writer);
                writer = index.writer().unwrap();
                writer.set_limits(8_000, 6_000);
            }
        }
    }
    let total = disk.operation_count();
    models.push((total, models.last().unwrap().1.clone()));
    assert!(total > 250, "there are flushes, merges and new logs in it: {total}");
    for operations in 0..=total {
        for loss in
            [Loss::Nothing, Loss::Unsynced, Loss::Some(operations as u64), Loss::Some(9_000 + operations as u64)]
        {
            let after = disk.after_crash(operations, loss);
            let index = match open(&after) {
                Err(Error::NotAnIndex { .. }) if operations < created => continue,
                index => index.unwrap_or_else(|error| panic!("{operations} {loss:?}: {error}")),
            };
            let acknowledged = models.iter().rposition(|(count, _)| *count <= operations).unwrap_or(0);
            let found = held(&index);
            let fits = |at: usize| models.get(at).is_some_and(|(_, model)| model.documents() == found);
            assert!(
                fits(acknowledged) || fits(acknowledged + 1),
                "{operations} {loss:?}: {} documents, of which {} were acknowledged",
                found.len(),
                models[acknowledged].1.len()
            );
            // Later writes must build on that.
            if operations % 7 == 0 {
                let writer = index.writer().unwrap();
                writer.put(NewDocument::new("after", "one that came after the crash")).unwrap();
                drop(writer);
                let again = held(&open(&after).unwrap());
                assert_eq!(again[..again.len() - 1], found[..], "{operations} {loss:?}");
                assert_eq!(again.last().unwrap().0, "after");
            }
        }
    }
}

#[test]
fn a_disk_that_fails_at_any_operation_costs_nothing_that_was_acknowledged() {
    let steps = script(2, 22);
    let attempts = {
        let disk = Simulated::default();
        let writer = create(&disk, Store::Text).unwrap().writer().unwrap();
        writer.set_limits(6_000, 5_000);
        disk.fail_at(u64::MAX, Fault::Broken, false);
        steps.iter().for_each(|step| ask(&writer, step).unwrap());
        drop(writer);
        disk.attempts()
    };
    assert!(attempts > 100, "{attempts}");
    for fault in [Fault::Full, Fault::Broken] {
        for is_lasting in [false, true] {
            for number in 0..attempts {
                let disk = Simulated::default();
                let index = create(&disk, Store::Text).unwrap();
                let writer = index.writer().unwrap();
                writer.set_limits(6_000, 5_000);
                disk.fail_at(number, fault, is_lasting);
                let mut model = Model::default();
                // A write that was refused may still be present: the result of a failed sync is unknown.
                let mut in_doubt: Option<Model> = None;
                for step in &steps {
                    let mut next = model.clone();
                    tell(&mut next, step);
                    match ask(&writer, step) {
                        Ok(()) => model = next,
                        Err(Error::Poisoned { .. }) => assert_eq!(fault, Fault::Broken, "a full disk is no poison"),
                        Err(_) => {
                            in_doubt.get_or_insert(next);
                        }
                    }
                    // Reads continue, and return what was acknowledged.
                    assert_eq!(held(&index), model.documents(), "{fault:?} {number}");
                }
                disk.heal();
                if fault == Fault::Full {
                    writer.put(NewDocument::new("after", "there is room again")).unwrap();
                    model.put("after", "", "there is room again");
                }
                drop((writer, index));
                let found = held(&open(&disk).unwrap_or_else(|error| panic!("{fault:?} {number}: {error}")));
                let is_in_doubt =
                    fault == Fault::Broken && in_doubt.as_ref().is_some_and(|in_doubt| in_doubt.documents() == found);
                assert!(found == model.documents() || is_in_doubt, "{fault:?} {is_lasting} {number}");
            }
        }
    }
}

#[test]
fn an_end_that_was_torn_off_is_cut_and_nothing_else() {
    let disk = Simulated::default();
    let writer = create(&disk, Store::Text).unwrap().writer().unwrap();
    let mut ends = Vec::new();
    let log = disk.files().into_iter().find(|file| file.extension().is_some_and(|end| end == "log")).unwrap();
    for at in 0..3 {
        let text = Chance::new(at).text(30);
        writer.put(NewDocument::new(&format!("d{at}"), &text)).unwrap();
        ends.push(disk.content(&log).unwrap().len());
    }
    let whole = disk.content(&log).unwrap();
    for length in ends[0]..whole.len() {
        let torn = disk.after_crash(disk.operation_count(), Loss::Nothing);
        torn.set_content(&log, whole[..length].to_vec());
        let expected = ends.iter().filter(|end| **end <= length).count();
        let index = open(&torn).unwrap();
        assert_eq!(held(&index).len(), expected, "{length}");
        // Later writes must succeed.
        index.writer().unwrap().put(NewDocument::new("next", "something else")).unwrap();
        assert_eq!(held(&open(&torn).unwrap()).len(), expected + 1);
    }
    // Garbage after the end is truncated as well.
    let torn = disk.after_crash(disk.operation_count(), Loss::Nothing);
    torn.set_content(&log, [&whole[..], &[0xA5; 100]].concat());
    assert_eq!(held(&open(&torn).unwrap()).len(), 3);
    // But an altered commit in the middle is not a torn write.
    let damaged = disk.after_crash(disk.operation_count(), Loss::Nothing);
    let mut bytes = whole.clone();
    bytes[ends[0] + 40] ^= 1;
    damaged.set_content(&log, bytes);
    assert!(matches!(open(&damaged), Err(Error::Damaged { offset, .. }) if offset as usize == ends[0]));
}
