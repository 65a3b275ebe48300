//! HTML on its way out. Markup is words of the program; every other text has one way in, which escapes it.

use graphemes::markup::escape;

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

    /// The HTML so far.
    pub fn as_str(&self) -> &str {
        &self.written
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
}
