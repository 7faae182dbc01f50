//! The blocks of a corpus, in memory or in the work folder, with the same interface for both.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Mutex;

use lookalike_core::ids::Document;
use lookalike_core::sources::SketchSource;
use lookalike_core::sources::SourceError;
use lookalike_io::work::Log;

use super::block::{HEAD, Head, Logged, NAMES, Others, ROW, Row, Shape, end_of_unit};
use crate::error::{Error, Result};
use crate::resources::spill::Spill;
use crate::resources::work::Work;
use lookalike_core::text::checksum::Sum;

/// The name of the stage in the work folder.
const STAGE: &str = "sketch";

/// The blocks of a corpus, in the order of the input.
#[derive(Debug)]
pub(super) struct Blocks {
    shape: Shape,
    blocks: Vec<Block>,
    /// The first document of each block.
    firsts: Vec<u32>,
    logs: Vec<Log>,
}

#[derive(Debug)]
struct Block {
    head: Head,
    /// Number of positions in its file that precede it.
    before: u64,
    words: Words,
}

#[derive(Debug)]
enum Words {
    Held(Box<[u64]>),
    /// In this log, at this offset.
    Filed {
        log: u32,
        offset: u64,
    },
}

/// Takes blocks while the input is read, in any order and from all threads.
pub(super) struct Collector<'a> {
    /// Its log belongs to this attempt, and follows those of earlier attempts.
    spill: Spill<'a>,
    earlier: Vec<Log>,
    blocks: Mutex<Vec<Block>>,
}

/// A unit that was read to its end by an earlier attempt: its file and number.
pub(super) type Finished = HashSet<(u32, u32)>;

impl<'a> Collector<'a> {
    /// Reuses the blocks of earlier attempts if `is_good` accepts them. Also returns the units that are complete.
    pub(super) fn start(work: &'a Work, is_good: impl Fn(&Head) -> bool) -> Result<(Self, Finished)> {
        let earlier = work.named().map_or(Ok(Vec::new()), |folder| folder.earlier_logs(STAGE))?;
        let (mut blocks, mut ends) = (Vec::new(), Vec::new());
        for (log, file) in (0..).zip(&earlier) {
            file.scan::<Error>(|offset, words| {
                match Logged::of(words) {
                    Some(Logged::Documents(head)) if is_good(&head) => {
                        blocks.push(Block { head, before: 0, words: Words::Filed { log, offset } });
                    }
                    Some(Logged::End { file, unit, chunks }) => ends.push((file, unit, chunks)),
                    _ => {}
                }
                Ok(())
            })?;
        }
        blocks.sort_unstable_by_key(order);
        // A unit that was started twice has duplicate chunks.
        blocks.dedup_by_key(|block| order(block));
        let mut counts: HashMap<(u32, u32), u32> = HashMap::new();
        blocks.iter().for_each(|block| *counts.entry((block.head.file, block.head.unit)).or_default() += 1);
        let is_whole =
            |(file, unit, chunks): &(u32, u32, u32)| counts.get(&(*file, *unit)).copied().unwrap_or(0) == *chunks;
        let finished: Finished = ends.iter().filter(|end| is_whole(end)).map(|end| (end.0, end.1)).collect();
        blocks.retain(|block| finished.contains(&(block.head.file, block.head.unit)));
        let spill = Spill::new(work, STAGE, work.memory.blocks());
        Ok((Self { spill, earlier, blocks: Mutex::new(blocks) }, finished))
    }

    /// Takes a block.
    pub(super) fn push(&self, head: Head, words: Vec<u64>) -> Result<()> {
        // Once memory was full, all threads write their blocks directly.
        let is_filed = self.spill.work().named().is_some() || self.spill.has_log();
        let filed = is_filed.then(|| self.file(&words)).transpose()?;
        let bytes = size_of_val::<[u64]>(&words);
        let mut blocks = self.lock();
        let has_room = filed.is_some() || self.spill.hold(bytes);
        let words = filed.unwrap_or_else(|| Words::Held(words.into()));
        blocks.push(Block { head, before: 0, words });
        // Threads that arrive now have to wait.
        if has_room { Ok(()) } else { self.file_all(&mut blocks) }
    }

    /// Records that a unit was read to its end, and its number of chunks.
    pub(super) fn end_unit(&self, file: u32, unit: u32, chunks: u32) -> Result<()> {
        if self.spill.work().named().is_some() {
            self.file(&end_of_unit(file, unit, chunks))?;
        }
        Ok(())
    }

