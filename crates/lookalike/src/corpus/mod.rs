//! All documents of the input, sketched: what is kept of each while the job runs.
//!
//! ```text
//! files → chunks → blocks → corpus
//! ```
//!
//! Texts and features are not kept. Those of documents that may be alike are read again: see [`crate::corpus::reread`]. What is
//! asked for in any order is in memory, a few bytes per document; all else is in [`blocks`], in memory or in the work folder.

mod block;
mod blocks;
pub(crate) mod described;
mod effect;
pub(crate) mod keep_field;
mod kept;
pub(crate) mod known;
mod others;
mod queue;
mod read;
pub(crate) mod reread;
pub(crate) mod stored_id;
#[cfg(test)]
mod tests;
pub(crate) mod walk;

use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use lookalike_core::hash::Key;
use lookalike_core::ids::{Document, Number};
use lookalike_core::resolve::keep::FieldValue;
use lookalike_core::sources::SketchSource;
use lookalike_core::text::content::ContentHasher;
use lookalike_io::format::Format;
use lookalike_io::input::shelf::{Place, Shelf};
use lookalike_io::read::FileKind;
use lookalike_io::read::HEADER;
use rayon::prelude::*;

pub(crate) use self::block::Row;
pub(crate) use self::described::Described;
pub(crate) use self::effect::without_effect;
pub(crate) use self::others::Others;
pub(crate) use self::read::Reading;

use self::block::carried_place;
use self::blocks::{Blocks, Names};
use self::described::Who;
use self::known::{Keeper, Known, Stored};
use crate::error::{Error, Result};
use crate::items::KeptFeatures;
use crate::resources::memory::Shares;

/// How many runs of documents a thread looks at before what came of them is taken: rows of evidence may be longer than the
/// documents, and wait in memory.
const RUNS_AT_ONCE: usize = 2;

/// The documents of the input, in its order.
pub(crate) struct Corpus {
    pub(crate) shelf: Shelf,
    pub(crate) kinds: Vec<Arc<FileKind>>,
    /// How many files are of the input; those after them are of the reference, and so are their documents.
    pub(crate) input_files: usize,
    input_count: usize,
    pub(crate) others: Others,
    /// Of each file, unpacked.
    pub(crate) file_bytes: Vec<u64>,
    pub(crate) token_counts: Vec<u32>,
    /// Distinct features.
    pub(crate) sizes: Vec<u32>,
    /// Only where keep order compares a field.
    pub(crate) values: Vec<FieldValue>,
    /// Who may use how much memory.
    pub(crate) shares: Shares,
    /// What the hashes of contents are made with.
    key: Key,
    blocks: Blocks,
    /// Features of a small input, until they are taken.
    kept_features: Mutex<Option<KeptFeatures>>,
    /// What was found in a saved index.
    known: OnceLock<Known>,
}

impl Corpus {
    /// Reads and sketches everything, on all threads. Only so many files are of the input.
    pub(crate) fn read(mut shelf: Shelf, input_files: usize, reading: Reading<'_>) -> Result<Self> {
        reading.work.memory.check_files(shelf.files().len())?;
        if let Some(folder) = reading.work.named() {
            shelf.spool_in(folder)?;
        }
        let (kinds, blocks, kept_features) = read::read(&shelf, reading)?;
        let count = blocks.document_count();
        let (mut token_counts, mut sizes) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut values = Vec::new();
        let mut others = Others::of_files(kinds.len());
        let mut file_bytes = vec![0; kinds.len()];
        for block in 0..blocks.len() {
            let head = blocks.head(block);
            file_bytes[head.file as usize] += head.byte_count;
            let is_input = (head.file as usize) < input_files;
            let input = (&shelf.files()[head.file as usize], kinds[head.file as usize].format);
            values.extend(others.add(&blocks, block, is_input, input)?);
            for row in blocks.rows(block)? {
                token_counts.push(row.token_count);
                sizes.push(row.size);
            }
        }
        let (field, mut kinds) = (&reading.options.settings.fields.text, kinds);
        for file in others.pass_over(&shelf, &blocks, field, input_files)? {
            kinds[file] = Arc::new(FileKind { is_refused: true, ..(*kinds[file]).clone() });
            shelf.pass_over(file);
        }
        let input_end = blocks.of_file(input_files as u32).start;
        let input_count = if input_end < blocks.len() { blocks.first(input_end) as usize } else { count };
        let shares = reading.work.memory.shares(count)?;
        let shares = if blocks.are_filed() { shares.with_filed_blocks() } else { shares };
        let corpus = Self {
            shelf,
            kinds,
            input_files,
            input_count,
            others,
            file_bytes,
            token_counts,
            sizes,
            values,
            shares,
            key: reading.work.key(),
            blocks,
            kept_features: Mutex::new(kept_features),
            known: OnceLock::new(),
        };
        if corpus.is_all_skipped() {
            return Err(Error::nothing_read(corpus.others.skipped_count, corpus.others.skipped().next()));
        }
        keep_field::check_id(&corpus, reading.options.settings.fields.id.as_deref())?;
        Ok(corpus)
    }

