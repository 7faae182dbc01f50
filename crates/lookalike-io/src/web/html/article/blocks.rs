//! Divides a page into blocks, which are the lines of its visible text, and finds the elements around them.
//!
//! Both are limited in number: text after the last element belongs to the preceding ones, and text after the last block
//! is part of it.

use super::super::element::Element;
use super::super::extras::Extras;
use super::super::tags::{Attribute, Sink, read};
use super::words::{self, Words};

/// Maximum number of elements, and of blocks, that are distinguished on a page. Each takes about a hundred bytes.
const MOST: usize = 500_000;

/// A page divided into blocks.
pub(super) struct Page {
    text: String,
    pub(super) blocks: Vec<Block>,
    /// The elements that determine lines; the first one represents the page. Parents come before their children.
    pub(super) nodes: Vec<Node>,
    /// Text that is not visible, in order. It does not affect the choice of blocks.
    extras: Vec<Extra>,
}

/// A description or a target, the block that it belongs to, and its position in the text.
struct Extra {
    block: usize,
    place: usize,
    text: String,
}

impl Page {
    /// Appends a block, with its descriptions and targets.
    pub(super) fn write(&self, number: usize, to: &mut String) {
        let Block { start: mut from, end, .. } = self.blocks[number];
        let first = self.extras.partition_point(|extra| extra.block < number);
        for extra in self.extras[first..].iter().take_while(|extra| extra.block == number) {
            let place = extra.place.clamp(from, end);
            to.push_str(&self.text[from..place]);
            for piece in [" ", &extra.text, " "] {
                let is_space = piece == " ";
                if !is_space || !to.is_empty() && !to.ends_with([' ', '\n']) {
                    to.push_str(piece);
                }
            }
            from = place;
            if self.text[from..end].starts_with(' ') {
                from += 1;
            }
        }
        to.push_str(&self.text[from..end]);
        to.truncate(to.trim_end_matches(' ').len());
    }

    pub(super) fn text_of(&self, block: &Block) -> &str {
        &self.text[block.start..block.end]
    }

    pub(super) fn node_of(&self, block: &Block) -> &Node {
        &self.nodes[block.node]
    }
}

/// A line of visible text, with the links counted in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// The innermost element that it starts in.
    pub(super) node: usize,
    start: usize,
    end: usize,
    pub(super) link_bytes: usize,
    pub(super) link_count: usize,
}

/// An element around blocks.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) parent: usize,
    pub(super) depth: usize,
    pub(super) tag: Tag,
    /// Hash that is equal for elements with the same name and first class.
    pub(super) kind: u64,
    /// Weight of its attributes for the main content, in hundredths.
    pub(super) score: i32,
    pub(super) first_block: usize,
    pub(super) end_block: usize,
}

/// Kinds of elements. Their order matters: it is a feature, which the trees split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Other,
    Div,
    Paragraph,
    FirstHeading,
    SecondHeading,
    Heading,
    Item,
    List,
    Cell,
    Row,
    Table,
    Term,
    Quotation,
    Preformatted,
    Figure,
    Caption,
    Form,
    Button,
    Choice,
    Title,
    Navigation,
    Header,
    Footer,
    Aside,
    Article,
    Main,
    Section,
    Address,
    Label,
}

impl Tag {
    fn of(name: &[u8]) -> Self {
        match name {
            b"div" => Self::Div,
            b"p" => Self::Paragraph,
            b"h1" => Self::FirstHeading,
            b"h2" => Self::SecondHeading,
            b"h3" | b"h4" | b"h5" | b"h6" => Self::Heading,
            b"li" => Self::Item,
            b"ul" | b"ol" | b"dl" | b"menu" => Self::List,
            b"td" | b"th" => Self::Cell,
            b"tr" => Self::Row,
            b"table" | b"tbody" | b"thead" => Self::Table,
            b"dt" | b"dd" => Self::Term,
            b"blockquote" => Self::Quotation,
            b"pre" => Self::Preformatted,
            b"figure" => Self::Figure,
            b"figcaption" | b"caption" => Self::Caption,
            b"form" | b"fieldset" | b"search" => Self::Form,
            b"button" | b"textarea" => Self::Button,
            b"option" | b"select" | b"optgroup" => Self::Choice,
            b"title" => Self::Title,
            b"nav" => Self::Navigation,
            b"header" => Self::Header,
            b"footer" => Self::Footer,
            b"aside" => Self::Aside,
            b"article" => Self::Article,
            b"main" => Self::Main,
            b"section" => Self::Section,
            b"address" => Self::Address,
            b"summary" | b"legend" | b"dialog" | b"details" => Self::Label,
            _ => Self::Other,
        }
    }

