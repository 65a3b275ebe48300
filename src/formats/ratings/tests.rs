use super::*;

fn labels(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn reading(text: &str, categories: &[&str]) -> Result<RatingsFile> {
    let categories = labels(categories);
    let categories = (!categories.is_empty()).then_some(categories.as_slice());
    asking(text, &RatingsAsked { categories, ..RatingsAsked::default() })
}

fn asking(text: &str, asked: &RatingsAsked<'_>) -> Result<RatingsFile> {
    read(text.as_bytes(), Path::new("r.csv"), asked)
}

/// The warnings with this in them.
fn said<'f>(file: &'f RatingsFile, part: &str) -> Vec<&'f str> {
    file.warnings.iter().map(String::as_str).filter(|warning| warning.contains(part)).collect()
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
    let file = reading("item,a,b\nx,10,9\ny,-1,10\n", &[]).expect("numbers");
    assert_eq!(file.categories, ["-1", "9", "10"]);
    assert_eq!(triples(&file), ["x a 10", "x b 9", "y a -1", "y b 10"]);
    assert!(
        file.warnings[0].contains("in the order of their numbers: \"-1\", \"9\" and \"10\""),
        "{:?}",
        file.warnings
    );

    let file = reading("{\"item\":1,\"a\":2.5,\"b\":true}\n{\"item\":2,\"a\":true}", &[]).expect("labels");
    assert_eq!(triples(&file), ["1 a 2.5", "1 b true", "2 a true"]);
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
        "item,annotator,criterion,value\nx,a,clear,full\nx,a,short,none\n",
        "line 3: column \"value\": \"a\" rated the item \"x\" on line 2 already; read one question at a time, with --filter 'criterion=…'",
    );
    check(
        "item,a,b\nx,full,\nx,,full\nx,,none\n",
        "line 4: column \"b\": \"b\" rated the item \"x\" on line 3 already",
    );
    check("item,annotator,value\n,a,full\n", "line 2: column \"item\": the cell is empty");
    check("item,annotator,value\nx,a\n", "line 2: the row has 2 cells, and the header 3");
    check(
        "name,annotator,value\nx,a,1\n",
        "line 1: the columns are \"name\", \"annotator\" and \"value\", which is no layout",
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
    let error = |bytes: &[u8]| {
        read(bytes, Path::new("r.csv"), &RatingsAsked::default()).expect_err("no text").to_string()
    };
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
        asking("item,a\nx,1\n", &RatingsAsked { categories: Some(categories), ..RatingsAsked::default() })
            .expect_err("usage")
    };
    assert!(usage(&labels(&["a", "b", "a"])).to_string().contains("--categories names \"a\" twice"));
    for (given, told) in [
        (["1", "1.0", "2"], "--categories names \"1\" twice, as \"1.0\" too; name every label once"),
        (["01", "2", " 1"], "--categories names \"01\" twice, as \" 1\" too"),
        (["1", "2", ""], "--categories names a label without text; leave it out, with its comma"),
        (["1", "\u{200b}", "2"], "--categories names a label without text"),
    ] {
        assert!(usage(&labels(&given)).to_string().contains(told), "{given:?}: {}", usage(&labels(&given)));
    }
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
        assert_eq!(
            said(&file, "missing"),
            ["1 cell is taken as missing (\"NaN\" 1); name with --categories what is a label"]
        );
    }
}

/// Names of documents, as answers to which is the best: 2⁵³ + 1 and its neighbours are one number of 64 bits.
#[test]
fn long_names_of_digits_are_labels_of_their_own() {
    let names = ["9007199254740993", "9007199254740992", "9007199254740994"];
    let text = format!("item,a,b\nw,{0},{1}\nx,{2},{2}\ny,{0},{0}\n", names[0], names[1], names[2]);
    for categories in [&[][..], &names] {
        let file = reading(&text, categories).expect("labels");
        assert_eq!((file.categories.len(), said(&file, "counted as").len()), (3, 0), "{:?}", file.categories);
        let same = |item: usize| file.ratings[2 * item].category == file.ratings[2 * item + 1].category;
        assert_eq!([0, 1, 2].map(same), [false, true, true]);
    }
}

