//! Converts texts to everything that an index stores and searches by, using only the kernel of the core.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use lookalike_core::hash::Key;
use lookalike_core::kernel::{TextSketcher, TextSummary};
use lookalike_core::measure::feature_set::FeatureSet;
use lookalike_core::measure::likeness::Likeness;
use lookalike_core::method::Method;
use lookalike_core::scheme::{MethodOptions, Scheme};
use lookalike_core::search::Probe;
use lookalike_core::sketch::Sketches;
use lookalike_core::text::shingle::Shingler;

use crate::block::Shape;
use crate::error::{Error, Result};
use crate::log::{Body, Record};
use crate::row::{Place, Row};
use crate::types::{NewDocument, Store};

/// Maximum length of an id.
const LONGEST_ID: usize = 64 << 10;

/// Maximum length of texts and fields.
const LONGEST: usize = 1 << 30;

/// Tools that processed a longer text are not reused: their buffers are many times as large, and would stay allocated.
const LONGEST_FOR_TOOLS: usize = 1 << 20;

/// Approximate memory needed to search for a text or to store it: the number of copies per byte; tokens are added
/// separately.
const COPIES: u64 = 4;
const TOKEN_BYTES: u64 = 72;

/// Tokens of shorter texts are not counted: each byte is assumed to be one.
const SHORT: usize = 64 << 10;

/// Methods of candidate lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// One column per band, of which this many must agree.
    Bands(usize),
    /// One column of all features, in which the selected features of the query are looked up, and one of the selected
    /// features of each document, in which all features of the query are looked up.
    Parts,
    /// No column: all documents are candidates.
    All,
}

/// Computes sketches and features with the keys of one index.
pub(crate) struct Kernel {
    pub(crate) scheme: Scheme,
    pub(crate) method: Box<dyn Method>,
    pub(crate) store: Store,
    pub(crate) lookup: Lookup,
    pub(crate) fingerprint: u64,
    /// Key of stored hashes: of ids and contents.
    secret: Key,
    /// Key of hashes that decide: stored if features are stored, and otherwise of this process.
    deciding: Key,
    /// One per concurrent thread, reused from one text to the next.
    tools: Mutex<Vec<Tools>>,
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({})", self.scheme)
    }
}

struct Tools {
    sketcher: TextSketcher,
    deciding: Shingler,
    /// Uses the second key of hashes that decide.
    confirming: Shingler,
    /// Uses the key of sketches.
    sketching: Shingler,
}

/// A document with everything that is stored about it.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// Its location is not yet known.
    pub(crate) row: Row,
    pub(crate) keys: Vec<u64>,
    pub(crate) sketch: Vec<u8>,
    /// Hashed with the key of sketches, if these are looked up.
    pub(crate) features: Vec<u64>,
}

impl Kernel {
    pub(crate) fn new(scheme: Scheme, store: Store, secret: Key) -> Result<Self> {
        let method = scheme.build_method();
        if method.learns() || scheme.method().checksum().is_some() {
            return Err(Error::MethodWithoutIndex { method: scheme.method().to_string() });
        }
        let lookup = match (scheme.method(), scheme.method().banding()) {
            (_, Some(banding)) => Lookup::Bands(banding.agreeing()),
            (MethodOptions::Part(_), _) => Lookup::Parts,
            _ => Lookup::All,
        };
        let deciding = match store {
            Store::Text => Key::random(),
            Store::Features => secret,
        };
        let fingerprint = scheme.fingerprint();
        Ok(Self { scheme, method, store, lookup, fingerprint, secret, deciding, tools: Mutex::default() })
    }

    /// Layout of blocks and segments.
    pub(crate) fn shape(&self) -> Shape {
        let layout = self.method.layout();
        let columns = match self.lookup {
            Lookup::Bands(_) => layout.keys,
            Lookup::Parts => 2,
            Lookup::All => 0,
        };
        // Filters over all features of all documents would not fit in memory.
        let filtered = if self.lookup == Lookup::Parts { 0 } else { columns + 1 };
        Shape { columns, sketch_bytes: layout.bytes, filtered }
    }

    /// Calls `with` with tools for a text of this length.
    fn with_tools<O>(&self, length: usize, with: impl FnOnce(&mut Tools) -> O) -> O {
        let waiting = self.tools.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut tools = waiting.unwrap_or_else(|| Tools {
            sketcher: self.sketcher(),
            deciding: self.scheme.shingler(self.deciding),
            confirming: self.scheme.shingler(self.deciding.second()),
            sketching: self.scheme.shingler(self.scheme.key().of(self.secret)),
        });
        let output = with(&mut tools);
        if length <= LONGEST_FOR_TOOLS {
            self.tools.lock().unwrap_or_else(PoisonError::into_inner).push(tools);
        }
        output
    }

    /// A sketcher that is reused for consecutive texts.
    fn sketcher(&self) -> TextSketcher {
        TextSketcher::new(&self.scheme, &*self.method, self.secret)
    }

