//! Pay, in whole numbers of the smallest unit, so that no cent is lost to rounding.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;
use crate::number::counted;

/// The fewest decimals of a printed amount.
const DECIMALS: u32 = 2;

/// The most decimals of a rate.
const MOST_DECIMALS: u32 = 6;

/// The unit of work of a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Per {
    /// An hour of active time.
    Hour,
    /// A judged item.
    Item,
}

/// A rate of pay for an hour or an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rate {
    /// The rate in the smallest unit, 10^−`decimals`.
    units: i128,
    decimals: u32,
    pub per: Per,
    /// The currency as written, before or behind the number; may be empty.
    pub currency: String,
}

/// An amount of money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount {
    units: i128,
    decimals: u32,
}

impl FromStr for Rate {
    type Err = Error;

    /// Reads `25/h`, `12.50 EUR/h`, `€1/item`.
    fn from_str(text: &str) -> Result<Rate, Error> {
        let wrong = || {
            Error::usage(format!("{text:?} is no rate")).advise("write it like 25/h, 12.50 EUR/h or 1/item")
        };
        let (amount, per) = text.rsplit_once('/').ok_or_else(wrong)?;
        let per = match per.trim() {
            "h" | "hour" => Per::Hour,
            "item" => Per::Item,
            _ => return Err(wrong()),
        };
        let is_number = |character: char| character.is_ascii_digit() || character == '.';
        let start = amount.find(is_number).ok_or_else(wrong)?;
        let (before, rest) = amount.split_at(start);
        let end = rest.find(|character| !is_number(character)).unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        let currency = match (before.trim(), after.trim()) {
            (currency, "") | ("", currency) => currency.to_owned(),
            _ => return Err(wrong()),
        };
        if currency.contains(['-', ',', '+']) {
            return Err(wrong());
        }
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let decimals = u32::try_from(fraction.len()).ok().filter(|decimals| *decimals <= MOST_DECIMALS);
        let digits = format!("{whole}{fraction}");
        let is_whole = whole.len() <= 12 && !whole.is_empty() && !fraction.contains('.');
        let units = digits.parse().ok().filter(|_| is_whole);
        match (units, decimals) {
            (Some(units), Some(decimals)) => Ok(Rate { units, decimals, per, currency }),
            _ => Err(wrong()),
        }
    }
}

impl Rate {
    /// The pay for so many judged items or so many active milliseconds, rounded to the smallest unit (a half up).
    pub fn pay(&self, items: usize, active: u64) -> Amount {
        let decimals = self.decimals.max(DECIMALS);
        let rate = self.units * 10_i128.pow(decimals - self.decimals);
        let units = match self.per {
            Per::Item => rate * items as i128,
            // Below 2^64 · 10^18 · 2: far from the end of 128 bits.
            Per::Hour => (2 * rate * i128::from(active) + HOUR) / (2 * HOUR),
        };
        Amount { units, decimals }
    }

    /// No pay, in the unit of this rate.
    pub fn nothing(&self) -> Amount {
        Amount { units: 0, decimals: self.decimals.max(DECIMALS) }
    }

    /// The rate in words: `12.50 EUR an active hour`.
    pub fn told(&self) -> String {
        let amount = Amount { units: self.units, decimals: self.decimals };
        let per = match self.per {
            Per::Hour => "an active hour",
            Per::Item => "a judged item",
        };
        match self.currency.as_str() {
            "" => format!("{amount} {per}"),
            currency => format!("{amount} {currency} {per}"),
        }
    }
}

/// Milliseconds of an hour.
const HOUR: i128 = 3_600_000;

impl Amount {
    /// The sum of two amounts, which must be of one rate and so in the same unit.
    #[must_use]
    pub fn and(self, other: Amount) -> Amount {
        Amount { units: self.units + other.units, ..self }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = 10_i128.pow(self.decimals);
        let (whole, fraction) = (self.units / one, self.units % one);
        match counted(self.decimals) {
            0 => write!(formatter, "{whole}"),
            decimals => write!(formatter, "{whole}.{fraction:0decimals$}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str) -> Rate {
        text.parse().expect(text)
    }

    /// 25 an hour for 1 h 30 min is 37.50; for 1 second 25/3600 = 0.0069, which is 0.01; 12.50 for 100 s is
    /// 0.3472, so 0.35; 36 for 0.5 s is 0.005, and a half goes up.
    #[test]
    fn hours_are_paid_to_the_cent() {
        for (text, active, pay) in [
            ("25/h", 5_400_000, "37.50"),
            ("25/h", 1_000, "0.01"),
            ("12.50 EUR/h", 100_000, "0.35"),
            ("36/h", 500, "0.01"),
            ("36/h", 499, "0.00"),
            ("0.1234/h", 3_600_000, "0.1234"),
        ] {
            assert_eq!(rate(text).pay(7, active).to_string(), pay, "{text} for {active} ms");
        }
    }

    /// 0.10 three times is 0.30, and a thousand times 0.07 is 70.00: no binary fraction is in the way.
    #[test]
    fn items_are_paid_exactly_and_add_up() {
        assert_eq!(rate("1/item").pay(64, 0).to_string(), "64.00");
        let dime = rate("$0.10/item");
        assert_eq!(dime.currency, "$");
        assert_eq!(dime.pay(1, 0).and(dime.pay(1, 0)).and(dime.pay(1, 0)).to_string(), "0.30");
        let sum = (0..1_000).fold(dime.nothing(), |sum, _| sum.and(rate("0.07/item").pay(1, 0)));
        assert_eq!(sum.to_string(), "70.00");
        assert_eq!(rate("12.50 EUR/hour").told(), "12.50 EUR an active hour");
        assert_eq!(rate("¥30/item").told(), "30 ¥ a judged item");
    }

    #[test]
    fn what_is_no_rate_is_refused() {
        for text in
            ["25", "25/day", "/h", "x/h", "-3/h", "1.2.3/h", "1,5/h", ".5/h", "$5 EUR/h", "0.1234567/h"]
        {
            let error = text.parse::<Rate>().expect_err(text).to_string();
            assert!(error.contains("is no rate; write it like 25/h"), "{error}");
        }
    }
}
