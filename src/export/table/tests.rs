use super::*;
use crate::agreement::{ClusterCount, Estimate, Measure, Method};
use crate::report::Column;
use crate::score::ClusterKind;
use serde_json::Value;

/// A system with its numbers.
type Row = (Option<&'static str>, usize, usize, f64, Measure);

fn table() -> Table {
    let columns: [Column<'_, Row>; 5] = [
        Column::new("system", "system", |(system, ..): &Row| *system),
        Column::new("summaries", "n", |(_, summaries, ..): &Row| *summaries),
        Column::new("units", "to judge", |(_, _, units, ..): &Row| *units).detail(),
        Column::new("coverage", "coverage", |(.., coverage, _): &Row| *coverage).percent(),
        Column::new("citation", "citation", |(.., citation): &Row| *citation).percent(),
    ];
    let rows = [
        (Some("oracle gpt-4o"), 2, 5, 62.5, Ok(100.0 / 3.0)),
        (Some("向量 \"5%_x\""), 1, 3, 0.0, Err(Undefined::NothingCovered)),
        (None, 1, 1, -0.04, Err(Undefined::NoGoldDocuments)),
    ];
    let mut table = Table::of("Scores of 50% & more", columns, &rows).fact("average", "insight");
    table.notes.push("A note.".to_owned());
    table
}

/// Two columns of texts, without rows.
fn texts(title: &str) -> Table {
    let column = |name: &str| Column::new(name, name, |text: &String| text.clone());
    Table::of(title, [column("x"), column("y")], &[])
}

#[track_caller]
fn check(table: &Table, format: OutputFormat, width: usize, expected: &str) {
    let text = render(std::slice::from_ref(table), format, width).expect("it is written");
    assert_eq!(text, expected, "\n{text}");
}

#[test]
fn a_terminal_shows_it_aligned_with_footnotes() {
    check(
        &table(),
        OutputFormat::Table,
        80,
        "\
Scores of 50% & more

                  coverage  citation
system         n         %         %
────────────────────────────────────
oracle gpt-4o  2      62.5      33.3
向量 \"5%_x\"    1       0.0        –¹
(none)         1       0.0        –²

¹ No insight is covered, so there are no citations to look at. (nothing_covered)
² It is not known which documents contain the insights, so citations cannot be
scored. (no_gold_documents)
A note.
",
    );
}

#[test]
fn a_narrow_terminal_wraps_texts() {
    let mut table = table();
    table.rows.truncate(1);
    table.notes.clear();
    // 12 + 1 + 8 + 8 columns and three gaps of 1.
    let expected = "\
Scores of 50% & more

               coverage citation
system       n        %        %
────────────────────────────────
oracle       2     62.5     33.3
gpt-4o
";
    check(&table, OutputFormat::Table, 32, expected);
    // Where words of headings would be cut, there are parts.
    let parts = "\
Scores of 50% & more

              coverage
system      n        %
──────────────────────
oracle      2     62.5
gpt-4o

              citation
system               %
──────────────────────
oracle gpt-4o     33.3
";
    check(&table, OutputFormat::Table, 22, parts);
    // Words of headings are cut where a single number beside its name has no room else; numbers never are.
    let narrowest = "\
Scores of 50%
& more

system      n
─────────────
oracle      2
gpt-4o

       cov…ge
system      %
─────────────
oracle   62.5
gpt-4o

       cit…on
system      %
─────────────
oracle   33.3
gpt-4o
";
    check(&table, OutputFormat::Table, 13, narrowest);
}

#[test]
fn json_is_complete() {
    check(
        &table(),
        OutputFormat::Json,
        80,
        r#"[
  {
    "table": "scores_of_50",
    "title": "Scores of 50% & more",
    "average": "insight",
    "rows": [
      {
        "system": "oracle gpt-4o",
        "summaries": 2,
        "units": 5,
        "coverage": 62.5,
        "citation": 33.333333333333336
      },
      {
        "system": "向量 \"5%_x\"",
        "summaries": 1,
        "units": 3,
        "coverage": 0.0,
        "citation": null,
        "citation_undefined": "nothing_covered"
      },
      {
        "system": null,
        "summaries": 1,
        "units": 1,
        "coverage": -0.04,
        "citation": null,
        "citation_undefined": "no_gold_documents"
      }
    ],
    "notes": [
      "A note."
    ]
  }
]
"#,
    );
}

