//! How alike two items are: sets of features, what they share, and when that is enough.

pub mod criterion;
pub mod edit;
pub mod feature_filter;
pub mod feature_set;
pub mod likeness;
pub mod similarity;
