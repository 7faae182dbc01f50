//! Documents that the input of `dedup` is compared with: a reference in files or in memory, or a saved index.

use std::path::{Path, PathBuf};

use lookalike_core::decision::Scope;
use lookalike_io::input::discover::{Discovered, Exclude, discover_except};
use lookalike_io::input::held::HeldTable;

use crate::error::Result;

/// Documents that the input is compared with.
#[derive(Clone, Debug)]
pub(crate) enum CompareWith {
    /// Only the documents of the input itself.
    Itself,
    /// Documents of files or of tables in memory.
    Reference(Against),
    /// Documents of a saved index.
    Index(AgainstIndex),
}

impl CompareWith {
    /// The reference, if there is one.
    pub(crate) fn reference(&self) -> Option<&Against> {
        match self {
            Self::Reference(against) => Some(against),
            Self::Itself | Self::Index(_) => None,
        }
    }

    /// The saved index, if there is one.
    pub(crate) fn index(&self) -> Option<&AgainstIndex> {
        match self {
            Self::Index(against) => Some(against),
            Self::Itself | Self::Reference(_) => None,
        }
    }

    /// Documents that each document of the input is compared with.
    pub(crate) fn scope(&self) -> Scope {
        match self {
            Self::Itself => Scope::Everything,
            Self::Reference(against) => against.scope,
            Self::Index(against) => against.scope,
        }
    }
}

/// A saved index that the input is compared with: documents similar to one of it are removed.
#[derive(Clone, Debug)]
pub(crate) struct AgainstIndex {
    /// The folder of the index.
    pub(crate) folder: PathBuf,
    /// Indicates if the input is also compared with itself.
    pub(crate) scope: Scope,
    /// Add the kept documents to the index.
    pub(crate) add_kept: bool,
}

/// A reference: documents of the input that are similar to one of its documents are removed.
#[derive(Clone, Debug)]
pub(crate) struct Against {
    /// Files, folders, or `-` for standard input. Their documents are neither removed nor written.
    pub(crate) references: Vec<PathBuf>,
    /// Tables in memory, read after all files.
    pub(crate) tables: Vec<HeldTable>,
    /// Indicates if the input is also compared with itself. If it is not, [`Group`] makes no difference.
    pub(crate) scope: Scope,
}

impl Against {
    /// Finds the documents of the reference: files, and then tables.
    pub(crate) fn discover(&self, output: Option<&Path>, exclude: &Exclude) -> Result<Discovered> {
        let found = discover_except(&self.references, &[], output, exclude)?;
        Ok(found.without_what_is_about_data().with_tables(&self.tables))
    }
}
