//! Test items and one document at a time to the places where the document contains an item.
//!
//! ```text
//! text → words → n-grams that an item has → aligned passages → coverage of each field → hit, common, or nothing
//! ```
//!
//! Only the test items are in memory ([`TestItems`]). A document is read once ([`Scanner`]): each window of n words is hashed as
//! it rolls by and looked up in a filter. A window that an item has is verified word by word, and extended both ways across
//! words that differ. What decides is how much of a field is covered, where words that many items share weigh nothing.
//! [`common_hits`] then looks at all hits of one item together, since a passage that many documents quote accuses none of them.

mod align;
mod answers;
mod asking;
mod choices;
mod common;
mod entities;
mod escapes;
mod grams;
mod items;
mod numerals;
mod reader;
mod scan;
#[cfg(test)]
mod tests;

pub use common::{CommonHit, HitFacts, common_hits};
pub use items::{ItemState, Template, TestItems, TestItemsBuilder};
pub use reader::{Reader, Words};
pub use scan::{FoundItem, Scan, Scanner};

/// The length of the n-grams unless another one is asked for: what GPT-3's authors used, and most since.
pub const NGRAM: usize = 13;

/// Fields with fewer words than this are too short to identify an item: any text may have them.
pub const FEWEST_WORDS: usize = 8;

/// The share of a question that a hit covers, unless another one is asked for.
pub const COVERAGE: f64 = 0.5;

/// The share of a source's documents that have a passage before it is common, unless another one is asked for.
pub const COMMON_SHARE: f64 = 0.01;

/// Maximum number of words between two passages that belong together, such as a question and its answer.
const NEAR: usize = 50;
