//! Corpora that provoke quadratic time: measures the time at a size and at four times that size, and memory.

use std::fs;
use std::path::Path;

use anyhow::Result;
use lookalike_core::hash::mix;

use super::files::{gzip, text};
use super::guarded::{Guarded, Ran};
use super::{Means, Tally};

/// Maximum exponent of the growth of time.
const EXPONENT: f64 = 1.2;

/// Allowance for startup and noise.
const SLACK_SECONDS: f64 = 0.3;

/// Runs at least this long are measured once.
const LONG_SECONDS: f64 = 3.0;

/// Memory limit of a run, whatever its input: each has `--memory 256M` if the command supports it.
const MOST_BYTES: u64 = 1 << 30;

/// A corpus: its name, its initial size, its generator, and the arguments.
struct Corpus {
    name: &'static str,
    size: usize,
    file: &'static str,
    bytes: fn(usize) -> Result<Vec<u8>>,
    arguments: &'static [&'static str],
}

const CORPORA: &[Corpus] = &[
    Corpus {
        name: "white space after each record",
        size: 500,
        file: "a.warc.gz",
        bytes: |size| members(size, |_| format!("{}{}", record("conversion", 5, "hello"), " ".repeat(2000))),
        arguments: DEDUP,
    },
    Corpus {
        name: "false lengths",
        size: 500,
        file: "a.warc.gz",
        bytes: |size| members(size, |at| record("conversion", 1_000_000_000, &text(at))),
        arguments: DEDUP,
    },
    Corpus {
        name: "empty members",
        size: 20_000,
        file: "a.jsonl.gz",
        bytes: |size| members(size, |at| if at % 100 == 0 { line(at, &text(at)) } else { String::new() }),
        arguments: DEDUP,
    },
    Corpus {
        name: "lines that are skipped",
        size: 100_000,
        file: "a.jsonl.gz",
        bytes: |size| gzip(format!("{}{}", "{bad\n".repeat(size), line(0, &text(0))).as_bytes()),
        arguments: DEDUP,
    },
    Corpus {
        name: "one line of braces",
        size: 200_000,
        file: "a.jsonl",
        bytes: |size| Ok(format!("{}\n{}", "[".repeat(size), line(0, &text(0))).into_bytes()),
        arguments: DEDUP,
    },
    Corpus {
        name: "one element repeated",
        size: 200_000,
        file: "a.html",
        bytes: |size| Ok(format!("<p>{}</p>", "<div><b>x ".repeat(size)).into_bytes()),
        arguments: &["dedup", "a.html", "-o", "out", "--extract", "article", "--memory", "256M"],
    },
    Corpus {
        name: "boilerplate below the threshold, exact",
        size: 1000,
        file: "a.jsonl",
        bytes: |size| Ok(documents(size, |at| format!("{} {}", words(0, 100), words(1000 + 100 * at, 80)))),
        arguments: &["dedup", "a.jsonl", "-o", "out", "--exact", "--memory", "256M"],
    },
    Corpus {
        name: "boilerplate below the threshold",
        size: 2000,
        file: "a.jsonl",
        bytes: |size| Ok(documents(size, |at| format!("{} {}", words(0, 100), words(1000 + 100 * at, 80)))),
        arguments: SKETCHED,
    },
    Corpus {
        name: "a chain of near-duplicates",
        size: 2000,
        file: "a.jsonl",
        bytes: |size| Ok(documents(size, |at| words(2 * at, 100))),
        arguments: SKETCHED,
    },
    Corpus {
        name: "pages of one template, small",
        size: 3000,
        file: "a.jsonl",
        bytes: |size| Ok(documents(size, |at| format!("{} own{at} {}", words(0, 32), words(32, 32)))),
        arguments: DEDUP,
    },
    Corpus {
        name: "a source for each document",
        size: 20_000,
        file: "a.jsonl",
        bytes: |size| {
            let row = |at: usize| format!("{{\"url\":\"http://h{at}.example/\",\"text\":\"{}\"}}\n", text(at % 2 * 8));
            Ok((0..size).map(row).collect::<String>().into_bytes())
        },
        arguments: DEDUP,
    },
    Corpus {
        name: "equal sets, the nearest",
        size: 20_000,
        file: "a.txt",
        bytes: |size| Ok("1 2 3 4 5\n".repeat(size).into_bytes()),
        arguments: &["sets", "a.txt", "--top", "3", "--memory", "256M"],
    },
    Corpus {
        name: "dense sets, the nearest",
        size: 2000,
        file: "a.txt",
        bytes: |size| {
            let set = |at: usize| {
                (0..40).map(|place| ((at * 7 + place * place) % 60).to_string()).collect::<Vec<_>>().join(" ")
            };
            Ok((0..size).map(|at| set(at) + "\n").collect::<String>().into_bytes())
        },
        arguments: &["sets", "a.txt", "--top", "3", "--memory", "256M"],
    },
    Corpus {
        name: "sets with one common element",
        size: 4000,
        file: "a.txt",
        bytes: |size| {
            let own = |at: usize| (0..30).map(|place| (1 + at * 30 + place).to_string()).collect::<Vec<_>>().join(" ");
            Ok((0..size).map(|at| format!("0 {}\n", own(at))).collect::<String>().into_bytes())
        },
        arguments: &["sets", "a.txt", "--threshold", "0.05", "--memory", "256M"],
    },
    Corpus {
        name: "prints that are equal",
        size: 300,
        file: "a.csv",
        bytes: |size| Ok(prints(size, |_, _| 0)),
        arguments: &["prints", "a.csv", "--max-candidates", "10", "--memory", "256M"],
    },
    Corpus {
        name: "prints that are nearly equal",
        size: 300,
        file: "a.csv",
        bytes: |size| Ok(prints(size, |print, place| mix(print << 20 | place) % 3)),
        arguments: &["prints", "a.csv", "--max-candidates", "10", "--memory", "256M"],
    },
    Corpus {
        name: "a template, by SimHash",
        size: 8000,
        file: "a.jsonl",
        bytes: |size| Ok(template(size)),
        arguments: &["dedup", "a.*", "-o", "out", "--memory", "256M", "--method", "simhash"],
    },
    Corpus {
        name: "a template, by SimHash with many tables",
        size: 4000,
        file: "a.jsonl",
        bytes: |size| Ok(template(size)),
        arguments: &["dedup", "a.*", "-o", "out", "--memory", "256M", "--method", "simhash", "--bits", "10"],
    },
    Corpus {
        name: "long cells",
        size: 5000,
        file: "a.csv",
        bytes: |size| {
            let row = |at: usize| {
                format!(
                    "{at},{}\n",
                    (0..size)
                        .map(|place| char::from(b'a' + ((place * 7 + place / 9 + at % 2) % 26) as u8))
                        .collect::<String>()
                )
            };
            Ok(format!("id,name\n{}", (0..12).map(row).collect::<String>()).into_bytes())
        },
        arguments: &["link", "a.csv", "--id", "id", "-o", "out", "--memory", "256M"],
    },
];

