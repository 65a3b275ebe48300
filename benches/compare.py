#!/usr/bin/env python3
"""Holds the figures of one run of the benches against those of another.

    cargo bench -- --json before.jsonl
    cargo bench -- --json after.jsonl
    benches/compare.py before.jsonl after.jsonl [WORSE]

Prints every figure that both have, and ends with 1 where one is WORSE times as bad, 1.25 where that is not said.
"""

import json
import sys


def figures(path):
    """By topic and line, the last of each: a run may have been added to an earlier one."""
    found, above = {}, ""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            one = json.loads(line)
            # What stands under a line, such as its memory, goes by it.
            is_under = one["what"].startswith(("most memory", "bytes of file", "of it"))
            above = above if is_under else one["what"]
            key = (one["topic"], above, one["what"])
            found[key] = one
    return found


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    before, after = figures(sys.argv[1]), figures(sys.argv[2])
    worst = float(sys.argv[3]) if len(sys.argv) == 4 else 1.25
    is_worse, topic = False, None
    for key, new in after.items():
        old = before.get(key)
        if old is None or not old["figure"] or not new["figure"]:
            continue
        more_is_better = new["at_least"] is not None or new["unit"].endswith("/s")
        ratio = new["figure"] / old["figure"]
        bad = 1 / ratio if more_is_better else ratio
        is_worse |= bad > worst
        if key[0] != topic:
            topic = key[0]
            print(f"\n{topic}\n{'':58}{'before':>12}{'after':>12}  ratio")
        what = new["what"] if key[1] == key[2] else "  " + new["what"]
        mark = "  worse" if bad > worst else "  better" if bad < 1 / worst else ""
        print(f"{what:58}{old['figure']:>12.4g}{new['figure']:>12.4g}  {ratio:.2f} {new['unit']}{mark}")
    sys.exit(1 if is_worse else 0)


if __name__ == "__main__":
    main()
