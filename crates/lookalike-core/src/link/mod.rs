//! Records: which of them mean the same, in one table or between two. No labels, no rules.
//!
//! ```text
//! guess  → prepare → find candidates → compare → estimate → score  → decide  → cluster  → validate
//! Config   Records   Candidates        Pattern   Model      Scored   matches   Clusters   Validation
//! ```
//!
//! Functions that a job calls, in order:
//!
//! ```
//! use lookalike_core::ids::Record;
//! use lookalike_core::link::cluster::{Clusters, best_record};
//! use lookalike_core::link::decide::{matches, suggest_threshold};
//! use lookalike_core::link::guess::guess;
//! use lookalike_core::link::key::{Bounds, find_candidates};
//! use lookalike_core::link::records::Records;
//! use lookalike_core::link::score::Scorer;
//! use lookalike_core::table::Table;
//! use lookalike_core::link::weigh::{Frequencies, Model, compare_all};
//!
//! let mut table = Table::new(["id", "name", "street", "phone"]);
//! for row in [
//!     ["1", "Jeffrey Smith", "12 Oak Street", "310-246-1501"],
//!     ["2", "Jeffery Smith", "12 Oak St.", "213-246-1501"],
//!     ["3", "Maria Garcia", "7 Elm Avenue", "818-762-1221"],
//!     ["4", "Wei Zhang", "350 Lake Drive", "404-659-0400"],
//! ] {
//!     table.push(&row)?;
//! }
//! let config = guess(&table, None, Some("id"));
//! let records = Records::prepare(&table, None, &config)?;
//! let candidates = find_candidates(&records, &Bounds::for_count(records.count()));
//! let patterns = compare_all(&records, &candidates);
//! let model = Model::estimate(&records, &candidates, &patterns);
//! let frequencies = Frequencies::new(&records, &candidates, &patterns, &model);
//! let scorer = Scorer { records: &records, model: &model, frequencies: &frequencies };
//! let scored = scorer.score_all(&candidates, &patterns);
//! let matches = matches(&records, &scored, suggest_threshold(&scored));
//! let clusters = Clusters::join(&scorer, &matches);
//!
//! // One letter, and another area code.
//! assert_eq!(scorer.points(matches[0].pattern), [90, 100, 80]);
//! assert_eq!(clusters.of(Record(0)), clusters.of(Record(1)));
//! assert_eq!(clusters.count(), 3);
//! assert!(best_record(&records, clusters.members(clusters.of(Record(0)))).is_some());
//! # Ok::<(), lookalike_core::Error>(())
//! ```
//!
//! Note that nothing here depends on the order of the rows. Where two records are equally good,
//! their contents decide.

pub mod choose;
mod closeness;
pub mod cluster;
pub mod config;
mod copies;
pub mod decide;
pub mod explain;
pub mod extend;
pub mod guess;
mod header;
pub mod key;
mod letters;
pub mod measure;
pub mod normalize;
pub mod partner;
pub mod records;
pub mod score;
pub mod teach;
pub mod validate;
pub mod verdicts;
mod vocabulary;
pub mod weigh;
mod words;
