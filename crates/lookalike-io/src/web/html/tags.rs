//! Passes the visible parts of a page to a [`Sink`]: starts and ends of elements in order, and text.
//!
//! The tokenizer is `html5gum`, which handles tags, comments, character references and all errors like browsers do.
//!
//! The sink does not receive a tree, but its calls form one. Each start has its end, innermost first, at most
//! [`DEEPEST`](super::open::DEEPEST) deep, whatever the page contains; hidden elements are left out.

use std::convert::Infallible;

use html5gum::{Emitter, Error, State, Tokenizer};
use memchr::memmem;

use super::element::{Element, state_after};
use super::open::OpenElements;

/// Maximum length of an element's or attribute's name; longer ones are cut.
const LONGEST_NAME: usize = 32;

/// Maximum length of an attribute's value; longer ones are cut.
const LONGEST_VALUE: usize = 512;

/// Receives the visible parts of a page.
pub(super) trait Sink {
    /// The attributes that it needs.
    const ATTRIBUTES: &[&[u8]];

    /// Called at the start of an element. Elements that are void or break a line have no end.
    fn start(&mut self, name: &[u8], element: Element, attributes: &[Attribute]);

    /// Called at the end of the innermost element.
    fn end(&mut self, name: &[u8], element: Element);

    /// Called with text, which may end within a character: the next call has the rest.
    fn text(&mut self, text: &[u8], is_preformatted: bool);
}

/// An attribute of an element.
#[derive(Debug, Default)]
pub(super) struct Attribute {
    pub(super) name: &'static [u8],
    pub(super) value: Vec<u8>,
}

/// Reads a page.
pub(super) fn read<S: Sink>(html: &str, sink: &mut S) {
    let tags = Tags {
        sink,
        open: OpenElements::default(),
        name: Vec::new(),
        last_start: Vec::new(),
        is_end: false,
        is_self_closing: false,
        hides: false,
        attribute: Vec::new(),
        value: Value::Unknown,
        style: Vec::new(),
        attributes: Vec::new(),
    };
    // There are no tokens: everything is passed to the sink directly.
    Tokenizer::new_with_emitter(html, tags).for_each(drop);
}

/// Combines the tokenizer's calls into tags.
struct Tags<'s, S> {
    sink: &'s mut S,
    open: OpenElements,
    /// The tag being read.
    name: Vec<u8>,
    /// The last start tag, whose end tag ends content that is not markup.
    last_start: Vec<u8>,
    is_end: bool,
    is_self_closing: bool,
    hides: bool,
    /// The name of the attribute being read.
    attribute: Vec<u8>,
    value: Value,
    style: Vec<u8>,
    attributes: Vec<Attribute>,
}

/// Use of an attribute's value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    /// Its name is still incomplete.
    Unknown,
    Unwanted,
    Style,
    Told,
}

impl<S: Sink> Tags<'_, S> {
    fn start_tag(&mut self, name: &[u8]) -> Option<State> {
        let element = Element::of(name);
        self.close(self.open.height_at_start(element));
        if !element.is_open_after_start() {
            if !self.open.is_hidden() {
                self.sink.start(name, element, &self.attributes);
            }
            return None;
        }
        if self.is_self_closing && (element == Element::Drawing || self.open.is_hidden()) {
            // Only drawings contain self-closing elements, and there `<script/>` is one.
            return None;
        }
        let hides = self.hides || element.is_unseen() || is_hiding(&self.style);
        if hides {
            // Visible words on both sides of it stay separate.
            self.break_line(element);
        }
        let is_open = self.open.open(name, element, hides);
        if !self.open.is_hidden() {
            if is_open {
                self.sink.start(name, element, &self.attributes);
            } else {
                self.break_line(element);
            }
        }
        state_after(name)
    }

    fn end_tag(&mut self, name: &[u8]) {
        let element = Element::of(name);
        let height = self.open.height_at_end(name, element);
        if height < self.open.height() {
            self.close(height);
        } else {
            self.break_line(element);
        }
    }

    fn close(&mut self, height: usize) {
        self.open.close(height, |name, element| self.sink.end(name, element));
    }

    /// Separates words at a tag that opens and ends nothing.
    fn break_line(&mut self, element: Element) {
        if element.breaks_lines() && !self.open.is_hidden() {
            self.sink.start(b"br", Element::LineBreak, &[]);
        }
    }

    /// Finishes the attribute that was read.
    fn finish_attribute(&mut self) {
        self.hides |= self.attribute == b"hidden";
        self.attribute.clear();
        self.value = Value::Unknown;
    }

    /// Use of the attribute's value, now that its name is complete.
    fn value(&mut self) -> Value {
        if self.value == Value::Unknown {
            let wanted = S::ATTRIBUTES.iter().find(|wanted| **wanted == self.attribute);
            self.value = match wanted {
                _ if self.is_end => Value::Unwanted,
                _ if self.attribute == b"style" && self.style.is_empty() => Value::Style,
                Some(name) if self.attributes.iter().all(|attribute| attribute.name != *name) => {
                    self.attributes.push(Attribute { name, value: Vec::new() });
                    Value::Told
                }
                _ => Value::Unwanted,
            };
        }
        self.value
    }
}

