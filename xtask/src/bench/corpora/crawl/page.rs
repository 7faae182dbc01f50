//! The text of a page by its number: the frame of its host, and its own content.

use super::plan::{Likeness, Member, Of, Plan, dice};
use super::tongue::{Tongue, Topic};
use super::vary::{change_tokens, near_duplicate};
use super::wet::Heading;
use crate::bench::corpora::dice::Dice;

/// Mean length in bytes of a page's own content, and standard deviation of its logarithm. With the frame of its host, a
/// page has 9 kB on average.
const MEAN_BYTES: f64 = 8_400.0;
const LENGTH_DEVIATION: f64 = 1.15;

/// Maximum length of a page, as in a crawl.
const MOST_BYTES: f64 = 1_000_000.0;

/// Standard deviation of the logarithm of the size of hosts' menus and footers.
const FRAME_DEVIATION: f64 = 0.6;

/// All languages, each with its share of the hosts in percent.
struct Tongues(Vec<(usize, Tongue)>);

impl Tongues {
    fn new() -> Self {
        Self(vec![
            (46, Tongue::plain()),
            (26, Tongue::typographic()),
            (10, Tongue::of_script("Cyrillic", "rus")),
            (8, Tongue::of_script("French", "fra")),
            (6, Tongue::of_script("Chinese", "zho")),
            (2, Tongue::of_script("Vietnamese", "vie")),
            (2, Tongue::of_script("Arabic", "ara")),
        ])
    }

    /// The language of a host.
    fn draw(&self, dice: &mut Dice) -> &Tongue {
        let mut percent = dice.below(100);
        for (share, tongue) in &self.0 {
            if percent < *share {
                return tongue;
            }
            percent -= share;
        }
        &self.0[0].1
    }
}

/// Reusable buffers of a thread.
#[derive(Default)]
pub(super) struct Scratch {
    /// The text of the page.
    pub(super) text: Vec<u8>,
    base: Vec<u8>,
}

/// Writes pages.
pub(super) struct Pages {
    pub(super) plan: Plan,
    tongues: Tongues,
}

/// The frame that a host adds to its pages.
struct Frame<'a> {
    tongue: &'a Tongue,
    topic: Topic,
    /// The source of its menu and footer; generated again for each page, which is faster than storing all of them.
    dice: Dice,
    /// Size relative to the average.
    size: f64,
}

impl Pages {
    pub(super) fn new(page_count: usize) -> Self {
        Self { plan: Plan::new(page_count), tongues: Tongues::new() }
    }

    /// Generates the text of a page, and returns the heading of its record.
    pub(super) fn write(&self, number: usize, dice: &mut Dice, scratch: &mut Scratch) -> Heading<'_> {
        scratch.text.clear();
        let own_host = self.plan.host(dice);
        let (host, tongue) = match self.plan.members[number] {
            None => {
                let mut frame = self.frame(own_host);
                frame.write_menu(&mut scratch.text);
                frame.tongue.write_text(length(dice), dice, &mut scratch.text);
                frame.write_footer(&mut scratch.text);
                (own_host, frame.tongue)
            }
            Some(member) => self.write_member(member, own_host, dice, scratch),
        };
        let uri = format!("https://www.host-{host}.example/{:x}/{:x}.html", dice.below(40), dice.roll());
        Heading { uri, tongue }
    }

    /// Generates the text of a page of a family; returns its host and language.
    fn write_member(
        &self,
        member: Member,
        own_host: usize,
        dice: &mut Dice,
        scratch: &mut Scratch,
    ) -> (usize, &Tongue) {
        let Scratch { text, base } = scratch;
        let mut chance = super::plan::dice(Of::Family, u64::from(member.family));
        let family_host = self.plan.host(&mut chance);
        let likeness = self.plan.families[member.family as usize];
        let (frame_host, page_host) = match likeness {
            // Half of the copies are on another host, including the first one's menu.
            Likeness::Copies => (family_host, if dice.chance(0.5) { family_host } else { own_host }),
            Likeness::Versions | Likeness::Template => (family_host, family_host),
            Likeness::Syndicated => (own_host, own_host),
        };
        let mut frame = self.frame(frame_host);
        // The language is that of the family, even on another host.
        let tongue = self.frame(family_host).tongue;
        base.clear();
        let bytes = if likeness == Likeness::Template { 600 + chance.below(2_400) } else { length(&mut chance) };
        tongue.write_text(bytes, &mut chance, base);

        frame.write_menu(text);
        match likeness {
            Likeness::Versions if !member.is_first => near_duplicate(tongue, base, similarity(dice), dice, text),
            // The difference of the frames comes on top of the edits.
            Likeness::Syndicated if !member.is_first => {
                near_duplicate(tongue, base, 0.9 + 0.1 * dice.unit(), dice, text);
            }
            Likeness::Copies | Likeness::Versions | Likeness::Syndicated => text.extend_from_slice(base),
            Likeness::Template => {
                let slot_count = 2.0 + chance.below(6) as f64;
                let share = slot_count * tongue.mean_token_bytes / base.len() as f64;
                let mut slots = super::plan::dice(Of::Slots, u64::from(member.family));
                change_tokens(tongue, base, share, &mut slots, dice, text);
            }
        }
        frame.write_footer(text);
        (page_host, tongue)
    }

    fn frame(&self, host: usize) -> Frame<'_> {
        let mut dice = dice(Of::Host, host as u64);
        let tongue = self.tongues.draw(&mut dice);
        Frame { tongue, topic: tongue.topic(&mut dice), size: (FRAME_DEVIATION * dice.normal()).exp(), dice }
    }
}

