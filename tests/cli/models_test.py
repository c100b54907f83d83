"""The programs of docs/models.md: a run's models in NumPy and PyTorch, from the rows of a table to probabilities.

Usage: models_test.py PROGRAM EXAMPLES DOCS

They are taken from the page and run as they are. Skipped (exit status 77) where no Python has NumPy, and PyTorch's part
where none has that: `apt-get install --no-install-recommends python3-numpy python3-torch`.
"""

import csv
import importlib
import os
import random
import re
import subprocess
import sys
import unittest

SKIPPED = 77
DEBIAN = "/usr/bin/python3"


def library(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


np, torch = library("numpy"), library("torch")
if (np is None or torch is None) and sys.executable != DEBIAN and os.path.exists(DEBIAN):
    NEEDED = "import numpy" if np is None else "import numpy, torch"
    if subprocess.run([DEBIAN, "-c", NEEDED], capture_output=True, check=False).returncode == 0:
        os.execv(DEBIAN, [DEBIAN, "-B", *sys.argv])
if np is None:
    print("skipped: python3-numpy is not installed")
    sys.exit(SKIPPED)

from program import call, ProgramTest

PAGE = os.path.join(sys.argv[3], "models.md")
TOLERANCE = 1e-6

CONFIG = """
seed = 4
precision = "{precision}"
[data]
source = "csv"
file = "{table}"
client = "who"
target = "y"
{data}
[model]
{model}
[clusters]
count = 2
[algorithm]
kind = "{algorithm}"
[local]
rate = 0.1
[rounds]
count = 8
"""


def programs():
    """The two programs of the page: NumPy, PyTorch."""
    with open(PAGE) as file:
        return re.findall(r"```python\n(.*?)```", file.read(), re.DOTALL)


class Models(ProgramTest):
    def table(self, target):
        draw = random.Random(5)
        with open(self.path("table.csv"), "w") as file:
            file.write("who,x0,x1,colour,y\n")
            for i in range(240):
                x0, x1, colour = draw.gauss(50, 20), draw.gauss(0, 0.01), draw.choice(["red", "blue"])
                sign = 1 if i % 2 else -1
                value = sign * (x0 - 50) / 20 + 100 * x1 + (colour == "red") + draw.gauss(0, 0.3)
                x0 = "" if draw.random() < 0.05 else repr(x0)
                file.write(f"c{i % 12},{x0},{x1!r},{colour},{target(value)}\n")
        with open(self.path("table.csv"), newline="") as file:
            return list(csv.DictReader(file))

    def predicted(self, model, precision, algorithm="ifca", data=""):
        config = self.write(CONFIG.format(precision=precision, table=self.path("table.csv"), model=model,
                                          algorithm=algorithm, data=data))
        self.run_to(config, "run", "--force")
        result = call("predict", self.path("run"), "--data", self.path("table.csv"), "--out", self.path("out.csv"))
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.path("out.csv"), newline="") as file:
            return list(csv.DictReader(file))

    def numpy_program(self, model_file="models/cluster-0.safetensors"):
        """The first program, with what it defines."""
        text = programs()[0].replace('"run/schema.json"', repr(self.path("run/schema.json")))
        text = text.replace('"run/models/cluster-0.safetensors"', repr(self.path("run/" + model_file)))
        names = {}
        exec(text, names)  # pylint: disable=exec-used
        return names

    def test_softmax_in_numpy(self):
        rows = self.table(lambda value: "high" if value > 1 else "low" if value < -1 else "mid")
        for precision in ("double", "float"):
            told = self.predicted('kind = "softmax"', precision)
            self.assertEqual({line["cluster"] for line in told}, {"0", "1"}, "both models are looked at")
            names = self.numpy_program()
            self.assertAlmostEqual(names["probabilities"].sum(), 1, 6)
            self.assertEqual(names["schema"]["target"]["classes"], ["high", "low", "mid"])
            models = [names["load"](self.path(f"run/models/cluster-{k}.safetensors")) for k in (0, 1)]
            for row, line in zip(rows, told):
                model = models[int(line["cluster"])]
                x = np.array(names["features"](row, names["schema"]))
                scores = x @ model["weight"].T.astype(float) + model["bias"]
                probabilities = np.exp(scores) / np.exp(scores).sum()
                for name, p in zip(("high", "low", "mid"), probabilities):
                    self.assertAlmostEqual(float(line["p_" + name]), p, delta=TOLERANCE)

    @unittest.skipIf(torch is None, "python3-torch is not installed")
    def test_mlp_in_torch(self):
        rows = self.table(lambda value: int(value > 0))
        for precision, dtype in (("double", torch.float64), ("float", torch.float32)):
            told = self.predicted('kind = "mlp"\nhidden = [5]', precision)
            torch.set_default_dtype(dtype)
            for cluster in ("0", "1"):
                names = self.numpy_program_without_softmax()
                text = programs()[1].replace('"run/models/cluster-0.safetensors"',
                                             repr(self.path(f"run/models/cluster-{cluster}.safetensors")))
                checked = 0
                for row, line in zip(rows, told):
                    if line["cluster"] != cluster:
                        continue
                    names["row"] = row
                    exec(text, names)  # pylint: disable=exec-used
                    for c, p in enumerate(names["probabilities"].tolist()):
                        self.assertAlmostEqual(float(line[f"p_{c}"]), p, delta=TOLERANCE)
                    checked += 1
                self.assertGreater(checked, 0)

    def numpy_program_without_softmax(self):
        text = programs()[0].split("model = load(")[0].replace('"run/schema.json"', repr(self.path("run/schema.json")))
        names = {}
        exec(text, names)  # pylint: disable=exec-used
        return names

    def test_a_clients_own_model_predicts_in_units(self):
        rows = self.table(lambda value: repr(1000 * value + 5e4))
        told = self.predicted('kind = "linear"\nintercept = true', "double", "local",
                              'task = "regression"\nstandardise_target = true')
        names = self.numpy_program_without_softmax()
        target = names["schema"]["target"]
        for row, line in zip(rows, told):
            model = names["load"](self.path(f"run/models/client-{line['cluster']}.safetensors"))
            score = (np.array(names["features"](row, names["schema"])) @ model["weight"].T + model["bias"]).item()
            number = score * target["deviation"] + target["mean"]
            self.assertAlmostEqual(float(line["prediction"]), number, delta=TOLERANCE * abs(number))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
