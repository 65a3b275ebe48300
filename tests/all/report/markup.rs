//! Reads a page as strictly as it is written: every element, attribute and reference is one that the program knows.
#![allow(clippy::string_slice, reason = "signs of markup are ASCII")]

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use sha2::{Digest, Sha256};

/// Elements without an end.
const VOID: [&str; 1] = ["meta"];

const ELEMENTS: [&str; 59] = [
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "a",
    "header",
    "nav",
    "main",
    "section",
    "article",
    "div",
    "span",
    "p",
    "ul",
    "ol",
    "li",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "details",
    "summary",
    "table",
    "caption",
    "thead",
    "tbody",
    "tfoot",
    "tr",
    "th",
    "td",
    "small",
    "sup",
    "strong",
    "em",
    "code",
    "blockquote",
    "label",
    "select",
    "option",
    "optgroup",
    "figure",
    "figcaption",
    "svg",
    "g",
    "path",
    "line",
    "rect",
    "circle",
    "polygon",
    "polyline",
    "text",
    "tspan",
    "desc",
    "defs",
    "b",
];

/// Attributes that carry nothing that runs. A name that begins with `on`, `style` and `src` are not among them.
const ATTRIBUTES: [&str; 53] = [
    "http-equiv",
    "content",
    "charset",
    "name",
    "lang",
    "class",
    "id",
    "href",
    "download",
    "rel",
    "aria-label",
    "aria-labelledby",
    "aria-hidden",
    "aria-describedby",
    "role",
    "tabindex",
    "scope",
    "value",
    "label",
    "viewBox",
    "width",
    "height",
    "x",
    "y",
    "x1",
    "x2",
    "y1",
    "y2",
    "cx",
    "cy",
    "r",
    "d",
    "points",
    "transform",
    "fill",
    "stroke",
    "fill-opacity",
    "stroke-width",
    "stroke-dasharray",
    "text-anchor",
    "font-size",
    "font-weight",
    "dx",
    "dy",
    "opacity",
    "stroke-linecap",
    "xmlns",
    "title",
    "font-family",
    "xml:space",
    "rx",
    "shape-rendering",
    "text-decoration",
];

/// An element with its attributes and the text in it.
#[derive(Debug)]
pub struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    /// All text in it, that of elements in it too.
    text: String,
    /// Whether it ends where it begins.
    is_empty: bool,
    /// Where it begins and ends among the elements.
    place: (usize, usize),
}

impl Element {
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// A page that was read.
pub struct Page {
    pub text: String,
    /// In the order in which they begin.
    elements: Vec<Element>,
}

impl Page {
    /// Reads a page.
    pub fn read(html: &str) -> Page {
        let mut rest = html.strip_prefix("<!DOCTYPE html>").expect("a page");
        let mut elements: Vec<Element> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut text = String::new();
        while !rest.is_empty() {
            let at = rest.find('<').unwrap_or(rest.len());
            let said = if open.last().is_some_and(|at| elements[*at].name == "style") {
                rest[..at].to_owned()
            } else {
                unescaped(&rest[..at])
            };
            open.iter().for_each(|at| elements[*at].text.push_str(&said));
            text.push_str(&said);
            rest = &rest[at..];
            if let Some(end) = rest.strip_prefix("</") {
                let (name, after) = end.split_once('>').expect("an end");
                let last = open.pop().expect("something is open");
                assert_eq!(elements[last].name, name, "elements lie within each other");
                elements[last].place.1 = elements.len();
                rest = after;
            } else if let Some(begin) = rest.strip_prefix('<') {
                let (element, after) = begun(begin, elements.len());
                if !VOID.contains(&element.name.as_str()) && !element.is_empty {
                    open.push(elements.len());
                }
                elements.push(element);
                rest = after;
            }
        }
        assert!(open.is_empty(), "everything that begins ends");
        // That of the head is none of the page.
        let style = elements.iter().find(|element| element.name == "style").map(|style| style.text.clone());
        let text = text.replace(&style.unwrap_or_default(), "").trim_start().to_owned();
        Page { text, elements }
    }

    fn named<'p>(&'p self, name: &'p str) -> impl Iterator<Item = &'p Element> {
        self.elements.iter().filter(move |element| element.name == name)
    }

