//! Options that decide which similar documents are matches.

use clap::Args;
use lookalike::{DifferentNumbers, MatchRequest};

use super::words::words;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Similarity")]
pub(crate) struct MatchArguments {
    /// Every field of --text must reach the threshold by itself, not only all of them together
    #[arg(long, hide_short_help = true)]
    each_field: bool,
    /// Compare only documents with the same value in this field, such as a language or a customer
    #[arg(long, value_name = "FIELD", hide_short_help = true)]
    within: Option<String>,
    /// Documents that differ in nothing but numbers (dates, amounts, ids): remove them like others, or keep both
    /// [default: remove]
    #[arg(long, value_name = "WHAT", value_parser = words::<DifferentNumbers>(), hide_short_help = true)]
    different_numbers: Option<DifferentNumbers>,
}

impl MatchArguments {
    pub(crate) fn request(&self) -> MatchRequest {
        let mut request = MatchRequest::default();
        request.each_field = self.each_field.then_some(true);
        request.within.clone_from(&self.within);
        request.different_numbers = self.different_numbers;
        request
    }
}
