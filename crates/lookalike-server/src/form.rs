//! Reads forms: short fields, texts and a file. Files are written to disk as they arrive; a form that arrives too
//! slowly is aborted.

mod window;

use std::collections::HashMap;
use std::future::Future;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::multipart::{Field, MultipartError};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::time::timeout;

use self::window::{MOST_AHEAD, Taker};
use crate::limits::Limits;
use crate::memory::Share;
use crate::problem::{Kind, Problem, without_folder};
use crate::state::Shared;

pub(crate) use self::window::Form;

/// Allowed contents of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// A few words, from anyone.
    Words,
    /// Texts, or a file with one text.
    Texts,
    /// A file with many documents.
    Documents,
}

/// Maximum size of fields from callers that have not been authenticated.
const MOST_WORDS: usize = 4 << 10;

/// Maximum number of fields: our forms have a few.
const MOST_FIELDS: usize = 20;

/// The contents of a form.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    texts: HashMap<String, String>,
    pub(crate) file: Option<SentFile>,
    /// Memory reserved while the form exists.
    _room: Option<Share>,
}

/// An uploaded file, deleted when this is dropped.
#[derive(Debug)]
pub(crate) struct SentFile {
    pub(crate) path: PathBuf,
    folder: TempDir,
}

impl Fields {
    /// Reads a whole form.
    ///
    /// # Errors
    ///
    /// If it is too large or too slow, or is not a form.
    pub(crate) async fn read(form: Form, takes: Takes, shared: &Shared) -> Result<Self, Problem> {
        let most_file = match takes {
            Takes::Words => 0,
            Takes::Texts => shared.limits.body_bytes as u64,
            Takes::Documents => shared.limits.stream_bytes,
        };
        Self::read_in(form, takes, shared, None, most_file).await
    }

    /// Reads a whole form, and writes its file of at most this size to a folder; without one, to a temporary folder.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub(crate) async fn read_in(
        mut form: Form,
        takes: Takes,
        shared: &Shared,
        mut folder: Option<TempDir>,
        most_file: u64,
    ) -> Result<Self, Problem> {
        let mut fields = Self::default();
        let limits = &shared.limits;
        let mut left = if takes == Takes::Words { MOST_WORDS } else { limits.body_bytes };
        // Apart from fields and a file, there are only headers.
        let headers = if takes == Takes::Words { MOST_WORDS as u64 } else { MOST_AHEAD };
        form.allow(left as u64 + most_file + headers);
        let mut room = shared.memory.incoming();
        room.grow_to(MOST_AHEAD)?;
        let mut clock = Clock { start: Instant::now(), bytes: 0, limits, taker: form.taker() };
        let mut held = MOST_AHEAD;
        for count in 0.. {
            let Some(field) = clock.within(form.next_field()).await? else { break };
            if count == MOST_FIELDS {
                return Err(Problem::new(Kind::Malformed, format!("the form has more than {MOST_FIELDS} fields")));
            }
            let name = field.name().unwrap_or_default().to_owned();
            match field.file_name().map(str::to_owned) {
                // A form without a file sends an empty file name.
                Some(file) if file.is_empty() => {}
                Some(_) if takes == Takes::Words => {
                    return Err(Problem::new(Kind::Malformed, "the form takes no file"));
                }
                Some(_) if fields.file.is_some() => {
                    return Err(Problem::new(Kind::Malformed, "the form takes one file"));
                }
                Some(file) => {
                    let folder = folder.take().map_or_else(tempfile::tempdir, Ok).map_err(|error| failed(&error))?;
                    fields.file = Some(SentFile::write(field, &file, folder, &mut clock, most_file).await?);
                }
                None => {
                    let mut hold = |bytes: usize| {
                        held += bytes as u64;
                        room.grow_to(held)
                    };
                    let text = text(field, &mut clock, &mut left, &mut hold).await?;
                    fields.texts.insert(name, text);
                }
            }
        }
        Ok(Self { _room: Some(room), ..fields })
    }

    /// A field; empty if it is missing.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.texts.get(name).map_or("", String::as_str)
    }

    /// All fields by name, unchanged.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().map(|(name, text)| (&**name, &**text))
    }

    /// A field, unless it is empty.
    pub(crate) fn given(&self, name: &str) -> Option<&str> {
        Some(self.text(name).trim()).filter(|text| !text.is_empty())
    }

    /// Takes a field out of the form; empty if it is missing.
    pub(crate) fn take(&mut self, name: &str) -> String {
        self.texts.remove(name).unwrap_or_default()
    }

    /// Takes a text out of the form, or else the text of the file.
    ///
    /// # Errors
    ///
    /// If the file is too large for a text.
    pub(crate) fn take_text(&mut self, name: &str) -> Result<String, Problem> {
        let text = self.take(name);
        match &self.file {
            Some(file) if text.trim().is_empty() => file.text(),
            _ => Ok(text),
        }
    }
}

