//! A scheme: when two items are near-duplicates, and how they are found, in one value: shingle, fold, criterion, method
//! and key.

mod fit;
mod record;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::record::SchemeRecord;
use crate::bucket::banding::Banding;
use crate::bucket::hamming::Tables;
use crate::error::{Error, Result};
use crate::hash::{Key, bytes_hash};
use crate::measure::criterion::Criterion;
use crate::measure::feature_set::Overlap;
use crate::measure::likeness::Likeness;
use crate::measure::similarity::Threshold;
use crate::method::{self, Method, Part, SimHash, SuperShingle, Weights, Width};
use crate::sketch::SlotKind;
use crate::text::boilerplate::{About, Boilerplate};
use crate::text::checksum::Checksum;
use crate::text::fold::Fold;
use crate::text::shingle::{Shingle, Shingler};

/// Defines when two documents are near-duplicates, and how they are found.
///
/// A measure and a method that are incompatible cannot be combined: every scheme passes [`Scheme::new`].
///
/// As JSON it is an object with every parameter, from which the same scheme can be read. It contains the key if one was
/// given.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "SchemeRecord", into = "SchemeRecord")]
pub struct Scheme {
    shingle: Shingle,
    fold: Fold,
    criterion: Criterion,
    method: MethodOptions,
    key: SketchKey,
    counts_repeats: bool,
    tells_fields_apart: bool,
    boilerplate: Option<Arc<Boilerplate>>,
}

/// The key of the sketches. It affects only which pairs become candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SketchKey {
    /// The fixed hashes: sketches are the same in every run. Someone who knows them can write a near-duplicate that is
    /// not found.
    #[default]
    Fixed,
    /// A key chosen by the user, which nobody else should know.
    Given(Key),
    /// A new random key in every run.
    Random,
}

impl SketchKey {
    /// Returns the key itself; `run` is the random key of the run.
    pub fn of(self, run: Key) -> Key {
        match self {
            Self::Fixed => Key::FIXED,
            Self::Given(key) => key,
            Self::Random => run,
        }
    }
}

impl Scheme {
    /// Creates a scheme with this measure and this method, word 5-shingles and fixed hashes.
    ///
    /// ```
    /// use lookalike_core::measure::criterion::Criterion;
    /// use lookalike_core::measure::similarity::Threshold;
    /// use lookalike_core::scheme::{MethodOptions, Scheme};
    ///
    /// let threshold = Threshold::new(0.8)?;
    /// let bands = MethodOptions::minhash(threshold, 0.99)?;
    /// assert!(Scheme::new(Criterion::Jaccard(threshold), bands.clone()).is_ok());
    /// // A quotation has too little in common with the book around it to agree in a band.
    /// assert!(Scheme::new(Criterion::Containment(threshold), bands).is_err());
    /// # Ok::<(), lookalike_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`MethodDoesNotFit`](crate::Error::MethodDoesNotFit) if the method does not support this measure, and the errors
    /// of the method's parameters.
    pub fn new(criterion: Criterion, method: MethodOptions) -> Result<Self> {
        method.check(criterion)?;
        Ok(Self {
            shingle: Shingle::default(),
            fold: Fold::NONE,
            criterion,
            method,
            key: SketchKey::default(),
            counts_repeats: false,
            tells_fields_apart: false,
            boilerplate: None,
        })
    }

    /// Texts are near-duplicates if they share at least this fraction of all their word 5-shingles; `MinHash` finds
    /// them with a recall of 0.99 for pairs exactly at the threshold.
    ///
    /// ```
    /// use lookalike_core::scheme::Scheme;
    ///
    /// let scheme = Scheme::jaccard(0.8)?;
    /// assert_eq!(scheme.to_string(), "word:5 jaccard 0.8 minhash bands=20 rows=7");
    /// # Ok::<(), lookalike_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the threshold is not above 0 and at most 1, or too low to be found by sketches.
    pub fn jaccard(threshold: f64) -> Result<Self> {
        let threshold = Threshold::new(threshold)?;
        Self::new(Criterion::Jaccard(threshold), MethodOptions::minhash(threshold, RECALL)?)
    }

