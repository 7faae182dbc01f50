//! Strings to HTML: escaped unless they are HTML already, with marks for what cannot be seen.

use std::fmt;

/// Text that is HTML: everything in it was escaped or is ours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Html(String);

impl Html {
    /// Markup of this program, never of an input.
    pub fn ours(markup: impl Into<String>) -> Self {
        Self(markup.into())
    }

    /// Text, escaped.
    pub fn text(text: &str) -> Self {
        let mut html = Self::default();
        text.show(&mut html.0);
        html
    }

    /// Text for a field of a form, without marks: what is sent back is what was given.
    pub fn exact(text: &str) -> Self {
        let mut html = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                '&' => html.push_str("&amp;"),
                '<' => html.push_str("&lt;"),
                '>' => html.push_str("&gt;"),
                '"' => html.push_str("&quot;"),
                '\'' => html.push_str("&#39;"),
                // A browser would make a line feed of it.
                '\r' => html.push_str("&#13;"),
                c => html.push(c),
            }
        }
        Self(html)
    }

    /// A template whose `{}` are filled, one after the other. [`html!`](crate::html) calls this.
    ///
    /// # Panics
    ///
    /// When there are more or fewer values than places: a mistake in this program that its first use shows.
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

    /// Appends more.
    pub fn push(&mut self, more: &Self) {
        self.0.push_str(&more.0);
    }

    /// The markup.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How many bytes it has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
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

/// What can stand in a template.
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

/// Fills a template: `html!("<b>{}</b>", text)`. Strings are escaped, [`Html`] stands as it is.
#[macro_export]
macro_rules! html {
    ($template:literal $(, $value:expr)* $(,)?) => {
        $crate::Html::fill($template, &[$(&$value as &dyn $crate::Show),*])
    };
}

/// A text whose line ends and tabs are marks too: for names, which stay on their line.
pub fn marked(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    text.chars().for_each(|c| push_marked(c, &mut shown));
    shown
}

/// How many characters of a name are shown.
const NAME_LENGTH: usize = 72;

/// A name of the input (an id, a source, a file): on one line, and its middle left out if it is long.
pub fn name(text: &str) -> String {
    clipped(text, NAME_LENGTH)
}

/// A text on one line, its middle left out if it has more characters than that.
pub fn clipped(text: &str, most: usize) -> String {
    // Whoever has names of a megabyte does not wait for them to be counted.
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

/// Appends a character, or the mark that stands for it.
fn push_marked(c: char, out: &mut String) {
    match c {
        // Unicode has a picture for each.
        '\0'..='\u{1F}' => out.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER)),
        '\u{7F}' => out.push('␡'),
        c if is_unseen(c) => out.push_str(&format!("⟨U+{:04X}⟩", u32::from(c))),
        c => out.push(c),
    }
}

/// Whether a character controls a screen, changes the direction of writing (Unicode Standard Annex 9, 2), ends a line where none
/// is expected, or is no character.
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