    /// How many documents there are, those of the reference among them.
    pub(crate) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// The features of a small input, if they were kept; they are here no more then.
    pub(crate) fn take_kept_features(&self) -> Option<KeptFeatures> {
        self.kept_features.lock().expect("no thread panicked").take()
    }

    /// Notes which documents of a saved index the input is removed for.
    pub(crate) fn set_known(&self, known: Known) -> &Known {
        self.known.get_or_init(|| known)
    }

    /// The document of a saved index that has the words of this one, if there is one; and whether they are exact copies.
    pub(crate) fn known_copy(&self, document: Document) -> Option<(Stored, bool)> {
        self.known.get()?.copies.get(&document).copied()
    }

    /// How many documents the input has: the first ones.
    pub(crate) fn input_count(&self) -> usize {
        self.input_count
    }

    /// Whether all of the input was skipped.
    fn is_all_skipped(&self) -> bool {
        let Others { skipped_count, carried, .. } = &self.others;
        *skipped_count > 0 && self.input_count == 0 && carried.keys().all(|kind| kind == HEADER)
    }

    /// Whether a document is of the reference, and not of the input.
    pub(crate) fn is_reference(&self, document: Document) -> bool {
        document.index() >= self.input_count
    }

    /// Whether the document that is kept in place of another is not of the input.
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

    /// Where a document is, and what tells its text.
    pub(crate) fn row(&self, document: Document) -> Result<Row> {
        self.blocks.row(document)
    }

    /// The key of what decides.
    pub(crate) fn key(&self) -> Key {
        self.key
    }

    /// What makes the hashes of contents that rows have.
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

    /// Who a document is.
    pub(crate) fn describe(&self, document: Document) -> Result<Described<'_>> {
        let row = self.blocks.row(document)?;
        let names = self.blocks.names(document)?;
        Ok(Described { corpus: self, who: Who::Read { names, file: row.place.file, position: row.position } })
    }

    /// Who the document is that is kept in place of another.
    pub(crate) fn describe_kept(&self, kept: Keeper) -> Result<Described<'_>> {
        match kept {
            Keeper::Read(document) => self.describe(document),
            Keeper::Stored(stored) => {
                let known = self.known.get().expect("stored documents come from a search of the index");
                Ok(Described { corpus: self, who: Who::Known(known.document(stored)) })
            }
        }
    }

    /// Gives runs of the input's documents, with who they are, to `of_run` on all threads; and what comes of each run to `take`, in
    /// order.
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

    /// The checksum of a document, if one was asked for.
    pub(crate) fn checksum(&self, document: Document) -> Result<Option<String>> {
        Ok(self.blocks.sum(document)?.map(|sum| sum.to_string()))
    }

    /// Whether documents have checksums.
    pub(crate) fn has_checksums(&self) -> bool {
        self.blocks.has_sums()
    }

    /// How many pairs of checksums are equal though the texts are not: documents that follow one of another text with
    /// the same checksum.
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

    /// How many documents of the input have no id of their own.
    pub(crate) fn without_id(&self) -> u64 {
        self.input_blocks().map(|block| u64::from(self.blocks.head(block).without_id)).sum()
    }

    /// How many documents of the input have no source of their own.
    pub(crate) fn without_source(&self) -> u64 {
        self.input_blocks().map(|block| u64::from(self.blocks.head(block).without_source)).sum()
    }

    /// How many documents of the input have the id of another one before them.
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

    /// What a document's file is.
    pub(crate) fn kind(&self, file: u32) -> &FileKind {
        &self.kinds[file as usize]
    }

    /// The blocks of a file.
    pub(crate) fn blocks_of_file(&self, file: u32) -> Range<usize> {
        self.blocks.of_file(file)
    }

    /// Whether all of a file was read: nothing of it was skipped.
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
    /// Which entry of its file, counted from 1.
    pub(crate) position: u64,
    pub(crate) what: What,
}

/// What an entry of a file is.
pub(crate) enum What {
    Document(Document),
    /// Carried along: of this kind.
    Carried(String),
}
