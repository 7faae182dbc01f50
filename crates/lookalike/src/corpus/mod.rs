//! All documents of the input, sketched: what is kept of each while the job runs.
//!
//! ```text
//! files → chunks → blocks → corpus
//! ```
//!
//! Texts and features are not kept. Those of documents that may be similar are read again: see
//! [`crate::corpus::reread`]. Data that is accessed in any order is in memory, a few bytes per document; everything
//! else is in [`blocks`], in memory or in the work folder.

mod block;
mod blocks;
pub(crate) mod described;
mod effect;
mod ignoring;
pub(crate) mod keep_field;
mod kept;
pub(crate) mod known;
mod others;
mod queue;
mod read;
pub(crate) mod reread;
pub(crate) mod rules;
#[cfg(feature = "parquet")]
pub(crate) mod staged;
pub(crate) mod stored_id;
#[cfg(test)]
mod tests;
pub(crate) mod walk;

use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use lookalike_core::hash::Key;
use lookalike_core::ids::{Document, Number};
use lookalike_core::resolve::keep::{FieldValue, Keep};
use lookalike_core::sources::SketchSource;
use lookalike_core::text::content::ContentHasher;
use lookalike_io::format::Format;
use lookalike_io::input::shelf::{Place, Shelf};
use lookalike_io::read::FileKind;
use lookalike_io::read::HEADER;
use rayon::prelude::*;

pub(crate) use self::block::Row;
pub(crate) use self::described::{Described, Origin};
pub(crate) use self::effect::without_effect;
pub(crate) use self::ignoring::Ignoring;
pub(crate) use self::others::Others;
pub(crate) use self::read::{Kept, Reading};

use self::block::carried_place;
use self::blocks::{Blocks, Names};
use self::described::Who;
use self::known::{Keeper, Known, Stored};
use crate::error::{Error, Result};
use crate::items::KeptFeatures;
use crate::options::SourceBy;
use crate::resources::memory::Shares;

/// Number of runs of documents that a thread processes before the results are consumed: rows of evidence may be longer
/// than the documents, and are kept in memory until then.
const RUNS_AT_ONCE: usize = 2;

/// The documents of the input, in its order.
pub(crate) struct Corpus {
    pub(crate) shelf: Shelf,
    pub(crate) kinds: Vec<Arc<FileKind>>,
    /// Number of input files; the files after them, and their documents, belong to the reference.
    pub(crate) input_files: usize,
    input_count: usize,
    pub(crate) others: Others,
    /// Of each file, unpacked.
    pub(crate) file_bytes: Vec<u64>,
    pub(crate) token_counts: Vec<u32>,
    /// Tokens of a shingle.
    width: usize,
    /// Distinct features.
    pub(crate) sizes: Vec<u32>,
    /// Distinct shingles that are not features, because they are boilerplate of the source; only where it is ignored.
    ignored: Vec<u32>,
    ignores: bool,
    /// Only where keep order compares a field.
    pub(crate) values: Vec<FieldValue>,
    /// The groups of documents, only where these are compared by group.
    groups: Vec<u64>,
    /// True if any document has the field of its group.
    has_group: bool,
    /// Limits on memory per purpose.
    pub(crate) shares: Shares,
    /// Key of the content hashes.
    key: Key,
    blocks: Blocks,
    /// Features of a small input, until they are taken.
    kept_features: Mutex<Option<KeptFeatures>>,
    /// Documents found in a saved index.
    known: OnceLock<Known>,
}

impl Corpus {
    /// Reads and sketches everything, on all threads. The first `input_files` files belong to the input.
    pub(crate) fn read(mut shelf: Shelf, input_files: usize, reading: Reading<'_>) -> Result<Self> {
        reading.work.memory.check_files(shelf.files().len())?;
        if let Some(folder) = reading.work.named() {
            shelf.spool_in(folder)?;
        }
        let read = read::read(&shelf, reading)?;
        let mut corpus = Self::of_blocks(shelf, input_files, read, reading)?;
        corpus.pass_over(&reading)?;
        Ok(corpus)
    }