/// Dense sets whose nearest neighbors would exceed the limit: measures how soon they are refused.
const REFUSED: Corpus = Corpus {
    name: "dense sets beyond the bound",
    size: 30_000,
    file: "a.txt",
    bytes: |size| {
        let has = |set: u64, element: u64| mix(set << 20 | element).is_multiple_of(2);
        let set = |set: u64| {
            let elements: Vec<String> =
                (0..200).filter(|element| has(set, *element)).map(|element| element.to_string()).collect();
            elements.join(" ") + "\n"
        };
        Ok((0..size as u64).map(set).collect::<String>().into_bytes())
    },
    arguments: &["sets", "a.txt", "--top", "3", "--memory", "1G"],
};

/// Text of the refusal.
const REFUSAL: &str = "share elements with so many others";

/// Maximum time until the refusal.
const REFUSED_SECONDS: f64 = 10.0;

const DEDUP: &[&str] = &["dedup", "a.*", "-o", "out", "--memory", "256M"];

/// With sketches, however small the corpus is.
const SKETCHED: &[&str] = &["dedup", "a.*", "-o", "out", "--memory", "256M", "--recall", "0.99"];

/// Ratio of the sizes.
const TIMES: usize = 4;

pub(super) fn attack(means: &Means<'_>) -> Result<Tally> {
    let mut tally = Tally::default();
    let mut worst: (f64, &str) = (0.0, "");
    for corpus in CORPORA {
        if !means.has_time() {
            break;
        }
        let small = corpus.measure(means, corpus.size)?;
        let large = corpus.measure(means, corpus.size * TIMES)?;
        let allowed = small.seconds * (TIMES as f64).powf(EXPONENT) + SLACK_SECONDS;
        let exponent = (large.seconds / small.seconds).ln() / (TIMES as f64).ln();
        if large.seconds > SLACK_SECONDS && exponent > worst.0 {
            worst = (exponent, corpus.name);
        }
        let failure = small.failure().or_else(|| large.failure()).or_else(|| {
            (large.seconds > allowed).then(|| {
                format!("{:.2} s for {}, {:.2} s for {TIMES} times as much", small.seconds, corpus.size, large.seconds)
            })
        });
        let is_too_large = || {
            let megabytes = large.peak_bytes >> 20;
            (large.peak_bytes > MOST_BYTES).then(|| format!("{megabytes} MiB of memory"))
        };
        tally.count(failure.or_else(is_too_large).map(|why| format!("{}: {why}", corpus.name)));
    }
    if means.has_time() {
        let ran = REFUSED.measure(means, REFUSED.size)?;
        let is_refused = ran.code == Some(2) && ran.stderr.contains(REFUSAL);
        let failure = ran.failure().or_else(|| (!is_refused).then(|| format!("exit {:?} and no refusal", ran.code)));
        let is_late = || (ran.seconds > REFUSED_SECONDS).then(|| format!("refused after {:.1} s", ran.seconds));
        tally.count(failure.or_else(is_late).map(|why| format!("{}: {why}", REFUSED.name)));
    }
    tally.note = format!("of {} corpora; the steepest is n^{:.2}: {}", CORPORA.len() + 1, worst.0, worst.1);
    Ok(tally)
}