/// Timeout for a form: a fixed time plus a minimum rate.
struct Clock<'a> {
    start: Instant,
    bytes: u64,
    limits: &'a Limits,
    taker: Taker,
}

impl Clock<'_> {
    async fn within<T>(&self, next: impl Future<Output = Result<T, MultipartError>>) -> Result<T, Problem> {
        let allowed = self.bytes / self.limits.body_bytes_per_second.max(1);
        let allowed = self.limits.body_time + Duration::from_secs(allowed);
        let late = |_| Problem::new(Kind::TooSlow, "the form came too slowly");
        let left = allowed.saturating_sub(self.start.elapsed());
        timeout(left.min(self.limits.body_time), next).await.map_err(late)?.map_err(malformed)
    }

    /// The next piece of a field.
    async fn chunk(&mut self, field: &mut Field<'_>) -> Result<Option<Bytes>, Problem> {
        let chunk = self.within(field.chunk()).await?;
        let bytes = chunk.as_ref().map_or(0, Bytes::len);
        self.bytes += bytes as u64;
        self.taker.took(bytes);
        Ok(chunk)
    }
}

impl SentFile {
    async fn write(
        mut field: Field<'_>,
        name: &str,
        folder: TempDir,
        clock: &mut Clock<'_>,
        most: u64,
    ) -> Result<Self, Problem> {
        let failed = |error: std::io::Error| failed(&error);
        let path = folder.path().join(safe(name));
        let mut file = tokio::fs::File::create(&path).await.map_err(failed)?;
        let mut bytes = 0;
        while let Some(chunk) = clock.chunk(&mut field).await? {
            bytes += chunk.len() as u64;
            if bytes > most {
                return Err(too_large("the file is", most));
            }
            file.write_all(&chunk).await.map_err(failed)?;
        }
        file.flush().await.map_err(failed)?;
        Ok(Self { path, folder })
    }

    /// The error for a job over this file. The client knows its name, but must not see its path on this machine.
    pub(crate) fn problem(&self, error: &lookalike::Error) -> Problem {
        Problem::new(Kind::NotPossible, without_folder(&error.to_string(), self.folder.path()))
    }

    /// Returns its folder, which contains only this file.
    pub(crate) fn into_folder(self) -> TempDir {
        self.folder
    }

    /// Its text; invalid UTF-8 is replaced.
    fn text(&self) -> Result<String, Problem> {
        let bytes = std::fs::read(&self.path).map_err(|error| Problem::logged(Kind::Internal, &error))?;
        Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }
}

fn failed(error: &std::io::Error) -> Problem {
    let kind = if error.kind() == std::io::ErrorKind::StorageFull { Kind::DiskFull } else { Kind::Internal };
    Problem::logged(kind, error)
}

/// Reads a text of at most `most` bytes; `hold` reserves the memory for it.
async fn text(
    mut field: Field<'_>,
    clock: &mut Clock<'_>,
    left: &mut usize,
    hold: &mut (impl FnMut(usize) -> Result<(), Problem> + Send),
) -> Result<String, Problem> {
    let (mut bytes, most) = (Vec::new(), *left as u64);
    while let Some(chunk) = clock.chunk(&mut field).await? {
        *left = left.checked_sub(chunk.len()).ok_or_else(|| too_large("the texts are", most))?;
        hold(chunk.len())?;
        bytes.extend_from_slice(&chunk);
    }
    // Forms use CRLF line ends.
    Ok(String::from_utf8_lossy(&bytes).replace("\r\n", "\n"))
}

fn too_large(what: &str, most: u64) -> Problem {
    let most = if most < 1 << 20 { format!("{} kB", most >> 10) } else { format!("{} MB", most >> 20) };
    Problem::new(Kind::TooLarge, format!("{what} larger than {most}: send less, or use the command"))
}

#[expect(clippy::needless_pass_by_value, reason = "it is what errors are mapped by")]
fn malformed(error: MultipartError) -> Problem {
    Problem::new(Kind::Malformed, format!("the form cannot be read: {}", error.body_text()))
}

/// The last component of a name, without characters that a file system could interpret. Its extension determines the
/// format.
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