    pub(super) fn is_heading(self) -> bool {
        matches!(self, Self::FirstHeading | Self::SecondHeading | Self::Heading)
    }
}

/// Divides a page into blocks.
pub(super) fn page(html: &str, words: &Words, extras: Extras) -> Page {
    let score = |name: &[u8], attributes: &[Attribute]| {
        let mut score = 0;
        words::each(name, attributes, |word| score += words.weight(word));
        score.clamp(-words::MOST_OF_AN_ELEMENT, words::MOST_OF_AN_ELEMENT)
    };
    // Attributes that are not needed are not collected.
    if extras.is_any() {
        let mut reader = Reader::<_, true>::new(html.len(), extras, score);
        read(html, &mut reader);
        reader.finish()
    } else {
        let mut reader = Reader::<_, false>::new(html.len(), extras, score);
        read(html, &mut reader);
        reader.finish()
    }
}

/// The words around each block, its own element first.
pub(super) fn paths(html: &str) -> Vec<Vec<String>> {
    let mut of_nodes = vec![Vec::new()];
    let mut reader = Reader::<_, false>::new(html.len(), Extras::default(), |name: &[u8], attributes: &[Attribute]| {
        let mut words = Vec::new();
        words::each(name, attributes, |word| words.push(String::from_utf8_lossy(word).into_owned()));
        of_nodes.push(words);
        0
    });
    read(html, &mut reader);
    let Page { blocks, nodes, .. } = reader.finish();
    let path = |block: &Block| {
        let mut path = of_nodes[block.node].clone();
        let mut node = block.node;
        while node > 0 {
            node = nodes[node].parent;
            path.extend_from_slice(&of_nodes[node]);
        }
        path
    };
    blocks.iter().map(path).collect()
}

/// Separator before the next word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    Line,
    Block,
}

struct Reader<S, const HAS_EXTRAS: bool> {
    text: Vec<u8>,
    blocks: Vec<Block>,
    nodes: Vec<Node>,
    /// For each open element, true if it is a node.
    open: Vec<bool>,
    /// The innermost open node.
    current: usize,
    gap: Gap,
    /// Number of open links. The innermost is new if it has no text yet.
    open_links: usize,
    is_new_link: bool,
    score: S,
    wanted: Extras,
    extras: Vec<Extra>,
    /// The targets of the open links.
    targets: Vec<Option<String>>,
}

impl<S, const HAS_EXTRAS: bool> Reader<S, HAS_EXTRAS> {
    fn new(length: usize, wanted: Extras, score: S) -> Self {
        let page = Node { parent: 0, depth: 0, tag: Tag::Other, kind: 0, score: 0, first_block: 0, end_block: 0 };
        Self {
            text: Vec::with_capacity(length / 4),
            blocks: Vec::new(),
            nodes: vec![page],
            open: Vec::new(),
            current: 0,
            gap: Gap::Block,
            open_links: 0,
            is_new_link: false,
            score,
            wanted,
            extras: Vec::new(),
            targets: Vec::new(),
        }
    }

    fn finish(mut self) -> Page {
        self.end_block();
        self.nodes[0].end_block = self.blocks.len();
        // Pieces of a character arrive in order, so the whole text is UTF-8.
        let text = String::from_utf8(self.text).unwrap_or_default();
        Page { text, blocks: self.blocks, nodes: self.nodes, extras: self.extras }
    }

    /// Keeps text that is not visible: inside a block for that block, and between two blocks for the following one.
    fn keep(&mut self, extra: Option<String>, is_inside: bool) {
        if let Some(text) = extra {
            let block = self.blocks.len().saturating_sub(usize::from(is_inside));
            self.extras.push(Extra { block, place: self.text.len(), text });
        }
    }

