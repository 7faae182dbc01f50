//! Describes the text and the position of each block of a page as a row of numbers.
//!
//! Counts are used directly, without logarithms: trees only compare, and logarithms differ between machines.

use std::collections::HashMap;

use super::blocks::{Block, Node, Page, Tag};
use super::content::Content;

/// Number of elements measured around a block, each with more blocks than the previous one.
const LEVELS: usize = 5;

/// Distance of blocks without a preceding heading, or without nearby prose, from it.
const FAR: f32 = 1000.0;

/// The names of the features.
pub(super) const NAMES: [&str; 79] = [
    // The block.
    "length",
    "words",
    "link_share",
    "sentences",
    "end",
    "capitals",
    "signs",
    "word_length",
    "short_words",
    "links",
    "tag",
    "repeats",
    // The elements around it: the number of each kind, and the weights of their attributes.
    "in_footer",
    "in_article",
    "in_main",
    "in_section",
    "in_form",
    "in_list",
    "depth",
    "own_score",
    "nearest_score",
    "nearest_distance",
    "least_score",
    "largest_score",
    "score",
    "score_of_three",
    // The elements around it that have more blocks, from the inside outward.
    "length_1",
    "link_share_1",
    "prose_1",
    "length_2",
    "link_share_2",
    "blocks_2",
    "prose_2",
    "length_3",
    "link_share_3",
    "blocks_3",
    "prose_3",
    "length_4",
    "link_share_4",
    "blocks_4",
    "prose_4",
    "length_5",
    "link_share_5",
    "blocks_5",
    "prose_5",
    "place_5",
    // Elements that a template repeats, such as posts and products: the innermost and the outermost one around the
    // block.
    "inner_count",
    "inner_length",
    "inner_link_share",
    "inner_share",
    "outer_count",
    "outer_length",
    "outer_link_share",
    "outer_share",
    // The blocks before and after it.
    "length_before",
    "link_share_before",
    "link_share_after",
    "link_share_second_before",
    "density",
    "wide_density",
    "since_heading",
    "heading_link_share",
    "heading_score",
    "since_first_heading",
    "is_before_first_heading",
    "place",
    "prose_before",
    "prose_after",
    "since_prose",
    "half_of_prose",
    "most_of_prose",
    "score_before",
    "score_after",
    "repeats_before",
    // The page.
    "page_length",
    "page_link_share",
    "page_blocks",
    "page_prose",
    "page_block_length",
];

/// Properties of all blocks of a page.
pub(super) struct Context<'p> {
    page: &'p Page,
    contents: Vec<Content>,
    /// Sums before each block, and after the last.
    sums: Vec<Sum>,
    /// For each element, the measurements of those of the same kind with the same parent, if there are at least three.
    repeated: Vec<Option<[f32; 4]>>,
    sequence: Vec<Place>,
    first_heading: Option<usize>,
    /// The smallest elements with half of the prose, and with four fifths of it.
    homes: [usize; 2],
}

/// Lengths of a run of blocks.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    length: f32,
    links: f32,
    prose: f32,
}

impl Sum {
    fn link_share(self) -> f32 {
        self.links / self.length.max(1.0)
    }

    fn prose_share(self) -> f32 {
        self.prose / self.length.max(1.0)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Siblings {
    count: f32,
    length: f32,
    links: f32,
}

/// Properties that depend on the blocks before a block.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// Number of occurrences of its text on the page so far, including this one.
    repeats: f32,
    /// The same for the last preceding block that was a repetition.
    repeats_before: f32,
    heading: Option<usize>,
    prose: Option<usize>,
    /// The mean length of the surrounding blocks, from which links are subtracted: in a narrow and in a wide
    /// neighborhood.
    density: [f32; 2],
}

impl<'p> Context<'p> {
    pub(super) fn of(page: &'p Page) -> Self {
        let contents: Vec<Content> =
            page.blocks.iter().map(|block| Content::of(page.text_of(block), block.link_bytes)).collect();
        let mut sums = vec![Sum::default()];
        let mut sum = Sum::default();
        for content in &contents {
            sum.length += content.length;
            sum.links += content.length * content.link_share;
            sum.prose += if content.is_prose() { content.length } else { 0.0 };
            sums.push(sum);
        }
        let first_heading = page.blocks.iter().position(|block| page.node_of(block).tag == Tag::FirstHeading);
        let sequence = sequence(page, &contents);
        let mut context = Self { page, contents, sums, repeated: Vec::new(), sequence, first_heading, homes: [0; 2] };
        context.repeated = context.repeated();
        context.homes = [0.5, 0.8].map(|share| context.home(share));
        context
    }