    /// Sketches a text. Large buffers are freed at once, since more memory is needed afterwards.
    fn sketch(&self, tools: &mut Tools, text: &str, sketches: &mut Sketches) -> TextSummary {
        let summary = tools.sketcher.sketch(text, sketches);
        if text.len() > LONGEST_FOR_TOOLS {
            tools.sketcher = self.sketcher();
        }
        summary
    }

    /// Approximate bytes of memory needed to search for a text, or to store it.
    pub(crate) fn working_bytes(&self, text: &str) -> u64 {
        let tokens = match text.len() {
            short @ ..=SHORT => short,
            _ => self.with_tools(text.len(), |tools| tools.deciding.token_count(text)),
        };
        COPIES * text.len() as u64 + TOKEN_BYTES * tokens as u64
    }

    /// The hash of an id.
    pub(crate) fn id_hash(&self, id: &str) -> u64 {
        self.secret.bytes_hash(id.as_bytes()) as u64
    }

    /// Equal for documents that are identical to the last byte.
    fn digest(&self, fields: &str, text: &[u8]) -> u128 {
        let of_fields = self.secret.bytes_hash(fields.as_bytes());
        self.secret.bytes_hash(text) ^ of_fields.rotate_left(1)
    }

    /// Returns an error if a document cannot be stored.
    pub(crate) fn check(document: &NewDocument<'_>) -> Result<()> {
        let refused = |reason| {
            let id = document.id.chars().take(80).collect();
            Err(Error::NotADocument { id, reason })
        };
        if document.id.is_empty() {
            return refused("its id is empty");
        }
        if document.id.len() > LONGEST_ID {
            return refused("its id is longer than 64 KiB");
        }
        if document.text.len() > LONGEST || document.fields.len() > LONGEST {
            return refused("its text or its fields are longer than 1 GiB");
        }
        let is_object = || {
            let fields = document.fields.trim_start();
            fields.starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(fields).is_ok()
        };
        if document.fields.is_empty() || is_object() { Ok(()) } else { refused("its fields are not a JSON object") }
    }

    /// Computes everything that is stored about a document, and the body to store if that is not the text.
    pub(crate) fn prepare(&self, document: &NewDocument<'_>) -> (Prepared, Option<Vec<u8>>) {
        let mut sketches = Sketches::new(self.method.layout());
        let mut features = Vec::new();
        // Of the text itself, even if it is not stored: it identifies unchanged documents.
        let digest = self.digest(document.fields, document.text.as_bytes());
        let (summary, body) = self.with_tools(document.text.len(), |tools| {
            let summary = self.sketch(tools, document.text, &mut sketches);
            if self.lookup == Lookup::Parts {
                features = distinct(tools.sketching.features(document.text).all);
            }
            let body = (self.store == Store::Features).then(|| {
                let body = Body {
                    text_hash: summary.text_hash,
                    content_hash: summary.content_hash,
                    digest,
                    token_count: summary.token_count,
                    size: summary.size,
                    keys: sketches.all_keys().to_vec(),
                    bytes: sketches.all_bytes().to_vec(),
                    features: distinct(tools.deciding.features(document.text).all),
                    sketched: features.clone(),
                };
                body.to_bytes()
            });
            (summary, body)
        });
        (self.prepared(document.id, digest, summary, &sketches, features), body)
    }

    fn prepared(
        &self,
        id: &str,
        digest: u128,
        summary: TextSummary,
        sketches: &Sketches,
        features: Vec<u64>,
    ) -> Prepared {
        let row = Row {
            text_hash: summary.text_hash,
            id_hash: self.id_hash(id),
            digest: digest as u64,
            content_hash: summary.content_hash,
            size: summary.size,
            place: Place::default(),
        };
        Prepared { row, keys: sketches.all_keys().to_vec(), sketch: sketches.all_bytes().to_vec(), features }
    }

    /// Computes the same for a document that is read from a log.
    pub(crate) fn prepare_again(&self, record: &Record<'_>) -> Option<Prepared> {
        match self.store {
            Store::Text => {
                let text = std::str::from_utf8(record.body).ok()?;
                Some(self.prepare(&NewDocument { id: record.id, fields: record.fields, text }).0)
            }
            Store::Features => {
                let body = Body::of_bytes(record.body)?;
                let layout = self.method.layout();
                if body.keys.len() != layout.keys || body.bytes.len() != layout.bytes {
                    return None;
                }
                let mut sketches = Sketches::new(layout);
                sketches.push(body.keys.iter().copied(), body.bytes.iter().copied());
                Some(self.prepared(record.id, body.digest, body.summary(), &sketches, body.sketched))
            }
        }
    }

    /// The hash of a text's content, as stored in rows.
    pub(crate) fn content_hash(&self, text: &str) -> u128 {
        let mut sketches = Sketches::new(self.method.layout());
        self.with_tools(text.len(), |tools| tools.sketcher.sketch(text, &mut sketches)).content_hash
    }

