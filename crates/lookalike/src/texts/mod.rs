//! Texts in memory: gives the same results as files.
//!
//! ```
//! use lookalike::texts::{self, Fate};
//! use lookalike::Scheme;
//!
//! let scheme = Scheme::jaccard(0.5)?;
//! let texts = ["the storm hit the coast on Monday night", "The storm hit the coast on Monday night!", "a quiet day at sea"];
//! let fates = texts::dedup(texts, &scheme)?;
//! assert!(matches!(fates[1], Fate::Removed { by: 0, .. }));
//! assert_eq!((fates[0], fates[2]), (Fate::Kept, Fate::Kept));
//! # Ok::<(), lookalike::Error>(())
//! ```

mod features;
mod index;
mod resolve;

use derive_setters::Setters;
use lookalike_core::decision::{Match, References, Removed};
use lookalike_core::ids::{Document, Number, Rank};
use lookalike_core::measure::likeness::Likeness;
use lookalike_core::resolve::keep::{FieldValue, Keep, Ranking, keep_order};
use lookalike_core::resolve::{Candidates, TakeFound, TakeMatches, components, each_match, independent_set};
use lookalike_core::scheme::Scheme;
use lookalike_core::sources::SourceError;
use lookalike_core::verify::Verifier;

pub use index::MemoryIndex;
pub use lookalike_index::Hit;
pub use resolve::{KnownPair, resolve};

use self::features::InMemory;
use crate::candidates::copies::{Texts, join_copies, lengths};
use crate::candidates::verified::Resolved;
use crate::error::{Error, Result};
use crate::items::Items;
use crate::options::Group;
use crate::progress::{Progress, Silent};
use crate::request::check_keep;
use crate::resources::memory::Memory;
use crate::run::Run;
use crate::run::find::Find;

/// Decision on a text.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fate {
    /// The text is kept.
    Kept,
    /// The text is removed because of a kept one.
    #[non_exhaustive]
    Removed {
        /// The position of the text that is kept instead.
        by: usize,
        /// The measured overlap; the removed text is on the left, the kept one on the right.
        likeness: Likeness,
        /// True if they are equal in every character, up to Unicode's NFC and white space at line ends.
        is_exact_copy: bool,
    },
}

/// Two texts that are near-duplicates, `left` before `right`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pair {
    /// The position of the first.
    pub left: usize,
    /// The position of the second.
    pub right: usize,
    /// The measured overlap.
    pub likeness: Likeness,
}

/// Options of [`dedup_with`].
///
/// ```
/// use lookalike::texts::{self, Fate, TextOptions};
/// use lookalike::{Keep, Scheme, Silent};
///
/// let texts = ["the storm hit the coast", "The storm hit the coast!"];
/// let options = TextOptions::default().keep(Keep::Last);
/// let fates = texts::dedup_with(&texts, &Scheme::jaccard(0.8)?, &options, &Silent)?;
/// assert_eq!(fates[1], Fate::Kept);
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Clone, Debug, Default, Setters)]
#[non_exhaustive]
pub struct TextOptions {
    /// Rule for which of several near-duplicates is kept: the longest by default.
    keep: Keep,
    /// The values that [`Keep::Max`] and [`Keep::Min`] compare, one per text.
    values: Vec<FieldValue>,
    /// Rule for converting matches to removals.
    group: Group,
    /// Memory limit, not counting the texts.
    memory: Memory,
}

/// Removes near-duplicates. Returns for each text, in order, whether it is kept or removed.
///
/// Every removal is justified: the named text is kept, and is as similar as stated. No duplicates remain: no two kept
/// texts are near-duplicates, up to the recall of the scheme. Empty texts are kept.
///
/// # Errors
///
/// If the parameters of the scheme are invalid, or a temporary folder is needed and cannot be written to.
pub fn dedup<T: AsRef<str> + Sync>(texts: impl IntoIterator<Item = T>, scheme: &Scheme) -> Result<Vec<Fate>> {
    let texts: Vec<T> = texts.into_iter().collect();
    dedup_with(&texts, scheme, &TextOptions::default(), &Silent)
}

/// Like [`dedup`], with options and progress.
///
/// # Errors
///
/// As [`dedup`]; also if the keep order does not fit the measure, or compares values and there is not one per text.
pub fn dedup_with<T: AsRef<str> + Sync>(
    texts: &[T],
    scheme: &Scheme,
    options: &TextOptions,
    progress: &dyn Progress,
) -> Result<Vec<Fate>> {
    check_keep(&options.keep, scheme.criterion())?;
    if options.keep.field().is_some() && options.values.len() != texts.len() {
        return Err(Error::WrongNumberOfValues { values: options.values.len(), texts: texts.len() });
    }
    let mut removals: Vec<Option<(Document, Likeness)>> = vec![None; texts.len()];
    let search = Search::start(texts, scheme, options.memory, progress);
    let joined = search.join(&options.keep, &options.values)?;
    let references = References::default();
    let resolve = |candidates: Candidates<'_>, verifier: &Verifier<'_>, take: &TakeFound<'_, Removed<Rank>>| {
        take(match options.group {
            Group::Components => components(candidates, &joined.items, references, verifier),
            Group::Independent => independent_set(candidates, &joined.items, references, verifier),
        }?)
    };
    search.run(&joined, resolve, |some| {
        for Removed { removed, kept, likeness } in some {
            let [removed, kept] = [removed, kept].map(|rank| joined.items[rank.index()]);
            removals[removed.index()] = Some((kept, likeness));
        }
        Ok(())
    })?;
    let fate = |text: usize| {
        let first = joined.first_copy[text];
        match removals[first.index()] {
            Some((by, likeness)) => Fate::Removed { by: by.index(), likeness, is_exact_copy: false },
            None if first.index() == text => Fate::Kept,
            None => Fate::Removed {
                by: first.index(),
                likeness: scheme.method().likeness_of_copies(search.size(text)),
                is_exact_copy: joined.first_exact[text] == first,
            },
        }
    };
    Ok((0..texts.len()).map(fate).collect())
}

