//! Libraries are also called from Rust, Python and HTTP, so only the command may say how an option is typed.

use std::fs;
use std::path::{Path, PathBuf};

/// Commands of other programs, which are typed the same everywhere.
const OTHERS: [&str; 2] = ["export-credentials --format env", "soffice --convert-to txt"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// True if `--` stands directly before a lowercase letter, and is not the end of a longer rule or an operator.
fn names_a_flag(line: &str) -> bool {
    let flag = |at: usize| line[at + 2..].starts_with(|next: char| next.is_ascii_lowercase());
    line.match_indices("--").any(|(at, _)| flag(at) && !line[..at].ends_with('-')) || line.contains("-o DIR")
}

#[test]
fn no_library_names_a_flag() {
    assert!(names_a_flag("give --memory 64M") && !names_a_flag("// ---- a rule, and a -- b"));
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for name in ["lookalike-core", "lookalike-io", "lookalike-index", "lookalike-server", "lookalike"] {
        sources(&crates.join(name).join("src"), &mut files);
    }
    assert!(files.len() > 150, "{} files", files.len());
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let lines = text.lines().enumerate().filter(|(_, line)| names_a_flag(line));
        let lines = lines.filter(|(_, line)| !OTHERS.iter().any(|other| line.contains(other)));
        found.extend(lines.map(|(at, line)| format!("{}:{}: {}", file.display(), at + 1, line.trim())));
    }
    assert!(found.is_empty(), "an option is named by JobOption, and worded by the command:\n{}", found.join("\n"));
}
