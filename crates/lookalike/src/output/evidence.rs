//! Decisions on texts to the fate of every document, and the evidence for it.

use std::collections::HashMap;
use std::io;

use lookalike_core::decision::{Match, Scope};
use lookalike_core::measure::criterion::Criterion;
use lookalike_core::measure::feature_set::Overlap;
use lookalike_core::measure::likeness::Likeness;
use lookalike_core::number::{Document, Number, Rank};
use lookalike_io::write::Annotation;

use crate::candidates::copies::Texts;
use crate::corpus::{Corpus, Described};
use crate::error::{Error, Result};
use crate::options::{Scheme, SourceBy};
use crate::output::clusters::{ClusterSizes, Counts};
use crate::output::measures::RemovalMeasures;
use crate::output::rows::{DocumentRow, Removal, RowFate};
use crate::output::sink::Sink;

/// What was decided about texts: by the documents that stand for them.
pub(crate) struct Decisions {
    /// For each document the one that is kept in its place; [`NOBODY`] where it is kept itself.
    by: Vec<Document>,
    /// How many features both share, or in how many bits they differ. The rest is known by their sizes.
    shared: Vec<u32>,
    /// How many bits there are, where they were compared.
    bits: Option<u32>,
    /// What documents share whose sizes are not those that were noted with their sketches: somebody chose their words so.
    odd: HashMap<Document, Overlap>,
}

/// No document.
const NOBODY: Document = Document(u32::MAX);

impl Decisions {
    /// Everyone is kept.
    pub(crate) fn new(document_count: usize) -> Self {
        Self { by: vec![NOBODY; document_count], shared: vec![0; document_count], bits: None, odd: HashMap::new() }
    }

    /// Notes removals.
    pub(crate) fn add(&mut self, texts: &Texts, sizes: &[u32], removals: &[Match<Rank>]) {
        for Match { left, right, likeness } in removals {
            let [document, by] = [left, right].map(|rank| texts.items[rank.index()]);
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

    /// Whether a document is removed.
    pub(crate) fn has(&self, document: Document) -> bool {
        self.by[document.index()] != NOBODY
    }

    /// Notes a removal for a document of a saved index.
    pub(crate) fn add_known(&mut self, document: Document, by: Document, likeness: Likeness) {
        self.by[document.index()] = by;
        match likeness {
            Likeness::Features(overlap) => drop(self.odd.insert(document, overlap)),
            Likeness::Bits { differing, of } => {
                self.bits = Some(of);
                self.shared[document.index()] = differing;
            }
        }
    }

    /// Who is kept in a document's place, if it is removed, and how alike both are.
    fn removal(&self, document: Document, sizes: &[u32]) -> Option<(Document, Likeness)> {
        let (by, shared) = (self.by[document.index()], self.shared[document.index()]);
        let features = || {
            let by_sizes = || {
                let [left, right] = [document, by].map(|document| sizes[document.index()]);
                Overlap { shared, left, right }
            };
            Likeness::Features(self.odd.get(&document).copied().unwrap_or_else(by_sizes))
        };
        let bits = |of| Likeness::Bits { differing: shared, of };
        (by != NOBODY).then(|| (by, self.bits.map_or_else(features, bits)))
    }
}

/// What becomes of each document of the input.
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
}

/// What becomes of one document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fate {
    Kept,
    Removed {
        /// The document that is kept, or one of the reference.
        by: Document,
        /// The removed document is on the left, the kept one on the right.
        likeness: Likeness,
        same: Same,
    },
}

