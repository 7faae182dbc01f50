//! The same bytes from 1 to 16 threads, for every command that uses threads.

use std::fs;

use anyhow::{Result, ensure};

use super::guarded::Guarded;
use super::{Means, Tally, kills};

/// Commands on the corpus of the kill tests, and their output besides standard output.
const COMMANDS: [(&[&str], Option<&str>); 5] = [
    (&["dedup", "corpus", "--id", "id", "-o", "out", "--force"], Some("removed.jsonl")),
    (&["dedup", "corpus", "--id", "id", "-o", "out", "--force", "--memory", "96M"], Some("removed.jsonl")),
    (&["pairs", "corpus/00.jsonl", "corpus/01.jsonl", "--id", "id"], None),
    (&["sets", "sets.txt", "--threshold", "0.4"], None),
    (&["sets", "sets.txt", "--top", "3"], None),
];

pub(super) fn attack(means: &Means<'_>) -> Result<Tally> {
    let mut tally = Tally::default();
    kills::write_corpus(&means.folder.join("corpus"))?;
    let set = |at: usize| format!("{} {} {} {}\n", at % 50, at % 70 + 100, at % 30 + 200, at % 11 + 300);
    fs::write(means.folder.join("sets.txt"), (0..3000).map(set).collect::<String>())?;
    let answer = |(arguments, file): (&[&str], Option<&str>), threads: usize| -> Result<Vec<u8>> {
        let threads = threads.to_string();
        let arguments = [arguments, &["--quiet", "--threads", &*threads]].concat();
        let run = Guarded::new(means.lookalike, means.folder, &arguments).run()?;
        ensure!(run.code == Some(0), "{}: {:?} {}", arguments.join(" "), run.code, run.stderr);
        Ok(file.map_or(Ok(run.stdout), |file| fs::read(means.folder.join("out").join(file)))?)
    };
    let expected = COMMANDS.iter().map(|command| answer(*command, 1)).collect::<Result<Vec<_>>>()?;
    ensure!(expected.iter().all(|answer| answer.len() > 1000), "an answer is too short to tell anything");
    // In mixed order: if time is short, high numbers are tested too.
    for threads in [2, 16, 3, 7, 5, 12, 4, 8, 6, 9, 10, 11, 13, 14, 15] {
        if !means.has_time() {
            break;
        }
        for (command, expected) in COMMANDS.iter().zip(&expected) {
            let is_same = answer(*command, threads)? == *expected;
            tally.count((!is_same).then(|| format!("{} differs with {threads} threads", command.0.join(" "))));
        }
    }
    Ok(tally)
}
