//! The requests about a saved index: create it, add to it, search it.

use derive_setters::Setters;
use lookalike_core::remedy::JobOption;
use lookalike_index::{CreateOptions, SearchOptions, Store};
use serde::{Deserialize, Serialize};

use super::read::ReadRequest;
use super::resources::ResourceRequest;
use super::scheme::SchemeRequest;
use super::{non_zero, share};
use crate::options::{AddOptions, Search, SearchQuery};
use crate::refused::Refused;

/// Unchecked options of a new index. All of them are fixed for the life of the index.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Setters)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct CreateRequest {
    /// Criterion for near-duplicates, and the method that finds them.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub scheme: SchemeRequest,
    /// Data that is stored per document. Default: `text`.
    pub store: Option<Store>,
}

from_options!(CreateRequest, scheme);

impl CreateRequest {
    /// Checks the scheme.
    ///
    /// # Errors
    ///
    /// Fails if a value is impossible, has no effect, or contradicts another.
    pub fn check(self) -> Result<CreateOptions, Refused> {
        let scheme = self.scheme.check()?;
        if let Some(purpose) = self.scheme.purpose.filter(|purpose| purpose.ignores_boilerplate()) {
            // At the thresholds of these purposes, pages of one template would be near-duplicates.
            let allowed = "one that ignores no boilerplate, which an index compares: code, short, chat or legal";
            return Err(Refused::unknown_word(JobOption::Purpose, purpose.to_string(), allowed));
        }
        let learns = scheme.build_method().learns();
        if learns || scheme.method().checksum().is_some() {
            // Texts come one by one: nothing can be learnt from all of them first.
            let allowed = "one that looks at each text by itself: minhash, supershingle, exact, or simhash without idf";
            return Err(Refused::unknown_word(JobOption::Method, scheme.method().name(), allowed));
        }
        Ok(CreateOptions::new(scheme).with_store(self.store.unwrap_or_default()))
    }
}

/// Documents to add to an index.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct AddRequest {
    /// Options for reading.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub read: ReadRequest,
    /// Limits.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub resources: ResourceRequest,
    /// Leave out documents that have a near-duplicate in the index, or among the documents before them.
    pub unless_duplicate: Option<bool>,
    /// Fields to store with the documents.
    pub fields: Vec<String>,
}

new_from_inputs!(AddRequest, read.inputs);
from_options!(AddRequest, read, resources);

impl AddRequest {
    /// Checks all options.
    ///
    /// # Errors
    ///
    /// Fails if a value is impossible.
    pub fn check(self) -> Result<AddOptions, Refused> {
        let resources = self.resources.check()?;
        let mut read = self.read.check(&resources)?;
        if self.fields.contains(&read.settings.fields.text) {
            let allowed = "a field other than that of the text, which is stored anyway";
            return Err(Refused::unknown_word(JobOption::Fields, &read.settings.fields.text, allowed));
        }
        // A document that was exported has its fields in an object of this name.
        read.settings.fields.object = self.fields.is_empty().then(|| "fields".to_owned());
        read.settings.fields.others = self.fields;
        Ok(AddOptions { read, unless_duplicate: self.unless_duplicate == Some(true), resources })
    }
}

/// A search: one query, or input with many of them.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct SearchRequest {
    /// Find documents similar to this text.
    pub text: Option<String>,
    /// The id of the text: if the index has the text under this id, that document is the first match.
    pub id: Option<String>,
    /// Find documents similar to the stored one with this id, other than itself.
    pub like: Option<String>,
    /// Find documents similar to each of these. Its fields are named apart from those of a query.
    #[serde(skip)]
    pub input: ReadRequest,
    /// Limits on reading the input.
    #[serde(skip)]
    pub resources: ResourceRequest,
    /// Minimum similarity, not below that of the index. Default: that of the index.
    pub threshold: Option<f64>,
    /// Number of matches per query at most. Default: 10.
    pub top: Option<i64>,
    /// Number of candidates to measure per query at most, those with the most similar sketches first. Default: 100,000.
    pub max_candidates: Option<i64>,
}

from_options!(SearchRequest);

impl SearchRequest {
    /// Checks the query and all options.
    ///
    /// # Errors
    ///
    /// Fails if there is no query or more than one, or a value is impossible or has no effect.
    pub fn check(self) -> Result<Search, Refused> {
        let options = self.options()?;
        Ok(Search { query: self.query()?, options })
    }

    fn options(&self) -> Result<SearchOptions, Refused> {
        let mut options = SearchOptions::default();
        if let Some(threshold) = self.threshold {
            options = options.with_threshold(share(JobOption::Threshold, threshold)?);
        }
        if let Some(top) = self.top {
            options = options.with_top(non_zero(JobOption::Top, top)?);
        }
        if let Some(most) = self.max_candidates {
            options = options.with_max_candidates(non_zero(JobOption::MaxCandidates, most)?);
        }
        Ok(options)
    }

    fn query(self) -> Result<SearchQuery, Refused> {
        let reads = self.input.has_inputs();
        if !reads {
            self.input.check_unused()?;
        }
        match (self.text, self.id, self.like) {
            (Some(_), _, Some(_)) => Err(Refused::not_with(JobOption::Like, JobOption::Query)),
            (None, Some(_), _) => Err(Refused::needs(JobOption::Id, JobOption::Query)),
            (Some(_), ..) if reads => Err(Refused::not_with(JobOption::Input, JobOption::Query)),
            (.., Some(_)) if reads => Err(Refused::not_with(JobOption::Like, JobOption::Input)),
            (Some(text), Some(id), None) => Ok(SearchQuery::Document { id, text }),
            (Some(text), None, None) => Ok(SearchQuery::Text(text)),
            (None, None, Some(id)) => Ok(SearchQuery::Like(id)),
            (None, None, None) if reads => {
                // A single query is answered without asking for the memory of the machine, which takes longer.
                let resources = self.resources.check()?;
                Ok(SearchQuery::Input(Box::new(self.input.check(&resources)?)))
            }
            (None, None, None) => Err(Refused::missing_unless(JobOption::Query, &[JobOption::Input, JobOption::Like])),
        }
    }
}
