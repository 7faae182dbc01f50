//! A table of boilerplate as a file in JSON Lines: the first line describes the table, and each other line is a source.

use std::io::{self, Write};

use lookalike_core::text::boilerplate::{About, Boilerplate, SourceBoilerplate};
use serde::{Deserialize, Serialize};

/// The version of the format.
const VERSION: u32 = 1;

/// The first line.
#[derive(Serialize, Deserialize)]
struct Head {
    lookalike_boilerplate: u32,
    #[serde(flatten)]
    about: About,
}

/// Writes a table for `ignore_boilerplate`.
///
/// # Errors
///
/// If it cannot be written.
pub fn write_boilerplate(table: &Boilerplate, out: &mut dyn Write) -> io::Result<()> {
    let head = Head { lookalike_boilerplate: VERSION, about: table.about().clone() };
    writeln!(out, "{}", serde_json::to_string(&head)?)?;
    table.sources().iter().try_for_each(|source| writeln!(out, "{}", serde_json::to_string(source)?))
}

/// Reads a table, or returns the reason why it is not one.
pub(crate) fn read_table(written: &str) -> Result<Boilerplate, String> {
    let mut lines = (1..).zip(written.lines()).filter(|(_, line)| !line.trim().is_empty());
    let invalid = |line: usize| move |error: serde_json::Error| format!("line {line}: {error}");
    let (line, head) = lines.next().ok_or("it is empty")?;
    let head: Head = serde_json::from_str(head).map_err(invalid(line))?;
    if head.lookalike_boilerplate != VERSION {
        return Err(format!("its version {} is not known", head.lookalike_boilerplate));
    }
    let source = |(line, source): (usize, &str)| serde_json::from_str(source).map_err(invalid(line));
    let sources = lines.map(source).collect::<Result<Vec<SourceBoilerplate>, String>>()?;
    Ok(Boilerplate::new(head.about, sources))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = "{\"lookalike_boilerplate\":1,\"shingle\":\"word:5\",\"fold\":\"none\",\"source\":\"host\",\"share\":0.3}\n\
        {\"source\":\"a.example\",\"page_count\":20,\"sample_count\":20,\"share\":0.5,\"undecided_count\":0,\"passages\":[\"Home Products\"]}\n";

    #[test]
    fn a_table_is_written_as_it_was_read() {
        let table = read_table(WRITTEN).unwrap();
        let mut written = Vec::new();
        write_boilerplate(&table, &mut written).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), WRITTEN);
    }

    #[test]
    fn what_is_no_table_is_refused_with_its_line() {
        assert_eq!(read_table("").unwrap_err(), "it is empty");
        assert!(read_table("{\"text\":\"a\"}").unwrap_err().starts_with("line 1: "));
        assert!(read_table(&WRITTEN.replace("boilerplate\":1", "boilerplate\":2")).unwrap_err().contains("version 2"));
        assert!(read_table(&WRITTEN.replace("passages", "pages")).unwrap_err().starts_with("line 2: "));
    }
}
