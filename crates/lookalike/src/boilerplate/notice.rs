//! Detects removals that are decided by boilerplate that was not ignored: most of the shared text is on most pages of
//! the source.
//!
//! Only sources that lose many documents are examined, through a sample of their pages and removals. The user is told
//! to review these removals; the numbers influence nothing else.

use std::collections::HashMap;

use lookalike_core::ids::Document;
use lookalike_core::measure::feature_set::FeatureSet;
use lookalike_core::sources::FeatureSource;
use lookalike_core::text::boilerplate::common_features;
use rayon::prelude::*;

use crate::corpus::known::Keeper;
use crate::corpus::{Corpus, Described};
use crate::error::{Error, Result};
use crate::options::{DedupOptions, MethodOptions, SourceBy};
use crate::output::evidence::{Fates, Same};
use crate::report::boilerplate::{DecidedSource, DecidingBoilerplate};

/// Sources that lose fewer documents as near-duplicates are not examined.
const LEAST_REMOVALS: usize = 10;

/// Number of sources that are examined: those that lose most.
const MOST_SOURCES: usize = 20;

/// Number of pages of each, and of removals.
const PAGES: usize = 100;
const REMOVALS: usize = 100;

/// Text on more than this share of a source's pages is boilerplate.
const SHARE: f64 = 0.3;

/// Examines the removals of a run that ignores nothing. `features_of` receives the documents to examine, and returns a
/// reader of their features.
pub(crate) fn deciding_boilerplate<F: FeatureSource>(
    corpus: &Corpus,
    fates: &Fates<'_>,
    options: &DedupOptions,
    features_of: impl FnOnce(Vec<Document>) -> Result<F>,
) -> Result<Option<DecidingBoilerplate>> {
    if corpus.ignores() || !has_features(options.scheme.method()) {
        return Ok(None);
    }
    let mut sources = Losing::of_all(corpus, fates, options.source)?;
    sources.retain(|source| source.removals.len() >= LEAST_REMOVALS);
    sources.sort_by(|left, right| (right.removals.len(), &left.source).cmp(&(left.removals.len(), &right.source)));
    sources.truncate(MOST_SOURCES);
    Losing::add_pages(&mut sources, corpus, options.source)?;
    let deciding = features_of(sources.iter().flat_map(Losing::looked_at).collect())?;
    let decided = sources.par_iter().map(|source| source.decided(&deciding)).collect::<Result<Vec<Option<_>>>>()?;
    let sources: Vec<DecidedSource> = decided.into_iter().flatten().collect();
    let removed_count = sources.iter().map(|source| source.removed_count).sum();
    Ok((removed_count > 0).then_some(DecidingBoilerplate { removed_count, share: SHARE, sources }))
}

/// True if features are compared, and not bits or checksums.
fn has_features(method: &MethodOptions) -> bool {
    !matches!(method, MethodOptions::Copies(_) | MethodOptions::SimHash { is_verified: false, .. })
}

/// A source that loses documents.
struct Losing {
    source: String,
    /// Its near-duplicates that are removed, with what is kept in their place.
    removals: Vec<(Document, Document)>,
    /// Its documents.
    pages: Vec<Document>,
}

impl Losing {
    fn of_all(corpus: &Corpus, fates: &Fates<'_>, by: SourceBy) -> Result<Vec<Self>> {
        let mut sources: HashMap<String, Vec<(Document, Document)>> = HashMap::new();
        for (document, kept, _, same) in fates.removed() {
            let (Same::Features, Keeper::Read(kept)) = (same, kept) else { continue };
            if let Some(source) = corpus.describe(document)?.origin().named_source(by) {
                match sources.get_mut(source) {
                    Some(removals) => removals.push((document, kept)),
                    None => drop(sources.insert(source.to_owned(), vec![(document, kept)])),
                }
            }
        }
        let losing = |(source, removals)| Self { source, removals, pages: Vec::new() };
        Ok(sources.into_iter().map(losing).collect())
    }

    /// Finds the pages of these sources.
    fn add_pages(sources: &mut [Self], corpus: &Corpus, by: SourceBy) -> Result<()> {
        if sources.is_empty() {
            return Ok(());
        }
        let places: HashMap<String, usize> = sources.iter().map(|source| source.source.clone()).zip(0..).collect();
        let of_run = |run: &mut dyn Iterator<Item = (Document, Described<'_>)>| {
            let place = |(document, described): (Document, Described<'_>)| {
                Some((*places.get(described.origin().named_source(by)?)?, document))
            };
            Ok(run.filter_map(place).collect::<Vec<(usize, Document)>>())
        };
        corpus.each_described(of_run, |pages| {
            pages.into_iter().for_each(|(place, document)| sources[place].pages.push(document));
            Ok(())
        })
    }

    /// The documents that are read again.
    fn looked_at(&self) -> impl Iterator<Item = Document> {
        let removals = spread(&self.removals, REMOVALS).flat_map(|(removed, kept)| [removed, kept]);
        spread(&self.pages, PAGES).chain(removals)
    }

    /// Counts the removals that boilerplate decides; `None` if it decides none.
    fn decided(&self, deciding: &impl FeatureSource) -> Result<Option<DecidedSource>> {
        let features = |document: Document| deciding.features(document).map_err(Error::of_source);
        let pages = spread(&self.pages, PAGES).map(features).collect::<Result<Vec<Vec<u64>>>>()?;
        let common = FeatureSet::new(&common_features(&pages, SHARE));
        if common.size() == 0 {
            return Ok(None);
        }
        let (mut looked_at, mut by_boilerplate) = (0, 0);
        for (removed, kept) in spread(&self.removals, REMOVALS) {
            let (removed, kept) = (features(removed)?, features(kept)?);
            let kept = FeatureSet::new(&kept);
            let shared: Vec<u64> = removed.into_iter().filter(|feature| kept.contains(*feature)).collect();
            looked_at += 1;
            by_boilerplate += u64::from(2 * common.shared_count(&shared) >= FeatureSet::new(&shared).size());
        }
        let removed_count = by_boilerplate * self.removals.len() as u64 / u64::max(looked_at, 1);
        let source = self.source.clone();
        Ok((removed_count > 0).then_some(DecidedSource { source, removed_count }))
    }
}

/// So many of these, from all over them.
fn spread<T: Copy>(all: &[T], most: usize) -> impl Iterator<Item = T> + '_ {
    let count = all.len().min(most);
    (0..count).map(move |at| all[at * all.len() / count])
}
