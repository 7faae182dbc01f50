//! Sources of documents, and the share of documents that one may lose.

use crate::error::{Error, Result};

/// Definition of a document's source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceBy {
    /// The host of its address, or else its file; if the file is itself a document, its folder.
    #[default]
    HostOrFile,
    /// The host of its address.
    Host,
    /// Its file.
    File,
    /// The value of the field named by [`lookalike_io::read::Fields::source`].
    Field,
}

impl SourceBy {
    /// The name used in a summary; `field` is that of [`SourceBy::Field`].
    pub(crate) fn written(self, field: Option<&str>) -> String {
        match self {
            Self::HostOrFile => "host, file or folder".to_owned(),
            Self::Host => "host".to_owned(),
            Self::File => "file".to_owned(),
            Self::Field => format!("field:{}", field.unwrap_or_default()),
        }
    }

    /// Parses the name used in a summary.
    pub(crate) fn parse(written: &str) -> Option<Self> {
        let is_named = |by: &Self| by.written(None) == written;
        let named = [Self::HostOrFile, Self::Host, Self::File].into_iter().find(is_named);
        named.or_else(|| written.starts_with("field:").then_some(Self::Field))
    }
}

/// A share of documents: above 0, at most 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Share(f64);

impl Share {
    /// Checks the range once.
    ///
    /// # Errors
    ///
    /// [`Error::ShareOutOfRange`] if `value` is not above 0 and at most 1.
    pub fn new(value: f64) -> Result<Self> {
        if value > 0.0 && value <= 1.0 { Ok(Self(value)) } else { Err(Error::ShareOutOfRange { value }) }
    }

    /// As a number.
    pub fn value(self) -> f64 {
        self.0
    }
}
