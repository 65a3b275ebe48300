"""How far annotators agree, and what their judgments say of systems: haymark for Python.

Everything is computed by the program haymark, which is installed with this module: the numbers are its numbers. Results are
tables. They show themselves in a notebook, `frame()` gives a pandas DataFrame where pandas is installed, and `latex()` the table of a
paper. Keywords that are not named here are options of the command: `full=True` is `--full`, `annotators=["alice", "bora"]` is
`--annotators alice,bora`, and `haymark help COMMAND` lists them.

    >>> haymark.agree("ratings.csv", scale="ordinal")["coefficients"].frame()
"""

from __future__ import annotations

import csv
import io
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

from ._program import HaymarkError, HaymarkNote, Option, UsageError, options, program, run
from ._results import Figure, Figures, Page, Row, Rows, Table, Tables, judged

if TYPE_CHECKING:
    import pandas

__all__ = [
    "Figure", "Figures", "HaymarkError", "HaymarkNote", "Page", "Row", "Rows", "Study", "Table", "Tables",
    "UsageError", "agree", "judges", "program", "version",
]  # fmt: skip

Source = Union[str, "os.PathLike[str]", "Study"]
"""A study: its file, or its hub (`postgres://…`)."""

Ratings = Union[Source, "pandas.DataFrame", Iterable[Mapping[str, object]]]
"""A file of ratings (CSV or JSONL), a DataFrame of them, rows as dictionaries, or a study."""


def agree(source: Ratings, *, by: Option = None, cluster: Optional[str] = None, **more: Option) -> Tables:
    """How far annotators agree, with an interval on every number: `haymark agree`.

    Ratings have the columns `item`, `annotator` and `value`, or a column for each annotator. `by` tells agreement by other
    columns too, and `cluster` names the column of what hangs together. `scale="ordinal"` and `categories=[…]` say what labels mean.
    """
    is_path = isinstance(source, (str, os.PathLike, Study))
    path, stdin = (_path(source), None) if is_path else ("-", _csv(source))  # type: ignore[arg-type]
    return _tables("agree", path, {"by": by, "cluster": cluster, **more}, stdin)


def judges(study: Source, **more: Option) -> Tables:
    """Every model annotator beside the people: `haymark judges`."""
    return _tables("judges", _path(study), more)


def version() -> str:
    """The version of haymark."""
    return run(["-V"]).decode().split()[-1]


class Study:
    """A study file, or a hub. It is read anew by every call."""

    def __init__(self, path: Source) -> None:
        self.path = _path(path)

    def __repr__(self) -> str:
        return f"Study({self.path!r})"

    def judgments(self, **more: Option) -> Rows:
        """What people and judges now say of each item, a column for each answer. People are A1, A2, … unless `names=True`, and
        what they wrote is left out unless `with_text=True`."""
        asked = options({"what": "judgments", **more})
        return Rows(list(judged(run(["export", *asked, "--", self.path]))))

    def agree(self, *, by: Option = None, cluster: Optional[str] = None, **more: Option) -> Tables:
        """How far annotators agree: `haymark agree`."""
        return agree(self, by=by, cluster=cluster, **more)

    def judges(self, **more: Option) -> Tables:
        """Every model annotator beside the people: `haymark judges`."""
        return judges(self, **more)

    def scores(self, *, by: Option = None, **more: Option) -> Tables:
        """The scores of systems, or of what `by` names: `haymark score`."""
        return _tables("score", self.path, {"by": by, **more})

    def tables(self, command: str, **more: Option) -> Tables:
        """All that a command prints of the study, such as `status`."""
        return _tables(command, self.path, more)

    def table(self, key: str, command: Optional[str] = None, **more: Option) -> Tables:
        """The tables of a key, such as `judges`; `command` prints it, where it is not called like its table."""
        return _tables(command or key, self.path, {"table": key, **more})

    def plot(self, name: str, *, width: int = 174, **more: Option) -> Figures:
        """The figures of a name, such as `agreement` or `systems/coverage/joint`, so many millimetres wide."""
        with tempfile.TemporaryDirectory() as folder:
            asked = options({"figures": folder, "width": width, **more})
            run(["plot", *asked, "--", self.path, name])
            return Figures([Figure.read(path) for path in sorted(Path(folder).glob("*.svg"))])

    def report(self, **more: Option) -> Page:
        """The study as one page: `haymark report`."""
        return Page(run(["report", *options({"output": "-", **more}), "--", self.path]).decode())


def _path(source: Source) -> str:
    return source.path if isinstance(source, Study) else os.fspath(source)


def _tables(command: str, source: str, given: dict[str, Option], stdin: Optional[bytes] = None) -> Tables:
    def printed(more: dict[str, Any]) -> str:
        return run([command, *options({**given, **more}), "--", source], stdin).decode()

    return Tables.of(printed)


def _csv(ratings: Any) -> bytes:
    """Ratings as CSV: of a DataFrame, with its index where that has a name, or of dictionaries."""
    if hasattr(ratings, "to_csv"):
        return str(ratings.to_csv(index=any(ratings.index.names))).encode()
    rows = list(ratings)
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()
