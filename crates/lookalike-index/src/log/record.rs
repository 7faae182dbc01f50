//! Records: documents in a run, and ids of deletes.
//!
//! ```text
//! run:     (sequence u64, id bytes u32, fields bytes u32, body bytes u32) × count | id, fields, body × count
//! deletes: (sequence u64, id bytes u32, id) × count
//! ```
//!
//! The body is the text, or the data stored instead of it: size, token count, hashes, sketch and features. Sequence
//! numbers count puts and deletes over the life of an index, so that it can be rebuilt from its logs alone.

use lookalike_core::kernel::TextSummary;

use crate::row::{u32_at, u64_at};

const ENTRY: usize = 20;

/// A run of documents, decompressed.
#[derive(Debug)]
pub(crate) struct Run {
    raw: Vec<u8>,
    /// The end of each document.
    ends: Vec<u32>,
}

/// A document in a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    pub(crate) sequence: u64,
    pub(crate) id: &'a str,
    pub(crate) fields: &'a str,
    pub(crate) body: &'a [u8],
}

impl Run {
    /// Parses a run of `count` documents; returns none if the bytes are inconsistent.
    pub(crate) fn new(raw: Vec<u8>, count: u32) -> Option<Self> {
        let mut end = u64::from(count) * ENTRY as u64;
        if end > raw.len() as u64 {
            return None;
        }
        let mut ends = Vec::with_capacity(count as usize);
        for at in (0..count as usize).map(|at| at * ENTRY) {
            end += [8, 12, 16].into_iter().map(|field| u64::from(u32_at(&raw, at + field))).sum::<u64>();
            ends.push(u32::try_from(end).ok()?);
        }
        (end == raw.len() as u64).then_some(Self { raw, ends })
    }

    /// Maximum number of documents in a run of these bytes: more are never compressed together, except for a long one.
    pub(crate) fn most_documents(raw: &[u8]) -> u32 {
        (raw.len() / ENTRY).min(1 << 10) as u32
    }

    pub(crate) fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    pub(crate) fn byte_count(&self) -> usize {
        self.raw.len() + self.ends.len() * 4
    }

    /// Returns a document; none if there is no such number, or it is not valid UTF-8.
    pub(crate) fn record(&self, at: u32) -> Option<Record<'_>> {
        let at = at as usize;
        let end = *self.ends.get(at)? as usize;
        let entry = at * ENTRY;
        let [id, fields, body] = [8, 12, 16].map(|field| u32_at(&self.raw, entry + field) as usize);
        let start = end - id - fields - body;
        let text = |from: usize, bytes: usize| std::str::from_utf8(&self.raw[from..from + bytes]).ok();
        Some(Record {
            sequence: u64_at(&self.raw, entry),
            id: text(start, id)?,
            fields: text(start + id, fields)?,
            body: &self.raw[end - body..end],
        })
    }
}

/// Bytes that a document takes in a run.
pub(crate) fn record_bytes(record: &Record<'_>) -> usize {
    ENTRY + record.id.len() + record.fields.len() + record.body.len()
}

/// Adds a document to a future run: its entry, and its bytes.
pub(crate) fn push_record(entries: &mut Vec<u8>, bytes: &mut Vec<u8>, record: &Record<'_>) {
    entries.extend_from_slice(&record.sequence.to_le_bytes());
    for length in [record.id.len(), record.fields.len(), record.body.len()] {
        entries.extend_from_slice(&(length as u32).to_le_bytes());
    }
    bytes.extend_from_slice(record.id.as_bytes());
    bytes.extend_from_slice(record.fields.as_bytes());
    bytes.extend_from_slice(record.body);
}

/// The payload of a frame of deletes.
pub(crate) fn deletes_payload<'a>(deletes: impl Iterator<Item = (u64, &'a str)>) -> Vec<u8> {
    let mut payload = Vec::new();
    for (sequence, id) in deletes {
        payload.extend_from_slice(&sequence.to_le_bytes());
        payload.extend_from_slice(&(id.len() as u32).to_le_bytes());
        payload.extend_from_slice(id.as_bytes());
    }
    payload
}

/// Parses a frame of deletes; returns none if it is inconsistent.
pub(crate) fn deletes(mut payload: &[u8], count: u32) -> Option<Vec<(u64, String)>> {
    let mut deletes = Vec::new();
    for _ in 0..count {
        if payload.len() < 12 {
            return None;
        }
        let (sequence, length) = (u64_at(payload, 0), u32_at(payload, 8) as usize);
        let id = payload.get(12..12 + length)?;
        deletes.push((sequence, std::str::from_utf8(id).ok()?.to_owned()));
        payload = &payload[12 + length..];
    }
    payload.is_empty().then_some(deletes)
}

