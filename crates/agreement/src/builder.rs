//! From (item, rater, label) triples in any order to a [`Ratings`] table.

use std::fmt;

use super::{Category, MAX_CATEGORIES, Names, RatingRows, Ratings, Scale};

/// The most raters a table may have, so that the ratings of one item can be paired in 64-bit numbers.
pub const MAX_RATERS: usize = 65_535;

/// The most items a table may have.
pub const MAX_ITEMS: usize = 1 << 28;

/// Why a ratings table cannot be made. Printed, each is one sentence that says what to do.
#[derive(Clone, Debug, PartialEq)]
pub enum TableError {
    /// The schema has no category.
    NoCategories,
    /// The schema has more than [`MAX_CATEGORIES`].
    TooManyCategories {
        /// How many categories the schema has.
        count: usize,
    },
    /// The schema names a category twice.
    RepeatedCategory {
        /// The label.
        label: String,
    },
    /// A category's code is infinite or not a number.
    CodeNotFinite {
        /// The label of the category.
        label: String,
        /// The code of the category.
        code: f64,
    },
    /// A rating is none of the categories.
    UnknownCategory {
        /// Name of the item.
        item: String,
        /// Name of the rater.
        rater: String,
        /// The rating as given.
        label: String,
        /// The allowed labels, joined by commas.
        allowed: String,
    },
    /// A rater has rated an item before.
    SecondRating {
        /// Name of the item.
        item: String,
        /// Name of the rater.
        rater: String,
        /// The label of the rating that stands.
        first: String,
        /// The label of the rating refused.
        second: String,
    },
    /// An item, rater or category number was never given out.
    NoSuchCell {
        /// Number of the item.
        item: usize,
        /// Number of the rater.
        rater: usize,
        /// Number of the category.
        category: u8,
    },
    /// More than [`MAX_RATERS`] raters or [`MAX_ITEMS`] items.
    TooLarge {
        /// How many items there would be.
        items: usize,
        /// How many raters there would be.
        raters: usize,
    },
}

impl fmt::Display for TableError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCategories => write!(out, "there is no category to choose from; name at least one"),
            Self::TooManyCategories { count } => {
                write!(
                    out,
                    "there are {count} categories and at most {MAX_CATEGORIES} are possible; merge some"
                )
            }
            Self::RepeatedCategory { label } => {
                write!(out, "the category `{label}` is named twice; name it once, at its place in the scale")
            }
            Self::CodeNotFinite { label, code } => {
                write!(out, "the score of the category `{label}` is {code}; give it a finite number")
            }
            Self::UnknownCategory { item, rater, label, allowed } => write!(
                out,
                "item `{item}`, annotator `{rater}`: `{label}` is none of the categories {allowed}; \
                 correct the rating or add the category to the scale"
            ),
            Self::SecondRating { item, rater, first, second } => write!(
                out,
                "item `{item}`, annotator `{rater}`: rated `{first}` and again `{second}`; keep one of the two"
            ),
            Self::NoSuchCell { item, rater, category } => write!(
                out,
                "the table has no cell for item number {item}, annotator number {rater} and category number {category}; \
                 use numbers that the table gave out"
            ),
            Self::TooLarge { items, raters } => write!(
                out,
                "{items} items by {raters} annotators is more than the table can hold ({MAX_RATERS} annotators, \
                 {MAX_ITEMS} items); split the data"
            ),
        }
    }
}

impl std::error::Error for TableError {}

/// Collects ratings into a [`Ratings`] table.
///
/// [`RatingsBuilder::add`] takes names; a loader of millions of ratings asks for the numbers once
/// ([`item`](Self::item), [`rater`](Self::rater), [`category`](Self::category)) and uses
/// [`RatingsBuilder::set`]. A call that fails leaves all ratings as they were.
#[derive(Clone, Debug)]
pub struct RatingsBuilder {
    scale: Scale,
    categories: Vec<Category>,
    labels: Names,
    raters: Names,
    items: Names,
    cells: RatingRows,
}

