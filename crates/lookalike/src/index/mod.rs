//! The saved index: adds documents from files, searches for documents of files, and is compared with by
//! [`dedup`](crate::dedup()).
//!
//! The index itself, [`Index`], is in the crate `lookalike-index`; this module connects it with the readers of files.
//!
//! ```
//! use lookalike::index::{self, CreateOptions, Index, Query, SearchOptions};
//! use lookalike::{AddRequest, Silent};
//!
//! # let folder = tempfile::tempdir()?;
//! # std::env::set_current_dir(&folder)?;
//! # std::fs::write("news.jsonl", "{\"text\":\"the storm hit the coast on Monday\"}\n{\"text\":\"a quiet day at sea\"}\n")?;
//! let archive = Index::create("archive".as_ref(), &CreateOptions::default())?;
//! let added = index::add(&archive.writer()?, &AddRequest::new(["news.jsonl"]).check()?, &Silent)?;
//! assert_eq!(added.added_count, 2);
//!
//! let answer = archive.snapshot()?.search(Query::Text("The storm hit the coast on Monday!"), &SearchOptions::default())?;
//! assert!(answer.hits[0].id.starts_with("news.jsonl:1:") && answer.hits[0].similarity == 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod add;
mod answer;
mod search;

pub use lookalike_index::{
    Answer, CreateOptions, Document, Error, Hit, Index, Lost, Merged, NewDocument, Problem, Put, Query, SearchOptions,
    Snapshot, Stat, Store, Upgrade, Verification, Writer, snapshot_to, upgrade, verify,
};

pub use self::add::{Added, Duplicate, add, add_with};
pub use self::answer::Searchable;
pub use self::search::{Asked, SearchRow, Searched, search};
pub use crate::options::{AddOptions, Search, SearchQuery};