/// The data stored instead of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Body {
    pub(crate) text_hash: u128,
    pub(crate) content_hash: u128,
    /// Digest of fields and text.
    pub(crate) digest: u128,
    pub(crate) token_count: u32,
    pub(crate) size: u32,
    /// Keys of the sketch.
    pub(crate) keys: Vec<u64>,
    pub(crate) bytes: Vec<u8>,
    /// Hashed with the key that decides.
    pub(crate) features: Vec<u64>,
    /// Hashed with the key of sketches, if these are looked up.
    pub(crate) sketched: Vec<u64>,
}

impl Body {
    pub(crate) fn summary(&self) -> TextSummary {
        let Self { text_hash, content_hash, token_count, size, .. } = *self;
        TextSummary { text_hash, content_hash, token_count, size, ignored: 0 }
    }

    /// Serializes the body: numbers, lengths, then all lists.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&self.text_hash.to_le_bytes());
        bytes.extend_from_slice(&self.content_hash.to_le_bytes());
        bytes.extend_from_slice(&self.digest.to_le_bytes());
        let lengths = [self.keys.len(), self.bytes.len(), self.features.len(), self.sketched.len()];
        for number in [self.token_count, self.size].into_iter().chain(lengths.map(|length| length as u32)) {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for list in [&self.keys, &self.features, &self.sketched] {
            list.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
        }
        bytes.extend_from_slice(&self.bytes);
        bytes
    }

    /// Parses a body; returns none if it is inconsistent.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let numbers = bytes.get(..72)?;
        let hash = |at: usize| u128::from(u64_at(numbers, at)) | u128::from(u64_at(numbers, at + 8)) << 64;
        let [token_count, size, keys, sketch, features, sketched] =
            [48, 52, 56, 60, 64, 68].map(|at| u32_at(numbers, at));
        let mut rest = &bytes[72..];
        let mut list = |length: u32| {
            let (list, after) = rest.split_at_checked(length as usize * 8)?;
            rest = after;
            Some(list.chunks_exact(8).map(|number| u64_at(number, 0)).collect::<Vec<u64>>())
        };
        let (keys, features, sketched) = (list(keys)?, list(features)?, list(sketched)?);
        let bytes = rest.to_vec();
        let (text_hash, content_hash, digest) = (hash(0), hash(16), hash(32));
        let body = Self { text_hash, content_hash, digest, token_count, size, keys, bytes, features, sketched };
        (body.bytes.len() == sketch as usize).then_some(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_in_a_texts_stead_is_read_as_it_was_written() {
        let body = Body {
            text_hash: u128::MAX - 1,
            content_hash: 7 << 100,
            digest: 9,
            token_count: 3,
            size: 2,
            keys: vec![1, u64::MAX],
            bytes: vec![1, 2, 3],
            features: vec![4],
            sketched: vec![],
        };
        let bytes = body.to_bytes();
        assert_eq!(Body::of_bytes(&bytes).as_ref(), Some(&body));
        assert!((0..bytes.len()).all(|end| Body::of_bytes(&bytes[..end]).is_none()));
    }

    #[test]
    fn a_run_gives_its_documents_back() {
        let documents = [("a", "{}", "text"), ("ü", "", ""), ("c", "{\"x\":1}", "more")];
        let (mut entries, mut bytes) = (Vec::new(), Vec::new());
        for (sequence, (id, fields, body)) in (7..).zip(documents) {
            push_record(&mut entries, &mut bytes, &Record { sequence, id, fields, body: body.as_bytes() });
        }
        entries.extend(bytes);
        let run = Run::new(entries.clone(), 3).unwrap();
        for (at, (id, fields, body)) in (0..).zip(documents) {
            let record = run.record(at).unwrap();
            assert_eq!((record.sequence, record.id, record.fields), (7 + u64::from(at), id, fields));
            assert_eq!(record.body, body.as_bytes());
        }
        assert!(run.record(3).is_none() && Run::new(entries.clone(), 2).is_none() && Run::new(entries, 4).is_none());
        let payload = deletes_payload([(1, "x"), (2, "yz")].into_iter());
        assert_eq!(deletes(&payload, 2).unwrap(), [(1, "x".to_owned()), (2, "yz".to_owned())]);
        assert!(deletes(&payload, 1).is_none() && deletes(&payload[1..], 2).is_none());
    }
}
