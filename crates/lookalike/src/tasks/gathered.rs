//! Texts that were read again and are at hand: in memory, or beyond a limit in a temporary file.

use std::collections::HashMap;
use std::sync::Mutex;

use lookalike_core::hash::Key;
use lookalike_core::ids::{Document, Number};
use lookalike_core::sources::{FeatureSource, SourceError};
use lookalike_core::text::boilerplate::SourcePlace;
use lookalike_core::text::shingle::Shingler;
use lookalike_io::work::Log;
use rayon::prelude::*;

use super::Context;
use crate::corpus::rules::TextSource;
use crate::corpus::staged::read_again;
use crate::corpus::{Corpus, Ignoring, Kept};
use crate::error::{Error, Result};
use crate::options::Scheme;

/// Bytes of texts that are held in memory.
const HELD_BYTES: usize = 256 << 20;

/// Texts by number.
pub(super) struct Gathered<'t> {
    scheme: &'t Scheme,
    key: Key,
    held: Vec<u8>,
    log: Option<Log>,
    texts: Vec<Gather>,
    shinglers: Mutex<Vec<[Shingler; 2]>>,
}

/// Location of a text, and the data on which its features depend in addition.
struct Gather {
    offset: u64,
    length: usize,
    is_filed: bool,
    token_count: u32,
    group: Option<u64>,
    source: Option<SourcePlace>,
}

/// Data on which the features of a text depend, in addition to the text.
#[derive(Clone, Copy, Default)]
pub(super) struct About {
    pub(super) token_count: u32,
    pub(super) group: Option<u64>,
    pub(super) source: Option<SourcePlace>,
}

impl<'t> Gathered<'t> {
    pub(super) fn new(context: &Context<'t>) -> Self {
        let (scheme, key) = (context.scheme, context.work.key());
        Self { scheme, key, held: Vec::new(), log: None, texts: Vec::new(), shinglers: Mutex::default() }
    }

    /// Adds the next text.
    pub(super) fn push(&mut self, text: &[u8], about: About, context: &Context<'_>) -> Result<()> {
        let About { token_count, group, source } = about;
        let is_filed = self.held.len() + text.len() > HELD_BYTES;
        let offset = if is_filed {
            if self.log.is_none() {
                self.log = Some(context.work.folder()?.log("texts")?);
            }
            let words: Vec<u64> = text
                .chunks(size_of::<u64>())
                .map(|bytes| {
                    let mut word = [0; size_of::<u64>()];
                    word[..bytes.len()].copy_from_slice(bytes);
                    u64::from_ne_bytes(word)
                })
                .collect();
            self.log.as_ref().map_or(Ok(0), |log| log.append(&words))?
        } else {
            self.held.extend(text);
            (self.held.len() - text.len()) as u64
        };
        self.texts.push(Gather { offset, length: text.len(), is_filed, token_count, group, source });
        Ok(())
    }

    fn text(&self, at: usize) -> Result<String> {
        let Gather { offset, length, is_filed, .. } = self.texts[at];
        let bytes = if is_filed {
            let mut bytes = vec![0; length];
            self.log.as_ref().map_or(Ok(()), |log| log.read_bytes(offset, &mut bytes))?;
            bytes
        } else {
            self.held[offset as usize..][..length].to_vec()
        };
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Gives a text to `of_text`, with the shinglers of the key of the run and of the second one.
    fn with_text<T>(&self, at: usize, of_text: impl FnOnce(&str, &mut [Shingler; 2]) -> T) -> Result<T> {
        let text = self.text(at)?;
        let waiting = self.shinglers.lock().expect("no thread panicked").pop();
        let new = || [self.key, self.key.second()].map(|key| self.scheme.shingler(key));
        let mut shinglers = waiting.unwrap_or_else(new);
        for shingler in &mut shinglers {
            shingler.set_group(self.texts[at].group);
            shingler.of_source(self.texts[at].source);
        }
        let output = of_text(&text, &mut shinglers);
        self.shinglers.lock().expect("no thread panicked").push(shinglers);
        Ok(output)
    }

    /// The hash of a text's words with the key of the run.
    fn words_hash(&self, at: usize) -> Result<u128> {
        // Two keys, since texts may differ in one word, and a word has 64 bits of one key.
        self.with_text(at, |text, [first, second]| first.features(text).text_hash() ^ second.features(text).text_hash())
    }
}

impl FeatureSource for Gathered<'_> {
    fn features(&self, document: Document) -> std::result::Result<Vec<u64>, SourceError> {
        Ok(self.with_text(document.index(), |text, [first, _]| first.own_features(text))?)
    }

