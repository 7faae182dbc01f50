//! Identity of a document: its id, place, address and source, for all output that names it to a person.

use std::borrow::Cow;

use super::Corpus;
use super::blocks::Names;
use super::known::KnownDocument;
use super::stored_id::stored_id;
use crate::options::SourceBy;

/// The identity of a document.
pub(crate) struct Described<'a> {
    pub(super) corpus: &'a Corpus,
    pub(super) who: Who<'a>,
}

/// Origin of a document: a file that was read, or a saved index.
pub(super) enum Who<'a> {
    /// In a file.
    Read { names: Names, file: u32, position: u64 },
    /// In a saved index.
    Known(&'a KnownDocument),
}

/// Indexes of the names.
const ID: usize = 0;
const URI: usize = 1;
const SOURCE: usize = 2;

impl Described<'_> {
    /// The name of the file that the document is in.
    pub(crate) fn file(&self) -> &str {
        match &self.who {
            Who::Read { file, .. } => self.corpus.file_name(*file),
            Who::Known(known) => &known.index,
        }
    }

    /// The position of the document in its file, counted from 1; 0 in an index.
    pub(crate) fn position(&self) -> u64 {
        match self.who {
            Who::Read { position, .. } => position,
            Who::Known(_) => 0,
        }
    }

    /// The number of the file, and the position of the document in it, counted from 1; 0 in an index.
    pub(crate) fn number(&self) -> (u32, u64) {
        match self.who {
            Who::Read { file, position, .. } => (file, position),
            Who::Known(_) => (u32::MAX, 0),
        }
    }

    /// The id of the document: the user's own, or else its place.
    pub(crate) fn id(&self) -> Cow<'_, str> {
        self.own_id().map_or_else(|| Cow::Owned(self.place()), Cow::Borrowed)
    }

    /// The user's own id, if there is one.
    pub(crate) fn own_id(&self) -> Option<&str> {
        match &self.who {
            Who::Read { names, .. } => names.at(ID),
            Who::Known(known) => Some(&known.id),
        }
    }

    /// The user's own id, or the one under which the document is stored in an index, which may depend on its text.
    pub(crate) fn stored_id(&self, text: &str) -> String {
        let place = match &self.who {
            Who::Read { file, .. } => Some((self.place(), self.corpus.kind(*file).format)),
            Who::Known(_) => None,
        };
        match (self.own_id(), place) {
            (None, Some((place, format))) => stored_id(&place, format, text).into_owned(),
            (own, _) => own.unwrap_or_default().to_owned(),
        }
    }

    /// Place of the document, whatever its id.
    pub(crate) fn place(&self) -> String {
        match &self.who {
            Who::Read { file, position, .. } => self.corpus.kind(*file).format.id(self.file(), *position),
            Who::Known(known) => known.id.clone(),
        }
    }

    /// The address of the document, if it is a page.
    pub(crate) fn uri(&self) -> Option<&str> {
        match &self.who {
            Who::Read { names, .. } => names.at(URI),
            Who::Known(known) => known.uri.as_deref(),
        }
    }

    /// Name of the document's source.
    pub(crate) fn source(&self, by: SourceBy) -> &str {
        self.origin().source(by)
    }

    /// Properties that determine the source of the document.
    pub(crate) fn origin(&self) -> Origin<'_> {
        let (is_one_document, field) = match &self.who {
            Who::Read { file, names, .. } => (self.corpus.kind(*file).format.is_one_document(), names.at(SOURCE)),
            Who::Known(_) => (false, None),
        };
        Origin { file: self.file(), is_one_document, uri: self.uri(), field }
    }
}

/// Properties that determine the source of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'a> {
    pub(crate) file: &'a str,
    /// True if the file is itself a document.
    pub(crate) is_one_document: bool,
    pub(crate) uri: Option<&'a str>,
    /// The field that names the source.
    pub(crate) field: Option<&'a str>,
}

impl<'a> Origin<'a> {
    pub(crate) fn source(self, by: SourceBy) -> &'a str {
        self.named_source(by).unwrap_or(if by == SourceBy::Field { "(no source)" } else { "(no host)" })
    }

    /// The source, unless the document has none.
    pub(crate) fn named_source(self, by: SourceBy) -> Option<&'a str> {
        let host = || self.uri.and_then(host);
        match by {
            // The file, if it contains many documents. If it is itself a document, its folder, since a source of one
            // document loses all or nothing.
            SourceBy::HostOrFile => {
                host().or_else(|| Some(if self.is_one_document { folder(self.file) } else { self.file }))
            }
            SourceBy::Host => host(),
            SourceBy::File => Some(self.file),
            SourceBy::Field => self.field,
        }
    }
}

/// The folder of a file by its name, with a slash at its end.
fn folder(name: &str) -> &str {
    name.rfind('/').map_or("./", |slash| &name[..=slash])
}

/// The host of an address.
fn host(uri: &str) -> Option<&str> {
    let (_, rest) = uri.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    let host = host.split_once(':').map_or(host, |(host, _)| host);
    (!host.is_empty()).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_file_ends_in_a_slash() {
        assert_eq!(["a.txt", "de/a.txt", "de/x/a.txt"].map(folder), ["./", "de/", "de/x/"]);
    }

    #[test]
    fn a_host_is_what_stands_between_the_slashes() {
        for (uri, expected) in [
            ("https://news.example.com/a?b", Some("news.example.com")),
            ("http://user:pass@example.org:8080/", Some("example.org")),
            ("http://example.net?x://y", Some("example.net")),
            ("mailto:someone", None),
            ("file:///x", None),
        ] {
            assert_eq!(host(uri), expected, "{uri}");
        }
    }
}
