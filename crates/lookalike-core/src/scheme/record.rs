//! Serializes a scheme to a JSON object with every parameter, and back: an index stores it.
//!
//! A given key is included: anyone who can read the object knows it. Stop words are written word by word, since the
//! list may come from a file that was edited since.

use std::num::NonZeroU32;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{MethodOptions, Scheme, SketchKey};
use crate::bucket::banding::Banding;
use crate::error::{Error, Result};
use crate::hash::Key;
use crate::measure::criterion::Criterion;
use crate::measure::similarity::Threshold;
use crate::method::{Part, Width};
use crate::sketch::SlotKind;
use crate::text::boilerplate::Boilerplate;
use crate::text::fold::Fold;
use crate::text::shingle::Shingle;
use crate::text::stop_words::StopWords;

/// The serialized form of a scheme.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SchemeRecord {
    shingle: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stop_words: Option<Vec<String>>,
    fold: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    count_repeats: bool,
    measure: String,
    threshold: f64,
    method: MethodRecord,
    key: KeyRecord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    boilerplate: Option<Boilerplate>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "lowercase", deny_unknown_fields)]
enum MethodRecord {
    MinHash(BandingRecord),
    Part { taken: usize },
    SimHash { sketch_bits: u32, weights: String, bits: u32, tables: String, verify: bool },
    SuperShingle(BandingRecord),
    Exact,
    Copies { checksum: String },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct BandingRecord {
    bands: usize,
    rows: usize,
    /// The slots that rows are drawn from, if they are drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    slots: Option<usize>,
    agree: usize,
    sketch: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum KeyRecord {
    Fixed,
    Random,
    /// 32 hexadecimal digits.
    Given(String),
}

impl From<Scheme> for SchemeRecord {
    fn from(scheme: Scheme) -> Self {
        let stop_words = match &scheme.shingle {
            Shingle::StopWord(words) => Some(words.words().to_vec()),
            Shingle::Word(_) | Shingle::Char(_) | Shingle::Token(_) | Shingle::Code(..) => None,
        };
        Self {
            shingle: scheme.shingle.to_string(),
            stop_words,
            fold: scheme.fold.to_string(),
            count_repeats: scheme.counts_repeats,
            measure: scheme.criterion.measure().to_owned(),
            threshold: scheme.threshold(),
            method: MethodRecord::of(&scheme.method),
            boilerplate: scheme.boilerplate.as_deref().cloned(),
            key: match scheme.key {
                SketchKey::Fixed => KeyRecord::Fixed,
                SketchKey::Random => KeyRecord::Random,
                SketchKey::Given(key) => KeyRecord::Given(format!("{:032x}", key.value().unwrap_or_default())),
            },
        }
    }
}

impl TryFrom<SchemeRecord> for Scheme {
    type Error = Error;

    fn try_from(record: SchemeRecord) -> Result<Self> {
        let shingle = match record.stop_words {
            Some(words) => {
                let name = match record.shingle.strip_prefix("stopword:") {
                    Some(name) => name,
                    None if record.shingle == "stopword" => "all",
                    None => return Err(unknown("stop_words", &words.join(","))),
                };
                Shingle::StopWord(Arc::new(StopWords::new(name, words)))
            }
            None => record.shingle.parse()?,
        };
        let fold = if record.fold == Fold::NONE.to_string() { Fold::NONE } else { record.fold.parse()? };
        let key = match &record.key {
            KeyRecord::Fixed => SketchKey::Fixed,
            KeyRecord::Random => SketchKey::Random,
            KeyRecord::Given(digits) => SketchKey::Given(Key::new(
                u128::from_str_radix(digits, 16).map_err(|_| unknown("key", "32 hexadecimal digits"))?,
            )),
        };
        let scheme = Self::new(criterion(&record.measure, record.threshold)?, record.method.options()?)?;
        let scheme =
            scheme.with_shingle(shingle).with_fold(fold).with_repeats_counted(record.count_repeats).with_key(key);
        match record.boilerplate {
            Some(table) => scheme.with_boilerplate(Arc::new(table)),
            None => Ok(scheme),
        }
    }
}

/// Parses a field whose values are words.
fn word<T: FromStr>(field: &'static str, value: &str) -> Result<T> {
    value.parse().map_err(|_| unknown(field, value))
}

fn unknown(field: &'static str, value: &str) -> Error {
    Error::NotInAScheme { field, value: value.to_owned() }
}

fn criterion(measure: &str, threshold: f64) -> Result<Criterion> {
    let count = || NonZeroU32::new(threshold as u32).filter(|count| (f64::from(count.get()) - threshold).abs() < 1e-9);
    Ok(match measure {
        "jaccard" => Criterion::Jaccard(Threshold::new(threshold)?),
        "containment" => Criterion::Containment(Threshold::new(threshold)?),
        "cosine" => Criterion::Cosine(Threshold::new(threshold)?),
        "overlap" => Criterion::Overlap(count().ok_or(Error::ThresholdOutOfRange { value: threshold })?),
        other => return Err(unknown("measure", other)),
    })
}

impl MethodRecord {
    fn of(method: &MethodOptions) -> Self {
        match method {
            MethodOptions::MinHash { banding, slots } => Self::MinHash(BandingRecord::of(*banding, *slots)),
            MethodOptions::SuperShingle { banding, slots } => Self::SuperShingle(BandingRecord::of(*banding, *slots)),
            MethodOptions::Part(part) => Self::Part { taken: part.taken() },
            MethodOptions::SimHash { width, weights, distance, tables, is_verified } => Self::SimHash {
                sketch_bits: width.bits(),
                weights: weights.to_string(),
                bits: *distance,
                tables: tables.to_string(),
                verify: *is_verified,
            },
            MethodOptions::Exact => Self::Exact,
            MethodOptions::Copies(checksum) => Self::Copies { checksum: checksum.name().to_owned() },
        }
    }

    fn options(self) -> Result<MethodOptions> {
        Ok(match self {
            Self::MinHash(record) => {
                MethodOptions::MinHash { banding: record.banding()?, slots: word("sketch", &record.sketch)? }
            }
            Self::SuperShingle(record) => {
                MethodOptions::SuperShingle { banding: record.banding()?, slots: word("sketch", &record.sketch)? }
            }
            Self::Part { taken } => MethodOptions::Part(Part::of_taken(taken)?),
            Self::SimHash { sketch_bits, weights, bits, tables, verify } => MethodOptions::SimHash {
                width: match sketch_bits {
                    64 => Width::Bits64,
                    128 => Width::Bits128,
                    other => return Err(unknown("sketch_bits", &other.to_string())),
                },
                weights: word("weights", &weights)?,
                distance: bits,
                tables: word("tables", &tables)?,
                is_verified: verify,
            },
            Self::Exact => MethodOptions::Exact,
            Self::Copies { checksum } => MethodOptions::Copies(word("checksum", &checksum)?),
        })
    }
}

impl BandingRecord {
    fn of(banding: Banding, slots: SlotKind) -> Self {
        Self {
            bands: banding.bands(),
            rows: banding.rows(),
            slots: banding.is_random().then(|| banding.slot_count()),
            agree: banding.agreeing(),
            sketch: slots.to_string(),
        }
    }

    fn banding(&self) -> Result<Banding> {
        let banding = match self.slots {
            Some(slots) => Banding::random(self.bands, self.rows, slots)?,
            None => Banding::new(self.bands, self.rows)?,
        };
        banding.with_agreeing(self.agree)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bucket::hamming::Tables;
    use crate::method::Weights;
    use crate::text::checksum::Checksum;

    fn all() -> Vec<Scheme> {
        let scheme = || Scheme::jaccard(0.8).unwrap();
        let simhash = |width, weights, tables, is_verified| MethodOptions::SimHash {
            width,
            weights,
            distance: 3,
            tables,
            is_verified,
        };
        let by = |method| scheme().with_method(method).unwrap();
        let banding = Banding::random(30, 4, 64).unwrap().with_agreeing(2).unwrap();
        let groups = Banding::new(6, 14).unwrap().with_agreeing(2).unwrap();
        let own = StopWords::new("words.txt", ["the".to_owned(), "a\"b".to_owned()]);
        vec![
            scheme(),
            Scheme::jaccard(0.123_456_789_012_345_67).unwrap_or_else(|_| Scheme::jaccard(0.7).unwrap()),
            Scheme::containment(0.8).unwrap(),
            scheme().with_shingle(Shingle::Char(9)),
            scheme().with_shingle("stopword".parse().unwrap()),
            scheme().with_shingle("stopword:en,de".parse().unwrap()),
            scheme().with_shingle(Shingle::StopWord(own.into())),
            scheme().with_fold("accents,digits".parse().unwrap()),
            scheme().with_shingle("code:5".parse().unwrap()).with_fold("identifiers".parse().unwrap()),
            scheme().with_shingle("code:rust:8".parse().unwrap()),
            scheme().with_repeats_counted(true),
            by(MethodOptions::MinHash { banding, slots: SlotKind::Classic }),
            by(MethodOptions::SuperShingle { banding: groups, slots: SlotKind::Fast }),
            by(simhash(Width::Bits64, Weights::Count, Tables::Blocks, false)),
            by(simhash(Width::Bits128, Weights::Idf, Tables::Bands, true)),
            by(simhash(Width::Bits64, Weights::None, Tables::Blocks, true)),
            by(MethodOptions::Exact),
            Scheme::new(Criterion::Cosine(Threshold::new(0.5).unwrap()), MethodOptions::Exact).unwrap(),
            Scheme::new(Criterion::Overlap(NonZeroU32::new(12).unwrap()), MethodOptions::Exact).unwrap(),
            by(MethodOptions::Copies(Checksum::Md5)),
            by(MethodOptions::Copies(Checksum::Text)),
            scheme().with_key(SketchKey::Random),
            scheme().with_key(SketchKey::Given(Key::new(u128::MAX - 6))),
        ]
    }

    #[test]
    fn a_scheme_that_was_written_and_read_is_the_same() {
        for scheme in all() {
            let written = serde_json::to_string(&scheme).unwrap();
            let read: Scheme = serde_json::from_str(&written).unwrap();
            assert_eq!(read.fingerprint(), scheme.fingerprint(), "{scheme}: {written}");
            assert_eq!(read.to_string(), scheme.to_string());
            assert_eq!(serde_json::to_string(&read).unwrap(), written);
            assert_eq!(read.key, scheme.key);
            assert_eq!(read.shingle, scheme.shingle);
        }
    }

    #[test]
    fn the_object_can_be_read_by_people() {
        let written = serde_json::to_string(&Scheme::default()).unwrap();
        assert_eq!(
            written,
            r#"{"shingle":"word:5","fold":"none","measure":"jaccard","threshold":0.8,"method":{"name":"minhash","bands":20,"rows":7,"agree":1,"sketch":"fast"},"key":"fixed"}"#
        );
    }

    #[test]
    fn what_is_not_a_scheme_is_refused() {
        let written = serde_json::to_string(&Scheme::default()).unwrap();
        for (from, to) in [
            ("word:5", "word:0"),
            ("\"none\"", "\"nothing\""),
            ("jaccard", "likeness"),
            ("0.8", "1.5"),
            ("minhash", "maxhash"),
            ("\"bands\":20", "\"bands\":0"),
            ("\"agree\":1", "\"agree\":21"),
            ("\"fast\"", "\"slow\""),
            ("\"fixed\"", "{\"given\":\"no digits\"}"),
            ("\"fold\"", "\"unknown\""),
            ("\"fold\"", "\"stop_words\":[\"the\"],\"fold\""),
        ] {
            let changed = written.replacen(from, to, 1);
            assert_ne!(changed, written);
            assert!(serde_json::from_str::<Scheme>(&changed).is_err(), "{changed}");
        }
    }
}
