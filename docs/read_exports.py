"""Reads what haymark exports with pandas, and says what came: python read_exports.py FILE..."""

import json
import sys
from pathlib import Path

import pandas


def frames(path):
    """Each table of a file, by its name."""
    path = Path(path)
    if path.suffix == ".csv":
        return {path.stem: pandas.read_csv(path, dtype_backend="numpy_nullable")}
    if path.suffix == ".parquet":
        return {path.stem: pandas.read_parquet(path)}
    if path.suffix == ".jsonl":
        records = [json.loads(line) for line in path.open(encoding="utf-8")]
        kinds = sorted({record.get("type", "row") for record in records})
        return {
            f"{path.stem}/{kind}": pandas.json_normalize([r for r in records if r.get("type", "row") == kind])
            for kind in kinds
        }
    # What score, agree, judges and status print with --format json.
    tables = json.loads(path.read_text(encoding="utf-8"))
    return {f"{path.stem}/{n} {table['table']}": pandas.DataFrame(table["rows"]) for n, table in enumerate(tables, 1)}


for name in sys.argv[1:]:
    for table, frame in frames(name).items():
        print(f"{table}: {len(frame)} rows, {len(frame.columns)} columns")