    /// All blocks, in order; as many of them stay in memory as `most_held` allows.
    pub(super) fn finish(self, shape: Shape) -> Result<Blocks> {
        let mut blocks = std::mem::take(&mut *self.lock());
        blocks.sort_unstable_by_key(order);
        let mut before = 0;
        let mut last = None;
        let mut firsts = Vec::with_capacity(blocks.len());
        let mut documents = 0_u64;
        for block in &mut blocks {
            if last.replace(block.head.file) != Some(block.head.file) {
                before = 0;
            }
            block.before = before;
            before += block.head.position_count;
            firsts.push(u32::try_from(documents).map_err(|_| Error::TooManyDocuments)?);
            documents += u64::from(block.head.documents);
        }
        u32::try_from(documents).map_err(|_| Error::TooManyDocuments)?;
        let most_held = self.spill.work().memory.shares(documents as usize)?.blocks();
        if self.spill.held() > most_held || self.spill.has_log() {
            self.file_all(&mut blocks)?;
        }
        let mut logs = self.earlier;
        logs.extend(self.spill.into_log());
        Ok(Blocks { shape, blocks, firsts, logs })
    }

    /// Moves all blocks in memory to the work folder.
    fn file_all(&self, blocks: &mut [Block]) -> Result<()> {
        for block in blocks {
            if let Words::Held(words) = &block.words {
                block.words = self.file(words)?;
            }
        }
        self.spill.let_go();
        Ok(())
    }

    fn file(&self, words: &[u64]) -> Result<Words> {
        let offset = self.spill.append(words)?;
        Ok(Words::Filed { log: self.earlier.len() as u32, offset })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Block>> {
        self.blocks.lock().expect("no thread panicked")
    }
}

/// The position of a block in the input.
fn order(block: &Block) -> (u32, u32, u32) {
    (block.head.file, block.head.unit, block.head.number)
}

/// The names of a document; an empty name means that it has none.
#[derive(Debug)]
pub(super) struct Names {
    text: String,
    ends: [usize; NAMES],
}

impl Names {
    /// The name at this index, if the document has one.
    pub(super) fn at(&self, at: usize) -> Option<&str> {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        Some(&self.text[start..self.ends[at]]).filter(|name| !name.is_empty())
    }
}

impl Blocks {
    /// Number of documents.
    pub(super) fn document_count(&self) -> usize {
        self.firsts.last().map_or(0, |first| *first as usize)
            + self.blocks.last().map_or(0, |last| last.head.documents as usize)
    }

    /// True if they are in the work folder.
    pub(super) fn are_filed(&self) -> bool {
        self.blocks.iter().all(|block| matches!(block.words, Words::Filed { .. }))
    }

    /// Number of blocks.
    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// The header of a block.
    pub(super) fn head(&self, block: usize) -> &Head {
        &self.blocks[block].head
    }

    /// Number of positions in its file that precede a block.
    pub(super) fn before(&self, block: usize) -> u64 {
        self.blocks[block].before
    }

    /// The first document of a block.
    pub(super) fn first(&self, block: usize) -> u32 {
        self.firsts[block]
    }

    /// The blocks of a file.
    pub(super) fn of_file(&self, file: u32) -> Range<usize> {
        let start = self.blocks.partition_point(|block| block.head.file < file);
        start..self.blocks.partition_point(|block| block.head.file <= file)
    }

    /// A document's row.
    pub(super) fn row(&self, document: Document) -> Result<Row> {
        let (block, row) = self.find(document);
        let start = HEAD + row as usize * ROW;
        let words = self.words(block, start..start + ROW)?;
        Ok(self.row_of(block, &words))
    }

    /// The rows of a block.
    pub(super) fn rows(&self, block: usize) -> Result<Vec<Row>> {
        let words = self.words(block, HEAD..HEAD + self.head(block).documents as usize * ROW)?;
        Ok(words.chunks_exact(ROW).map(|words| self.row_of(block, words)).collect())
    }

    fn row_of(&self, block: usize, words: &[u64]) -> Row {
        let Block { head, before, .. } = &self.blocks[block];
        let row = Row::of(words, head.file);
        Row { position: before + row.position + 1, ..row }
    }

    /// A document's names.
    pub(super) fn names(&self, document: Document) -> Result<Names> {
        let (block, row) = self.find(document);
        let head = self.head(block);
        let first = row as usize * NAMES;
        // The end of the previous name is the start of the first of these.
        let wanted = first.saturating_sub(1)..first + NAMES;
        let words = self.words(block, self.ends_range(head, &wanted))?;
        let ends: &[u32] = bytemuck::cast_slice(&words);
        let ends = &ends[wanted.start % 2..][..wanted.len()];
        let start = if first == 0 { 0 } else { ends[0] as usize };
        let ends: [usize; NAMES] = std::array::from_fn(|at| ends[ends.len() - NAMES + at] as usize);
        let bytes = self.bytes_of(block, self.shape.names(head), start..ends[NAMES - 1])?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(Names { text, ends: ends.map(|end| end - start) })
    }

    fn ends_range(&self, head: &Head, wanted: &Range<usize>) -> Range<usize> {
        let start = self.shape.name_ends(head);
        start + wanted.start / 2..start + wanted.end.div_ceil(2)
    }

