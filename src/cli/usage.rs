//! Examples for each command, at the end of its help. They work on the demo's data as `study.db`; a test runs every one.

use clap::Command;

/// The commands, each with lines to type and what they do.
const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    (
        "demo",
        &[
            ("haymark demo", "judge insights in summaries, as alice"),
            ("haymark demo --protocol keypoint", "key points, English and Chinese"),
        ],
    ),
    (
        "init",
        &[
            ("haymark init new.db", "an empty study"),
            ("haymark import new.db study.jsonl", "which import fills"),
        ],
    ),
    (
        "import",
        &[
            ("haymark import mine.db study.jsonl", "makes the study if it is not there"),
            ("haymark export study.db | haymark import copy.db -", "through a pipe"),
        ],
    ),
    (
        "export",
        &[
            ("haymark export study.db -o copy.jsonl", "the study itself"),
            ("haymark export study.db --what gold --format csv -o gold.csv", "the answers that count"),
            ("haymark export study.db --what dataset -o published", "a folder to publish"),
        ],
    ),
    (
        "annotate",
        &[
            ("haymark annotate study.db --as alice", "what is next for alice"),
            ("haymark annotate study.db --as alice --protocol failure", "under one protocol"),
            ("haymark annotate study.db --as alice --svg screen.svg", "a picture of the screen"),
        ],
    ),
    (
        "session",
        &[
            ("haymark session study.db --as zoe --limit 90m", "write a summary within an hour and a half"),
            ("haymark session list study.db", "who wrote what"),
        ],
    ),
    (
        "browse",
        &[
            ("haymark browse study.db", "look, and change nothing"),
            ("haymark browse study.db --as alice", "tags and comments are kept under her name"),
        ],
    ),
    (
        "adjudicate",
        &[
            ("haymark adjudicate study.db --as carol --protocol coverage", "evenly split items first"),
            ("haymark adjudicate study.db --as carol --hide-names", "not knowing who said what"),
        ],
    ),
    (
        "collect",
        &[
            ("haymark collect study.db", "points that people wrote become units"),
            ("haymark collect study.db --protocol extraction", "those under one protocol"),
        ],
    ),
    (
        "protocol",
        &[
            ("haymark protocol list study.db", "what there is, and how much was judged"),
            ("haymark protocol show coverage --guideline", "what annotators read"),
            ("haymark protocol new tone", "a commented file to start from"),
        ],
    ),
    (
        "assign",
        &[
            ("haymark assign study.db --to alice,bora,carol --overlap 10% --dry-run", "shows the plan"),
            ("haymark assign study.db --to alice,bora,carol --overlap 10%", "and writes it"),
        ],
    ),
    (
        "check-sample",
        &[
            ("haymark check-sample study.db --sample 10% --to carol", "carol looks at a tenth again"),
            (
                "haymark check-sample study.db --protocol entailment --sample 5% --stratify system --to dan",
                "as much of each system",
            ),
        ],
    ),
    (
        "status",
        &[
            ("haymark status study.db", "a row a protocol"),
            ("haymark status study.db --protocol coverage", "who has done what, how well, how quickly"),
            ("haymark status study.db --pay 25/h", "what it costs"),
        ],
    ),
    (
        "score",
        &[
            ("haymark score study.db", "every protocol that was judged"),
            ("haymark score study.db --protocol coverage --by order", "by the order of the documents"),
            ("haymark score study.db --format csv -o scores", "a file a table"),
        ],
    ),
    (
        "agree",
        &[
            ("haymark agree study.db --protocol coverage", "what a reader needs first"),
            ("haymark agree ratings.csv", "ratings from elsewhere"),
            ("haymark agree study.db --format latex", "for the paper"),
        ],
    ),
    (
        "judges",
        &[
            ("haymark judges study.db", "models beside people"),
            ("haymark judges study.db --protocol coverage --cost judge-small=0.002", "with what they cost"),
        ],
    ),
    (
        "report",
        &[
            ("haymark report study.db -o report.html", "everything, as one page"),
            (
                "haymark report study.db -o cases.html --with-items --limit 50",
                "with fifty cases to look through",
            ),
        ],
    ),
    (
        "plot",
        &[
            ("haymark plot study.db", "which figures there are"),
            ("haymark plot study.db agreement", "one of them, in the terminal"),
            ("haymark plot study.db --figures figures", "all of them for a paper, as SVG and PDF"),
        ],
    ),
    (
        "merge",
        &[
            ("haymark merge study.db study-bora.db --dry-run", "says what would come in"),
            ("haymark merge study.db study-bora.db", "bora's file comes home"),
        ],
    ),
    (
        "sync",
        &[
            ("haymark sync study.db study-bora.db --dry-run", "says what would go which way"),
            ("haymark sync study.db study-bora.db", "both become the same"),
        ],
    ),
    (
        "hub",
        &[
            (
                "haymark hub create postgres://lead@db.example.org/team study.db --as lena",
                "the study goes there",
            ),
            ("haymark hub invite alice", "prints what alice types"),
            ("haymark hub join postgres://hm_1_2@db.example.org/team -o mine.db", "a file of one's own"),
            ("haymark sync study.db", "what waits goes there, what is new comes here"),
            ("haymark hub members", "who is in"),
        ],
    ),
    (
        "people",
        &[
            ("haymark people study.db", "who is in, and what was put right"),
            (
                "haymark people study.db --join jonas --into mira --as lena --reason 'a slip'",
                "one person from now on",
            ),
            ("haymark people study.db --leave-out bora --as lena --reason 'a bot'", "bora counts nowhere"),
        ],
    ),
    (
        "revise",
        &[
            (
                "haymark revise study.db right.jsonl --as lena --reason 'the wrong page' --dry-run",
                "what changes, and how many judgments that opens again",
            ),
            (
                "haymark revise study.db right.jsonl --as lena --reason 'the wrong page'",
                "with --restore it is taken back",
            ),
        ],
    ),
    (
        "withdraw",
        &[
            (
                "haymark withdraw study.db query stress --as lena --reason 'it leaked' --dry-run",
                "how many judgments that concerns",
            ),
            (
                "haymark withdraw study.db query stress --as lena --reason 'it leaked'",
                "with --restore it counts again",
            ),
            ("haymark withdraw study.db", "what was put right"),
        ],
    ),
    (
        "split",
        &[
            ("haymark split study.db --for alice", "study-alice.db, for her to take along"),
            ("haymark split study.db --for bora --to home.db", "into a file of another name"),
        ],
    ),
    (
        "check",
        &[
            ("haymark check study.db", "a line for each thing looked at"),
            ("haymark check study.db --recover saved.db", "what can still be read, into a new file"),
        ],
    ),
    ("keys", &[("haymark keys", "all of them"), ("haymark keys --file", "as a file, to be changed")]),
    (
        "man",
        &[("haymark man -o man1", "a page for each command"), ("haymark man", "the first of them, printed")],
    ),
    (
        "completions",
        &[
            ("haymark completions bash", "source <(haymark completions bash) in ~/.bashrc turns them on"),
            ("haymark completions fish", "haymark completions fish | source in ~/.config/fish/config.fish"),
        ],
    ),
    ("help", &[("haymark help agree", "a command"), ("haymark help filters", "a topic")]),
];

/// The first steps, under the help of haymark itself.
const START: &str = "Start:
  haymark demo                             look around in a ready study
  haymark import study.db FILE...          bring in your own
  haymark annotate study.db --as NAME      judge it
  haymark agree study.db                   and see how far people agree

Topics: haymark help filters | formats | protocols | statistics";

/// The command line with the examples at the end of each help.
pub fn with_examples(command: Command) -> Command {
    let mut command = command.after_help(START);
    for (name, examples) in EXAMPLES {
        command = command.mut_subcommand(name, |command| command.after_help(listed(examples)));
    }
    command
}

fn listed(examples: &[(&str, &str)]) -> String {
    let each = examples.iter().map(|(typed, does)| format!("\n  {typed}\n      {does}"));
    format!("Examples:{}", each.collect::<String>())
}
