//! `cargo xtask bench text`: megabytes of text per second, on one thread, by script: tokens alone, and tokens with
//! features.
//!
//! Note that the ratio is of two speeds in *bytes*. A Cyrillic letter has two bytes, so half the speed of ASCII is
//! about as many words per second.

use std::collections::HashMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use lookalike_core::text::fold::Fold;
use lookalike_core::text::shingle::{Shingle, Shingler};
use lookalike_core::text::tokenize::Tokenizer;

use crate::bench::SHINGLE;
use crate::bench::corpora::dice::Dice;
use crate::bench::corpora::language::{Language, Letters};
use crate::bench::corpora::script::SCRIPTS;
use crate::bench::corpora::texts::{self, Documents};
use crate::bench::tables::report::range;
use crate::table::Table;
use crate::workspace::{Workspace, succeed};

/// Bytes of each generated text.
const MADE_BYTES: usize = 5_000_000;

/// Bytes processed for one measurement: the same text repeatedly.
const MEASURED_BYTES: usize = 50_000_000;

/// Minimum speed of Cyrillic and Chinese relative to ASCII.
const TARGET: f64 = 0.5;

/// The scripts with a target.
const HELD: [&str; 2] = ["Cyrillic", "Chinese"];

/// Translations of one text, relative to the workspace: measured if available.
const TRANSLATIONS: &str = "../shared/data/udhr-multilingual/docs.jsonl";

/// The measured translations, and the scripts they represent.
const TRANSLATED: [(&str, &str); 5] =
    [("eng", "English"), ("rus", "Cyrillic"), ("cmn_hans", "Chinese"), ("hin", "Devanagari"), ("fra", "French")];

/// Options of `cargo xtask bench text`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of measurements of each script
    #[arg(long, value_name = "R", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// A JSONL file with `id` and `text` of real texts to measure too [default: that of the shared data, if it exists]
    #[arg(long, value_name = "FILE")]
    translations: Option<PathBuf>,
}

/// Texts of one script, and their measurements by run.
struct Subject {
    name: String,
    /// Index of the subject with which the speed is compared.
    base: usize,
    is_held: bool,
    texts: Vec<String>,
    tokens: Vec<f64>,
    features: Vec<f64>,
}

impl Subject {
    fn new(name: String, base: usize, is_held: bool, texts: Vec<String>) -> Self {
        Self { name, base, is_held, texts, tokens: Vec::new(), features: Vec::new() }
    }
}

/// Measures all scripts and prints one table.
pub(in crate::bench) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if cfg!(debug_assertions) {
        let mut cargo = workspace.cargo();
        cargo.args(["run", "--quiet", "--release", "--package", "xtask", "--", "bench", "text"]);
        cargo.args(["--runs", &options.runs.to_string()]);
        if let Some(file) = &options.translations {
            cargo.arg("--translations").arg(std::path::absolute(file)?);
        }
        return succeed(&mut cargo);
    }
    let mut subjects = made();
    let shared = workspace.root().join(TRANSLATIONS);
    match &options.translations {
        Some(file) => translated(file, &mut subjects)?,
        None if shared.is_file() => translated(&shared, &mut subjects)?,
        None => {}
    }
    for _ in 0..options.runs {
        // Alternating, so that anything that slows the machine down affects all of them.
        for subject in &mut subjects {
            subject.tokens.push(speed(&subject.texts, &mut tokens_of()));
            subject.features.push(speed(&subject.texts, &mut features_of(&SHINGLE.parse()?)));
        }
    }
    print(&subjects);
    Ok(())
}

fn made() -> Vec<Subject> {
    let language = Language::new();
    let mut dice = Dice::new(0xA5C1);
    let english = (0..MADE_BYTES / 6_000).map(|_| language.text(6_000, Letters::Plain, &mut dice)).collect();
    let mut subjects = vec![Subject::new("ASCII, made".into(), 0, false, english)];
    for script in &SCRIPTS {
        let is_held = HELD.contains(&script.name);
        subjects.push(Subject::new(format!("{}, made", script.name), 0, is_held, script.texts(MADE_BYTES)));
    }
    subjects
}

/// Adds real texts. Each is short, and its English is not all ASCII, so they are only shown beside the generated ones.
fn translated(file: &Path, subjects: &mut Vec<Subject>) -> Result<()> {
    let Documents { ids, texts } = texts::read(file)?;
    let mut by_id: HashMap<String, String> = ids.into_iter().zip(texts).collect();
    let base = subjects.len();
    for (id, name) in TRANSLATED {
        if let Some(text) = by_id.remove(id) {
            subjects.push(Subject::new(format!("{name}, real"), base, false, vec![text]));
        }
    }
    Ok(())
}

/// Megabytes per second of a measurement over all texts, repeatedly.
fn speed(texts: &[String], measure: &mut impl FnMut(&str) -> usize) -> f64 {
    let bytes: usize = texts.iter().map(String::len).sum();
    let rounds = MEASURED_BYTES.div_ceil(bytes);
    let start = Instant::now();
    for _ in 0..rounds {
        black_box(texts.iter().map(|text| measure(text)).sum::<usize>());
    }
    (rounds * bytes) as f64 / 1e6 / start.elapsed().as_secs_f64()
}

fn tokens_of() -> impl FnMut(&str) -> usize {
    let mut tokenizer = Tokenizer::default();
    let mut tokens: Vec<u64> = Vec::new();
    move |text| {
        tokens.clear();
        tokenizer.words(text, &mut tokens);
        black_box(&tokens).len()
    }
}

fn features_of(shingle: &Shingle) -> impl FnMut(&str) -> usize + use<> {
    let mut shingler = Shingler::new(shingle, Fold::NONE);
    move |text| black_box(shingler.features(text).all).len()
}

fn print(subjects: &[Subject]) {
    let headings =
        ["text", "tokens MB/s", "range", "features MB/s", "range", "of ASCII: tokens", "features", "verdict"];
    let mut table = Table::new(&headings);
    for subject in subjects {
        // A run is compared with the one next to it, under the same conditions.
        let share = |of: fn(&Subject) -> &Vec<f64>| {
            let shares: Vec<f64> =
                of(subject).iter().zip(of(&subjects[subject.base])).map(|(one, base)| one / base).collect();
            range(&shares).1
        };
        let (of_tokens, of_features) = (share(|subject| &subject.tokens), share(|subject| &subject.features));
        let (tokens, features) = (range(&subject.tokens), range(&subject.features));
        let verdict = match (subject.is_held, of_tokens.min(of_features) >= TARGET) {
            (false, _) => "",
            (true, true) => "met",
            (true, false) => "missed",
        };
        table.row([
            subject.name.clone(),
            format!("{:.0}", tokens.1),
            format!("{:.0} to {:.0}", tokens.0, tokens.2),
            format!("{:.0}", features.1),
            format!("{:.0} to {:.0}", features.0, features.2),
            format!("{of_tokens:.2}"),
            format!("{of_features:.2}"),
            verdict.to_owned(),
        ]);
    }
    print!("{table}");
    println!(
        "{SHINGLE}, one thread; to be met: {TARGET} of ASCII's speed. Real texts are held against English of their kind."
    );
}
