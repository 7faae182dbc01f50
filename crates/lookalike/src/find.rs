//! From sketches to what becomes of candidates: the middle of the road, the same for every job.

use lookalike_core::bucket::Buckets;
use lookalike_core::method::{Candidates, Method, Sketched};
use lookalike_core::verify::{PairCounts, SourceError, Verifier};

use crate::copies::Texts;
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::options::{ReadOptions, SimilarityOptions};
use crate::progress::Progress;
use crate::reread::Reread;
use crate::stages::Stages;

/// What a job gives to be searched.
#[derive(Clone, Copy)]
pub(crate) struct Find<'a> {
    pub(crate) corpus: &'a Corpus,
    pub(crate) texts: &'a Texts,
    pub(crate) read: &'a ReadOptions,
    pub(crate) similarity: &'a SimilarityOptions,
    pub(crate) method: &'a dyn Method,
    pub(crate) progress: &'a dyn Progress,
}

/// What was found.
pub(crate) struct Found<T> {
    /// What became of the candidates.
    pub(crate) result: T,
    /// What may have been alike.
    pub(crate) candidates: Candidates,
    /// How many pairs came how far; none where they are not counted one by one.
    pub(crate) counts: Option<PairCounts>,
}

impl Find<'_> {
    /// Finds candidates, and lets `resolve` make of them what the job needs.
    pub(crate) fn run<T>(
        self,
        stages: &mut Stages<'_>,
        resolve: impl FnOnce(&Candidates, &Verifier<'_>) -> std::result::Result<T, SourceError>,
    ) -> Result<Found<T>> {
        let Self { corpus, texts, read, similarity, method, progress } = self;
        let reread = Reread::new(corpus, read, similarity, progress);
        let again = stages
            .run_maybe("sketch again", || method.sketch_again(&corpus.sizes, &reread))
            .map_err(Error::of_source)?;
        let sketches = again.as_ref().unwrap_or(&corpus.sketches);
        let sketched = Sketched { items: &texts.items, sketches, source: &reread };
        let candidates = stages.run("bucket", None, || method.candidates(sketched)).map_err(Error::of_source)?;
        let verifier = Verifier::new(similarity.criterion, &corpus.sizes, sketches, method, &reread);
        let result = stages.run("verify", None, || resolve(&candidates, &verifier)).map_err(Error::of_source)?;
        let counts = matches!(candidates, Candidates::Buckets(_)).then(|| verifier.counts());
        Ok(Found { result, candidates, counts })
    }
}

impl<T> Found<T> {
    /// The buckets, where there are some.
    pub(crate) fn buckets(&self) -> Option<&Buckets> {
        match &self.candidates {
            Candidates::Buckets(buckets) => Some(buckets),
            Candidates::Sets(_) => None,
        }
    }
}
