//! The plan of a crawl, made before its first page is written: which pages are copies or similar, and the sizes of
//! hosts.
//!
//! Everything else depends only on the number of a page, a family or a host, so any thread can write any file.

use crate::bench::corpora::dice::Dice;

/// Version of the crawl: increase it with every change of the generator.
pub(super) const EDITION: u64 = 2;

/// Share of pages that are exact copies of another one.
const COPY_SHARE: f64 = 0.08;

/// Share of pages in families of near-duplicates, and of pages of a template that differ in a few words.
const FAMILY_SHARE: f64 = 0.17;
const TEMPLATE_SHARE: f64 = 0.03;

/// Share of families whose pages are on one host; the others are syndicated: one article on many hosts.
const SAME_HOST_SHARE: f64 = 0.7;

/// Average number of pages per host.
const PAGES_PER_HOST: usize = 10;

/// Offset of the ranks in Zipf's law (Mandelbrot's form), which makes large hosts more equal. The largest of 200,000
/// hosts has one page in 400.
const FIRST_RANK: f64 = 50.0;

/// Relation between the pages of a family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Likeness {
    /// The same text under several addresses.
    Copies,
    /// A page of a host in several versions, of varying similarity.
    Versions,
    /// An article on many hosts, each with its own frame.
    Syndicated,
    /// A form that each page fills with other words.
    Template,
}

/// A page's role in a family.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) family: u32,
    /// True for the first one, of which the others are copies or versions.
    pub(super) is_first: bool,
}

/// Subject of a random stream; each has its own.
#[derive(Clone, Copy)]
pub(super) enum Of {
    Page = 1,
    Family,
    Slots,
    Host,
    File,
}

/// The random stream of one page, family or host.
pub(super) fn dice(of: Of, number: u64) -> Dice {
    Dice::new(EDITION << 48 ^ (of as u64) << 40 ^ number)
}

/// The plan of a crawl.
pub(super) struct Plan {
    /// The family of each page, if any.
    pub(super) members: Vec<Option<Member>>,
    /// The kind of each family.
    pub(super) families: Vec<Likeness>,
    host_count: usize,
}

impl Plan {
    /// Creates the plan for a number of pages.
    pub(super) fn new(page_count: usize) -> Self {
        let mut dice = Dice::new(EDITION);
        let mut plan =
            Self { members: Vec::new(), families: Vec::new(), host_count: (page_count / PAGES_PER_HOST).max(3) };
        // A few families are very large, especially in a large crawl.
        let largest = (page_count / 500).clamp(12, 5_000);
        let share = |share: f64| (page_count as f64 * share) as usize;

        let mut copy_count = 0;
        while copy_count < share(COPY_SHARE) {
            let size = pareto(2.0, 2.0, largest, &mut dice);
            plan.add(Likeness::Copies, size);
            copy_count += size - 1;
        }
        let start = plan.members.len();
        while plan.members.len() - start < share(FAMILY_SHARE) {
            let likeness = if dice.chance(SAME_HOST_SHARE) { Likeness::Versions } else { Likeness::Syndicated };
            plan.add(likeness, pareto(2.0, 1.5, largest.min(200), &mut dice));
        }
        let start = plan.members.len();
        while plan.members.len() - start < share(TEMPLATE_SHARE) {
            plan.add(Likeness::Template, pareto(10.0, 0.7, largest, &mut dice));
        }
        plan.members.resize(page_count.max(plan.members.len()), None);
        dice.shuffle(&mut plan.members);
        plan.members.truncate(page_count);
        plan
    }

    fn add(&mut self, likeness: Likeness, size: usize) {
        let family = self.families.len() as u32;
        self.families.push(likeness);
        self.members.extend((0..size).map(|place| Some(Member { family, is_first: place == 0 })));
    }

    /// A host, drawn in proportion to the sizes of hosts.
    pub(super) fn host(&self, dice: &mut Dice) -> usize {
        let span = ((self.host_count as f64 + FIRST_RANK) / FIRST_RANK).ln();
        let rank = FIRST_RANK * (span * dice.unit()).exp() - FIRST_RANK;
        (rank as usize).min(self.host_count - 1)
    }
}

/// A size of at least `least` from a distribution with a long tail, which is heavier for smaller `power`.
fn pareto(least: f64, power: f64, most: usize, dice: &mut Dice) -> usize {
    ((least * (1.0 - dice.unit()).powf(-1.0 / power)) as usize).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_are_those_of_a_crawl() {
        let plan = Plan::new(100_000);
        let count = |wanted: &dyn Fn(Likeness, bool) -> bool| {
            let members = plan.members.iter().flatten();
            members.filter(|member| wanted(plan.families[member.family as usize], member.is_first)).count()
        };
        let copy_count = count(&|likeness, is_first| likeness == Likeness::Copies && !is_first);
        let alike_count = count(&|likeness, _| likeness != Likeness::Copies);
        assert!((8_000..8_300).contains(&copy_count), "{copy_count}");
        assert!((20_000..20_600).contains(&alike_count), "{alike_count}");
    }

    #[test]
    fn some_hosts_have_very_many_pages_and_many_have_few() {
        let plan = Plan::new(100_000);
        let mut sizes = vec![0; plan.host_count];
        let mut dice = Dice::new(1);
        (0..100_000).for_each(|_| sizes[plan.host(&mut dice)] += 1);
        sizes.sort_unstable();
        assert!(sizes[plan.host_count - 1] > 300, "{}", sizes[plan.host_count - 1]);
        assert!(sizes[plan.host_count / 2] < 8, "{}", sizes[plan.host_count / 2]);
    }
}
