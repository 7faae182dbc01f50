//! Tracks the open elements of a page, and whether one of them hides its content.
//!
//! This is not a tree builder. It corrects only what affects the text: the ends of hidden elements, and the nesting, so
//! that every element ends within the one in which it started. The depth is at most [`DEEPEST`], so each step takes
//! bounded time, however many tags do not match.

use super::element::Element;

/// Maximum number of open elements. Pages written by people are rarely 60 deep; deeper tags are ignored, but not their
/// text.
pub(super) const DEEPEST: usize = 256;

/// The open elements, the innermost last.
#[derive(Debug, Default)]
pub(super) struct OpenElements {
    stack: Vec<Open>,
    /// Their names, concatenated.
    names: Vec<u8>,
    /// The height of the stack below the outermost element that hides its content.
    hidden_from: Option<usize>,
    preformatted: usize,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    element: Element,
    /// Start of its name.
    name: usize,
}

impl OpenElements {
    /// True if the following content is hidden.
    pub(super) fn is_hidden(&self) -> bool {
        self.hidden_from.is_some()
    }

    /// True if line breaks are preserved.
    pub(super) fn is_preformatted(&self) -> bool {
        self.preformatted > 0
    }

    /// Opens an element, unless the page is too deep. An element that hides its content is opened even then, but only
    /// one.
    pub(super) fn open(&mut self, name: &[u8], element: Element, hides: bool) -> bool {
        let starts_hiding = hides && self.hidden_from.is_none();
        if self.stack.len() >= DEEPEST && !starts_hiding {
            return false;
        }
        if starts_hiding {
            self.hidden_from = Some(self.stack.len());
        }
        self.preformatted += usize::from(element == Element::Preformatted);
        self.stack.push(Open { element, name: self.names.len() });
        self.names.extend_from_slice(name);
        true
    }

    /// Number of elements that stay open at a start tag of `element`: a cell ends the previous one, a block ends a
    /// paragraph.
    pub(super) fn height_at_start(&self, element: Element) -> usize {
        let mut height = self.stack.len();
        while let Some(place) = self.stack[..height].iter().rposition(|open| open.element != Element::Inline)
            && element.ends(self.stack[place].element)
        {
            height = place;
        }
        height
    }

    /// Number of elements that stay open at an end tag, which may end nothing.
    pub(super) fn height_at_end(&self, name: &[u8], element: Element) -> usize {
        let mut end = self.names.len();
        for (place, open) in self.stack.iter().enumerate().rev() {
            if open.element == element && &self.names[open.name..end] == name {
                return place;
            }
            if !open.element.lets_through(element) {
                break;
            }
            end = open.name;
        }
        self.stack.len()
    }

    /// Closes elements until `height` remain, and passes the names of those that were visible to `seen`.
    pub(super) fn close(&mut self, height: usize, mut seen: impl FnMut(&[u8], Element)) {
        while self.stack.len() > height
            && let Some(open) = self.stack.pop()
        {
            if !self.is_hidden() {
                seen(&self.names[open.name..], open.element);
            }
            self.names.truncate(open.name);
            self.preformatted -= usize::from(open.element == Element::Preformatted);
            // The element that hid its content is not passed on; the following ones are visible again.
            self.hidden_from = self.hidden_from.filter(|hidden_from| *hidden_from < self.stack.len());
        }
    }

    /// Number of open elements.
    pub(super) fn height(&self) -> usize {
        self.stack.len()
    }
}
