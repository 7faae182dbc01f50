//! Criterion for near-duplicates, and the methods that find them: every parameter of every method, and which belong
//! together.

use derive_setters::Setters;
use lookalike_core::Error;
use lookalike_core::bucket::banding::Banding;
use lookalike_core::bucket::hamming::Tables;
use lookalike_core::hash::Key;
use lookalike_core::measure::criterion::{Criterion, Measure};
use lookalike_core::measure::similarity::Threshold;
use lookalike_core::method::{Part, SimHash, SuperShingle, Weights, Width};
use lookalike_core::remedy::{JobOption, Remedy};
use lookalike_core::scheme::{MethodName, MethodOptions, Scheme, SketchKey};
use lookalike_core::sketch::SlotKind;
use lookalike_core::text::checksum::Checksum;
use lookalike_core::text::fold::Fold;
use lookalike_core::text::shingle::Shingle;
use lookalike_core::text::stop_words::StopWords;
use serde::{Deserialize, Serialize};

use super::number;
use crate::options::Purpose;
use crate::refused::{Refusal, Refused};

/// The scheme of a job in the words of its users. What is not given has the default of the command.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Setters)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[setters(strip_option, into)]
#[setters(generate_delegates(ty = "super::DedupRequest", field = "scheme"))]
#[setters(generate_delegates(ty = "super::CompareRequest", field = "scheme"))]
#[setters(generate_delegates(ty = "super::PairsRequest", field = "scheme"))]
#[setters(generate_delegates(ty = "super::SplitsRequest", field = "scheme"))]
#[setters(generate_delegates(ty = "super::TuneRequest", field = "scheme"))]
#[setters(generate_delegates(ty = "super::EvaluateRequest", field = "scheme"))]
#[setters(generate_delegates(ty = "super::ExtractRequest", field = "scheme"))]
#[setters(generate_delegates(ty = "super::CreateRequest", field = "scheme"))]
#[non_exhaustive]
pub struct SchemeRequest {
    /// The purpose, which stands for settings that are given here as well: those win.
    pub purpose: Option<Purpose>,
    /// Minimum similarity of near-duplicates: above 0, at most 1. Default: 0.8.
    pub threshold: Option<f64>,
    /// The runs of text that are compared: `word:K`, `char:K`, `token:K` (tokens as they are,
    /// with blanks between them), `stopword` or `stopword:LANGUAGES`. Default: `word:5`.
    pub shingle: Option<String>,
    /// The tokens of a text: `words`, `code` (identifiers, numbers and operators of source code) or `code:LANGUAGE`.
    /// Default: `words`, and `code` where most files of the input are source code by their names.
    pub tokens: Option<String>,
    /// Your own stop words, for the shingle `stopword`.
    pub stopwords: Option<Vec<String>>,
    /// Differences to ignore: `accents`, `digits`, `links` (addresses, mentions and hashtags), or several with commas
    /// between them; in source code, `identifiers`.
    pub fold: Option<String>,
    /// A shingle that a text repeats counts as often as it occurs.
    pub count_repeats: Option<bool>,
    /// The measure of similarity. Default: `jaccard`.
    pub measure: Option<Measure>,
    /// The key of the sketches: 1 to 32 hexadecimal digits, or `random`.
    pub key: Option<String>,
    /// Method that finds near-duplicates. Default: `minhash`.
    pub method: Option<MethodName>,
    /// Miss nothing: the same as the method `exact`.
    pub exact: Option<bool>,
    /// minhash: probability of finding a pair exactly at the threshold. Default: 0.99.
    pub recall: Option<f64>,
    /// minhash, supershingle: bands per sketch.
    pub bands: Option<i64>,
    /// minhash, supershingle: rows per band.
    pub rows: Option<i64>,
    /// minhash: draw the rows of each band at random.
    pub rows_random: Option<bool>,
    /// minhash: number of slots that random rows are drawn from. Default: 128.
    pub slots: Option<i64>,
    /// minhash, supershingle: how slots are filled. Default: `fast`.
    pub sketch: Option<SlotKind>,
    /// minhash, supershingle: number of bands in which candidates agree.
    pub agree: Option<i64>,
    /// simhash: number of bits in which near-duplicates may differ. Default: 3.
    pub bits: Option<i64>,
    /// simhash: bits per sketch, 64 or 128. Default: 64.
    pub sketch_bits: Option<i64>,
    /// simhash: the weight of a shingle. Default: `count`.
    pub shingle_weights: Option<Weights>,
    /// simhash: how sketches are looked up. Default: `blocks`.
    pub tables: Option<Tables>,
    /// simhash: keep only pairs that reach the threshold, measured exactly.
    pub verify: Option<bool>,
    /// copies: what exact copies share. Default: `text`.
    pub checksum: Option<Checksum>,
}

