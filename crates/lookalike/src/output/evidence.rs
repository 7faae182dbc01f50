//! Decisions on texts to the fate of every document, and the evidence for it.

use std::collections::{HashMap, HashSet};
use std::io;

use lookalike_core::decision::{Removed, Scope};
use lookalike_core::ids::{Document, Number, Rank};
use lookalike_core::measure::criterion::Criterion;
use lookalike_core::measure::feature_set::Overlap;
use lookalike_core::measure::likeness::Likeness;
use lookalike_io::write::Annotation;

use crate::candidates::copies::Texts;
use crate::corpus::known::{Keeper, Stored};
use crate::corpus::rules::Rules;
use crate::corpus::{Corpus, Described};
use crate::error::{Error, Result};
use crate::options::{Scheme, SourceBy};
use crate::output::clusters::{ClusterSizes, Counts};
use crate::output::measures::Measures;
use crate::output::rows::{DocumentRow, Removal, RowFate};
use crate::output::sink::Sink;

/// Decisions about texts, by the documents that represent them.
pub(crate) struct Decisions {
    /// For each document the one that is kept in its place, where that was read; otherwise [`NOBODY`].
    by: Vec<Document>,
    /// Documents that are removed for one of a saved index.
    by_stored: HashMap<Document, (Stored, Likeness)>,
    /// Number of features that both documents share, or number of bits in which they differ. Everything else follows
    /// from their sizes.
    shared: Vec<u32>,
    /// Number of bits per sketch, where bits were compared.
    bits: Option<u32>,
    /// Overlaps of documents whose sizes differ from those stored with their sketches: their words were chosen
    /// deliberately.
    odd: HashMap<Document, Overlap>,
}

/// No document.
const NOBODY: Document = Document(u32::MAX);

impl Decisions {
    /// Everyone is kept.
    pub(crate) fn new(document_count: usize) -> Self {
        let (by, shared) = (vec![NOBODY; document_count], vec![0; document_count]);
        Self { by, by_stored: HashMap::new(), shared, bits: None, odd: HashMap::new() }
    }

    /// Notes removals.
    pub(crate) fn add(&mut self, texts: &Texts, sizes: &[u32], removals: &[Removed<Rank>]) {
        for Removed { removed, kept, likeness } in removals {
            let [document, by] = [removed, kept].map(|rank| texts.items[rank.index()]);
            self.by[document.index()] = by;
            self.shared[document.index()] = match *likeness {
                Likeness::Features(overlap) => {
                    if [overlap.left, overlap.right] != [document, by].map(|document| sizes[document.index()]) {
                        self.odd.insert(document, overlap);
                    }
                    overlap.shared
                }
                Likeness::Bits { differing, of } => {
                    self.bits = Some(of);
                    differing
                }
            };
        }
    }

    /// True if a document is removed.
    pub(crate) fn has(&self, document: Document) -> bool {
        self.by[document.index()] != NOBODY || self.by_stored.contains_key(&document)
    }

    /// Notes a removal for a document of a saved index.
    pub(crate) fn add_known(&mut self, document: Document, by: Stored, likeness: Likeness) {
        self.by_stored.insert(document, (by, likeness));
    }

    /// The document that is kept in another's place, if that is removed, and how alike both are.
    fn removal(&self, document: Document, sizes: &[u32]) -> Option<(Keeper, Likeness)> {
        if self.by[document.index()] == NOBODY {
            return self.by_stored.get(&document).map(|(stored, likeness)| (Keeper::Stored(*stored), *likeness));
        }
        let (by, shared) = (self.by[document.index()], self.shared[document.index()]);
        let features = || {
            let by_sizes = || {
                let [left, right] = [document, by].map(|document| sizes[document.index()]);
                Overlap { shared, left, right }
            };
            Likeness::Features(self.odd.get(&document).copied().unwrap_or_else(by_sizes))
        };
        let bits = |of| Likeness::Bits { differing: shared, of };
        Some((Keeper::Read(by), self.bits.map_or_else(features, bits)))
    }
}

/// Fate of each input document.
pub(crate) struct Fates<'a> {
    corpus: &'a Corpus,
    texts: &'a Texts,
    decisions: Decisions,
    scope: Scope,
    similarity: &'a Scheme,
    /// The number of each document's cluster: clusters are numbered from 1 in the order of their kept documents, and
    /// then go those of reference documents.
    pub(crate) clusters: Vec<u32>,
    sizes: ClusterSizes,
    /// The number of sources of each cluster that has several documents, once they are counted.
    sources: HashMap<u32, u32>,
    /// The texts that differ only in numbers from the one that is kept.
    different_numbers: HashSet<Document>,
}

/// Fate of a document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fate {
    Kept,
    Removed {
        /// The document that is kept, or one of the reference.
        kept: Keeper,
        /// The removed document is on the left, the kept one on the right.
        likeness: Likeness,
        same: Same,
    },
}

