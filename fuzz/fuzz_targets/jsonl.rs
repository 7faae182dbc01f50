#![no_main]
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());

fuzz_target!(|bytes: &[u8]| {
    let (name, settings) = lookalike_fuzz::target("jsonl");
    lookalike_fuzz::check(FOLDER.path(), name, bytes, &settings);
});
