//! The input, read and sketched by all threads: files to blocks.

use std::sync::{Arc, OnceLock};

use lookalike_core::hash::{Key, bytes_hash};
use lookalike_core::kernel::{TextSketcher, TextSummary};
use lookalike_core::method::Method;
use lookalike_io::input::discover::Origin;
use lookalike_io::input::shelf::{Place, Shelf};
use lookalike_io::read::FileKind;
use lookalike_io::read::{Chunk, Document, Entry, Parser, Placed, Stream, UNIT_BYTES, Unit, units};
use lookalike_io::remote::Ahead;

use super::block::{Builder, Head, Row, Shape, Spooled};
use super::blocks::{Blocks, Collector};
use super::described;
use super::ignoring::Ignoring;
use super::kept::{ChunkFeatures, Keeping};
use crate::corpus::queue::{Queue, Watch};
use crate::error::{Error, Result};
use crate::items::KeptFeatures;
use crate::options::{ReadOptions, Scheme};
use crate::progress::{Counted, Progress};
use crate::resources::memory::Memory;
use crate::resources::work::Work;
use lookalike_core::text::checksum::Checksum;
use lookalike_core::text::content::ContentHasher;

/// Parameters of reading.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub(crate) options: &'a ReadOptions,
    pub(crate) similarity: &'a Scheme,
    pub(crate) method: &'a dyn Method,
    pub(crate) work: &'a Work,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) keeps: Kept,
    /// The units to read, where not all of the input is read: files without any are not opened.
    pub(crate) only: Option<&'a [Unit]>,
}

/// Data kept per document in addition to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// Nothing: they are only looked over. Texts have the fixed hash of their bytes, and their length for tokens.
    Nothing,
    /// Their sketches.
    Sketches,
    /// Also the features of a small input.
    SketchesAndFeatures,
}

/// Reads and sketches everything, on all threads: what each file is, the blocks of all, and the features of a small
/// input where these are asked for.
pub(super) fn read(shelf: &Shelf, reading: Reading<'_>) -> Result<(Vec<Arc<FileKind>>, Blocks, Option<KeptFeatures>)> {
    let Reading { options, method, work, progress, .. } = reading;
    let keeping = (reading.keeps == Kept::SketchesAndFeatures).then(Keeping::default);
    let settings = &options.settings.anew();
    let (collector, finished) = Collector::start(work, |head| !method.learns() && is_there(shelf, head))?;
    let mut left = match reading.only {
        Some(only) => only.to_vec(),
        None => units(shelf.files(), settings, UNIT_BYTES)?,
    };
    left.retain(|unit| !finished.contains(&(unit.file, unit.number)));
    let ahead = Arc::new(Ahead::of(work.memory.bytes() / 8));
    shelf.files().iter().for_each(|file| file.share_ahead(&ahead));
    let together = work.memory.read_together(rayon::current_num_threads());
    let queue = Queue::new(shelf.files(), &left, settings, together);
    let kinds = Kinds { kinds: shelf.files().iter().map(|_| OnceLock::new()).collect(), collector: &collector };
    rayon::broadcast(|_| {
        let mut reader = Reader::new(reading);
        let mut chunk = Chunk::default();
        while let Some(turn) = queue.next(&mut chunk, &kinds) {
            let settled = progress.go_on().and_then(|()| Ok(chunk.settle(shelf)?));
            let pushed = settled.and_then(|()| {
                let kept = keeping.as_ref().filter(|keeping| keeping.has_room());
                let (head, words) = reader.block(&chunk, &shelf.files()[chunk.file() as usize].name, kept);
                reader.work.check.take().map_or(Ok(()), Err)?;
                progress.advance(chunk.packed_bytes(), Counted::Documents(head.documents.into()));
                collector.push(head, words)
            });
            if let Err(error) = pushed {
                queue.fail(error);
                break;
            }
            if turn.is_large() {
                (reader, chunk) = (Reader::new(reading), Chunk::default());
            }
        }
    });
    queue.finish()?;
    let kind = |(file, (kind, input)): (u32, (OnceLock<Arc<FileKind>>, _))| match kind.into_inner() {
        Some(kind) => Ok(kind),
        None if reading.only.is_some() => Ok(Arc::clone(Chunk::default().kind())),
        // All of it was read by an earlier attempt.
        None => Ok(Arc::clone(Stream::open(&Unit::whole(file), input, &settings.unlimited())?.kind())),
    };
    let kinds: Vec<Arc<FileKind>> =
        (0..).zip(kinds.kinds.into_iter().zip(shelf.files())).map(kind).collect::<Result<_>>()?;
    let has_sums = reading.similarity.method().checksum().is_some_and(Checksum::is_shown);
    let blocks = collector.finish(Shape { layout: method.layout(), has_sums })?;
    let kept = keeping.and_then(|keeping| keeping.finish(&blocks));
    Ok((kinds, blocks, kept))
}

