//! All documents of the input, sketched: what is kept of each while the job runs, a column a property.
//!
//! Texts and features are not kept. Those of documents that may be alike are read again: see [`crate::reread`].

use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use lookalike_core::feature_set::FeatureSet;
use lookalike_core::keep::FieldValue;
use lookalike_core::method::{Method, Sketcher};
use lookalike_core::shingle::Shingler;
use lookalike_core::sketch::{Layout, Sketches, concat};
use lookalike_io::discover::discover;
use lookalike_io::format::FileKind;
use lookalike_io::place::{Place, Shelf};
use lookalike_io::read::{Chunk, Document, Entry, Parser, Placed, Skipped};
use rayon::prelude::*;

use crate::checksum::{Checksum, Sum};
use crate::error::{Error, Result};
use crate::options::{ReadOptions, SimilarityOptions, SourceBy};
use crate::progress::Progress;
use crate::queue::Queue;
use crate::strings::Strings;

/// The documents of the input, in its order.
pub(crate) struct Corpus {
    pub(crate) shelf: Shelf,
    pub(crate) kinds: Vec<Arc<FileKind>>,
    /// How many files are of the input; those after them are of the reference, and so are their documents.
    pub(crate) input_files: usize,
    /// Entries that are no documents and are carried along, in order.
    pub(crate) carried: Vec<Carried>,
    pub(crate) skipped: Vec<Skipped>,
    /// Of each file, unpacked.
    pub(crate) file_bytes: Vec<u64>,

    pub(crate) places: Vec<Place>,
    pub(crate) positions: Vec<u64>,
    pub(crate) text_hashes: Vec<u128>,
    pub(crate) token_counts: Vec<u32>,
    /// Distinct features.
    pub(crate) sizes: Vec<u32>,
    pub(crate) sketches: Sketches,
    /// Only where a checksum of the bytes was asked for.
    checksums: Vec<Sum>,
    /// Only where keep order compares a field.
    pub(crate) values: Vec<FieldValue>,
    ids: Strings,
    uris: Strings,
    /// Only where a field says the source.
    sources: Strings,
}

/// An entry that is no document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carried {
    pub(crate) place: Place,
    pub(crate) position: u64,
    pub(crate) kind: &'static str,
}

impl Corpus {
    /// Finds the files to read.
    pub(crate) fn shelf(options: &ReadOptions, output: Option<&Path>) -> Result<Shelf> {
        Ok(Shelf::new(discover(&options.inputs, output)?))
    }

    /// Reads and sketches everything, on all threads.
    pub(crate) fn read(
        shelf: Shelf,
        options: &ReadOptions,
        similarity: &SimilarityOptions,
        method: &dyn Method,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let queue = Queue::new(shelf.files(), &options.settings);
        let kinds: Vec<OnceLock<Arc<FileKind>>> = shelf.files().iter().map(|_| OnceLock::new()).collect();
        let parts: Mutex<Vec<Part>> = Mutex::default();
        rayon::broadcast(|_| {
            let mut reader = Reader::new(options, similarity, method);
            let mut chunk = Chunk::default();
            let note_kind = |file: u32, stream: &lookalike_io::read::Stream| {
                kinds[file as usize].get_or_init(|| Arc::clone(stream.kind()));
            };
            while queue.next(&mut chunk, note_kind) {
                if let Err(error) = chunk.settle(&shelf) {
                    queue.fail(error.into());
                    break;
                }
                let part = reader.part(&chunk);
                progress.advance(chunk.packed_bytes(), part.places.len() as u64);
                parts.lock().expect("no thread panicked").push(part);
            }
        });
        queue.finish()?;
        let kinds = kinds.into_iter().map(|kind| kind.into_inner().expect("every file was opened")).collect();
        let parts = parts.into_inner().expect("no thread panicked");
        Self::assemble(shelf, kinds, parts, method.layout())
    }