/// Closest relation between a removed document and the one that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Same {
    /// Everything: it is an exact copy.
    Content,
    /// The words, and not punctuation, symbols, case or white space.
    Words,
    /// Enough to be near-duplicates.
    Features,
}

/// Decisions and annotations of documents: everything that is needed to write them.
pub(crate) trait Verdicts: Sync {
    /// True if a document is kept.
    fn is_kept(&self, document: Document) -> bool;

    /// True if any document is removed.
    fn removes_any(&self) -> bool;

    /// Returns the annotation of a document.
    fn annotation(&self, document: Document) -> Result<Annotation>;
}

impl Verdicts for Fates<'_> {
    fn is_kept(&self, document: Document) -> bool {
        self.of(document) == Fate::Kept
    }

    fn removes_any(&self) -> bool {
        self.removed().next().is_some()
    }

    fn annotation(&self, document: Document) -> Result<Annotation> {
        self.annotation_of(document)
    }
}

impl<'a> Fates<'a> {
    /// Spreads the decisions on texts over all documents.
    pub(crate) fn new(
        corpus: &'a Corpus,
        texts: &'a Texts,
        decisions: Decisions,
        scope: Scope,
        similarity: &'a Scheme,
    ) -> Self {
        let (clusters, sizes) = (Vec::new(), ClusterSizes::default());
        let (sources, different_numbers) = (HashMap::new(), HashSet::new());
        let mut fates =
            Self { corpus, texts, decisions, scope, similarity, clusters, sizes, sources, different_numbers };
        fates.clusters = fates.clusters();
        fates.sizes = ClusterSizes::of(&fates);
        fates
    }

    /// Finds the removed documents that differ only in numbers from the kept one. Those of an index are not read for
    /// it.
    pub(crate) fn note_different_numbers(&mut self, rules: &Rules<'_>) -> Result<()> {
        let is_text = |document: &Document| self.texts.first_copy[document.index()] == *document;
        let pairs = self.removed().filter_map(|(document, kept, _, same)| match (kept, same) {
            (Keeper::Read(kept), Same::Features) => Some((document, kept)),
            _ => None,
        });
        let found = rules.different_numbers(pairs.filter(|(document, _)| is_text(document)))?;
        self.different_numbers = found;
        Ok(())
    }

    /// Notes the removed documents that differ only in numbers from the kept one, where that is already known.
    #[cfg(feature = "parquet")]
    pub(crate) fn set_different_numbers(&mut self, found: HashSet<Document>) {
        self.different_numbers = found;
    }

    /// True if a removed document differs from the kept one only in numbers.
    pub(crate) fn differs_in_numbers(&self, document: Document) -> bool {
        self.different_numbers.contains(&self.texts.first_copy[document.index()])
    }

    /// Counts the sources of each cluster.
    pub(crate) fn count_sources(&mut self, by: SourceBy) -> Result<()> {
        let several = |cluster: u32| self.sizes.of_cluster(cluster).cluster_size > 1;
        let mut found: Vec<(u32, u64)> = Vec::new();
        let of_run = |run: &mut dyn Iterator<Item = (Document, Described<'_>)>| {
            let mut found = Vec::new();
            for (document, described) in run {
                let cluster = self.clusters[document.index()];
                let source =
                    |described: &Described<'_>| self.corpus.key().bytes_hash(described.source(by).as_bytes()) as u64;
                if several(cluster) {
                    found.push((cluster, source(&described)));
                    // A reference document has a source as well, and is not among those of the input.
                    if let Fate::Removed { kept, .. } = self.of(document)
                        && self.corpus.is_kept_elsewhere(kept)
                    {
                        found.push((cluster, source(&self.corpus.describe_kept(kept)?)));
                    }
                }
            }
            Ok(found)
        };
        self.corpus.each_described(of_run, |some| {
            found.extend(some);
            Ok(())
        })?;
        found.sort_unstable();
        found.dedup();
        self.sources = found.chunk_by(|left, right| left.0 == right.0).map(|of| (of[0].0, of.len() as u32)).collect();
        Ok(())
    }

    /// In how many sources the documents of a cluster are.
    fn source_count(&self, cluster: u32) -> u32 {
        self.sources.get(&cluster).copied().unwrap_or(1)
    }

    /// Criterion for near-duplicates.
    pub(crate) fn criterion(&self) -> Criterion {
        self.similarity.criterion()
    }