impl RatingsBuilder {
    /// A table with this schema and no rating yet. The categories are all that are allowed, in scale
    /// order, used or not.
    ///
    /// # Errors
    /// No category, more than [`MAX_CATEGORIES`], one named twice, or a code that is not finite.
    pub fn new(scale: Scale, categories: Vec<Category>) -> Result<Self, TableError> {
        if categories.is_empty() {
            return Err(TableError::NoCategories);
        }
        if categories.len() > MAX_CATEGORIES {
            return Err(TableError::TooManyCategories { count: categories.len() });
        }
        let mut labels = Names::default();
        for Category { label, code } in &categories {
            if labels.find(label).is_some() {
                return Err(TableError::RepeatedCategory { label: label.clone() });
            }
            if !code.is_finite() {
                return Err(TableError::CodeNotFinite { label: label.clone(), code: *code });
            }
            labels.number(label.as_bytes()).ok();
        }
        let (raters, items) = (Names::default(), Names::default());
        Ok(Self { scale, categories, labels, raters, items, cells: RatingRows::new() })
    }

    /// The number of a category; `None` when the label is not in the schema.
    #[must_use]
    pub fn category(&self, label: &str) -> Option<u8> {
        self.labels.find(label).and_then(|number| u8::try_from(number).ok())
    }

    /// The number of an item, which is added when it is new and stays without a rating until it gets one.
    ///
    /// # Errors
    /// [`TableError::TooLarge`].
    pub fn item(&mut self, name: &str) -> Result<usize, TableError> {
        // Most tables come item by item.
        if let Some(last) = self.items.len().checked_sub(1).filter(|last| self.items.get(*last) == Some(name))
        {
            return Ok(last);
        }
        let known = self.items.len();
        if known == MAX_ITEMS {
            return self.items.find(name).ok_or_else(|| self.too_large());
        }
        let number = self.items.number(name.as_bytes()).map_err(|_| self.too_large())?;
        if number == known {
            self.cells.resize(known + 1);
        }
        Ok(number)
    }

    /// Replaces the items by these; none may have a rating yet. Their numbers are their places.
    ///
    /// # Errors
    /// [`TableError::TooLarge`].
    pub fn take_items(&mut self, items: Names) -> Result<(), TableError> {
        if items.len() > MAX_ITEMS {
            return Err(TableError::TooLarge { items: items.len(), raters: self.raters.len() });
        }
        self.cells.resize(items.len());
        self.items = items;
        Ok(())
    }

    /// The number of a rater, who is added when new and stays without a rating until there is one.
    ///
    /// # Errors
    /// [`TableError::TooLarge`].
    pub fn rater(&mut self, name: &str) -> Result<usize, TableError> {
        if let Some(number) = self.raters.find(name) {
            return Ok(number);
        }
        if self.raters.len() == MAX_RATERS {
            return Err(TableError::TooLarge { items: self.items.len(), raters: MAX_RATERS + 1 });
        }
        self.cells.widen(self.raters.len() + 1, self.items.len());
        self.raters.number(name.as_bytes()).map_err(|_| self.too_large())
    }

    /// Enters a rating by numbers that this builder gave out.
    ///
    /// # Errors
    /// [`TableError::SecondRating`] when the cell is taken, whatever it holds;
    /// [`TableError::NoSuchCell`] when a number was not given out.
    pub fn set(&mut self, item: usize, rater: usize, category: u8) -> Result<(), TableError> {
        let unknown = TableError::NoSuchCell { item, rater, category };
        let Some(second) = self.categories.get(usize::from(category)) else { return Err(unknown) };
        if item >= self.items.len() || rater >= self.raters.len() {
            return Err(unknown);
        }
        self.cells.set(item, rater, category).map_err(|taken| {
            let Some(first) = taken.and_then(|taken| self.categories.get(usize::from(taken))) else {
                return unknown;
            };
            let name = |names: &Names, number| names.get(number).unwrap_or_default().to_owned();
            TableError::SecondRating {
                item: name(&self.items, item),
                rater: name(&self.raters, rater),
                first: first.label.clone(),
                second: second.label.clone(),
            }
        })
    }

