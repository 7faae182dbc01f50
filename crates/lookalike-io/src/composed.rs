//! Texts composed of several fields, or of the elements of lists: which fields these are, and how their values become
//! one text.
//!
//! ```text
//! title,body             two fields, one after the other
//! messages[].content     a field of every element of a list
//! ```
//!
//! A field that a record lacks, or that is null, adds nothing to its text.

/// Separator of the values of a text.
const BETWEEN: &str = "\n";
pub use lookalike_core::text::shingle::BETWEEN_FIELDS;

/// The fields of a text, as they are written with commas between them.
pub fn paths(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim)
}

/// True if a text is composed of several values.
pub fn is_composed(text: &str) -> bool {
    text.contains(',') || text.contains("[]")
}

/// Puts the values of a text together.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is about something else")]
pub struct Composer<'t> {
    text: &'t mut String,
    tells_fields_apart: bool,
    /// Fields before the one under way.
    field_count: usize,
    /// True if the current field has a value.
    has_value: bool,
    /// True if any field was present, and true if any was a text.
    is_there: bool,
    has_text: bool,
}

impl<'t> Composer<'t> {
    /// Empties `text`, to write into it.
    pub fn new(text: &'t mut String, tells_fields_apart: bool) -> Self {
        text.clear();
        Self { text, tells_fields_apart, field_count: 0, has_value: false, is_there: false, has_text: false }
    }

    /// True if any of the fields was present.
    pub fn is_there(&self) -> bool {
        self.is_there
    }

    /// True if any of them was a text.
    pub fn has_text(&self) -> bool {
        self.has_text
    }

    /// Notes that a field is there, with a value or without.
    pub fn note(&mut self) {
        self.is_there = true;
    }

    /// Begins the next field.
    pub fn begin_field(&mut self) {
        if self.field_count > 0 && self.tells_fields_apart {
            self.text.push(BETWEEN_FIELDS);
        }
        self.has_value = self.has_value && !self.tells_fields_apart;
        self.field_count += 1;
    }

    /// Adds a value to the field under way.
    pub fn push(&mut self, value: &str) {
        if self.has_value {
            self.text.push_str(BETWEEN);
        }
        self.has_value = true;
        self.is_there = true;
        self.has_text = true;
        if self.tells_fields_apart && value.contains(BETWEEN_FIELDS) {
            self.text.push_str(&value.replace(BETWEEN_FIELDS, " "));
        } else {
            self.text.push_str(value);
        }
    }
}
