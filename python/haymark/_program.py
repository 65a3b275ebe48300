"""The program beside this module, and what it says when it cannot do something."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Optional, Union

NAME = "haymark.exe" if sys.platform == "win32" else "haymark"

Value = Union[str, int, float, "os.PathLike[str]"]
Option = Union[Value, Sequence[Value], None]
"""What an option of the program takes: a value, several, or none; `True` and `False` are for options without a value."""


class HaymarkError(Exception):
    """What the program could not do, in its own sentence."""


class UsageError(HaymarkError, ValueError):
    """A wrong argument: an option, a name or a value that the program does not take."""


class HaymarkNote(UserWarning):
    """What the program says besides its result, such as what it left out."""


def program() -> str:
    """The path of the program: the one that was installed with this module, else the first one on `PATH`."""
    found = _installed() or shutil.which(NAME)
    if found is None:
        raise HaymarkError("the program haymark is neither beside this module nor on PATH; install the wheel again")
    return str(found)


def _installed() -> Optional[Path]:
    try:
        wheel = metadata.distribution("haymark")
    except metadata.PackageNotFoundError:
        return None
    files = {file.name: Path(str(wheel.locate_file(file))).resolve() for file in wheel.files or ()}
    module, beside = files.get("_program.py"), files.get(NAME)
    # Another haymark may be installed than the one that was imported.
    is_ours = module is not None and module.exists() and module.samefile(__file__)
    return beside if is_ours and beside is not None and beside.exists() else None


def options(given: dict[str, Option]) -> list[str]:
    """Keywords as options: `hourly_rate=20` is `--hourly-rate=20`, a list is its values with commas."""
    arguments = []
    for name, value in given.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            arguments.append(option)
        elif value is not None and value is not False:
            values = [value] if isinstance(value, (str, int, float, os.PathLike)) else value
            arguments.append(f"{option}={','.join(map(str, values))}")
    return arguments


def run(arguments: Sequence[str], stdin: Optional[bytes] = None) -> bytes:
    """What the program prints; notes become warnings, and a failure an exception with its sentence."""
    done = subprocess.run([program(), *arguments], capture_output=True, input=stdin or b"")
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode != 0:
        # What the command line looks like in a shell helps nobody here.
        sentence = f"\n{said}".split("\n\nUsage:")[0].split("\nerror: ")[-1].strip()
        kind = UsageError if done.returncode == 2 else HaymarkError
        raise kind(sentence or f"haymark ended with {done.returncode}")
    for note in said.splitlines():
        if not note.startswith("wrote "):
            warnings.warn(note.removeprefix("note: "), HaymarkNote, stacklevel=3)
    return done.stdout
