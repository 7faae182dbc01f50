//! Additional text of a page that is not visible: descriptions of images, and the targets of links.

use super::tags::Attribute;

/// Additional text to extract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extras {
    /// The descriptions of images, where the image is.
    pub(super) alt: bool,
    /// The targets of links, after their text.
    pub(super) links: bool,
}

impl Extras {
    /// True if there is anything to extract.
    pub(super) fn is_any(self) -> bool {
        self.alt || self.links
    }

    /// The description of an image.
    pub(super) fn description(self, name: &[u8], attributes: &[Attribute]) -> Option<String> {
        (self.alt && name == b"img").then(|| value(b"alt", attributes)).flatten()
    }

    /// The target of a link to another page.
    pub(super) fn target(self, name: &[u8], attributes: &[Attribute]) -> Option<String> {
        let target = (self.links && name == b"a").then(|| value(b"href", attributes)).flatten();
        target.filter(|target| !target.starts_with('#') && !target.starts_with("javascript:"))
    }
}

/// The value of an attribute, unless it is blank. A long one may have been cut within a character.
fn value(wanted: &[u8], attributes: &[Attribute]) -> Option<String> {
    let attribute = attributes.iter().find(|attribute| attribute.name == wanted)?;
    let value = String::from_utf8_lossy(attribute.value.trim_ascii());
    let value = value.trim_end_matches('\u{FFFD}');
    (!value.is_empty()).then(|| value.to_owned())
}
