//! Judges against the shared oracle, where it is at hand.

use haymark::agreement::judge::{
    Alignment, AlternativeTest, CorrectedShares, JudgeConfusion, JudgedMean, PoweredMean,
};
use haymark::agreement::{Interval, Measure, Trend, Undefined, holm};
use serde_json::Value;

use crate::harness::{Desk, shared, shared_text};

/// Hands over the cases of a measure; how many there are.
fn each(measure: &str, mut check: impl FnMut(&Case<'_>)) {
    let Some(json) = shared_text("oracles/measures2.json") else { return };
    let oracle: Value = serde_json::from_str(&json).expect("the oracle is JSON");
    let cases = oracle["cases"].as_array().expect("cases").iter().filter(|case| case["measure"] == measure);
    let mut count = 0;
    for case in cases {
        check(&Case(case));
        count += 1;
    }
    assert!(count >= 8, "{count} cases of {measure}");
}

struct Case<'c>(&'c Value);

impl Case<'_> {
    fn input(&self) -> &Value {
        &self.0["input"]
    }

    /// What is expected at a path of keys with `/` between them.
    fn expected(&self, path: &str) -> &Value {
        path.split('/').fold(&self.0["expected"], |at, key| &at[key])
    }

    fn same(&self, path: &str, found: Measure) {
        let (name, expected) = (&self.0["name"], self.expected(path));
        match found {
            Ok(found) => {
                let wanted =
                    expected.as_f64().unwrap_or_else(|| panic!("{name} {path}: {found}, not {expected}"));
                assert!(
                    (found - wanted).abs() <= 1e-9 * wanted.abs().max(1.0),
                    "{name} {path}: {found} {wanted}"
                );
            }
            Err(why) => assert_eq!(self.0["undefined"][path], why.code(), "{name} {path}"),
        }
    }

    fn same_interval(&self, path: &str, found: Result<Interval, Undefined>) {
        for (end, of) in [(0, found.map(|found| found.low)), (1, found.map(|found| found.high))] {
            match of {
                Ok(found) => {
                    let wanted = self.expected(path)[end].as_f64().expect(path);
                    let name = &self.0["name"];
                    assert!(
                        (found - wanted).abs() <= 1e-9 * wanted.abs().max(1.0),
                        "{name} {path}: {found} {wanted}"
                    );
                }
                Err(why) => assert_eq!(self.0["undefined"][path], why.code(), "{path}"),
            }
        }
    }
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().expect("a list").iter().map(|one| one.as_f64().expect("a number")).collect()
}

#[test]
fn confusion_is_that_of_the_oracle() {
    each("judge_confusion", |case| {
        let labels: Vec<&str> =
            case.input()["labels"].as_array().expect("labels").iter().filter_map(Value::as_str).collect();
        let place = |value: &Value| labels.iter().position(|label| Some(*label) == value.as_str());
        let side =
            |name: &str| case.input()[name].as_array().expect(name).iter().map(place).collect::<Vec<_>>();
        let pairs =
            side("human").into_iter().zip(side("judge")).filter_map(|(one, other)| Some((one?, other?)));
        let found = JudgeConfusion::of(labels.len(), pairs);
        assert_eq!(serde_json::json!(found.counts), *case.expected("confusion"));
        case.same("accuracy", found.accuracy());
        case.same("balanced_accuracy", found.balanced_accuracy().0);
        case.same("macro_f1", found.macro_f1());
        if found.items() == 0 {
            return;
        }
        for (at, label) in labels.iter().enumerate() {
            case.same(&format!("per_label/{label}/precision"), found.precision(at));
            case.same(&format!("per_label/{label}/recall"), found.recall(at));
            case.same(&format!("per_label/{label}/f1"), found.f1(at));
        }
        if let Some(positive) = place(&case.input()["positive"]) {
            case.same("tpr", found.recall(positive));
            case.same("tnr", found.rejection(positive));
            case.same("youden", found.youden(positive));
        }
    });
}