impl Corpus {
    /// The faster of two runs, unless one is long enough to outweigh all noise.
    fn measure(&self, means: &Means<'_>, size: usize) -> Result<Ran> {
        let folder: &Path = &means.folder.join("growth");
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder)?;
        fs::write(folder.join(self.file), (self.bytes)(size)?)?;
        let run = || {
            let ran = Guarded::new(means.lookalike, folder, &[self.arguments, &["--quiet"]].concat()).run()?;
            let _ = fs::remove_dir_all(folder.join("out"));
            Ok::<_, anyhow::Error>(ran)
        };
        let first = run()?;
        if first.seconds > LONG_SECONDS {
            return Ok(first);
        }
        let second = run()?;
        Ok(if first.seconds < second.seconds { first } else { second })
    }
}

fn record(kind: &str, length: usize, body: &str) -> String {
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\r\n{body}\r\n\r\n"
    )
}

fn members(count: usize, content: impl Fn(usize) -> String) -> Result<Vec<u8>> {
    Ok((0..count).map(|at| gzip(content(at).as_bytes())).collect::<Result<Vec<_>>>()?.concat())
}

fn line(id: usize, text: &str) -> String {
    format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n")
}

fn documents(count: usize, text: impl Fn(usize) -> String) -> Vec<u8> {
    (0..count).map(|at| line(at, &text(at))).collect::<String>().into_bytes()
}

/// Prints with 30 minutiae, each moved by `moved` pixels.
fn prints(count: usize, moved: impl Fn(u64, u64) -> u64) -> Vec<u8> {
    let minutia = |print: u64, place: u64| {
        let [x, y, angle] = [300, 400, 360].map(|below| mix(place << 10 | below) % below);
        format!("p{print},{},{y},{angle}\n", x + moved(print, place))
    };
    let rows: String = (0..count as u64).flat_map(|print| (1..=30).map(move |place| minutia(print, place))).collect();
    format!("print,x,y,angle\n{rows}").into_bytes()
}

/// Documents of 60 common words and ten unique ones: their sketches differ in a few varying bits.
fn template(size: usize) -> Vec<u8> {
    let own = |at: usize| (0..10).map(|place| format!("o{at}x{place}")).collect::<Vec<_>>().join(" ");
    documents(size, |at| format!("{} {} {}", words(0, 30), own(at), words(30, 30)))
}

fn words(first: usize, count: usize) -> String {
    (first..first + count).map(|word| format!("w{word}")).collect::<Vec<_>>().join(" ")
}
