//! HTML on its way out. Markup is words of the program; every other text has one way in, which escapes it.

use super::width::control;

/// A page, or a part of one, that is being written.
///
/// Names of elements and attributes, and markup as a whole, are constants of the program: nothing that was read can become one.
#[derive(Debug, Default, PartialEq)]
pub struct Html {
    written: String,
}

impl Html {
    /// Adds markup of the program's own.
    pub fn markup(&mut self, markup: &'static str) -> &mut Html {
        self.written.push_str(markup);
        self
    }

    /// Adds a text, shown as it is.
    pub fn text(&mut self, text: &str) -> &mut Html {
        escape(text, &mut self.written);
        self
    }

    /// Begins an element, with its attributes.
    pub fn open(&mut self, element: &'static str, attributes: &[(&'static str, &str)]) -> &mut Html {
        self.written.push('<');
        self.written.push_str(element);
        for (name, value) in attributes {
            self.written.push(' ');
            self.written.push_str(name);
            self.written.push_str("=\"");
            escape(value, &mut self.written);
            self.written.push('"');
        }
        self.written.push('>');
        self
    }

    /// Ends an element.
    pub fn close(&mut self, element: &'static str) -> &mut Html {
        self.written.push_str("</");
        self.written.push_str(element);
        self.written.push('>');
        self
    }

    /// Adds an element that holds a text and nothing else.
    pub fn element(
        &mut self,
        element: &'static str,
        attributes: &[(&'static str, &str)],
        text: &str,
    ) -> &mut Html {
        self.open(element, attributes).text(text).close(element)
    }

    /// A drawing, whose texts were escaped by [`escape`].
    pub fn drawn(drawing: String) -> Html {
        Html { written: drawing }
    }

    /// Adds a part that was written apart.
    pub fn part(&mut self, part: &Html) -> &mut Html {
        self.written.push_str(&part.written);
        self
    }

    /// The HTML so far.
    pub fn as_str(&self) -> &str {
        &self.written
    }
}

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
    use super::*;

    #[test]
    fn no_text_becomes_markup() {
        let mut html = Html::default();
        html.open("p", &[("title", "\" onclick='x' <b>")]).text("<script>&amp;\"'`</script>").close("p");
        assert_eq!(
            html.as_str(),
            "<p title=\"&quot; onclick=&#39;x&#39; &lt;b&gt;\">&lt;script&gt;&amp;amp;&quot;&#39;`&lt;/script&gt;</p>"
        );
    }

    #[test]
    fn what_steers_is_shown_as_a_mark() {
        let mut html = Html::default();
        html.text("a\u{0}b\u{1b}[31m\u{202e}c\u{2066}d\r\ne\tf\u{85}");
        assert_eq!(html.as_str(), "a␀b␛[31m�c�d\ne\tf�");
    }
}