    /// Length of a block's text.
    pub(super) fn weight(&self, block: usize) -> f32 {
        self.contents[block].length
    }

    /// Puts the features of a block into `row`, which is cleared first.
    pub(super) fn row(&self, number: usize, row: &mut Vec<f32>) {
        row.clear();
        let (block, content, place) = (&self.page.blocks[number], &self.contents[number], &self.sequence[number]);
        self.push_block(block, content, place, row);
        self.push_around(number, block, row);
        self.push_neighbors(number, place, row);
        let (all, count) = (self.all(), self.contents.len() as f32);
        row.extend([all.length, all.link_share(), count, all.prose_share(), all.length / count]);
        debug_assert_eq!(row.len(), NAMES.len());
    }

    fn push_block(&self, block: &Block, content: &Content, place: &Place, row: &mut Vec<f32>) {
        let words = content.words.max(1.0);
        row.extend([
            content.length,
            content.words,
            content.link_share,
            content.sentences,
            content.end,
            content.capitals / words,
            content.signs / content.length.max(1.0),
            content.length / words,
            content.short_words / words,
            block.link_count as f32,
            f32::from(self.page.node_of(block).tag as u8),
            place.repeats,
        ]);
    }

    fn push_around(&self, number: usize, block: &Block, row: &mut Vec<f32>) {
        let mut around = Around { nearest_distance: FAR, ..Around::default() };
        let mut at = block.node;
        let mut distance = 0;
        while at > 0 {
            let node = &self.page.nodes[at];
            around.pass(node, distance);
            if node.end_block - node.first_block > around.block_count && around.levels.len() < LEVELS {
                around.block_count = node.end_block - node.first_block;
                around.levels.push(self.level(number, node));
            }
            if let Some(repeated) = self.repeated[at] {
                around.inner.get_or_insert(repeated);
                around.outer = repeated;
            }
            at = node.parent;
            distance += 1;
        }
        let last = around.levels.last().copied().unwrap_or_else(|| self.level(number, &self.page.nodes[0]));
        around.levels.resize(LEVELS, last);
        row.extend(around.inside);
        row.extend([self.page.node_of(block).depth as f32, self.page.node_of(block).score as f32, around.nearest]);
        row.extend([around.nearest_distance, around.least, around.largest, around.score, around.score_of_three]);
        let [length, link_share, _, prose, _] = around.levels[0];
        row.extend([length, link_share, prose]);
        around.levels[1..].iter().for_each(|level| row.extend(&level[..4]));
        row.push(around.levels[LEVELS - 1][4]);
        row.extend(around.inner.unwrap_or_default());
        row.extend(around.outer);
    }

    fn push_neighbors(&self, number: usize, place: &Place, row: &mut Vec<f32>) {
        let content = |at: Option<usize>| at.and_then(|at| self.contents.get(at));
        let link_share = |at: Option<usize>| content(at).map_or(0.0, |content| content.link_share);
        let score = |at: Option<usize>| {
            at.and_then(|at| self.page.blocks.get(at)).map_or(0.0, |block| self.page.node_of(block).score as f32)
        };
        let (before, after) = (number.checked_sub(1), Some(number + 1));
        row.push(content(before).map_or(0.0, |content| content.length));
        row.extend([link_share(before), link_share(after), link_share(number.checked_sub(2))]);
        row.extend(place.density);
        row.extend([
            place.heading.map_or(FAR, |heading| (number - heading) as f32),
            link_share(place.heading),
            score(place.heading),
        ]);
        let since_first = self.first_heading.map_or(-FAR, |heading| number as f32 - heading as f32);
        row.extend([since_first, f32::from(u8::from(self.first_heading.is_some_and(|heading| number < heading)))]);
        let (all, until, with) = (self.all(), self.sums[number], self.sums[number + 1]);
        row.push(until.length / all.length.max(1.0));
        row.extend([until.prose / all.prose.max(1.0), (all.prose - with.prose) / all.prose.max(1.0)]);
        row.push(place.prose.map_or(FAR, |prose| (number - prose) as f32));
        row.extend(self.homes.map(|home| side(number, &self.page.nodes[home])));
        row.extend([score(before), score(after), place.repeats_before]);
    }

    fn all(&self) -> Sum {
        self.sums.last().copied().unwrap_or_default()
    }

    fn sum(&self, node: &Node) -> Sum {
        let (from, to) = (self.sums[node.first_block], self.sums[node.end_block]);
        Sum { length: to.length - from.length, links: to.links - from.links, prose: to.prose - from.prose }
    }

