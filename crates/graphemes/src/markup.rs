//! Texts on their way into HTML and XML.

use crate::width::control;

/// Adds a text in a form that is shown as it is, between elements and in quoted attributes. Characters that steer a terminal or
/// the direction of text are shown as marks.
pub fn escape(text: &str, to: &mut String) {
    to.reserve(text.len());
    for sign in text.chars() {
        match sign {
            '&' => to.push_str("&amp;"),
            '<' => to.push_str("&lt;"),
            '>' => to.push_str("&gt;"),
            '"' => to.push_str("&quot;"),
            '\'' => to.push_str("&#39;"),
            '\n' | '\t' => to.push(sign),
            // XML holds neither.
            '\u{fffe}' | '\u{ffff}' => to.push('\u{fffd}'),
            // A line's end as some programs write it.
            '\r' => {}
            _ => match control(sign) {
                Some(stand_in) => to.push_str(stand_in),
                None => to.push(sign),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_steers_is_shown_as_a_mark() {
        let mut page = String::new();
        super::escape("a\u{0}b\u{1b}[31m\u{202e}c\u{2066}d\r\ne\tf\u{85}", &mut page);
        assert_eq!(page, "a␀b␛[31m�c�d\ne\tf�");
    }
}