    /// The probe of a text.
    pub(crate) fn probe(&self, text: &str) -> (Probe, Vec<u64>) {
        self.with_tools(text.len(), |tools| {
            let mut sketches = Sketches::new(self.method.layout());
            let summary = self.sketch(tools, text, &mut sketches);
            let probe = Probe::new(&sketches, summary, tools.deciding.features(text).all);
            // Stored features cannot be hashed with another key.
            let probe = match self.store {
                Store::Text => probe.with_text(text, self.scheme.criterion()),
                Store::Features => probe,
            };
            let features = match self.lookup {
                Lookup::Parts => distinct(tools.sketching.features(text).all),
                Lookup::Bands(_) | Lookup::All => Vec::new(),
            };
            (probe, features)
        })
    }

    /// The probe of a stored document.
    pub(crate) fn probe_again(&self, record: &Record<'_>) -> Option<(Probe, Vec<u64>)> {
        match self.store {
            Store::Text => Some(self.probe(std::str::from_utf8(record.body).ok()?)),
            Store::Features => {
                let body = Body::of_bytes(record.body)?;
                let mut sketches = Sketches::new(self.method.layout());
                sketches.push(body.keys.iter().copied(), body.bytes.iter().copied());
                Some((Probe::new(&sketches, body.summary(), &body.features), body.sketched))
            }
        }
    }

    /// Calls `with` with the features of a stored document, hashed with the key that decides.
    pub(crate) fn with_features<O>(&self, record: &Record<'_>, with: impl FnOnce(&[u64]) -> O) -> Option<O> {
        match self.store {
            Store::Text => {
                let text = std::str::from_utf8(record.body).ok()?;
                Some(self.with_tools(text.len(), |tools| with(tools.deciding.features(text).all)))
            }
            Store::Features => Some(with(&Body::of_bytes(record.body)?.features)),
        }
    }

    /// True if a stored document, measured with this result, is really a match of the probe. None if it is damaged.
    pub(crate) fn is_confirmed(&self, probe: &Probe, found: Likeness, record: &Record<'_>) -> Option<bool> {
        if self.store == Store::Features {
            return Some(true);
        }
        let text = std::str::from_utf8(record.body).ok()?;
        let longer = text.len().max(probe.text_length());
        Some(self.with_tools(longer, |tools| probe.is_confirmed(found, text, &mut tools.confirming)))
    }

    /// Columns and keys under which a document is found.
    pub(crate) fn entries<'a>(&self, prepared: &'a Prepared) -> Box<dyn Iterator<Item = (usize, u64)> + 'a> {
        let Prepared { row, keys, features, .. } = prepared;
        match self.lookup {
            // A document without features has no sketch.
            _ if row.size == 0 => Box::new(std::iter::empty()),
            Lookup::Bands(_) => Box::new(keys.iter().copied().enumerate()),
            Lookup::Parts => {
                let all = features.iter().map(|feature| (0, *feature));
                Box::new(all.chain(keys.iter().map(|key| (1, *key))))
            }
            Lookup::All => Box::new(std::iter::empty()),
        }
    }

    /// Columns and keys in which to look for documents similar to a probe.
    pub(crate) fn lookups(&self, probe: &Probe, features: &[u64]) -> Vec<(usize, u64)> {
        match self.lookup {
            Lookup::Bands(_) => probe.keys.iter().copied().enumerate().collect(),
            Lookup::Parts => {
                let taken = distinct(&probe.keys).into_iter().map(|key| (0, key));
                taken.chain(features.iter().map(|feature| (1, *feature))).collect()
            }
            Lookup::All => Vec::new(),
        }
    }
}

fn distinct(features: &[u64]) -> Vec<u64> {
    let mut distinct: Vec<u64> = FeatureSet::new(features).iter().collect();
    distinct.sort_unstable();
    distinct
}

#[cfg(test)]
mod tests {
    use lookalike_core::measure::feature_set::Overlap;

    use super::*;

    #[test]
    fn tools_of_a_long_text_are_not_kept() {
        let kernel = Kernel::new(Scheme::jaccard(0.8).unwrap(), Store::Text, Key::new(7)).unwrap();
        let kept = || kernel.tools.lock().unwrap().len();
        kernel.probe(&"a ".repeat(LONGEST_FOR_TOOLS));
        assert_eq!(kept(), 0);
        kernel.probe("a short text");
        assert_eq!(kept(), 1);
    }

    #[test]
    fn a_text_with_an_equal_feature_by_chance_is_no_match() {
        let kernel = |store| Kernel::new(Scheme::containment(0.1).unwrap(), store, Key::new(7)).unwrap();
        let (text, other) = ("one two three four five and six", "seven eight nine ten eleven");
        let shared = Likeness::Features(Overlap { shared: 1, left: 3, right: 1 });
        for (store, is_confirmed) in [(Store::Text, false), (Store::Features, true)] {
            let kernel = kernel(store);
            let record = |text: &'static str| Record { sequence: 0, id: "a", fields: "", body: text.as_bytes() };
            let (probe, _) = kernel.probe(text);
            assert_eq!(kernel.is_confirmed(&probe, shared, &record(other)), Some(is_confirmed));
            assert_eq!(kernel.is_confirmed(&probe, shared, &record("one two three four five")), Some(true));
        }
    }
}
