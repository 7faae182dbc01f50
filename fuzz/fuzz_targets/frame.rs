#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let count = lookalike_index::hostile::log(bytes);
    // A record takes more than a byte, unpacked; and nothing is unpacked to more than 16 MiB.
    assert!(count <= (bytes.len() as u64 + 1) << 24);
});