    /// Puts together what is known of all blocks.
    fn of_blocks(
        shelf: Shelf,
        input_files: usize,
        (kinds, blocks, kept_features): (Vec<Arc<FileKind>>, Blocks, Option<KeptFeatures>),
        reading: Reading<'_>,
    ) -> Result<Self> {
        let count = blocks.document_count();
        let (mut token_counts, mut sizes) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let (mut values, mut ignored) = (Vec::new(), Vec::new());
        let ignores = reading.similarity.boilerplate().is_some();
        let (mut groups, mut has_group) = (Vec::new(), false);
        let mut others = Others::of_files(kinds.len());
        let mut file_bytes = vec![0; kinds.len()];
        for block in 0..blocks.len() {
            let head = blocks.head(block);
            file_bytes[head.file as usize] += head.byte_count;
            let is_input = (head.file as usize) < input_files;
            let input = (&shelf.files()[head.file as usize], kinds[head.file as usize].format);
            let fields = others.add(&blocks, block, is_input, input)?;
            values.extend(fields.values.into_iter().map(FieldValue::from));
            has_group |= fields.groups.iter().any(|(_, is_there)| *is_there);
            groups.extend(fields.groups.into_iter().map(|(group, _)| group));
            for row in blocks.rows(block)? {
                token_counts.push(row.token_count);
                sizes.push(row.size);
                ignored.extend(ignores.then_some(row.ignored));
            }
        }
        let input_end = blocks.of_file(input_files as u32).start;
        let input_count = if input_end < blocks.len() { blocks.first(input_end) as usize } else { count };
        let shares = reading.work.memory.shares(count)?;
        let shares = if blocks.are_filed() { shares.with_filed_blocks() } else { shares };
        Ok(Self {
            shelf,
            kinds,
            input_files,
            input_count,
            others,
            file_bytes,
            token_counts,
            width: reading.similarity.shingle().width(),
            sizes,
            ignored,
            ignores,
            values,
            groups,
            has_group,
            shares,
            key: reading.work.key(),
            blocks,
            kept_features: Mutex::new(kept_features),
            known: OnceLock::new(),
        })
    }

    /// Passes over files that are not data, and makes sure that the rest is as requested.
    fn pass_over(&mut self, reading: &Reading<'_>) -> Result<()> {
        let fields = &reading.options.settings.fields;
        for file in self.others.pass_over(&self.shelf, &self.blocks, &fields.text, self.input_files)? {
            self.kinds[file] = Arc::new(FileKind { is_refused: true, ..(*self.kinds[file]).clone() });
            self.shelf.pass_over(file);
        }
        if self.is_all_skipped() {
            return Err(Error::nothing_read(self.others.skipped_count, self.others.skipped().next()));
        }
        keep_field::check_group(self, self.has_group, fields)?;
        keep_field::check_id(self, fields.id.as_deref())
    }

    /// The group of a document, where these are compared by group.
    pub(crate) fn group(&self, document: Document) -> Option<u64> {
        self.groups.get(document.index()).copied()
    }

    /// Number of documents, including those of the reference.
    pub(crate) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// True if boilerplate is ignored.
    pub(crate) fn ignores(&self) -> bool {
        self.ignores
    }

    /// The number of distinct shingles of a document that were ignored.
    pub(crate) fn ignored(&self, document: Document) -> u32 {
        self.ignored.get(document.index()).copied().unwrap_or(0)
    }

    /// The share of its distinct shingles that were ignored, if any are.
    pub(crate) fn ignored_share(&self, document: Document) -> Option<f64> {
        let (ignored, size) = (f64::from(self.ignored(document)), f64::from(self.sizes[document.index()]));
        self.ignores.then_some(if ignored > 0.0 { ignored / (ignored + size) } else { 0.0 })
    }

    /// True if nearly nothing of a document remains without boilerplate: it is only compared with copies.
    pub(crate) fn is_undecided(&self, document: Document) -> bool {
        self.ignored(document) > 0 && self.sizes[document.index()] == 0
    }

    /// Takes the features of a small input, if they were kept. Later calls return `None`.
    pub(crate) fn take_kept_features(&self) -> Option<KeptFeatures> {
        self.kept_features.lock().expect("no thread panicked").take()
    }

    /// Notes which documents of a saved index the input is removed for.
    pub(crate) fn set_known(&self, known: Known) -> &Known {
        self.known.get_or_init(|| known)
    }

    /// The document of a saved index that has the words of this one, if there is one; and whether they are exact
    /// copies.
    pub(crate) fn known_copy(&self, document: Document) -> Option<(Stored, bool)> {
        self.known.get()?.copies.get(&document).copied()
    }

    /// Number of input documents, which come first.
    pub(crate) fn input_count(&self) -> usize {
        self.input_count
    }

    /// Number of input documents that have words, but fewer than two shingles.
    pub(crate) fn short_count(&self) -> u64 {
        let is_short = |count: &&u32| **count > 0 && (**count as usize) < 2 * self.width;
        self.token_counts.iter().take(self.input_count).filter(is_short).count() as u64
    }

    /// True if the whole input was skipped.
    fn is_all_skipped(&self) -> bool {
        let Others { skipped_count, carried, .. } = &self.others;
        *skipped_count > 0 && self.input_count == 0 && carried.keys().all(|kind| kind == HEADER)
    }

