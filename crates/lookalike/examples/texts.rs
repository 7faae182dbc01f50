//! Strings in, decisions out: `cargo run --example texts`.

use lookalike::texts::{self, Fate};
use lookalike::{Result, Scheme};

fn main() -> Result<()> {
    let news = [
        "The storm hit the coast on Monday night and left a trail of damage, the office said.",
        "A quiet day at sea, with light winds from the west and no storm in sight.",
        "The storm hit the coast on Monday night and left a trail of damage, the office said!",
        "Breaking: The storm hit the coast on Monday night and left a trail of damage, the office said.",
    ];
    let scheme = Scheme::jaccard(0.7)?;
    println!("{scheme}");
    for (text, fate) in news.iter().zip(texts::dedup(news, &scheme)?) {
        match fate {
            Fate::Removed { by, likeness, .. } => {
                println!("removed by {by} at {:.2}  {text}", likeness.similarity(scheme.criterion()));
            }
            _ => println!("kept                 {text}"),
        }
    }
    Ok(())
}
