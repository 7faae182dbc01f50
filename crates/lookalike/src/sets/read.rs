//! An input to a collection: lines with a set each, or a table.

use std::ffi::OsStr;
use std::path::Path;

use lookalike_io::table::{is_table, read_bytes, shown, table_of, text_of};

use super::gather::{Collection, Gather};
use super::options::{SetsForm, SetsOptions};
use super::table;
use crate::error::{Error, Result};

/// Reads a collection; `-` is standard input.
pub(super) fn read(path: &Path, options: &SetsOptions) -> Result<Collection> {
    let form = &options.form;
    let bytes = read_bytes(path)?;
    let mut gather = Gather::new(options.is_transposed, form.weights.is_some());
    let speaks_of_lines = form.has_names || form.separator.is_some();
    if form.names_columns() || !speaks_of_lines && (is_table(&bytes) || is_named_as_table(path)) {
        table::gather(&table_of(bytes, path)?, &shown(path), form, &mut gather)?;
    } else {
        lines(&text_of(&bytes), form, &mut gather);
    }
    let collection = gather.finish();
    if collection.has_nothing() {
        let why = collection.skipped_rows.first().map(|row| row.reason.clone());
        return Err(Error::NoSets { path: shown(path).into(), why });
    }
    Ok(collection)
}

/// CSV is told by its name: a line of it looks like a set with one element.
fn is_named_as_table(path: &Path) -> bool {
    let is_packed = path.extension().is_some_and(|end| end == "gz" || end == "zst");
    let name = if is_packed { path.file_stem().map(Path::new) } else { Some(path) };
    name.and_then(Path::extension).and_then(OsStr::to_str).is_some_and(|end| ["csv", "tsv"].contains(&end))
}

/// A set a line, named by the number of the line or by its first element.
fn lines(text: &str, form: &SetsForm, gather: &mut Gather) {
    let mut name = String::new();
    for (number, line) in (1_u64..).zip(text.lines()) {
        let (first, rest) = if form.has_names { form.split_name(line) } else { (None, line) };
        if form.has_names && first.is_none() {
            // A blank line names no set.
            continue;
        }
        let name = first.unwrap_or_else(|| {
            use std::fmt::Write;
            name.clear();
            write!(name, "{number}").expect("a string takes everything");
            &name
        });
        gather.begin(name);
        form.each_element(rest, |element| gather.add(element, 1.0));
    }
}

impl SetsForm {
    /// Whether something is said about columns, which only tables have.
    fn names_columns(&self) -> bool {
        self.set.is_some() || self.element.is_some() || self.column.is_some() || self.weights.is_some()
    }

    /// The first element of a line, and what follows.
    fn split_name<'a>(&self, line: &'a str) -> (Option<&'a str>, &'a str) {
        let line = line.trim();
        let (name, rest) = match self.separator {
            Some(separator) => line.split_once(separator).unwrap_or((line, "")),
            None => line.split_once(char::is_whitespace).unwrap_or((line, "")),
        };
        let name = name.trim();
        ((!name.is_empty()).then_some(name), rest)
    }

    /// The elements of a line or cell: what stands between blanks or separators, or the grams of a text.
    pub(super) fn each_element(&self, text: &str, mut each: impl FnMut(&str)) {
        if let Some(grams) = self.grams {
            return each_gram(text, grams.get(), each);
        }
        match self.separator {
            // Most lines are ASCII, and have a fast way to be split there.
            None if text.is_ascii() => text.split_ascii_whitespace().for_each(each),
            None => text.split_whitespace().for_each(each),
            Some(separator) => {
                text.split(separator).map(str::trim).filter(|element| !element.is_empty()).for_each(&mut each);
            }
        }
    }
}

/// The runs of so many characters of a text in lower case, with a blank at each end. A shorter text is one run.
fn each_gram(text: &str, count: usize, mut each: impl FnMut(&str)) {
    if text.trim().is_empty() {
        return;
    }
    let text = format!(" {} ", text.trim().to_lowercase());
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    if starts.len() <= count {
        return each(&text);
    }
    starts.iter().zip(&starts[count..]).for_each(|(start, end)| each(&text[*start..*end]));
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    fn elements(form: &SetsForm, text: &str) -> Vec<String> {
        let mut all = Vec::new();
        form.each_element(text, |element| all.push(element.to_owned()));
        all
    }

    #[test]
    fn elements_stand_between_blanks_or_separators() {
        let mut form = SetsForm::default();
        assert_eq!(elements(&form, " milk  bread\tbeer "), ["milk", "bread", "beer"]);
        assert_eq!(elements(&form, "thé\u{3000}café"), ["thé", "café"]);
        form.separator = Some('|');
        assert_eq!(elements(&form, "The Matrix| Alien ||"), ["The Matrix", "Alien"]);
        assert_eq!(form.split_name("Ann Lee|The Matrix|Alien"), (Some("Ann Lee"), "The Matrix|Alien"));
    }

    #[test]
    fn grams_are_runs_of_characters_with_a_blank_at_each_end() {
        let form = SetsForm { grams: NonZeroUsize::new(3), ..SetsForm::default() };
        assert_eq!(elements(&form, "Über"), [" üb", "übe", "ber", "er "]);
        assert_eq!((elements(&form, "a"), elements(&form, "")), (vec![" a ".to_owned()], vec![]));
    }

    #[test]
    fn csv_is_told_by_its_name() {
        assert!(["a.csv", "b.tsv.gz", "c.csv.zst"].iter().all(|name| is_named_as_table(Path::new(name))));
        assert!(["a.txt", "csv", "b.gz", "-"].iter().all(|name| !is_named_as_table(Path::new(name))));
    }
}