    fn second_features(&self, document: Document) -> std::result::Result<Option<Vec<u64>>, SourceError> {
        Ok(Some(self.with_text(document.index(), |text, [_, second]| second.own_features(text))?))
    }
}

impl TextSource for Gathered<'_> {
    fn text_of(&self, document: Document) -> Result<String> {
        self.text(document.index())
    }

    fn token_count_of(&self, document: Document) -> u32 {
        self.texts[document.index()].token_count
    }
}

/// Some documents of the corpus, read again by reading their units.
pub(super) struct Sparse<'t> {
    gathered: Gathered<'t>,
    places: HashMap<Document, usize>,
}

impl<'t> Sparse<'t> {
    pub(super) fn read(context: &Context<'t>, corpus: &Corpus, mut wanted: Vec<Document>) -> Result<Self> {
        wanted.sort_unstable();
        wanted.dedup();
        let placed = context.placed(corpus, &wanted);
        let ignoring = Ignoring::of(context.scheme);
        let gathered = Mutex::new((Gathered::new(context), HashMap::new()));
        let all: Vec<((usize, u32), Document)> = placed.into_iter().zip(wanted).collect();
        let units: Vec<&[((usize, u32), Document)]> = all.chunk_by(|(left, _), (right, _)| left.0 == right.0).collect();
        units.into_par_iter().try_for_each(|of_unit| {
            let ((unit, _), _) = of_unit[0];
            let ordinals: Vec<u32> = of_unit.iter().map(|((_, ordinal), _)| *ordinal).collect();
            let reading = context.reading(Kept::Sketches, None);
            let mut documents = of_unit.iter().map(|(_, document)| *document);
            read_again(context.shelf(), &context.tasks.units()[unit], reading, &ordinals, |_, read| {
                let Some(document) = documents.next() else { return Ok(()) };
                check_same(corpus, document, read.text, context)?;
                let source = ignoring.as_ref().and_then(|ignoring| ignoring.place(read.origin));
                let token_count = corpus.token_counts[document.index()];
                let about = About { token_count, group: read.group, source };
                let mut gathered = gathered.lock().expect("no thread panicked");
                let at = gathered.0.texts.len();
                gathered.1.insert(document, at);
                gathered.0.push(read.text.as_bytes(), about, context)
            })
        })?;
        let (gathered, places) = gathered.into_inner().expect("no thread panicked");
        Ok(Self { gathered, places })
    }

    /// The hashes of the words of all these documents, with the key of the run.
    pub(super) fn words_hashes(&self) -> Result<HashMap<Document, u128>> {
        let hash = |(document, at): (&Document, &usize)| Ok((*document, self.gathered.words_hash(*at)?));
        self.places.par_iter().map(hash).collect()
    }
}

impl FeatureSource for Sparse<'_> {
    fn features(&self, document: Document) -> std::result::Result<Vec<u64>, SourceError> {
        match self.places.get(&document) {
            Some(at) => self.gathered.features(Document(*at as u32)),
            None => Err("a document was not read again".into()),
        }
    }
}

/// Makes sure that a document is the one that was sketched.
fn check_same(corpus: &Corpus, document: Document, text: &str, context: &Context<'_>) -> Result<()> {
    let row = corpus.row(document)?;
    if corpus.content_hasher().hash(text) == row.content_hash {
        return Ok(());
    }
    let path = context.shelf().files()[row.place.file as usize].shown();
    Err(Error::from(lookalike_io::Error::Changed { path }))
}
