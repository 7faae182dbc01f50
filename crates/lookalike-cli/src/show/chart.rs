//! The S-curve as people look at it: in the terminal, and as SVG.

use std::fmt::Write;

use lookalike::Point;

/// Columns and rows of the curve in the terminal.
const WIDTH: usize = 60;
const HEIGHT: usize = 15;

/// Draws a curve of at least [`WIDTH`] steps in characters, with a line where the threshold is.
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

/// The sides of the picture, and how far the axes are from them.
const PICTURE: (f64, f64) = (640.0, 400.0);
const MARGIN: f64 = 56.0;

/// Draws a curve as a picture of its own.
pub(crate) fn as_svg(curve: &[Point], threshold: f64, title: &str) -> String {
    let (width, height) = PICTURE;
    let x = |similarity: f64| MARGIN + similarity * (width - 1.5 * MARGIN);
    let y = |found: f64| height - MARGIN - found * (height - 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <title>{title}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n\
         <text x=\"{}\" y=\"28\" font-size=\"15\">{title}</text>\n",
        x(0.0)
    );
    for tenth in 0..=10 {
        let share = f64::from(tenth) / 10.0;
        let _ = writeln!(
            svg,
            "<path d=\"M{:.1} {:.1}V{:.1}M{:.1} {:.1}H{:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{share:.1}</text>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{share:.1}</text>",
            x(share),
            y(0.0),
            y(1.0),
            x(0.0),
            y(share),
            x(1.0),
            x(share),
            y(0.0) + 20.0,
            x(0.0) - 8.0,
            y(share) + 4.0,
        );
    }
    let points: Vec<String> =
        curve.iter().map(|point| format!("{:.1},{:.1}", x(point.similarity), y(point.found))).collect();
    let _ = writeln!(
        svg,
        "<path d=\"M{:.1} {:.1}V{:.1}\" stroke=\"#c33\" stroke-dasharray=\"5 4\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" fill=\"#c33\" text-anchor=\"end\">threshold {threshold}</text>\n\
         <polyline points=\"{}\" fill=\"none\" stroke=\"#236\" stroke-width=\"2.5\"/>\n\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">similarity of a pair</text>\n\
         <text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">chance to be found</text>",
        x(threshold),
        y(0.0),
        y(1.0),
        x(threshold) - 6.0,
        y(0.0) - 8.0,
        points.join(" "),
        x(0.5),
        height - 12.0,
        y(0.5),
    );
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> Vec<Point> {
        (0..=60).map(|at| Point { similarity: f64::from(at) / 60.0, found: f64::from(at) / 60.0 }).collect()
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

    #[test]
    fn a_picture_is_one_element_with_all_points() {
        let svg = as_svg(&line(), 0.8, "a title");
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert_eq!(svg.matches("<svg").count(), 1);
        let points = svg.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(points.split(' ').count(), 61);
        assert!(svg.contains("threshold 0.8"));
    }
}