    /// True if a document belongs to the reference, not to the input.
    pub(crate) fn is_reference(&self, document: Document) -> bool {
        document.index() >= self.input_count
    }

    /// True if the document kept in place of another does not belong to the input.
    pub(crate) fn is_kept_elsewhere(&self, kept: Keeper) -> bool {
        match kept {
            Keeper::Read(document) => self.is_reference(document),
            Keeper::Stored(_) => true,
        }
    }

    /// The sketches of all documents.
    pub(crate) fn sketches(&self) -> &dyn SketchSource {
        &self.blocks
    }

    /// Returns the place of a document and the hashes of its text.
    pub(crate) fn row(&self, document: Document) -> Result<Row> {
        self.blocks.row(document)
    }

    /// The key of what decides.
    pub(crate) fn key(&self) -> Key {
        self.key
    }

    /// Creates a hasher for the content hashes in rows.
    pub(crate) fn content_hasher(&self) -> ContentHasher {
        ContentHasher::keyed(self.key)
    }

    /// Gives the hashes of every text, of its words and of its content, to `each`, in the order of the input.
    pub(crate) fn each_text_hash(&self, each: &mut dyn FnMut(Document, u128, u128)) -> Result<()> {
        (0..self.blocks.len()).try_for_each(|block| {
            let rows = self.blocks.rows(block)?;
            let of_row = |(document, row): (u32, Row)| each(Document(document), row.text_hash, row.content_hash);
            (self.blocks.first(block)..).zip(rows).for_each(of_row);
            Ok(())
        })
    }

