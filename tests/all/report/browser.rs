//! The page as Chromium shows it, over its debugging pipe. Where there is no Chromium, the cases say so and skip.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::hostile;
use crate::harness::Desk;

/// A browser without a window, with one page.
struct Browser {
    process: Child,
    to: File,
    from: BufReader<File>,
    sent: u64,
    session: Option<String>,
    /// What it told that nobody asked for.
    told: Vec<Value>,
}

impl Browser {
    /// `None` where there is no Chromium.
    fn start(desk: &Desk) -> Option<Browser> {
        let paths = std::env::var_os("PATH").unwrap_or_default();
        if !std::env::split_paths(&paths).any(|folder| folder.join("chromium").is_file()) {
            eprintln!("skipped: there is no chromium");
            return None;
        }
        let pipes = ["to", "from"].map(|name| desk.path(name));
        assert!(Command::new("mkfifo").args(&pipes).status().expect("mkfifo runs").success());
        // A browser that hangs ends all the same.
        let run = "exec timeout 600 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
                   --remote-debugging-pipe --user-data-dir=\"$2\" about:blank 3<\"$0\" 4>\"$1\"";
        let process = Command::new("sh")
            .args(["-c", run])
            .args(&pipes)
            .arg(desk.path("profile"))
            .envs(desk.environment())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh runs");
        let to = OpenOptions::new().write(true).open(&pipes[0]).expect("opened");
        let from = BufReader::new(File::open(&pipes[1]).expect("opened"));
        let mut browser = Browser { process, to, from, sent: 0, session: None, told: Vec::new() };
        let target = browser.ask("Target.createTarget", json!({"url":"about:blank"}))["targetId"].clone();
        let attached = browser.ask("Target.attachToTarget", json!({"targetId":target,"flatten":true}));
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.ask(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    fn next(&mut self) -> Value {
        let mut message = Vec::new();
        self.from.read_until(0, &mut message).expect("the browser speaks");
        assert_eq!(message.pop(), Some(0), "the browser has gone");
        serde_json::from_slice(&message).expect("JSON")
    }

    fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.sent += 1;
        let mut message = json!({"id":self.sent,"method":method,"params":parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).expect("asked");
        loop {
            let answer = self.next();
            if answer["id"] == self.sent {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.told.push(answer);
        }
    }

    /// Opens a file anew, and waits until it is there.
    fn open(&mut self, file: &Path, fragment: &str) {
        // From one place of a page to another nothing is loaded.
        self.visit("about:blank");
        self.visit(&format!("file://{}{fragment}", file.display()));
    }

    fn visit(&mut self, address: &str) {
        self.told.clear();
        self.ask("Page.navigate", json!({"url":address}));
        while !self.told.iter().any(|told| told["method"] == "Page.loadEventFired") {
            let next = self.next();
            self.told.push(next);
        }
    }

    /// The value of an expression. It runs beside the page, whatever the page's policy says.
    fn value(&mut self, expression: &str) -> Value {
        let asked = json!({"expression":expression,"returnByValue":true,"awaitPromise":true});
        let answer = self.ask("Runtime.evaluate", asked);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    fn number(&mut self, expression: &str) -> i64 {
        self.value(expression).as_i64().unwrap_or_else(|| panic!("{expression} is no number"))
    }

    /// How the page is seen: so wide, in the dark, on paper.
    fn seen(&mut self, width: u32, is_dark: bool, media: &str) {
        let size = json!({"width":width,"height":900,"deviceScaleFactor":1,"mobile":width < 500});
        self.ask("Emulation.setDeviceMetricsOverride", size);
        let scheme = json!([{"name":"prefers-color-scheme","value":if is_dark { "dark" } else { "light" }}]);
        self.ask("Emulation.setEmulatedMedia", json!({"media":media,"features":scheme}));
    }

    /// What it complained of, and what it asked for, since the page was opened.
    fn complaints(&self) -> Vec<&Value> {
        let is_complaint = |told: &&Value| {
            let method = told["method"].as_str().unwrap_or_default();
            [
                "Log.entryAdded",
                "Runtime.consoleAPICalled",
                "Runtime.exceptionThrown",
                "Page.javascriptDialogOpening",
            ]
            .contains(&method)
        };
        self.told.iter().filter(is_complaint).collect()
    }

    fn requests(&self) -> Vec<String> {
        let requests = self.told.iter().filter(|told| told["method"] == "Network.requestWillBeSent");
        requests.map(|told| told["params"]["request"]["url"].to_string()).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.session = None;
        let bye = format!("{}\0", json!({"id":0,"method":"Browser.close"}));
        let _ = self.to.write_all(bye.as_bytes());
        let _ = self.process.wait();
    }
}

/// The cases that are seen.
const SEEN: &str = "[...document.querySelectorAll('.case')].filter(one => one.checkVisibility())";

#[test]
fn a_browser_shows_it_without_a_word_and_asks_for_nothing() {
    let desk = Desk::new();
    let Some(mut browser) = Browser::start(&desk) else { return };
    for study in [desk.judged_study(), "zh.db"] {
        if study == "zh.db" {
            desk.samples(study, &["questions_zh", "questions", "questions_judgments"]);
        }
        desk.report(study, &["--with-items"]);
        for (width, is_dark) in [(400, false), (400, true), (1000, false), (1600, true)] {
            browser.seen(width, is_dark, "");
            browser.open(&desk.path("page.html"), "");
            assert_eq!(browser.complaints(), Vec::<&Value>::new(), "{study} {width}");
            assert_eq!(browser.requests().len(), 1, "{:?}", browser.requests());
            let wide = browser.number("document.documentElement.scrollWidth - innerWidth");
            assert!(wide <= 0, "{study}: the page is {wide} wider than {width}");
        }
    }
    // The style counts: it is that of the policy.
    assert_eq!(browser.value("getComputedStyle(document.body).maxWidth"), "1312px");
}

/// axe-core, by the file that `HAYMARK_AXE` names, finds no fault that keeps somebody from reading the page.
#[test]
fn axe_finds_no_serious_fault() {
    let Some(axe) = std::env::var_os("HAYMARK_AXE") else {
        return eprintln!("skipped: HAYMARK_AXE names no axe.min.js");
    };
    let axe = std::fs::read_to_string(axe).expect("axe-core");
    let desk = Desk::new();
    let Some(mut browser) = Browser::start(&desk) else { return };
    desk.report(desk.judged_study(), &["--with-items", "--limit", "5"]);
    for is_dark in [false, true] {
        browser.seen(1000, is_dark, "");
        browser.open(&desk.path("page.html"), "");
        browser.value("document.querySelectorAll('details').forEach(one => one.open = true)");
        browser.value(&format!("{axe}; 'read'"));
        let faults = browser.value(
            "axe.run(document, { resultTypes: ['violations'] }).then(found => found.violations
                .filter(one => ['serious', 'critical'].includes(one.impact))
                .map(one => one.id + ': ' + one.nodes[0].target))",
        );
        assert_eq!(faults, json!([]), "dark: {is_dark}");
    }
}

#[test]
fn a_hostile_study_runs_nothing() {
    let desk = Desk::new();
    let Some(mut browser) = Browser::start(&desk) else { return };
    desk.report(hostile(&desk), &["--with-items", "--names"]);
    browser.seen(1000, false, "");
    browser.open(&desk.path("page.html"), "");
    browser.value("document.querySelectorAll('details').forEach(one => one.open = true)");
    assert_eq!(browser.complaints(), Vec::<&Value>::new());
    assert_eq!(browser.requests().len(), 1);
    let running = "document.querySelectorAll('script, img, iframe, object, embed, form, svg[onload], [style], [onerror]').length";
    assert_eq!(browser.number(running), 0);
    // Were a script on the page all the same, the policy would not let it run.
    let refused = "new Promise(done => {
        document.addEventListener('securitypolicyviolation', event => done(event.violatedDirective));
        const script = document.createElement('script'); script.textContent = 'window.ran = 1';
        document.body.append(script); setTimeout(() => done('nothing was refused'), 2000) })";
    assert_eq!(browser.value(refused), "script-src-elem");
    assert_eq!(browser.value("typeof window.ran"), "undefined");
}

#[test]
fn cases_are_filtered_opened_by_their_link_and_set_side_by_side() {
    let desk = Desk::new();
    let Some(mut browser) = Browser::start(&desk) else { return };
    let page = desk.page(desk.judged_study(), &["--with-items"]);
    let cases = page.ids_of("article");
    browser.seen(1200, false, "");
    browser.open(&desk.path("page.html"), "");
    let all = browser.number(&format!("{SEEN}.length"));
    assert_eq!(all, cases.len() as i64);
    let choose = |browser: &mut Browser, filter: &str, words: &str| -> Vec<Value> {
        browser.value(&format!(
            "{{ const choice = document.querySelector('{filter}'); \
             choice.selectedIndex = [...choice.options].findIndex(one => one.text == '{words}'); choice.value }}"
        ));
        let seen = browser.value(&format!("{SEEN}.map(one => one.querySelector('.who').textContent)"));
        seen.as_array().expect("a list").clone()
    };
    let of = |names: &[&str], seen: &[Value]| seen.iter().all(|name| names.iter().any(|one| name == one));
    let one = choose(&mut browser, ".by-system", "oracle large-a");
    assert!(!one.is_empty() && (one.len() as i64) < all && of(&["oracle large-a"], &one), "{one:?}");
    let both = choose(&mut browser, ".beside", "small-a");
    assert!(both.len() > one.len() && of(&["oracle large-a", "small-a"], &both), "{both:?}");
    let columns = "getComputedStyle(document.querySelector('.query')).gridTemplateColumns.split(' ').length";
    assert_eq!(browser.number(columns), 2);
    // Filters restrict each other.
    let disputed = choose(&mut browser, ".by-dispute", "disagree");
    assert!(
        !disputed.is_empty() && disputed.len() < both.len() && of(&["oracle large-a", "small-a"], &disputed)
    );
    choose(&mut browser, ".by-system", "all");
    choose(&mut browser, ".beside", "none");
    let disputed = choose(&mut browser, ".by-dispute", "disagree").len();
    let agreed = choose(&mut browser, ".by-dispute", "agree").len();
    let alone = choose(&mut browser, ".by-dispute", "judged by fewer than two").len();
    assert_eq!((disputed + agreed + alone) as i64, all);
    choose(&mut browser, ".by-dispute", "all");
    let tagged = choose(&mut browser, ".by-tag", "too general");
    assert!(!tagged.is_empty() && (tagged.len() as i64) < all);
    // A link opens its case.
    let last = cases.last().expect("a case");
    browser.open(&desk.path("page.html"), &format!("#{last}"));
    let open = "[...document.querySelectorAll('.case[open] > article')].map(one => one.id).join()";
    assert_eq!(browser.value(open), last.as_str());
    let off =
        browser.number(&format!("Math.round(document.getElementById('{last}').getBoundingClientRect().top)"));
    assert!((-1..900).contains(&off), "it is {off} pixels off");
}

#[test]
fn paper_has_the_parts_and_not_the_cases() {
    let desk = Desk::new();
    let Some(mut browser) = Browser::start(&desk) else { return };
    desk.report(desk.judged_study(), &["--with-items"]);
    browser.seen(800, true, "print");
    browser.open(&desk.path("page.html"), "");
    let shown = |selector: &str| format!("document.querySelector('{selector}').checkVisibility()");
    for (selector, is_shown) in [
        ("#short", true),
        ("#study > .scroll", true),
        (".paper", true),
        (".list", false),
        (".filters", false),
        ("nav", false),
        ("#data", false),
    ] {
        assert_eq!(browser.value(&shown(selector)), is_shown, "{selector}");
    }
    // Black on white, whatever the screen is.
    assert_eq!(
        browser.value("getComputedStyle(document.documentElement).backgroundColor"),
        "rgb(255, 255, 255)"
    );
    let cut = "[...document.querySelectorAll('.scroll')].filter(one => one.checkVisibility() && one.scrollWidth > innerWidth).length";
    assert_eq!(browser.number(cut), 0, "no table is wider than the paper");
    let pdf = browser.ask("Page.printToPDF", json!({"preferCSSPageSize":true,"printBackground":true}));
    let pages = {
        use base64::Engine;
        let data = pdf["data"].as_str().expect("a file");
        let bytes = base64::engine::general_purpose::STANDARD.decode(data).expect("base64");
        String::from_utf8_lossy(&bytes).matches("/Type /Page\n").count()
    };
    assert!((3..40).contains(&pages), "{pages} pages");
}
