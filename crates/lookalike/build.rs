//! Tells the tests whether the data that they read lies beside the repository: where it does not, they are shown as ignored.

use std::env;
use std::path::Path;

/// What shows that the samples that the tests read are there.
const DATA: [&str; 1] = ["warc-samples/files.tsv"];

fn main() {
    println!("cargo::rustc-check-cfg=cfg(has_shared_data)");
    println!("cargo::rerun-if-changed=build.rs");
    let folder = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let files = DATA.map(|name| Path::new(&folder).join("../../../shared/data").join(name));
    // Cargo would build everything again each time for a file that is not there; so only those that are there are watched.
    if files.iter().all(|file| file.exists()) {
        println!("cargo::rustc-cfg=has_shared_data");
        files.iter().for_each(|file| println!("cargo::rerun-if-changed={}", file.display()));
    }
}
