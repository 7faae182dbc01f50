//! The documents of a corpus in memory, for code that needs the texts themselves.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// The documents of a corpus, in order.
pub(in crate::bench) struct Documents {
    /// Their ids.
    pub(in crate::bench) ids: Vec<String>,
    /// Their texts.
    pub(in crate::bench) texts: Vec<String>,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    text: Cow<'a, str>,
}

/// Reads a JSONL file.
pub(in crate::bench) fn read(path: &Path) -> Result<Documents> {
    let content = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut documents = Documents { ids: Vec::new(), texts: Vec::new() };
    for (number, line) in (1..).zip(content.lines()) {
        let line: Line<'_> = serde_json::from_str(line).with_context(|| format!("{}:{number}", path.display()))?;
        documents.ids.push(line.id.into_owned());
        documents.texts.push(line.text.into_owned());
    }
    ensure!(documents.places().len() == documents.ids.len(), "{}: an id is there twice", path.display());
    Ok(documents)
}

impl Documents {
    /// The bytes of all texts.
    pub(in crate::bench) fn text_bytes(&self) -> usize {
        self.texts.iter().map(String::len).sum()
    }

    /// The position of each id.
    pub(in crate::bench) fn places(&self) -> HashMap<&str, usize> {
        self.ids.iter().enumerate().map(|(place, id)| (id.as_str(), place)).collect()
    }

    /// A hash of all texts, for a cache on this machine only.
    pub(in crate::bench) fn content_hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.texts.hash(&mut hasher);
        hasher.finish()
    }
}
