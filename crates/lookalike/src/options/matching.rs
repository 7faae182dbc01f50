//! Rules that decide which pairs of similar documents are matches.

/// Rules that a match must satisfy, in addition to being similar enough.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchOptions {
    /// Every field of the text is similar enough by itself.
    pub(crate) each_field: bool,
    /// Both documents have the same value in this field.
    pub(crate) within: Option<String>,
    /// Treatment of documents that differ only in numbers.
    pub(crate) numbers: DifferentNumbers,
}

impl MatchOptions {
    /// True if similar documents may fail to be a match.
    pub(crate) fn has_rules(&self) -> bool {
        self.each_field || self.numbers == DifferentNumbers::Keep
    }
}

lookalike_core::word_enum! {
    /// Treatment of documents that differ only in numbers.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum DifferentNumbers {
        /// They are near-duplicates like others.
        #[default]
        Remove,
        /// They are different documents.
        Keep,
    }
}

lookalike_core::word_enum! {
    /// Kind of input in which near-duplicates are searched for.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Purpose {
        /// Pages of crawls.
        Web,
        /// Articles on the pages of several sites.
        News,
        /// Source code.
        Code,
        /// Posts, titles and other short texts.
        Short,
        /// Conversations.
        Chat,
        /// Contracts and other texts in which every number and every word matters.
        Legal,
    }
}
