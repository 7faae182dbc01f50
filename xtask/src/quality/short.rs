//! Removals of short texts, contracts and conversations, each by its purpose; ids show which texts belong together.

use std::path::Path;

use anyhow::Result;

use super::boilerplate::removals;
use crate::table::Table;

/// A file, the minimum number of correct removals by its purpose, and the group of an id. No removal may be wrong.
struct Set {
    file: &'static str,
    purpose: &'static str,
    least: usize,
    group: fn(&str) -> &str,
}

const SETS: [Set; 5] = [
    Set { file: "tweets.jsonl", purpose: "short", least: 55, group: |id| id.split('-').next().unwrap_or(id) },
    Set { file: "legal.jsonl", purpose: "legal", least: 0, group: |id| id },
    Set { file: "legal2.jsonl", purpose: "legal", least: 0, group: |id| id },
    Set { file: "chat.jsonl", purpose: "chat", least: 10, group: |id| id.trim_end_matches('b') },
    Set { file: "chat.parquet", purpose: "chat", least: 10, group: |id| id.trim_end_matches('b') },
];

/// Runs all sets of the folder `data`; names those that were missed. A set that is absent is passed over.
pub(super) fn run(lookalike: &Path, data: &Path) -> Result<Vec<String>> {
    let mut table = Table::new(&["file", "settings", "removed", "wrong", "wanted", "verdict"]);
    let mut missed = Vec::new();
    for Set { file, purpose, least, group } in &SETS {
        let path = data.join("short-and-legal").join(file);
        if !path.is_file() {
            println!("{} is absent: passed over", path.display());
            continue;
        }
        for settings in [&[][..], &["--for", purpose]] {
            // The default does not read messages.
            let text: &[&str] = if *purpose == "chat" { &["--text", "messages[].content"] } else { &[] };
            let removed = removals(lookalike, &path, &[&["--id", "id"][..], text, settings].concat())?;
            let wrong = removed.iter().filter(|(removed, kept)| group(removed) != group(kept)).count();
            let is_held = !settings.is_empty();
            let is_met = wrong == 0 && removed.len() >= *least;
            if is_held && !is_met {
                missed.push(format!("short-and-legal, {file}"));
            }
            table.row([
                (*file).to_owned(),
                if is_held { settings.join(" ") } else { "default".to_owned() },
                removed.len().to_string(),
                wrong.to_string(),
                least.to_string(),
                (if !is_held {
                    ""
                } else if is_met {
                    "met"
                } else {
                    "missed"
                })
                .to_owned(),
            ]);
        }
    }
    print!("{table}");
    Ok(missed)
}
