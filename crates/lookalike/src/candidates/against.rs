//! The reference: documents with which the input is compared, and that are neither removed nor written.
//!
//! Input and reference are read together. A reference document is sketched and read again like any other, but follows
//! all of the input, so the numbers of input documents are below [`Corpus::input_count`]. In keep order it is the other
//! way round: references are the best.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lookalike_core::decision::{References, Scope};
use lookalike_core::ids::{Document, Number};
use lookalike_io::input::discover::{InputFile, Origin};
use lookalike_io::input::shelf::Shelf;

use crate::candidates::copies::Texts;
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::options::{Against, ReadOptions};

/// Finds the files of the input followed by those of the reference; also returns the number of input files.
pub(crate) fn shelf(read: &ReadOptions, against: Option<&Against>, output: Option<&Path>) -> Result<(Shelf, usize)> {
    let mut found = read.discover(output)?;
    let input_files = found.files.len();
    if let Some(against) = against {
        let references = against.discover(output, &read.exclude)?;
        check_apart(&found.files, &references.files)?;
        found.files.extend(references.files);
        found.left_out.add(references.left_out);
    }
    Ok((Shelf::new(found), input_files))
}

/// A file in both would lose all its documents, each as a copy of itself.
fn check_apart(inputs: &[InputFile], references: &[InputFile]) -> Result<()> {
    let inputs: HashSet<PathBuf> = inputs.iter().map(real_path).collect();
    match references.iter().find(|reference| inputs.contains(&real_path(reference))) {
        Some(both) => Err(Error::InputIsReference { path: both.shown() }),
        None => Ok(()),
    }
}

/// The real path of a file, following links.
fn real_path(file: &InputFile) -> PathBuf {
    match &file.origin {
        Origin::Stdin => PathBuf::from("-"),
        // Two tables may have the same name.
        Origin::Held(table) => PathBuf::from(format!("table {:p}", Arc::as_ptr(&table.rows))),
        _ => file.shown().canonicalize().unwrap_or_else(|_| file.shown()),
    }
}

/// Moves references to the front, and keeps the order otherwise.
pub(crate) fn references_first(corpus: &Corpus, mut order: Vec<Document>) -> Vec<Document> {
    // The sort is stable.
    order.sort_by_key(|document| !corpus.is_reference(*document));
    order
}

/// The references among the texts, and what is compared with them.
pub(crate) fn references(corpus: &Corpus, texts: &Texts, scope: Scope) -> References {
    let count = texts.items.partition_point(|document| corpus.is_reference(*document)) as u32;
    References { count, scope }
}

/// Splits texts that are on both sides: a text that input and reference share becomes one item on each. Also returns
/// these pairs of items, input first.
///
/// If references are never removed, they may represent their copies in the input. Pairs however are across both sides,
/// and a text on both sides has matches on both.
pub(crate) fn apart(corpus: &Corpus, texts: Texts) -> (Texts, Vec<(Document, Document)>) {
    let Texts { items, mut first_copy, first_exact } = texts;
    let mut inputs: HashMap<Document, Document> = HashMap::new();
    for document in (0..corpus.input_count() as u32).map(Document) {
        let first = &mut first_copy[document.index()];
        if corpus.is_reference(*first) {
            *first = *inputs.entry(*first).or_insert(document);
        }
    }
    let mut shared: Vec<(Document, Document)> =
        inputs.into_iter().map(|(reference, input)| (input, reference)).collect();
    shared.sort_unstable();
    let (mut items, of_input): (Vec<Document>, Vec<Document>) =
        items.into_iter().partition(|document| corpus.is_reference(*document));
    let compared = shared.iter().map(|(input, _)| *input).filter(|input| corpus.sizes[input.index()] > 0);
    let mut of_input: Vec<Document> = of_input.into_iter().chain(compared).collect();
    of_input.sort_unstable();
    items.extend(of_input);
    (Texts { items, first_copy, first_exact }, shared)
}