    /// Texts are near-duplicates if at least this fraction of the smaller one's word 5-shingles is contained in the
    /// larger one.
    ///
    /// # Errors
    ///
    /// If the threshold is not above 0 and at most 1, or too low to be found.
    pub fn containment(threshold: f64) -> Result<Self> {
        let threshold = Threshold::new(threshold)?;
        Self::new(Criterion::Containment(threshold), MethodOptions::Part(Part::new(threshold, RECALL)?))
    }

    /// Replaces the shingle, and drops the boilerplate, which was learned with the previous one.
    #[must_use]
    pub fn with_shingle(self, shingle: Shingle) -> Self {
        Self { shingle, boilerplate: None, ..self }
    }

    /// Replaces the fold: the differences to ignore. Drops the boilerplate, which was learned with the previous one.
    #[must_use]
    pub fn with_fold(self, fold: Fold) -> Self {
        Self { fold, boilerplate: None, ..self }
    }

    /// The same, ignoring the text that sources have on most of their pages.
    ///
    /// # Errors
    ///
    /// [`Error::OtherBoilerplate`] when the table was learned with another shingle or fold.
    pub fn with_boilerplate(self, table: Arc<Boilerplate>) -> Result<Self> {
        let about = table.about();
        let own = About::new(&self.shingle, self.fold, about.source.clone(), about.share);
        if *about != own {
            let with = |about: &About| match about.fold.as_str() {
                "none" => about.shingle.clone(),
                fold => format!("{} and fold {fold}", about.shingle),
            };
            return Err(Error::OtherBoilerplate { table: with(about), scheme: with(&own) });
        }
        Ok(Self { boilerplate: Some(table), ..self })
    }

    /// Replaces the method.
    ///
    /// # Errors
    ///
    /// As [`Scheme::new`].
    pub fn with_method(self, method: MethodOptions) -> Result<Self> {
        method.check(self.criterion)?;
        Ok(Self { method, ..self })
    }

    /// Replaces the key of the sketches.
    #[must_use]
    pub fn with_key(self, key: SketchKey) -> Self {
        Self { key, ..self }
    }

    /// The same; a shingle that a text repeats counts as often as it occurs.
    #[must_use]
    pub fn with_repeats_counted(self, counts_repeats: bool) -> Self {
        Self { counts_repeats, ..self }
    }

    /// The same; a shingle is another feature in each field of a text.
    #[must_use]
    pub fn with_fields_apart(self, tells_fields_apart: bool) -> Self {
        Self { tells_fields_apart, ..self }
    }

    /// The kind of features.
    pub fn shingle(&self) -> &Shingle {
        &self.shingle
    }

    /// The differences to ignore: accents, digits, both or none.
    pub fn fold(&self) -> Fold {
        self.fold
    }

    /// True if a repeated shingle counts as often as it occurs in the text.
    pub fn counts_repeats(&self) -> bool {
        self.counts_repeats
    }

    /// True if the same shingle is a different feature in each field of a text.
    pub fn tells_fields_apart(&self) -> bool {
        self.tells_fields_apart
    }

    /// The measure, with the minimum similarity of near-duplicates.
    pub fn criterion(&self) -> Criterion {
        self.criterion
    }

    /// The method to find candidates.
    pub fn method(&self) -> &MethodOptions {
        &self.method
    }

    /// The key of the sketches.
    pub fn key(&self) -> SketchKey {
        self.key
    }

    /// Text that sources have on most of their pages, if it is ignored.
    pub fn boilerplate(&self) -> Option<&Arc<Boilerplate>> {
        self.boilerplate.as_ref()
    }

    /// Makes features with this key, without the boilerplate of sources.
    pub fn shingler(&self, key: Key) -> Shingler {
        let ignored = self.boilerplate.as_ref().map(|table| table.ignored(&self.shingle, self.fold, key));
        Shingler::keyed(&self.shingle, self.fold, key)
            .ignoring(ignored)
            .counting_repeats(self.counts_repeats)
            .telling_fields_apart(self.tells_fields_apart)
    }

    /// The minimum similarity of near-duplicates.
    pub fn threshold(&self) -> f64 {
        self.criterion.threshold()
    }

    /// Builds the method for one run. Whatever it learns about the items is not shared.
    pub fn build_method(&self) -> Box<dyn Method> {
        self.method.build(self.criterion)
    }

