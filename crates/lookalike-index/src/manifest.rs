//! The files of an index at one point in time, and its permanent parameters.

use std::path::{Path, PathBuf};

use lookalike_core::hash::Key;
use lookalike_core::scheme::Scheme;
use serde::{Deserialize, Serialize};

use crate::checksummed;
use crate::disk::Disk;
use crate::error::{At, Error, Result};
use crate::types::Store;

/// Version of the layout of the files.
pub(crate) const LAYOUT_VERSION: u32 = 1;
/// Version of the computation of sketches from features.
pub(crate) const SKETCH_VERSION: u32 = 1;
/// Version of the computation of features from texts, including the Unicode data.
pub(crate) const TEXT_VERSION: u32 = 1;

/// Paths of the files of an index.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
}

impl Folder {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    pub(crate) fn meta(&self) -> PathBuf {
        self.path.join("index.json")
    }

    pub(crate) fn lock(&self) -> PathBuf {
        self.path.join("LOCK")
    }

    pub(crate) fn manifests(&self) -> PathBuf {
        self.path.join("manifest")
    }

    pub(crate) fn manifest(&self, number: u64) -> PathBuf {
        self.manifests().join(format!("{number:08}.json"))
    }

    pub(crate) fn logs(&self) -> PathBuf {
        self.path.join("log")
    }

    pub(crate) fn log(&self, number: u32) -> PathBuf {
        self.logs().join(format!("{number:08}.log"))
    }

    pub(crate) fn segments(&self) -> PathBuf {
        self.path.join("segment")
    }

    pub(crate) fn segment(&self, number: u32) -> PathBuf {
        self.segments().join(format!("{number:08}.seg"))
    }

    pub(crate) fn deleted(&self) -> PathBuf {
        self.path.join("deleted")
    }

    pub(crate) fn bitmap(&self, segment: u32, number: u32) -> PathBuf {
        self.deleted().join(format!("{segment:08}-{number}.bits"))
    }

    /// Folder in which a repair keeps damaged files.
    pub(crate) fn damaged(&self) -> PathBuf {
        self.path.join("damaged")
    }

    pub(crate) fn all(&self) -> [PathBuf; 4] {
        [self.manifests(), self.logs(), self.segments(), self.deleted()]
    }
}

/// Parameters of an index.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Meta {
    pub(crate) format: String,
    pub(crate) layout_version: u32,
    pub(crate) sketch_version: u32,
    pub(crate) text_version: u32,
    pub(crate) scheme: Scheme,
    pub(crate) fingerprint: String,
    pub(crate) store: Store,
    /// Key of stored hashes: 32 hexadecimal digits.
    pub(crate) secret: String,
    /// The number of this part of a larger index, and the number of parts.
    pub(crate) shard: [u32; 2],
}

/// The versions alone: readable even if the rest is not.
#[derive(Deserialize)]
struct Versions {
    layout_version: u32,
    sketch_version: u32,
    text_version: u32,
}

const FORMAT: &str = "lookalike index";

impl Meta {
    pub(crate) fn new(scheme: Scheme, store: Store) -> Self {
        Self {
            format: FORMAT.to_owned(),
            layout_version: LAYOUT_VERSION,
            sketch_version: SKETCH_VERSION,
            text_version: TEXT_VERSION,
            fingerprint: format!("{:016x}", scheme.fingerprint()),
            scheme,
            store,
            secret: format!("{:032x}", Key::random().value().unwrap_or_default()),
            shard: [0, 1],
        }
    }

    pub(crate) fn read(disk: &dyn Disk, folder: &Folder) -> Result<Self> {
        let path = folder.meta();
        let bytes = match checksummed::read_all(disk, &path) {
            Err(error) if error.is_not_found() => return Err(Error::NotAnIndex { path: folder.path.clone() }),
            bytes => bytes?,
        };
        let damaged = |(offset, reason): (u64, String)| Error::damaged(&path, "index.json", offset, reason);
        let versions: Versions = checksummed::parse(&bytes).map_err(damaged)?;
        for (what, found, known) in [
            ("layout", versions.layout_version, LAYOUT_VERSION),
            ("sketch", versions.sketch_version, SKETCH_VERSION),
            ("text", versions.text_version, TEXT_VERSION),
        ] {
            if found > known {
                return Err(Error::Newer { path, what, found, known });
            }
        }
        checksummed::parse(&bytes).map_err(damaged)
    }

    pub(crate) fn key(&self) -> Key {
        // Covered by the checksum.
        Key::new(u128::from_str_radix(&self.secret, 16).unwrap_or_default())
    }
}

/// The files of one state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) version: u32,
    pub(crate) number: u64,
    /// Number of writers so far, including this one.
    pub(crate) epoch: u64,
    pub(crate) fingerprint: String,
    /// In the order of insertion.
    pub(crate) segments: Vec<SegmentFile>,
    /// Logs that hold documents of segments, and the current log.
    pub(crate) logs: Vec<LogInfo>,
    /// The current log.
    pub(crate) log: Tail,
    /// Number of the next file of any kind except manifests.
    pub(crate) next_file: u32,
    /// Number of the next put or delete.
    pub(crate) next_sequence: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SegmentFile {
    pub(crate) number: u32,
    pub(crate) rows: u32,
    /// Number of the bitmap of deleted rows, and the number of deleted rows.
    pub(crate) deleted: Option<[u32; 2]>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LogInfo {
    pub(crate) number: u32,
    pub(crate) documents: u64,
    /// Documents that were deleted or replaced.
    pub(crate) dead: u64,
    /// Number of ids in delete frames.
    pub(crate) deletes: u64,
}

/// The part of the log that is not in segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tail {
    pub(crate) number: u32,
    /// Everything before it is in segments.
    pub(crate) offset: u64,
    /// Everything before it is on disk.
    pub(crate) durable: u64,
    /// Number of the commit at the offset.
    pub(crate) commit: u64,
}

impl Manifest {
    /// The highest manifest number.
    pub(crate) fn newest(disk: &dyn Disk, folder: &Folder) -> Result<u64> {
        let path = folder.manifests();
        let names = disk.list(&path).at(&path)?;
        let numbers = names.iter().filter_map(|name| name.strip_suffix(".json")?.parse().ok());
        numbers.max().ok_or_else(|| Error::damaged(&path, "manifest", 0, "there is no manifest"))
    }

    pub(crate) fn read(disk: &dyn Disk, folder: &Folder, number: u64) -> Result<Self> {
        let path = folder.manifest(number);
        let manifest: Self = checksummed::read(disk, &path, "manifest")?;
        if manifest.version > LAYOUT_VERSION {
            let (found, known) = (manifest.version, LAYOUT_VERSION);
            return Err(Error::Newer { path, what: "manifest", found, known });
        }
        if manifest.number != number {
            return Err(Error::damaged(&path, "manifest", 0, "it has another number than its name"));
        }
        Ok(manifest)
    }

    pub(crate) fn write(&self, disk: &dyn Disk, folder: &Folder) -> Result<()> {
        checksummed::write(disk, &folder.manifest(self.number), checksummed::with_checksum(self).as_bytes())
    }
}

/// True if these bytes are a manifest, for the fuzzer.
#[doc(hidden)]
pub fn check_bytes(bytes: &[u8]) -> bool {
    checksummed::parse::<Manifest>(bytes).is_ok() | serde_json::from_slice::<Manifest>(bytes).is_ok()
}
