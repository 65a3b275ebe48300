"""The module haymark beside the program: the same numbers, with pandas and without. It runs on a desk with `study.db`.

The oracle's file is the first argument, where there is one.
"""

import csv
import json
import subprocess
import sys
import unittest
import warnings
from pathlib import Path
from unittest import mock

import haymark

try:
    import pandas
except ImportError:
    pandas = None

needs_pandas = unittest.skipIf(pandas is None, "pandas is absent")
STUDY = haymark.Study("study.db")
ORACLE = sys.argv.pop(1) if len(sys.argv) > 1 else None
# Three people who rate four items; Ann and Ben agree on three, at chance 3/8.
RATINGS = [
    {"item": item, "annotator": name, "value": label, "domain": domain}
    for item, domain, labels in [("a", "x", "nny"), ("b", "x", "yyy"), ("c", "y", "yyn"), ("d", "y", "yny")]
    for name, label in zip(["ann", "ben", "cem"], labels)
]


def printed(*arguments):
    return subprocess.run(["haymark", *arguments], check=True, capture_output=True).stdout.decode()


def values(tables):
    return {row["name"]: row["value"] for row in tables["coefficients"].tables[0]}


class Numbers(unittest.TestCase):
    def test_a_study_gives_what_the_program_prints(self):
        calls = [
            (STUDY.agree(protocol="coverage", by="domain"), ["agree", "--protocol", "coverage", "--by", "domain"]),
            (haymark.judges(STUDY, protocol="coverage"), ["judges", "--protocol", "coverage"]),
            (STUDY.scores(by=["retriever", "summarizer"]), ["score", "--by", "retriever,summarizer"]),
            (STUDY.tables("status"), ["status"]),
        ]
        for tables, arguments in calls:
            told = json.loads(printed(*arguments, "study.db", "--format", "json"))
            self.assertEqual([table["rows"] for table in told], [table.rows for table in tables])
            self.assertEqual([table["title"] for table in told], [table.title for table in tables])
            self.assertGreater(sum(map(len, tables)), 0)

    def test_kappa_by_hand(self):
        found = haymark.agree(RATINGS, annotators=["ann", "ben"])
        self.assertAlmostEqual(values(found)["percent_agreement"], 3 / 4)
        # Ann says y on 3 of 4, Ben on 2 of 4: 3/4·2/4 + 1/4·2/4 = 1/2 by chance.
        self.assertAlmostEqual(values(found)["cohen_kappa"], (3 / 4 - 1 / 2) / (1 - 1 / 2))

    def test_a_file_and_rows_are_the_same(self):
        with open("few.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, RATINGS[0])
            writer.writeheader()
            writer.writerows(RATINGS)
        by_rows = haymark.agree(RATINGS, by="domain", cluster="domain")
        for source in ["few.csv", Path("few.csv")]:
            by_file = haymark.agree(source, by="domain", cluster="domain")
            self.assertEqual(by_file["coefficients"].tables[0].rows, by_rows["coefficients"].tables[0].rows)
        self.assertEqual(by_rows["used"].tables[0].facts["clusters"], 2)
        self.assertTrue(any(table.key.startswith("by_domain") for table in by_rows), [t.key for t in by_rows])

    @unittest.skipIf(ORACLE is None, "the oracle is absent")
    def test_the_oracle(self):
        checked = 0
        for case in json.loads(Path(ORACLE).read_text(encoding="utf-8"))["cases"]:
            # A file has its labels alone, and more than two people or missing ratings leave pairs to another table.
            if case["scale"] != "nominal" or case["n_raters"] != 2 or any(None in row for row in case["ratings"]):
                continue
            rows = [
                {"item": item, "annotator": name, "value": label}
                for item, row in enumerate(case["ratings"])
                for name, label in zip("ab", row)
            ]
            names = ",".join(case["categories"])
            if any("," in name for name in case["categories"]):
                continue
            found = values(haymark.agree(rows, categories=names))
            for name in ["percent_agreement", "cohen_kappa", "scott_pi", "gwet_ac1", "krippendorff_alpha_nominal"]:
                expected = case["expected"].get(name)
                if expected is None:
                    self.assertIsNone(found.get(name), (case["name"], name))
                else:
                    self.assertAlmostEqual(found[name], expected, places=9, msg=(case["name"], name))
                checked += 1
        self.assertGreater(checked, 20)

    def test_judgments_are_those_of_the_export(self):
        rows = STUDY.judgments(names=True, with_text=True).rows
        with open("judgments.csv", encoding="utf-8") as file:
            told = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(told))
        for row, line in zip(rows, told):
            for name in ["protocol", "annotator", "coverage", "bullet", "bullet_number", "entailed", "at", "unit", "comment"]:
                self.assertEqual(str(row.get(name) or ""), line[name])
        self.assertTrue(any(row.get("coverage") for row in rows))


