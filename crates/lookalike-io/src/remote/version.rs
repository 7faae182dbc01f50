//! The version of an object: its etag, its size, and its modification time.
//!
//! A listing may report the time more precisely than a query, and may omit the etag; a property known for only one of
//! two versions does not count as a difference.

use chrono::DateTime;
use object_store::{HeaderMap, ObjectMeta};

/// A version of an object, as far as the store reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) etag: Option<String>,
    pub(super) bytes: Option<u64>,
    /// In whole seconds since 1970.
    pub(super) modified: Option<i64>,
}

impl Version {
    /// The version reported by a store.
    pub(super) fn of_object(meta: &ObjectMeta) -> Self {
        // If a web server reports no time, `object_store` returns 1970.
        let modified = Some(meta.last_modified.timestamp()).filter(|seconds| *seconds != 0);
        Self { etag: meta.e_tag.clone(), bytes: Some(meta.size), modified }
    }

    /// The version in the response of a web server, with the total size.
    pub(super) fn of_answer(headers: &HeaderMap, bytes: Option<u64>) -> Self {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let modified = text("last-modified").and_then(|date| DateTime::parse_from_rfc2822(date).ok());
        Self { etag: text("etag").map(str::to_owned), bytes, modified: modified.map(|date| date.timestamp()) }
    }

    /// True if no known property differs.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        fn agree<T: PartialEq>(left: Option<&T>, right: Option<&T>) -> bool {
            left.zip(right).is_none_or(|(left, right)| left == right)
        }
        agree(self.etag.as_ref(), other.etag.as_ref())
            && agree(self.bytes.as_ref(), other.bytes.as_ref())
            && agree(self.modified.as_ref(), other.modified.as_ref())
    }

    /// The etag for a conditional request, so that the store itself rejects another version. A weak one, `W/"…"`, never
    /// matches there.
    pub(super) fn condition(&self) -> Option<String> {
        self.etag.clone().filter(|etag| !etag.starts_with("W/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_both_tell_can_differ() {
        let known = Version { etag: Some("\"a\"".to_owned()), bytes: Some(3), modified: Some(7) };
        assert!(known.is_same(&known));
        assert!(known.is_same(&Version { etag: None, ..known.clone() }));
        assert!(!known.is_same(&Version { etag: Some("\"b\"".to_owned()), ..known.clone() }));
        assert!(!known.is_same(&Version { bytes: Some(4), ..Version::default() }));
        assert!(!known.is_same(&Version { modified: Some(8), ..Version::default() }));
    }

    #[test]
    fn a_weak_etag_is_no_condition() {
        let with = |etag: &str| Version { etag: Some(etag.to_owned()), ..Version::default() };
        assert_eq!(with("W/\"a\"").condition(), None);
        assert_eq!(with("\"a\"").condition().as_deref(), Some("\"a\""));
    }
}