/// Reads and sketches one unit on this thread: gives the words of each of its blocks to `take`, in order. Places in
/// these blocks are not valid, since nothing is spooled.
#[cfg(feature = "parquet")]
pub(super) fn read_unit(
    shelf: &Shelf,
    unit: &Unit,
    reading: Reading<'_>,
    mut take: impl FnMut(Head, Vec<u64>) -> Result<()>,
) -> Result<()> {
    let mut reader = Reader::new(reading);
    each_chunk(shelf, unit, reading.options, reading.progress, |chunk| {
        let (head, words) = reader.block(chunk, &shelf.files()[unit.file as usize].name, None);
        reader.work.check.take().map_or(Ok(()), Err)?;
        reading.progress.advance(chunk.packed_bytes(), Counted::Documents(head.documents.into()));
        take(head, words)
    })
}

/// Gives every chunk of a unit to `take`, in order.
#[cfg(feature = "parquet")]
pub(super) fn each_chunk(
    shelf: &Shelf,
    unit: &Unit,
    options: &ReadOptions,
    progress: &dyn Progress,
    mut take: impl FnMut(&Chunk) -> Result<()>,
) -> Result<()> {
    let settings = options.settings.anew();
    let mut stream = Stream::open(unit, &shelf.files()[unit.file as usize], &settings)?;
    let mut chunk = Chunk::default();
    while stream.next_within(&mut chunk, usize::MAX)? == lookalike_io::read::Next::Chunk {
        progress.go_on()?;
        chunk.settle_nowhere();
        take(&chunk)?;
    }
    Ok(())
}

/// Detects the kind of each file by its first bytes; a file that cannot be read has nothing to write.
#[cfg(feature = "parquet")]
pub(super) fn kinds_of(shelf: &Shelf, options: &ReadOptions) -> Vec<Arc<FileKind>> {
    use rayon::prelude::*;
    let settings = options.settings.unlimited();
    let kind = |(file, input): (u32, &lookalike_io::input::discover::InputFile)| {
        let opened = Stream::open(&Unit::whole(file), input, &settings);
        let refused = || Arc::new(FileKind { is_refused: true, ..(**Chunk::default().kind()).clone() });
        opened.map_or_else(|_| refused(), |stream| Arc::clone(stream.kind()))
    };
    let files: Vec<_> = (0..).zip(shelf.files()).collect();
    files.into_par_iter().map(kind).collect()
}

/// True if a chunk from an earlier attempt can be reused: its bytes must also be present, if they were spooled.
fn is_there(shelf: &Shelf, head: &Head) -> bool {
    // Remote input must be read again in any case.
    let is_near = shelf.files().get(head.file as usize).is_some_and(|file| matches!(file.origin, Origin::Path(_)));
    let is_spooled = |spooled: Spooled| {
        let mut bytes = vec![0; spooled.length as usize];
        shelf.read_spool(spooled.offset, &mut bytes).is_ok() && bytes_hash(&bytes) as u64 == spooled.hash
    };
    is_near && head.spooled.is_none_or(is_spooled)
}

/// Notes what files are, and which units are done.
struct Kinds<'a, 'w> {
    kinds: Vec<OnceLock<Arc<FileKind>>>,
    collector: &'a Collector<'w>,
}

impl Watch for Kinds<'_, '_> {
    fn opened(&self, unit: &Unit, stream: &Stream) {
        self.kinds[unit.file as usize].get_or_init(|| Arc::clone(stream.kind()));
    }

    fn ended(&self, unit: &Unit, chunk_count: u32) -> Result<()> {
        self.collector.end_unit(unit.file, unit.number, chunk_count)
    }
}

/// Parses and sketches chunks; one per thread.
struct Reader {
    parser: Parser,
    work: Sketching,
    builder: Builder,
    wants_values: bool,
    /// True if documents are in groups, by the first of the other fields.
    wants_groups: bool,
    keeps_spool: bool,
}

/// Computes the sketch of a text, and everything else that is kept of it.
struct Sketching {
    /// None where texts are only looked over.
    sketcher: Option<TextSketcher>,
    /// Finds the boilerplate to ignore.
    ignoring: Option<Ignoring>,
    content: ContentHasher,
    /// Checksum that defines exact copies, where only exact copies are joined.
    checksum: Option<Checksum>,
    /// Key of the hash that decides which texts are exact copies.
    key: Key,
    memory: Memory,
    /// Longer texts are looked at before they are sketched.
    together: usize,
    /// Error that prevented a text from being sketched.
    check: Option<Error>,
}

impl Reader {
    fn new(reading: Reading<'_>) -> Self {
        let Reading { options, similarity, method, work, .. } = reading;
        Self {
            parser: Parser::new(&options.settings),
            work: Sketching {
                sketcher: (reading.keeps != Kept::Nothing).then(|| TextSketcher::new(similarity, method, work.key())),
                ignoring: Ignoring::of(similarity),
                content: ContentHasher::keyed(work.key()),
                checksum: similarity.method().checksum(),
                key: work.key(),
                memory: work.memory,
                together: work.memory.read_together(rayon::current_num_threads()),
                check: None,
            },
            builder: Builder::new(method.layout()),
            wants_values: options.settings.fields.value.is_some(),
            wants_groups: !options.settings.fields.others.is_empty() || options.settings.fields.object.is_some(),
            keeps_spool: work.named().is_some(),
        }
    }