    /// Identifies a scheme, permanently and on every machine: equal for schemes with the same sketches and decisions.
    pub fn fingerprint(&self) -> u64 {
        bytes_hash(self.to_string().as_bytes()) as u64
    }
}

/// Jaccard similarity of 0.8 or more.
impl Default for Scheme {
    fn default() -> Self {
        Self::jaccard(0.8).expect("there is a banding for 0.8")
    }
}

/// Default probability of finding a pair exactly at the threshold.
const RECALL: f64 = 0.99;

/// The whole scheme in one line. This is part of the format: fingerprints are computed from it.
impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.shingle)?;
        if let Shingle::StopWord(words) = &self.shingle {
            // The list may come from a file that was edited since.
            write!(f, "#{:016x}", words.content_hash())?;
        }
        if self.fold != Fold::NONE {
            write!(f, " fold={}", self.fold)?;
        }
        if self.counts_repeats {
            f.write_str(" repeats")?;
        }
        if self.tells_fields_apart {
            f.write_str(" fields")?;
        }
        write!(f, " {} {} {}", self.criterion.measure(), self.threshold(), self.method)?;
        if let Some(table) = &self.boilerplate {
            write!(f, " boilerplate=#{:016x}", table.content_hash())?;
        }
        match self.key {
            SketchKey::Fixed => Ok(()),
            // Not the secret itself.
            SketchKey::Given(key) => write!(f, " key=#{:016x}", key.fingerprint()),
            SketchKey::Random => f.write_str(" key=random"),
        }
    }
}

impl fmt::Display for MethodOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::MinHash { banding, slots } | Self::SuperShingle { banding, slots } => {
                write!(f, " bands={} rows={}", banding.bands(), banding.rows())?;
                if banding.is_random() {
                    write!(f, " slots={}", banding.slot_count())?;
                }
                if banding.agreeing() > 1 {
                    write!(f, " agree={}", banding.agreeing())?;
                }
                if *slots == SlotKind::Fast { Ok(()) } else { write!(f, " sketch={slots}") }
            }
            Self::Part(part) => write!(f, " taken={}", part.taken()),
            Self::SimHash { width, weights, distance, tables, is_verified } => {
                write!(f, " sketch-bits={} weights={weights} bits={distance}", width.bits())?;
                if *tables == Tables::Bands {
                    f.write_str(" tables=bands")?;
                }
                if *is_verified { f.write_str(" verify") } else { Ok(()) }
            }
            Self::Exact => Ok(()),
            Self::Copies(checksum) => write!(f, " checksum={}", checksum.name()),
        }
    }
}

crate::word_enum! {
    /// A method, without its parameters.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum MethodName {
        /// Sketches that agree in a band, each candidate verified.
        #[default]
        MinHash,
        /// Sketches of bits that differ in a few of them.
        SimHash,
        /// Groups of minima, two of them equal, each candidate verified.
        SuperShingle,
        /// An exact join, which misses no pair.
        Exact,
        /// Exact copies only.
        Copies,
    }
}

/// A method with its parameters.
#[derive(Clone, Debug)]
pub enum MethodOptions {
    /// Sketches of slots, cut into bands and rows.
    MinHash {
        /// The banding.
        banding: Banding,
        /// The kind of slots.
        slots: SlotKind,
    },
    /// A few features of each document, looked up in all others: for containment.
    Part(Part),
    /// Sketches of bits.
    SimHash {
        /// Bits per sketch.
        width: Width,
        /// The weight of a feature's vote.
        weights: Weights,
        /// Maximum number of bits in which near-duplicates differ.
        distance: u32,
        /// The tables for lookup.
        tables: Tables,
        /// True if candidates are measured exactly; otherwise the bits alone decide.
        is_verified: bool,
    },
    /// A few groups of minima.
    SuperShingle {
        /// The groups are its bands.
        banding: Banding,
        /// The kind of minima.
        slots: SlotKind,
    },
    /// An exact join of all features.
    Exact,
    /// Only exact copies.
    Copies(Checksum),
}

impl MethodOptions {
    /// The default method, with the banding that finds pairs at the threshold with this probability.
    ///
    /// # Errors
    ///
    /// If there is no such banding.
    pub fn minhash(threshold: Threshold, recall: f64) -> Result<Self> {
        Ok(Self::MinHash { banding: Banding::for_recall(threshold, recall)?, slots: SlotKind::Fast })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.method_name().into()
    }

