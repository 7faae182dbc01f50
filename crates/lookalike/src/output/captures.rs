//! Extends the removal of documents of a crawl to their dependent records: the `request` of a removed response, its
//! `metadata`, and the `continuation` of a record that was cut in two.
//!
//! Records of one capture refer to each other by their ids, in either direction, directly or indirectly, and are in one
//! file in any order. A record is removed if its capture has removed documents and nothing that is kept: two captures
//! with the same ids, as in a crawl that was appended to itself, cannot be told apart, and then nothing is removed.
//!
//! A `revisit` is another capture of a page that is elsewhere in the crawl, perhaps in another file, and has no payload
//! of its own. It is removed together with that page: keeping the page for it would leave a near-duplicate in the
//! output, and without the page it is useless.

use std::collections::{BTreeMap, HashMap, HashSet};

use lookalike_io::format::Format;
use lookalike_io::read::{Links, links};
use rayon::prelude::*;

use crate::corpus::{Corpus, FileEntry, What};
use crate::error::{Error, Result};
use crate::output::evidence::Verdicts;

/// The kinds of records that mean nothing without another one.
const DEPENDENT: [&str; 3] = ["continuation", "metadata", "request"];

/// The kind of records that have their payload elsewhere.
pub(crate) const REVISIT: &str = "revisit";

/// Number of blocks that a thread processes before the results are consumed.
const BLOCKS_AT_ONCE: usize = 16;

/// Records of a file that are removed together with its removed documents.
#[derive(Debug, Default)]
pub(crate) struct Captures {
    /// Positions of these entries in the file, counted from 1.
    removed: HashSet<u64>,
    counts: BTreeMap<String, u64>,
}

/// Pages that revisits may refer to, and whether they stay. Nothing is noted of a crawl without revisits or without
/// removals.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    notes: HashMap<u128, u8>,
}

impl Pages {
    /// Those of all crawls of the input.
    pub(crate) fn of_input(corpus: &Corpus, fates: &dyn Verdicts) -> Result<Self> {
        let mut pages = Self::default();
        if !corpus.others.carried.contains_key(REVISIT) || !fates.removes_any() {
            return Ok(pages);
        }
        let of_block = |block: &usize| {
            let mut noted = Vec::new();
            for FileEntry { place, what, .. } in corpus.entries(*block)? {
                let What::Document(document) = what else { continue };
                let note = if fates.is_kept(document) { STAYS } else { LOSES };
                let names = links(&corpus.shelf, place, corpus.key())?.into_iter().flat_map(|links| links.page);
                noted.extend(names.map(|name| (name, note)));
            }
            Ok(noted)
        };
        let files = (0..corpus.input_files as u32).filter(|file| corpus.kind(*file).format == Format::Warc);
        let blocks: Vec<usize> = files.flat_map(|file| corpus.blocks_of_file(file)).collect();
        for some in blocks.chunks(BLOCKS_AT_ONCE * rayon::current_num_threads()) {
            for (name, note) in some.par_iter().map(of_block).collect::<Result<Vec<_>>>()?.into_iter().flatten() {
                *pages.notes.entry(name).or_default() |= note;
            }
        }
        Ok(pages)
    }

    /// True if the page of a revisit was removed. A page that is not in the input is not removed.
    fn is_lost(&self, revisit: &Links) -> bool {
        revisit.is_revisit && revisit.page.iter().find_map(|name| self.notes.get(name)) == Some(&LOSES)
    }
}

impl Captures {
    /// Those of a file of the input.
    pub(crate) fn of_file(corpus: &Corpus, fates: &dyn Verdicts, pages: &Pages, file: u32) -> Result<Self> {
        let may_have_some = || Ok::<_, Error>(!pages.notes.is_empty() || may_have_some(corpus, fates, file)?);
        if corpus.kind(file).format != Format::Warc || !may_have_some()? {
            return Ok(Self::default());
        }
        let of_block = |block: &usize| {
            let entries = corpus.entries(*block)?.into_iter();
            let linked =
                |entry: FileEntry| Ok(links(&corpus.shelf, entry.place, corpus.key())?.map(|links| (entry, links)));
            entries.filter_map(|entry| linked(entry).transpose()).collect::<Result<Vec<_>>>()
        };
        let mut groups = Groups::default();
        let mut dependent: Vec<(u64, u32, String)> = Vec::new();
        let blocks: Vec<usize> = corpus.blocks_of_file(file).collect();
        for some in blocks.chunks(BLOCKS_AT_ONCE * rayon::current_num_threads()) {
            let of_blocks = some.par_iter().map(of_block).collect::<Result<Vec<_>>>()?;
            for (FileEntry { position, what, .. }, links) in of_blocks.into_iter().flatten() {
                // An entry that has no id and refers to none is a capture of its own.
                let Some(group) = groups.join(&links) else { continue };
                match what {
                    What::Carried(kind) if pages.is_lost(&links) => {
                        groups.note(group, LOSES);
                        dependent.push((position, group, kind));
                    }
                    What::Carried(kind) if DEPENDENT.contains(&&*kind) => dependent.push((position, group, kind)),
                    What::Document(document) if !fates.is_kept(document) => groups.note(group, LOSES),
                    What::Carried(_) | What::Document(_) => groups.note(group, STAYS),
                }
            }
        }
        let mut captures = Self::default();
        for (position, group, kind) in dependent {
            if groups.of(group) == LOSES {
                captures.removed.insert(position);
                *captures.counts.entry(kind).or_default() += 1;
            }
        }
        Ok(captures)
    }