#[test]
fn corrected_shares_are_those_of_the_oracle() {
    each("corrected_prevalence", |case| {
        let counts = case.input()["confusion"].as_array().expect("rows").iter();
        let whole =
            |list: &Value| -> Vec<u64> { numbers(list).into_iter().map(|count| count as u64).collect() };
        let confusion = JudgeConfusion { counts: counts.map(whole).collect() };
        let scores = numbers(&case.input()["scores"]);
        let found = CorrectedShares::of(&confusion, &whole(&case.input()["judge_counts"]), &scores);
        let found = match found {
            Ok(found) => found,
            Err(why) => return case.same("mean", Err(why)),
        };
        for at in 0..scores.len() {
            let near = |path: &str, value: f64| {
                let wanted = case.expected(path)[at].as_f64().expect(path);
                assert!((value - wanted).abs() <= 1e-9, "{} {path}: {value} {wanted}", case.0["name"]);
            };
            near("observed", found.observed[at]);
            near("corrected_raw", found.raw[at]);
            near("se", found.se[at]);
            near("corrected", found.shares[at]);
            let interval = found.interval(at).expect("a label");
            let wanted = numbers(&case.expected("ci95")[at]);
            assert!((interval.low - wanted[0]).abs() < 1e-9 && (interval.high - wanted[1]).abs() < 1e-9);
        }
        assert_eq!(case.expected("clipped").as_bool(), Some(found.is_clipped));
        case.same("mean_raw", Ok(found.mean_raw));
        case.same("mean", Ok(found.mean));
        case.same("mean_se", Ok(found.mean_se));
        case.same_interval("mean_ci95", Ok(found.mean_interval(&scores)));
    });
}

fn same_means(case: &Case<'_>, found: &PoweredMean, has_p: bool) {
    let range = numbers(&case.input()["range"]);
    let range = if has_p { [range[0] - range[1], range[1] - range[0]] } else { [range[0], range[1]] };
    for (name, mean) in [("classical", found.classical), ("ppi", found.whole), ("ppi_tuned", found.tuned)] {
        case.same(&format!("{name}/estimate"), mean.map(|mean| mean.estimate));
        case.same(&format!("{name}/se"), mean.map(|mean| mean.se));
        case.same_interval(&format!("{name}/ci95"), mean.map(|mean| mean.interval()));
        let cut = mean.map(|mean| mean.interval().within(range[0], range[1]));
        case.same_interval(&format!("{name}/ci95_clipped"), cut);
    }
    case.same("ppi_tuned/lambda", found.tuned.map(|mean| mean.weight));
    case.same("ppi_tuned/n_effective", found.effective);
    if has_p {
        case.same("ppi_tuned/p", found.tuned.and_then(|mean: JudgedMean| mean.p()));
    }
}

#[test]
fn powered_means_are_those_of_the_oracle() {
    each("ppi_mean", |case| {
        let labelled = case.input()["labelled"].as_array().expect("pairs").iter().map(numbers);
        let labelled: Vec<(f64, f64)> = labelled.map(|pair| (pair[0], pair[1])).collect();
        same_means(case, &PoweredMean::of(&labelled, &numbers(&case.input()["unlabelled"])), false);
    });
    each("ppi_difference", |case| {
        let labelled: Vec<(f64, f64)> = case.input()["labelled"]
            .as_array()
            .expect("queries")
            .iter()
            .map(|query| (numbers(&query["a"]), numbers(&query["b"])))
            .map(|(a, b)| (a[0] - b[0], a[1] - b[1]))
            .collect();
        let number = |query: &Value, name: &str| query[name].as_f64().expect(name);
        let judged = case.input()["unlabelled"].as_array().expect("queries").iter();
        let judged: Vec<f64> = judged.map(|query| number(query, "a") - number(query, "b")).collect();
        same_means(case, &PoweredMean::of(&labelled, &judged), true);
    });
    each("ppi_cluster", |case| {
        let mut names: Vec<String> = Vec::new();
        let mut rows = |list: &str| -> Vec<(u32, Vec<f64>)> {
            let rows = case.input()[list].as_array().expect(list).iter();
            rows.map(|row| {
                let row = row.as_array().expect("a row");
                let name = row[0].to_string();
                let place = names.iter().position(|known| *known == name).unwrap_or_else(|| {
                    names.push(name);
                    names.len() - 1
                });
                (place as u32, row[1..].iter().map(|number| number.as_f64().expect("a number")).collect())
            })
            .collect()
        };
        let labelled: Vec<(u32, f64, f64, f64)> =
            rows("labelled").into_iter().map(|(cluster, row)| (cluster, row[0], row[1], 1.0)).collect();
        let judged: Vec<(u32, f64)> =
            rows("unlabelled").into_iter().map(|(cluster, row)| (cluster, row[0])).collect();
        let found = PoweredMean::of_clusters(&labelled, &judged);
        assert_eq!(case.expected("n_clusters_labelled").as_u64(), found.clusters.map(|count| count as u64));
        same_means(case, &found, false);
    });
}

