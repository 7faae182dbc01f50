//! Passages that several documents have: lines, paragraphs, and runs of words, each with its places.
//!
//! ```text
//! sample → count → find → join → write
//! ```
//!
//! The input is read three times. Memory use depends on the amount of repeated text; if it exceeds the limit, units are
//! counted in several parts, and the passages of each part are stored in memory or on disk. The result is the same.

mod baseline;
mod find;
mod firsts;
mod gather;
mod page;
mod rounds;
mod rows;
mod sarif;
mod summary;
mod write;

use derive_setters::Setters;

pub use self::rows::{Husk, RepeatedPassage};
pub use self::summary::{MostRepeated, PassageSource, PassagesFound, PassagesInput, PassagesSummary};

use self::find::Finder;
use self::gather::Gathered;
use self::rounds::Counted;
use self::write::Target;
pub(crate) use self::write::{jsonl_name, object};
use crate::error::Result;
use crate::options::PassagesOptions;
use crate::output::sink::Sink;
use crate::progress::Progress;
use crate::run::stages::Stages;

/// Finds passages that several documents have, lists them with their places, and writes documents without them if
/// requested.
///
/// # Errors
///
/// Fails if an input cannot be read, the output cannot be written, or the memory is too small. Nothing is left under
/// the output's name then.
pub fn passages(options: &PassagesOptions, progress: &dyn Progress) -> Result<PassagesSummary> {
    passages_into(options, PassageRows::default(), progress)
}

/// Sinks for the rows of [`passages_into()`].
#[derive(Default, Setters)]
#[setters(strip_option)]
#[non_exhaustive]
pub struct PassageRows<'a> {
    /// Receives every repeated passage, in the order of the input.
    pub passages: Option<&'a mut (dyn Sink<RepeatedPassage> + Send)>,
    /// Receives every document of which little is left.
    pub husks: Option<&'a mut (dyn Sink<Husk> + Send)>,
}

/// Finds passages as [`passages()`] does, and also gives them to sinks as typed rows.
///
/// ```
/// use lookalike::{PassageRows, PassagesRequest, RepeatedPassage, Silent};
///
/// # let folder = tempfile::tempdir()?;
/// # let pages = folder.path().join("pages.jsonl");
/// # std::fs::write(&pages, "{\"text\":\"Home\\nOne page\"}\n{\"text\":\"Home\\nAnother page\"}\n")?;
/// let mut found: Vec<RepeatedPassage> = Vec::new();
/// let options = PassagesRequest::new([pages]).unit("line").check()?;
/// lookalike::passages_into(&options, PassageRows::default().passages(&mut found), &Silent)?;
/// assert_eq!((&*found[0].document_id, found[0].start, found[0].end), ("pages.jsonl:2", 0, 5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`passages()`], and when a sink fails.
pub fn passages_into(
    options: &PassagesOptions,
    rows: PassageRows<'_>,
    progress: &dyn Progress,
) -> Result<PassagesSummary> {
    let mut stages = Stages::start(progress);
    let finder = Finder::new(options, progress)?;
    let mut target = Target::open(options, &finder.files, rows, progress)?;

    let seen = stages.measure("sample", || finder.sample())?;
    let counted = stages.measure("count", || Counted::new(&finder, seen.as_ref()))?;
    let mut gathered = Gathered::new(options);
    let skips = stages.measure("write", || counted.write(&finder, &mut target, &mut gathered))?;

    progress.go_on()?;
    let mut summary = PassagesSummary::new(options, &finder, gathered.found(), skips);
    gathered.describe(&mut summary);
    summary.set_stages(stages.finish());
    let page = options.has_report().then(|| page::page(&summary, gathered));
    target.commit(&summary, page.as_deref())?;
    Ok(summary)
}