    /// The names of all documents of a block, in order.
    pub(super) fn all_names(&self, block: usize) -> Result<Vec<Names>> {
        let head = self.head(block);
        let count = head.documents as usize * NAMES;
        let words = self.words(block, self.ends_range(head, &(0..count)))?;
        let ends: &[u32] = &bytemuck::cast_slice(&words)[..count];
        let bytes = self.bytes_of(block, self.shape.names(head), 0..head.name_bytes as usize)?;
        let mut start = 0;
        let names = ends.as_chunks::<NAMES>().0.iter().map(|ends| {
            let ends = ends.map(|end| end as usize);
            let text = String::from_utf8_lossy(&bytes[start..ends[NAMES - 1]]).into_owned();
            let names = Names { text, ends: ends.map(|end| end - start) };
            start = ends[NAMES - 1];
            names
        });
        Ok(names.collect())
    }

    /// Properties that only a few blocks have.
    pub(super) fn others(&self, block: usize) -> Result<Others> {
        let head = self.head(block);
        if head.other_bytes == 0 {
            return Ok(Others::default());
        }
        let bytes = self.bytes_of(block, self.shape.others(head), 0..head.other_bytes as usize)?;
        Ok(serde_json::from_slice(&bytes).expect("a block says what was written to it"))
    }

    /// A document's checksum, if documents have them.
    pub(super) fn sum(&self, document: Document) -> Result<Option<Sum>> {
        if !self.shape.has_sums {
            return Ok(None);
        }
        let (block, row) = self.find(document);
        let words = self.words(block, self.shape.sum(self.head(block), row))?;
        Ok(Some(Sum::of_words([words[0], words[1], words[2]])))
    }

    /// True if documents have checksums.
    pub(super) fn has_sums(&self) -> bool {
        self.shape.has_sums
    }

    /// The block of a document, and its index there.
    fn find(&self, document: Document) -> (usize, u32) {
        // Blocks without documents have the same start as the next one.
        let block = self.firsts.partition_point(|first| *first <= document.0) - 1;
        (block, document.0 - self.firsts[block])
    }

    fn words(&self, block: usize, range: Range<usize>) -> Result<Cow<'_, [u64]>> {
        match &self.blocks[block].words {
            Words::Held(words) => Ok(Cow::Borrowed(&words[range])),
            Words::Filed { log, offset } => {
                let mut words = vec![0; range.len()];
                self.logs[*log as usize].read(offset + (range.start * size_of::<u64>()) as u64, &mut words)?;
                Ok(Cow::Owned(words))
            }
        }
    }

    /// Bytes of a block, counted from a word.
    fn bytes_of(&self, block: usize, from: usize, range: Range<usize>) -> Result<Cow<'_, [u8]>> {
        match &self.blocks[block].words {
            Words::Held(words) => Ok(Cow::Borrowed(&bytemuck::cast_slice(&words[from..])[range])),
            Words::Filed { log, offset } => {
                let mut bytes = vec![0; range.len()];
                let offset = offset + (from * size_of::<u64>() + range.start) as u64;
                self.logs[*log as usize].read_bytes(offset, &mut bytes)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }
}

impl SketchSource for Blocks {
    fn each_keys(
        &self,
        columns: &[usize],
        each: &mut dyn FnMut(Document, &[u64]),
    ) -> std::result::Result<(), SourceError> {
        let mut keys = vec![0; columns.len()];
        for block in 0..self.blocks.len() {
            let head = self.head(block);
            let column = |column: &usize| {
                let start = Shape::keys(head, *column);
                self.words(block, start..start + head.documents as usize)
            };
            let columns: Vec<_> = columns.iter().map(column).collect::<Result<_>>()?;
            for row in 0..head.documents {
                keys.iter_mut().zip(&columns).for_each(|(key, column)| *key = column[row as usize]);
                each(Document(self.firsts[block] + row), &keys);
            }
        }
        Ok(())
    }

    fn each_bytes(&self, each: &mut dyn FnMut(Document, &[u8])) -> std::result::Result<(), SourceError> {
        let count = self.shape.layout.bytes;
        for block in 0..self.blocks.len() {
            let head = self.head(block);
            let bytes = self.bytes_of(block, self.shape.bytes(head), 0..head.documents as usize * count)?;
            (self.firsts[block]..)
                .zip(bytes.chunks_exact(count.max(1)))
                .for_each(|(document, bytes)| each(Document(document), bytes));
        }
        Ok(())
    }

    fn bytes(&self, document: Document) -> std::result::Result<Cow<'_, [u8]>, SourceError> {
        let (block, row) = self.find(document);
        let count = self.shape.layout.bytes;
        let start = row as usize * count;
        Ok(self.bytes_of(block, self.shape.bytes(self.head(block)), start..start + count)?)
    }
}
