"""What comes of a command: rows and tables, figures, a report."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Optional

from ._program import UsageError

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]
"""A row by the names of its columns, at full precision; `None` where there is nothing, or a number is not defined."""


@dataclass(frozen=True)
class Rows:
    """Rows of one kind."""

    rows: list[Row] = field(repr=False)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(dict.fromkeys(name for row in self.rows for name in row))

    def frame(self) -> pandas.DataFrame:
        """The rows as a DataFrame. Whole numbers are `Int64`, other numbers `float64`, texts `string`, yes and no `boolean`, and
        points of time `datetime64` in UTC; what holds several things is a list."""
        import pandas

        def column(name: str) -> Any:
            values: list[Any] = [row.get(name) for row in self.rows]
            return pandas.to_datetime(values, utc=True) if name == "at" else pandas.Series(values, dtype=_dtype(values))

        return pandas.DataFrame({name: column(name) for name in self.columns})


def _dtype(values: list[Any]) -> str:
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float}:
        return "Int64" if kinds == {int} else "float64"
    return {str: "string", bool: "boolean"}.get(kinds.pop(), "object") if len(kinds) == 1 else "object"


@dataclass(frozen=True)
class Table(Rows):
    """A table of numbers: its key, its title, what is known of it as a whole, and what is said below it."""

    key: str
    title: str
    facts: Row = field(repr=False)
    notes: list[str] = field(repr=False)

    def about(self) -> Row:
        """What tells it from others of its key."""
        return {name: self.facts[name] for name in ("protocol", "question", "tag") if name in self.facts}


@dataclass(frozen=True)
class Tables:
    """The tables that a command prints. A page shows those that a reader needs first, as the report does."""

    tables: list[Table]
    command: Callable[[dict[str, Any]], str] = field(repr=False)
    """Runs the command again, with more options."""

    @classmethod
    def of(cls, command: Callable[[dict[str, Any]], str]) -> Tables:
        """What the command prints."""
        tables = []
        for facts in json.loads(command({"format": "json"})):
            key, title, rows, notes = (facts.pop(name) for name in ("table", "title", "rows", "notes"))
            tables.append(Table(rows, key, title, facts, notes))
        return cls(tables, command)

    def __getitem__(self, key: str) -> Tables:
        """The tables of a key alone: `pairs`, or `coverage/pairs`."""
        return Tables.of(lambda more: self.command({"table": key, **more}))

    def __iter__(self) -> Iterator[Table]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def frame(self) -> pandas.DataFrame:
        """The rows as one DataFrame. Of several tables of a key the first columns say which one."""
        if len(self.tables) == 1:
            return self.tables[0].frame()
        keys = list(dict.fromkeys(table.key for table in self))
        if len(keys) > 1:
            raise UsageError(f'these are several tables; choose one by its key, as in tables["{keys[0]}"]: {", ".join(keys)}')
        return Rows([{**table.about(), **row} for table in self.tables for row in table]).frame()

    def latex(self, caption: Optional[str] = None, label: Optional[str] = None) -> str:
        """The tables for a paper, with booktabs. People are A1, A2, … unless `names=True` was asked for."""
        return self.command({"format": "latex", "caption": caption, "label": label})

    def __str__(self) -> str:
        return self.command({"format": "table"})

    def _repr_html_(self) -> str:
        return self.command({"format": "html"})


@dataclass(frozen=True)
class Figure:
    """A figure, drawn for a paper, with its data."""

    name: str
    svg: str = field(repr=False)
    pdf: bytes = field(repr=False)
    csv: str = field(repr=False)

    @classmethod
    def read(cls, svg: Path) -> Figure:
        """The figure whose drawing is in this file, with what lies beside it."""
        name, pdf = svg.stem.rpartition("-")[0], svg.with_suffix(".pdf").read_bytes()
        return cls(name, svg.read_text(encoding="utf-8"), pdf, svg.with_name(f"{name}.csv").read_text(encoding="utf-8"))

    def _repr_svg_(self) -> str:
        return self.svg


@dataclass(frozen=True)
class Figures:
    """The figures of a name, one below the other."""

    figures: list[Figure]

    def __iter__(self) -> Iterator[Figure]:
        return iter(self.figures)

    def __len__(self) -> int:
        return len(self.figures)

    def _repr_svg_(self) -> Optional[str]:
        return self.figures[0].svg if len(self.figures) == 1 else None

    def _repr_html_(self) -> Optional[str]:
        # As pictures, so that what one defines is no part of another.
        drawn = [base64.b64encode(figure.svg.encode()).decode() for figure in self.figures]
        pictures = [f'<p><img src="data:image/svg+xml;base64,{one}"></p>' for one in drawn]
        return "\n".join(pictures) if len(pictures) > 1 else None


@dataclass(frozen=True)
class Page:
    """A report: one page without scripts."""

    html: str = field(repr=False)

    def save(self, path: str) -> None:
        """Writes the page to a file."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="600"></iframe>'


def judged(lines: bytes) -> Iterator[Row]:
    """The judgments among records in haymark JSONL, with a column for each answer."""
    for line in lines.splitlines():
        record = json.loads(line)
        if record.pop("type") in ("judgment", "answer"):
            answers = record.pop("answers", {})
            # A question is called so too.
            if "bullet" in record:
                record["bullet_number"] = record.pop("bullet")
            named = {f"answers.{key}" if key in record else key: answer for key, answer in answers.items()}
            yield {**record, **named}