/// The probability of finding a pair at the threshold, unless another is given.
const RECALL: f64 = 0.99;

/// The number of slots that random rows are drawn from, unless another is given.
const RANDOM_SLOTS: usize = 128;

/// The name of stop words that were given word by word.
const OWN_STOP_WORDS: &str = "own";

/// Methods, and the same in words.
type Methods = (&'static [MethodName], &'static str);

from_options!(SchemeRequest);

impl SchemeRequest {
    /// Checks every parameter, and which of them go together.
    ///
    /// # Errors
    ///
    /// Fails if a value is impossible, or has no effect.
    pub fn check(&self) -> Result<Scheme, Refused> {
        self.with_purpose().check_settings()
    }

    fn check_settings(&self) -> Result<Scheme, Refused> {
        let value = self.threshold.unwrap_or(0.8);
        let threshold = Threshold::new(value)
            .map_err(|_| Refused::out_of_range(JobOption::Threshold, value, "above 0 and at most 1"))?;
        let (shingle, fold) = (self.checked_shingle()?, self.checked_fold()?);
        check_fold(fold, &shingle)?;
        let measure = self.measure.unwrap_or_default();
        let method = self.checked_method(threshold, measure)?;
        let scheme = Scheme::new(measure.criterion(threshold), method).map_err(|error| match error {
            Error::DistanceOutOfRange { .. } => out_of_reach(JobOption::Bits, error),
            error => out_of_reach(JobOption::Method, error),
        })?;
        let scheme = scheme.with_shingle(shingle).with_fold(fold).with_key(self.checked_key()?);
        Ok(scheme.with_repeats_counted(self.count_repeats == Some(true)))
    }

    /// True if neither a method nor a parameter of one was requested: a small input is then compared exactly.
    pub(crate) fn leaves_method_open(&self) -> bool {
        let Self { purpose, threshold, shingle, tokens, stopwords, fold, count_repeats, measure, key, .. } =
            self.clone();
        // The remaining options are about methods; a switch that is off requests nothing.
        let off = |switch: Option<bool>| switch.filter(|is_on| !is_on);
        let (exact, rows_random, verify) = (off(self.exact), off(self.rows_random), off(self.verify));
        let open = Self {
            purpose,
            threshold,
            shingle,
            tokens,
            stopwords,
            fold,
            count_repeats,
            measure,
            key,
            exact,
            rows_random,
            verify,
            ..Self::default()
        };
        *self == open
    }

