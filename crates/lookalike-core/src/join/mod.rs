//! The exact join: finds all pairs of sets that are similar enough, without sketches and with none missed.
//!
//! ```text
//! features → Sets → Index → candidates → matches, or what is kept
//! ```
//!
//! Sets are sorted by tokens, rare ones first. Two sets that must share `n` tokens share one that is not among the last
//! `n - 1` of either, so only this *prefix* of a set is indexed and used for lookup (Chaudhuri et al. 2006; Bayardo et
//! al. 2007). The first token that two prefixes share bounds the overlap, since all shared tokens come from there on
//! (the position filter; Xiao et al. 2008).
//!
//! Candidates are not counted. The filters at the first posting in which a set is found decide if it is measured; a set
//! that is rejected once would be rejected at every later token, since the remaining part only shrinks.

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
mod single;
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
pub(crate) use single::has_collision;
pub use single::matches_by_one;
pub use weighted::{WeightedItem, WeightedSets};
