"""Models of the add-on torch beside the same loops in PyTorch. Usage: torch_models_test.py PROGRAM EXAMPLES

Skipped (exit status 77) where the add-on is not built (make torch) or no Python has torch
(`apt-get install --no-install-recommends python3-torch`).
"""

import copy
import json
import os
import shutil
import subprocess
import sys
import unittest

SKIPPED = 77
STEPS = 20
ROWS = 24
SIDE = 8
CLASSES = 3
SEED = 4
RATE = 0.1

if not os.path.exists(os.path.join(os.path.dirname(sys.argv[1]), "coterie-add-ons", "torch.so")):
    print("skipped: the add-on torch is not built")
    sys.exit(SKIPPED)
try:
    import numpy
    import torch
except ImportError:
    DEBIAN = "/usr/bin/python3"
    found = (sys.executable != DEBIAN and os.path.exists(DEBIAN) and
             subprocess.run([DEBIAN, "-c", "import torch, numpy"], capture_output=True, check=False).returncode == 0)
    if found:
        os.execv(DEBIAN, [DEBIAN, "-B", *sys.argv])
    print("skipped: python3-torch is not installed")
    sys.exit(SKIPPED)

from program import ProgramTest, contents
from safetensors_file import state_dict

CONFIG = """
seed = {seed}
precision = "{precision}"
[data]
source = "npz"
file = "{data}"
split = "split"
[model]
{model}
[clusters]
count = 1
init = "random"
[algorithm]
kind = "fedavg"
[local]
solver = "gd"
rate = {rate}
steps = 1
[rounds]
count = {rounds}
"""

nn = torch.nn


class Normalised(nn.Module):
    """Convolution, batch-norm, dropout of channels, dense layers, dropout."""

    def __init__(self, dropout):
        super().__init__()
        self.conv = nn.Conv2d(2, 6, 3, padding=1)
        self.norm = nn.BatchNorm2d(6)
        self.fc1 = nn.Linear(6 * 16, 12)
        self.fc2 = nn.Linear(12, CLASSES)
        self.dropout = nn.Dropout(dropout)
        self.channels = nn.Dropout2d(dropout / 2)

    def forward(self, x):
        x = torch.relu(self.norm(self.conv(x)))
        x = self.channels(nn.functional.max_pool2d(x, 2))
        return self.fc2(self.dropout(torch.relu(self.fc1(torch.flatten(x, 1)))))


class Draws:
    """The stream of a client in a round: Philox4x32-10, keyed by the seed."""
    WORK = 10

    def __init__(self, round_number, client):
        self.counter = [0, client, round_number, self.WORK << 16]
        self.left = []

    def bits32(self):
        if not self.left:
            c, key, mask = list(self.counter), [SEED, 0], 0xFFFFFFFF
            for _ in range(10):
                first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
                c = [(second >> 32) ^ c[1] ^ key[0], second & mask, (first >> 32) ^ c[3] ^ key[1], first & mask]
                key = [(key[0] + 0x9E3779B9) & mask, (key[1] + 0xBB67AE85) & mask]
            self.left = c
            self.counter[0] += 1
        return self.left.pop(0)

    def uniform(self):
        low = self.bits32()
        return ((low | self.bits32() << 32) >> 11) * 2.0**-53

    def mask(self, shape, share):
        count = int(numpy.prod(shape))
        values = [0.0 if self.uniform() < share else 1 / (1 - share) for _ in range(count)]
        return torch.tensor(values, dtype=torch.get_default_dtype()).reshape(shape)


class Recorded(nn.Module):
    """Dropout whose masks are those of the program, in the order in which its stream gives them."""
    draws = None

    def __init__(self, share, channels=False):
        super().__init__()
        self.share, self.channels = share, channels

    def forward(self, x):
        if not self.training or self.share == 0:
            return x
        shape = (*x.shape[:2], 1, 1) if self.channels else x.shape
        return x * Recorded.draws.mask(shape, self.share)