    /// The block of a chunk, whose features go to `keeping`, if they are wanted.
    fn block(&mut self, chunk: &Chunk, file: &str, keeping: Option<&Keeping>) -> (Head, Vec<u64>) {
        let Self { parser, work, builder, wants_values, wants_groups, keeps_spool } = self;
        let is_one_document = chunk.kind().format.is_one_document();
        let mut kept = keeping.map(|_| ChunkFeatures::default());
        let mut position_count = parser.entries(chunk, |Placed { position, place, entry, .. }| match entry {
            Entry::Document(document) => {
                let Document { id, uri, source, .. } = &document;
                builder.push_names([id, uri, source].map(|name| name.as_deref().unwrap_or_default()));
                let group = wants_groups.then(|| group_of(&document.others));
                if let Some((group, is_there)) = group {
                    builder.others.groups.push((group, is_there));
                }
                work.set_group(group.map(|(group, _)| group));
                if *wants_values {
                    builder.others.values.push(document.value.clone().into());
                }
                let [uri, field] = [uri, source].map(Option::as_deref);
                work.find_source(described::Origin { file, is_one_document, uri, field });
                work.sketch(document.text, place, position, builder, &mut kept);
            }
            Entry::Carried(kind) => builder.push_carried(place, position, kind),
            Entry::Skipped(reason) => builder.push_skipped(position, reason),
        });
        if let Some((reason, lost)) = chunk.damage() {
            builder.push_damage(position_count, reason.clone(), lost.max(1));
            position_count += lost;
        }
        let spooled = chunk.spooled().filter(|_| *keeps_spool).map(|(offset, bytes)| Spooled {
            offset,
            length: bytes.len() as u64,
            hash: bytes_hash(bytes) as u64,
        });
        let (head, words) = builder.finish(Head {
            file: chunk.file(),
            unit: chunk.unit(),
            number: chunk.number(),
            documents: 0,
            position_count,
            byte_count: chunk.byte_count(),
            name_bytes: 0,
            other_bytes: 0,
            without_id: 0,
            without_source: 0,
            spooled,
        });
        if let (Some(keeping), Some(kept)) = (keeping, kept) {
            keeping.push(&head, kept);
        }
        (head, words)
    }
}

/// The group of a document by the field that tells it, and whether it has the field. Documents without it are a group.
pub(super) fn group_of(others: &[(usize, String)]) -> (u64, bool) {
    let Some((_, written)) = others.first().filter(|(_, written)| written != "null") else { return (0, false) };
    // In JSON a text has quotes and a number has none; in tables both are texts.
    let text = serde_json::from_str::<String>(written);
    (bytes_hash(text.as_deref().unwrap_or(written).as_bytes()) as u64, true)
}

impl Sketching {
    /// Sets the group of the text that comes next.
    fn set_group(&mut self, group: Option<u64>) {
        if let Some(sketcher) = &mut self.sketcher {
            sketcher.set_group(group);
        }
    }

    /// Finds what is ignored of the next document.
    fn find_source(&mut self, origin: described::Origin<'_>) {
        if let (Some(ignoring), Some(sketcher)) = (&self.ignoring, &mut self.sketcher) {
            sketcher.of_source(ignoring.place(origin));
        }
    }

    /// Summarizes a text that is only looked over.
    fn look_over(content: &mut ContentHasher, text: &str) -> TextSummary {
        let token_count = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let (text_hash, content_hash) = (bytes_hash(text.as_bytes()), content.hash(text));
        TextSummary { text_hash, content_hash, token_count, size: 0, ignored: 0 }
    }

    fn sketch(
        &mut self,
        text: &str,
        place: Place,
        position: u64,
        builder: &mut Builder,
        kept: &mut Option<ChunkFeatures>,
    ) {
        let Some(sketcher) = &mut self.sketcher else {
            let summary = Self::look_over(&mut self.content, text);
            return builder.rows.push(Row::new(place, position, summary));
        };
        if text.len() > self.together {
            let checked = self.memory.check_document(text.len(), sketcher.token_count(text));
            self.check = self.check.take().or(checked.err());
        }
        // The run ends with what is found here.
        let text = if self.check.is_some() { "" } else { text };
        let summary = match kept {
            Some(ChunkFeatures { features, ends }) => {
                let summary = sketcher.sketch_and_keep(text, &mut builder.sketches, features);
                // A chunk is a megabyte, or one document of less than four gigabytes.
                ends.push(features.len() as u32);
                summary
            }
            None => sketcher.sketch(text, &mut builder.sketches),
        };
        let text_hash = match self.checksum {
            None => summary.text_hash,
            Some(Checksum::Text) => summary.content_hash,
            Some(checksum) => {
                builder.sums.extend(checksum.of(text));
                self.key.bytes_hash(text.as_bytes())
            }
        };
        builder.rows.push(Row::new(place, position, TextSummary { text_hash, ..summary }));
    }
}
