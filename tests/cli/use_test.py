"""A finished run in use: assign and predict. Usage: use_test.py PROGRAM EXAMPLES"""

import csv
import io
import os
import random
import sys
import unittest

from program import call, ProgramTest

CONFIG = """
seed = 2
[data]
source = "csv"
file = "{table}"
client = "site"
target = "ill"
[model]
kind = "softmax"
[clusters]
count = 3
init = "restarts"
[algorithm]
kind = "ifca"
[local]
rate = 0.3
[rounds]
count = 12
"""

# What raises the risk, in each of three groups.
GROUPS = [(2.0, 0.0), (-2.0, 0.5), (0.0, -2.0)]


def rows(draw, name, group, count, target=True):
    lines = []
    for _ in range(count):
        age, pressure = draw.gauss(60, 10), draw.gauss(130, 20)
        score = GROUPS[group][0] * (age - 60) / 10 + GROUPS[group][1] * (pressure - 130) / 20
        ill = "yes" if score + draw.gauss(0, 0.5) > 0 else "no"
        lines.append(f"{name},{age:.4f},{pressure:.4f},{ill if target else ''}\n")
    return "".join(lines)


HEADER = "site,age,pressure,ill\n"


def table_at(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class Use(ProgramTest):
    def setUp(self):
        super().setUp()
        draw = random.Random(1)
        table = HEADER + "".join(rows(draw, f"s{i}", i % 3, 40) for i in range(24))
        config = self.write(CONFIG.format(table=self.write(table, "table.csv")))
        self.run_to(config, "run")

    def use(self, command, data, *more):
        result = call(command, self.path("run"), "--data", self.write(data, "new.csv"), *more)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def test_twenty_new_clients_find_their_clusters(self):
        draw = random.Random(9)
        known = table_at(self.path("run/clients.csv"))
        cluster_of = {int(one["name"][1:]) % 3: one["cluster"] for one in known}
        self.assertEqual(len(set(cluster_of.values())), 3, "the run found the groups")
        for one in known:
            self.assertEqual(one["cluster"], cluster_of[int(one["name"][1:]) % 3])
        data = HEADER + "".join(rows(draw, f"new {i}", i % 3, 15) for i in range(20))
        told = list(csv.DictReader(io.StringIO(self.use("assign", data).stdout)))
        self.assertEqual(len(told), 20)
        for i, one in enumerate(told):
            self.assertEqual(one["client"], f"new {i}")
            self.assertEqual(one["cluster"], cluster_of[i % 3])
            self.assertGreater(float(one["confidence"]), 0.5)
            self.assertEqual(one["rows"], "15")
            self.assertNotEqual(one["runner_up"], one["cluster"])
            self.assertGreater(float(one["margin"]), 0)

    def test_rows_of_known_and_new_clients_are_predicted(self):
        draw = random.Random(3)
        data = HEADER + rows(draw, "s0", 0, 5, target=False) + rows(draw, "n", 1, 20) + rows(draw, "m", 2, 2, target=False)
        result = self.use("predict", data, "--out", self.path("out.csv"))
        self.assertEqual(result.stdout, "")
        self.assertIn("note: 1 of 3 clients is new and without a row that has a target", result.stderr)
        told = table_at(self.path("out.csv"))
        self.assertEqual([one["row"] for one in told], [str(i + 1) for i in range(27)])
        self.assertEqual([one["how"] for one in told], ["known"] * 5 + ["settled"] * 20 + ["unsettled"] * 2)
        for one in told:
            self.assertAlmostEqual(float(one["p_yes"]) + float(one["p_no"]), 1, 5)
            self.assertEqual(one["prediction"], "yes" if float(one["p_yes"]) > float(one["p_no"]) else "no")
        given = list(csv.DictReader(io.StringIO(data)))
        right = sum(one["prediction"] == row["ill"] for one, row in zip(told[5:25], given[5:25]))
        self.assertGreaterEqual(right, 16)

    def test_mistakes_are_told_in_plain_words(self):
        new = self.write(HEADER + "a,60,130,yes\n", "good.csv")
        other = self.write("site,years,ill\na,60,yes\n", "other.csv")
        os.makedirs(self.path("empty"))
        for arguments, status, text in [
            (("assign", self.path("run"), "--data", other), 2, '"age"'),
            (("assign", self.path("run"), "--data", self.path("none.csv")), 2, "no such file"),
            (("assign", self.path("empty"), "--data", new), 2, "holds no run"),
            (("assign", self.path("nowhere"), "--data", new), 2, "no such folder"),
            (("assign", self.path("run")), 2, "--data"),
            (("predict", self.path("run"), "--data", new), 2, "--out"),
            (("predict", self.path("run"), "--data", new, "--out", self.path("no/where.csv")), 1, "no/where.csv"),
        ]:
            result = call(*arguments)
            self.assertEqual(result.returncode, status, (arguments, result.stderr))
            self.assertIn(text, result.stderr)
            self.assertNotIn("defect", result.stderr)
        with open(self.path("run/models/cluster-0.safetensors"), "r+b") as file:
            file.seek(-2, os.SEEK_END)
            file.write(b"??")
        result = call("assign", self.path("run"), "--data", new)
        self.assertEqual(result.returncode, 1)
        self.assertIn("changed or damaged", result.stderr)

    def test_help_names_the_columns(self):
        for command in ("assign", "predict"):
            self.assertIn("docs/models.md", call(command, "--help").stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