impl Frame<'_> {
    fn write_menu(&mut self, out: &mut Vec<u8>) {
        for _ in 0..(12.0 * self.size) as usize {
            self.tongue.write_line(1 + self.dice.below(3), &self.topic, &mut self.dice, out);
        }
    }

    fn write_footer(&mut self, out: &mut Vec<u8>) {
        for _ in 0..=(5.0 * self.size) as usize {
            self.tongue.write_line(3 + self.dice.below(12), &self.topic, &mut self.dice, out);
        }
    }
}

/// Half of all versions have about the similarity of the threshold; the others vary around and above it.
fn similarity(dice: &mut Dice) -> f64 {
    let similarity = if dice.chance(0.5) { 0.86 + 0.06 * dice.normal() } else { 0.65 + 0.35 * dice.unit() };
    similarity.clamp(0.6, 0.995)
}

/// The length of a text in bytes, log-normal as on the web.
fn length(dice: &mut Dice) -> usize {
    // The mean of the distribution is exp(m + d² / 2).
    let middle = MEAN_BYTES.ln() - LENGTH_DEVIATION * LENGTH_DEVIATION / 2.0;
    (middle + LENGTH_DEVIATION * dice.normal()).exp().clamp(200.0, MOST_BYTES) as usize
}

#[cfg(test)]
mod tests {
    use lookalike_judge::{Shingle, pairs};

    use super::*;

    fn texts(pages: &Pages, numbers: impl Iterator<Item = usize>) -> Vec<(String, String)> {
        let mut scratch = Scratch::default();
        numbers
            .map(|number| {
                let heading = pages.write(number, &mut dice(Of::Page, number as u64), &mut scratch);
                let host = heading.uri.split('/').nth(2).unwrap().to_owned();
                (host, String::from_utf8(scratch.text.clone()).unwrap())
            })
            .collect()
    }

    #[test]
    fn pages_have_nine_thousand_bytes_on_average_and_a_long_tail() {
        let texts = texts(&Pages::new(4_000), 0..4_000);
        let mean = texts.iter().map(|(_, text)| text.len()).sum::<usize>() as f64 / 4_000.0;
        // The standard deviation of a mean of 4,000 is about 250; template pages are shorter.
        assert!((8_000.0..9_800.0).contains(&mean), "{mean}");
        let longest = texts.iter().map(|(_, text)| text.len()).max().unwrap();
        assert!((80_000..1_050_000).contains(&longest), "{longest}");
    }

    #[test]
    fn pages_that_are_not_related_share_next_to_nothing() {
        let pages = Pages::new(20_000);
        let alone = (0..20_000).filter(|number| pages.plan.members[*number].is_none());
        let (hosts, texts): (Vec<String>, Vec<String>) = texts(&pages, alone.take(2_000)).into_iter().unzip();
        let alike = pairs(&texts, Shingle::Word(5), 0.05);
        // Pages of one host share its menu; all others share nothing.
        assert!(alike.iter().all(|pair| hosts[pair.left] == hosts[pair.right]), "{alike:?}");
        let same_host_count: usize =
            (0..hosts.len()).map(|left| hosts[..left].iter().filter(|host| **host == hosts[left]).count()).sum();
        let very_alike_count = alike.iter().filter(|pair| pair.measures.jaccard() >= 0.3).count();
        assert!(very_alike_count * 20 < same_host_count, "{very_alike_count} of {same_host_count}");
    }
}