    /// Enters a rating by names; items and raters may come in any order.
    ///
    /// # Errors
    /// A label that is not in the schema, a second rating for the same item by the same rater (also
    /// when the two are equal), or a table that grows too large.
    pub fn add(&mut self, item: &str, rater: &str, label: &str) -> Result<(), TableError> {
        let Some(category) = self.category(label) else {
            let labels: Vec<&str> = self.labels.iter().collect();
            return Err(TableError::UnknownCategory {
                item: item.to_owned(),
                rater: rater.to_owned(),
                label: label.to_owned(),
                allowed: labels.join(", "),
            });
        };
        let (item, rater) = (self.item(item)?, self.rater(rater)?);
        self.set(item, rater, category)
    }

    /// The finished table.
    #[must_use]
    pub fn finish(mut self) -> Ratings {
        self.cells.fit(self.raters.len(), self.items.len());
        let Self { scale, categories, raters, items, cells, .. } = self;
        Ratings { scale, categories, raters, items, cells }
    }

    fn too_large(&self) -> TableError {
        TableError::TooLarge { items: self.items.len() + 1, raters: self.raters.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn builder(labels: &[&str]) -> RatingsBuilder {
        RatingsBuilder::new(Scale::Ordinal, Category::numbered(labels.iter().copied()))
            .expect("a good schema")
    }

    #[test]
    fn triples_in_any_order_fill_the_table() {
        let mut table = builder(&["no", "yes"]);
        for rater in ["a", "b", "c", "d", "e", "f"] {
            for item in ["x", "y"] {
                if (item, rater) != ("y", "c") {
                    table.add(item, rater, if item == "x" { "yes" } else { "no" }).expect("a new cell");
                }
            }
        }
        table.item("z").expect("room");
        let ratings = table.finish();
        let row = |item| (0..6).map(|rater| ratings.rating(item, rater)).collect::<Vec<_>>();
        assert_eq!(row(0), [Some(1); 6]);
        assert_eq!(row(1), [Some(0), Some(0), None, Some(0), Some(0), Some(0)]);
        assert_eq!((row(2), row(3)), (vec![None; 6], vec![None; 6]));
        assert_eq!(ratings.items().iter().collect::<Vec<_>>(), ["x", "y", "z"]);
        assert_eq!((ratings.rating(0, 5), ratings.rating(1, 2), ratings.rating(0, 6)), (Some(1), None, None));
    }

    #[test]
    fn a_second_rating_is_refused_and_the_first_stands() {
        let mut table = builder(&["no", "yes"]);
        table.add("x", "a", "no").expect("a new cell");
        let error = table.add("x", "a", "yes").expect_err("taken");
        assert_eq!(
            error.to_string(),
            "item `x`, annotator `a`: rated `no` and again `yes`; keep one of the two"
        );
        assert!(table.add("x", "a", "no").is_err());
        assert_eq!(table.finish().rating(0, 0), Some(0));
    }

    #[test]
    fn bad_ratings_and_schemas_are_refused() {
        let mut table = builder(&["no", "yes"]);
        let error = table.add("x", "a", "maybe").expect_err("unknown");
        assert!(error.to_string().contains("`maybe` is none of the categories no, yes"), "{error}");
        assert!(table.items.is_empty() && table.raters.is_empty());
        assert!(matches!(table.set(0, 0, 0), Err(TableError::NoSuchCell { .. })));

        let schema = |categories| RatingsBuilder::new(Scale::Nominal, categories).expect_err("refused");
        assert_eq!(schema(Vec::new()), TableError::NoCategories);
        let many = Category::numbered((0..255).map(|n| n.to_string()));
        assert_eq!(schema(many), TableError::TooManyCategories { count: 255 });
        assert!(matches!(schema(Category::numbered(["a", "a"])), TableError::RepeatedCategory { .. }));
        assert!(matches!(schema(vec![Category::new("a", f64::NAN)]), TableError::CodeNotFinite { .. }));
    }

    #[test]
    fn all_254_categories_can_be_used() {
        let labels: Vec<String> = (0..254).map(|n| n.to_string()).collect();
        let mut table = RatingsBuilder::new(Scale::Nominal, Category::numbered(labels.iter().cloned()))
            .expect("a good schema");
        for label in &labels {
            table.add(label, "a", label).expect("a new cell");
        }
        let ratings = table.finish();
        assert_eq!((ratings.rating(253, 0), ratings.rating(0, 0)), (Some(253), Some(0)));
    }
}
