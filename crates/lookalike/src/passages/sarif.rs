//! Passages as a log of SARIF 2.1.0, which code hosts and editors show beside the lines.
//!
//! Only a text file has lines that others can point to; documents of other files are named by their ids.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Component, Path};

use lookalike_core::repeat::Counting;
use lookalike_io::format::Format;
use lookalike_io::input::discover::{InputFile, Origin};
use serde_json::{Value, json};

use super::rows::RepeatedPassage;
use crate::corpus::walk::Walked;

/// The name of the only rule.
const RULE: &str = "repeated-passage";

/// Under which the fingerprint of a passage is in a log. Another way of computing it needs another name.
const FINGERPRINT: &str = "passage/v1";

/// The lines of a text.
#[derive(Debug)]
pub(super) struct Lines(Box<[u32]>);

impl Lines {
    /// The lines of a document, if it is a text file.
    pub(super) fn of(document: &Walked) -> Option<Self> {
        let is_end = |(_, byte): &(usize, u8)| *byte == b'\n';
        let ends = || document.text.bytes().enumerate().filter(is_end).map(|(at, _)| at as u32);
        (document.format == Format::Text).then(|| Self::ending_at(ends()))
    }

    /// Lines whose ends are at these bytes.
    pub(super) fn ending_at(ends: impl Iterator<Item = u32>) -> Self {
        Self(ends.collect())
    }

    /// The bytes at which they end.
    pub(super) fn ends(&self) -> &[u32] {
        &self.0
    }

    /// The number of the line that has a byte, from 1.
    pub(super) fn line(&self, at: u64) -> u64 {
        self.0.partition_point(|end| u64::from(*end) < at) as u64 + 1
    }

    /// The line and column of a byte, from 1; columns count characters.
    fn place(&self, at: u64, text: &str) -> (u64, u64) {
        let line = self.line(at);
        let start = line.checked_sub(2).map_or(0, |before| self.0[before as usize] as usize + 1);
        (line, text[start..at as usize].chars().count() as u64 + 1)
    }
}

/// Writes a log, a result at a time.
pub(super) struct SarifWriter<W> {
    writer: W,
    /// The addresses of files by their names.
    addresses: HashMap<String, String>,
    /// Noun for the copies that are counted: `documents` or `places`.
    holders: &'static str,
    has_results: bool,
}

impl<W: Write> SarifWriter<W> {
    /// Starts a log.
    pub(super) fn new(mut writer: W, files: &[InputFile], counting: Counting) -> io::Result<Self> {
        let rule = json!({
            "id": RULE,
            "name": "RepeatedPassage",
            "shortDescription": {"text": "A passage that occurs elsewhere too"},
            "defaultConfiguration": {"level": "warning"},
        });
        let driver = json!({
            "name": "lookalike",
            "version": env!("CARGO_PKG_VERSION"),
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": [rule],
        });
        writeln!(
            writer,
            "{{\"version\":\"2.1.0\",\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"runs\":[{{"
        )?;
        write!(writer, "\"tool\":{},\"columnKind\":\"unicodeCodePoints\",\"results\":[", json!({ "driver": driver }))?;
        let addresses = files.iter().map(|file| (file.name.clone(), address(file))).collect();
        let holders = if counting == Counting::Places { "places" } else { "documents" };
        Ok(Self { writer, addresses, holders, has_results: false })
    }

    /// Writes the passages of a document; `first_lines` has the line of the first copy of each.
    pub(super) fn take(
        &mut self,
        document: &Walked,
        passages: &[RepeatedPassage],
        first_lines: &[Option<u64>],
    ) -> io::Result<()> {
        let lines = (!passages.is_empty()).then(|| Lines::of(document)).flatten();
        for (passage, first_line) in passages.iter().zip(first_lines) {
            let region = lines.as_ref().map(|lines| region(passage, lines, &document.text));
            let separator = if std::mem::replace(&mut self.has_results, true) { ",\n" } else { "\n" };
            write!(self.writer, "{separator}{}", self.result(passage, region, *first_line))?;
        }
        Ok(())
    }