    /// Returns the identity of a document.
    pub(crate) fn describe(&self, document: Document) -> Result<Described<'_>> {
        let row = self.blocks.row(document)?;
        let names = self.blocks.names(document)?;
        Ok(Described { corpus: self, who: Who::Read { names, file: row.place.file, position: row.position } })
    }

    /// Returns the identity of the document that is kept in place of another.
    pub(crate) fn describe_kept(&self, kept: Keeper) -> Result<Described<'_>> {
        match kept {
            Keeper::Read(document) => self.describe(document),
            Keeper::Stored(stored) => {
                let known = self.known.get().expect("stored documents come from a search of the index");
                Ok(Described { corpus: self, who: Who::Known(known.document(stored)) })
            }
        }
    }

    /// Gives runs of the input's documents, with who they are, to `of_run` on all threads; and what comes of each run
    /// to `take`, in order.
    pub(crate) fn each_described<T: Send>(
        &self,
        of_run: impl Fn(&mut dyn Iterator<Item = (Document, Described<'_>)>) -> Result<T> + Sync,
        mut take: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let blocks: Vec<usize> = self.input_blocks().collect();
        let of_block = |block: &usize| {
            let file = self.blocks.head(*block).file;
            let described = self.blocks.all_names(*block)?.into_iter().zip(self.blocks.rows(*block)?);
            let describe = |(document, (names, row)): (u32, (Names, Row))| {
                (Document(document), Described { corpus: self, who: Who::Read { names, file, position: row.position } })
            };
            of_run(&mut (self.blocks.first(*block)..).zip(described).map(describe))
        };
        // A few at a time, so that what comes of them does not pile up.
        for some in blocks.chunks(RUNS_AT_ONCE * rayon::current_num_threads()) {
            some.par_iter().map(of_block).collect::<Result<Vec<T>>>()?.into_iter().try_for_each(&mut take)?;
        }
        Ok(())
    }

    /// The place of each document's source in a keep order; nothing if the order compares none.
    pub(crate) fn source_ranks(&self, keep: &Keep, by: SourceBy) -> Result<Vec<u32>> {
        if keep.source_rank("").is_none() {
            return Ok(Vec::new());
        }
        let rank =
            |document: u32| Ok(keep.source_rank(self.describe(Document(document))?.source(by)).unwrap_or_default());
        (0..self.len() as u32).into_par_iter().map(rank).collect()
    }

    /// Gives every document, those of the reference among them, to `each`: its row, and what tells its source.
    pub(crate) fn each_origin(&self, each: &mut dyn FnMut(Document, &Row, Origin<'_>)) -> Result<()> {
        for block in 0..self.blocks.len() {
            let file = self.blocks.head(block).file;
            let described = self.blocks.all_names(block)?.into_iter().zip(self.blocks.rows(block)?);
            for (document, (names, row)) in (self.blocks.first(block)..).zip(described) {
                let who = Who::Read { names, file, position: row.position };
                each(Document(document), &row, Described { corpus: self, who }.origin());
            }
        }
        Ok(())
    }

    /// The checksum of a document, if checksums were requested.
    pub(crate) fn checksum(&self, document: Document) -> Result<Option<String>> {
        Ok(self.blocks.sum(document)?.map(|sum| sum.to_string()))
    }

    /// True if documents have checksums.
    pub(crate) fn has_checksums(&self) -> bool {
        self.blocks.has_sums()
    }

    /// Number of checksum collisions: documents that follow a document with the same checksum but a different text.
    pub(crate) fn checksum_collisions(&self) -> Result<u64> {
        if !self.has_checksums() {
            return Ok(0);
        }
        let mut sums = Vec::with_capacity(self.len());
        for document in (0..self.len() as u32).map(Document) {
            sums.push((self.blocks.sum(document)?, self.row(document)?.text_hash));
        }
        sums.par_sort_unstable();
        sums.dedup();
        Ok(sums.windows(2).filter(|pair| pair[0].0 == pair[1].0).count() as u64)
    }

    /// Number of input documents without an id of their own.
    pub(crate) fn without_id(&self) -> u64 {
        self.input_blocks().map(|block| u64::from(self.blocks.head(block).without_id)).sum()
    }

    /// Number of input documents without a source of their own.
    pub(crate) fn without_source(&self) -> u64 {
        self.input_blocks().map(|block| u64::from(self.blocks.head(block).without_source)).sum()
    }

    /// Number of input documents that repeat the id of an earlier document.
    pub(crate) fn repeated_ids(&self) -> Result<u64> {
        let mut ids: Vec<u128> = Vec::new();
        let of_run = |run: &mut dyn Iterator<Item = (Document, Described<'_>)>| {
            // This is only a count, and nobody can write two ids with the same hash.
            let hash =
                |(_, described): (Document, Described<'_>)| Some(self.key.bytes_hash(described.own_id()?.as_bytes()));
            Ok(run.filter_map(hash).collect::<Vec<u128>>())
        };
        self.each_described(of_run, |hashes| {
            ids.extend(hashes);
            Ok(())
        })?;
        ids.par_sort_unstable();
        Ok(ids.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64)
    }

    /// The formats of the files that were read.
    pub(crate) fn formats(&self) -> Vec<Format> {
        self.kinds.iter().filter(|kind| !kind.is_refused).map(|kind| kind.format).collect()
    }

    /// Returns the kind of a document's file.
    pub(crate) fn kind(&self, file: u32) -> &FileKind {
        &self.kinds[file as usize]
    }

    /// The blocks of a file.
    pub(crate) fn blocks_of_file(&self, file: u32) -> Range<usize> {
        self.blocks.of_file(file)
    }

    /// True if a file was read completely: none of it was skipped.
    pub(crate) fn is_whole(&self, file: u32) -> bool {
        self.others.has_all_of(file)
    }

    /// The documents of a file.
    pub(crate) fn documents_of_file(&self, file: u32) -> Range<u32> {
        let blocks = self.blocks.of_file(file);
        let first = |block: usize| if block < self.blocks.len() { self.blocks.first(block) } else { self.len() as u32 };
        first(blocks.start)..first(blocks.end)
    }

    /// The documents of a block, and what is carried along between them, in the order of the file.
    pub(crate) fn entries(&self, block: usize) -> Result<Vec<FileEntry>> {
        let (file, before) = (self.blocks.head(block).file, self.blocks.before(block));
        let rows = self.blocks.rows(block)?;
        let documents = (self.blocks.first(block)..).zip(rows).map(|(document, row)| FileEntry {
            place: row.place,
            position: row.position,
            what: What::Document(Document(document)),
        });
        let mut entries: Vec<FileEntry> = documents.collect();
        let carried = self.blocks.others(block)?.carried;
        entries.extend(carried.into_iter().map(|entry| {
            let (place, position) = carried_place(&entry, file);
            FileEntry { place, position: before + position + 1, what: What::Carried(entry.4.into_owned()) }
        }));
        // Blank lines that do not count have the position of what follows them.
        entries.sort_unstable_by_key(|entry| {
            (entry.position, matches!(entry.what, What::Document(_)), entry.place.offset)
        });
        Ok(entries)
    }

    fn input_blocks(&self) -> Range<usize> {
        0..self.blocks.of_file(self.input_files as u32).start
    }

    fn file_name(&self, file: u32) -> &str {
        &self.shelf.files()[file as usize].name
    }
}

/// An entry of a file: a document, or what is carried along.
pub(crate) struct FileEntry {
    pub(crate) place: Place,
    /// Position in its file, counted from 1.
    pub(crate) position: u64,
    pub(crate) what: What,
}

/// Kind of an entry of a file.
pub(crate) enum What {
    Document(Document),
    /// Carried along: of this kind.
    Carried(String),
}