#[test]
fn the_alternative_annotator_test_is_that_of_the_oracle() {
    each("alt_test", |case| {
        let input = case.input();
        let humans = input["humans"].as_object().expect("people");
        let near = input["alignment"] == "neg_rmse";
        let mut labels: Vec<String> = Vec::new();
        let mut number = |label: &Value| -> Option<f64> {
            if label.is_null() {
                return None;
            }
            if near {
                return label.as_f64();
            }
            let label = label.to_string();
            let place = labels.iter().position(|known| *known == label).unwrap_or_else(|| {
                labels.push(label);
                labels.len() - 1
            });
            Some(place as f64)
        };
        let mut all = |list: &Value| -> Vec<Option<f64>> {
            list.as_array().expect("labels").iter().map(&mut number).collect()
        };
        let people: Vec<Vec<Option<f64>>> = humans.values().map(&mut all).collect();
        let judge = all(&input["judge"]);
        let alignment = if near { Alignment::Near } else { Alignment::Same };
        let asked = (input["epsilon"].as_f64().expect("epsilon"), input["q"].as_f64().expect("q"));
        let found = AlternativeTest::of(&people, &judge, alignment, asked);
        assert_eq!(case.expected("n_items_usable").as_u64(), Some(found.items as u64));
        case.same("winning_rate", found.winning);
        case.same("average_advantage", found.advantage);
        assert_eq!(case.expected("passes").as_bool(), found.passes().ok(), "{}", case.0["name"]);
        for (name, person) in humans.keys().zip(&found.people) {
            let path = |key: &str| format!("annotators/{name}/{key}");
            case.same(&path("rho_judge"), person.judge);
            case.same(&path("rho_human"), person.person);
            case.same(&path("mean_difference"), person.difference);
            case.same(&path("t"), person.t);
            case.same(&path("p"), person.p);
            case.same(&path("p_by"), person.adjusted);
        }
    });
}

#[test]
fn drift_is_that_of_the_oracle() {
    each("drift", |case| {
        let input = case.input();
        let labels: Vec<&str> =
            input["labels"].as_array().expect("labels").iter().filter_map(Value::as_str).collect();
        let values = input["values"].as_array().expect("labels").iter();
        let values: Vec<usize> = values
            .map(|value| labels.iter().position(|label| Some(*label) == value.as_str()).expect("a label"))
            .collect();
        // The mean of each group in the order in which they were begun.
        let grouped = |number: &dyn Fn(usize) -> f64| -> Vec<f64> {
            let Some(groups) = input["groups"].as_array() else {
                return values.iter().map(|value| number(*value)).collect();
            };
            let mut found: Vec<(&Value, Vec<f64>)> = Vec::new();
            for (group, value) in groups.iter().zip(&values) {
                match found.iter_mut().find(|(known, _)| *known == group) {
                    Some((_, numbers)) => numbers.push(number(*value)),
                    None => found.push((group, vec![number(*value)])),
                }
            }
            found.into_iter().map(|(_, numbers)| numbers.iter().sum::<f64>() / numbers.len() as f64).collect()
        };
        let same = |path: &str, trend: Trend| {
            assert_eq!(case.expected(&format!("{path}/s")).as_i64(), Some(trend.rises), "{path}");
            case.same(&format!("{path}/tau_b"), trend.tau_b);
            case.same(&format!("{path}/z"), trend.z);
            case.same(&format!("{path}/p"), trend.p);
        };
        if input["scale"] == "nominal" {
            let trends: Vec<Trend> = (0..labels.len())
                .map(|label| Trend::of(&grouped(&|value| if value == label { 1.0 } else { 0.0 })))
                .collect();
            let adjusted = holm(&trends.iter().map(|trend| trend.p).collect::<Vec<Measure>>());
            for ((label, trend), p) in labels.iter().zip(&trends).zip(adjusted) {
                same(&format!("trend/{label}"), *trend);
                if p.is_ok() {
                    case.same(&format!("trend/{label}/p_holm"), p);
                }
            }
        } else {
            let codes = numbers(&input["codes"]);
            same("trend", Trend::of(&grouped(&|value| codes[value])));
        }
        if input["seconds"].is_array() {
            same("speed/trend", Trend::of(&numbers(&input["seconds"])));
        }
    });
}

