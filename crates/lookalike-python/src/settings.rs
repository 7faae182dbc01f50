//! What a call asks for, as JSON from the Python part: to a scheme, to memory, and to how a job runs.

use std::path::PathBuf;

use lookalike::core::bucket::banding::Banding;
use lookalike::core::bucket::hamming::Tables;
use lookalike::core::hash::Key;
use lookalike::core::measure::criterion::Criterion;
use lookalike::core::measure::similarity::Threshold;
use lookalike::core::method::{Part, SimHash, SuperShingle, Width};
use lookalike::core::text::fold::Fold;
use lookalike::core::text::shingle::Shingle;
use lookalike::core::text::stop_words::StopWords;
use lookalike::{Checksum, Earlier, Memory, MethodOptions, Scheme, SketchKey, WorkOptions};
use pyo3::prelude::*;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error;
use crate::job::{MOST_THREADS, Runner};

/// Reads the request of a call. The Python part writes it, so that what is wrong in it is a value of a wrong type.
pub(crate) fn parse<T: DeserializeOwned>(py: Python<'_>, request: &str) -> PyResult<T> {
    serde_json::from_str(request)
        .map_err(|cause| error::option(py, "", &format!("an argument is not possible: {cause}")))
}

/// When documents are near-duplicates, and how they are found.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct SchemeRequest {
    threshold: f64,
    shingle: String,
    #[serde(default)]
    stopwords: Option<Vec<String>>,
    #[serde(default)]
    fold: Vec<String>,
    measure: String,
    method: String,
    #[serde(default)]
    exact: bool,
    #[serde(default)]
    key: Option<String>,
    #[serde(flatten)]
    parameters: MethodRequest,
}

/// Every parameter of every method; none where it was not given.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct MethodRequest {
    recall: Option<f64>,
    bands: Option<usize>,
    rows: Option<usize>,
    rows_random: bool,
    slots: Option<usize>,
    sketch: Option<String>,
    agree: Option<usize>,
    bits: Option<u32>,
    sketch_bits: Option<u32>,
    weights: Option<String>,
    tables: Option<String>,
    verify: bool,
    checksum: Option<String>,
}

/// The chance to find a pair at the threshold, unless another is asked for.
const RECALL: f64 = 0.99;

/// How many slots random rows are drawn from, unless another number is asked for.
const RANDOM_SLOTS: usize = 128;

impl SchemeRequest {
    pub(crate) fn scheme(&self, py: Python<'_>) -> PyResult<Scheme> {
        let core = |error: lookalike::core::Error| error::raise_core(py, &error);
        let threshold = Threshold::new(self.threshold).map_err(|cause| {
            let attributes = serde_json::json!({ "option": "threshold", "value": self.threshold });
            error::exception(py, error::Class::Option, &cause.to_string(), &attributes)
        })?;
        let criterion = match &*self.measure {
            "jaccard" => Criterion::Jaccard(threshold),
            "containment" => Criterion::Containment(threshold),
            other => return Err(unknown(py, "measure", other, "'jaccard' or 'containment'")),
        };
        Ok(Scheme {
            shingle: self.shingle(py)?,
            fold: if self.fold.is_empty() { Fold::NONE } else { self.fold.join(",").parse().map_err(core)? },
            criterion,
            method: self.method(py, threshold, criterion)?,
            key: self.key(py)?,
        })
    }

    fn shingle(&self, py: Python<'_>) -> PyResult<Shingle> {
        let shingle: Shingle = self.shingle.parse().map_err(|cause| error::raise_core(py, &cause))?;
        match (&self.stopwords, shingle) {
            (None, shingle) => Ok(shingle),
            (Some(words), Shingle::StopWord(_)) if !words.is_empty() => {
                Ok(Shingle::StopWord(StopWords::new("stopwords".to_owned(), words.clone()).into()))
            }
            (Some(_), Shingle::StopWord(_)) => Err(error::option(py, "stopwords", "stopwords has no words")),
            (Some(_), _) => Err(error::option(py, "stopwords", "stopwords= is for shingle=\"stopword\": give both")),
        }
    }

    fn key(&self, py: Python<'_>) -> PyResult<SketchKey> {
        match self.key.as_deref() {
            None => Ok(SketchKey::Fixed),
            Some("random") => Ok(SketchKey::Random),
            Some(key) => match u64::from_str_radix(key, 16) {
                Ok(number) if !key.starts_with('+') => Ok(SketchKey::Given(Key::new(number))),
                _ => Err(error::option(py, "key", "key= takes 1 to 16 hexadecimal digits, or \"random\"")),
            },
        }
    }