class TorchModels(ProgramTest):
    def data(self, clients):
        """Rows to train on and held-out rows, dealt in turn to clients whose numbers are their ids."""
        draw = numpy.random.RandomState(7)
        x = draw.randint(0, 256, (2 * ROWS, SIDE, SIDE, 2)).astype("float64") / 256
        y = numpy.arange(2 * ROWS) % CLASSES
        x += y[:, None, None, None] * (numpy.arange(SIDE) % 2)[None, None, :, None]
        split = numpy.array(["train"] * ROWS + ["test"] * ROWS)
        numpy.savez(self.path("data.npz"), X=x, y=y, split=split, client=numpy.arange(2 * ROWS) % clients)
        images = torch.tensor(x.transpose(0, 3, 1, 2), dtype=torch.get_default_dtype())
        return (images[:ROWS], torch.tensor(y[:ROWS])), (images[ROWS:], torch.tensor(y[ROWS:]))

    def losses(self, model, precision, rounds=STEPS, rate=RATE):
        config = self.write(CONFIG.format(seed=SEED, precision=precision, data=self.path("data.npz"), model=model, rate=rate,
                                          rounds=rounds))
        self.run_to(config, "out", "--force")
        with open(self.path("out/rounds.jsonl")) as file:
            return [json.loads(line)["loss"] for line in file]

    def compare(self, model, network, precision, tolerance, clients=1):
        """The losses of held-out rows after each of the steps, here and in Python. With several clients, each steps from
        the common model and the results are averaged: parameters and statistics of batch-norm alike."""
        train, test = self.data(clients)
        told = self.losses(model, precision)[-STEPS:]
        ours = []
        for step in range(STEPS):
            common = copy.deepcopy(network.state_dict())
            sums = {name: torch.zeros_like(value) for name, value in common.items()}
            for client in range(clients):
                network.load_state_dict(common)
                Recorded.draws = Draws(step + 1, client)
                network.train()
                network.zero_grad()
                nn.functional.cross_entropy(network(train[0][client::clients]), train[1][client::clients]).backward()
                torch.optim.SGD(network.parameters(), lr=RATE).step()
                for name, value in network.state_dict().items():
                    sums[name] += value
            network.load_state_dict({name: value / clients for name, value in sums.items()})
            network.eval()
            with torch.no_grad():
                ours.append(nn.functional.cross_entropy(network(test[0]), test[1]).item())
        self.assertLess(max(abs(a - b) for a, b in zip(ours, told)), tolerance, f"{ours} and {told}")
        self.assertGreater(abs(ours[0] - ours[-1]), 0.03, "it trains")

    def script(self, network, name="net.pt"):
        torch.jit.save(torch.jit.script(network), self.path(name))
        return self.path(name)

    def test_a_script_trains_as_in_python(self):
        for precision, tolerance in (("double", 1e-9), ("float", 1e-5)):
            for share, clients in ((0.0, 1), (0.4, ROWS)):  # a client of one row: whose mask is whose is known
                torch.set_default_dtype(torch.float32)
                torch.manual_seed(3)
                network = Normalised(share)
                file = self.script(network)
                torch.set_default_dtype(torch.float64 if precision == "double" else torch.float32)
                network.to(torch.get_default_dtype())
                network.dropout, network.channels = Recorded(share), Recorded(share / 2, channels=True)
                self.compare(f'kind = "torchscript"\nfile = "{file}"\nstart = "file"', network, precision, tolerance, clients)

    def test_a_state_dict_gives_all_but_the_head(self):
        self.data(1)
        torch.set_default_dtype(torch.float32)
        torch.manual_seed(5)
        network = nn.Sequential()
        network.conv1, network.conv2 = nn.Conv2d(2, 16, 5, padding=2), nn.Conv2d(16, 32, 5, padding=2)
        network.fc1, network.fc2 = nn.Linear(32 * (SIDE // 4)**2, 32), nn.Linear(32, 1000)
        torch.save(network.state_dict(), self.path("weights.pt"))
        model = 'kind = "small-cnn"\nweights = "' + self.path("weights.pt") + '"'
        self.losses(model, "float", rounds=1, rate=1e-30)
        state = state_dict(self.path("out/models/cluster-0.safetensors"))
        for name, value in network.state_dict().items():
            same = state[name].shape == value.shape and torch.equal(state[name], value)
            self.assertEqual(same, not name.startswith("fc2"), name)

    def refusal(self, network, more=""):
        self.data(1)
        file = self.script(network, "other.pt")
        config = self.write(CONFIG.format(seed=SEED, precision="float", data=self.path("data.npz"), rate=0.1, rounds=1,
                                          model=f'kind = "torchscript"\nfile = "{file}"\n{more}'))
        done = subprocess.run([sys.argv[1], "run", config, "--out", self.path("refused"), "--force"], capture_output=True,
                              text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def test_what_a_script_may_not_do_is_named(self):
        class Noise(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(2 * SIDE * SIDE, CLASSES)

            def forward(self, x):
                return self.fc(torch.flatten(x, 1)) + torch.randn(1)

        class Narrow(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(2 * SIDE * SIDE, CLASSES + 1)

            def forward(self, x):
                return self.fc(torch.flatten(x, 1))

        self.assertIn("aten::randn", self.refusal(Noise()))
        self.assertIn("must return scores of [2, 3]", self.refusal(Narrow()))
        self.assertIn("cannot take a batch of [2, 2, 8, 8]", self.refusal(nn.Linear(7, CLASSES)))
        self.assertIn("model.head", self.refusal(Normalised(0.0), 'head = "fc1"'))
        self.assertIn("its checksum is", self.refusal(Normalised(0.0), 'md5 = "0"'))


class Runs(ProgramTest):
    """The same bits on any number of threads, after a resume, and over a bad network; and a program without the add-on."""
    MODELS = ['kind = "small-cnn"', 'kind = "mobilenet-v2"\nwidth = 0.1\ndropout = 0.3']
    CONFIG = """
seed = 3
[data]
source = "digits"
[clients]
count = 6
samples = 20
[model]
{model}
[clusters]
count = 2
init = "random"
[algorithm]
kind = "ifca"
[local]
rate = 0.02
batch = 7
[rounds]
count = {rounds}
[checkpoint]
every = 1
"""

    def bits(self, model, out, *arguments, rounds=3):
        config = self.write(self.CONFIG.format(model=model, rounds=rounds))
        self.run_to(config, out, *arguments)
        found = contents(self.path(out))
        return found["rounds.jsonl"], {name: value for name, value in found.items() if name.startswith("models")}

    def test_bits_do_not_depend_on_threads_fleets_or_kills(self):
        for number, model in enumerate(self.MODELS):
            one = self.bits(model, f"one{number}", "--threads", "1")
            self.assertEqual(one, self.bits(model, f"two{number}", "--threads", "2"))
            self.assertEqual(one, self.bits(model, f"scramble{number}", "--set", "fleet.kind=scramble"))
            self.bits(model, f"short{number}", rounds=2)
            self.assertEqual(one, self.bits(model, f"short{number}", "--resume"))

    def test_without_the_add_on_its_package_is_named(self):
        build = os.path.dirname(os.path.abspath(sys.argv[1]))
        for name in os.listdir(build):
            if name == "coterie" or name.startswith("libcoterie.so"):
                shutil.copy(os.path.join(build, name), self.path(name))
        config = self.write(self.CONFIG.format(model='kind = "small-cnn"', rounds=1))
        done = subprocess.run([self.path("coterie"), "run", config], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("make torch", done.stderr)
        self.assertIn("libtorch-dev", done.stderr)
        listed = subprocess.run([self.path("coterie"), "list", "models"], capture_output=True, text=True, check=False)
        self.assertIn("(not built: make torch)", listed.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
