//! The judge: given texts, says which are near-duplicates, slowly and surely.
//!
//! Tests hold the fast pipeline against it, so it shares no code, no Unicode
//! tables and no hash function with the pipeline. A shingle here is a real
//! sequence of strings; where numbers stand in for strings they are names given
//! by looking the string up, so two different shingles never share a number.
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
mod sets;
mod shingle;
mod tokenize;

pub use copy::is_exact_copy;
pub use fold::{Fold, fold};
pub use join::pairs;
pub use keep::independent_set;
pub use measure::{Measures, Pair, measure, pairs_by_brute_force};
pub use normalize::normalize;
pub use promise::{Removal, broken_promises, duplicates_left, unsupported_removals};
pub use sets::{SetMeasure, WeightedSet, weigh_by_rarity};
pub use shingle::{ParseShingleError, Shingle, shingles, tokens};