/// True if a `style` attribute, in lower case and without spaces, hides its element.
fn is_hiding(style: &[u8]) -> bool {
    !style.is_empty()
        && (memmem::find(style, b"display:none").is_some() || memmem::find(style, b"visibility:hidden").is_some())
}

/// Appends up to a total of `longest` bytes.
fn append(to: &mut Vec<u8>, part: &[u8], longest: usize) {
    let room = longest.saturating_sub(to.len());
    to.extend_from_slice(&part[..part.len().min(room)]);
}

impl<S: Sink> Emitter for Tags<'_, S> {
    type Token = Infallible;

    fn set_last_start_tag(&mut self, last_start_tag: Option<&[u8]>) {
        self.last_start.clear();
        self.last_start.extend_from_slice(last_start_tag.unwrap_or_default());
    }

    fn emit_eof(&mut self) {
        self.close(0);
    }

    fn emit_error(&mut self, _: Error) {}

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }

    fn emit_string(&mut self, text: &[u8]) {
        // Browsers drop zero bytes, which are passed separately.
        if !self.open.is_hidden() && text != b"\0" {
            self.sink.text(text, self.open.is_preformatted());
        }
    }

    fn init_start_tag(&mut self) {
        self.name.clear();
        self.style.clear();
        self.attributes.clear();
        self.is_end = false;
        self.is_self_closing = false;
        self.hides = false;
    }

    fn init_end_tag(&mut self) {
        self.init_start_tag();
        self.is_end = true;
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        self.finish_attribute();
        let name = std::mem::take(&mut self.name);
        let state = if self.is_end {
            self.end_tag(&name);
            None
        } else {
            self.last_start.clone_from(&name);
            self.start_tag(&name)
        };
        self.name = name;
        state
    }

    fn set_self_closing(&mut self) {
        self.is_self_closing = true;
    }

    fn push_tag_name(&mut self, part: &[u8]) {
        append(&mut self.name, part, LONGEST_NAME);
    }

    fn init_attribute(&mut self) {
        self.finish_attribute();
    }

    fn push_attribute_name(&mut self, part: &[u8]) {
        append(&mut self.attribute, part, LONGEST_NAME);
    }

    fn push_attribute_value(&mut self, part: &[u8]) {
        match self.value() {
            Value::Style => {
                let room = LONGEST_VALUE.saturating_sub(self.style.len());
                let written = part.iter().filter(|byte| !byte.is_ascii_whitespace()).take(room);
                self.style.extend(written.map(u8::to_ascii_lowercase));
            }
            Value::Told => {
                if let Some(attribute) = self.attributes.last_mut() {
                    append(&mut attribute.value, part, LONGEST_VALUE);
                }
            }
            Value::Unknown | Value::Unwanted => {}
        }
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.is_end && !self.name.is_empty() && self.name == self.last_start
    }

    // Comments and doctypes are not visible.
    fn init_comment(&mut self) {}
    fn emit_current_comment(&mut self) {}
    fn push_comment(&mut self, _: &[u8]) {}
    fn init_doctype(&mut self) {}
    fn emit_current_doctype(&mut self) {}
    fn set_force_quirks(&mut self) {}
    fn push_doctype_name(&mut self, _: &[u8]) {}
    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}
}
