//! Measures of two items: sets of features, their overlap, and whether they match.

pub mod criterion;
pub mod distinct;
pub mod edit;
pub mod feature_filter;
pub mod feature_set;
pub mod likeness;
pub mod similarity;
