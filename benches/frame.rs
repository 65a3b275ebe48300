//! One frame: from a key to the bytes for the terminal, deep in a document of 600 KB or in a long summary.

mod support {
    pub mod desk;
    pub mod report;
    pub mod texts;
    pub mod writer;
}

use support::desk::{Desk, Language};
use support::report::{Report, Samples, Target, timed};
use support::writer::Writer;

/// Columns and rows, and the most milliseconds that a frame may take there.
const SIZES: [((u16, u16), f64); 3] = [((80, 24), 1.0), ((200, 60), 2.0), ((400, 100), 4.0)];

fn main() {
    let Some(mut report) = Report::start("frames") else {
        return;
    };
    for language in Language::ALL {
        for (size, most) in SIZES {
            times(&mut report, language, size, most);
        }
    }
    for language in Language::ALL {
        for (size, most) in SIZES {
            typing(&mut report, language, size, most);
        }
    }
    for language in Language::ALL {
        bytes(&mut report, language);
        queued_keys(&mut report, language);
    }
    report.finish();
}

fn times(report: &mut Report, language: Language, size: (u16, u16), most: f64) {
    let mut desk = Desk::open(language, size);
    let place = format!("{}×{} {}", size.0, size.1, language.name());
    let ways = [("scroll by a row", ["j", "k"]), ("scroll by a page", ["space", "b"])];
    for (what, [down, up]) in ways {
        let mut count = 0;
        let samples = Samples::take(400, || {
            // Twenty steps up, twenty down: always in the middle of the text.
            count += 1;
            desk.press(if (count / 20_usize).is_multiple_of(2) { up } else { down });
            desk.frame()
        });
        let name = format!("{what} {place}");
        report.spread(&name, &samples, Target::None, Target::AtMost(most));
    }
}

/// A character typed into the middle of a summary of 5,000 words, and the frame with it.
fn typing(report: &mut Report, language: Language, size: (u16, u16), most: f64) {
    let mut writer = Writer::open(language, 5_000, size);
    let samples = Samples::take(400, || {
        writer.press("x");
        writer.frame();
    });
    let name = format!("a character in 5,000 words {}×{} {}", size.0, size.1, language.name());
    report.spread(&name, &samples, Target::None, Target::AtMost(most));
}

/// Bytes at 200×60.
fn bytes(report: &mut Report, language: Language) {
    let name = language.name();
    let mut desk = Desk::open(language, (200, 60));
    let most = largest(&mut desk, 50);
    let what = format!("most bytes of a row's scroll, split panes, {name}");
    report.line(&what, most, "B", Target::AtMost(10_240.0));

    desk.press("z");
    desk.frame();
    let most = largest(&mut desk, 50);
    let what = format!("most bytes of a row's scroll, full width, {name}");
    report.line(&what, most, "B", Target::AtMost(512.0));

    desk.press("z");
    desk.frame();
    for (key, what) in [("f", "a label"), ("3", "its bullet, and on to the next item")] {
        desk.press(key);
        let sent = desk.frame() as f64;
        let target = if key == "f" { Target::AtMost(512.0) } else { Target::None };
        report.line(&format!("bytes of {what}, {name}"), sent, "B", target);
    }
}

fn largest(desk: &mut Desk, frames: usize) -> f64 {
    let sent = (0..frames).map(|_| {
        desk.press("k");
        desk.frame()
    });
    sent.max().unwrap_or(0) as f64
}

/// A held key while the terminal was slow: everything that is queued, then one frame.
fn queued_keys(report: &mut Report, language: Language) {
    let name = language.name();
    let mut desk = Desk::open(language, (200, 60));
    let mut most = 0;
    let samples = (0..20).map(|_| {
        let (time, sent) = timed(|| {
            desk.press_often("k", 200);
            desk.frame()
        });
        most = most.max(sent);
        time
    });
    let samples = Samples::of(samples.collect());
    let what = format!("200 queued keys and one frame, {name}, median");
    report.line(&what, samples.middle(), "ms", Target::None);
    let what = format!("most bytes of that frame, {name}");
    report.line(&what, most as f64, "B", Target::None);
}