    fn end_block(&mut self) {
        let end = self.text.len();
        if let Some(block) = self.blocks.last_mut() {
            block.end = end;
        }
    }

    fn start_block(&mut self) {
        if self.blocks.len() == MOST {
            self.text.push(b'\n');
            return;
        }
        self.end_block();
        self.blocks.push(Block { node: self.current, start: self.text.len(), ..Block::default() });
        self.is_new_link = self.open_links > 0;
    }

    fn break_line(&mut self, element: Element) {
        if element.breaks_lines() {
            self.gap = Gap::Block;
        }
    }

    fn write_word(&mut self, word: &[u8]) {
        match std::mem::replace(&mut self.gap, Gap::None) {
            Gap::None => {}
            Gap::Space => self.text.push(b' '),
            Gap::Line => self.text.push(b'\n'),
            Gap::Block => self.start_block(),
        }
        self.text.extend_from_slice(word);
        if self.open_links > 0
            && let Some(block) = self.blocks.last_mut()
        {
            block.link_bytes += word.len();
            block.link_count += usize::from(std::mem::take(&mut self.is_new_link));
        }
    }
}

/// FNV-1a.
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(seed, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A hash that is equal for elements that a template writes with the same tag.
fn kind(name: &[u8], attributes: &[Attribute]) -> u64 {
    let class = attributes.iter().find(|attribute| attribute.name == b"class");
    let first = class.and_then(|class| class.value.split(u8::is_ascii_whitespace).next());
    hash(hash(0xcbf2_9ce4_8422_2325, name), first.unwrap_or_default())
}

impl<S: FnMut(&[u8], &[Attribute]) -> i32, const HAS_EXTRAS: bool> Sink for Reader<S, HAS_EXTRAS> {
    const ATTRIBUTES: &[&[u8]] = if HAS_EXTRAS { words::ATTRIBUTES_WITH_EXTRAS } else { words::ATTRIBUTES };

    fn start(&mut self, name: &[u8], element: Element, attributes: &[Attribute]) {
        self.break_line(element);
        if name == b"a" {
            self.open_links += 1;
            self.is_new_link = true;
        }
        if HAS_EXTRAS {
            self.keep(self.wanted.description(name, attributes), self.gap != Gap::Block);
            if name == b"a" {
                self.targets.push(self.wanted.target(name, attributes));
            }
        }
        if !element.is_open_after_start() {
            return;
        }
        // Elements with custom names structure the page, as `div` does.
        let is_node = (element.breaks_lines() || name.contains(&b'-')) && self.nodes.len() < MOST;
        self.open.push(is_node);
        if is_node {
            let score = (self.score)(name, attributes);
            let (parent, first_block) = (self.current, self.blocks.len());
            let depth = self.nodes[parent].depth + 1;
            self.current = self.nodes.len();
            let (tag, kind) = (Tag::of(name), kind(name, attributes));
            self.nodes.push(Node { parent, depth, tag, kind, score, first_block, end_block: first_block });
        }
    }

    fn end(&mut self, name: &[u8], element: Element) {
        self.break_line(element);
        if name == b"a" {
            self.open_links = self.open_links.saturating_sub(1);
            let target = self.targets.pop().flatten();
            // A link around blocks ends after the last of them.
            self.keep(target, self.gap != Gap::Block || !self.is_new_link);
        }
        if self.open.pop() == Some(true) {
            let node = &mut self.nodes[self.current];
            node.end_block = self.blocks.len();
            self.current = node.parent;
        }
    }

    fn text(&mut self, mut text: &[u8], is_preformatted: bool) {
        while let [first, ..] = text {
            if first.is_ascii_whitespace() {
                let is_line = is_preformatted && matches!(first, b'\n' | b'\r');
                self.gap = self.gap.max(if is_line { Gap::Line } else { Gap::Space });
                text = &text[1..];
                continue;
            }
            let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
            self.write_word(&text[..end]);
            text = &text[end..];
        }
    }
}