    fn method(&self, py: Python<'_>, threshold: Threshold, criterion: Criterion) -> PyResult<MethodOptions> {
        let core = |error: lookalike::core::Error| error::raise_core(py, &error);
        let name = if self.exact { "exact" } else { &*self.method };
        let parameters = &self.parameters;
        parameters.check_belonging(py, name)?;
        if matches!(criterion, Criterion::Containment(_)) {
            return match name {
                "minhash" if parameters.bands.or(parameters.rows).or(parameters.agree).is_none() => {
                    let part = Part::new(threshold, parameters.recall.unwrap_or(RECALL)).map_err(core)?;
                    Ok(MethodOptions::Part(part))
                }
                "minhash" => {
                    let message = "bands do not find documents within others: give recall= instead";
                    Err(error::option(py, "bands", message))
                }
                "exact" => Ok(MethodOptions::Exact),
                _ => {
                    let message = "measure=\"containment\" is for method=\"minhash\" and method=\"exact\"";
                    Err(error::option(py, "measure", message))
                }
            };
        }
        let slots = || parameters.sketch.as_deref().unwrap_or("fast").parse().map_err(core);
        match name {
            "minhash" => Ok(MethodOptions::MinHash { banding: parameters.banding(py, threshold)?, slots: slots()? }),
            "supershingle" => {
                let bands = parameters.bands.unwrap_or(SuperShingle::GROUPS);
                let banding = Banding::new(bands, parameters.rows.unwrap_or(SuperShingle::ROWS)).map_err(core)?;
                let agree = parameters.agree.unwrap_or(SuperShingle::AGREEING.min(banding.bands()));
                Ok(MethodOptions::SuperShingle {
                    banding: banding.with_agreeing(agree).map_err(core)?,
                    slots: slots()?,
                })
            }
            "simhash" => parameters.simhash(py),
            "exact" => Ok(MethodOptions::Exact),
            "copies" => Ok(MethodOptions::Copies(match parameters.checksum.as_deref() {
                None | Some("text") => Checksum::Text,
                Some("md5") => Checksum::Md5,
                Some("crc32") => Checksum::Crc32,
                Some("sum") => Checksum::Sum,
                Some(other) => return Err(unknown(py, "checksum", other, "'text', 'md5', 'crc32' or 'sum'")),
            })),
            other => Err(unknown(py, "method", other, "'minhash', 'simhash', 'supershingle', 'exact' or 'copies'")),
        }
    }
}

impl MethodRequest {
    /// A parameter of another method would change nothing, and whoever gave it expects it to.
    fn check_belonging(&self, py: Python<'_>, method: &str) -> PyResult<()> {
        let banded: &[&str] = &["minhash", "supershingle"];
        let given: [(&str, bool, &[&str]); 13] = [
            ("recall", self.recall.is_some(), &["minhash"]),
            ("bands", self.bands.is_some(), banded),
            ("rows", self.rows.is_some(), banded),
            ("rows_random", self.rows_random, &["minhash"]),
            ("slots", self.slots.is_some(), &["minhash"]),
            ("sketch", self.sketch.is_some(), banded),
            ("agree", self.agree.is_some(), banded),
            ("bits", self.bits.is_some(), &["simhash"]),
            ("sketch_bits", self.sketch_bits.is_some(), &["simhash"]),
            ("weights", self.weights.is_some(), &["simhash"]),
            ("tables", self.tables.is_some(), &["simhash"]),
            ("verify", self.verify, &["simhash"]),
            ("checksum", self.checksum.is_some(), &["copies"]),
        ];
        match given.iter().find(|(_, is_given, methods)| *is_given && !methods.contains(&method)) {
            Some((name, _, methods)) => {
                let methods = methods.join("\" and method=\"");
                let message = format!("{name}= is for method=\"{methods}\", and this is {method}: leave it out");
                Err(error::option(py, name, &message))
            }
            None => Ok(()),
        }
    }

