//! What a form sends: short fields, texts and a file. Files go to the disk as they come.

use std::collections::HashMap;
use std::path::PathBuf;

use axum::extract::Multipart;
use axum::extract::multipart::{Field, MultipartError};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;

use crate::problem::{Kind, Problem};

/// The largest text that a form may send, and all of its texts together.
const MOST_TEXT: usize = 32 << 20;

/// The largest file.
const MOST_FILE: u64 = 1 << 30;

/// How many fields a form may have: ours have a few.
const MOST_FIELDS: usize = 20;

/// What was sent.
#[derive(Debug, Default)]
pub(super) struct Fields {
    texts: HashMap<String, String>,
    pub(super) file: Option<SentFile>,
}

/// A file that was sent. It is gone when this is.
#[derive(Debug)]
pub(super) struct SentFile {
    pub(super) path: PathBuf,
    _folder: TempDir,
}

impl Fields {
    /// Reads a form to its end.
    ///
    /// # Errors
    ///
    /// When it is too large, or is not a form.
    pub(super) async fn read(mut form: Multipart) -> Result<Self, Problem> {
        let (mut fields, mut count, mut room) = (Self::default(), 0, MOST_TEXT);
        while let Some(field) = form.next_field().await.map_err(malformed)? {
            count += 1;
            if count > MOST_FIELDS {
                return Err(Problem::new(Kind::Malformed, format!("the form has more than {MOST_FIELDS} fields")));
            }
            let name = field.name().unwrap_or_default().to_owned();
            match field.file_name().map(str::to_owned) {
                // A form without a file sends one without a name.
                Some(file) if file.is_empty() => {}
                Some(file) => fields.file = Some(SentFile::write(field, &file).await?),
                None => {
                    let text = text(field, &mut room).await?;
                    fields.texts.insert(name, text);
                }
            }
        }
        Ok(fields)
    }

    /// A field; empty if there is none.
    pub(super) fn text(&self, name: &str) -> &str {
        self.texts.get(name).map_or("", String::as_str)
    }

    /// A field that has something in it.
    pub(super) fn given(&self, name: &str) -> Option<&str> {
        Some(self.text(name).trim()).filter(|text| !text.is_empty())
    }

    /// Takes a text out of the form, or else that of the file.
    ///
    /// # Errors
    ///
    /// When the file is too large for a text.
    pub(super) fn take_text(&mut self, name: &str) -> Result<String, Problem> {
        let text = self.texts.remove(name).unwrap_or_default();
        match &self.file {
            Some(file) if text.trim().is_empty() => file.text(),
            _ => Ok(text),
        }
    }
}

impl SentFile {
    async fn write(mut field: Field<'_>, name: &str) -> Result<Self, Problem> {
        let failed = |error: std::io::Error| Problem::new(Kind::Internal, format!("the file cannot be stored: {error}"));
        let folder = tempfile::tempdir().map_err(failed)?;
        let path = folder.path().join(safe(name));
        let mut file = tokio::fs::File::create(&path).await.map_err(failed)?;
        let mut bytes = 0;
        while let Some(chunk) = field.chunk().await.map_err(malformed)? {
            bytes += chunk.len() as u64;
            if bytes > MOST_FILE {
                let detail = format!("the file is larger than {} MB: add it with the command, or in parts", MOST_FILE >> 20);
                return Err(Problem::new(Kind::TooLarge, detail));
            }
            file.write_all(&chunk).await.map_err(failed)?;
        }
        file.flush().await.map_err(failed)?;
        Ok(Self { path, _folder: folder })
    }

    /// Its text; what is not UTF-8 is replaced.
    fn text(&self) -> Result<String, Problem> {
        let failed = |error: std::io::Error| Problem::new(Kind::Internal, format!("the file cannot be read: {error}"));
        let bytes = std::fs::metadata(&self.path).map_err(failed)?.len();
        if bytes > MOST_TEXT as u64 {
            return Err(too_large());
        }
        Ok(String::from_utf8_lossy(&std::fs::read(&self.path).map_err(failed)?).into_owned())
    }
}

async fn text(mut field: Field<'_>, room: &mut usize) -> Result<String, Problem> {
    let mut bytes = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(malformed)? {
        *room = room.checked_sub(chunk.len()).ok_or_else(too_large)?;
        bytes.extend_from_slice(&chunk);
    }
    // Forms end their lines as no other text does.
    Ok(String::from_utf8_lossy(&bytes).replace("\r\n", "\n"))
}

fn too_large() -> Problem {
    Problem::new(Kind::TooLarge, format!("the texts are larger than {} MB together", MOST_TEXT >> 20))
}

fn malformed(error: MultipartError) -> Problem {
    Problem::new(Kind::Malformed, format!("the form cannot be read: {}", error.body_text()))
}

/// The last part of a name, without what a file system could take for anything else. Its ending says the format.
fn safe(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain = |letter: char| if letter.is_alphanumeric() || "-_.+~ ".contains(letter) { letter } else { '_' };
    let plain: String = last.chars().map(plain).collect();
    let from = plain.char_indices().rev().nth(99).map_or(0, |(at, _)| at);
    match plain[from..].trim_start_matches(['.', ' ']) {
        "" => "file".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_is_no_path() {
        assert_eq!(safe("news 2024.jsonl.gz"), "news 2024.jsonl.gz");
        assert_eq!(safe("../../etc/passwd"), "passwd");
        assert_eq!(safe("C:\\a\\b.csv"), "b.csv");
        assert_eq!([safe(".."), safe(""), safe("a/"), safe("*?\0")], ["file", "file", "file", "___"]);
        assert!(safe(&("é".repeat(3_000) + ".csv")).ends_with("é.csv") && safe(&"é".repeat(3_000)).len() <= 200);
    }
}
