//! How near-duplicates are found: every parameter of every method, and which belong together.

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use lookalike::core::bucket::banding::Banding;
use lookalike::core::bucket::hamming::Tables;
use lookalike::core::measure::criterion::Criterion;
use lookalike::core::measure::similarity::Threshold;
use lookalike::core::method::{Part, SimHash, SuperShingle, Weights, Width};
use lookalike::core::sketch::SlotKind;
use lookalike::{Checksum, MethodOptions};

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
const RECALL: f64 = 0.99;

/// How many slots random rows are drawn from, unless another number is asked for.
const RANDOM_SLOTS: usize = 128;

impl MethodArguments {
    pub(crate) fn options(&self, threshold: Threshold, criterion: Criterion) -> Result<MethodOptions> {
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
