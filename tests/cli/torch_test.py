"""A run's models in PyTorch: load_state_dict takes them, and they predict the same. Usage: torch_test.py PROGRAM EXAMPLES

Skipped (exit status 77) where no Python has torch: `apt-get install --no-install-recommends python3-torch`.
"""

import csv
import math
import os
import random
import subprocess
import sys
import unittest

SKIPPED = 77
CLIENTS = 24
WIDTH = 5  # as wide as the hidden layers: a square layer must not be transposed

try:
    import torch
except ImportError:
    DEBIAN = "/usr/bin/python3"
    found = (sys.executable != DEBIAN and os.path.exists(DEBIAN) and
             subprocess.run([DEBIAN, "-c", "import torch"], capture_output=True, check=False).returncode == 0)
    if found:
        os.execv(DEBIAN, [DEBIAN, "-B", *sys.argv])
    print("skipped: python3-torch is not installed")
    sys.exit(SKIPPED)

from program import ProgramTest
from safetensors_file import state_dict

CONFIG = """
seed = 4
precision = "{precision}"
[data]
source = "csv"
file = "{table}"
client = "who"
target = "y"
task = "{task}"
standardise = "none"
standardise_target = false
[model]
{model}
[clusters]
count = 2
init = "random"
[algorithm]
kind = "ifca"
[local]
rate = 0.1
[rounds]
count = 6
"""


class Torch(ProgramTest):
    def table(self, classes):
        """Four equal rows for each client, so that its loss is that of one row whichever of them are tested."""
        draw = random.Random(7)
        rows = []

        def number():  # exact in float, which tables are kept in
            return round(64 * draw.gauss(0, 1)) / 64

        with open(self.path("table.csv"), "w") as file:
            file.write("who," + ",".join(f"x{j}" for j in range(WIDTH)) + ",y\n")
            for i in range(CLIENTS):
                x = [number() for _ in range(WIDTH)]
                y = i % classes if classes else number()
                rows.append((x, y))
                for _ in range(4):
                    file.write(f"c{i}," + ",".join(map(repr, x)) + f",{y!r}\n")
        return rows

    def losses(self, model, precision, classes):
        """(client's name, model that it chose, loss) as the program has them."""
        task = "classification" if classes else "regression"
        config = self.write(CONFIG.format(precision=precision, table=self.path("table.csv"), task=task, model=model))
        self.run_to(config, "out", "--force")
        with open(self.path("out/clients.csv"), newline="") as file:
            return [(row["name"], int(row["cluster"]), float(row["loss"])) for row in csv.DictReader(file)]

    def check(self, model, network, loss, classes):
        rows = self.table(classes)
        for precision, tolerance in (("double", 1e-12), ("float", 1e-5)):
            told = self.losses(model, precision, classes)
            self.assertEqual(len(told), CLIENTS)
            self.assertEqual({cluster for _, cluster, _ in told}, {0, 1}, "both models are looked at")
            torch.set_default_dtype(torch.float64 if precision == "double" else torch.float32)
            for cluster in (0, 1):
                net = network()
                net.load_state_dict(state_dict(self.path(f"out/models/cluster-{cluster}.safetensors")))
                for name, chosen, given in told:
                    if chosen != cluster:
                        continue
                    x, y = rows[int(name[1:])]
                    with torch.no_grad():
                        value = loss(net(torch.tensor([x])), y)
                    self.assertTrue(math.isclose(value, given, rel_tol=tolerance, abs_tol=tolerance),
                                    f"{model}, {precision}, {name}: {value} and {given}")

    @staticmethod
    def cross_entropy(scores, label):
        return torch.nn.functional.cross_entropy(scores, torch.tensor([label])).item()

    def test_softmax_is_a_linear_layer(self):
        self.check('kind = "softmax"', lambda: torch.nn.Linear(WIDTH, 5), self.cross_entropy, 5)

    def test_mlp_is_a_sequence(self):
        def network():
            return torch.nn.Sequential(torch.nn.Linear(WIDTH, 5), torch.nn.ReLU(), torch.nn.Linear(5, 5), torch.nn.ReLU(),
                                       torch.nn.Linear(5, 3))

        self.check('kind = "mlp"\nhidden = [5, 5]', network, self.cross_entropy, 3)

    def test_linear_regression_is_a_linear_layer(self):
        self.check('kind = "linear"\nfactor = 1.0\nintercept = true', lambda: torch.nn.Linear(WIDTH, 1),
                   lambda scores, y: (scores.item() - y)**2, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