    /// Returns the fate of a document.
    pub(crate) fn of(&self, document: Document) -> Fate {
        let corpus = self.corpus;
        let first = self.texts.first_copy[document.index()];
        if let Some((stored, is_exact)) = corpus.known_copy(document) {
            let likeness = self.similarity.method().likeness_of_copies(corpus.sizes[document.index()]);
            let kept = Keeper::Stored(stored);
            return Fate::Removed { kept, likeness, same: if is_exact { Same::Content } else { Same::Words } };
        }
        match self.decisions.removal(first, &corpus.sizes) {
            // A document with the same words as a removed one is exactly as similar to the kept one.
            Some((kept, likeness)) => Fate::Removed { kept, likeness, same: Same::Features },
            None if first == document => Fate::Kept,
            // Copies within the input are left alone.
            None if self.scope == Scope::References && !corpus.is_reference(first) => Fate::Kept,
            None => {
                let likeness = self.similarity.method().likeness_of_copies(corpus.sizes[document.index()]);
                let exact = self.texts.first_exact[document.index()];
                // Of several references, the one that it is an exact copy of is the better evidence.
                let by = if corpus.is_reference(exact) { exact } else { first };
                let same = if exact == by { Same::Content } else { Same::Words };
                Fate::Removed { kept: Keeper::Read(by), likeness, same }
            }
        }
    }

