//! Texts and sets constructed to collide in a hash, each without a word of the others: nothing may be removed for another
//! text.
//!
//! | construction | hash that it deceives |
//! | --- | --- |
//! | words and texts of `fixtures/collisions` | XXH3, fixed or with one seed in a hundred |
//! | the texts of Thue and Morse | every polynomial modulo a power of two |
//! | tokens with zero bytes at their end | padding to a block |
//! | tokens around the length of a block, with one letter moved to the next token | hashes of joined tokens |

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};

use super::guarded::{Guarded, Ran};
use super::{Means, Tally};

/// Maximum number of repetitions, each with new random keys.
const ROUNDS: usize = 20;

/// Tokens up to this length are padded to it.
const BLOCK: usize = 16;

/// Texts of which none is a near-duplicate of another with these options.
struct Case {
    name: &'static str,
    options: &'static [&'static str],
    texts: Vec<String>,
    has_index: bool,
}

pub(super) fn attack(means: &Means<'_>) -> Result<Tally> {
    let mut tally = Tally::default();
    let cases = cases(means)?;
    let mut rounds = 0;
    while rounds < ROUNDS && (rounds == 0 || means.has_time()) {
        for case in &cases {
            deceive(means, case, &mut tally)?;
        }
        rounds += 1;
    }
    tally.note = format!("{rounds} rounds of {} texts", cases.iter().map(|case| case.texts.len()).sum::<usize>());
    Ok(tally)
}

fn cases(means: &Means<'_>) -> Result<Vec<Case>> {
    let [words, long_words, texts] = [pairs(means, "words")?, pairs(means, "long_words")?, pairs(means, "texts")?];
    let strangers: Vec<String> = [words, long_words].iter().flat_map(|pairs| sides(pairs)).collect();
    let tokens = [padded(), shifted(), strangers.clone()].concat();
    let shingles = [thue_morse(), strangers.clone()].concat();
    let all = [tokens.clone(), thue_morse(), texts.into_iter().flatten().collect()].concat();
    let case = |name, options, texts| Case { name, options, texts, has_index: true };
    Ok(vec![
        case("words", &[], strangers.clone()),
        case("words, exactly", &["--exact"], strangers),
        case("one shingle", &["--shingle", "stopword"], shingles),
        case("tokens", &["--shingle", "token:2"], tokens.clone()),
        case("single tokens, contained", &["--shingle", "token:1", "--measure", "containment"], tokens),
        Case { has_index: false, ..case("copies", &["--method", "copies"], all) },
    ])
}

/// The pairs of a file of `fixtures/collisions`.
fn pairs(means: &Means<'_>, name: &str) -> Result<Vec<[String; 2]>> {
    let path = means.workspace.root().join(format!("fixtures/collisions/{name}.tsv"));
    let lines = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(lines
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(left, right)| [left, right].map(String::from))
        .collect())
}

/// A text of the left words, and one of the right words.
fn sides(pairs: &[[String; 2]]) -> [String; 2] {
    [0, 1].map(|side| pairs.iter().map(|pair| &*pair[side]).collect::<Vec<_>>().join(" "))
}

/// Two texts of the same two words, with equal values of every polynomial modulo 2^64 whose base is odd.
fn thue_morse() -> Vec<String> {
    let text = |other: u32| {
        let word = |at: u32| if (at.count_ones() + other).is_multiple_of(2) { "zxqv" } else { "qvxz" };
        (0..4096).map(word).collect::<Vec<_>>().join(" ")
    };
    vec![text(0), text(1)]
}

/// The same words, each with a different number of zero bytes at the end.
fn padded() -> Vec<String> {
    let letters = |from: usize| ('a'..='z').cycle().skip(from);
    let words = |zeros: usize| {
        let word = move |length: usize| letters(length).take(length).chain(std::iter::repeat_n('\0', zeros)).collect();
        (1..=BLOCK + 2).map(word).collect::<Vec<String>>().join(" ")
    };
    (0..BLOCK).map(words).collect()
}

/// The same letters, cut at different positions.
fn shifted() -> Vec<String> {
    let letters: Vec<char> = ('A'..='Z').cycle().take(40 * BLOCK).collect();
    let cut = |length: usize| letters.chunks(length).map(String::from_iter).collect::<Vec<_>>().join(" ");
    (BLOCK - 3..BLOCK + 3).map(cut).collect()
}

/// Runs one case through every command that decides.
fn deceive(means: &Means<'_>, case: &Case, tally: &mut Tally) -> Result<()> {
    let folder = means.folder.join("case");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let lines = |texts: &[String], first: usize| -> String {
        let line = |(id, text)| format!("{}\n", serde_json::json!({ "id": format!("{id}"), "text": text }));
        (first..).zip(texts).map(line).collect()
    };
    let (early, late) = case.texts.split_at(case.texts.len() / 2);
    fs::write(folder.join("all.jsonl"), lines(&case.texts, 0))?;
    fs::write(folder.join("early.jsonl"), lines(early, 0))?;
    fs::write(folder.join("late.jsonl"), lines(late, early.len()))?;
    fs::write(folder.join("sets.jsonl"), elements(&case.texts))?;
    let mut run = |arguments: &[&str], options: &[&str], deceived: &dyn Fn(&Ran) -> bool| -> Result<()> {
        let ran = Guarded::new(means.lookalike, &folder, &[arguments, options, &["--quiet"]].concat()).run()?;
        let failure = ran.failure().or_else(|| match ran.code {
            Some(0) if deceived(&ran) => Some("took a text for another one".to_owned()),
            Some(0) => None,
            code => Some(format!("exit {code:?}: {}", ran.stderr.trim())),
        });
        tally.count(failure.map(|why| format!("{}: {}: {why}", case.name, arguments.join(" "))));
        Ok(())
    };
    let has_removed = |out: &str| fs::read(folder.join(out).join("removed.jsonl")).is_ok_and(|rows| !rows.is_empty());
    let has_rows = |ran: &Ran| !ran.stdout.is_empty();
    run(&["dedup", "all.jsonl", "--id", "id", "-o", "out"], case.options, &|_| has_removed("out"))?;
    if !case.has_index {
        return Ok(());
    }
    run(&["sets", "sets.jsonl", "--set", "set", "--element", "element", "--threshold", "0.01"], &[], &has_rows)?;
    run(&["index", "create", "index"], case.options, &|_| false)?;
    run(&["index", "add", "index", "early.jsonl", "--id", "id"], &[], &|_| false)?;
    let against = ["dedup", "late.jsonl", "--id", "id", "-o", "new", "--against-index", "index"];
    run(&against, case.options, &|_| has_removed("new"))?;
    run(&["index", "add", "index", "late.jsonl", "--id", "id", "--unless-duplicate"], &[], &has_rows)
}

/// A table of the texts' tokens: of each text, those that no text before it has.
fn elements(texts: &[String]) -> String {
    let mut known = HashSet::new();
    let mut table = String::new();
    for (set, text) in texts.iter().enumerate() {
        for element in text.split(' ').filter(|element| known.insert(*element)) {
            let _ = writeln!(table, "{}", serde_json::json!({ "set": format!("s{set}"), "element": element }));
        }
    }
    table
}
