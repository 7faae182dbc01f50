//! Converts strings to HTML: escaped unless they are HTML already, with marks for invisible characters.

use std::fmt;

/// Trusted HTML: everything in it was escaped or is our own markup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Html(String);

impl Html {
    /// Markup of this program, never of an input.
    pub fn ours(markup: impl Into<String>) -> Self {
        Self(markup.into())
    }

    /// Escapes text.
    pub fn text(text: &str) -> Self {
        let mut html = Self::default();
        text.show(&mut html.0);
        html
    }

    /// Escapes text for a form field, without marks, so that it is submitted unchanged.
    pub fn exact(text: &str) -> Self {
        let mut html = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                '&' => html.push_str("&amp;"),
                '<' => html.push_str("&lt;"),
                '>' => html.push_str("&gt;"),
                '"' => html.push_str("&quot;"),
                '\'' => html.push_str("&#39;"),
                // A browser would convert it to a line feed.
                '\r' => html.push_str("&#13;"),
                c => html.push(c),
            }
        }
        Self(html)
    }

    /// Fills the `{}` of a template in order. Called by [`html!`](crate::html).
    ///
    /// # Panics
    ///
    /// If the number of values differs from the number of placeholders: a bug in this program that its first use shows.
    pub fn fill(template: &'static str, values: &[&dyn Show]) -> Self {
        let mut html = String::with_capacity(template.len() + 16 * values.len());
        let mut values = values.iter();
        for (at, part) in template.split("{}").enumerate() {
            if at > 0 {
                values.next().expect("a value for each place").show(&mut html);
            }
            html.push_str(part);
        }
        assert!(values.next().is_none(), "a place for each value in {template}");
        Self(html)
    }

    /// Appends HTML.
    pub fn push(&mut self, more: &Self) {
        self.0.push_str(&more.0);
    }

    /// The markup.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Html {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromIterator<Html> for Html {
    fn from_iter<I: IntoIterator<Item = Html>>(parts: I) -> Self {
        let mut all = Self::default();
        parts.into_iter().for_each(|part| all.push(&part));
        all
    }
}

/// A value for a template.
pub trait Show {
    /// Appends this as HTML.
    fn show(&self, out: &mut String);
}

impl Show for Html {
    fn show(&self, out: &mut String) {
        out.push_str(&self.0);
    }
}

impl Show for str {
    fn show(&self, out: &mut String) {
        for c in self.chars() {
            match c {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '"' => out.push_str("&quot;"),
                '\'' => out.push_str("&#39;"),
                '\n' | '\t' => out.push(c),
                c => push_marked(c, out),
            }
        }
    }
}

impl Show for String {
    fn show(&self, out: &mut String) {
        self.as_str().show(out);
    }
}

impl<T: Show + ?Sized> Show for &T {
    fn show(&self, out: &mut String) {
        (**self).show(out);
    }
}

macro_rules! show_numbers {
    ($($number:ty),*) => {
        $(impl Show for $number {
            fn show(&self, out: &mut String) {
                out.push_str(&self.to_string());
            }
        })*
    };
}

show_numbers!(u32, u64, usize, i32);

/// Fills a template: `html!("<b>{}</b>", text)`. Strings are escaped, [`Html`] is inserted unchanged.
#[macro_export]
macro_rules! html {
    ($template:literal $(, $value:expr)* $(,)?) => {
        $crate::Html::fill($template, &[$(&$value as &dyn $crate::Show),*])
    };
}

/// Text in which line ends and tabs are marks too: for names, which stay on one line.
pub fn marked(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    text.chars().for_each(|c| push_marked(c, &mut shown));
    shown
}

/// Maximum number of characters of a name.
const NAME_LENGTH: usize = 72;

/// A name from the input (an id, a source, a file) on one line, with its middle left out if it is long.
pub fn name(text: &str) -> String {
    clipped(text, NAME_LENGTH)
}

/// Text on one line, with its middle left out if it has more than `most` characters.
pub fn clipped(text: &str, most: usize) -> String {
    // Do not count the characters of a name of a megabyte.
    let is_long = text.len() > most && text.chars().nth(most).is_some();
    if !is_long {
        return marked(text);
    }
    let half = most / 2;
    let start: String = text.chars().take(half).collect();
    let mut end: Vec<char> = text.chars().rev().take(most - half - 1).collect();
    end.reverse();
    format!("{}…{}", marked(&start), marked(&end.into_iter().collect::<String>()))
}

/// Appends a character, or the mark for it.
fn push_marked(c: char, out: &mut String) {
    match c {
        // Unicode has a symbol for each.
        '\0'..='\u{1F}' => out.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER)),
        '\u{7F}' => out.push('␡'),
        c if is_unseen(c) => out.push_str(&format!("⟨U+{:04X}⟩", u32::from(c))),
        c => out.push(c),
    }
}

/// True if a character is a control character, changes the direction of writing (Unicode Standard Annex 9, 2), ends a
/// line unexpectedly, or is a noncharacter.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
        || u32::from(c) & 0xFFFE == 0xFFFE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped_and_html_is_not() {
        let bold = html!("<b>{}</b>", "a < b & \"c\"");
        assert_eq!(
            html!("<p title=\"{}\">{}, {}</p>", "'\"", bold, 3_u64).as_str(),
            "<p title=\"&#39;&quot;\"><b>a &lt; b &amp; &quot;c&quot;</b>, 3</p>"
        );
    }

    #[test]
    fn what_cannot_be_seen_is_a_mark() {
        assert_eq!(
            Html::text("a\0b\u{202e}c\u{1b}[2J\u{9b}\u{2028}\nd").as_str(),
            "a␀b⟨U+202E⟩c␛[2J⟨U+009B⟩⟨U+2028⟩\nd"
        );
        assert_eq!(marked("a\r\nb\t"), "a␍␊b␉");
        // Joiners are part of words and of emoji.
        assert_eq!(Html::text("क्\u{200d}ष 👩\u{200d}🚀").as_str(), "क्\u{200d}ष 👩\u{200d}🚀");
    }

    #[test]
    fn a_field_has_what_was_given_and_cannot_be_left() {
        assert_eq!(Html::exact("\u{202e}\"></textarea>\r").as_str(), "\u{202e}&quot;&gt;&lt;/textarea&gt;&#13;");
    }

    #[test]
    fn a_long_name_loses_its_middle() {
        assert_eq!(clipped("abcdefghij", 10), "abcdefghij");
        assert_eq!(clipped("abcdefghijk", 10), "abcde…hijk");
        assert_eq!(clipped(&"é".repeat(1_000_000), 10).chars().count(), 10);
    }

    #[test]
    #[should_panic(expected = "a place for each value")]
    fn a_value_without_a_place_is_a_mistake() {
        let _ = html!("<p>", "too much");
    }
}
