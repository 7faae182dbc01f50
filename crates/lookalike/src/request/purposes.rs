//! Purposes that can be selected by name, and the settings of each: chosen by measurement, and listed in
//! `docs/purposes.md`.
//!
//! A purpose fills in missing options: explicit options take precedence.

use lookalike_core::remedy::JobOption;

use super::boilerplate::IgnoreBoilerplate;
use super::matching::MatchRequest;
use super::read::ReadRequest;
use super::scheme::SchemeRequest;
use crate::options::{DifferentNumbers, Purpose};

/// The settings of a purpose; none where the default is right.
#[derive(Clone, Copy, Debug, Default)]
struct Settings {
    text: Option<&'static str>,
    shingle: Option<&'static str>,
    tokens: Option<&'static str>,
    threshold: Option<f64>,
    fold: Option<&'static str>,
    count_repeats: Option<bool>,
    different_numbers: Option<DifferentNumbers>,
    ignore_boilerplate: bool,
}

const NONE: Settings = Settings {
    text: None,
    shingle: None,
    tokens: None,
    threshold: None,
    fold: None,
    count_repeats: None,
    different_numbers: None,
    ignore_boilerplate: false,
};

impl Purpose {
    /// The table of all purposes.
    fn settings(self) -> Settings {
        match self {
            // Once what each site says everywhere is left out, little is left of a page, and what changes from visit to
            // visit weighs much in it. An article that was cropped and has links between its paragraphs shares even
            // less.
            Self::Web => Settings { shingle: Some("word:5"), threshold: Some(0.35), ignore_boilerplate: true, ..NONE },
            Self::News => Settings { shingle: Some("word:5"), threshold: Some(0.3), ignore_boilerplate: true, ..NONE },
            Self::Code => Settings { tokens: Some("code"), shingle: Some("word:5"), threshold: Some(0.8), ..NONE },
            // A typing error changes four runs of four characters, and a word of a short text most of its runs of
            // words.
            Self::Short => Settings { shingle: Some("char:4"), threshold: Some(0.75), fold: Some("links"), ..NONE },
            Self::Chat => Settings { text: Some("messages[].content"), threshold: Some(0.8), ..NONE },
            Self::Legal => Settings {
                threshold: Some(0.99),
                count_repeats: Some(true),
                different_numbers: Some(DifferentNumbers::Keep),
                ..NONE
            },
        }
    }

    /// True if boilerplate is ignored.
    pub(super) fn ignores_boilerplate(self) -> bool {
        self.settings().ignore_boilerplate
    }

    /// The settings as options and their values, such as `shingle=char:4 threshold=0.75`.
    pub fn written(self) -> String {
        let Settings { text, shingle, tokens, threshold, fold, count_repeats, different_numbers, ignore_boilerplate } =
            self.settings();
        let settings = [
            (JobOption::Text, text.map(str::to_owned)),
            (JobOption::Tokens, tokens.map(str::to_owned)),
            (JobOption::Shingle, shingle.map(str::to_owned)),
            (JobOption::Threshold, threshold.map(|threshold| threshold.to_string())),
            (JobOption::Fold, fold.map(str::to_owned)),
            (JobOption::DifferentNumbers, different_numbers.map(|numbers| numbers.to_string())),
            (JobOption::CountRepeats, count_repeats.map(|counts| counts.to_string())),
            (JobOption::IgnoreBoilerplate, ignore_boilerplate.then(|| "true".to_owned())),
        ];
        let settings = settings.into_iter().filter_map(|(option, value)| Some(format!("{}={}", option.name(), value?)));
        settings.collect::<Vec<_>>().join(" ")
    }
}

