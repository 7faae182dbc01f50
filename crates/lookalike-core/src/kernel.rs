//! Computes everything that is stored about a text. Files, strings, tables and an index all use this, so the same text
//! has the same numbers everywhere.

use crate::hash::Key;
use crate::measure::distinct::Distinct;
use crate::method::{Method, Sketcher};
use crate::scheme::Scheme;
use crate::sketch::Sketches;
use crate::text::boilerplate::SourcePlace;
use crate::text::content::ContentHasher;
use crate::text::shingle::Shingler;

/// Computes sketches of texts. Use one per thread, since it reuses its buffers.
pub struct TextSketcher {
    shingler: Shingler,
    sketcher: Box<dyn Sketcher>,
    distinct: Distinct,
    content: ContentHasher,
}

/// The data stored about a text besides its sketch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextSummary {
    /// Equal for texts with the same words in the same order. Uses the key of the sketch.
    pub text_hash: u128,
    /// Equal for exact copies. Uses the key of the run.
    pub content_hash: u128,
    /// Number of tokens.
    pub token_count: u32,
    /// Number of distinct features.
    pub size: u32,
    /// Number of distinct shingles that are no features, as boilerplate of the source.
    pub ignored: u32,
}

impl TextSketcher {
    /// Creates a sketcher for the method of a scheme. `run` is the key of all hashes that decide.
    pub fn new(scheme: &Scheme, method: &dyn Method, run: Key) -> Self {
        Self {
            shingler: scheme.shingler(scheme.key().of(run)),
            sketcher: method.sketcher(),
            distinct: Distinct::default(),
            content: ContentHasher::keyed(run),
        }
    }

    /// Sets the source of the texts that follow; `None` if no part of them is ignored.
    pub fn of_source(&mut self, source: Option<SourcePlace>) -> &mut Self {
        self.shingler.of_source(source);
        self
    }

    /// Sets the group of the texts that follow.
    pub fn set_group(&mut self, group: Option<u64>) {
        self.shingler.set_group(group);
    }

    /// Counts the tokens of `text`.
    pub fn token_count(&mut self, text: &str) -> usize {
        self.shingler.token_count(text)
    }

    /// Adds the sketch of `text` to `sketches`.
    ///
    /// ```
    /// use lookalike_core::hash::Key;
    /// use lookalike_core::kernel::TextSketcher;
    /// use lookalike_core::scheme::Scheme;
    /// use lookalike_core::sketch::Sketches;
    ///
    /// let scheme = Scheme::jaccard(0.8)?;
    /// let method = scheme.build_method();
    /// let mut sketches = Sketches::new(method.layout());
    /// let mut sketcher = TextSketcher::new(&scheme, &*method, Key::FIXED);
    /// let kept = sketcher.sketch("a rose is a rose is a rose", &mut sketches);
    /// assert_eq!((kept.token_count, kept.size), (8, 3));
    /// # Ok::<(), lookalike_core::Error>(())
    /// ```
    pub fn sketch(&mut self, text: &str, sketches: &mut Sketches) -> TextSummary {
        self.sketch_with(text, sketches, |_| ())
    }

    /// Adds the sketch, and appends the upper halves of the features of `text` to `kept`, for
    /// [`may_match`](crate::join::may_match).
    pub fn sketch_and_keep(&mut self, text: &str, sketches: &mut Sketches, kept: &mut Vec<u32>) -> TextSummary {
        self.sketch_with(text, sketches, |features| kept.extend(features.iter().map(|feature| (feature >> 32) as u32)))
    }

    fn sketch_with(&mut self, text: &str, sketches: &mut Sketches, with_features: impl FnOnce(&[u64])) -> TextSummary {
        let content_hash = self.content.hash(text);
        let features = self.shingler.features(text);
        self.distinct.fill(features.all);
        self.sketcher.sketch(features.all, &self.distinct, sketches);
        with_features(features.all);
        TextSummary {
            text_hash: features.text_hash(),
            content_hash,
            token_count: u32::try_from(features.token_count()).unwrap_or(u32::MAX),
            size: self.distinct.size(),
            ignored: features.ignored,
        }
    }
}
