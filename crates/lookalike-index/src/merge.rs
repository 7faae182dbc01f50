//! Merging one index into another.

use crate::error::{Error, Result};
use crate::index::Index;
use crate::types::{Document, Merged, NewDocument, Put, Store};
use crate::writer::Writer;

impl Writer {
    /// Adds the documents of another index with the same scheme to this one.
    ///
    /// # Errors
    ///
    /// If the schemes differ, either does not store texts, the other cannot be read, or the disk returns an error.
    pub fn merge_from(&self, other: &Index) -> Result<Merged> {
        const AT_ONCE: usize = 4096;
        let [left, right] = [&self.shared, &other.shared].map(|shared| &shared.kernel);
        if left.fingerprint != right.fingerprint {
            let (left, right) = (left.scheme.to_string(), right.scheme.to_string());
            return Err(Error::OtherScheme { left, right });
        }
        for shared in [&self.shared, &other.shared] {
            if shared.kernel.store == Store::Features {
                return Err(Error::NoTexts { path: shared.folder.path.clone(), what: "merging" });
            }
        }
        let snapshot = other.snapshot()?;
        let mut merged = Merged::default();
        let mut documents = snapshot.documents().peekable();
        while documents.peek().is_some() {
            let some = documents.by_ref().take(AT_ONCE).collect::<Result<Vec<_>>>()?;
            let text = |document: &Document| document.text.clone().unwrap_or_default();
            let texts: Vec<String> = some.iter().map(text).collect();
            let new = some.iter().zip(&texts);
            let new: Vec<NewDocument<'_>> =
                new.map(|(document, text)| NewDocument { id: &document.id, fields: &document.fields, text }).collect();
            for put in self.put_many(&new)? {
                match put {
                    Put::Added => merged.added_count += 1,
                    Put::Replaced => merged.replaced_count += 1,
                    Put::Unchanged | Put::Duplicate { .. } => merged.unchanged_count += 1,
                }
            }
        }
        Ok(merged)
    }
}