#[test]
fn what_is_named_as_a_label_is_none_that_is_missing() {
    let missing = ["NaN", "nan", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaT", "null", "NULL", "None", " NA "];
    let rows = |(item, label): (usize, &&str)| format!("{item},a,{label}\n");
    let all = format!(
        "item,annotator,value\nx,a,yes\ny,a,  \nz,a,\u{200b}\nw,a,none\n{}v,a,NA\n",
        missing.iter().enumerate().map(rows).collect::<String>()
    );
    let file = reading(&all, &[]).expect("two labels");
    assert_eq!(
        (triples(&file), &file.categories),
        (labels(&["x a yes", "w a none"]), &labels(&["yes", "none"]))
    );
    let told = said(&file, "missing").concat();
    assert!(
        told.starts_with("13 cells are taken as missing (\" NA \" 1, \"#N/A\" 1, ")
            && told.contains("\"NA\" 2,"),
        "{told}"
    );
    // A blank cell says nothing that could be a label.
    assert!(told.contains("\"null\" 1); name with --categories what is a label"), "{told}");
    let named = reading(&all, &["yes", "NA", "none", " NA "]).expect("four labels");
    assert_eq!(triples(&named), ["x a yes", "w a none", "2 a NA", "11 a  NA ", "v a NA"]);
    let scale = reading("item,a,b\n1,None,None\n2,Full,None\n", &["None", "Full"]).expect("a scale");
    assert_eq!((triples(&scale).len(), scale.warnings.len()), (4, 0));
}

#[test]
fn one_number_is_one_label_beside_words_too() {
    for categories in [&[][..], &["2", "two"]] {
        let texts = reading("item,a,b\nx,2.0,2\ny,two,2\nz,02,2.00\n", categories).expect("two labels");
        assert_eq!(texts.categories, ["2", "two"]);
        assert_eq!(triples(&texts), ["x a 2", "x b 2", "y a two", "y b 2", "z a 2", "z b 2"]);
    }
}

/// Labels that a person would take for one are two, and named with their cells; so are signs that may stand for a gap.
#[test]
fn labels_that_look_alike_are_named_and_not_joined() {
    let check = |one: &str, other: &str, named: &str| {
        let text = format!(
            "item,a,b\n1,\"{one}\",\"{other}\"\n2,\"{one}\",word\n3,word,\"{other}\"\n4,word,\"{one}\"\n"
        );
        let file = reading(&text, &[]).expect(&text);
        assert_eq!(file.categories, [one, other, "word"]);
        assert_eq!(
            said(&file, "alike"),
            [format!(
                "{named} are counted as 2 labels (3 cells, 2 cells), though they differ only in case, spaces or how a \
                      character is written; write them alike if they are one"
            )],
        );
        assert!(said(&reading(&text, &[one, other, "word"]).expect("named"), "alike").is_empty());
    };
    check("True", "true", "\"True\" and \"true\"");
    check("not full", "notfull", "\"not full\" and \"notfull\"");
    check("full ", "full", "\"full \" and \"full\"");
    check("1,5", "1.5", "\"1,5\" and \"1.5\"");
    check("Ａ", "a", "\"Ａ\" and \"a\"");
    check("１", "1", "\"１\" and \"1\"");
    check("fu\u{200b}ll", "full", "\"fu\\u{200b}ll\" and \"full\"");
    check("caf\u{e9}", "cafe\u{301}", "\"caf\\u{e9}\" and \"cafe\\u{301}\"");
    let file = reading("item,a,b\n1,-,?\n2,yes,-\n3,.,yes\n4,yes,+\n5,yes,?\n", &[]).expect("signs");
    assert_eq!(file.categories, ["-", "?", "yes", ".", "+"]);
    assert_eq!(said(&file, "says").len() + said(&file, "say ").len(), 3, "{:?}", file.warnings);
    let dash = "2 cells say \"-\" and are counted as a label; empty them if nothing was said, or name all labels with --categories";
    assert!(file.warnings.iter().any(|warning| warning == dash), "{:?}", file.warnings);
}

const JUNK: &str = "Unnamed: 0,item,text,system,a,b,comment,empty\n\
                    0,q0,one thing,x,0,0,fine,\n1,q1,another,y,1,0,,\n2,q2,a third,x,1,1,\"no, fine\",\n";

#[test]
fn a_column_that_shares_no_label_is_no_annotator() {
    let kept = ["q0 a 0", "q0 b 0", "q1 a 1", "q1 b 0", "q2 a 1", "q2 b 1"];
    for (categories, why) in
        [(&[][..], "share no label with the others"), (&["0", "1"], "have none of the labels that are named")]
    {
        let file = reading(JUNK, categories).expect("two annotators");
        assert_eq!((triples(&file), file.annotators.len()), (labels(&kept), 2));
        assert_eq!(file.categories, ["0", "1"]);
        assert_eq!(
            said(&file, "annotators"),
            [format!(
                "the columns \"text\", \"system\", \"comment\", \"empty\" and \"Unnamed: 0\" are not taken for annotators: they {why}, \
                 or number the items; name all annotators with --annotators where that is wrong"
            )]
        );
    }
    // The same as objects, one with a list, which is no label.
    let json = "{\"id\":\"q0\",\"a\":0,\"b\":0,\"tags\":[1]}\n{\"id\":\"q1\",\"a\":1,\"b\":0,\"tags\":{}}\n{\"id\":\"q2\",\"a\":1,\"b\":1}";
    let file = reading(json, &[]).expect("two annotators");
    assert_eq!((triples(&file), said(&file, "\"tags\" is not taken").len()), (labels(&kept), 1));
    // A slip in a column of labels is still an error, wherever it stands.
    let error =
        reading("item,a,b,text\n1,no,no,t\n2,maybe,no,u\n3,yes,yes,v\n", &["no", "yes"]).expect_err("a slip");
    assert!(error.to_string().starts_with("r.csv, line 3: column \"a\": \"maybe\" is none of"), "{error}");
    let error = reading("item,a,b\n1,No,no\n2,Yes,yes\n", &["no", "yes"]).expect_err("another case");
    assert!(error.to_string().starts_with("r.csv, line 2: column \"a\": \"No\" is none of"), "{error}");
    let error = reading("item,a,text\n1,no,t\n2,no,u\n", &[]).expect_err("one annotator");
    assert_eq!(
        error.to_string(),
        "r.csv: no two of the columns \"a\" and \"text\" share a label, so it is not known who is an annotator; name the annotators \
         with --annotators"
    );
    let numbers: String = (0..300).map(|item| format!("{item},{},{},{item}\n", item % 2, item % 3)).collect();
    let file = reading(&format!("item,a,b,seconds\n{numbers}"), &[]).expect("two annotators");
    assert_eq!((file.annotators, file.categories), (labels(&["a", "b"]), labels(&["0", "1", "2"])));
}

#[test]
fn who_is_named_is_an_annotator_and_nobody_else() {
    let asked = |names: &[&str], text: &str| {
        let annotators = labels(names);
        asking(text, &RatingsAsked { annotators: &annotators, ..RatingsAsked::default() })
    };
    let file = asked(&["system", "text"], JUNK).expect("two columns");
    assert_eq!(file.annotators, ["text", "system"]);
    assert_eq!(file.categories, ["one thing", "x", "another", "y", "a third"]);
    assert!(said(&file, "annotators").is_empty(), "{:?}", file.warnings);
    // What others say is no category, and no fault of theirs matters.
    let long = "item,annotator,value\n1,a,yes\n1,b,no\n1,c,maybe\n1,c,maybe\n2,a,no\n2,b,NA\n2,d,NA\n3,c,x\n";
    let file = asked(&["a", "b"], long).expect("two annotators");
    assert_eq!((file.categories.len(), file.annotators.len(), file.items.len()), (2, 2, 3));
    assert_eq!(
        said(&file, "missing"),
        ["1 cell is taken as missing (\"NA\" 1); name with --categories what is a label"]
    );
    for (text, there) in [(JUNK, "Unnamed: 0, text, system, a, b, comment, empty"), (long, "a, b, c, d")] {
        let error = asked(&["a", "zoe"], text).expect_err("nobody").to_string();
        assert_eq!(error, format!("r.csv: there is no annotator \"zoe\"; there are {there}"));
    }
}

#[test]
fn columns_are_known_by_their_usual_names() {
    for (text, who) in [
        ("item,rater,label\nx,a,1\nx,b,2\ny,b,1\n", ["a", "b"]),
        ("Rater ID;Item;Score;seconds\na;x;1;9\nb;x;2;8\nb;y;1;7\n", ["a", "b"]),
        (",item_id,annotator,rating\n0,x,a,1\n1,x,b,2\n2,y,b,1\n", ["a", "b"]),
        ("case_id,human_label,judge_label\nx,1,2\ny,,1\n", ["human_label", "judge_label"]),
        ("ID\ta\tb\nx\t1\t2\ny\t\t1\n", ["a", "b"]),
        (",a,b\nx,1,2\ny,,1\n", ["a", "b"]),
        ("Unnamed: 0,a,b\nx,1,2\ny,,1\n", ["a", "b"]),
        ("id,label,judge\nx,1,2\ny,,1\n", ["label", "judge"]),
        ("{\"a\":1,\"b\":2,\"id\":\"x\",\"type\":\"long\"}\n{\"id\":\"y\",\"b\":1}", ["a", "b"]),
        (
            "{\"id\":\"x\",\"coder\":\"a\",\"answer\":1}\n{\"id\":\"x\",\"coder\":\"b\",\"answer\":2}\n{\"id\":\"y\",\"coder\":\"b\",\"answer\":1}",
            ["a", "b"],
        ),
    ] {
        let file = reading(text, &[]).expect(text);
        let [one, other] = who;
        assert_eq!(
            triples(&file),
            [format!("x {one} 1"), format!("x {other} 2"), format!("y {other} 1")],
            "{text}"
        );
        assert_eq!(file.annotators, who);
    }
    let file = reading("item,rater,score,label\nx,a,5,yes\n", &[]).expect("a long file");
    assert_eq!(triples(&file), ["x a yes"]);
    assert_eq!(
        said(&file, "not read"),
        [
            "the labels are those of the column \"label\", and \"score\" is not read; name the right column \"value\""
        ]
    );
    let file =
        reading(",id,case_id,rater,coder,reviewer,value,Index\n0,x,y,a,b,c,5,1\n", &[]).expect("a long file");
    assert_eq!(
        said(&file, "not read"),
        [
            "the items are those of the column \"id\", and \"case_id\" and \"Index\" are not read; name the right column \"item\"",
            "the annotators are those of the column \"rater\", and \"coder\" and \"reviewer\" are not read; name the right column \"annotator\"",
        ]
    );
    let file = reading("item,rater,value,label\nx,a,5,yes\n", &[]).expect("a long file");
    assert_eq!((triples(&file), said(&file, "not read").len()), (labels(&["x a 5"]), 0));
}

#[test]
fn any_column_groups_items_or_chooses_lines() {
    for text in [
        "item,a,b,domain,family\n1,x,y,news,f1\n2,y,x,law,f2\n3,x,x,news,f1\n4,y,y,,f2\n",
        "item,rater,label,family,domain\n1,a,x,f1,news\n2,a,y,f2,law\n1,b,y,f1,news\n2,b,x,f2,law\n3,a,x,f1,news\n3,b,x,f1,news\n4,a,y,f2,\n4,b,y,f2,\n",
        "{\"item\":1,\"a\":\"x\",\"b\":\"y\",\"domain\":\"news\",\"family\":\"f1\"}\n{\"item\":2,\"a\":\"y\",\"b\":\"x\",\"domain\":\"law\",\"family\":\"f2\"}\n\
         {\"item\":3,\"a\":\"x\",\"b\":\"x\",\"domain\":\"news\",\"family\":\"f1\"}\n{\"item\":4,\"a\":\"y\",\"b\":\"y\",\"domain\":null,\"family\":\"f2\"}",
    ] {
        let by = labels(&["domain"]);
        let asked = RatingsAsked { by: &by, cluster: Some("family"), ..RatingsAsked::default() };
        let file = asking(text, &asked).expect(text);
        let (group, clusters) = (&file.groups[0], file.clusters.as_ref().expect("clusters"));
        assert_eq!((group.column.as_str(), &group.names), ("domain", &labels(&["news", "law", "(none)"])));
        assert_eq!((&group.of_item[..], &clusters.of_item[..]), (&[0, 1, 0, 2][..], &[0, 1, 0, 1][..]));
        assert_eq!((file.annotators.len(), said(&file, "annotators").len()), (2, 0));

        let fits = |line: &[(&str, &str)]| line.contains(&("domain", "news"));
        let filter = LineFilter { columns: by.clone(), fits: &fits };
        let file = asking(text, &RatingsAsked { filter: Some(&filter), by: &by, ..RatingsAsked::default() });
        assert_eq!(file.expect("news").items.iter().collect::<Vec<_>>(), ["1", "3"]);

        let by = labels(&["year"]);
        let error =
            asking(text, &RatingsAsked { by: &by, ..RatingsAsked::default() }).expect_err("no column");
        assert!(error.to_string().contains("there is no column \"year\"; there are item, "), "{error}");
    }
    let text = "item,rater,label,domain\n1,a,x,news\n1,b,x,law\n";
    let by = labels(&["domain"]);
    let error = asking(text, &RatingsAsked { by: &by, ..RatingsAsked::default() }).expect_err("two domains");
    assert_eq!(
        error.to_string(),
        "r.csv, line 3: column \"domain\": the item \"1\" is in the domain \"law\" here and in \"news\" on line 2; give it the same domain \
         on all its lines"
    );
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
        let asked = RatingsAsked::default();
        let mut collector = Collector::new(&asked).expect("a collector");
        let error = csv_rows::read(text.as_bytes(), b',', &mut collector)
            .and_then(|()| collector.finish().map(drop))
            .expect_err("the item has two rows");
        assert!(error.to_string().starts_with(&format!("line {line}: ")), "{text:?}: {error}");
    }
}

