//! Limits the expanded size of a file: a dictionary stores a string once, and many rows can refer to it, so 600 bytes
//! can expand to four gigabytes of text.

/// Size to which every file may expand.
const FREE: u64 = 256 << 20;

/// Above that, the maximum ratio of expanded size to file size. Columns in which a few short values are repeated reach
/// a thousand.
const RATIO: u64 = 10_000;

/// Amount of text read from a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unfolded {
    file_bytes: u64,
    most: u64,
    read: u64,
}

impl Unfolded {
    pub(super) fn new(file_bytes: u64) -> Self {
        Self { file_bytes, most: FREE.max(file_bytes.saturating_mul(RATIO)), read: 0 }
    }

    /// Counts bytes of text. Returns false if they exceed the limit.
    pub(super) fn add(&mut self, bytes: usize) -> bool {
        self.read = self.read.saturating_add(bytes as u64);
        self.read <= self.most
    }

    /// Reason why the rest is not read.
    pub(super) fn reason(&self) -> String {
        let Self { file_bytes, most, .. } = self;
        format!(
            "a file of {file_bytes} bytes that has more than {most} bytes of text; write it as JSONL to read all of it"
        )
    }

    #[cfg(test)]
    pub(super) fn with_most(self, most: u64) -> Self {
        Self { most, ..self }
    }
}
