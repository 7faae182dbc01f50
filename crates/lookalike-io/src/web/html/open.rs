//! Given the tags of a page, knows which elements are open, and whether one of them hides what is in it.
//!
//! This is no tree builder. It mends what the text depends on, which is where hidden elements end and that every
//! element ends within the one that it started in. It is never more than [`DEEPEST`] deep, so that each step is
//! bounded, however many tags fit nothing.

use super::element::Element;

/// How many elements can be open. Pages that people write are seldom 60 deep; tags beyond are passed over, their text
/// is not.
pub(super) const DEEPEST: usize = 256;

/// The elements that are open, the innermost last.
#[derive(Debug, Default)]
pub(super) struct OpenElements {
    stack: Vec<Open>,
    /// Their names, one after the other.
    names: Vec<u8>,
    /// The height of the stack below the outermost element that hides what is in it.
    hidden_from: Option<usize>,
    preformatted: usize,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    element: Element,
    /// Where its name starts.
    name: usize,
}

impl OpenElements {
    /// Whether what comes now is not seen.
    pub(super) fn is_hidden(&self) -> bool {
        self.hidden_from.is_some()
    }

    /// Whether line ends count.
    pub(super) fn is_preformatted(&self) -> bool {
        self.preformatted > 0
    }

    /// Opens an element, unless the page is too deep. What hides is opened all the same, once.
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

    /// How many elements stay open when a start tag of `element` comes: a cell ends the one before it, a block a
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

    /// How many elements stay open when an end tag comes, which may end nothing.
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

    /// Closes elements until `height` are left, and tells `seen` the names of those that were seen.
    pub(super) fn close(&mut self, height: usize, mut seen: impl FnMut(&[u8], Element)) {
        while self.stack.len() > height
            && let Some(open) = self.stack.pop()
        {
            if !self.is_hidden() {
                seen(&self.names[open.name..], open.element);
            }
            self.names.truncate(open.name);
            self.preformatted -= usize::from(open.element == Element::Preformatted);
            // What hid itself was not seen; what comes after it is.
            self.hidden_from = self.hidden_from.filter(|hidden_from| *hidden_from < self.stack.len());
        }
    }

    /// How many are open.
    pub(super) fn height(&self) -> usize {
        self.stack.len()
    }
}
