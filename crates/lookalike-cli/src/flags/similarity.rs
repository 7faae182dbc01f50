//! When documents are alike and how they are found, as a person types it: every parameter of every method, and which
//! belong together.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use lookalike::core::bucket::banding::Banding;
use lookalike::core::bucket::hamming::Tables;
use lookalike::core::hash::Key;
use lookalike::core::measure::criterion::Criterion;
use lookalike::core::measure::similarity::Threshold;
use lookalike::core::method::{Part, SimHash, SuperShingle, Weights, Width};
use lookalike::core::sketch::SlotKind;
use lookalike::core::text::fold::Fold;
use lookalike::core::text::shingle::Shingle;
use lookalike::core::text::stop_words::StopWords;
use lookalike::{Checksum, MethodOptions, SimilarityOptions, SketchKey};

#[derive(Clone, Debug, Args)]
pub(crate) struct SimilarityArguments {
    /// What to compare: word:K or char:K, runs of K words or characters; or stopword, a stop word and the two words after it,
    /// which ignores most advertising around articles (stopword:en,de for these languages only)
    #[arg(long, value_name = "KIND", default_value = "word:5")]
    shingle: String,
    /// File with your own stop words, one per line, for --shingle stopword
    #[arg(long, value_name = "FILE")]
    stopwords: Option<PathBuf>,
    /// Differences to ignore: accents (café is cafe), digits (12 March is 7 March), or accents,digits
    #[arg(long, value_name = "WHAT")]
    fold: Option<String>,
    /// What to measure: the share that both have in common, or the share of the smaller document that lies within the larger
    #[arg(long, value_enum, default_value_t = MeasureArgument::Jaccard)]
    measure: MeasureArgument,
    /// Minimum similarity of near-duplicates: above 0, at most 1
    #[arg(long, value_name = "T", default_value_t = 0.8, allow_negative_numbers = true)]
    threshold: f64,
    /// Secret key of the sketches: 1 to 16 hexadecimal digits, or random for a new key in every run. Without it, sketches are
    /// the same in every run, and near-duplicates can be written on purpose so that they are not found
    #[arg(long, value_name = "HEX|random")]
    key: Option<String>,
    #[command(flatten)]
    method: MethodArguments,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Methods")]
pub(crate) struct MethodArguments {
    /// How to find near-duplicates [default: minhash]
    #[arg(long, value_enum)]
    method: Option<MethodArgument>,
    /// Miss nothing: the same as --method exact
    #[arg(long, conflicts_with = "method")]
    exact: bool,
    /// minhash: chance to find a pair exactly at the threshold; more similar pairs are found more often [default: 0.99]
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    recall: Option<f64>,
    /// minhash: number of bands of a sketch, given with --rows instead of --recall; supershingle: number of groups [default: 6]
    #[arg(long, value_name = "N")]
    bands: Option<usize>,
    /// minhash: rows per band; supershingle: minima per group [default: 14]
    #[arg(long, value_name = "N")]
    rows: Option<usize>,
    /// minhash: draw the rows of each band at random from --slots, so that many bands need few slots
    #[arg(long)]
    rows_random: bool,
    /// minhash: number of slots that --rows-random draws from [default: 128]
    #[arg(long, value_name = "N", requires = "rows_random")]
    slots: Option<usize>,
    /// minhash, supershingle: how to fill slots: one hash for all (fast), or one permutation per slot (classic) [default: fast]
    #[arg(long, value_enum)]
    sketch: Option<SketchArgument>,
    /// minhash, supershingle: number of bands or groups in which candidates agree [default: 1, supershingle: 2]
    #[arg(long, value_name = "N")]
    agree: Option<usize>,
    /// simhash: maximum number of bits in which near-duplicates differ [default: 3]
    #[arg(long, value_name = "D")]
    bits: Option<u32>,
    /// simhash: bits per sketch [default: 64]
    #[arg(long, value_name = "64|128")]
    sketch_bits: Option<u32>,
    /// simhash: weight of a shingle: its number of occurrences, more the rarer it is, or 1 [default: count]
    #[arg(long, value_enum)]
    weights: Option<WeightsArgument>,
    /// simhash: find pairs by tables of blocks, which miss nothing, or by bands of 16 bits [default: blocks]
    #[arg(long, value_enum)]
    tables: Option<TablesArgument>,
    /// simhash: keep only pairs that reach the threshold, measured exactly
    #[arg(long)]
    verify: bool,
    /// copies: what exact copies share: the text, apart from white space at line ends, or all bytes, shown with this checksum
    /// [default: text]
    #[arg(long, value_enum)]
    checksum: Option<ChecksumArgument>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MethodArgument {
    /// Sketches that agree in a band, each candidate verified: the right choice for nearly everything
    Minhash,
    /// 8 bytes per document: sketches that differ in a few bits
    Simhash,
    /// 48 bytes per document: groups of minima, two of them equal, each candidate verified
    Supershingle,
    /// An exact join: misses no pair, holds all features in memory
    Exact,
    /// Exact copies only
    Copies,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum MeasureArgument {
    Jaccard,
    Containment,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SketchArgument {
    Fast,
    Classic,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum WeightsArgument {
    Count,
    Idf,
    None,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TablesArgument {
    Blocks,
    Bands,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ChecksumArgument {
    Text,
    Md5,
    Crc32,
    Sum,
}

/// The chance to find a pair at the threshold, unless another is asked for.
pub(crate) const RECALL: f64 = 0.99;

/// How many slots random rows are drawn from, unless another number is asked for.
const RANDOM_SLOTS: usize = 128;

impl SimilarityArguments {
    pub(crate) fn options(&self) -> Result<SimilarityOptions> {
        Ok(SimilarityOptions {
            shingle: self.shingle()?,
            fold: self.fold.as_deref().map_or(Ok(Fold::NONE), str::parse)?,
            criterion: self.criterion()?,
            method: self.method_of(&self.method)?,
            key: self.key()?,
        })
    }

    /// The same with another threshold.
    pub(crate) fn with_threshold(&self, threshold: f64) -> Self {
        Self { threshold, ..self.clone() }
    }

    /// The same with another shingle.
    pub(crate) fn with_shingle(&self, shingle: &str) -> Self {
        Self { shingle: shingle.to_owned(), ..self.clone() }
    }

    /// The threshold and the shingle as they were typed.
    pub(crate) fn typed(&self) -> (f64, &str) {
        (self.threshold, &self.shingle)
    }

    /// A method for what is alike here.
    pub(crate) fn method_of(&self, method: &MethodArguments) -> Result<MethodOptions> {
        method.options(Threshold::new(self.threshold)?, self.criterion()?)
    }

    fn key(&self) -> Result<SketchKey> {
        match self.key.as_deref() {
            None => Ok(SketchKey::Fixed),
            Some("random") => Ok(SketchKey::Random),
            Some(key) => match u64::from_str_radix(key, 16) {
                Ok(number) if !key.starts_with('+') => Ok(SketchKey::Given(Key::new(number))),
                _ => bail!("--key takes 1 to 16 hexadecimal digits, for example 5eed0fa110c0ffee, or random"),
            },
        }
    }

    fn criterion(&self) -> Result<Criterion> {
        let threshold = Threshold::new(self.threshold)?;
        Ok(match self.measure {
            MeasureArgument::Jaccard => Criterion::Jaccard(threshold),
            MeasureArgument::Containment => Criterion::Containment(threshold),
        })
    }

    fn shingle(&self) -> Result<Shingle> {
        let shingle: Shingle = self.shingle.parse()?;
        let Some(file) = &self.stopwords else { return Ok(shingle) };
        if !matches!(shingle, Shingle::StopWord(_)) {
            bail!("--stopwords is for --shingle stopword: give both");
        }
        let words = std::fs::read_to_string(file);
        let words = words.with_context(|| format!("cannot read the stop words of {}", file.display()))?;
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() {
            bail!("{} has no words: put one on each line", file.display());
        }
        Ok(Shingle::StopWord(StopWords::new(file.display().to_string(), words).into()))
    }
}

impl MethodArguments {
    fn options(&self, threshold: Threshold, criterion: Criterion) -> Result<MethodOptions> {
        let method = match self.method {
            _ if self.exact => MethodArgument::Exact,
            method => method.unwrap_or(MethodArgument::Minhash),
        };
        self.check_belonging(method)?;
        if matches!(criterion, Criterion::Containment(_)) {
            return match method {
                MethodArgument::Minhash if self.bands.or(self.rows).or(self.agree).is_none() && !self.rows_random => {
                    Ok(MethodOptions::Part(Part::new(threshold, self.recall.unwrap_or(RECALL))?))
                }
                MethodArgument::Minhash => {
                    bail!("bands do not find documents within others: give --recall instead")
                }
                MethodArgument::Exact => Ok(MethodOptions::Exact),
                _ => bail!("--measure containment is for --method minhash and --method exact"),
            };
        }
        Ok(match method {
            MethodArgument::Minhash => {
                MethodOptions::MinHash { banding: self.banding(threshold)?, slots: self.slot_kind() }
            }
            MethodArgument::Supershingle => {
                MethodOptions::SuperShingle { banding: self.groups()?, slots: self.slot_kind() }
            }
            MethodArgument::Simhash => self.simhash()?,
            MethodArgument::Exact => MethodOptions::Exact,
            MethodArgument::Copies => MethodOptions::Copies(match self.checksum {
                None | Some(ChecksumArgument::Text) => Checksum::Text,
                Some(ChecksumArgument::Md5) => Checksum::Md5,
                Some(ChecksumArgument::Crc32) => Checksum::Crc32,
                Some(ChecksumArgument::Sum) => Checksum::Sum,
            }),
        })
    }

    /// A parameter of another method would change nothing, and whoever gave it expects it to.
    fn check_belonging(&self, method: MethodArgument) -> Result<()> {
        use MethodArgument::{Copies, Minhash, Simhash, Supershingle};
        let given: [(&str, bool, &[MethodArgument]); 13] = [
            ("--recall", self.recall.is_some(), &[Minhash]),
            ("--bands", self.bands.is_some(), &[Minhash, Supershingle]),
            ("--rows", self.rows.is_some(), &[Minhash, Supershingle]),
            ("--rows-random", self.rows_random, &[Minhash]),
            ("--slots", self.slots.is_some(), &[Minhash]),
            ("--sketch", self.sketch.is_some(), &[Minhash, Supershingle]),
            ("--agree", self.agree.is_some(), &[Minhash, Supershingle]),
            ("--bits", self.bits.is_some(), &[Simhash]),
            ("--sketch-bits", self.sketch_bits.is_some(), &[Simhash]),
            ("--weights", self.weights.is_some(), &[Simhash]),
            ("--tables", self.tables.is_some(), &[Simhash]),
            ("--verify", self.verify, &[Simhash]),
            ("--checksum", self.checksum.is_some(), &[Copies]),
        ];
        let name = |method: &MethodArgument| method.to_possible_value().map(|value| value.get_name().to_owned());
        match given.iter().find(|(_, is_given, methods)| *is_given && !methods.contains(&method)) {
            Some((flag, _, methods)) => {
                let methods: Vec<String> = methods.iter().filter_map(name).collect();
                let this = name(&method).unwrap_or_default();
                bail!("{flag} is for --method {}, and this is {this}: leave it out", methods.join(" and "))
            }
            None => Ok(()),
        }
    }

    fn slot_kind(&self) -> SlotKind {
        match self.sketch {
            None | Some(SketchArgument::Fast) => SlotKind::Fast,
            Some(SketchArgument::Classic) => SlotKind::Classic,
        }
    }

    fn banding(&self, threshold: Threshold) -> Result<Banding> {
        let banding = match (self.bands, self.rows) {
            (Some(_), Some(_)) if self.recall.is_some() => {
                bail!("--recall chooses bands and rows: give it, or --bands and --rows, and not both")
            }
            (Some(bands), Some(rows)) if self.rows_random => {
                Banding::random(bands, rows, self.slots.unwrap_or(RANDOM_SLOTS))?
            }
            (Some(bands), Some(rows)) => Banding::new(bands, rows)?,
            (None, None) if self.rows_random => {
                bail!("--rows-random needs --bands and --rows, for example --bands 125 --rows 3")
            }
            (None, None) if self.agree.is_some() => {
                bail!("--agree needs --bands and --rows, for example --bands 6 --rows 14 --agree 2")
            }
            (None, None) => Banding::for_recall(threshold, self.recall.unwrap_or(RECALL))?,
            (Some(bands), None) => bail!(
                "--bands needs --rows: give both, for example --bands {bands} --rows 5, or neither to have them chosen"
            ),
            (None, Some(rows)) => bail!(
                "--rows needs --bands: give both, for example --bands 20 --rows {rows}, or neither to have them chosen"
            ),
        };
        Ok(self.agree.map_or(Ok(banding), |agree| banding.with_agreeing(agree))?)
    }

    fn groups(&self) -> Result<Banding> {
        let banding =
            Banding::new(self.bands.unwrap_or(SuperShingle::GROUPS), self.rows.unwrap_or(SuperShingle::ROWS))?;
        let default = SuperShingle::AGREEING.min(banding.bands());
        Ok(banding.with_agreeing(self.agree.unwrap_or(default))?)
    }

    fn simhash(&self) -> Result<MethodOptions> {
        let width = match self.sketch_bits {
            None | Some(64) => Width::Bits64,
            Some(128) => Width::Bits128,
            Some(other) => bail!("--sketch-bits {other} is not possible: give 64 or 128"),
        };
        let weights = match self.weights {
            None | Some(WeightsArgument::Count) => Weights::Count,
            Some(WeightsArgument::Idf) => Weights::Idf,
            Some(WeightsArgument::None) => Weights::None,
        };
        let tables = match self.tables {
            None | Some(TablesArgument::Blocks) => Tables::Blocks,
            Some(TablesArgument::Bands) => Tables::Bands,
        };
        let distance = self.bits.unwrap_or(SimHash::DISTANCE);
        // Checked here, so that nothing is read before it is known to be possible.
        SimHash::new(width, weights, distance, tables, self.verify)?;
        Ok(MethodOptions::SimHash { width, weights, distance, tables, is_verified: self.verify })
    }
}
