#!/usr/bin/python3
"""Rounds of IFCA on mixed linear regression (gradient averaging), written in three ways, to time Coterie against.

A round: every client takes the one of K = 4 parameter vectors with the lowest mean squared error on its samples; a
vector moves against the sum of the gradients of the clients that took it, divided by the number of all clients.

loop     as public PyTorch code is written: every client computes the loss and, by autograd, the gradient of all K
         vectors, one after the other, and the server uses the gradients chosen.
plain    the same loop in NumPy with the gradient written out by hand: less to do for each small product.
batched  the K predictions of a few clients as one product, and then only the gradients chosen, added in place while
         the samples are still in the cache: memory is read once a round. In PyTorch, a worker for each core.
"""

import common

args = common.parse(__doc__.splitlines()[0], clients=400, samples=100, more=[
    ("--dimension", {"type": int, "default": 1000}),
    ("--chunk", {"type": int, "default": 4, "help": "batched: clients at once"}),
])

import numpy  # noqa: E402  (after the number of threads)
import torch  # noqa: E402

K, RATE, NOISE = 4, 0.5, 0.1


class Problem:
    """x: clients x samples x d, normal; y by the client's own of K planted vectors of zeros and ones."""

    def __init__(self, clients, samples, dimension):
        random = numpy.random.default_rng(args.seed)
        truths = random.integers(0, 2, (K, dimension)).astype(numpy.float32)
        self.x = random.standard_normal((clients, samples, dimension), dtype=numpy.float32)
        self.y = NOISE * random.standard_normal((clients, samples), dtype=numpy.float32)
        for i in range(clients):
            self.y[i] += self.x[i] @ truths[i * K // clients]
        self.start = random.integers(0, 2, (K, dimension)).astype(numpy.float32)


class Loop:
    def __init__(self, problem):
        self.x, self.y = torch.from_numpy(problem.x), torch.from_numpy(problem.y)
        self.models = torch.from_numpy(problem.start.copy())
        self.choices = []

    def round(self):
        sums = torch.zeros_like(self.models)
        self.choices = []
        for x, y in zip(self.x, self.y):
            losses, gradients = [], []
            for model in self.models:
                weight = model.clone().requires_grad_()
                loss = torch.nn.functional.mse_loss(x @ weight, y)
                loss.backward()
                losses.append(loss.item())
                gradients.append(weight.grad)
            choice = losses.index(min(losses))
            self.choices.append(choice)
            sums[choice] += gradients[choice]
        self.models -= RATE / len(self.x) * sums

    def sizes(self):
        return [self.choices.count(k) for k in range(K)]


class Plain:
    def __init__(self, problem):
        self.x, self.y = problem.x, problem.y
        self.models = problem.start.copy()
        self.choices = []

    def round(self):
        gradients = [numpy.zeros_like(model) for model in self.models]
        self.choices = []
        for x, y in zip(self.x, self.y):
            losses, all_gradients = [], []
            for model in self.models:
                residual = x @ model - y
                losses.append(numpy.mean(residual ** 2))
                all_gradients.append(2 / len(y) * (x.T @ residual))
            choice = int(numpy.argmin(losses))
            self.choices.append(choice)
            gradients[choice] += all_gradients[choice]
        for model, gradient in zip(self.models, gradients):
            model -= RATE / len(self.x) * gradient

    def sizes(self):
        return [self.choices.count(k) for k in range(K)]


class Batched:
    def __init__(self, problem, threads, chunk):
        self.x, self.y = torch.from_numpy(problem.x), torch.from_numpy(problem.y)
        self.threads, self.chunk = threads, chunk
        self.models = torch.from_numpy(problem.start.copy())
        self.choices = torch.zeros(len(self.x), dtype=torch.long)

    @torch.no_grad()
    def round(self):
        sums = [torch.zeros_like(self.models) for _ in range(self.threads)]
        chunks = [slice(at, at + self.chunk) for at in range(0, len(self.x), self.chunk)]
        common.on_workers(self.threads, chunks, lambda worker, clients: self.work(clients, sums[worker]))
        self.models.sub_(sum(sums), alpha=2 * RATE / (len(self.x) * self.x.shape[1]))

    def work(self, clients, sums):
        x, y = self.x[clients], self.y[clients]
        residuals = (self.models @ x.view(-1, x.shape[2]).t()).view(K, *y.shape).sub_(y)
        choices = residuals.square().sum(2).argmin(0)
        self.choices[clients] = choices
        for i, k in enumerate(choices.tolist()):
            sums[k].addmv_(x[i].t(), residuals[k, i])

    def sizes(self):
        return torch.bincount(self.choices, minlength=K).tolist()


def make(variant, problem):
    if variant == "batched":
        return Batched(problem, args.threads, args.chunk)
    return Loop(problem) if variant == "loop" else Plain(problem)


def check():
    """All variants give the same choices and models."""
    problem = Problem(30, 20, 50)
    loop, plain, batched = (make(variant, problem) for variant in ("loop", "plain", "batched"))
    for t in range(6):
        for peer in (loop, plain, batched):
            peer.round()
        if not loop.choices == plain.choices == batched.choices.tolist():
            raise SystemExit(f"error: the variants choose differently in round {t + 1}")
        difference = max(numpy.abs(loop.models.numpy() - other).max() for other in (plain.models, batched.models.numpy()))
        if not difference < 1e-4:
            raise SystemExit(f"error: the variants' models differ by {difference} in round {t + 1}")
    print(f"same choices {loop.sizes()}, models equal to {difference:.1e}")


if __name__ == "__main__":
    torch.set_num_threads(args.threads if args.variant == "loop" and not args.check else 1)
    if args.check:
        check()
    else:
        common.measure(args, make(args.variant, Problem(args.clients, args.samples, args.dimension)), data="normal")
