//! The effect of an element on the text, by its name: what it breaks, hides and ends.
//!
//! These are not the classes of the HTML standard, but the few that affect the text.

use html5gum::State;

/// Effect of an element on the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    /// Part of a line: `b`, `a`, and all unknown names.
    Inline,
    /// Part of a line, without text of its own, and without an end: `img`.
    Void,
    /// Breaks the line, and has no end: `br`.
    LineBreak,
    /// Its tags have no effect: `body`, which exists once whatever the tags are, or `frameset`, which is no longer
    /// shown.
    Ignored,
    /// Breaks the line.
    Block,
    /// A block that other blocks end.
    Paragraph,
    /// A block that the next one of its kind ends: `li`.
    Item,
    /// Likewise `dt` and `dd`, for each other.
    Term,
    /// Likewise `option`.
    Choice,
    /// A table, and its parts, which end each other.
    Table,
    Rows,
    Row,
    Cell,
    /// A block that keeps its lines.
    Preformatted,
    /// Not shown, and contains elements: `template`, and the fallback content of a video.
    Unseen,
    /// The same for a drawing, but blocks end it if nothing else has.
    Drawing,
    /// Not shown, and not markup: `script`.
    Raw,
    /// Shown, and not markup: `title`.
    RawShown,
}

impl Element {
    /// Looks up an element by its name in lower case.
    pub(super) fn of(name: &[u8]) -> Self {
        match name {
            b"div" | b"ul" | b"ol" | b"dl" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"section"
            | b"article" | b"header" | b"footer" | b"nav" | b"aside" | b"main" | b"blockquote" | b"address"
            | b"center" | b"details" | b"summary" | b"dialog" | b"dir" | b"menu" | b"form" | b"fieldset"
            | b"legend" | b"figure" | b"figcaption" | b"hgroup" | b"search" | b"select" | b"optgroup" | b"button"
            | b"marquee" => Self::Block,
            b"p" => Self::Paragraph,
            b"li" => Self::Item,
            b"dt" | b"dd" => Self::Term,
            b"option" => Self::Choice,
            b"td" | b"th" => Self::Cell,
            b"tr" => Self::Row,
            b"tbody" | b"thead" | b"tfoot" | b"caption" => Self::Rows,
            b"table" => Self::Table,
            b"br" | b"hr" => Self::LineBreak,
            b"img" | b"input" | b"meta" | b"link" | b"area" | b"base" | b"basefont" | b"bgsound" | b"col"
            | b"embed" | b"frame" | b"image" | b"keygen" | b"param" | b"source" | b"track" | b"wbr" => Self::Void,
            b"html" | b"head" | b"body" | b"frameset" | b"colgroup" => Self::Ignored,
            b"pre" | b"listing" => Self::Preformatted,
            b"template" | b"object" | b"applet" | b"canvas" | b"audio" | b"video" | b"datalist" | b"annotation"
            | b"annotation-xml" => Self::Unseen,
            b"svg" => Self::Drawing,
            b"script" | b"style" | b"noscript" | b"iframe" | b"noembed" | b"noframes" => Self::Raw,
            b"title" | b"textarea" | b"xmp" | b"plaintext" => Self::RawShown,
            _ => Self::Inline,
        }
    }

    /// True if it can contain text, and so is open until its end.
    pub(super) fn is_open_after_start(self) -> bool {
        !matches!(self, Self::Void | Self::LineBreak | Self::Ignored)
    }

    /// True if words on both sides of its tags are on different lines. This includes the title, although it is not a
    /// block.
    pub(super) fn breaks_lines(self) -> bool {
        !matches!(self, Self::Inline | Self::Void | Self::Unseen | Self::Drawing | Self::Raw)
    }

    /// True if its content is never text.
    pub(super) fn is_unseen(self) -> bool {
        matches!(self, Self::Unseen | Self::Drawing | Self::Raw)
    }

    /// True if its start tag ends an open `other`, even if there are inline elements between them.
    pub(super) fn ends(self, other: Self) -> bool {
        match other {
            Self::Paragraph => {
                self.breaks_lines()
                    && !matches!(self, Self::RawShown | Self::Choice | Self::Ignored)
                    && self != Self::LineBreak
            }
            Self::Drawing => matches!(self, Self::Block | Self::Paragraph | Self::Table),
            Self::Item | Self::Term | Self::Choice | Self::Rows => self == other,
            Self::Row => matches!(self, Self::Row | Self::Rows),
            Self::Cell => matches!(self, Self::Cell | Self::Row | Self::Rows),
            _ => false,
        }
    }

    /// True if an end tag of `ended` affects the elements around this one.
    pub(super) fn lets_through(self, ended: Self) -> bool {
        match ended {
            // `</b>` ends no block.
            Self::Inline => self == Self::Inline,
            Self::Table | Self::Rows | Self::Row | Self::Cell => self != Self::Table,
            // Cells limit the effect of misplaced end tags.
            _ => !matches!(self, Self::Table | Self::Cell),
        }
    }
}

/// The tokenizer's state after the start tag, if it differs from the default.
pub(super) fn state_after(name: &[u8]) -> Option<State> {
    match name {
        b"title" | b"textarea" => Some(State::RcData),
        b"plaintext" => Some(State::PlainText),
        b"script" => Some(State::ScriptData),
        b"style" | b"iframe" | b"xmp" | b"noembed" | b"noframes" | b"noscript" => Some(State::RawText),
        _ => None,
    }
}
