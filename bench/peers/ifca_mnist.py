#!/usr/bin/python3
"""Rounds of IFCA on rotated MNIST in PyTorch, written in two ways, to time Coterie against.

A round: every client takes the one of K = 4 models (784-200-10, ReLU) with the lowest mean cross entropy on its
samples and trains it by 10 full-batch gradient steps of 0.1; a model becomes the mean of those that clients trained
from it, or stays when there are none.

loop     as public code is written: clients one after the other, a copy of the model for each, autograd and an
         optimiser, averages of state dictionaries.
batched  the fastest that these steps can be in PyTorch without changing the arithmetic: all K models in one product
         over the rows of many clients; the steps of several clients at once (bmm), their gradients written out by
         hand and added in place; the first step's forward pass taken from the evaluation. Few clients at a time, so
         that their weights stay in the cache.
"""

import copy
import os

import common

args = common.parse(__doc__.splitlines()[0], clients=1200, samples=200, more=[
    ("--data", {"default": os.environ.get("COTERIE_DATA", ""), "help": "folder that has mnist/ [$COTERIE_DATA]"}),
    ("--group", {"type": int, "default": 1000, "help": "batched: rows evaluated at once"}),
    ("--chunk", {"type": int, "default": 4, "help": "batched: clients trained at once"}),
])

import torch  # noqa: E402  (after the number of threads)
from torch.nn import functional  # noqa: E402
from mnist import CLASSES, HIDDEN, INPUTS, Mlp, load_mnist  # noqa: E402

K = 4
STEPS, RATE = 10, 0.1


def deal(clients, samples, seed, folder):
    """x: clients x samples x 784, y: clients x samples. Every rotation deals out all images anew."""
    images, labels, origin = load_mnist(folder)
    share = clients // K
    if share * K != clients or share * samples > len(images):
        raise SystemExit(f"error: --clients must be a multiple of {K}, with at most {len(images)} samples for a rotation")
    generator = torch.Generator().manual_seed(seed)
    x = torch.empty(clients, samples, INPUTS)
    y = torch.empty(clients, samples, dtype=torch.long)
    for p in range(K):
        rows = torch.randperm(len(images), generator=generator)[:share * samples]
        turned = torch.rot90(images[rows], k=p, dims=(1, 2))
        x[p * share:(p + 1) * share] = turned.reshape(share, samples, INPUTS)
        y[p * share:(p + 1) * share] = labels[rows].view(share, samples)
    return x.div_(255), y, origin


class Loop:
    def __init__(self, x, y, models):
        self.x, self.y = x, y
        self.models = models
        self.choices = []

    def round(self):
        self.choices = [self.choose(x, y) for x, y in zip(self.x, self.y)]
        trained = [self.train(k, x, y) for k, x, y in zip(self.choices, self.x, self.y)]
        for k in range(K):
            states = [model.state_dict() for model, choice in zip(trained, self.choices) if choice == k]
            if not states:
                continue
            mean = {name: sum(state[name] for state in states) / len(states) for name in states[0]}
            self.models[k].load_state_dict(mean)

    @torch.no_grad()
    def choose(self, x, y):
        losses = [functional.cross_entropy(model(x), y).item() for model in self.models]
        return losses.index(min(losses))

    def train(self, k, x, y):
        model = copy.deepcopy(self.models[k])
        optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
        for _ in range(STEPS):
            optimizer.zero_grad()
            functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        return model

    def sizes(self):
        return [self.choices.count(k) for k in range(K)]

    def parameters(self):
        """K x parameters: weights of the first layer (inputs x outputs), its biases, the second layer's."""
        return torch.stack([torch.cat([p.detach().t().reshape(-1) for p in model.parameters()]) for model in self.models])


