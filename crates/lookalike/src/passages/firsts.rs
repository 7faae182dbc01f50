//! The documents that are the first with some passage: their ids and places, in memory while there is room, and then in
//! the work folder. They come and are stored in the order of the input.

use std::collections::HashMap;
use std::sync::Arc;

use lookalike_io::work::Log;

use super::sarif::Lines;
use crate::corpus::walk::Walked;
use crate::error::Result;
use crate::options::PassagesOptions;
use crate::progress::Progress;
use crate::resources::work::Work;

/// Number of documents that are stored, and read again, together.
const TOGETHER: usize = 128;

/// Maximum number of stored groups of documents to keep after they were read again.
const READ_AGAIN: usize = 64;

/// The part of the memory limit for these documents.
const SHARE: u64 = 32;

/// Numbers of a document that are stored before its id and lines.
const HEADER: usize = 5;

/// A document that others have a passage of.
#[derive(Debug)]
pub(super) struct FirstDocument {
    number: u32,
    file_number: u32,
    pub(super) id: Box<str>,
    pub(super) position: u64,
    /// Its lines, if they are to be named.
    pub(super) lines: Option<Lines>,
}

/// All documents that others have a passage of.
pub(super) struct Firsts {
    work: Work,
    log: Option<Log>,
    names: HashMap<u32, Arc<str>>,
    latest: Vec<FirstDocument>,
    groups: Vec<Group>,
    held_bytes: u64,
    most_bytes: u64,
    read_again: HashMap<usize, Box<[FirstDocument]>>,
}

/// Some documents in order.
struct Group {
    first_number: u32,
    stored: Stored,
}

enum Stored {
    Held(Box<[FirstDocument]>),
    Logged { offset: u64, words: usize },
}

impl Firsts {
    pub(super) fn new(options: &PassagesOptions, progress: &dyn Progress) -> Self {
        let memory = options.resources.memory;
        Self {
            work: Work::of_texts(memory, progress.unfinished()),
            log: None,
            names: HashMap::new(),
            latest: Vec::new(),
            groups: Vec::new(),
            held_bytes: 0,
            most_bytes: memory.bytes() / SHARE,
            read_again: HashMap::new(),
        }
    }

    /// Adds a document; its number is higher than those before it.
    pub(super) fn add(&mut self, number: u32, document: &Walked, lines: Option<Lines>) -> Result<()> {
        let (file_number, id, position) = (document.file_number, document.id.as_str().into(), document.position);
        self.names.entry(file_number).or_insert_with(|| Arc::clone(&document.file));
        self.latest.push(FirstDocument { number, file_number, id, position, lines });
        if self.latest.len() == TOGETHER { self.store() } else { Ok(()) }
    }

    /// The document with this number, and the name of its file.
    pub(super) fn of(&mut self, number: u32) -> Result<(&FirstDocument, &Arc<str>)> {
        let Self { log, names, latest, groups, read_again, .. } = self;
        let documents: &[FirstDocument] = if latest.first().is_some_and(|first| first.number <= number) {
            latest
        } else {
            let at = groups.partition_point(|group| group.first_number <= number) - 1;
            match &groups[at].stored {
                Stored::Held(documents) => documents,
                Stored::Logged { offset, words } => {
                    if !read_again.contains_key(&at) {
                        if read_again.len() == READ_AGAIN {
                            read_again.clear();
                        }
                        let mut stored = vec![0; *words];
                        log.as_ref().expect("there is a log if something is in it").read(*offset, &mut stored)?;
                        read_again.insert(at, of_words(&stored));
                    }
                    &read_again[&at]
                }
            }
        };
        let at = documents.binary_search_by_key(&number, |document| document.number);
        let document = &documents[at.expect("the first document with a unit came before")];
        Ok((document, &names[&document.file_number]))
    }

    fn store(&mut self) -> Result<()> {
        let documents: Box<[FirstDocument]> = std::mem::take(&mut self.latest).into();
        let first_number = documents[0].number;
        let bytes: u64 = documents.iter().map(FirstDocument::byte_count).sum();
        let stored = if self.held_bytes + bytes <= self.most_bytes {
            self.held_bytes += bytes;
            Stored::Held(documents)
        } else {
            let words = to_words(&documents);
            let log = match self.log.take() {
                Some(log) => log,
                None => self.work.folder()?.log("firsts")?,
            };
            let offset = self.log.insert(log).append(&words)?;
            Stored::Logged { offset, words: words.len() }
        };
        self.groups.push(Group { first_number, stored });
        Ok(())
    }
}

impl FirstDocument {
    /// The memory that it takes, with what the allocator takes.
    fn byte_count(&self) -> u64 {
        let lines = self.lines.as_ref().map_or(0, |lines| 4 * lines.ends().len() + 16);
        (size_of::<Self>() + self.id.len() + 16 + lines) as u64
    }
}

fn to_words(documents: &[FirstDocument]) -> Vec<u64> {
    let mut words = Vec::new();
    for document in documents {
        let (id, ends) = (document.id.as_bytes(), document.lines.as_ref().map(Lines::ends));
        let lines = ends.map_or(0, |ends| ends.len() as u64 + 1);
        words.extend([document.number.into(), document.file_number.into(), document.position, id.len() as u64, lines]);
        words.extend(id.chunks(8).map(|some| {
            let mut word = [0; 8];
            word[..some.len()].copy_from_slice(some);
            u64::from_le_bytes(word)
        }));
        words.extend(ends.unwrap_or_default().iter().map(|end| u64::from(*end)));
    }
    words
}

fn of_words(mut words: &[u64]) -> Box<[FirstDocument]> {
    let mut documents = Vec::with_capacity(TOGETHER);
    while let Some((header, rest)) = words.split_at_checked(HEADER) {
        let (length, lines) = (header[3] as usize, header[4] as usize);
        let (id, rest) = rest.split_at(length.div_ceil(8));
        let (ends, rest) = rest.split_at(lines.saturating_sub(1));
        let mut bytes: Vec<u8> = id.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.truncate(length);
        documents.push(FirstDocument {
            number: header[0] as u32,
            file_number: header[1] as u32,
            // Logs have checksums: what is read is what was written.
            id: String::from_utf8_lossy(&bytes).into(),
            position: header[2],
            lines: (lines > 0).then(|| Lines::ending_at(ends.iter().map(|end| *end as u32))),
        });
        words = rest;
    }
    documents.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_read_again_as_they_were_written() {
        let document = |number: u32| FirstDocument {
            number,
            file_number: number % 3,
            id: "é".repeat(number as usize).into(),
            position: u64::from(number) << 40,
            lines: number.is_multiple_of(2).then(|| Lines::ending_at((0..number).map(|line| line * 7))),
        };
        let written: Vec<FirstDocument> = (0..20).map(document).collect();
        let read = of_words(&to_words(&written));
        assert_eq!(format!("{read:?}"), format!("{written:?}"));
    }
}
