//! Finds test items in a corpus, and reports their places: n-grams of the items are indexed, the corpus is read once,
//! and passages shared with an item are verified, extended, and shown with their place.
//!
//! ```text
//! test sets → TestItems ┐
//! corpus → documents ───┴→ found → hits, of which some are common → rows, report, documents
//! ```
//!
//! Memory is needed for the test sets and the results, not for the corpus.

mod decide;
mod items;
mod page;
mod rows;
mod search;
mod summary;
mod write;

use std::collections::BTreeSet;

use derive_setters::Setters;
use lookalike_core::contamination::{ItemState, TestItems};
use lookalike_core::hash::Key;
use lookalike_core::remedy::JobOption;
use lookalike_io::input::shelf::Shelf;

pub use self::rows::{HitRow, ItemRow, ItemSearch};
pub use self::summary::{CommonPassage, ContaminatedSet, DecontaminateSummary, SearchedCorpus};

use self::decide::{Decided, decide};
use self::items::{Item, read_items};
use self::search::{Searched, search};
use self::write::Destination;
use crate::error::{Error, Result};
use crate::options::DecontaminateOptions;
use crate::output::sink::Sink;
use crate::progress::Progress;
use crate::run::stages::Stages;

/// Sinks for the rows of [`decontaminate_into()`].
#[derive(Default, Setters)]
#[setters(strip_option)]
#[non_exhaustive]
pub struct DecontaminateRows<'a> {
    /// Receives every passage that a document shares with an item, in the order of the corpus.
    pub hits: Option<&'a mut dyn Sink<HitRow>>,
    /// Receives every test item, in the order of the test sets.
    pub items: Option<&'a mut dyn Sink<ItemRow>>,
}

/// Looks for test items in a corpus.
///
/// A hit names the item, the document and the bytes of its text, however the item is written there. Text that an item
/// has in common with other sources, such as an instruction or a public passage, is common and does not count as
/// contamination.
///
/// ```
/// use lookalike::{DecontaminateRequest, Silent, decontaminate};
///
/// # let folder = tempfile::tempdir()?;
/// # std::env::set_current_dir(&folder)?;
/// let question = "A robe takes 2 bolts of blue fiber and half that much white fiber. How many bolts in total does it take?";
/// std::fs::write("items.jsonl", format!("{{\"question\":{question:?},\"answer\":\"3\"}}\n"))?;
/// std::fs::write("crawl.jsonl", format!("{{\"text\":\"A quiz! {} Three.\"}}\n", question.to_uppercase()))?;
/// let request = DecontaminateRequest::new(["crawl.jsonl"]).against(["items.jsonl".into()]);
/// let summary = decontaminate(&request.check()?, &Silent)?;
/// assert_eq!((summary.sets[0].item_count, summary.sets[0].contaminated_count), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If an input cannot be read, no item has the field of the question, or the output cannot be written. In that case
/// nothing is left under the name of the output.
pub fn decontaminate(options: &DecontaminateOptions, progress: &dyn Progress) -> Result<DecontaminateSummary> {
    decontaminate_into(options, DecontaminateRows::default(), progress)
}

/// Looks for test items like [`decontaminate()`], and also passes the results on as typed rows, before the output, if
/// any, is moved into place.
///
/// # Errors
///
/// As [`decontaminate()`], and if a sink fails.
pub fn decontaminate_into(
    options: &DecontaminateOptions,
    rows: DecontaminateRows<'_>,
    progress: &dyn Progress,
) -> Result<DecontaminateSummary> {
    let mut stages = Stages::start(progress);
    let mut corpus = Shelf::new(options.read.discover(options.folder.as_deref())?);
    let destination = Destination::open(options, &corpus, progress)?;
    let tests = Tests::read(options, &mut stages)?;
    let searched = search(&mut corpus, &tests, options, &mut stages)?;
    tests.check(&searched, options)?;
    let decided = decide(&tests, &searched, options);
    rows.write(&tests, &searched, &decided, options)?;

    let mut summary = DecontaminateSummary::new(&tests, &searched, &decided, options);
    let documents = destination.write(&corpus, (&tests, &searched, &decided), options, &mut stages)?;
    summary.count_documents(documents);
    corpus.check_unchanged()?;
    summary.set_stages(stages.finish());
    // The last chance to stop: files with their final names must be complete.
    progress.go_on()?;
    destination.commit(&summary, || page::page(&summary, &tests, &searched, &decided, options), options)?;
    Ok(summary)
}

/// The test sets in memory.
pub(crate) struct Tests {
    /// The items, by number.
    pub(crate) items: Vec<Item>,
    /// The names of the sets.
    pub(crate) sets: Vec<String>,
    /// Fields that no item has, the first left out.
    pub(crate) absent_fields: Vec<String>,
    pub(crate) index: TestItems,
    /// Skipped entries.
    pub(crate) skipped: Vec<crate::report::summary::SkippedEntry>,
    pub(crate) skipped_count: u64,
}

impl Tests {
    fn read(options: &DecontaminateOptions, stages: &mut Stages<'_>) -> Result<Self> {
        // Decisions use a key that nobody can know in advance; the result does not depend on it.
        read_items(options, Key::random(), stages)
    }

    /// Makes sure that a limit is about something: without items or documents, there is no hit in any case.
    fn check(&self, searched: &Searched, options: &DecontaminateOptions) -> Result<()> {
        if options.fail_if_contaminated.is_none() {
            return Ok(());
        }
        let refuse = |what: String| Err(Error::NothingToCheck { what, limit: JobOption::FailIfContaminated });
        let with_items: BTreeSet<u32> = self.items.iter().map(|item| item.set).collect();
        if let Some((_, empty)) = (0..).zip(&self.sets).find(|(set, _)| !with_items.contains(set)) {
            return refuse(format!("{empty} has no items"));
        }
        if (0..self.index.count()).all(|item| self.index.state(item) != ItemState::Searched) {
            return refuse("the test sets have no item that can be searched for".to_owned());
        }
        if searched.document_count == 0 {
            return refuse("the corpus has no documents".to_owned());
        }
        Ok(())
    }
}

impl DecontaminateRows<'_> {
    fn write(
        self,
        tests: &Tests,
        searched: &Searched,
        decided: &Decided,
        options: &DecontaminateOptions,
    ) -> Result<()> {
        if let Some(sink) = self.hits {
            rows::write_hits(tests, searched, decided, options, sink).map_err(Error::unwritable)?;
        }
        if let Some(sink) = self.items {
            rows::write_items(tests, searched, decided, sink).map_err(Error::unwritable)?;
        }
        Ok(())
    }
}