    /// Length, share of links, number of blocks and share of prose of an element, and the relative position of the
    /// block in it.
    fn level(&self, number: usize, node: &Node) -> [f32; 5] {
        let sum = self.sum(node);
        let count = (node.end_block - node.first_block) as f32;
        [sum.length, sum.link_share(), count, sum.prose_share(), (number - node.first_block) as f32 / count.max(1.0)]
    }

    fn repeated(&self) -> Vec<Option<[f32; 4]>> {
        let mut numbers: HashMap<(usize, u64), usize> = HashMap::new();
        let mut all: Vec<Siblings> = Vec::new();
        let mut number = |node: &Node| {
            if node.end_block == node.first_block {
                return None;
            }
            let sum = self.sum(node);
            let number = *numbers.entry((node.parent, node.kind)).or_insert(all.len());
            if number == all.len() {
                all.push(Siblings::default());
            }
            all[number].count += 1.0;
            all[number].length += sum.length;
            all[number].links += sum.links;
            Some(number)
        };
        let numbers: Vec<Option<usize>> = self.page.nodes.iter().map(&mut number).collect();
        let measured = |siblings: &Siblings| {
            let Siblings { count, length, links } = *siblings;
            let share = length / self.all().length.max(1.0);
            (count >= 3.0).then(|| [count, length / count, links / length.max(1.0), share])
        };
        numbers.into_iter().map(|number| number.and_then(|number| measured(&all[number]))).collect()
    }

    /// The smallest element with at least this share of the prose; the innermost if several have the same text.
    fn home(&self, share: f32) -> usize {
        let least = share * self.all().prose;
        let mut home = (0, f32::MAX);
        for (number, node) in self.page.nodes.iter().enumerate() {
            let sum = self.sum(node);
            if sum.prose >= least && sum.length <= home.1 {
                home = (number, sum.length);
            }
        }
        home.0
    }
}

/// Sums over the elements around a block.
#[derive(Default)]
struct Around {
    /// Numbers of footers, articles, main parts, sections, forms and lists.
    inside: [f32; 6],
    nearest: f32,
    nearest_distance: f32,
    least: f32,
    largest: f32,
    score: f32,
    score_of_three: f32,
    scored_count: usize,
    levels: Vec<[f32; 5]>,
    block_count: usize,
    inner: Option<[f32; 4]>,
    outer: [f32; 4],
}

impl Around {
    fn pass(&mut self, node: &Node, distance: usize) {
        const KINDS: [Tag; 6] = [Tag::Footer, Tag::Article, Tag::Main, Tag::Section, Tag::Form, Tag::List];
        if let Some(kind) = KINDS.iter().position(|kind| *kind == node.tag) {
            self.inside[kind] += 1.0;
        }
        if node.score == 0 {
            return;
        }
        let score = node.score as f32;
        if self.scored_count == 0 {
            (self.nearest, self.nearest_distance) = (score, distance as f32);
        }
        if self.scored_count < 3 {
            self.score_of_three += score;
        }
        self.scored_count += 1;
        self.least = self.least.min(score);
        self.largest = self.largest.max(score);
        self.score += score;
    }
}

/// Position of a block relative to an element: before it (-1), inside it (0), or after it (1).
fn side(number: usize, node: &Node) -> f32 {
    match number {
        _ if number < node.first_block => -1.0,
        _ if number >= node.end_block => 1.0,
        _ => 0.0,
    }
}

fn sequence(page: &Page, contents: &[Content]) -> Vec<Place> {
    let mut seen: HashMap<u64, f32> = HashMap::new();
    let mut next = Place::default();
    let mut places = Vec::with_capacity(contents.len());
    for (number, (block, content)) in page.blocks.iter().zip(contents).enumerate() {
        let repeats = seen.entry(content.hash).or_default();
        *repeats += 1.0;
        next.repeats = *repeats;
        places.push(next);
        if next.repeats > 1.0 {
            next.repeats_before = next.repeats;
        }
        if page.node_of(block).tag.is_heading() {
            next.heading = Some(number);
        }
        if content.is_prose() {
            next.prose = Some(number);
        }
    }
    for (which, rate) in [0.6, 0.9].into_iter().enumerate() {
        let worth = |content: &Content| content.length * (1.0 - 1.5 * content.link_share) * (1.0 - rate);
        let mut density = 0.0;
        for (place, content) in places.iter_mut().zip(contents) {
            density = density * rate + worth(content);
            place.density[which] = density;
        }
        density = 0.0;
        for (place, content) in places.iter_mut().zip(contents).rev() {
            place.density[which] += density;
            density = density * rate + worth(content);
        }
    }
    places
}
