//! Hostile bytes for every reader: those that the fuzzer found (`fuzz/regressions`), and good files with parts of them
//! changed. Whatever is read of them reads the same again, also when it was written; nothing panics.

#[path = "../../../../fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "it is a crate of its own for the fuzzer")]
mod fuzz;

use std::fs;
use std::path::Path;

use fuzz::{check_target, seeds};
use proptest::prelude::*;

#[test]
fn what_the_fuzzer_found_is_mended() {
    let regressions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions");
    let folder = tempfile::tempdir().unwrap();
    let mut count = 0;
    for target_folder in fs::read_dir(&regressions).unwrap() {
        let target_folder = target_folder.unwrap();
        let target = target_folder.file_name().into_string().unwrap();
        for file in fs::read_dir(target_folder.path()).unwrap() {
            check_target(&target, folder.path(), &fs::read(file.unwrap().path()).unwrap());
            count += 1;
        }
    }
    assert!(count > 0, "there is nothing in {}", regressions.display());
}

#[test]
fn good_files_are_read_and_written() {
    let folder = tempfile::tempdir().unwrap();
    for (number, (name, bytes)) in seeds().into_iter().enumerate() {
        // The fuzzer starts from these files, if it asks for them.
        if let Some(corpus) = std::env::var_os("FUZZ_CORPUS") {
            let corpus = Path::new(&corpus).join(name);
            fs::create_dir_all(&corpus).unwrap();
            fs::write(corpus.join(format!("seed-{number}")), &bytes).unwrap();
        }
        let content = check_target(name, folder.path(), &bytes);
        assert!(!content.documents.is_empty() && content.skipped.is_empty(), "{name}: {content:?}");
    }
}

/// Changes of some bytes: each has a place, the number of bytes removed there, and the bytes inserted.
fn changes() -> impl Strategy<Value = Vec<(prop::sample::Index, usize, Vec<u8>)>> {
    let odd = prop::sample::select(&b"\n\r\"\\{}[],<>& \0\xEF\xBB\xFFW1:"[..]);
    let new = prop::collection::vec(prop_oneof![odd, any::<u8>()], 0..4);
    prop::collection::vec((any::<prop::sample::Index>(), 0_usize..4, new), 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_files_are_read_as_well_as_can_be(
        seed in any::<prop::sample::Index>(),
        changes in changes(),
        cut in any::<Option<prop::sample::Index>>(),
    ) {
        let seeds = seeds();
        let (name, mut bytes) = seeds[seed.index(seeds.len())].clone();
        for (place, count, new) in changes {
            let start = place.index(bytes.len() + 1);
            let end = (start + count).min(bytes.len());
            bytes.splice(start..end, new);
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        let folder = tempfile::tempdir().unwrap();
        check_target(name, folder.path(), &bytes);
    }
}
