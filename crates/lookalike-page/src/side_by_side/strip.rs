//! The positions of passages: each text is a line from its beginning to its end, in the colors of the passages.

use super::{COLORS, SideText};
use crate::html;
use crate::html::Html;

/// Resolution of a line. Passages beyond it are merged by color.
const STEPS: u64 = 480;

/// Height of a line, and distance to the next.
const HIGH: u64 = 10;
const APART: u64 = 14;

/// Both texts.
pub(super) fn strip(left: &SideText, right: &SideText) -> Html {
    html!(
        "<svg class=\"strip\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\">{}{}</svg>\n",
        STEPS,
        APART + HIGH,
        "Where the shared passages lie in both documents",
        line(left, 0),
        line(right, APART)
    )
}

/// One text.
fn line(side: &SideText, top: u64) -> Html {
    let lengths = side.pieces.iter().map(|piece| piece.text.chars().count() as u64);
    let all = (lengths.clone().sum::<u64>() + side.more).max(1);
    let mut drawn = html!("<rect class=\"alone\" x=\"0\" y=\"{}\" width=\"{}\" height=\"{}\"/>", top, STEPS, HIGH);
    // Start, end and passage of the next stretch: adjacent passages of one color are merged.
    let mut run: Option<(u64, u64, u32)> = None;
    let mut before = 0;
    for (piece, length) in side.pieces.iter().zip(lengths) {
        let (from, to) = (before * STEPS / all, ((before + length) * STEPS).div_ceil(all));
        before += length;
        let Some(passage) = piece.passage else { continue };
        run = Some(match run {
            Some((start, end, last)) if last == passage && from <= end + 1 => (start, to, last),
            Some((_, end, _)) if to <= end => continue,
            Some(done) => {
                drawn.push(&rect(done, top));
                (from.max(done.1), to, passage)
            }
            None => (from, to, passage),
        });
    }
    run.into_iter().for_each(|done| drawn.push(&rect(done, top)));
    drawn
}

fn rect((from, to, passage): (u64, u64, u32), top: u64) -> Html {
    html!(
        "<rect class=\"f{}\" data-p=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
        passage % COLORS,
        passage,
        from,
        top,
        to.saturating_sub(from).max(1),
        HIGH
    )
}

#[cfg(test)]
mod tests {
    use super::super::Piece;
    use super::*;

    fn side(pieces: &[(Option<u32>, usize)]) -> SideText {
        let piece = |(passage, length): &(Option<u32>, usize)| Piece {
            passage: *passage,
            is_only: passage.is_none(),
            text: "é".repeat(*length),
        };
        SideText { pieces: pieces.iter().map(piece).collect(), ..SideText::default() }
    }

    #[test]
    fn a_passage_lies_where_it_lies_in_the_text() {
        let drawn = strip(&side(&[(None, 50), (Some(1), 25), (None, 25)]), &side(&[(Some(1), 10)]));
        assert!(drawn.as_str().contains("data-p=\"1\" x=\"240\" y=\"0\" width=\"120\""));
        assert!(drawn.as_str().contains("data-p=\"1\" x=\"0\" y=\"14\" width=\"480\""));
    }

    #[test]
    fn a_hundred_thousand_passages_stay_a_small_picture() {
        let many: Vec<(Option<u32>, usize)> = (0..100_000).map(|at| (Some(at), 5)).collect();
        let drawn = strip(&side(&many), &side(&[]));
        assert!(drawn.len() < 60_000, "{}", drawn.len());
    }
}