class Batched:
    def __init__(self, x, y, models, threads, group, chunk):
        self.x, self.y = x, y
        self.threads, self.chunk = threads, chunk
        self.group = max(1, group // x.shape[1])  # clients evaluated at once
        stacked = lambda read: torch.stack([read(model).detach() for model in models]).contiguous()
        self.models = [stacked(lambda m: m.fc1.weight.t()), stacked(lambda m: m.fc1.bias),
                       stacked(lambda m: m.fc2.weight.t()), stacked(lambda m: m.fc2.bias)]
        self.choices = torch.zeros(len(x), dtype=torch.long)

    @torch.no_grad()
    def round(self):
        self.side_by_side = self.models[0].transpose(0, 1).reshape(INPUTS, K * HIDDEN)
        sums = [[torch.zeros_like(part) for part in self.models] for _ in range(self.threads)]
        groups = [slice(at, at + self.group) for at in range(0, len(self.x), self.group)]
        common.on_workers(self.threads, groups, lambda worker, clients: self.work(clients, sums[worker]))
        sizes = torch.bincount(self.choices, minlength=K)
        for part, parts in zip(self.models, zip(*sums)):
            for k in range(K):
                if sizes[k] > 0:
                    part[k] = sum(one[k] for one in parts) / sizes[k]

    def work(self, clients, sums):
        x, y = self.x[clients], self.y[clients]
        count, samples, _ = x.shape
        before = torch.addmm(self.models[1].view(-1), x.view(-1, INPUTS), self.side_by_side).view(-1, K, HIDDEN)
        hidden = before.relu().transpose(0, 1)
        scores = torch.baddbmm(self.models[3].unsqueeze(1), hidden, self.models[2])
        losses = functional.cross_entropy(scores.view(-1, CLASSES), y.view(-1).repeat(K), reduction="none")
        choices = losses.view(K, count, samples).mean(2).argmin(0)
        self.choices[clients] = choices
        before = before.view(count, samples, K, HIDDEN)
        first = before[torch.arange(count), :, choices]
        for at in range(0, count, self.chunk):
            some = slice(at, at + self.chunk)
            self.train(x[some], y[some], choices[some], first[some], sums)

    def train(self, x, y, choices, first, sums):
        """`first`: clients x samples x hidden, the first layer's sums under the chosen models."""
        w1, b1, w2, b2 = mine = [part[choices] for part in self.models]
        xt = x.transpose(1, 2)
        factor = RATE / x.shape[1]
        wanted = functional.one_hot(y, CLASSES).float().mul_(factor)
        hidden = first
        slope = torch.empty_like(hidden)
        for step in range(STEPS):
            if step > 0:
                torch.baddbmm(b1.unsqueeze(1), x, w1, out=hidden)
            hidden.relu_()
            slopes = torch.baddbmm(b2.unsqueeze(1), hidden, w2).softmax(2).mul_(factor).sub_(wanted)
            torch.bmm(slopes, w2.transpose(1, 2), out=slope)
            torch.ops.aten.threshold_backward(slope, hidden, 0, grad_input=slope)
            w2.baddbmm_(hidden.transpose(1, 2), slopes, alpha=-1)
            b2.sub_(slopes.sum(1))
            w1.baddbmm_(xt, slope, alpha=-1)
            b1.sub_(slope.sum(1))
        for total, part in zip(sums, mine):
            total.index_add_(0, choices, part)

    def sizes(self):
        return torch.bincount(self.choices, minlength=K).tolist()

    def parameters(self):
        return torch.cat([part.reshape(K, -1) for part in self.models], 1)


def make(variant, clients, samples):
    x, y, origin = deal(clients, samples, args.seed, args.data)
    torch.manual_seed(args.seed)
    models = [Mlp() for _ in range(K)]
    peer = Loop(x, y, models) if variant == "loop" else Batched(x, y, models, args.threads, args.group, args.chunk)
    return peer, origin


def check():
    """Both variants give the same choices and models; the clients are many enough that all K models are chosen."""
    loop, _ = make("loop", 48, 20)
    batched, _ = make("batched", 48, 20)
    batched.group = 7  # groups and chunks that do not come out even
    for t in range(4):
        loop.round()
        batched.round()
        if loop.choices != batched.choices.tolist():
            raise SystemExit(f"error: the variants choose differently in round {t + 1}")
        difference = (loop.parameters() - batched.parameters()).abs().max().item()
        if not difference < 1e-4:
            raise SystemExit(f"error: the variants' models differ by {difference} in round {t + 1}")
    print(f"same choices {loop.sizes()}, models equal to {difference:.1e}")


if __name__ == "__main__":
    torch.set_num_threads(args.threads if args.variant == "loop" and not args.check else 1)
    if args.check:
        check()
    else:
        peer, origin = make(args.variant, args.clients, args.samples)
        common.measure(args, peer, data=origin)