class Shown(unittest.TestCase):
    def test_a_page_has_the_reports_table_and_nobodys_name(self):
        shown = STUDY.scores(protocol="coverage")["scores"]._repr_html_()
        self.assertIn('<table id="coverage-scores">', shown)
        body = shown.partition("<tbody>")[2].partition("</tbody>")[0]
        self.assertGreater(body.count("<tr>"), 3)
        page = STUDY.report(only="scores")
        self.assertIn(body, page.html)
        self.assertIn("srcdoc", page._repr_html_())
        page.save("report.html")
        self.assertEqual(Path("report.html").read_text(encoding="utf-8"), page.html)
        people = STUDY.agree(protocol="coverage")["by_annotator"]
        self.assertIn("alice", str(people))
        self.assertNotIn("alice", people._repr_html_())
        self.assertIn("alice", STUDY.agree(protocol="coverage", names=True)["by_annotator"]._repr_html_())

    def test_latex_is_that_of_the_program(self):
        shown = STUDY.agree(protocol="coverage").latex(caption="How far", label="tab:a")
        asked = ["agree", "study.db", "--protocol", "coverage", "--format", "latex", "--caption", "How far", "--label", "tab:a"]
        self.assertEqual(shown, printed(*asked))
        self.assertIn("\\caption{How far}", shown)

    def test_figures_are_drawings(self):
        one = STUDY.plot("systems/coverage/joint", width=84)
        self.assertTrue(one._repr_svg_().startswith("<svg ") and 'width="84mm"' in one._repr_svg_())
        self.assertIsNone(one._repr_html_())
        three = STUDY.plot("systems/coverage")
        self.assertEqual([len(three), three._repr_svg_()], [3, None])
        self.assertEqual(three._repr_html_().count("<img "), 3)
        for figure in three:
            self.assertTrue(figure.pdf.startswith(b"%PDF") and "\n" in figure.csv and figure.name.startswith("systems-"))


class Refused(unittest.TestCase):
    def test_a_failure_is_an_exception_with_the_programs_sentence(self):
        with self.assertRaisesRegex(haymark.HaymarkError, "^no.csv: there is no such file; check the name and the folder$"):
            haymark.agree("no.csv")
        with self.assertRaisesRegex(haymark.UsageError, '^there is no protocol "x"; there are coverage, '):
            STUDY.scores(protocol="x")
        with self.assertRaisesRegex(haymark.HaymarkError, "^my error: x.csv: there is no such file"):
            haymark.agree("my error: x.csv")
        with self.assertRaisesRegex(ValueError, "^unexpected argument '--colour' found"):
            STUDY.agree(colour="red")
        with self.assertRaisesRegex(haymark.UsageError, '^there is no table "x"; there are '):
            STUDY.agree()["x"]

    def test_notes_are_warnings(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            STUDY.judgments()
        self.assertEqual([warning.category for warning in caught], [haymark.HaymarkNote])
        self.assertIn("left out", str(caught[0].message))

    def test_without_a_program_it_says_so(self):
        with mock.patch("shutil.which", return_value=None), mock.patch("haymark._program._installed", return_value=None):
            with self.assertRaisesRegex(haymark.HaymarkError, "neither beside this module nor on PATH"):
                haymark.version()

    def test_without_pandas_there_are_rows(self):
        with mock.patch.dict(sys.modules, {"pandas": None}):
            table = STUDY.table("judges", protocol="coverage")
            self.assertEqual(table.tables[0].rows[0]["annotator"], "people")
            self.assertIn("cohen_kappa", table.tables[0].columns)
            with self.assertRaises(ImportError):
                table.frame()


@needs_pandas
class Frames(unittest.TestCase):
    def test_types(self):
        judgments = STUDY.judgments(names=True, with_text=True).frame()
        kinds = {"annotator": "string", "seconds": "float64", "bullet": "Int64", "complete": "boolean", "points": "object"}
        for name, kind in kinds.items():
            self.assertEqual(str(judgments[name].dtype), kind, name)
        self.assertTrue(str(judgments["at"].dtype).startswith("datetime64") and judgments["at"].dt.tz is not None)
        scores = STUDY.scores(protocol="coverage")["scores"].frame()
        self.assertEqual([str(scores[name].dtype) for name in ["summaries", "coverage"]], ["Int64", "float64"])
        # Whole scores stay numbers with decimals.
        self.assertEqual(str(haymark.Rows([{"x": 1.0}, {"x": None}]).frame()["x"].dtype), "float64")

    def test_a_frame_gives_what_its_rows_give(self):
        frame = pandas.DataFrame(RATINGS)
        self.assertEqual(values(haymark.agree(frame)), values(haymark.agree(RATINGS)))
        wide = frame.pivot(index="item", columns="annotator", values="value")
        for ratings in [wide, wide.reset_index()]:
            self.assertEqual(values(haymark.agree(ratings)), values(haymark.agree(RATINGS)))

    def test_tables_of_one_key_are_one_frame_and_others_are_chosen_from(self):
        every = STUDY.agree()["coefficients"]
        frame = every.frame()
        self.assertEqual(len(frame), sum(map(len, every)))
        self.assertEqual(frame.columns[:2].tolist(), ["protocol", "question"])
        with self.assertRaisesRegex(haymark.UsageError, 'choose one by its key, as in tables."used".: used, coefficients, '):
            STUDY.agree().frame()


if __name__ == "__main__":
    unittest.main(verbosity=2)
