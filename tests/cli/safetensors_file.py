"""A model's file as a state dict of PyTorch, which must be there."""

import json
import struct

import torch


def state_dict(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        body = file.read()
    assert header.pop("__metadata__")["format"] == "2"
    state = {}
    for name, entry in header.items():
        kind, dtype = {"F32": ("f", torch.float32), "F64": ("d", torch.float64)}[entry["dtype"]]
        begin, end = entry["data_offsets"]
        values = [value for (value,) in struct.iter_unpack("<" + kind, body[begin:end])]
        state[name] = torch.tensor(values, dtype=dtype).reshape(entry["shape"])
    return state
