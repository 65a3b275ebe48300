use proptest::prelude::*;

use super::*;

fn labels(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn reading(text: &str, categories: &[&str]) -> Result<RatingsFile> {
    let categories = labels(categories);
    let categories = (!categories.is_empty()).then_some(categories.as_slice());
    read(text.as_bytes(), Path::new("r.csv"), categories)
}

/// Ratings as `item annotator label`.
fn triples(file: &RatingsFile) -> Vec<String> {
    let triple = |rating: &Rating| {
        let item = file.items.get(rating.item as usize).expect("a name");
        let annotator = &file.annotators[usize::from(rating.annotator)];
        format!("{item} {annotator} {}", file.categories[usize::from(rating.category)])
    };
    file.ratings.iter().map(triple).collect()
}

const SCALE: [&str; 3] = ["none", "partial", "full"];

#[test]
fn the_four_layouts_say_the_same() {
    let wide_json = "{\"item\":\"x\",\"alice\":\"full\",\"bob\":\"none\"}\n\n{\"item\":\"y\",\"alice\":\"partial\",\"bob\":null}";
    let long_json = concat!(
        "{\"item\":\"x\",\"annotator\":\"alice\",\"value\":\"full\",\"seconds\":3}\n",
        "{\"value\":\"none\",\"item\":\"x\",\"annotator\":\"bob\"}\n",
        "{\"item\":\"y\",\"annotator\":\"alice\",\"value\":\"partial\"}\r\n",
        "{\"item\":\"y\",\"annotator\":\"bob\"}\n",
    );
    for text in [
        "item,annotator,value\nx,alice,full\nx,bob,none\ny,alice,partial\ny,bob,\n",
        "\u{feff}value;item;note;annotator\r\nfull;x;\"a;b\";alice\r\nnone;x;;bob\r\npartial;y;;alice\r\n;y;;bob\r\n",
        "item,alice,bob\nx,full,none\ny,partial,\n",
        "item\talice\tbob\n\"x\"\tfull\tnone\n\ny\tpartial\t",
        wide_json,
        long_json,
    ] {
        let file = reading(text, &SCALE).expect(text);
        assert_eq!(triples(&file), ["x alice full", "x bob none", "y alice partial"], "{text}");
        assert_eq!(file.categories, SCALE);
        assert_eq!((file.items.len(), file.annotators.len()), (2, 2));
        assert_eq!((file.warnings.len(), file.clusters.is_none()), (0, true));
    }
}

#[test]
fn categories_that_are_not_given_are_those_that_occur() {
    let file = reading("item,a,b\nx,10,9\ny,-1,9\n", &[]).expect("numbers");
    assert_eq!(file.categories, ["-1", "9", "10"]);
    assert_eq!(triples(&file), ["x a 10", "x b 9", "y a -1", "y b 9"]);
    assert!(
        file.warnings[0].contains("in the order of their numbers: \"-1\", \"9\" and \"10\""),
        "{:?}",
        file.warnings
    );

    let file = reading("{\"item\":1,\"a\":2.5,\"b\":true}", &[]).expect("labels");
    assert_eq!(triples(&file), ["1 a 2.5", "1 b true"]);
    assert!(file.warnings[0].contains("in the order in which they first appear"));
}

#[test]
fn clusters_belong_to_items() {
    for text in [
        "item,annotator,value,cluster\nx,a,1,d1\ny,a,2,d2\nx,b,1,d1\nz,a,1,d1\n",
        "item,a,cluster,b\nx,1,d1,1\ny,2,d2,\nz,1,d1,\n",
    ] {
        let clusters = reading(text, &["1", "2"]).expect(text).clusters.expect("clusters");
        assert_eq!(clusters.names, ["d1", "d2"]);
        assert_eq!(clusters.of_item, [0, 1, 0]);
    }
}

#[test]
fn every_fault_names_line_and_column() {
    let check = |text: &str, expected: &str| {
        let error = reading(text, &SCALE).expect_err(text).to_string();
        let start = format!("r.csv, {expected}");
        assert!(
            error.starts_with(&start) || error.starts_with(&start.replacen(", ", ": ", 1)),
            "{error}\nshould be {start}"
        );
    };
    check(
        "item,annotator,value\nx,alice,full\n\"a\nb\",bob,maybe\n",
        "line 3: column \"value\": \"maybe\" is none of the categories \"none\", \"partial\" and \"full\"; correct it, or name it with --categories",
    );
    check("item,alice\nx,Full\n", "line 2: column \"alice\": \"Full\" is none of the categories");
    check(
        "item,annotator,value\nx,a,full\ny,a,full\n\nx,a,none\n",
        "line 5: column \"value\": \"a\" rated the item \"x\" on line 2 already; keep one of the two lines",
    );
    check(
        "item,a,b\nx,full,\nx,,full\nx,,none\n",
        "line 4: column \"b\": \"b\" rated the item \"x\" on line 3 already",
    );
    check("item,annotator,value\n,a,full\n", "line 2: column \"item\": the cell is empty");
    check("item,annotator,value\nx,a\n", "line 2: the row has 2 cells, and the header 3");
    check(
        "id,annotator,value\nx,a,1\n",
        "line 1: the columns are \"id\", \"annotator\" and \"value\", which is no layout",
    );
    check("item,annotator\nx,a\n", "line 1: the columns are \"item\" and \"annotator\", which is no layout");
    check("item\nx\n", "line 1: the columns are \"item\", which is no layout");
    check("item,a,a\nx,1,1\n", "line 1: two columns are named \"a\"");
    check("item,annotator,value\n", "there is no rating");
    check("item,annotator,value\nx,a,\n", "there is no rating");
    check("", "the file is empty");
    check("[1]", "this is a JSON list; write one object a line, or CSV");
    check(
        "item,annotator,value,cluster\nx,a,full,d\nx,b,full,e\n",
        "line 3: column \"cluster\": the item \"x\" is in the cluster \"e\" here and in \"d\" on line 2",
    );
    check("{\"item\":\"x\",\"a\":\"full\"}\n{\"a\":\"full\"}", "line 2: \"item\" is missing");
    check("{\"item\":\"x\",\"a\":\"full\"}\n{\"item\":", "line 2, item: the text ends in the middle of");
    check("{\"item\":\"x\",\"a\":[1]}", "line 1: column \"a\": expected a text or a number, found [1]");
    check(
        "{\"item\":\"x\",\"item\":\"y\",\"a\":\"full\"}",
        "line 1: column \"item\": it stands twice on the line",
    );
    check("{\"type\":\"judgment\"}", "line 1: this is haymark JSONL");
    check(
        "{\"item\":\"x\",\"a\":\"full\"}\n{\"item\":\"y\",\"a\":\"full\",\"cluster\":\"c\"}",
        "line 2: the item \"x\" has no cluster",
    );
}

#[test]
fn bytes_that_are_no_text_are_named() {
    let error = |bytes: &[u8]| read(bytes, Path::new("r.csv"), None).expect_err("no text").to_string();
    assert!(
        error(b"item,annotator,value\nx,a\xff,1\n")
            .contains("line 2: column \"annotator\": byte 2 of the cell is not UTF-8")
    );
    assert!(error(b"item,annotator,value\nx,a,\xff\n").contains("line 2: column \"value\": byte 1"));
    assert!(error(b"item,a\xff\nx,1\n").contains("line 1: the column name"));
    assert!(error(b"item,a\nx\0,1\n").contains("byte 9 is 0"));
    let long = [b"item,annotator,value\nx,a,".as_slice(), &vec![b'y'; 65 << 20]].concat();
    assert!(error(&long).contains("line 2: the line is longer than 64 MiB"), "{}", error(&long));
}

#[test]
fn scales_have_limits() {
    let usage = |categories: &[String]| {
        read(&b"item,a\nx,1\n"[..], Path::new("-"), Some(categories)).expect_err("usage")
    };
    assert!(usage(&labels(&["a", "b", "a"])).to_string().contains("--categories names \"a\" twice"));
    assert!(usage(&[]).to_string().contains("1 to 254"));
    let many: Vec<String> = (0..255).map(|number| number.to_string()).collect();
    assert!(usage(&many).to_string().contains("1 to 254"));
    let rows: String = (0..255).map(|number| format!("x{number},{number}\n")).collect();
    let error = reading(&format!("item,a\n{rows}"), &[]).expect_err("too many").to_string();
    assert!(
        error.contains("line 256: column \"a\": \"254\" is one label more than the 254 there may be"),
        "{error}"
    );
}

#[test]
fn many_annotators_are_told_apart() {
    let rows: String = (0..200).map(|number| format!("x,a{number},1\ny,a{number},0\n")).collect();
    let text = format!("item,annotator,value\n{rows}");
    let file = reading(&text, &["0", "1"]).expect("ratings");
    assert_eq!((file.ratings.len(), file.annotators.len()), (400, 200));
    for (again, line) in [("x,a63,1", 128), ("x,a64,1", 130), ("y,a199,1", 401)] {
        let error = reading(&format!("{text}{again}\n"), &["0", "1"]).expect_err("twice").to_string();
        assert!(error.contains("line 402") && error.contains(&format!("on line {line} already")), "{error}");
    }
}

/// As pandas writes a column of whole numbers that has gaps, beside one that has none.
#[test]
fn one_number_is_one_label_and_gaps_are_missing() {
    for (text, categories) in [
        ("item,a,b\nw,1,1.0\nx,2,2.0\ny,10,\nz,2,NaN\n", &[][..]),
        ("item,a,b\nw,1,1.0\nx,2,2.0\ny,10,\nz,2,NaN\n", &["1", "2", "10"]),
    ] {
        let file = reading(text, categories).expect("numbers");
        assert_eq!(file.categories, ["1", "2", "10"]);
        assert_eq!(triples(&file), ["w a 1", "w b 1", "x a 2", "x b 2", "y a 10", "z a 2"]);
        let said = file.warnings.iter().any(|warning| warning.starts_with("1 cell says NaN, NA or null"));
        assert!(said, "{:?}", file.warnings);
    }
}

#[test]
fn what_is_named_as_a_label_is_none_that_is_missing() {
    let all =
        "item,annotator,value\n1,a,NaN\n2,a,nan\n3,a,NA\n4,a,N/A\n5,a,<NA>\n6,a,null\n7,a,NULL\n8,a,yes\n";
    let file = reading(all, &[]).expect("one label");
    assert_eq!((triples(&file), file.categories), (vec!["8 a yes".to_owned()], labels(&["yes"])));
    assert!(file.warnings.iter().any(|warning| warning.starts_with("7 cells say ")), "{:?}", file.warnings);
    let named = reading(all, &["yes", "NA"]).expect("two labels");
    assert_eq!(triples(&named), ["3 a NA", "8 a yes"]);
    // Labels that are no numbers stay as they are.
    let texts = reading("item,a,b\nx,2,2.0\ny,two,2\n", &[]).expect("three labels");
    assert_eq!(texts.categories, ["2", "2.0", "two"]);
}

/// Rows of a cell each, joined: plain ones and such as are for the careful reader, good ones and bad.
fn body() -> impl Strategy<Value = String> {
    let item = prop_oneof![8 => "[a-z]{1,2}", 1 => Just("\"q,\nr\"".to_owned()), 1 => "[=é]?"];
    let annotator = prop_oneof![9 => "[a-d]", 1 => "\"a\"|"];
    let value = prop_oneof![9 => "[12]?", 1 => Just("NA".to_owned()), 1 => "\"1\"|3"];
    let end = prop_oneof![9 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\n\n"), 1 => Just(",x\n")];
    let row =
        (item, annotator, value, end).prop_map(|(item, by, value, end)| format!("{item},{by},{value}{end}"));
    proptest::collection::vec(row, 0..40).prop_map(|rows| rows.concat())
}

proptest! {
    /// A quotation mark in the header leaves all of the file to the careful reader.
    #[test]
    fn lines_found_by_another_thread_say_what_the_careful_reader_says(
        body in body(), is_cut: bool, is_closed: bool, header in ",annotator,value|,a,b|,a,cluster", size in 8_usize..80,
    ) {
        let body = if is_cut { body.trim_end() } else { body.as_str() };
        let said = |item: &str| {
            let names = labels(&["1", "2"]);
            let mut collector = Collector::new(is_closed.then_some(names.as_slice()))?;
            let text = format!("{item}{header}\n{body}");
            csv_rows::read(text.as_bytes(), b',', size, &mut collector)?;
            collector.finish()
        };
        prop_assert_eq!(said("item"), said("\"item\""));
    }
}

/// Lines may end in two ways in one file, with blank ones between.
#[test]
fn a_row_behind_blank_lines_is_named_by_its_own_line() {
    for (text, line) in [
        ("\"item\",a,b\ns,a,\na,a,\n\ns,a,\r\n", 5),
        ("\"item\",a,b\r\ns,a,\r\n\r\n\n\r\ns,a,\r\n", 6),
        ("\"item\",a,b\r\n\"s\r\n\r\n\",a,\r\n\n\"s\r\n\r\n\",a,\r\n", 6),
        ("\"item\",a,b\n\ns,a,\n\n\ns,a,", 6),
    ] {
        let mut collector = Collector::new(None).expect("a collector");
        let error = csv_rows::read(text.as_bytes(), b',', 64, &mut collector)
            .and_then(|()| collector.finish().map(drop))
            .expect_err("the item has two rows");
        assert!(error.to_string().starts_with(&format!("line {line}: ")), "{text:?}: {error}");
    }
}
