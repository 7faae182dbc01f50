//! Many strings in two vectors, instead of an allocation each.

/// Strings, one after the other. An empty one stands for none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strings {
    bytes: String,
    ends: Vec<usize>,
}

impl Strings {
    pub(crate) fn push(&mut self, string: &str) {
        self.bytes.push_str(string);
        self.ends.push(self.bytes.len());
    }

    /// String `at`; none also where nobody wanted these strings and there are none.
    pub(crate) fn at(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)?;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        Some(&self.bytes[start..end]).filter(|string| !string.is_empty())
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    pub(crate) fn concat(parts: Vec<Self>) -> Self {
        let mut all = Self {
            bytes: String::with_capacity(parts.iter().map(|part| part.bytes.len()).sum()),
            ends: Vec::with_capacity(parts.iter().map(|part| part.ends.len()).sum()),
        };
        for part in parts {
            let before = all.bytes.len();
            all.bytes.push_str(&part.bytes);
            all.ends.extend(part.ends.iter().map(|end| before + end));
        }
        all
    }
}
