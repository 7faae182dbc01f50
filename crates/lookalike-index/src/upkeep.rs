//! What is done with an index as a whole: checked, copied, upgraded.

use std::path::Path;

use crate::error::Result;
use crate::types::{Upgrade, Verification};

/// Reads and checks every byte of an index; with `repair`, rebuilds from the log what is damaged.
///
/// # Errors
///
/// When there is no index, it was made by a newer version, or a file cannot be read at all. Damage is not an error here.
pub fn verify(_dir: &Path, _repair: bool) -> Result<Verification> {
    todo!()
}

/// Makes a copy of an index in a new folder, by hard links where that is possible, while writing goes on.
///
/// # Errors
///
/// When there is no index, the folder has other files, or the disk refuses.
pub fn snapshot_to(_dir: &Path, _destination: &Path) -> Result<()> {
    todo!()
}

/// Brings an index to the newest version.
///
/// # Errors
///
/// When there is no index, or it was made by a newer version.
pub fn upgrade(_dir: &Path) -> Result<Upgrade> {
    todo!()
}
