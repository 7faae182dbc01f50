//! Draws the S-curve, in the terminal and as SVG.

use lookalike::Point;
use lookalike_page::chart as page;

/// Columns of the curve in the terminal, and its rows.
const WIDTH: usize = 60;
const HEIGHT: usize = 15;

/// Draws a curve of at least [`WIDTH`] steps with characters, with a line at the threshold.
pub(crate) fn in_terminal(curve: &[Point], threshold: f64) -> String {
    let at = |share: f64, steps: usize| (share * steps as f64).round() as usize;
    let mut rows = vec![vec![' '; WIDTH + 1]; HEIGHT + 1];
    let line = at(threshold, WIDTH);
    rows.iter_mut().for_each(|row| row[line] = '┊');
    for column in 0..=WIDTH {
        let point = curve[column * (curve.len() - 1) / WIDTH];
        rows[HEIGHT - at(point.found, HEIGHT)][column] = '•';
    }
    let mut drawn = String::new();
    for (number, row) in rows.iter().enumerate() {
        let label = match number {
            0 => "1.0",
            _ if number == HEIGHT => "0.0",
            _ if 2 * number == HEIGHT + 1 => "0.5",
            _ => "   ",
        };
        let row: String = row.iter().collect();
        drawn += &format!("  {label} │{}\n", row.trim_end());
    }
    drawn += &format!("      └{}\n", "─".repeat(WIDTH + 1));
    let marks: String = (0..=5).map(|mark| format!("{:<12}", format!("{:.1}", f64::from(mark) / 5.0))).collect();
    drawn += &format!("       {}\n", marks.trim_end());
    drawn
}

/// Draws a curve as a standalone image.
pub(crate) fn as_svg(curve: &[Point], threshold: f64, recall: f64, title: &str) -> String {
    let point = |point: &Point| page::Point { similarity: point.similarity, found: point.found };
    let curve = page::Curve {
        id: "curve".to_owned(),
        title: title.to_owned(),
        description: format!(
            "The chance that a pair is found, by its similarity: {recall:.4} at the threshold of {threshold}."
        ),
        points: curve.iter().map(point).collect(),
        threshold,
        recall: Some(recall),
        ..page::Curve::default()
    };
    curve.draw().standalone()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> Vec<Point> {
        (0..=60).map(|at| f64::from(at) / 60.0).map(|at| Point::new(at, at)).collect()
    }

    #[test]
    fn a_curve_goes_from_corner_to_corner() {
        let drawn = in_terminal(&line(), 0.5);
        let rows: Vec<&str> = drawn.lines().collect();
        assert_eq!(rows.len(), HEIGHT + 3);
        assert!(rows[0].starts_with("  1.0 │") && rows[0].ends_with('•'));
        assert!(rows[HEIGHT].starts_with("  0.0 │•"));
        assert!(rows[3].contains('┊'));
    }
}