#[test]
fn names_that_differ_only_in_how_they_are_typed_are_told() {
    let text = "item,annotator,value\na,Bora,1\na,ann,2\nb,bora,3\nb,ann ,3\n\"a \",Bora,2\nc,ann,2\n";
    let file = reading(text, &[]).expect("read");
    // Each name as often as it stands in the rows above.
    let typed = "though they differ only in case, spaces or how a character is written; write them alike if they are one";
    assert_eq!(
        said(&file, "differ only"),
        [
            format!("\"Bora\" and \"bora\" are counted as 2 annotators (2 ratings, 1 rating), {typed}"),
            format!("\"ann\" and \"ann \" are counted as 2 annotators (2 ratings, 1 rating), {typed}"),
            format!("\"a\" and \"a \" are counted as 2 items (2 ratings, 1 rating), {typed}"),
        ]
    );
    assert_eq!((file.annotators.len(), file.items.len()), (4, 4), "nobody is joined");
    // In the wide form annotators are columns. Names of digits are no numbers.
    let file = reading("item,Ann,ann\n1,1,2\n01,2,1\n", &[]).expect("read");
    assert_eq!(said(&file, "annotators (2 ratings, 2 ratings)").len(), 1, "{:?}", file.warnings);
    assert_eq!(said(&file, "differ only").len(), 1, "{:?}", file.warnings);
    // Of many items a few are named.
    let rows = |name: &str| (0..5).map(|item| format!("{name}{item},{name},1\n")).collect::<String>();
    let file = reading(&format!("item,annotator,value\n{}{}", rows("x"), rows("X")), &[]).expect("read");
    assert_eq!(said(&file, "2 items").len(), 3, "{:?}", file.warnings);
    assert_eq!(said(&file, "2 more items are written in several ways").len(), 1, "{:?}", file.warnings);
}

#[test]
fn nobody_is_told_to_delete_a_rating_where_the_columns_are_misread() {
    let told = |text: &str| reading(text, &[]).expect_err(text).to_string();
    // A line is a rating, and the columns of it have other names.
    let wide = told(concat!(
        "{\"id\":\"s0\",\"judge\":\"gpt\",\"output\":\"1\"}\n",
        "{\"id\":\"s0\",\"judge\":\"1\",\"output\":\"2\"}\n"
    ));
    let advice = "each line is read as an item, and \"judge\" and \"output\" as annotators; where a line is one rating, name its columns \"item\", \"annotator\" and \"value\"";
    assert!(wide.contains("rated the item \"s0\" on line 1 already") && wide.contains(advice), "{wide}");
    let long = told("id,question,annotator,system,value\nx,q1,a,s,1\nx,q2,a,t,1\n");
    assert!(long.contains("already; read one question at a time"), "{long}");
    let long = told("id,prompt,annotator,system,value\nx,q1,a,s,1\nx,q2,a,t,1\n");
    let advice = "already; keep one of the two lines, or, where another column than \"id\" tells the items apart (there are \"prompt\" and \"system\"), name that one \"item\"";
    assert!(long.contains(advice), "{long}");
}
