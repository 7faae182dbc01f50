//! Options that have no effect on an input, by the formats of its files.

use lookalike_core::remedy::JobOption;
use lookalike_io::format::Format;
use lookalike_io::read::{Fields, Settings, Split};
use lookalike_io::web::Extract;

/// The options of reading that have no effect on files of these formats.
pub(crate) fn without_effect(settings: &Settings, formats: &[Format]) -> Vec<String> {
    if formats.is_empty() {
        return Vec::new();
    }
    let is_any = |wanted: fn(Format) -> bool| formats.iter().any(|format| wanted(*format));
    let is_text = |format| matches!(format, Format::Text | Format::Lines | Format::Paragraphs);
    let is_page = |format| matches!(format, Format::Html | Format::Warc | Format::Arc);
    let is_csv = |format| format == Format::Csv;
    let has_fields = |format| {
        use Format::{Csv, Held, JsonList, JsonValues, Jsonl, Parquet};
        matches!(format, Jsonl | JsonList | JsonValues | Csv | Parquet | Held)
    };
    let text = if settings.is_html { JobOption::HtmlField } else { JobOption::Text };
    let has_pages = settings.is_html || is_any(is_page);
    let given = [
        (JobOption::Split, settings.split != Split::File, is_any(is_text)),
        (JobOption::Extract, settings.extract != Extract::Text, has_pages),
        (JobOption::Alt, settings.alt, has_pages),
        (JobOption::Links, settings.links, has_pages),
        (JobOption::Delimiter, settings.delimiter.is_some(), is_any(is_csv)),
        (JobOption::NoHeader, !settings.has_header, is_any(is_csv)),
        (text, settings.is_html || settings.fields.text != Fields::default().text, is_any(has_fields)),
    ];
    given
        .into_iter()
        .filter(|(_, is_given, works)| *is_given && !works)
        .map(|(option, ..)| option.name().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_has_an_effect_only_on_files_of_its_kind() {
        let settings = Settings {
            split: Split::Paragraph,
            extract: Extract::Article,
            delimiter: Some(b';'),
            has_header: false,
            fields: Fields { text: "body".to_owned(), ..Fields::default() },
            ..Settings::default()
        };
        let none = |formats: &[Format]| without_effect(&settings, formats);
        assert_eq!(none(&[Format::Jsonl]), ["split", "extract", "delimiter", "no_header"]);
        assert_eq!(none(&[Format::Paragraphs]), ["extract", "delimiter", "no_header", "text"]);
        assert_eq!(none(&[Format::Warc, Format::Csv]), ["split"]);
        assert_eq!(none(&[]), [""; 0]);
        let page = Settings { is_html: true, ..settings };
        assert_eq!(without_effect(&page, &[Format::Jsonl, Format::Csv]), ["split"]);
        assert_eq!(without_effect(&page, &[Format::Html]), ["split", "delimiter", "no_header", "html_field"]);
        assert_eq!(without_effect(&Settings::default(), &[Format::Html, Format::Jsonl]), [""; 0]);
    }
}
