"""MNIST and the network 784-200-10 for the reference programs. Import it after common.parse."""

import gzip
import os

import torch
from torch.nn import functional

INPUTS, HIDDEN, CLASSES = 784, 200, 10


def read_idx(path, header):
    with gzip.open(path) as file:
        return torch.frombuffer(bytearray(file.read()), dtype=torch.uint8)[header:]


def load_mnist(folder):
    """Images, labels and where they come from: random bytes of the same shape, which take the same time, when there are
    no files. Four fifths of them are dark as in the real ones, or the steps would be too large for them."""
    images = os.path.join(folder, "mnist", "train-images-idx3-ubyte.gz")
    if os.path.exists(images):
        labels = read_idx(images.replace("images-idx3", "labels-idx1"), 8)
        return read_idx(images, 16).view(-1, 28, 28), labels.long(), "mnist"
    generator = torch.Generator().manual_seed(0)
    noise = torch.randint(256, (60000, 28, 28), dtype=torch.uint8, generator=generator)
    return noise.mul_(noise > 204), torch.randint(CLASSES, (60000,), generator=generator), "random bytes"


class Mlp(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = torch.nn.Linear(INPUTS, HIDDEN)
        self.fc2 = torch.nn.Linear(HIDDEN, CLASSES)

    def forward(self, x):
        return self.fc2(functional.relu(self.fc1(x)))
