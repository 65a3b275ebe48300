//! Templates of what is written for readers. A text of a study is escaped as its document needs it, unless the template says `safe`.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Value, ValueKind};
use minijinja::{AutoEscape, Environment, UndefinedBehavior};

use super::table::escape_markdown;
use crate::error::{Error, Result};
use graphemes::markup::escape;

/// The templates, by the name that says what they become.
const TEMPLATES: &[(&str, &str)] = &[
    ("cases.html", include_str!("../../assets/templates/cases.html")),
    ("card.md", include_str!("../../assets/templates/card.md")),
    ("report.html", include_str!("../../assets/templates/report.html")),
];

/// The document of a template.
///
/// # Errors
/// The template asks for something that it is not given, which a test would have shown.
pub fn rendered(name: &str, told: Value) -> Result<String> {
    let mut templates = Environment::new();
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    templates.set_auto_escape_callback(|name| match name.ends_with(".html") {
        true => AutoEscape::Html,
        false => AutoEscape::Custom("markdown".into()),
    });
    templates.set_formatter(|out, state, value| {
        let text = value.as_str().filter(|_| !value.is_safe());
        let shown = match (text, state.auto_escape()) {
            (Some(text), AutoEscape::Html) => {
                let mut shown = String::new();
                escape(text, &mut shown);
                shown
            }
            (Some(text), _) => escape_markdown(text),
            (None, _) if value.kind() == ValueKind::None => String::new(),
            (None, _) => value.to_string(),
        };
        out.write_str(&shown).map_err(minijinja::Error::from)
    });
    templates.add_filter("code", |name: &str| Value::from_safe_string(code(name)));
    let wrong = |error: minijinja::Error| Error::new(format!("the template {name} is wrong: {error:#}"));
    templates.set_syntax(syntax.build().map_err(wrong)?);
    for (name, text) in TEMPLATES {
        templates.add_template(name, text).map_err(wrong)?;
    }
    templates.get_template(name).and_then(|template| template.render(told)).map_err(wrong)
}

/// A name in the font of code, where it shows all of its signs as they are.
pub fn code(name: &str) -> String {
    let is_plain = |sign: char| sign.is_alphanumeric() || "_-.,:;=+/@%#()[]{}'\"*~!? ".contains(sign);
    match !name.trim().is_empty() && name.chars().all(is_plain) {
        true => format!("`{name}`"),
        false => escape_markdown(name),
    }
}
