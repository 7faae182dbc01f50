//! The judge: decides by brute force which texts are near-duplicates.
//!
//! Tests compare the fast pipeline with it, so it shares no code, Unicode tables or hash functions with the pipeline.
//! Here a shingle is a real sequence of strings; numbers that represent strings are assigned by looking the string up,
//! so two different shingles never share a number.
//!
//! ```
//! use lookalike_judge::{Shingle, pairs};
//!
//! let texts = ["one two three four", "something else", "One, two, three: FOUR!"];
//! let found = pairs(&texts, "word:2".parse()?, 0.8);
//!
//! assert_eq!(found.len(), 1);
//! assert_eq!((found[0].left, found[0].right), (0, 2));
//! assert_eq!(found[0].measures.jaccard(), 1.0);
//! # Ok::<(), lookalike_judge::ParseShingleError>(())
//! ```

mod case;
mod copy;
mod fold;
mod join;
mod keep;
mod measure;
mod name;
mod normalize;
mod promise;
mod repeat;
mod sets;
mod shared;
mod shingle;
mod tokenize;

pub use copy::is_exact_copy;
pub use fold::{Fold, fold};
pub use join::pairs;
pub use keep::independent_set;
pub use measure::{Measures, Pair, measure, pairs_by_brute_force};
pub use normalize::normalize;
pub use promise::{Removal, broken_promises, duplicates_left, unsupported_removals};
pub use repeat::{RepeatedUnit, repeated, repeated_anywhere};
pub use sets::{SetMeasure, WeightedSet, weigh_by_rarity};
pub use shared::{SharedWords, occurrences, shared_words};
pub use shingle::{ParseShingleError, Shingle, shingles, tokens};
