//! The page on which people judge a sample of removals.