    /// Ends the log.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        writeln!(self.writer, "\n]}}]}}")?;
        self.writer.flush()
    }

    fn result(&self, passage: &RepeatedPassage, region: Option<Value>, first_line: Option<u64>) -> Value {
        let at_line = first_line.map_or(String::new(), |line| format!(", line {line}"));
        let first = passage.first_document_id.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]");
        let (copies, holders) = (passage.copies, self.holders);
        let message = format!("Also in [{first}{at_line}](1). {copies} {holders} have this passage.");
        let first_region = first_line.map(|line| json!({ "startLine": line }));
        let mut related = self.location(&passage.first_file, &passage.first_document_id, first_region);
        related["id"] = 1.into();
        related["message"] = json!({ "text": "The first copy" });
        let mut result = json!({
            "ruleId": RULE,
            "ruleIndex": 0,
            "message": { "text": message },
            "locations": [self.location(&passage.file, &passage.document_id, region)],
            "relatedLocations": [related],
            "partialFingerprints": { FINGERPRINT: passage.fingerprint },
            "properties": passage,
        });
        if let Some(is_new) = passage.new {
            result["baselineState"] = if is_new { "new" } else { "unchanged" }.into();
        }
        result
    }

    /// A part of a file, or a document in it.
    fn location(&self, file: &str, id: &str, region: Option<Value>) -> Value {
        let address = self.addresses.get(file).map_or(file, String::as_str);
        let mut physical = json!({ "artifactLocation": { "uri": address } });
        let mut location = json!({});
        match region {
            Some(region) => physical["region"] = region,
            None => location["logicalLocations"] = json!([{ "fullyQualifiedName": id }]),
        }
        location["physicalLocation"] = physical;
        location
    }
}

fn region(passage: &RepeatedPassage, lines: &Lines, text: &str) -> Value {
    // White space at the end belongs to what follows.
    let end = passage.start + text[passage.start as usize..passage.end as usize].trim_end().len() as u64;
    let (start, end) = (lines.place(passage.start, text), lines.place(end, text));
    json!({ "startLine": start.0, "startColumn": start.1, "endLine": end.0, "endColumn": end.1 })
}

/// The address of a file: relative to the current folder if its path is.
fn address(file: &InputFile) -> String {
    match &file.origin {
        Origin::Path(path) if path.is_absolute() => format!("file://{}", encoded(path)),
        Origin::Path(path) => encoded(path),
        _ => file.shown().display().to_string(),
    }
}

fn encoded(path: &Path) -> String {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    let path: std::path::PathBuf = parts.collect();
    let path = path.to_string_lossy().replace('\\', "/");
    percent_encoded(&path)
}

/// The path as part of an address (RFC 3986). A crate for this alone would be one more in builds without features.
fn percent_encoded(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            write!(encoded, "%{byte:02X}").expect("a string takes all");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_encoded_as_in_addresses() {
        assert_eq!(percent_encoded("src/a b/é~1_x-y.rs"), "src/a%20b/%C3%A9~1_x-y.rs");
    }

    #[test]
    fn lines_and_columns_count_from_one() {
        let text = "é one\n\ntwo";
        let lines = Lines(text.match_indices('\n').map(|(at, _)| at as u32).collect());
        let places: Vec<(u64, u64)> = [0, 3, 6, 7, 8, 11].into_iter().map(|at| lines.place(at, text)).collect();
        assert_eq!(places, [(1, 1), (1, 3), (1, 6), (2, 1), (3, 1), (3, 4)]);
    }

    #[test]
    fn addresses_are_those_of_paths_as_given() {
        assert_eq!(encoded(Path::new("./src/a b.rs")), "src/a%20b.rs");
        assert_eq!(encoded(Path::new("/src/é.rs")), "/src/%C3%A9.rs");
    }
}