/// What a removed document has in common with the one that is kept, at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Same {
    /// Everything: it is an exact copy.
    Content,
    /// The words, and not punctuation, symbols, case or white space.
    Words,
    /// Enough to be near-duplicates.
    Features,
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
        let mut fates = Self { corpus, texts, decisions, scope, similarity, clusters, sizes };
        fates.clusters = fates.clusters();
        fates.sizes = ClusterSizes::of(&fates);
        fates
    }

    /// What makes near-duplicates.
    pub(crate) fn criterion(&self) -> Criterion {
        self.similarity.criterion
    }

    /// What becomes of a document.
    pub(crate) fn of(&self, document: Document) -> Fate {
        let corpus = self.corpus;
        let first = self.texts.first_copy[document.index()];
        if let Some((by, is_exact)) = corpus.known_copy(document) {
            let likeness = self.similarity.method.likeness_of_copies(corpus.sizes[document.index()]);
            return Fate::Removed { by, likeness, same: if is_exact { Same::Content } else { Same::Words } };
        }
        match self.decisions.removal(first, &corpus.sizes) {
            // What has the words of what is removed is as much like the kept one as that is.
            Some((by, likeness)) => Fate::Removed { by, likeness, same: Same::Features },
            None if first == document => Fate::Kept,
            // Those inside of the input are left alone.
            None if self.scope == Scope::References && !corpus.is_reference(first.0) => Fate::Kept,
            None => {
                let likeness = self.similarity.method.likeness_of_copies(corpus.sizes[document.index()]);
                let exact = self.texts.first_exact[document.index()];
                // Of several references, the one that it is an exact copy of is the better evidence.
                let by = if corpus.is_reference(exact.0) { exact } else { first };
                Fate::Removed { by, likeness, same: if exact == by { Same::Content } else { Same::Words } }
            }
        }
    }

    /// What becomes of every document of the input.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Document, Fate)> {
        (0..self.corpus.input_count() as u32).map(Document).map(|document| (document, self.of(document)))
    }

    /// The documents that are removed, with why.
    pub(crate) fn removed(&self) -> impl Iterator<Item = (Document, Document, Likeness, Same)> {
        self.iter().filter_map(|(document, fate)| match fate {
            Fate::Removed { by, likeness, same } => Some((document, by, likeness, same)),
            Fate::Kept => None,
        })
    }

    /// How many removed documents are exact copies of another one that is better in keep order.
    pub(crate) fn repeated_texts(&self) -> u64 {
        let is_known = |document: Document| self.corpus.known_copy(document).is_some_and(|(_, is_exact)| is_exact);
        let is_repeated =
            |document: Document| self.texts.first_exact[document.index()] != document || is_known(document);
        self.removed().filter(|(document, ..)| is_repeated(*document)).count() as u64
    }

    /// What is noted of a document in annotated output.
    pub(crate) fn annotation(&self, document: Document) -> Result<Annotation> {
        let Counts { cluster_size, copies } = self.cluster(document);
        let kept = Annotation {
            cluster: Some(u64::from(self.clusters[document.index()])),
            cluster_size: Some(u64::from(cluster_size)),
            copies: Some(u64::from(copies)),
            ..Annotation::WITHOUT_TEXT
        };
        Ok(match self.of(document) {
            Fate::Kept => kept,
            Fate::Removed { by, likeness, .. } => {
                let kept_id = Some(self.corpus.describe(by.0)?.id().into_owned());
                let similarity = Some(likeness.similarity(self.criterion()));
                Annotation { kept: false, kept_id, similarity, ..kept }
            }
        })
    }

    /// How large the cluster of a document is, and how often its kept document occurs.
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
        let of_run = |run: &mut dyn Iterator<Item = (u32, Described<'_>)>| {
            let row = |(document, removed): (u32, Described<'_>)| match self.of(Document(document)) {
                Fate::Removed { by, likeness, same } => {
                    Some(self.removal(Document(document), &removed, by, (likeness, same), source))
                }
                Fate::Kept => None,
            };
            run.filter_map(row).collect::<Result<Vec<_>>>()
        };
        // Whatever the removals are, copies have the same columns.
        let measures = RemovalMeasures::new(self.similarity.method.likeness_of_copies(1));
        sink.start(&Removal::columns(measures, corpus.has_checksums())).map_err(&unwritable)?;
        corpus.each_described(of_run, |rows| sink.take(rows).map_err(&unwritable))?;
        sink.finish().map_err(&unwritable)
    }

    fn removal(
        &self,
        document: Document,
        removed: &Described<'_>,
        by: Document,
        (likeness, same): (Likeness, Same),
        source: SourceBy,
    ) -> Result<Removal> {
        let kept = self.corpus.describe(by.0)?;
        let Counts { cluster_size, copies } = self.cluster(document);
        Ok(Removal {
            removed_id: removed.id().into_owned(),
            kept_id: kept.id().into_owned(),
            kept_in: self.corpus.is_reference(by.0).then_some("reference"),
            similarity: likeness.similarity(self.criterion()),
            measures: RemovalMeasures::new(likeness),
            exact_copy: same == Same::Content,
            same_words: same == Same::Words,
            checksum: self.corpus.checksum(document.0)?,
            cluster: self.clusters[document.index()],
            cluster_size,
            copies,
            removed_file: removed.file().to_owned(),
            removed_position: removed.position(),
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
        let of_run = |run: &mut dyn Iterator<Item = (u32, Described<'_>)>| {
            let row = |(document, described): (u32, Described<'_>)| {
                let Annotation { kept, kept_id, similarity, .. } = self.annotation(Document(document))?;
                let (id, file, position) =
                    (described.id().into_owned(), described.file().to_owned(), described.position());
                let cluster = self.clusters[document as usize];
                let Counts { cluster_size, copies } = self.cluster(Document(document));
                Ok(DocumentRow { id, file, position, cluster, kept, kept_id, similarity, cluster_size, copies })
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
        let of_run = |run: &mut dyn Iterator<Item = (u32, Described<'_>)>| {
            let fate = |(document, described): (u32, Described<'_>)| {
                let document = Document(document);
                let kept = match self.of(document) {
                    Fate::Removed { by, likeness, .. } => {
                        let (file, position) = self.corpus.describe(by.0)?.number();
                        Some((file, position, likeness.similarity(self.criterion())))
                    }
                    Fate::Kept => None,
                };
                let (file, position) = described.number();
                let Counts { cluster_size, copies } = self.cluster(document);
                Ok(RowFate {
                    file,
                    position,
                    kept_file: kept.map(|kept| kept.0),
                    kept_position: kept.map(|kept| kept.1),
                    similarity: kept.map(|kept| kept.2),
                    cluster: self.clusters[document.index()],
                    cluster_size,
                    copies,
                })
            };
            run.map(fate).collect::<Result<Vec<_>>>()
        };
        sink.start(&[]).map_err(&unwritable)?;
        self.corpus.each_described(of_run, |rows| sink.take(rows).map_err(&unwritable))?;
        sink.finish().map_err(&unwritable)
    }

    fn clusters(&self) -> Vec<u32> {
        let input_count = self.corpus.input_count() as u32;
        let mut count = 0;
        let number = |(_, fate): (Document, Fate)| {
            count += u32::from(fate == Fate::Kept);
            count
        };
        let mut clusters: Vec<u32> = self.iter().map(number).collect();
        for (document, by, ..) in self.removed() {
            // The kept one's number is never overwritten, since it is not removed. References come after all these.
            let of_reference = || count + 1 + (by.0 - input_count);
            clusters[document.index()] = clusters.get(by.index()).copied().unwrap_or_else(of_reference);
        }
        clusters
    }
}
