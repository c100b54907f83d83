#!/usr/bin/python3
"""Rounds of FedEM on three concepts of MNIST in PyTorch, as public code is written, to time Coterie against.

A round: every client scores its samples by K = 3 models (784-200-10, ReLU), finds how likely each sample is each
model's (E-step), and trains all K for an epoch in batches of 128 on losses weighted by that; a model becomes the mean
of what clients trained, weighted by how much of their data is its own.

loop     clients one after the other, a copy of each model, autograd and an optimiser, averages of state dictionaries.
"""

import copy
import os

import common

args = common.parse(__doc__.splitlines()[0], clients=100, samples=450, more=[
    ("--data", {"default": os.environ.get("COTERIE_DATA", ""), "help": "folder that has mnist/ [$COTERIE_DATA]"}),
], variants=("loop",))

import torch  # noqa: E402  (after the number of threads)
from torch.nn import functional  # noqa: E402
from mnist import INPUTS, Mlp, load_mnist  # noqa: E402

K, TURNED = 3, 4  # concept c has its first four labels turned by c
BATCH, RATE, MOMENTUM, DECAY = 128, 0.06, 0.9, 5e-4


def deal(clients, samples, seed, folder):
    images, labels, origin = load_mnist(folder)
    if clients * samples > len(images):
        raise SystemExit(f"error: at most {len(images)} samples in all")
    rows = torch.randperm(len(images), generator=torch.Generator().manual_seed(seed))[:clients * samples]
    x = images[rows].reshape(clients, samples, INPUTS).float().div_(255)
    y = labels[rows].view(clients, samples)
    concept = (torch.arange(clients) % K).view(-1, 1)
    return x, torch.where(y < TURNED, (y + concept) % TURNED, y), origin


class Loop:
    def __init__(self, x, y, models):
        self.x, self.y, self.models = x, y, models
        self.weights = torch.full((len(x), K), 1 / K)

    def round(self):
        trained = [self.client(i, x, y) for i, (x, y) in enumerate(zip(self.x, self.y))]
        for k in range(K):
            shares = self.weights[:, k] / self.weights[:, k].sum()
            states = [models[k].state_dict() for models in trained]
            mean = {name: sum(share * state[name] for share, state in zip(shares, states)) for name in states[0]}
            self.models[k].load_state_dict(mean)

    def client(self, i, x, y):
        with torch.no_grad():
            losses = torch.stack([functional.cross_entropy(model(x), y, reduction="none") for model in self.models], 1)
            gamma = torch.softmax(self.weights[i].log() - losses, 1)
            self.weights[i] = gamma.mean(0)
        return [self.train(k, x, y, gamma[:, k]) for k in range(K)]

    def train(self, k, x, y, gamma):
        model = copy.deepcopy(self.models[k])
        optimizer = torch.optim.SGD(model.parameters(), lr=RATE, momentum=MOMENTUM, weight_decay=DECAY)
        for rows in torch.randperm(len(x)).split(BATCH):
            optimizer.zero_grad()
            losses = functional.cross_entropy(model(x[rows]), y[rows], reduction="none")
            (gamma[rows] * losses).mean().backward()
            optimizer.step()
        return model

    def sizes(self):
        return torch.bincount(self.weights.argmax(1), minlength=K).tolist()


if __name__ == "__main__":
    torch.set_num_threads(args.threads)
    x, y, origin = deal(args.clients, args.samples, args.seed, args.data)
    torch.manual_seed(args.seed)
    common.measure(args, Loop(x, y, [Mlp() for _ in range(K)]), data=origin)
