//! The page of a review, and what it shows of each pair.

use lookalike_page::{Html, ReviewPage, clipped, html, number};

use super::{Question, QuestionField, Review, ReviewState};

/// Characters of a cell that are shown.
const CELL: usize = 600;

impl Review {
    /// The whole page.
    pub fn page(&self) -> String {
        ReviewPage { first: self.fragment(&self.state()) }.render()
    }

    /// Renders the part of the page that changes after an answer: the progress, and the next pair.
    pub fn fragment(&self, state: &ReviewState) -> Html {
        let answered = state.same_count + state.different_count + state.unclear_count;
        let next = state.question.as_ref().map_or_else(String::new, |question| question.number.to_string());
        html!(
            "<div id=\"pair\" data-number=\"{}\" data-answered=\"{}\"><p class=\"soft\">{}</p>\n{}</div>",
            next,
            answered,
            progress(state),
            state.question.as_ref().map_or_else(|| self.done(state), pair)
        )
    }

    fn done(&self, state: &ReviewState) -> Html {
        let why = if state.settled {
            "More labels would change next to nothing."
        } else {
            "No pair is left that is worth asking for."
        };
        html!(
            "<p><b>{}</b> Link the tables again with these labels, <code>{}</code>, and end lookalike link review by Ctrl-C.</p>\n",
            why,
            self.labels_path().display().to_string()
        )
    }
}

/// Describes the progress of the review in words.
fn progress(state: &ReviewState) -> String {
    let labels =
        format!("{} the same, {} different", number::count(state.same_count), number::count(state.different_count));
    let unclear = match state.unclear_count {
        0 => String::new(),
        count => format!(", {} unclear", number::count(count)),
    };
    let changed = match state.changed {
        Some(changed) => {
            format!(". The last ten answers changed {:.1} % of the matches; it is enough below 1 %.", 100.0 * changed)
        }
        None => ". At least 20 labels are asked for.".to_owned(),
    };
    format!("{labels}{unclear}{changed}")
}

fn pair(question: &Question) -> Html {
    let row = |field: &QuestionField| {
        let mark = match (&field.left, &field.right) {
            (left, right) if left.is_empty() || right.is_empty() => "one only",
            (left, right) if left == right => "equal",
            _ => "differ",
        };
        html!(
            "<tr><th scope=\"row\" dir=\"auto\">{}</th><td dir=\"auto\">{}</td><td dir=\"auto\">{}</td><td>{}</td></tr>\n",
            clipped(&field.name, CELL),
            clipped(&field.left, CELL),
            clipped(&field.right, CELL),
            mark
        )
    };
    let rows: Html = question.fields.iter().map(row).collect();
    html!(
        "<div class=\"scroll\" role=\"group\" aria-label=\"Both records\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">column</th><th scope=\"col\" dir=\"auto\">{}</th><th scope=\"col\" dir=\"auto\">{}</th><th scope=\"col\">they</th></tr></thead>\n<tbody>{}</tbody></table></div>\n",
        clipped(&question.left_id, CELL),
        clipped(&question.right_id, CELL),
        rows
    )
}
