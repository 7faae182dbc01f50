//! The exact join: all pairs of sets that are alike enough, without sketches and with none missed.
//!
//! ```text
//! features → Sets → Index → candidates → matches, or what is kept
//! ```
//!
//! Sets are sorted by tokens, rare ones first. Two sets that must share `n` tokens share one that is not among the last
//! `n - 1` of either: so only this *prefix* of a set is indexed, and only by it are others looked for (Chaudhuri et al.
//! 2006; Bayardo et al. 2007). The first token that two prefixes share tells at once how much can be shared at all,
//! since everything shared comes from there on (the position filter; Xiao et al. 2008).
//!
//! No candidates are counted up. The first posting in which a set is met decides by
//! its filters whether the set is measured, and a set that is refused once would be refused at every later token,
//! since what remains only shrinks.

#[cfg(test)]
mod brute;
mod dictionary;
mod groups;
mod index;
mod kept;
mod left;
mod lonely;
mod measure;
mod nearest;
mod neighbors;
mod pairs;
mod probe;
mod sets;
mod sketched;
mod weighted;

pub use kept::independent_set;
pub use lonely::may_match;
pub use measure::Measure;
pub use nearest::{Near, Nearest, Seeker};
pub use neighbors::Neighbors;
pub(crate) use pairs::MATCHES_AT_ONCE;
pub use pairs::{each_match, match_count, matches};
pub use sets::{Sets, SetsBuilder};
pub use weighted::{WeightedItem, WeightedSets};