    /// True if no records are removed.
    pub(crate) fn is_empty(&self) -> bool {
        self.removed.is_empty()
    }

    /// True if an entry is removed with a document.
    pub(crate) fn is_removed(&self, position: u64) -> bool {
        self.removed.contains(&position)
    }

    /// Number of these records, by kind.
    pub(crate) fn counts(&self) -> &BTreeMap<String, u64> {
        &self.counts
    }
}

/// True if a file has removed documents and dependent records. Text extracts of crawls (WET) have none of these, and
/// are not examined further.
fn may_have_some(corpus: &Corpus, fates: &dyn Verdicts, file: u32) -> Result<bool> {
    if !DEPENDENT.iter().any(|kind| corpus.others.carried.contains_key(*kind)) {
        return Ok(false);
    }
    let (mut has_removed, mut has_dependent) = (false, false);
    for block in corpus.blocks_of_file(file) {
        for entry in corpus.entries(block)? {
            match entry.what {
                What::Document(document) => has_removed |= !fates.is_kept(document),
                What::Carried(kind) => has_dependent |= DEPENDENT.contains(&&*kind),
            }
        }
        if has_removed && has_dependent {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Flags of a group: it has a removed document, or an entry that stays.
const LOSES: u8 = 1;
const STAYS: u8 = 2;

/// Ids that refer to each other, directly or through others.
#[derive(Debug, Default)]
struct Groups {
    by_id: HashMap<u128, u32>,
    /// For each id, another one of its group; in the end, the root of the group.
    parents: Vec<u32>,
    /// Flags of the group, for each root.
    notes: Vec<u8>,
}

impl Groups {
    /// Joins the groups of a record's id and of the ids that it refers to; returns one of these ids.
    fn join(&mut self, links: &Links) -> Option<u32> {
        let mut joined = None;
        for id in links.id.iter().chain(&links.to) {
            let next = self.parents.len() as u32;
            let number = *self.by_id.entry(*id).or_insert(next);
            if number == next {
                self.parents.push(next);
                self.notes.push(0);
            }
            let (root, other) = (self.root(number), joined.unwrap_or(number));
            let other = self.root(other);
            if root != other {
                self.parents[root as usize] = other;
                self.notes[other as usize] |= self.notes[root as usize];
            }
            joined = Some(other);
        }
        joined
    }

    fn root(&mut self, mut number: u32) -> u32 {
        while self.parents[number as usize] != number {
            // Path halving: each step shortens the path for later lookups.
            let parent = self.parents[number as usize];
            self.parents[number as usize] = self.parents[parent as usize];
            number = parent;
        }
        number
    }

    fn note(&mut self, number: u32, note: u8) {
        let root = self.root(number);
        self.notes[root as usize] |= note;
    }

    /// Returns the flags of the group of an id.
    fn of(&mut self, number: u32) -> u8 {
        let root = self.root(number);
        self.notes[root as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_join_by_way_of_others_and_keep_what_they_have() {
        let mut groups = Groups::default();
        let links = |id, to: &[u128]| Links { id: Some(id), to: to.to_vec(), page: Vec::new(), is_revisit: false };
        let first = groups.join(&links(1, &[])).unwrap();
        groups.note(first, LOSES);
        let third = groups.join(&links(3, &[2])).unwrap();
        assert_eq!((groups.of(first), groups.of(third)), (LOSES, 0));
        groups.join(&links(2, &[1]));
        assert_eq!((groups.of(first), groups.of(third)), (LOSES, LOSES));
        let other = groups.join(&links(9, &[3])).unwrap();
        groups.note(other, STAYS);
        assert_eq!(groups.of(first), LOSES | STAYS);
        assert_eq!(groups.join(&Links { id: None, ..links(1, &[]) }), None);
    }
}
