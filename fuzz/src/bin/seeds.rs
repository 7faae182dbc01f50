//! Writes a good file of each kind to `corpus/TARGET/`, from which the fuzzer starts.

use std::fs;
use std::path::Path;

fn main() {
    for (number, (target, bytes)) in lookalike_fuzz::seeds().into_iter().enumerate() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("seed-{number}")), bytes).unwrap();
    }
}