    fn assemble(shelf: Shelf, kinds: Vec<Arc<FileKind>>, mut parts: Vec<Part>, layout: Layout) -> Result<Self> {
        parts.sort_unstable_by_key(|part| (part.file, part.number));
        let mut before = 0;
        for part in &mut parts {
            if part.number == 0 {
                before = 0;
            }
            // From places in the chunk, counted from 0, to places in the file, counted from 1.
            part.positions.iter_mut().for_each(|position| *position += before + 1);
            part.carried.iter_mut().for_each(|carried| carried.position += before + 1);
            part.skipped.iter_mut().for_each(|skipped| skipped.position += before + 1);
            before += part.position_count;
        }
        let count: usize = parts.iter().map(|part| part.places.len()).sum();
        if u32::try_from(count).is_err() {
            return Err(Error::TooManyDocuments);
        }
        let mut skipped: Vec<Skipped> = parts.iter_mut().flat_map(|part| std::mem::take(&mut part.skipped)).collect();
        // What is shown is cut off, and damage explains the most.
        skipped.sort_by_key(|skipped| !skipped.is_damage);
        let mut file_bytes = vec![0; kinds.len()];
        parts.iter().for_each(|part| file_bytes[part.file as usize] += part.byte_count);
        // Column after column, each freed part by part, so that little is there twice.
        macro_rules! column {
            ($name:ident, $concat:expr) => {
                $concat(parts.iter_mut().map(|part| std::mem::take(&mut part.$name)).collect())
            };
        }
        Ok(Self {
            input_files: kinds.len(),
            shelf,
            kinds,
            carried: column!(carried, concat),
            file_bytes,
            skipped,
            places: column!(places, concat),
            positions: column!(positions, concat),
            text_hashes: column!(text_hashes, concat),
            token_counts: column!(token_counts, concat),
            sizes: column!(sizes, concat),
            checksums: column!(checksums, concat),
            values: parts.iter_mut().flat_map(|part| std::mem::take(&mut part.values)).collect(),
            ids: column!(ids, Strings::concat),
            uris: column!(uris, Strings::concat),
            sources: column!(sources, Strings::concat),
            sketches: Sketches::concat(layout, parts.into_iter().map(|part| part.sketches).collect()),
        })
    }

    /// The same corpus, of which only so many files are the input.
    pub(crate) fn with_input_files(self, input_files: usize) -> Self {
        Self { input_files, ..self }
    }

    /// How many documents there are, those of the reference among them.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// How many documents the input has: the first ones.
    pub(crate) fn input_count(&self) -> usize {
        self.places.partition_point(|place| (place.file as usize) < self.input_files)
    }

    /// Whether a document is of the reference, and not of the input.
    pub(crate) fn is_reference(&self, document: u32) -> bool {
        self.places[document as usize].file as usize >= self.input_files
    }

    /// The id of a document: the user's own, or else where it lies.
    pub(crate) fn id(&self, document: u32) -> Cow<'_, str> {
        if let Some(id) = self.ids.at(document as usize) {
            return Cow::Borrowed(id);
        }
        let format = self.kind(document).format;
        Cow::Owned(format.id(self.file_name(document), self.positions[document as usize]))
    }

    /// The checksum of a document, if one was asked for.
    pub(crate) fn checksum(&self, document: u32) -> Option<String> {
        self.checksums.get(document as usize).map(ToString::to_string)
    }

    /// Whether documents have checksums.
    pub(crate) fn has_checksums(&self) -> bool {
        !self.checksums.is_empty()
    }

    /// How many pairs of checksums are equal though the texts are not: documents that follow one of another text with
    /// the same checksum.
    pub(crate) fn checksum_collisions(&self) -> u64 {
        let mut sums: Vec<(Sum, u128)> = self.checksums.iter().copied().zip(self.text_hashes.iter().copied()).collect();
        sums.par_sort_unstable();
        sums.dedup();
        sums.windows(2).filter(|pair| pair[0].0 == pair[1].0).count() as u64
    }

    /// How many documents of the input have no id of their own.
    pub(crate) fn without_id(&self) -> u64 {
        (0..self.input_count()).filter(|document| self.ids.at(*document).is_none()).count() as u64
    }

    /// How many documents of the input have no source of their own.
    pub(crate) fn without_source(&self) -> u64 {
        (0..self.input_count()).filter(|document| self.sources.at(*document).is_none()).count() as u64
    }

    /// How many documents of the input have the id of another one before them.
    pub(crate) fn repeated_ids(&self) -> u64 {
        let mut ids: Vec<&str> = (0..self.input_count()).filter_map(|document| self.ids.at(document)).collect();
        ids.par_sort_unstable();
        ids.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64
    }

    /// The address of a document, if it is a page.
    pub(crate) fn uri(&self, document: u32) -> Option<&str> {
        self.uris.at(document as usize)
    }

    /// Where a document comes from.
    pub(crate) fn source(&self, document: u32, by: SourceBy) -> &str {
        let host = || self.uri(document).and_then(host);
        match by {
            SourceBy::HostOrFile => host().unwrap_or_else(|| self.file_name(document)),
            SourceBy::Host => host().unwrap_or("(no host)"),
            SourceBy::File => self.file_name(document),
            SourceBy::Field => self.sources.at(document as usize).unwrap_or("(no source)"),
        }
    }

    /// What a document's file is.
    pub(crate) fn kind(&self, document: u32) -> &FileKind {
        &self.kinds[self.places[document as usize].file as usize]
    }

    fn file_name(&self, document: u32) -> &str {
        &self.shelf.files()[self.places[document as usize].file as usize].name
    }
}

/// The host of an address.
fn host(uri: &str) -> Option<&str> {
    let (_, rest) = uri.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    let host = host.split_once(':').map_or(host, |(host, _)| host);
    (!host.is_empty()).then_some(host)
}

