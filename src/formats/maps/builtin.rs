//! The maps that come with haymark.

use std::sync::OnceLock;

use super::map::ImportMap;

macro_rules! maps {
    ($($name:literal)*) => { &[$(include_str!(concat!("../../../assets/maps/", $name, ".toml"))),*] };
}

const FILES: &[&str] = maps!(
    "alce" "corpus" "crud_questions" "crud_results" "dpr" "factscore" "haymark_candidates" "haymark_corpus" "haymark_gold" "haymark_judgments" "hotpot" "kilt" "lab_long" "lab_questions" "lab_ratings" "lab_wide"
    "labelstudio" "labelstudio_flat" "langfuse" "langsmith" "nuggets" "potato" "potato_state" "promptfoo" "ragas" "ragas_old"
    "ragchecker" "ragchecker_people" "recomp" "retrieved" "trec_answers" "trec_narratives" "trec_qrels" "trec_run" "trec_topics"
);

/// All maps that come with haymark, in the order of their names.
pub fn builtin_maps() -> &'static [ImportMap] {
    static MAPS: OnceLock<Vec<ImportMap>> = OnceLock::new();
    // The files are part of the program and a test reads each of them.
    MAPS.get_or_init(|| FILES.iter().filter_map(|text| ImportMap::parse(text).ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_map_is_read() {
        for text in FILES {
            let map = ImportMap::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert!(!map.about().is_empty(), "{}", map.name());
        }
        let names: Vec<&str> = builtin_maps().iter().map(ImportMap::name).collect();
        assert!(names.is_sorted() && names.len() == FILES.len(), "{names:?}");
    }
}