#[test]
fn csv_is_complete() {
    check(
        &table(),
        OutputFormat::Csv,
        80,
        "\
system,summaries,units,coverage,citation
oracle gpt-4o,2,5,62.5,33.333333333333336
\"向量 \"\"5%_x\"\"\",1,3,0,
,1,1,-0.04,
",
    );
}

#[test]
fn markdown_is_escaped() {
    check(
        &table(),
        OutputFormat::Markdown,
        80,
        r#"**Scores of 50% &amp; more**

| system | n | coverage % | citation % |
| :--- | ---: | ---: | ---: |
| oracle gpt-4o | 2 | 62.5 | 33.3 |
| 向量 "5%\_x" | 1 | 0.0 | –<sup>1</sup> |
| (none) | 1 | 0.0 | –<sup>2</sup> |

<sup>1</sup> No insight is covered, so there are no citations to look at. (nothing\_covered)

<sup>2</sup> It is not known which documents contain the insights, so citations cannot be scored. (no\_gold\_documents)

A note.
"#,
    );
}

/// A table of the report, without the page: texts hold no markup, and the table's name is its id.
#[test]
fn html_is_a_table_of_a_page() {
    let mut table = table();
    table.title = "Scores <b>".to_owned();
    let text = render(&[table], OutputFormat::Html, 80).expect("it is written");
    for part in [
        "<table id=\"scores_of_50\">".to_owned(),
        "Scores &lt;b&gt;</caption>".to_owned(),
        "<th scope=\"col\" class=\"n\">n</th>".to_owned(),
        "<th class=\"t\" scope=\"row\">oracle gpt-4o</th><td class=\"n\">2</td>".to_owned(),
        "–<sup>1</sup>".to_owned(),
        "<p class=\"note\">A note.</p>".to_owned(),
    ] {
        assert!(text.contains(&part), "{part} is not in {text}");
    }
    assert!(!text.contains("to judge"), "columns of detail are for programs: {text}");
    assert!(!text.contains("<html") && text.ends_with('\n'), "{text}");
}

#[test]
fn latex_is_escaped() {
    check(
        &table(),
        OutputFormat::Latex,
        80,
        r#"% needs \usepackage{booktabs}, and XeLaTeX or LuaLaTeX with a font for its letters
\begin{table}
  \centering
  \caption{Scores of 50\% \& more}
  \begin{tabular}{lrrr}
    \toprule
    system & n & coverage \% & citation \% \\
    \midrule
    oracle gpt-4o & 2 & 62.5 & 33.3 \\
    向量 "5\%\_x" & 1 & 0.0 & --\textsuperscript{1} \\
    (none) & 1 & 0.0 & --\textsuperscript{2} \\
    \bottomrule
  \end{tabular}
  \par{\footnotesize \textsuperscript{1} No insight is covered, so there are no citations to look at. (nothing\_covered)}
  \par{\footnotesize \textsuperscript{2} It is not known which documents contain the insights, so citations cannot be scored. (no\_gold\_documents)}
  \par{\footnotesize A note.}
\end{table}
"#,
    );
}

/// Eight scores with intervals in a row, of which two can be spared.
fn wide() -> Table {
    let estimate = |_: &&str| Estimate {
        value: Ok(50.0),
        interval: Some(Ok(Interval {
            low: 40.0,
            high: 60.0,
            se: None,
            method: Method::Jackknife,
            clusters: None,
        })),
        clusters: 9,
    };
    let score = |name: &str| Column::new(name, name, estimate).percent();
    let mut columns = vec![Column::new("system", "system", |name: &&str| *name)];
    let names = ["coverage", "citation", "joint", "faithful", "useful"];
    columns.extend(names.map(score));
    columns.extend(["precision", "recall"].map(|name| score(name).spare()));
    let mut table = Table::of("Scores", columns, &["oracle", "all"]);
    table.total = table.rows.pop().expect("two rows");
    table
}

