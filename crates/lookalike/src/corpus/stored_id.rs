//! The id under which a document is stored in an index. A document's own id is used as it is; a generated id replaces
//! nothing.
//!
//! Positions are not ids: the third line of this month's `data.jsonl` is not the third line of last month's. If no
//! field is named, the field `id` is therefore used if every document has one and all are different. Otherwise the id
//! is the place of the document with a hash of its text: reading a file again changes nothing, and a file of the same
//! name with other texts adds them.

use std::borrow::Cow;
use std::collections::HashSet;

use lookalike_core::hash::bytes_hash;
use lookalike_io::format::Format;
use lookalike_io::input::discover::Origin;
use sha2::{Digest, Sha256};

use super::walk::{ROUND_BYTES, walk_rounds};
use crate::error::{Error, Result};
use crate::options::ReadOptions;
use crate::progress::Progress;

/// The field that is used for ids if no field is named and it is suitable.
const FIELD: &str = "id";

/// Number of bytes of a text's hash in an id: enough that nobody can find two texts that have the same.
const HASH_BYTES: usize = 16;

/// The id of a document that has none of its own. A file that is itself a document is identified by its name, whatever
/// its text.
pub(crate) fn stored_id<'a>(place: &'a str, format: Format, text: &str) -> Cow<'a, str> {
    if format.is_one_document() {
        return Cow::Borrowed(place);
    }
    let hash = Sha256::digest(text.as_bytes());
    let digits: String = hash.iter().take(HASH_BYTES).map(|byte| format!("{byte:02x}")).collect();
    Cow::Owned(format!("{place}:{digits}"))
}

/// The id field if none is named: every document must have it, each with a different value. All documents are checked
/// before the first is stored, since the last one may show that the field is not an id. The check ends at the first
/// such document. Input that can be read only once, or is remote, is not checked and has no such field.
///
/// # Errors
///
/// If the run is to stop.
pub(crate) fn field_of_ids(read: &ReadOptions, progress: &dyn Progress) -> Result<Option<String>> {
    if read.settings.fields.id.is_some() {
        return Ok(None);
    }
    let is_near = |found: &lookalike_io::input::discover::Discovered| {
        found.files.iter().all(|file| matches!(file.origin, Origin::Path(_)))
    };
    if !read.discover(None).is_ok_and(|found| is_near(&found)) {
        return Ok(None);
    }
    let mut read = read.clone();
    read.settings.fields.id = Some(FIELD.to_owned());
    let mut seen = HashSet::new();
    let looked_at = walk_rounds(&read, "ids", ROUND_BYTES, progress, |round| {
        // Pages of crawls have ids, and files of one document have names.
        for document in round.iter().filter(|document| !has_id_anyway(document.format)) {
            // Two ids with the same hash would only mean that ids are generated.
            if !document.has_own_id || !seen.insert(bytes_hash(document.id.as_bytes()) as u64) {
                return Err(Error::NoIdField { field: FIELD.to_owned(), known: Vec::new() });
            }
        }
        Ok(())
    });
    progress.go_on()?;
    // Entries that cannot be read are reported when they are read again for the index.
    let is_whole = looked_at.is_ok_and(|skips| skips.count == 0);
    Ok((is_whole && !seen.is_empty()).then(|| FIELD.to_owned()))
}

fn has_id_anyway(format: Format) -> bool {
    format.is_one_document() || format == Format::Warc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_made_id_depends_on_place_and_text_and_that_of_a_file_on_its_name() {
        let id = |place, text| stored_id(place, Format::Jsonl, text).into_owned();
        assert_eq!(id("data.jsonl:1", "a storm"), id("data.jsonl:1", "a storm"));
        let digits = id("data.jsonl:1", "a storm").strip_prefix("data.jsonl:1:").map(str::len);
        assert_eq!(digits, Some(2 * HASH_BYTES));
        assert_ne!(id("data.jsonl:1", "a storm"), id("data.jsonl:1", "a calm"));
        assert_ne!(id("data.jsonl:1", "a storm"), id("data.jsonl:2", "a storm"));
        assert_eq!(stored_id("a.txt", Format::Text, "a storm"), "a.txt");
    }
}
