//! Ratings in CSV and JSONL.
#![no_main]

use std::collections::HashSet;
use std::path::Path;

use haymark::formats::ratings::{MOST_CATEGORIES, RatingsAsked, RatingsFile, read};
use haymark_fuzz::assert_sentence;
use libfuzzer_sys::fuzz_target;
use serde_json::json;

fuzz_target!(|bytes: &[u8]| {
    match read(bytes, Path::new("ratings"), &RatingsAsked::default()) {
        Ok(file) => {
            assert_whole(&file);
            file.warnings.iter().for_each(|warning| assert_sentence(warning));
            assert_same_with_categories(&file, bytes);
            assert_read_back(&file);
        }
        Err(error) => assert_sentence(&error.to_string()),
    }
});

/// All positions are those of something, and nobody rates an item twice.
fn assert_whole(file: &RatingsFile) {
    assert!(!file.ratings.is_empty());
    assert!((1..=MOST_CATEGORIES).contains(&file.categories.len()));
    let mut pairs = HashSet::new();
    for rating in &file.ratings {
        assert!((rating.item as usize) < file.items.len());
        assert!(usize::from(rating.annotator) < file.annotators.len());
        assert!(usize::from(rating.category) < file.categories.len());
        assert!(pairs.insert((rating.item, rating.annotator)));
    }
    for names in [&file.annotators, &file.categories] {
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
        assert!(names.iter().all(|name| !name.is_empty()));
    }
    assert_eq!(file.items.iter().collect::<HashSet<_>>().len(), file.items.len());
    if let Some(clusters) = &file.clusters {
        assert_eq!(clusters.of_item.len(), file.items.len());
        assert!(clusters.of_item.iter().all(|cluster| (*cluster as usize) < clusters.names.len()));
    }
}

/// The categories that occur, given by hand, change nothing; in another order only the order changes.
fn assert_same_with_categories(file: &RatingsFile, bytes: &[u8]) {
    let named_as = |categories: &[String]| {
        let asked = RatingsAsked { categories: Some(categories), ..RatingsAsked::default() };
        read(bytes, Path::new("ratings"), &asked).expect("all labels are named")
    };
    // What is said of labels that nobody named is not said of these.
    let given = named_as(&file.categories);
    assert_eq!(RatingsFile { warnings: Vec::new(), ..given }, RatingsFile { warnings: Vec::new(), ..file.clone() });
    let turned: Vec<String> = file.categories.iter().rev().cloned().collect();
    let turned = named_as(&turned);
    assert_eq!(named(&turned), named(file));
}

/// Item, annotator and label of every rating.
fn named(file: &RatingsFile) -> Vec<(&str, &str, &str)> {
    let ratings = file.ratings.iter().map(|rating| {
        let item = file.items.get(rating.item as usize).expect("an item");
        let annotator = &file.annotators[usize::from(rating.annotator)];
        (item, annotator.as_str(), file.categories[usize::from(rating.category)].as_str())
    });
    ratings.collect()
}

/// The ratings are the same when they are written in the long form, a JSON object a line.
fn assert_read_back(file: &RatingsFile) {
    let mut lines = String::new();
    for (rating, (item, annotator, value)) in file.ratings.iter().zip(named(file)) {
        let mut line = json!({"item": item, "annotator": annotator, "value": value});
        if let Some(clusters) = &file.clusters {
            let cluster = clusters.of_item[rating.item as usize] as usize;
            line["cluster"] = json!(clusters.names[cluster]);
        }
        lines.push_str(&format!("{line}\n"));
    }
    let back = read(lines.as_bytes(), Path::new("ratings"), &RatingsAsked::default()).expect("a file in the long form");
    assert_eq!(named(&back), named(file));
    assert_eq!(back.categories, file.categories);
}