impl SchemeRequest {
    /// Fills in the settings of the purpose where nothing else is requested.
    pub(super) fn with_purpose(&self) -> Self {
        let mut request = self.clone();
        let Some(settings) = self.purpose.map(Purpose::settings) else { return request };
        // Other shingles have tokens of their own, and other tokens other differences to ignore.
        let has_words = self.shingle.as_deref().is_none_or(|shingle| shingle.starts_with("word:"));
        request.tokens = request.tokens.or_else(|| settings.tokens.filter(|_| has_words).map(str::to_owned));
        let is_code = request.tokens.as_deref().is_some_and(|tokens| tokens != "words");
        let shingle = settings.shingle.filter(|shingle| !is_code || shingle.starts_with("word:"));
        let has_own_tokens = self.shingle.as_deref().is_some_and(|shingle| shingle.starts_with("token:"));
        let fold = settings.fold.filter(|_| !is_code && !has_own_tokens);
        request.shingle = request.shingle.or_else(|| shingle.map(str::to_owned));
        request.fold = request.fold.or_else(|| fold.map(str::to_owned));
        request.threshold = request.threshold.or(settings.threshold);
        request.count_repeats = request.count_repeats.or(settings.count_repeats);
        request
    }
}

impl IgnoreBoilerplate {
    /// Returns the text to ignore: as requested, or else the default of the purpose.
    pub(super) fn of_purpose(given: Option<Self>, purpose: Option<Purpose>) -> Option<Self> {
        given.or_else(|| purpose?.ignores_boilerplate().then_some(Self::Switch(true)))
    }
}

impl MatchRequest {
    /// Fills in the settings of the purpose where nothing else is requested.
    pub(super) fn with_purpose(&self, purpose: Option<Purpose>) -> Self {
        let mut request = self.clone();
        request.different_numbers =
            self.different_numbers.or(purpose.and_then(|purpose| purpose.settings().different_numbers));
        request
    }
}

impl ReadRequest {
    /// Fills in the settings of the purpose where nothing else is requested.
    pub(super) fn with_purpose(mut self, purpose: Option<Purpose>) -> Self {
        if self.html_field.is_none() && self.fields_in_input.is_none() {
            self.text = self.text.or_else(|| Some(purpose?.settings().text?.to_owned()));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_wins_over_the_purpose() {
        let mut request = SchemeRequest { purpose: Some(Purpose::Short), ..SchemeRequest::default() };
        assert_eq!(request.check().unwrap().to_string(), "char:4 fold=links jaccard 0.75 minhash bands=24 rows=6");
        request.threshold = Some(0.9);
        request.shingle = Some("char:6".to_owned());
        assert!(request.check().unwrap().to_string().starts_with("char:6 fold=links jaccard 0.9"));
        request.shingle = Some("token:2".to_owned());
        assert!(request.check().unwrap().to_string().starts_with("token:2 jaccard 0.9"));
        let code = SchemeRequest { purpose: Some(Purpose::Code), ..SchemeRequest::default() };
        assert!(code.check().unwrap().to_string().starts_with("code:5 jaccard 0.8"));
        let chars = SchemeRequest { shingle: Some("char:5".to_owned()), ..code };
        assert!(chars.check().unwrap().to_string().starts_with("char:5 jaccard 0.8"));
    }

    #[test]
    fn an_index_has_no_purpose_that_ignores_boilerplate() {
        for (purpose, is_possible) in [(Purpose::Web, false), (Purpose::News, false), (Purpose::Short, true)] {
            let mut request = crate::CreateRequest::default();
            request.scheme.purpose = Some(purpose);
            assert_eq!(request.check().is_ok(), is_possible, "{purpose}");
        }
    }

    #[test]
    fn every_purpose_is_possible_and_says_its_settings() {
        use strum::VariantNames;
        for name in Purpose::VARIANTS {
            let purpose: Purpose = name.parse().unwrap();
            assert!(purpose.written().contains('='));
            SchemeRequest { purpose: Some(purpose), ..SchemeRequest::default() }.check().unwrap();
        }
        assert_eq!(Purpose::Short.written(), "shingle=char:4 threshold=0.75 fold=links");
    }
}
