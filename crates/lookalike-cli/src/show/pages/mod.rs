//! Results of jobs, as pages for a browser.

mod evaluate;
mod sets;
mod tune;

use std::path::Path;

use anyhow::{Context, Result};
use lookalike::io::write::OutputFile;
use lookalike_page::Page;

pub(crate) use self::evaluate::evaluate;
pub(crate) use self::sets::sets;
pub(crate) use self::tune::tune;
use crate::stop;

/// Writes a page to a file.
pub(crate) fn write(page: &Page, path: &Path, force: bool) -> Result<()> {
    let mut file = OutputFile::new(path, force, stop::unfinished())?;
    file.writer().write_all(page.render().as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(file.commit()?)
}