    fn checked_shingle(&self) -> Result<Shingle, Refused> {
        let written = self.shingle.as_deref().unwrap_or("word:5");
        let shingle = written.parse().map_err(|error| match error {
            Error::NotALanguage { known, .. } => {
                let allowed = format!("stopword with languages among {known}");
                Refused::unknown_word(JobOption::Shingle, written, allowed)
                    .with_remedies([Remedy::give(JobOption::Stopwords)])
            }
            _ => Refused::unknown_word(
                JobOption::Shingle,
                written,
                format!(
                    "word:K or char:K with K from 1 to {}, token:K, stopword, or stopword:LANGUAGES",
                    Shingle::MOST
                ),
            ),
        })?;
        match (&self.stopwords, shingle) {
            (None, shingle) => self.of_tokens(shingle),
            (Some(_), Shingle::Word(_) | Shingle::Char(_) | Shingle::Token(_) | Shingle::Code(..)) => {
                Err(Refused::needs_value(JobOption::Stopwords, JobOption::Shingle, "stopword"))
            }
            (Some(_), shingle) if self.tokens.as_deref().is_some_and(|tokens| tokens != "words") => {
                self.of_tokens(shingle)
            }
            (Some(_), Shingle::StopWord(_)) if written != "stopword" => {
                // Own words take the place of those of the languages, which would be named for nothing.
                Err(Refused::not_with_value(JobOption::Stopwords, JobOption::Shingle, written)
                    .with_remedies([Remedy::give_word(JobOption::Shingle, "stopword")]))
            }
            (Some(words), Shingle::StopWord(_)) if words.is_empty() => {
                Err(Refused::out_of_range(JobOption::Stopwords, "an empty list", "at least one word"))
            }
            (Some(words), Shingle::StopWord(_)) => {
                Ok(Shingle::StopWord(StopWords::new(OWN_STOP_WORDS, words.clone()).into()))
            }
        }
    }

    fn checked_fold(&self) -> Result<Fold, Refused> {
        match self.fold.as_deref() {
            None | Some("" | "none") => Ok(Fold::NONE),
            Some(written) => written.parse().map_err(|_| {
                Refused::unknown_word(
                    JobOption::Fold,
                    written,
                    "accents, digits or links, or several with commas, or identifiers",
                )
            }),
        }
    }

    fn checked_key(&self) -> Result<SketchKey, Refused> {
        match self.key.as_deref() {
            None => Ok(SketchKey::Fixed),
            Some("random") => Ok(SketchKey::Random),
            Some(key) => match u128::from_str_radix(key, 16) {
                Ok(number) if !key.starts_with('+') => Ok(SketchKey::Given(Key::new(number))),
                // The key is a secret, even one that is mistyped.
                _ => Err(Refused::unknown_word(JobOption::Key, "this text", "1 to 32 hexadecimal digits, or random")),
            },
        }
    }

    fn checked_method(&self, threshold: Threshold, measure: Measure) -> Result<MethodOptions, Refused> {
        let is_exact = self.exact == Some(true);
        if is_exact && self.method.is_some_and(|method| method != MethodName::Exact) {
            return Err(Refused::not_with(JobOption::Exact, JobOption::Method));
        }
        let method = if is_exact { MethodName::Exact } else { self.method.unwrap_or_default() };
        self.check_parameters_of(method)?;
        if measure == Measure::Containment {
            self.check_without_bands()?;
        }
        if !method.finds(measure.criterion(threshold)) {
            let possible = ["minhash", "exact"].map(|method| Remedy::give_word(JobOption::Method, method));
            return Err(Refused::not_with_value(JobOption::Method, JobOption::Measure, measure.to_string())
                .with_remedies(possible));
        }
        let slots = self.sketch.unwrap_or_default();
        match method {
            MethodName::MinHash if measure == Measure::Containment => {
                let part = Part::new(threshold, self.checked_recall()?);
                Ok(MethodOptions::Part(part.map_err(|error| out_of_reach(JobOption::Threshold, error))?))
            }
            MethodName::MinHash => Ok(MethodOptions::MinHash { banding: self.banding(threshold)?, slots }),
            MethodName::SuperShingle => Ok(MethodOptions::SuperShingle { banding: self.groups()?, slots }),
            MethodName::SimHash => self.simhash(),
            MethodName::Exact => Ok(MethodOptions::Exact),
            MethodName::Copies => Ok(MethodOptions::Copies(self.checksum.unwrap_or_default())),
        }
    }