    /// Nothing is on the page but what the program writes, nothing leads out of it, and the policy lets its own style in alone.
    pub fn is_safe(&self) {
        for element in &self.elements {
            assert!(ELEMENTS.contains(&element.name.as_str()), "an element {}", element.name);
            for (name, value) in &element.attributes {
                assert!(ATTRIBUTES.contains(&name.as_str()), "an attribute {name} of {}", element.name);
                let stays =
                    value.starts_with('#') || value.starts_with("data:text/csv;charset=utf-8;base64,");
                assert!(name != "href" || stays, "a link to {value}");
            }
        }
        let style: Vec<&Element> = self.named("style").collect();
        let [style] = style.as_slice() else { panic!("there is one style") };
        let hash = BASE64.encode(Sha256::digest(&style.text));
        let policy =
            self.named("meta").find(|meta| meta.attribute("http-equiv").is_some()).expect("a policy");
        let says =
            format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'");
        assert_eq!(policy.attribute("content"), Some(says.as_str()));
        let mut ids: Vec<&str> = self.elements.iter().filter_map(|element| element.attribute("id")).collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all, "each place has one name");
        for element in &self.elements {
            let links = element.attribute("href").and_then(|to| to.strip_prefix('#'));
            let names = element.attribute("aria-labelledby").into_iter().flat_map(str::split_whitespace);
            for to in links.into_iter().chain(names) {
                assert!(ids.binary_search(&to).is_ok(), "a link to {to}, which is not there");
            }
            assert!(element.name != "th" || element.attribute("scope").is_some(), "{element:?}");
        }
        let levels =
            self.elements.iter().filter_map(|element| element.name.strip_prefix('h')?.parse::<u32>().ok());
        let mut last = 0;
        for level in levels {
            assert!(level <= last + 1, "a heading of level {level} stands under one of level {last}");
            last = level;
        }
        for table in self.named("table") {
            let caption =
                self.elements[table.place.0..table.place.1].iter().find(|element| element.name == "caption");
            assert!(
                caption.is_some_and(|caption| !caption.text.is_empty()),
                "every table has a caption: {}",
                table.text
            );
        }
    }

    /// The ids of all elements of a name.
    pub fn ids_of(&self, name: &str) -> Vec<String> {
        self.named(name).filter_map(|element| element.attribute("id").map(str::to_owned)).collect()
    }

    /// The text of a part.
    pub fn section(&self, id: &str) -> String {
        let part = self.named("section").find(|element| element.attribute("id") == Some(id));
        part.unwrap_or_else(|| panic!("no part {id}")).text.clone()
    }

    /// The rows of the tables with this caption.
    pub fn tables(&self, title: &str) -> Vec<Vec<Vec<String>>> {
        let of = |table: &Element| &self.elements[table.place.0..table.place.1];
        let is_it = |table: &&Element| of(table).iter().any(|one| one.name == "caption" && one.text == title);
        let rows = |table: &Element| {
            let mut rows: Vec<Vec<String>> = Vec::new();
            for element in of(table) {
                match (element.name.as_str(), rows.last_mut()) {
                    ("tr", _) => rows.push(Vec::new()),
                    ("th" | "td", Some(row)) => row.push(bare(&element.text)),
                    _ => {}
                }
            }
            rows
        };
        self.named("table").filter(is_it).map(rows).collect()
    }

    /// The files that lie in the page.
    pub fn files(&self) -> Vec<String> {
        let data = self.named("a").filter_map(|link| {
            let to = link.attribute("href")?.strip_prefix("data:text/csv;charset=utf-8;base64,")?;
            Some(String::from_utf8(BASE64.decode(to).expect("base64")).expect("UTF-8"))
        });
        data.collect()
    }
}

/// The beginning of an element, behind its `<`.
fn begun(text: &str, place: usize) -> (Element, &str) {
    let end = text.find([' ', '>', '/']).expect("a name ends");
    let name = text[..end].to_owned();
    assert!(
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric()),
        "an element {name:?}"
    );
    let mut rest = &text[end..];
    let mut attributes = Vec::new();
    while let Some(more) = rest.strip_prefix(' ') {
        let (name, value) = more.split_once("=\"").expect("an attribute has a value");
        assert!(
            name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-:".contains(letter)),
            "{name:?}"
        );
        let (value, after) = value.split_once('"').expect("a value ends");
        assert!(!value.contains(['<', '>']), "{value:?}");
        attributes.push((name.to_owned(), unescaped(value)));
        rest = after;
    }
    let is_empty = rest.starts_with("/>");
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let after = rest.strip_prefix('>').unwrap_or_else(|| panic!("{name} does not end: {rest:.40}"));
    (Element { name, attributes, text: String::new(), is_empty, place: (place, place + 1) }, after)
}

/// The text that this markup shows.
fn unescaped(markup: &str) -> String {
    let mut parts = markup.split('&');
    let mut text = parts.next().unwrap_or_default().to_owned();
    assert!(!text.contains('>'), "{text:?}");
    for part in parts {
        let (name, rest) = part.split_once(';').expect("a reference ends");
        text.push(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "#39" => '\'',
            other => panic!("a reference &{other};"),
        });
        text.push_str(rest);
    }
    text
}

/// The tables of a Markdown text, each with its title: headings, then rows.
pub fn markdown_tables(markdown: &str) -> Vec<(String, Vec<Vec<String>>)> {
    let mut tables: Vec<(String, Vec<Vec<String>>)> = Vec::new();
    for line in markdown.lines() {
        if let Some(title) = line.strip_prefix("**").and_then(|line| line.strip_suffix("**")) {
            tables.push((title.replace('\\', ""), Vec::new()));
        } else if let Some(row) = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")) {
            let cells: Vec<String> = row.split(" | ").map(bare).collect();
            let is_rule =
                cells.iter().all(|cell| cell.chars().all(|sign| "-:".contains(sign)) && !cell.is_empty());
            if !is_rule {
                tables.last_mut().expect("a title").1.push(cells);
            }
        }
    }
    tables
}

/// What a cell says, whatever marks stand in it.
fn bare(cell: &str) -> String {
    let cell = cell.replace("<sup>", "").replace("</sup>", "").replace("&lt;", "<");
    cell.chars().filter(|sign| !matches!(sign, '\\' | '(' | ')' | ' ' | '|')).collect()
}
