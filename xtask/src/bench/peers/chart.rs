//! Bar charts as SVG, in the colors of a light or a dark page.

use std::fmt::Write as _;

const WIDTH: f64 = 760.0;
/// Start of the bars; the names are to the left.
const NAMES: f64 = 150.0;
/// Space for the number after the longest bar.
const NUMBERS: f64 = 90.0;
const ROW: f64 = 28.0;
const BAR: f64 = 18.0;
const TOP: f64 = 44.0;

/// A bar with its name; the most important ones are highlighted.
pub(in crate::bench) struct Bar {
    pub(in crate::bench) name: String,
    pub(in crate::bench) value: f64,
    pub(in crate::bench) is_ours: bool,
}

/// The bars from longest to shortest.
pub(in crate::bench) fn bars(title: &str, unit: &str, mut bars: Vec<Bar>) -> String {
    bars.sort_by(|one, other| other.value.total_cmp(&one.value));
    let longest = bars.first().map_or(1.0, |bar| bar.value).max(f64::MIN_POSITIVE);
    let height = TOP + ROW * bars.len() as f64 + 10.0;
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" aria-label="{title}">
<style>
text {{ font: 14px system-ui, sans-serif; fill: #24292f }}
.title {{ font-weight: 600 }}
.bar {{ fill: #8c959f }}
.ours {{ fill: #0969da }}
@media (prefers-color-scheme: dark) {{
text {{ fill: #e6edf3 }}
.bar {{ fill: #6e7681 }}
.ours {{ fill: #4493f8 }}
}}
</style>
<text class="title" x="0" y="20">{title}</text>
"#,
        title = escaped(title)
    );
    for (row, bar) in bars.iter().enumerate() {
        let top = TOP + ROW * row as f64;
        let base = top + BAR / 2.0 + 5.0;
        let length = ((WIDTH - NAMES - NUMBERS) * bar.value / longest).max(1.0);
        let class = if bar.is_ours { "bar ours" } else { "bar" };
        // Small numbers need a digit after the decimal point to differ.
        let digits = usize::from(bar.value < 100.0);
        let (names, after, value) = (NAMES - 10.0, NAMES + length + 8.0, bar.value);
        writeln!(svg, r#"<text x="{names}" y="{base}" text-anchor="end">{}</text>"#, escaped(&bar.name))
            .and_then(|()| {
                writeln!(
                    svg,
                    r#"<rect class="{class}" x="{NAMES}" y="{top}" width="{length:.1}" height="{BAR}" rx="2"/>"#
                )
            })
            .and_then(|()| writeln!(svg, r#"<text x="{after:.1}" y="{base}">{value:.digits$} {unit}</text>"#))
            .expect("a string takes everything");
    }
    svg + "</svg>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_bar_comes_first_and_fills_the_width() {
        let bar = |name: &str, value, is_ours| Bar { name: name.to_owned(), value, is_ours };
        let svg = bars("Speed", "MB/s", vec![bar("slow & old", 5.0, false), bar("fast", 200.0, true)]);
        assert!(svg.find("fast").unwrap() < svg.find("slow &amp; old").unwrap());
        assert!(svg.contains(r#"width="520.0""#) && svg.contains(r#"width="13.0""#));
        assert!(svg.contains(">200 MB/s<") && svg.contains(">5.0 MB/s<"));
    }
}