    /// The parameters of methods, whether each is given, and the methods that have it.
    fn parameters(&self) -> [(JobOption, bool, Methods); 13] {
        const BANDED: Methods = (&[MethodName::MinHash, MethodName::SuperShingle], "minhash or supershingle");
        const MINHASH: Methods = (&[MethodName::MinHash], "minhash");
        const SIMHASH: Methods = (&[MethodName::SimHash], "simhash");
        const COPIES: Methods = (&[MethodName::Copies], "copies");
        [
            (JobOption::Recall, self.recall.is_some(), MINHASH),
            (JobOption::Bands, self.bands.is_some(), BANDED),
            (JobOption::Rows, self.rows.is_some(), BANDED),
            (JobOption::RowsRandom, self.rows_random == Some(true), MINHASH),
            (JobOption::Slots, self.slots.is_some(), MINHASH),
            (JobOption::Sketch, self.sketch.is_some(), BANDED),
            (JobOption::Agree, self.agree.is_some(), BANDED),
            (JobOption::Bits, self.bits.is_some(), SIMHASH),
            (JobOption::SketchBits, self.sketch_bits.is_some(), SIMHASH),
            (JobOption::ShingleWeights, self.shingle_weights.is_some(), SIMHASH),
            (JobOption::Tables, self.tables.is_some(), SIMHASH),
            (JobOption::Verify, self.verify == Some(true), SIMHASH),
            (JobOption::Checksum, self.checksum.is_some(), COPIES),
        ]
    }

    /// The first parameter of a method that is given.
    pub(super) fn parameter_of_a_method(&self) -> Option<JobOption> {
        self.parameters().into_iter().find_map(|(option, is_given, _)| is_given.then_some(option))
    }

    /// Refuses a parameter of another method: it would change nothing, although the caller expects it to.
    fn check_parameters_of(&self, method: MethodName) -> Result<(), Refused> {
        match self.parameters().iter().find(|(_, is_given, (methods, _))| *is_given && !methods.contains(&method)) {
            Some((option, _, (_, methods))) => Err(Refused::needs_value(*option, JobOption::Method, methods)),
            None => Ok(()),
        }
    }

    /// Refuses parameters of bands: a document inside another is found by a few of its features.
    fn check_without_bands(&self) -> Result<(), Refused> {
        let given = [
            (JobOption::Bands, self.bands.is_some()),
            (JobOption::Rows, self.rows.is_some()),
            (JobOption::RowsRandom, self.rows_random == Some(true)),
            (JobOption::Slots, self.slots.is_some()),
            (JobOption::Sketch, self.sketch.is_some()),
            (JobOption::Agree, self.agree.is_some()),
        ];
        let within = Measure::Containment.to_string();
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => {
                // With containment, the recall is requested directly, and not through bands.
                let instead = match option {
                    JobOption::Sketch => Remedy::LeaveOut(JobOption::Sketch),
                    option => Remedy::Replace(JobOption::Recall, *option),
                };
                Err(Refused::not_with_value(*option, JobOption::Measure, within).with_remedies([instead]))
            }
            None => Ok(()),
        }
    }

    fn checked_recall(&self) -> Result<f64, Refused> {
        match self.recall.unwrap_or(RECALL) {
            recall if recall > 0.0 && recall <= 1.0 => Ok(recall),
            recall => Err(Refused::out_of_range(JobOption::Recall, recall, "above 0 and at most 1")),
        }
    }

    fn banding(&self, threshold: Threshold) -> Result<Banding, Refused> {
        let is_random = self.rows_random == Some(true);
        if self.slots.is_some() && !is_random {
            return Err(Refused::needs(JobOption::Slots, JobOption::RowsRandom));
        }
        let banding = match (self.bands, self.rows) {
            (Some(_), None) => return Err(Refused::needs(JobOption::Bands, JobOption::Rows)),
            (None, Some(_)) => return Err(Refused::needs(JobOption::Rows, JobOption::Bands)),
            (Some(_), Some(_)) if self.recall.is_some() => {
                return Err(Refused::not_with(JobOption::Recall, JobOption::Bands));
            }
            (Some(bands), Some(rows)) if is_random => {
                let (bands, rows) = (at_least_one(JobOption::Bands, bands)?, at_least_one(JobOption::Rows, rows)?);
                let slots = self.slots.map_or(Ok(RANDOM_SLOTS), |slots| at_least_one(JobOption::Slots, slots))?;
                Banding::random(bands, rows, slots).map_err(|error| match error {
                    Error::TooFewSlots { .. } => out_of_reach(JobOption::Slots, error),
                    error => out_of_reach(JobOption::Bands, error),
                })?
            }
            (Some(bands), Some(rows)) => bands_of_rows(bands, rows)?,
            (None, None) if is_random => return Err(Refused::needs(JobOption::RowsRandom, JobOption::Bands)),
            (None, None) if self.agree.is_some() => return Err(Refused::needs(JobOption::Agree, JobOption::Bands)),
            (None, None) => Banding::for_recall(threshold, self.checked_recall()?)
                .map_err(|error| out_of_reach(JobOption::Threshold, error))?,
        };
        self.agree.map_or(Ok(banding), |agree| agreeing(banding, agree))
    }

    fn groups(&self) -> Result<Banding, Refused> {
        let bands = self.bands.unwrap_or(SuperShingle::GROUPS as i64);
        let banding = bands_of_rows(bands, self.rows.unwrap_or(SuperShingle::ROWS as i64))?;
        agreeing(banding, self.agree.unwrap_or(SuperShingle::AGREEING.min(banding.bands()) as i64))
    }

    fn simhash(&self) -> Result<MethodOptions, Refused> {
        let width = match self.sketch_bits {
            None | Some(64) => Width::Bits64,
            Some(128) => Width::Bits128,
            Some(other) => return Err(Refused::out_of_range(JobOption::SketchBits, other, "64 or 128")),
        };
        let (weights, tables) = (self.shingle_weights.unwrap_or_default(), self.tables.unwrap_or_default());
        let distance = self.bits.map_or(Ok(SimHash::DISTANCE as usize), |bits| number(JobOption::Bits, bits))? as u32;
        let is_verified = self.verify == Some(true);
        Ok(MethodOptions::SimHash { width, weights, distance, tables, is_verified })
    }
}