    fn banding(&self, py: Python<'_>, threshold: Threshold) -> PyResult<Banding> {
        let core = |error: lookalike::core::Error| error::raise_core(py, &error);
        let wrong = |name: &str, message: &str| Err(error::option(py, name, message));
        let banding = match (self.bands, self.rows) {
            (Some(_), Some(_)) if self.recall.is_some() => {
                return wrong("recall", "recall= chooses bands and rows: give it, or bands= and rows=, and not both");
            }
            (Some(bands), Some(rows)) if self.rows_random => {
                Banding::random(bands, rows, self.slots.unwrap_or(RANDOM_SLOTS)).map_err(core)?
            }
            (Some(bands), Some(rows)) => Banding::new(bands, rows).map_err(core)?,
            (None, None) if self.rows_random => {
                return wrong("rows_random", "rows_random=True needs bands= and rows=, for example bands=125, rows=3");
            }
            (None, None) if self.agree.is_some() => {
                return wrong("agree", "agree= needs bands= and rows=, for example bands=6, rows=14, agree=2");
            }
            (None, None) => Banding::for_recall(threshold, self.recall.unwrap_or(RECALL)).map_err(core)?,
            (Some(_), None) => return wrong("bands", "bands= needs rows=: give both, or neither to have them chosen"),
            (None, Some(_)) => return wrong("rows", "rows= needs bands=: give both, or neither to have them chosen"),
        };
        self.agree.map_or(Ok(banding), |agree| banding.with_agreeing(agree).map_err(core))
    }

    fn simhash(&self, py: Python<'_>) -> PyResult<MethodOptions> {
        let core = |error: lookalike::core::Error| error::raise_core(py, &error);
        let width = match self.sketch_bits {
            None | Some(64) => Width::Bits64,
            Some(128) => Width::Bits128,
            Some(other) => return Err(unknown(py, "sketch_bits", &other.to_string(), "64 or 128")),
        };
        let weights = self.weights.as_deref().unwrap_or("count").parse().map_err(core)?;
        let tables = match self.tables.as_deref() {
            None | Some("blocks") => Tables::Blocks,
            Some("bands") => Tables::Bands,
            Some(other) => return Err(unknown(py, "tables", other, "'blocks' or 'bands'")),
        };
        let distance = self.bits.unwrap_or(SimHash::DISTANCE);
        SimHash::new(width, weights, distance, tables, self.verify).map_err(core)?;
        Ok(MethodOptions::SimHash { width, weights, distance, tables, is_verified: self.verify })
    }
}

/// How much a job may use, and where it puts the rest.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Resources {
    pub(crate) threads: Option<usize>,
    /// In bytes.
    pub(crate) memory: Option<u64>,
    pub(crate) work: Option<PathBuf>,
    /// The longest document in bytes.
    pub(crate) max_record: Option<u64>,
    pub(crate) resume: bool,
    pub(crate) force: bool,
}

impl Resources {
    pub(crate) fn memory(&self, py: Python<'_>) -> PyResult<Memory> {
        match self.memory {
            None => Ok(Memory::half_of_machine()),
            Some(bytes) => Memory::new(bytes).map_err(|cause| error::raise(py, &cause)),
        }
    }

    pub(crate) fn runner(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<Runner> {
        if let Some(threads) = self.threads.filter(|threads| !(1..=MOST_THREADS).contains(threads)) {
            let message = format!(
                "threads={threads} is not possible: give 1 to {MOST_THREADS}, or leave it out to use every core"
            );
            return Err(error::option(py, "threads", &message));
        }
        Ok(Runner { threads: self.threads, memory: self.memory(py)?, progress })
    }

    /// The longest document that is read: places of documents have 32 bits.
    pub(crate) fn longest(&self, py: Python<'_>) -> PyResult<u32> {
        match self.max_record {
            Some(bytes) if (1..=2_000_000_000).contains(&bytes) => Ok(bytes as u32),
            Some(_) => Err(error::option(py, "max_record", "max_record= takes a size from 1 to 2G, such as \"500M\"")),
            None => Ok(self.memory(py)?.longest_document().min(256_000_000) as u32),
        }
    }

    pub(crate) fn work(&self) -> WorkOptions {
        let earlier = match (self.resume, self.force) {
            (true, _) => Earlier::Resume,
            (false, true) => Earlier::Replace,
            (false, false) => Earlier::Refuse,
        };
        WorkOptions { folder: self.work.clone(), earlier, ..WorkOptions::default() }
    }
}

/// A word that an argument does not know.
pub(crate) fn unknown(py: Python<'_>, option: &str, value: &str, known: &str) -> PyErr {
    let message = format!("{option}={value:?} is not possible: give {known}");
    let attributes = serde_json::json!({ "option": option, "value": value });
    error::exception(py, error::Class::Option, &message, &attributes)
}