    /// Iterates over the fates of all input documents.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Document, Fate)> {
        (0..self.corpus.input_count() as u32).map(Document).map(|document| (document, self.of(document)))
    }

    /// The documents that are kept.
    pub(crate) fn kept(&self) -> Vec<Document> {
        self.iter().filter(|(_, fate)| *fate == Fate::Kept).map(|(document, _)| document).collect()
    }

    /// The documents that are removed, with why.
    pub(crate) fn removed(&self) -> impl Iterator<Item = (Document, Keeper, Likeness, Same)> {
        self.iter().filter_map(|(document, fate)| match fate {
            Fate::Removed { kept, likeness, same } => Some((document, kept, likeness, same)),
            Fate::Kept => None,
        })
    }

    /// Number of removed documents that are exact copies of another one that comes first in keep order.
    pub(crate) fn repeated_texts(&self) -> u64 {
        let is_known = |document: Document| self.corpus.known_copy(document).is_some_and(|(_, is_exact)| is_exact);
        let is_repeated =
            |document: Document| self.texts.first_exact[document.index()] != document || is_known(document);
        self.removed().filter(|(document, ..)| is_repeated(*document)).count() as u64
    }

    /// Returns the annotation of a document.
    fn annotation_of(&self, document: Document) -> Result<Annotation> {
        let Counts { cluster_size, copy_count } = self.cluster(document);
        let kept = Annotation {
            cluster: Some(u64::from(self.clusters[document.index()])),
            cluster_size: Some(u64::from(cluster_size)),
            copy_count: Some(u64::from(copy_count)),
            ..Annotation::WITHOUT_TEXT
        };
        Ok(match self.of(document) {
            Fate::Kept => kept,
            Fate::Removed { kept: by, likeness, .. } => {
                let kept_id = Some(self.corpus.describe_kept(by)?.id().into_owned());
                let similarity = Some(likeness.similarity(self.criterion()));
                Annotation { kept: false, kept_id, similarity, ..kept }
            }
        })
    }

    /// Returns the size of a document's cluster, and the number of occurrences of its kept document.
    pub(crate) fn cluster(&self, document: Document) -> Counts {
        self.sizes.of_cluster(self.clusters[document.index()])
    }

    /// Gives the evidence to a sink: a row for each removed document, in the order of the input.
    pub(crate) fn write_removals(
        &self,
        source: SourceBy,
        sink: &mut dyn Sink<Removal>,
        unwritable: impl Fn(io::Error) -> Error,
    ) -> Result<()> {
        let corpus = self.corpus;
        let of_run = |run: &mut dyn Iterator<Item = (Document, Described<'_>)>| {
            let row = |(document, removed): (Document, Described<'_>)| match self.of(document) {
                Fate::Removed { kept, likeness, same } => {
                    Some(self.removal(document, &removed, kept, (likeness, same), source))
                }
                Fate::Kept => None,
            };
            run.filter_map(row).collect::<Result<Vec<_>>>()
        };
        // Whatever the removals are, copies have the same columns.
        let measures = Measures::of(self.similarity.method().likeness_of_copies(1));
        sink.start(&Removal::columns(measures, corpus.has_checksums(), corpus.ignores())).map_err(&unwritable)?;
        corpus.each_described(of_run, |rows| sink.take(rows).map_err(&unwritable))?;
        sink.finish().map_err(&unwritable)
    }

    fn removal(
        &self,
        document: Document,
        removed: &Described<'_>,
        keeper: Keeper,
        (likeness, same): (Likeness, Same),
        source: SourceBy,
    ) -> Result<Removal> {
        let kept = self.corpus.describe_kept(keeper)?;
        let (measures, Counts { cluster_size, copy_count }) = (Measures::of(likeness), self.cluster(document));
        Ok(Removal {
            removed_id: removed.id().into_owned(),
            kept_id: kept.id().into_owned(),
            similarity: likeness.similarity(self.criterion()),
            jaccard: measures.jaccard,
            containment_of_removed: measures.containment_of_left,
            containment_of_kept: measures.containment_of_right,
            hamming: measures.hamming,
            exact_copy: same == Same::Content,
            same_words: same == Same::Words,
            checksum: self.corpus.checksum(document)?,
            ignored_of_removed: self.corpus.ignored_share(document),
            ignored_of_kept: match keeper {
                Keeper::Read(kept) => self.corpus.ignored_share(kept),
                Keeper::Stored(_) => None,
            },
            cluster: self.clusters[document.index()],
            cluster_size,
            copy_count,
            cluster_sources: self.source_count(self.clusters[document.index()]),
            different_numbers: self.differs_in_numbers(document),
            removed_file: removed.file().to_owned(),
            removed_position: removed.position(),
            kept_in: self.corpus.is_kept_elsewhere(keeper).then_some("reference".into()),
            kept_file: kept.file().to_owned(),
            kept_position: kept.position(),
            removed_source: removed.source(source).to_owned(),
            kept_source: kept.source(source).to_owned(),
            removed_uri: removed.uri().map(str::to_owned),
            kept_uri: kept.uri().map(str::to_owned),
        })
    }

    /// Gives every document of the input to a sink, in order.
    pub(crate) fn write_documents(
        &self,
        sink: &mut dyn Sink<DocumentRow>,
        unwritable: impl Fn(io::Error) -> Error,
    ) -> Result<()> {
        let of_run = |run: &mut dyn Iterator<Item = (Document, Described<'_>)>| {
            let row = |(document, described): (Document, Described<'_>)| {
                let Annotation { kept, kept_id, similarity, .. } = self.annotation_of(document)?;
                let (id, file, position) =
                    (described.id().into_owned(), described.file().to_owned(), described.position());
                let cluster = self.clusters[document.index()];
                let Counts { cluster_size, copy_count } = self.cluster(document);
                let cluster_sources = self.source_count(cluster);
                Ok(DocumentRow {
                    id,
                    file,
                    position,
                    cluster,
                    kept,
                    kept_id,
                    similarity,
                    cluster_size,
                    copy_count,
                    cluster_sources,
                })
            };
            run.map(row).collect::<Result<Vec<_>>>()
        };
        sink.start(&DocumentRow::COLUMNS).map_err(&unwritable)?;
        self.corpus.each_described(of_run, |rows| sink.take(rows).map_err(&unwritable))?;
        sink.finish().map_err(&unwritable)
    }

    /// Gives what becomes of every document of the input to a sink, in order.
    pub(crate) fn write_fates(
        &self,
        sink: &mut dyn Sink<RowFate>,
        unwritable: impl Fn(io::Error) -> Error,
    ) -> Result<()> {
        let of_run = |run: &mut dyn Iterator<Item = (Document, Described<'_>)>| {
            let fate = |(document, described): (Document, Described<'_>)| {
                let kept = match self.of(document) {
                    Fate::Removed { kept, likeness, .. } => {
                        let (file, position) = self.corpus.describe_kept(kept)?.number();
                        Some((file, position, likeness.similarity(self.criterion())))
                    }
                    Fate::Kept => None,
                };
                let (file, position) = described.number();
                let Counts { cluster_size, copy_count } = self.cluster(document);
                Ok(RowFate {
                    file,
                    position,
                    kept_file: kept.map(|kept| kept.0),
                    kept_position: kept.map(|kept| kept.1),
                    similarity: kept.map(|kept| kept.2),
                    cluster: self.clusters[document.index()],
                    cluster_size,
                    copy_count,
                })
            };
            run.map(fate).collect::<Result<Vec<_>>>()
        };
        sink.start(&[]).map_err(&unwritable)?;
        self.corpus.each_described(of_run, |rows| sink.take(rows).map_err(&unwritable))?;
        sink.finish().map_err(&unwritable)
    }

    fn clusters(&self) -> Vec<u32> {
        let mut count = 0;
        let number = |(_, fate): (Document, Fate)| {
            count += u32::from(fate == Fate::Kept);
            count
        };
        let mut clusters: Vec<u32> = self.iter().map(number).collect();
        let [input_count, read_count] = [self.corpus.input_count(), self.corpus.len()].map(|count| count as u32);
        for (document, kept, ..) in self.removed() {
            clusters[document.index()] = match kept {
                // The kept one's number is never overwritten, since it is not removed.
                Keeper::Read(kept) if kept.0 < input_count => clusters[kept.index()],
                // References come after all these, and then the documents of an index.
                Keeper::Read(reference) => count + 1 + (reference.0 - input_count),
                Keeper::Stored(stored) => count + 1 + (read_count - input_count) + stored.number(),
            };
        }
        clusters
    }
}
