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
use super::kept::{ChunkFeatures, Keeping};
use crate::corpus::queue::{Queue, Watch};
use crate::error::{Error, Result};
use crate::items::KeptFeatures;
use crate::options::{ReadOptions, Scheme};
use crate::progress::{Counted, Progress};
use crate::resources::memory::Memory;
use crate::resources::work::Work;
use lookalike_core::text::checksum::Checksum;

/// What reading needs.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub(crate) options: &'a ReadOptions,
    pub(crate) similarity: &'a Scheme,
    pub(crate) method: &'a dyn Method,
    pub(crate) work: &'a Work,
    pub(crate) progress: &'a dyn Progress,
    /// Whether to keep the features of a small input.
    pub(crate) keeps_features: bool,
}

/// Reads and sketches everything, on all threads: what each file is, the blocks of all, and the features of a small
/// input where these are asked for.
pub(super) fn read(shelf: &Shelf, reading: Reading<'_>) -> Result<(Vec<Arc<FileKind>>, Blocks, Option<KeptFeatures>)> {
    let Reading { options, method, work, progress, .. } = reading;
    let keeping = reading.keeps_features.then(Keeping::default);
    let settings = &options.settings.anew();
    let (collector, finished) = Collector::start(work, |head| !method.learns() && is_there(shelf, head))?;
    let mut left = units(shelf.files(), settings, UNIT_BYTES)?;
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
                let (head, words) = reader.block(&chunk, kept);
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

/// Whether what an earlier attempt has left of a chunk can be used: also its bytes are there, if they were spooled.
fn is_there(shelf: &Shelf, head: &Head) -> bool {
    // What is far away has to be had again in any case.
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
    keeps_spool: bool,
}

/// What makes a text's sketch, and all else that is kept of it.
struct Sketching {
    sketcher: TextSketcher,
    /// What makes exact copies, where these alone are joined.
    checksum: Option<Checksum>,
    /// What decides which texts are exact copies.
    key: Key,
    memory: Memory,
    /// Longer texts are looked at before they are sketched.
    together: usize,
    /// Why a text could not be sketched.
    check: Option<Error>,
}

impl Reader {
    fn new(reading: Reading<'_>) -> Self {
        let Reading { options, similarity, method, work, .. } = reading;
        Self {
            parser: Parser::new(&options.settings),
            work: Sketching {
                sketcher: TextSketcher::new(similarity, method, work.key()),
                checksum: similarity.method().checksum(),
                key: work.key(),
                memory: work.memory,
                together: work.memory.read_together(rayon::current_num_threads()),
                check: None,
            },
            builder: Builder::new(method.layout()),
            wants_values: options.settings.fields.value.is_some(),
            keeps_spool: work.named().is_some(),
        }
    }

    /// The block of a chunk, whose features go to `keeping`, if they are wanted.
    fn block(&mut self, chunk: &Chunk, keeping: Option<&Keeping>) -> (Head, Vec<u64>) {
        let Self { parser, work, builder, wants_values, keeps_spool } = self;
        let mut kept = keeping.map(|_| ChunkFeatures::default());
        let mut position_count = parser.entries(chunk, |Placed { position, place, entry }| match entry {
            Entry::Document(document) => {
                let Document { id, uri, source, .. } = &document;
                builder.push_names([id, uri, source].map(|name| name.as_deref().unwrap_or_default()));
                if *wants_values {
                    builder.others.values.push(document.value.clone().into());
                }
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

impl Sketching {
    fn sketch(
        &mut self,
        text: &str,
        place: Place,
        position: u64,
        builder: &mut Builder,
        kept: &mut Option<ChunkFeatures>,
    ) {
        if text.len() > self.together {
            let checked = self.memory.check_document(text.len(), self.sketcher.token_count(text));
            self.check = self.check.take().or(checked.err());
        }
        // The run ends with what is found here.
        let text = if self.check.is_some() { "" } else { text };
        let TextSummary { text_hash, content_hash, token_count, size } = match kept {
            Some(ChunkFeatures { features, ends }) => {
                let summary = self.sketcher.sketch_and_keep(text, &mut builder.sketches, features);
                // A chunk is a megabyte, or one document of less than four gigabytes.
                ends.push(features.len() as u32);
                summary
            }
            None => self.sketcher.sketch(text, &mut builder.sketches),
        };
        let text_hash = match self.checksum {
            None => text_hash,
            Some(Checksum::Text) => content_hash,
            Some(checksum) => {
                builder.sums.extend(checksum.of(text));
                self.key.bytes_hash(text.as_bytes())
            }
        };
        builder.rows.push(Row { place, position, text_hash, content_hash, token_count, size });
    }
}
