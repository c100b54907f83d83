#!/usr/bin/python3
"""Rounds of convolutional networks in PyTorch, as public code is written, to time Coterie against.

ifca    every client takes the one of K models with the lowest mean loss on its images and trains it.
fedem   every client scores its images by all K models (E-step), then trains all K on losses weighted by that.
heads   the same for K heads on a common extractor, as HCFL+ has it: K passes through the extractor, then one training
        pass for each head, whose slopes by the extractor add up.

Training is a few gradient steps on all of a client's images, clients one after the other; a model becomes the mean of
what clients trained. Images are random. `--make FOLDER` writes them as data.npz, and the first models, so that Coterie
begins with the same; otherwise they are read from there.
"""

import copy
import json
import os
import struct

import common

NETWORKS = {  # channels, side, classes
    "small-cnn": (3, 32, 10), "ifca-cnn": (3, 24, 10), "femnist-cnn": (1, 28, 62)}
L2 = {"ifca-cnn": 0.004}
RATE = {"small-cnn": 0.05, "ifca-cnn": 0.02, "femnist-cnn": 0.01}

args = common.parse(__doc__.splitlines()[0], clients=16, samples=50, more=[
    ("--network", {"choices": sorted(NETWORKS), "default": "small-cnn"}),
    ("--folder", {"required": True, "help": "has data.npz and models/"}),
    ("--make", {"action": "store_true", "help": "write them"}),
    ("--judge", {"help": "only print the loss of the models in this folder"}),
    ("--models", {"type": int, "default": 2}),
    ("--steps", {"type": int, "default": 4}),
], variants=("ifca", "fedem", "heads"))

import numpy  # noqa: E402  (after the number of threads)
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

CHANNELS, SIDE, CLASSES = NETWORKS[args.network]


class SmallCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(CHANNELS, 16, 5, padding=2), nn.Conv2d(16, 32, 5, padding=2)
        self.fc1, self.fc2 = nn.Linear(32 * (SIDE // 4)**2, 32), nn.Linear(32, CLASSES)

    def features(self, x):
        x = functional.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = functional.max_pool2d(torch.relu(self.conv2(x)), 2)
        return torch.relu(self.fc1(torch.flatten(x, 1)))

    def forward(self, x):
        return self.head()(self.features(x))

    def head(self):
        return self.fc2


class FemnistCnn(SmallCnn):
    def __init__(self):
        nn.Module.__init__(self)
        self.conv1, self.conv2 = nn.Conv2d(CHANNELS, 32, 5, padding=2), nn.Conv2d(32, 64, 5, padding=2)
        self.fc1, self.fc2 = nn.Linear(64 * (SIDE // 4)**2, 2048), nn.Linear(2048, CLASSES)


class IfcaCnn(SmallCnn):
    def __init__(self):
        nn.Module.__init__(self)
        self.conv1, self.conv2 = nn.Conv2d(CHANNELS, 64, 5, padding=2), nn.Conv2d(64, 64, 5, padding=2)
        self.fc1, self.fc2, self.fc3 = nn.Linear(64 * (SIDE // 4)**2, 384), nn.Linear(384, 192), nn.Linear(192, CLASSES)
        self.norm = nn.LocalResponseNorm(9, alpha=0.001, beta=0.75, k=1)

    def features(self, x):
        pool = lambda t: functional.max_pool2d(functional.pad(t, (0, 1, 0, 1)), 3, 2)
        x = self.norm(pool(torch.relu(self.conv1(x))))
        x = pool(self.norm(torch.relu(self.conv2(x))))
        return torch.relu(self.fc2(torch.relu(self.fc1(torch.flatten(x, 1)))))

    def head(self):
        return self.fc3


NETWORK = {"small-cnn": SmallCnn, "ifca-cnn": IfcaCnn, "femnist-cnn": FemnistCnn}[args.network]


def save(path, state):
    """A .safetensors file, as Coterie reads it."""
    header, body = {"__metadata__": {"format": "2"}}, b""
    for name, value in state.items():
        data = value.numpy().astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + body)


def make():
    """Images of K kinds: those of client i are a pattern of kind i mod K and of the class, and noise."""
    draw = numpy.random.RandomState(args.seed)
    rows = args.clients * args.samples
    y = draw.permutation(numpy.arange(rows) % CLASSES)
    client = numpy.arange(rows) // args.samples
    patterns = draw.normal(0, 1, (args.models, CLASSES, SIDE, SIDE, CHANNELS))
    x = 0.5 * patterns[client % args.models, y] + draw.normal(0, 1, (rows, SIDE, SIDE, CHANNELS))
    numpy.savez(os.path.join(args.folder, "data.npz"), X=x.astype("float32"), y=y, client=client,
                split=numpy.full(rows, "train"))
    os.makedirs(os.path.join(args.folder, "models"), exist_ok=True)
    torch.manual_seed(args.seed)
    common_part = None
    for k in range(args.models):
        network = NETWORK()
        state = {name: value.detach() for name, value in network.state_dict().items()}
        if args.variant == "heads":  # one extractor for all
            common_part = common_part or state
            state = {n: v if getattr(network, n.split(".")[0]) is network.head() else common_part[n] for n, v in state.items()}
        save(os.path.join(args.folder, "models", f"cluster-{k}.safetensors"), state)


def load(path):
    network = NETWORK()
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        body = file.read()
    header.pop("__metadata__")
    network.load_state_dict({
        name: torch.from_numpy(numpy.frombuffer(body[slice(*one["data_offsets"])], "<f4").copy()).view(one["shape"])
        for name, one in header.items()})
    return network


class Peer:
    def __init__(self):
        data = numpy.load(os.path.join(args.folder, "data.npz"))
        x = torch.tensor(numpy.ascontiguousarray(data["X"].transpose(0, 3, 1, 2)))
        y = torch.tensor(data["y"])
        self.clients = [(x[i:i + args.samples], y[i:i + args.samples]) for i in range(0, len(x), args.samples)]
        models = args.judge or os.path.join(args.folder, "models")
        self.models = [load(os.path.join(models, f"cluster-{k}.safetensors")) for k in range(args.models)]
        self.choices = []
        self.weights = torch.full((len(self.clients), args.models), 1 / args.models)

    def objective(self, model, x, y, gamma=None):
        losses = functional.cross_entropy(model(x), y, reduction="none")
        loss = losses.mean() if gamma is None else (gamma * losses).mean()
        for part in (model.fc1, model.fc2) if args.network in L2 else ():
            loss = loss + L2[args.network] / 2 * part.weight.square().sum()
        return loss

    def train(self, model, x, y, gamma=None):
        model = copy.deepcopy(model)
        optimizer = torch.optim.SGD(model.parameters(), lr=RATE[args.network])
        for _ in range(args.steps):
            optimizer.zero_grad()
            self.objective(model, x, y, gamma).backward()
            optimizer.step()
        return model

    def e_step(self, i, x, y):
        with torch.no_grad():
            losses = torch.stack([functional.cross_entropy(m(x), y, reduction="none") for m in self.models], 1)
        gamma = torch.softmax(self.weights[i].log() - losses, 1)
        self.weights[i] = gamma.mean(0)
        return gamma

    def mean_into(self, model, trained, shares):
        states = [one.state_dict() for one in trained]
        model.load_state_dict({name: sum(s * state[name] for s, state in zip(shares, states)) for name in states[0]})

    def round(self):
        getattr(self, args.variant)()

    def ifca(self):
        self.choices, trained = [], []
        for x, y in self.clients:
            with torch.no_grad():
                losses = [self.objective(model, x, y).item() for model in self.models]
            self.choices.append(losses.index(min(losses)))
            trained.append(self.train(self.models[self.choices[-1]], x, y))
        for k, model in enumerate(self.models):
            mine = [one for one, choice in zip(trained, self.choices) if choice == k]
            if mine:
                self.mean_into(model, mine, [1 / len(mine)] * len(mine))

    def fedem(self):
        trained = []
        for i, (x, y) in enumerate(self.clients):
            gamma = self.e_step(i, x, y)
            trained.append([self.train(model, x, y, gamma[:, k]) for k, model in enumerate(self.models)])
        for k, model in enumerate(self.models):
            self.mean_into(model, [one[k] for one in trained], [1 / len(trained)] * len(trained))

    def heads(self):
        """Every model keeps a copy of the extractor, whose slopes are the sum of all."""
        trained = []
        for i, (x, y) in enumerate(self.clients):
            gamma = self.e_step(i, x, y)
            models = copy.deepcopy(self.models)
            for _ in range(args.steps):
                for k, model in enumerate(models):
                    model.zero_grad()
                    self.objective(model, x, y, gamma[:, k]).backward()
                with torch.no_grad():
                    for parts in zip(*(m.named_parameters() for m in models)):
                        name = parts[0][0]
                        if getattr(models[0], name.split(".")[0]) is models[0].head():
                            for _, part in parts:
                                part -= RATE[args.network] * part.grad
                        else:
                            slope = sum(part.grad for _, part in parts)
                            for _, part in parts:
                                part -= RATE[args.network] * slope
            trained.append(models)
        for k, model in enumerate(self.models):
            self.mean_into(model, [one[k] for one in trained], [1 / len(trained)] * len(trained))

    def sizes(self):
        return [self.choices.count(k) for k in range(args.models)]

    @torch.no_grad()
    def loss(self):
        """Of each client's images under its best model, on average."""
        return sum(min(functional.cross_entropy(m(x), y).item() for m in self.models) for x, y in self.clients) / len(self.clients)


if __name__ == "__main__" and args.make:
    make()
elif __name__ == "__main__":
    torch.set_num_threads(args.threads)
    peer = Peer()
    if not args.judge:
        common.measure(args, peer)
    print(json.dumps({"loss": peer.loss()}))