/// The documents of one chunk: columns as in [`Corpus`], with positions counted in the chunk.
struct Part {
    file: u32,
    number: u32,
    position_count: u64,
    byte_count: u64,
    carried: Vec<Carried>,
    skipped: Vec<Skipped>,
    places: Vec<Place>,
    positions: Vec<u64>,
    text_hashes: Vec<u128>,
    token_counts: Vec<u32>,
    sizes: Vec<u32>,
    checksums: Vec<Sum>,
    sketches: Sketches,
    values: Vec<FieldValue>,
    ids: Strings,
    uris: Strings,
    sources: Strings,
}

/// Parses and sketches chunks; one a thread.
struct Reader {
    parser: Parser,
    work: Work,
    layout: Layout,
    wants_values: bool,
    wants_sources: bool,
}

/// What makes a text's sketch, and all else that is kept of it.
struct Work {
    shingler: Shingler,
    sketcher: Box<dyn Sketcher>,
    set: FeatureSet,
    checksum: Checksum,
}

impl Reader {
    fn new(options: &ReadOptions, similarity: &SimilarityOptions, method: &dyn Method) -> Self {
        Self {
            parser: Parser::new(&options.settings),
            work: Work {
                shingler: Shingler::new(&similarity.shingle, similarity.fold),
                sketcher: method.sketcher(),
                set: FeatureSet::default(),
                checksum: similarity.method.checksum(),
            },
            layout: method.layout(),
            wants_values: options.settings.fields.value.is_some(),
            wants_sources: options.settings.fields.source.is_some(),
        }
    }

    fn part(&mut self, chunk: &Chunk) -> Part {
        let mut part = Part {
            file: chunk.file(),
            number: chunk.number(),
            position_count: 0,
            byte_count: chunk.byte_count(),
            carried: Vec::new(),
            skipped: Vec::new(),
            places: Vec::new(),
            positions: Vec::new(),
            text_hashes: Vec::new(),
            token_counts: Vec::new(),
            sizes: Vec::new(),
            checksums: Vec::new(),
            sketches: Sketches::new(self.layout),
            values: Vec::new(),
            ids: Strings::default(),
            uris: Strings::default(),
            sources: Strings::default(),
        };
        let Self { parser, work, wants_values, wants_sources, .. } = self;
        part.position_count = parser.entries(chunk, |Placed { position, place, entry }| match entry {
            Entry::Document(document) => {
                part.places.push(place);
                part.positions.push(position);
                part.describe(&document, *wants_values);
                if *wants_sources {
                    part.sources.push(document.source.as_deref().unwrap_or_default());
                }
                part.sketch(document.text, work);
            }
            Entry::Carried(kind) => part.carried.push(Carried { place, position, kind }),
            Entry::Skipped(reason) => {
                part.skipped.push(Skipped { file: chunk.file(), position, reason, is_damage: false });
            }
        });
        if let Some((reason, lost)) = chunk.damage() {
            let (file, position) = (chunk.file(), part.position_count);
            part.position_count += lost;
            part.skipped.push(Skipped { file, position, reason: reason.to_owned(), is_damage: true });
        }
        part.shrink_to_fit();
        part
    }
}

impl Part {
    fn describe(&mut self, document: &Document<'_>, wants_values: bool) {
        self.ids.push(document.id.as_deref().unwrap_or_default());
        self.uris.push(document.uri.as_deref().unwrap_or_default());
        if wants_values {
            self.values.push(document.value.clone());
        }
    }

    fn sketch(&mut self, text: &str, work: &mut Work) {
        let features = work.shingler.features(text);
        let (text_hash, sum) = work.checksum.of(text, features);
        self.text_hashes.push(text_hash);
        self.checksums.extend(sum);
        self.token_counts.push(u32::try_from(features.token_count()).unwrap_or(u32::MAX));
        work.set.fill(features.all);
        self.sizes.push(work.set.size());
        work.sketcher.sketch(features.all, &work.set, &mut self.sketches);
    }

    /// Thousands of parts that grew by doubling would hold twice what they need.
    fn shrink_to_fit(&mut self) {
        self.places.shrink_to_fit();
        self.positions.shrink_to_fit();
        self.text_hashes.shrink_to_fit();
        self.token_counts.shrink_to_fit();
        self.sizes.shrink_to_fit();
        self.checksums.shrink_to_fit();
        self.sketches.shrink_to_fit();
        self.values.shrink_to_fit();
        self.ids.shrink_to_fit();
        self.uris.shrink_to_fit();
        self.sources.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_what_stands_between_the_slashes() {
        for (uri, expected) in [
            ("https://news.example.com/a?b", Some("news.example.com")),
            ("http://user:pass@example.org:8080/", Some("example.org")),
            ("http://example.net?x://y", Some("example.net")),
            ("mailto:someone", None),
            ("file:///x", None),
        ] {
            assert_eq!(host(uri), expected, "{uri}");
        }
    }
}