/// The published judgments of people and of each judge on the same summaries: from 60 summaries that people judged, drawn 500
/// times, the interval of the corrected mean covers that of all people's labels in at least 93 of 100 draws. The judge alone misses it.
#[test]
fn corrected_coverage_covers_what_all_labels_say() {
    let Some(data) = shared("data/summhay/eval_benchmark_data.json") else { return };
    let desk = Desk::new();
    desk.out(&["init", "study.db"]);
    desk.out(&["import", "study.db", data.to_str().expect("UTF-8")]);
    let csv = desk.out(&["export", "study.db", "--what", "judgments", "--protocol", "coverage"]);
    let rows: Vec<Value> = csv.lines().map(|line| serde_json::from_str(line).expect("a record")).collect();
    let number = |row: &Value| match row["answers"]["coverage"].as_str()? {
        "full" => Some(100.0),
        "partial" => Some(50.0),
        _ => Some(0.0),
    };
    // By summary, in their order: query, and for each insight what everyone says.
    type Said = std::collections::BTreeMap<String, f64>;
    let mut summaries: std::collections::BTreeMap<
        String,
        (String, std::collections::BTreeMap<String, Said>),
    > = Default::default();
    for row in rows.iter().filter(|row| row["type"] == "judgment" && row["protocol"] == "coverage") {
        let key =
            |names: &[&str]| names.iter().map(|name| row[*name].to_string()).collect::<Vec<_>>().join(" ");
        let summary = summaries.entry(key(&["collection", "query", "candidate"])).or_default();
        summary.0 = key(&["collection", "query"]);
        let said = summary.1.entry(row["unit"].to_string()).or_default();
        said.extend(
            number(row).map(|number| (row["annotator"].as_str().unwrap_or_default().to_owned(), number)),
        );
    }
    let annotators = || rows.iter().filter(|row| row["type"] == "annotator");
    let names = |kind: &str| -> Vec<String> {
        let of_kind = annotators().filter(|row| row["kind"] == kind);
        of_kind.map(|row| row["id"].as_str().expect("a name").to_owned()).collect()
    };
    let (person, judges) = (names("human").remove(0), names("model"));
    assert!(judges.len() > 3 && summaries.len() > 100, "{judges:?} {}", summaries.len());
    let queries: Vec<&String> = summaries.values().map(|(query, _)| query).collect();
    let cluster = |query: &String| queries.iter().position(|other| *other == query).expect("a query") as u32;
    for judge in &judges {
        // Cluster, people, judge of each item, by summary.
        let items: Vec<Vec<(u32, f64, f64)>> = summaries
            .values()
            .map(|(query, units)| {
                let both = |said: &Said| Some((cluster(query), *said.get(&person)?, *said.get(judge)?));
                units.values().filter_map(both).collect()
            })
            .filter(|items: &Vec<_>| !items.is_empty())
            .collect();
        let all: Vec<&(u32, f64, f64)> = items.iter().flatten().collect();
        let truth = all.iter().map(|item| item.1).sum::<f64>() / all.len() as f64;
        let (mut corrected, mut plain) = (0, 0);
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        for _ in 0..500 {
            let mut order: Vec<usize> = (0..items.len()).collect();
            for at in (1..order.len()).rev() {
                // xorshift64*, Vigna 2016.
                state ^= state >> 12;
                state ^= state << 25;
                state ^= state >> 27;
                let drawn = (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % (at + 1);
                order.swap(at, drawn);
            }
            let (sample, rest) = order.split_at(60);
            let labelled: Vec<(u32, f64, f64, f64)> = sample
                .iter()
                .flat_map(|at| items[*at].iter().map(|item| (item.0, item.1, item.2, 1.0)))
                .collect();
            let judged: Vec<(u32, f64)> =
                rest.iter().flat_map(|at| items[*at].iter().map(|item| (item.0, item.2))).collect();
            let found = PoweredMean::of_clusters(&labelled, &judged);
            let covers = |mean: JudgedMean| {
                let interval = mean.interval();
                usize::from(interval.low <= truth && truth <= interval.high)
            };
            corrected += covers(found.tuned.expect("judged"));
            plain += covers(found.classical.expect("labelled"));
        }
        println!(
            "{judge}: corrected {:.1} %, people alone {:.1} %",
            corrected as f64 / 5.0,
            plain as f64 / 5.0
        );
        assert!(corrected >= 465, "{judge}: {corrected} of 500");
    }
}