/// Makes sure that what is to be ignored is in these tokens. Those of the caller are compared as they are, and those of
/// source code up to the names of identifiers, which are in no other.
fn check_fold(fold: Fold, shingle: &Shingle) -> Result<(), Refused> {
    let is_plain = !fold.accents && !fold.digits && !fold.links;
    match shingle {
        Shingle::Token(_) if fold != Fold::NONE => {
            Err(Refused::not_with_value(JobOption::Fold, JobOption::Shingle, shingle.to_string()))
        }
        Shingle::Code(..) if !is_plain => Err(Refused::not_with_value(JobOption::Fold, JobOption::Tokens, "code")),
        Shingle::Code(..) => Ok(()),
        _ if fold.identifiers => Err(Refused::needs_value(JobOption::Fold, JobOption::Tokens, "code")),
        _ => Ok(()),
    }
}

pub(super) fn out_of_reach(option: JobOption, error: Error) -> Refused {
    Refused::new(option, Refusal::OutOfReach(error))
}

fn at_least_one(option: JobOption, value: i64) -> Result<usize, Refused> {
    super::at_least_one(option, value)
}

fn bands_of_rows(bands: i64, rows: i64) -> Result<Banding, Refused> {
    let (bands, rows) = (at_least_one(JobOption::Bands, bands)?, at_least_one(JobOption::Rows, rows)?);
    Banding::new(bands, rows).map_err(|error| out_of_reach(JobOption::Bands, error))
}

fn agreeing(banding: Banding, agree: i64) -> Result<Banding, Refused> {
    let agree = number(JobOption::Agree, agree)?;
    banding.with_agreeing(agree).map_err(|error| out_of_reach(JobOption::Agree, error))
}

/// The threshold of a criterion by itself.
pub(crate) fn threshold_of(criterion: Criterion) -> Threshold {
    Threshold::new(criterion.threshold()).expect("documents are compared by shares")
}
