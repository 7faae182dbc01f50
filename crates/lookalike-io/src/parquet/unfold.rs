//! What a file may unfold to: a dictionary has a text once, and rows say that it is theirs, so that 600 bytes can be four
//! gigabytes of text.

/// What every file may unfold to.
const FREE: u64 = 256 << 20;

/// Beyond that, how many times its size a file may unfold to. Columns in which a few short values come again and again reach
/// a thousand.
const RATIO: u64 = 10_000;

/// How much was read of a file, as text.
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

    /// Counts bytes of text. False when they are more than the file may unfold to.
    pub(super) fn add(&mut self, bytes: usize) -> bool {
        self.read = self.read.saturating_add(bytes as u64);
        self.read <= self.most
    }

    /// Why the rest is not read.
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
