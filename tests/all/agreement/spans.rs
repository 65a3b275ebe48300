//! Marked passages against values computed elsewhere.

use haymark::agreement::{MarkedSpan, Measure, SpanCounts, SpanScores};
use serde_json::Value;

use crate::harness::shared_text;

#[test]
fn spans_agree_with_the_oracle() {
    let Some(json) = shared_text("oracles/measures2.json") else { return };
    let oracle: Value = serde_json::from_str(&json).expect("JSON");
    let mut cases = 0;
    for case in oracle["cases"].as_array().expect("cases").iter().filter(|case| case["measure"] == "spans") {
        let place = Place { name: case["name"].as_str().expect("a name"), case };
        let (expected, texts) = (&case["expected"], case["input"]["texts"].as_array().expect("texts"));
        let counted = |tag: Option<&str>| {
            let mut all = SpanCounts::default();
            for text in texts {
                let of = |who: &str| -> Vec<MarkedSpan> {
                    let is_of = |span: &&Value| tag.is_none_or(|tag| span[2] == tag);
                    let ends = |span: &Value| Some((span[0].as_u64()?, span[1].as_u64()?));
                    text[who].as_array().expect("spans").iter().filter(is_of).filter_map(ends).collect()
                };
                all += SpanCounts::of(text["length"].as_u64().expect("a length"), &of("a"), &of("b"));
            }
            all
        };
        let mut together = SpanCounts::default();
        for tag in case["input"]["tags"].as_array().expect("tags").iter().filter_map(Value::as_str) {
            let counts = counted(Some(tag));
            together += counts;
            let at = format!("tags/{tag}");
            place.characters(&at, &counts, &expected["tags"][tag]);
            place.scores(&format!("{at}/exact"), counts.exact(), &expected["tags"][tag]["exact"]);
            place.scores(&format!("{at}/overlap"), counts.overlapping(), &expected["tags"][tag]["overlap"]);
        }
        place.characters("any", &counted(None), &expected["any"]);
        place.scores("all_tags/exact", together.exact(), &expected["all_tags"]["exact"]);
        place.scores("all_tags/overlap", together.overlapping(), &expected["all_tags"]["overlap"]);
        cases += 1;
    }
    assert!(cases >= 10, "{cases} cases only");
}

struct Place<'c> {
    name: &'c str,
    case: &'c Value,
}

impl Place<'_> {
    fn characters(&self, at: &str, counts: &SpanCounts, expected: &Value) {
        self.scores(&format!("{at}/chars"), counts.characters(), &expected["chars"]);
        self.check(
            &format!("{at}/chars/mean_text_f1"),
            counts.mean_text_f1(),
            &expected["chars"]["mean_text_f1"],
        );
        self.check(&format!("{at}/kappa"), counts.kappa(), &expected["kappa"]);
        assert_eq!(expected["n_texts_both_empty"].as_u64(), Some(counts.texts[1]), "{}: {at}", self.name);
    }

    fn scores(&self, at: &str, scores: SpanScores, expected: &Value) {
        for (key, found) in [("precision", scores.precision), ("recall", scores.recall), ("f1", scores.f1)] {
            self.check(&format!("{at}/{key}"), found, &expected[key]);
        }
    }

    fn check(&self, at: &str, found: Measure, expected: &Value) {
        match (found, expected.as_f64()) {
            (Ok(found), Some(expected)) => {
                assert!((found - expected).abs() <= 1e-9, "{}: {at}: {found} for {expected}", self.name)
            }
            (Err(reason), None) => {
                assert_eq!(Some(reason.code()), self.case["undefined"][at].as_str(), "{}: {at}", self.name);
            }
            (found, expected) => panic!("{}: {at}: {found:?} for {expected:?}", self.name),
        }
    }
}
