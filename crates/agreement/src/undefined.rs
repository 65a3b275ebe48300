//! Why a number does not exist.

use std::fmt;

use serde::{Serialize, Serializer};

/// A finite number, or why there is none: never a 0 that stands for nothing.
pub type Measure = Result<f64, Undefined>;

/// Each reason once: its name, its code in JSON, which is part of the output format, and its sentence for people.
macro_rules! reasons {
    ($($name:ident, $code:literal, $sentence:literal;)*) => {
        /// Why a statistic or a score has no value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Undefined {
            $(#[doc = $sentence] $name,)*
        }

        impl Undefined {
            pub const ALL: &[Undefined] = &[$(Undefined::$name,)*];

            /// The reason's code, as in JSON.
            pub fn code(self) -> &'static str {
                match self {
                    $(Undefined::$name => $code,)*
                }
            }

            /// One sentence for people.
            pub fn sentence(self) -> &'static str {
                match self {
                    $(Undefined::$name => $sentence,)*
                }
            }
        }
    };
}

reasons! {
    // Agreement.
    NoPairableItems, "no_pairable_items", "No item was rated by two annotators, so there is nothing to compare.";
    ZeroExpectedDisagreement, "zero_expected_disagreement",
        "All ratings that count lie in one category, so chance alone would agree everywhere and the data say nothing \
         about reliability.";
    SingleCategorySchema, "single_category_schema", "The schema has one category only, so nobody could have disagreed.";
    UnequalRatingsPerItem, "unequal_ratings_per_item",
        "The items have different numbers of ratings; use the generalised Fleiss kappa or Krippendorff's alpha instead.";
    BelowMinusOne, "below_minus_one",
        "Its model of chance does not fit these ratings: it puts the number below −1, where it means nothing; use \
         Krippendorff's alpha instead.";
    NoDefinedPair, "no_defined_pair", "Cohen's kappa is undefined for every pair of annotators.";
    NoOrder, "no_order", "The labels have no order, so nothing says how far two of them are apart.";
    ZeroVariance, "zero_variance", "What is compared has the same value everywhere on one side, so nothing can vary together.";
    TooFewItems, "too_few_items", "There are too few items for this formula.";
    TooFewRaters, "too_few_raters", "There is one annotator only, so there is nobody to compare with.";
    NonpositiveDenominator, "nonpositive_denominator",
        "The annotators differ by more than the items do, so there is no variance to take a share of.";
    ZeroErrorVariance, "zero_error_variance",
        "Beside the items and the annotators nothing varies, so nothing tells how sure the number is.";
    ZeroItemVariance, "zero_item_variance", "The items do not differ on average, so nothing tells how sure the number is.";
    PerfectCorrelation, "perfect_correlation",
        "The correlation is exactly 1 or −1, where Fisher's transformation has no value.";
    NoLinkedItems, "no_linked_items", "No judgment is linked to a bullet by both sides; for linking accuracy, a list of bullets is no link.";
    ValueUndefined, "value_undefined", "The number itself does not exist, so it has no interval.";
    TooFewClusters, "too_few_clusters", "There are fewer than three clusters, too few to tell how far they vary.";
    AtLimit, "at_limit", "The number is at the end of its range, where such an interval has no scale.";
    NoVariation, "no_variation", "Without any one of the clusters the number is the same, so nothing tells how sure it is.";
    NoFormula, "no_formula", "No formula for its interval is published.";
    UndefinedWithoutACluster, "undefined_without_a_cluster",
        "Without one of the clusters the number does not exist, so nothing tells how sure it is.";
    UndefinedResamples, "undefined_resamples",
        "More than one resample in twenty has no value, so their spread says nothing.";
    UnusedCategory, "unused_category", "Nobody chose this category for an item that was rated twice.";
    NoMajority, "no_majority", "There is no item that has a rating here and a majority among the others.";
    TooManyParameters, "too_many_parameters",
        "There are too many annotators and labels for a confusion of each; compare fewer at a time.";
    TooManyPairs, "too_many_pairs",
        "There are too many pairs of annotators to go through again and again; compare fewer annotators at a time.";
    NoSpans, "no_spans", "Nobody marked a passage here.";
    // Judges.
    LabelNeverPredicted, "label_never_predicted", "The judge never gives this label.";
    LabelAbsentInReference, "label_absent_in_reference", "People give a label to no item, so nothing tells how the judge does there.";
    LabelAbsent, "label_absent", "Neither people nor the judge give this label.";
    NoItems, "no_items", "The judge labelled no item alone.";
    NoBetterThanChance, "judge_no_better_than_chance", "The judge is no better than chance, so its labels tell nothing about people's.";
    SingularConfusion, "singular_confusion", "The judge does not tell the labels apart, so its errors cannot be taken out.";
    NoUnlabelledItems, "no_unlabelled_items", "The judge labelled no item that people did not.";
    FewUnlabelledItems, "few_unlabelled_items",
        "The judge labelled fewer than ten items that people did not, or in fewer than three clusters: too few for a correction.";
    TooFewAnnotators, "too_few_annotators", "The test needs three people who labelled items together.";
    // Scores.
    NothingJudged, "nothing_judged", "Nothing is judged yet.";
    NothingCovered, "nothing_covered", "No insight is covered, so there are no citations to look at.";
    NothingLinked, "nothing_linked",
        "The covered insights are linked to no bullet, so there are no citations to look at.";
    NoGoldDocuments, "no_gold_documents",
        "It is not known which documents contain the insights, so citations cannot be scored.";
    NothingGrounded, "nothing_grounded", "No key point was found in its document.";
    NoBullets, "no_bullets", "The summaries have no bullets.";
    OrdersMissing, "orders_missing",
        "Position sensitivity needs summaries made with the documents in the orders top, bottom and random.";
    NoScores, "no_scores", "The choices of the question have no scores.";
    NotBoth, "no_response_judged_for_both", "No response is judged for both recall and precision.";
    NothingKept, "nothing_kept", "No key point has a score as high as that.";
    NothingRefined, "nothing_refined", "No query has a refined text.";
    NoTimes, "no_times", "No judgment says how long it took.";
    NoKeys, "no_keys", "Nothing was answered by keys here: judgments from a file say nothing of keys.";
    NoCost, "no_cost", "Nobody said what this costs: --cost JUDGE=COST for a summary, --hourly-rate RATE for people.";
    NothingWritten, "nothing_written", "Nothing was written.";
    NoAnswers, "no_answers", "No answered question has both an answer and one of the reference.";
    NoPredictions, "no_predictions", "No candidate of this kind has a predicted answer.";
    NoPassages, "no_passages", "The collections have no passages.";
    NotGiven, "not_given", "The records do not say it.";
    NobodyElse, "nobody_else", "Nobody else has judged by the same question.";
    NothingKnown, "nothing_known", "No item with a known answer is judged.";
    NothingRepeated, "nothing_repeated", "No item is judged a second time.";
    NoCommonQuery, "no_common_query", "The two systems are scored on no query in common.";
    TooFewQueries, "too_few_queries", "Fewer than two queries are scored for both systems, so nothing says how their difference varies.";
    EqualDifferences, "equal_differences", "The two systems differ by the same on every query, so nothing says how many queries would do.";
    NoDifference, "zero_difference", "The two systems score the same, and no number of queries shows a difference of nothing.";
    OneSystem, "one_system", "Fewer than two systems are scored on both sides, so there are no ranks to compare.";
    AllTied, "all_tied", "One side ties all systems, so there are no ranks to compare.";
    NotTwo, "fewer_than_two_annotators", "Nothing here is judged by two annotators or more.";
    NoRelevantDocuments, "no_relevant_documents", "No document is relevant to the query.";
    NothingCited, "nothing_cited", "No citation was written.";
    NothingAmong, "nothing_among", "Nothing that the score counts is judged.";
    Missing, "missing", "Of all that counts, what its value or its weight rests on is not known.";
    NoWeight, "no_weight", "All that counts has a weight of 0.";
    NotBothScores, "not_both", "One of the two scores that it is the harmonic mean of has no value.";
    NoComparisons, "no_comparisons", "The two were never compared.";
    TooFewSystems, "too_few_systems", "There is one system only, so there is none to compare it with.";
    DisconnectedComparisons, "disconnected_comparisons", "No chain of comparisons joins all systems, so their strengths have no common scale.";
    PerfectSeparation, "perfect_separation", "Some systems never lose to the rest, so no finite strength fits best.";
    NoDecidedComparisons, "no_decided_comparisons", "No comparison that says what stood first is decided.";
    NoSwappedPairs, "no_swapped_pairs", "Nobody judged a pair in both orders.";
    // Agreement, judges and scores.
    NotFinite, "not_finite", "The value is too large to be a number.";
}

impl Undefined {
    /// Ends a calculation for this reason where it holds.
    ///
    /// # Errors
    /// It holds.
    pub fn when(self, holds: bool) -> Result<(), Undefined> {
        if holds { Err(self) } else { Ok(()) }
    }
}

impl fmt::Display for Undefined {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.sentence())
    }
}

impl Serialize for Undefined {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_written_as_their_codes_and_explained_in_one_sentence() {
        let mut codes = std::collections::BTreeSet::new();
        for reason in Undefined::ALL {
            assert_eq!(serde_json::to_value(reason).expect("a string"), reason.code());
            let text = reason.to_string();
            assert!(text.ends_with('.') && text.matches(". ").count() == 0, "{text}");
            assert!(codes.insert(reason.code()), "{text}");
        }
    }
}