#[test]
fn spare_columns_are_left_out_where_words_would_be_cut() {
    let text = |width| render(&[wide()], OutputFormat::Table, width).expect("it is written");
    // 6 + 8 + 8 + 5 + 8 + 6 + 9 + 6 and seven gaps.
    assert!(
        text(63).starts_with("Scores\n\n       coverage citation joint faithful useful precision recall\n")
    );
    assert!(!text(63).contains("want of room"), "{}", text(63));
    assert!(
        text(62).starts_with("Scores\n\n        coverage  citation  joint  faithful  useful\n"),
        "{}",
        text(62)
    );
    let note = "\nLeft out for want of room: precision %, recall %; --format csv\nhas them.\n";
    assert!(text(62).ends_with(note), "{}", text(62));
    let csv = render(&[wide()], OutputFormat::Csv, 62).expect("it is written");
    assert!(csv.contains(",recall,recall_low,"), "{csv}");
}

/// Side by side the five scores would take 6 + 5 · 12 characters of 5 points and six gaps of 12, 402 of 345.
#[test]
fn latex_sets_intervals_below_numbers_where_there_is_no_room_beside_them() {
    let text = render(&[wide()], OutputFormat::Latex, 80).expect("it is written");
    for part in [
        "  \\footnotesize\\setlength{\\tabcolsep}{3pt}\n  \\begin{tabular}{lrrrrrrr}\n",
        " & \\shortstack[r]{coverage\\\\\\%} & ",
        "    oracle & 50.0 & 50.0 & 50.0 & 50.0 & 50.0 & 50.0 & 50.0 \\\\*\n     & {\\scriptsize 40--60} & ",
        "    \\midrule\n    all & 50.0 & ",
        "\\begin{table*}\n",
        "\\end{table*}\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let many = vec![texts("one"); FLOATS + 1];
    let form = TableForm { full: true, ..OutputFormat::Latex.into() };
    let text = render(&many, form, 80).expect("it is written");
    assert_eq!(text.matches("\\clearpage").count(), 1, "{text}");
}

/// 54 rows are higher than a page, a sentence is wider than one, and nobody types into a paper.
#[test]
fn latex_goes_over_pages_wraps_texts_and_tells_nobody_what_to_type() {
    let latex =
        |table: &Table| render(std::slice::from_ref(table), OutputFormat::Latex, 80).expect("written");
    let mut table = wide();
    assert!(!latex(&table).contains("longtable"));
    table.rows = vec![table.rows[0].clone(); 54];
    table.notes =
        vec!["Two are left out; --full has them.".to_owned(), "`haymark agree STUDY` says more.".to_owned()];
    let text = latex(&table);
    for part in [
        "% needs \\usepackage{booktabs,longtable}, and \\onecolumn before it",
        "\\begin{longtable}{lrrrrrrr}\n  \\caption{Scores}\\\\\n    \\toprule\n",
        "\\endfirsthead\n    \\toprule\n    system & ",
        "    \\endhead\n    \\bottomrule\n    \\endfoot\n    oracle & ",
        "\\end{longtable}\n  \\par{\\footnotesize Two are left out.}\n\\par\\endgroup\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("haymark") && !text.contains("table}\n  \\centering"), "{text}");
    let mut table = texts("Comments");
    table.rows.push(vec!["a_name".into(), "words that go on ".repeat(20).as_str().into()]);
    let text = latex(&table);
    assert!(
        text.contains("\\begin{table*}") && text.contains("{l>{\\raggedright\\arraybackslash}p{"),
        "{text}"
    );
    assert!(text.starts_with("% needs \\usepackage{booktabs,array}\n"), "{text}");
    // A table that is too wide all the same stands in parts, each behind the names.
    let columns =
        (0..30).map(|at| Column::new(format!("c{at}"), format!("column{at}"), |count: &usize| *count));
    let named = Column::new("system", "system", |_: &usize| "oracle".to_owned());
    let table = Table::of("Many", std::iter::once(named).chain(columns), &[123_456_789]);
    assert!(latex(&table).matches("\\begin{tabular}{lrr").count() > 2, "{}", latex(&table));
}

#[test]
fn hostile_texts_stay_on_their_line() {
    let mut table = texts("a\u{1b}[31m\nb");
    table.rows.push(vec!["one\ttwo\r\nthree\u{202e}".into()]);
    // The tab is four columns, every stand-in one: 3 + 4 + 3 + 1 + 5 + 1.
    let rule = "─".repeat(17 + 2 + 6);
    let expected = format!("a␛[31m␊b\n\nx                  y\n{rule}\none    two␊three�  (none)\n");
    check(&table, OutputFormat::Table, 80, &expected);
    table.rows[0] = vec![r"a|b\c_{d}~^<e>[f]".into(), "$#".into()];
    table.title.clear();
    check(
        &table,
        OutputFormat::Markdown,
        80,
        "| x | y |\n| :--- | :--- |\n| a\\|b\\\\c\\_{d}\\~^&lt;e&gt;\\[f\\] | \\$# |\n",
    );
    let latex = render(&[table], OutputFormat::Latex, 80).expect("it is written");
    let row = r"    a\textbar{}b\textbackslash{}c\_\{d\}\textasciitilde{}\textasciicircum{}\textless{}e\textgreater{}{[}f{]} & \$\# \\";
    assert!(latex.contains(row), "{latex}");
}

#[test]
fn several_tables_follow_each_other() {
    let table = |name: &str| {
        let column = Column::new(name, name, |number: &f64| *number).decimals(2);
        Table::of("", [column], &[1.005]).keyed(name)
    };
    let both = [table("a"), table("value")];
    let text = |format| render(&both, format, 80).expect("it is written");
    assert_eq!(text(OutputFormat::Csv), "table,a,value\na,1.005,\nvalue,,1.005\n");
    assert_eq!(text(OutputFormat::Table), "   a\n────\n1.00\n\nvalue\n─────\n 1.00\n");
    assert!(text(OutputFormat::Json).starts_with("[\n  {\n    \"table\": \"a\",\n"));
    assert_eq!(render(&[], OutputFormat::Json, 80), Ok("[]\n".to_owned()));
}

#[test]
fn the_reason_of_a_value_is_called_undefined() {
    let columns = [
        Column::new("name", "name", |_: &Measure| "cohen_kappa"),
        Column::new("value", "value", |value: &Measure| *value).decimals(3),
    ];
    let table = Table::of("", columns, &[Err(Undefined::NoPairableItems)]);
    let json = render(&[table], OutputFormat::Json, 80).expect("it is written");
    let value: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(value[0]["rows"][0]["value"], Value::Null);
    assert_eq!(value[0]["rows"][0]["undefined"], "no_pairable_items");
}

#[test]
fn no_chance_is_zero_but_in_numbers_for_programs() {
    let column = Column::new("p", "p", |p: &f64| *p).p_value();
    let table = [Table::of("", [column], &[0.0004, 0.0006, 0.25])];
    let text = |format| render(&table, format, 80).expect("it is written");
    assert_eq!(text(OutputFormat::Table), "      p\n───────\n<\u{a0}0.001\n  0.001\n  0.250\n");
    assert_eq!(text(OutputFormat::Csv), "p\n0.0004\n0.0006\n0.25\n");
}

#[test]
fn a_table_without_rows_says_so() {
    let table = Table::of("Empty", [Column::new("x", "x", |text: &String| text.clone())], &[]);
    check(&table, OutputFormat::Table, 80, "Empty\n\nx\n─\n(nothing)\n");
    check(&table, OutputFormat::Csv, 80, "x\n");
    check(&Table::default(), OutputFormat::Table, 0, "\n(nothing)\n");
}

#[test]
fn footnotes_have_numbers_of_any_length() {
    let marks = [1, 2, 3, 4, 10, 29].map(terminal::superscript);
    assert_eq!(marks, ["¹", "²", "³", "⁴", "¹⁰", "²⁹"]);
}

#[test]
fn numbers_that_are_none_are_undefined() {
    let cell = Cell::number(Ok(f64::NAN));
    assert!(matches!(cell, Cell::Undefined(Undefined::NotFinite)));
    assert_eq!(rounded(-0.0, 1), "0.0");
    assert_eq!(rounded(-0.06, 1), "-0.1");
    assert_eq!(rounded(-0.4, 0), "0");
}

#[test]
fn a_name_is_shortened_in_its_middle_and_never_broken() {
    let column = |name: &str| Column::new(name, name, |text: &&str| (*text).to_owned());
    let systems = ["prompted_gpt-4o", "向量向量向量向量", "two words are wrapped"];
    let table = Table::of("", [column("system"), column("other")], &systems);
    let text = render(&[table], OutputFormat::Table, 21).expect("it is written");
    let shown: Vec<&str> = text.lines().skip(2).collect();
    assert_eq!(
        shown,
        [
            "promp…t-4o promp…t-4o",
            "向量…向量  向量…向量",
            "two words  two words",
            "are        are",
            "wrapped    wrapped"
        ]
    );
}

#[test]
fn pdflatex_gets_signs_as_commands() {
    let table = texts("--full: Krippendorff's α, κ ± 0.1 − τ… “x” ≥ 2");
    let text = render(&[table], OutputFormat::Latex, 80).expect("it is written");
    let caption =
        r"\caption{-{}-full: Krippendorff's $\alpha$, $\kappa$ $\pm$ 0.1 $-$ $\tau$\ldots{} ``x'' $\geq$ 2}";
    assert!(text.starts_with("% needs \\usepackage{booktabs}\n") && text.contains(caption), "{text}");
    assert!(text.is_ascii(), "{text}");
}

/// Tables about two protocols, as `score` gives them.
fn about() -> Vec<Table> {
    let about = |protocol: &str, key: &str| texts(key).keyed(key).fact("protocol", protocol);
    vec![
        about("coverage", "used"),
        about("coverage", "scores").headline(),
        about("match", "recall"),
        about("match", "recall"),
    ]
}

#[test]
fn each_table_has_a_name_that_stays() {
    let tables = about();
    let names = |form: TableForm| -> Vec<String> {
        form.chosen(&tables).expect("chosen").into_iter().map(|(name, _)| name).collect()
    };
    let all = ["coverage/used", "coverage/scores", "match/recall", "match/recall-2"];
    assert_eq!(names(OutputFormat::Csv.into()), all);
    assert_eq!(
        names(OutputFormat::Latex.into()),
        ["coverage/scores", "match/recall"],
        "what a reader needs first"
    );
    let latex = |form: TableForm| names(TableForm { format: OutputFormat::Latex, ..form });
    assert_eq!(latex(TableForm { full: true, ..TableForm::default() }), all);
    let only = |key: &str| TableForm { only: Some(key.to_owned()), ..TableForm::default() };
    assert_eq!(names(only("recall")), ["match/recall", "match/recall-2"]);
    assert_eq!(latex(only("coverage/used")), ["coverage/used"]);
    let error = only("recal").chosen(&tables).expect_err("unknown").to_string();
    let known = all.join(", ");
    let why = "a table is left out where the study holds nothing for it";
    assert_eq!(error, format!("there is no table \"recal\"; there are {known}; {why}"));
}

#[test]
fn captions_and_labels_are_of_latex() {
    let tables = about();
    let latex = TableForm { label: Some("tab:all".to_owned()), ..OutputFormat::Latex.into() };
    let text = render(&tables, latex.clone(), 80).expect("it is written");
    assert!(
        text.contains("\\label{tab:all:coverage:scores}") && text.contains("\\label{tab:all:match:recall}"),
        "{text}"
    );
    let one =
        TableForm { only: Some("scores".to_owned()), caption: Some("All $n$".to_owned()), ..latex.clone() };
    let text = render(&tables, one.clone(), 80).expect("it is written");
    assert!(text.contains("\\caption{All $n$}\n  \\label{tab:all}\n"), "{text}");
    for (form, says) in [
        (TableForm { only: None, ..one.clone() }, "--caption is for one table, and there are 2"),
        (TableForm { format: OutputFormat::Csv, ..one }, "--caption is for --format latex"),
        (TableForm { format: OutputFormat::Json, ..latex }, "--label is for --format latex"),
    ] {
        let error = form.chosen(&tables).expect_err("refused").to_string();
        assert!(error.starts_with(says), "{error}");
    }
}

#[test]
fn intervals_stand_beside_their_numbers_or_below() {
    let clusters = Some(ClusterCount { number: 9, effective: Some(2.5) });
    let ends = |low, high| Interval { low, high, se: None, method: Method::Jackknife, clusters };
    let estimate = |value, interval| Estimate { value: Ok(value), interval: Some(interval), clusters: 9 };
    let kappa = Column::new("kappa", "kappa", |row: &Estimate| *row).decimals(2);
    let columns = [Column::new("rater", "rater", |_: &Estimate| "ana"), kappa];
    let rows = [
        estimate(0.5, Ok(ends(-0.125, 0.875))),
        estimate(0.25, Ok(ends(0.125, 0.5))),
        estimate(1.0, Err(Undefined::AtLimit)),
        Estimate { value: Err(Undefined::NoPairableItems), ..estimate(0.0, Err(Undefined::ValueUndefined)) },
    ];
    let table = Table::of("", columns, &rows);
    let body = |width| {
        let text = render(std::slice::from_ref(&table), OutputFormat::Table, width).expect("it is written");
        text.lines().skip(2).map(str::to_owned).collect::<Vec<String>>()
    };
    // No dash stands beside a sign.
    assert_eq!(
        body(80)[..4],
        [
            "ana    0.50  -0.12\u{a0}to\u{a0}0.88",
            "ana    0.25      0.12–0.50",
            "ana    1.00             –¹",
            "ana                     –²",
        ]
    );
    let below: Vec<String> = body(18).iter().take(4).map(|line| line.trim_start().to_owned()).collect();
    assert!(below[0].starts_with("ana ") && below[0].ends_with(" 0.50"), "{below:?}");
    assert_eq!((below[1].as_str(), below[3].as_str()), ("-0.12\u{a0}to\u{a0}0.88", "0.12–0.50"));
    let markdown = render(std::slice::from_ref(&table), OutputFormat::Markdown, 80).expect("it is written");
    assert!(
        markdown.contains("| 0.25 (0.12–0.50) |") && markdown.contains("| 1.00 (–<sup>1</sup>) |"),
        "{markdown}"
    );
    let json = render(std::slice::from_ref(&table), OutputFormat::Json, 80).expect("it is written");
    let rows = serde_json::from_str::<Value>(&json).expect("JSON")[0]["rows"].clone();
    assert_eq!((&rows[0]["kappa_low"], &rows[0]["kappa_interval"]), (&(-0.125).into(), &"jackknife".into()));
    assert_eq!(
        (&rows[2]["kappa_low"], &rows[2]["kappa_interval_undefined"]),
        (&Value::Null, &"at_limit".into())
    );
    // The clusters of an interval stand beside the interval.
    assert_eq!(
        (&rows[0]["kappa_clusters"], &rows[0]["kappa_effective_clusters"], &rows[2]["kappa_clusters"]),
        (&9.into(), &2.5.into(), &Value::Null)
    );
    let csv = render(std::slice::from_ref(&table), OutputFormat::Csv, 80).expect("it is written");
    assert!(csv.contains("kappa_interval,kappa_clusters,kappa_effective_clusters\n"), "{csv}");
    assert!(csv.contains("ana,0.5,-0.125,0.875,jackknife,9,2.5\n"), "{csv}");
    let latex =
        render(&[table.clone().over(ClusterKind::Query)], OutputFormat::Latex, 80).expect("it is written");
    assert!(latex.contains("Intervals here are over 9 queries."), "{latex}");
    // Where no interval is there at all, one note says so.
    let none = Table::of(
        "",
        [Column::new("kappa", "kappa", |row: &Estimate| *row)],
        &[estimate(1.0, Err(Undefined::AtLimit))],
    );
    let text = render(&[none], OutputFormat::Table, 80).expect("it is written");
    assert!(text.starts_with("kappa\n─────\n  1.0\n\nNo intervals: The number is at the end"), "{text}");
}

#[test]
fn what_is_too_wide_stands_in_parts_behind_the_names_of_its_rows() {
    let mut columns = vec![Column::new("judge", "judge", |_: &f64| "prompted_gpt-4o")];
    columns.extend((1..=4).map(|at| Column::new(format!("s{at}"), "statistic", |value: &f64| *value)));
    let table = Table::of("", columns, &[1_234_567.5]);
    // 15 columns of the name, then 2 + 9 a statistic: 37 hold two.
    check(
        &table,
        OutputFormat::Table,
        37,
        "\
judge            statistic  statistic
─────────────────────────────────────
prompted_gpt-4o  1234567.5  1234567.5

judge            statistic  statistic
─────────────────────────────────────
prompted_gpt-4o  1234567.5  1234567.5
",
    );
    // 15, then 1 + 9: 46 hold three and no shortened name.
    let wider = render(std::slice::from_ref(&table), OutputFormat::Table, 46).expect("it is written");
    let rows: Vec<&str> = wider.lines().filter(|line| line.starts_with("prompted_gpt-4o ")).collect();
    assert_eq!(
        rows,
        ["prompted_gpt-4o 1234567.5 1234567.5 1234567.5", "prompted_gpt-4o  1234567.5"],
        "{wider}"
    );
    // A number that has no room even alone is printed all the same.
    let narrow = render(std::slice::from_ref(&table), OutputFormat::Table, 12).expect("it is written");
    assert_eq!(narrow.matches("1234567.5").count(), 4, "{narrow}");
}
