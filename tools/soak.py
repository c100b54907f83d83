#!/usr/bin/env python3
"""A server that works for a long time while its clients come and go: its memory stays flat, and no descriptor is lost.

Clients are ended politely (SIGTERM), killed (-9) and started again all the time, at random, and visitors look in
(coterie check). Twice a second the server's memory and descriptors are read.

  soak.py PROGRAM [--minutes 20] [--clients 12] [--seed 1]

Prints a line for each part of the time, and ends with status 1 when the server ended, when memory in the last quarter
is above that of the second by more than a tenth and 10 MB, or when more descriptors are left once all clients are gone
than there were before the first.
"""

import argparse
import pathlib
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from chaos import free_port

CONFIG = """
name = "soak"
seed = {seed}
[data]
source = "digits"
test_share = 0
[clients]
count = {clients}
partition = "iid"
[model]
kind = "mlp"
hidden = [64]
[clusters]
count = 2
init = "random"
[algorithm]
kind = "ifca"
[local]
rate = 0.01
[rounds]
count = 1000000
[evaluate]
every = 10
[checkpoint]
every = 20
"""


def memory_mb(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024


def descriptors(pid):
    return len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))


def rounds_of(folder):
    try:
        return (folder / "served/rounds.jsonl").read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--clients", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="coterie-soak-"))
    program = str(pathlib.Path(options.program).resolve())
    (folder / "exp.toml").write_text(CONFIG.format(**vars(options)))
    run = lambda *a: subprocess.run([program, *map(str, a)], check=True, capture_output=True, text=True)
    run("data", "deal", folder / "exp.toml", "--out", folder / "dealt")
    names = sorted(p.stem for p in (folder / "dealt").glob("*.npz"))
    run("certs", folder / "certs", "--server", "127.0.0.1", "--clients", ",".join([*names, "visitor"]))
    port = free_port()
    security = ["--certs", str(folder / "certs")]

    def start(*command):
        out = open(folder / "out.txt", "a")
        process = subprocess.Popen([program, *map(str, command), *security], stdout=out, stderr=out)
        out.close()
        return process

    def join(name):
        return start("join", "--server", f"127.0.0.1:{port}", "--name", name, "--data", folder / f"dealt/{name}.npz",
                     "--out", folder / f"out-{name}")

    server = start("serve", folder / "dealt/serve.toml", "--listen", f"127.0.0.1:{port}", "--out", folder / "served",
                   "--log", folder / "log.jsonl", "--set", "fleet.deadline=20", "--set", "fleet.absent=0.5",
                   "--set", "fleet.quorum=0.1", "--set", "fleet.below=repeat")
    time.sleep(2)
    alone = descriptors(server.pid)
    clients = {name: join(name) for name in names}
    chance = random.Random(options.seed)
    left = came = visits = 0
    samples = []
    began = time.time()
    wrong = []
    while time.time() - began < 60 * options.minutes and not wrong:
        time.sleep(0.5)
        if server.poll() is not None:
            wrong.append(f"the server ended with status {server.returncode}; what it said is in {folder}/out.txt")
            break
        if rounds_of(folder) > 2:
            samples.append((time.time() - began, memory_mb(server.pid), descriptors(server.pid)))
        for name, process in clients.items():
            here = process is not None and process.poll() is None
            if here and chance.random() < 0.04:
                process.send_signal(chance.choice([signal.SIGTERM, signal.SIGKILL]))
                process.wait()
                clients[name] = None
                left += 1
            elif not here and chance.random() < 0.3:
                clients[name] = join(name)
                came += 1
        if chance.random() < 0.1:
            subprocess.run([program, "check", f"127.0.0.1:{port}", "--name", "visitor", *security], capture_output=True)
            visits += 1
    rounds = rounds_of(folder)
    for process in clients.values():
        if process is not None and process.poll() is None:
            process.kill()
            process.wait()
    if not wrong:
        # Who was killed is noticed at once, as its socket closes.
        time.sleep(5)
        bare = descriptors(server.pid)
        quarters = [samples[len(samples) * k // 4:len(samples) * (k + 1) // 4] for k in range(4)]
        for k, quarter in enumerate(quarters):
            if quarter:
                print(f"{quarter[0][0]:6.0f} s to {quarter[-1][0]:.0f} s: {statistics.median(m for _, m, _ in quarter):.1f} MB "
                      f"(at most {max(m for _, m, _ in quarter):.1f}), "
                      f"{statistics.median(d for _, _, d in quarter):.0f} descriptors")
        if any(len(quarter) < 3 for quarter in quarters):
            wrong.append("too short to say anything")
        else:
            second, last = (statistics.median(m for _, m, _ in quarters[k]) for k in (1, 3))
            if last > 1.1 * second + 10:
                wrong.append(f"memory grew from {second:.1f} MB to {last:.1f} MB")
        # Threads that gRPC starts when they are needed, and files of the run, take a few.
        if bare > alone + 15:
            wrong.append(f"{bare} descriptors are left without any client; {alone} before the first one")
        print(f"{alone} descriptors before the first client, {bare} once all are gone")
        server.kill()
        server.wait()
    print(f"{time.time() - began:.0f} s, {rounds} rounds: {left} times a client left, {came} times one came back, {visits} visits; "
          + ("; ".join(wrong) if wrong else "memory is flat and no descriptor is lost"))
    if not wrong:
        shutil.rmtree(folder)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