/// Every pair of near-duplicates, sorted.
///
/// ```
/// use lookalike::{Scheme, texts};
///
/// let corpus = ["one two three four five six", "ONE two three four five six", "seven eight nine"];
/// let pairs = texts::pairs(&corpus, &Scheme::jaccard(0.8)?)?;
/// assert_eq!((pairs.len(), pairs[0].left, pairs[0].right), (1, 0, 1));
/// # Ok::<(), lookalike::Error>(())
/// ```
///
/// # Errors
///
/// As [`dedup`].
pub fn pairs<T: AsRef<str> + Sync>(texts: &[T], scheme: &Scheme) -> Result<Vec<Pair>> {
    let search = Search::start(texts, scheme, Memory::default(), &Silent);
    let joined = search.join(&Keep::First, &[])?;
    let resolve = |candidates: Candidates<'_>, verifier: &Verifier<'_>, take: &TakeMatches<'_>| {
        each_match(candidates, &joined.items, References::default(), verifier, take)
    };
    let mut found = Vec::new();
    search.run(&joined, resolve, |matches| {
        found.extend(matches);
        Ok(())
    })?;
    let copies = joined.copies();
    let mut pairs: Vec<Pair> = Vec::new();
    let mut push = |left: Document, right: Document, likeness: Likeness| {
        let (left, right, likeness) =
            if left < right { (left, right, likeness) } else { (right, left, likeness.swapped()) };
        pairs.push(Pair { left: left.index(), right: right.index(), likeness });
    };
    for Match { left, right, likeness } in found {
        let [left, right] = [left, right].map(|rank| &copies[rank.index()]);
        for one in left {
            right.iter().for_each(|other| push(*one, *other, likeness));
        }
    }
    for same in &copies {
        let likeness = scheme.method().likeness_of_copies(search.size(same[0].index()));
        for (at, one) in same.iter().enumerate() {
            same[at + 1..].iter().for_each(|other| push(*one, *other, likeness));
        }
    }
    pairs.sort_unstable_by_key(|pair| (pair.left, pair.right));
    Ok(pairs)
}

/// The stages shared by all jobs over texts.
struct Search<'a, T> {
    texts: InMemory<'a, T>,
    run: Run<'a>,
}

impl<'a, T: AsRef<str> + Sync> Search<'a, T> {
    /// Sketches all texts.
    fn start(texts: &'a [T], scheme: &'a Scheme, memory: Memory, progress: &'a dyn Progress) -> Self {
        let run = Run::of_texts(scheme, memory, progress);
        let texts = run.stage("sketch", || InMemory::sketch(texts, scheme, &*run.method, run.work.key()));
        Self { texts, run }
    }

    /// Joins texts with the same words.
    fn join(&self, keep: &Keep, field_values: &[FieldValue]) -> Result<Texts> {
        let Self { texts, run } = self;
        let shares = run.work.memory.shares(texts.len())?;
        run.stage("copies", || {
            let token_counts = lengths(run.scheme.criterion(), &texts.token_counts, &texts.sizes);
            let ranking = Ranking { token_counts, field_values, source_ranks: &[] };
            join_copies(texts, &keep_order(keep, ranking), shares)
        })
    }

    /// Finds candidates and resolves them.
    fn run<R: Resolved>(
        &self,
        joined: &Texts,
        resolve: impl Fn(Candidates<'_>, &Verifier<'_>, &TakeFound<'_, R>) -> std::result::Result<(), SourceError> + Sync,
        take: impl FnMut(Vec<R>) -> Result<()> + Send,
    ) -> Result<()> {
        let Self { texts, run } = self;
        let shares = run.work.memory.shares(texts.len())?;
        let (sketched, deciding) =
            (texts.shingled(run.scheme.key().of(run.work.key())), texts.shingled(run.work.key()));
        let items =
            Items { sizes: &texts.sizes, sketches: &texts.sketches, sketched: &sketched, deciding: &deciding, shares };
        Find { items, texts: joined, references: References::default(), filter: None, kept: None }
            .run(run, resolve, take)
            .map(drop)
    }

    /// The number of distinct features of a text.
    fn size(&self, text: usize) -> u32 {
        self.texts.sizes[text]
    }
}