    fn method_name(&self) -> MethodName {
        match self {
            Self::MinHash { .. } | Self::Part(_) => MethodName::MinHash,
            Self::SimHash { .. } => MethodName::SimHash,
            Self::SuperShingle { .. } => MethodName::SuperShingle,
            Self::Exact => MethodName::Exact,
            Self::Copies(_) => MethodName::Copies,
        }
    }

    /// The banding, for methods with bands.
    pub fn banding(&self) -> Option<Banding> {
        match self {
            Self::MinHash { banding, .. } | Self::SuperShingle { banding, .. } => Some(*banding),
            Self::Part(_) | Self::SimHash { .. } | Self::Exact | Self::Copies(_) => None,
        }
    }

    /// The checksum that exact copies share, for the method that finds only those. Other methods first join documents
    /// with the same words.
    pub fn checksum(&self) -> Option<Checksum> {
        match self {
            Self::Copies(checksum) => Some(*checksum),
            _ => None,
        }
    }

    /// The measurement of two documents with the same words, where `size` is the number of their distinct features.
    pub fn likeness_of_copies(&self, size: u32) -> Likeness {
        match self {
            Self::SimHash { width, is_verified: false, .. } => Likeness::Bits { differing: 0, of: width.bits() },
            // Of boilerplate alone, no feature remains; copies are copies all the same.
            _ => Likeness::Features(Overlap::of_equals(size.max(1))),
        }
    }

    fn build(&self, criterion: Criterion) -> Box<dyn Method> {
        match *self {
            Self::MinHash { banding, slots } => {
                let threshold = Threshold::new(criterion.threshold()).expect("a scheme with bands measures a share");
                Box::new(method::MinHash::new(banding, slots, threshold))
            }
            Self::Part(part) => Box::new(part),
            Self::SimHash { width, weights, distance, tables, is_verified } => Box::new(
                SimHash::new(width, weights, distance, tables, is_verified)
                    .expect("the distance of a scheme is checked"),
            ),
            Self::SuperShingle { banding, slots } => Box::new(SuperShingle::new(banding, slots)),
            Self::Exact => Box::new(method::Exact),
            Self::Copies(_) => Box::new(method::Copies),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::stop_words::StopWords;

    /// Of the default at 0.8.
    const FINGERPRINT: u64 = 4_755_119_709_800_515_749;

    #[test]
    fn schemes_that_decide_otherwise_have_another_fingerprint() {
        let scheme = || Scheme::jaccard(0.8).unwrap();
        let threshold = Threshold::new(0.8).unwrap();
        let simhash = |is_verified| MethodOptions::SimHash {
            width: Width::Bits64,
            weights: Weights::Count,
            distance: 3,
            tables: Tables::Blocks,
            is_verified,
        };
        let by = |method| scheme().with_method(method).unwrap();
        let own_words = |word: &str| Shingle::StopWord(StopWords::new("own", [word.to_owned()]).into());
        let all = [
            scheme(),
            Scheme::jaccard(0.81).unwrap(),
            Scheme::containment(0.8).unwrap(),
            scheme().with_shingle(Shingle::Char(5)),
            scheme().with_shingle(own_words("the")),
            scheme().with_shingle(own_words("a")),
            scheme().with_fold("digits".parse().unwrap()),
            by(MethodOptions::minhash(threshold, 0.999).unwrap()),
            by(MethodOptions::Exact),
            by(simhash(false)),
            by(simhash(true)),
            by(MethodOptions::Copies(Checksum::Text)),
            by(MethodOptions::Copies(Checksum::Md5)),
            scheme().with_key(SketchKey::Random),
            scheme().with_key(SketchKey::Given(Key::new(7))),
            scheme().with_key(SketchKey::Given(Key::new(8))),
        ];
        let mut fingerprints: Vec<u64> = all.iter().map(Scheme::fingerprint).collect();
        fingerprints.sort_unstable();
        fingerprints.dedup();
        assert_eq!(fingerprints.len(), all.len());
        assert!(!all[14].to_string().ends_with('7'), "the key itself is not told");
        // Permanently.
        assert_eq!(scheme().fingerprint(), FINGERPRINT);
    }
}
