//! An index in memory that refuses near-duplicates as they arrive: `cargo run --example index`.

use lookalike::texts::MemoryIndex;
use lookalike::{Result, Scheme};

fn main() -> Result<()> {
    let mut index = MemoryIndex::new(Scheme::jaccard(0.8)?)?;
    let arriving = [
        ("a", "the quick brown fox jumps over the lazy dog near the river bank"),
        ("b", "an entirely different sentence about the weather in the north"),
        ("c", "The quick brown fox jumps over the lazy dog, near the river bank."),
    ];
    for (id, text) in arriving {
        if let Some(hit) = index.search(text).first() {
            println!("{id} is a near-duplicate of {} at {:.2}", hit.id, hit.similarity);
        } else {
            index.put(id, text);
            println!("{id} is new");
        }
    }
    Ok(())
}
