//! Lookup of the boilerplate to ignore: finds the source of a document, and its entry in the table.

use std::sync::Arc;

use lookalike_core::text::boilerplate::{Boilerplate, SourcePlace};

use super::described::Origin;
use crate::options::{Scheme, SourceBy};

/// Finds documents' sources in a table of boilerplate.
#[derive(Clone, Debug)]
pub(crate) struct Ignoring {
    table: Arc<Boilerplate>,
    by: SourceBy,
}

impl Ignoring {
    /// Returns the boilerplate that a scheme ignores.
    pub(crate) fn of(scheme: &Scheme) -> Option<Self> {
        let table = Arc::clone(scheme.boilerplate()?);
        let by = SourceBy::parse(&table.about().source)?;
        Some(Self { table, by })
    }

    /// Finds the entry of a document's source in the table, if it has boilerplate.
    pub(crate) fn place(&self, origin: Origin<'_>) -> Option<SourcePlace> {
        self.table.place(self.source(origin)?)
    }

    /// The source of a document, if it has one.
    pub(crate) fn source<'o>(&self, origin: Origin<'o>) -> Option<&'o str> {
        origin.named_source(self.by)
    }

    /// Finds the entry of a source in the table, if it has boilerplate.
    #[cfg(feature = "parquet")]
    pub(crate) fn place_of(&self, source: &str) -> Option<SourcePlace> {
        self.table.place(source)
    }
}
