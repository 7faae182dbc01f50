//! How similar two items are: sets of features, what they share, and whether that is a match.

pub mod criterion;
pub mod distinct;
pub mod edit;
pub mod feature_filter;
pub mod feature_set;
pub mod likeness;
pub mod similarity;
