//! JSON files with a checksum: the last member of the object is the checksum of all text before it.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::xxh3_64;

use crate::disk::Disk;
use crate::error::{At, Error, Result};

const MEMBER: &str = ",\n \"checksum\":\"";
const END: &str = "\"}\n";

/// Serializes an object to JSON, with its checksum as the last member.
pub(crate) fn with_checksum(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string(value).expect("plain numbers and words can be written");
    let closing = text.pop();
    debug_assert_eq!(closing, Some('}'), "only an object can have a checksum");
    let checksum = xxh3_64(text.as_bytes());
    format!("{text}{MEMBER}{checksum:016x}{END}")
}

/// Parses JSON with a checksum; the error has the offset and the reason.
pub(crate) fn parse<T: DeserializeOwned>(text: &[u8]) -> std::result::Result<T, (u64, String)> {
    let text = std::str::from_utf8(text).map_err(|error| (error.valid_up_to() as u64, error.to_string()))?;
    let at = text.rfind(MEMBER).ok_or((text.len() as u64, "it has no checksum".to_owned()))?;
    let (body, rest) = text.split_at(at);
    let written = rest.strip_prefix(MEMBER).and_then(|rest| rest.strip_suffix(END));
    let expected = format!("{:016x}", xxh3_64(body.as_bytes()));
    if written != Some(&*expected) {
        return Err((at as u64, "its checksum is another".to_owned()));
    }
    serde_json::from_str(&format!("{body}}}")).map_err(|error| (error.column() as u64, error.to_string()))
}

/// Reads a file with a checksum.
pub(crate) fn read<T: DeserializeOwned>(disk: &dyn Disk, path: &Path, section: &'static str) -> Result<T> {
    parse(&read_all(disk, path)?).map_err(|(offset, reason)| Error::damaged(path, section, offset, reason))
}

/// Reads all bytes of a small file.
pub(crate) fn read_all(disk: &dyn Disk, path: &Path) -> Result<Vec<u8>> {
    let file = disk.open(path, false).at(path)?;
    let mut bytes = vec![0; file.length().at(path)? as usize];
    file.read_exact_at(&mut bytes, 0).at(path)?;
    Ok(bytes)
}

/// Writes a file atomically: to a temporary name first, then moved into place.
pub(crate) fn write(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<()> {
    let aside: PathBuf = path.with_extension("tmp");
    let file = disk.create(&aside).at(&aside)?;
    file.write_all_at(bytes, 0).at(&aside)?;
    file.sync().at(&aside)?;
    disk.rename(&aside, path).at(path)?;
    let folder = path.parent().expect("a file of an index lies in a folder");
    disk.sync_dir(folder).at(folder)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn no_bit_of_a_text_with_a_checksum_can_be_changed() {
        let value: BTreeMap<String, u32> = [("a".to_owned(), 1), ("bc".to_owned(), 20)].into();
        let text = with_checksum(&value).into_bytes();
        assert_eq!(parse::<BTreeMap<String, u32>>(&text), Ok(value));
        for bit in 0..text.len() * 8 {
            let mut changed = text.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(parse::<BTreeMap<String, u32>>(&changed).is_err(), "{bit}");
        }
        assert!(parse::<BTreeMap<String, u32>>(&text[..text.len() - 1]).is_err());
    }
}
