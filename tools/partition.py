#!/usr/bin/env python3
"""A server and its clients in network namespaces of their own, over a line with delay, loss and one partition.

  partition.py PROGRAM [--clients 4] [--rounds 30] [--delay 50] [--loss 1] [--partition 20]

Needs root, `ip` and `tc`. Delay and loss need the kernel's netem; where there is none, it says so and goes on with the
partition alone. The run must finish with the bits of the same run in one process. Ends with status 1 otherwise, and
with 77 where namespaces cannot be made.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import chaos

SERVER, CLIENTS = "coterie-server", "coterie-clients"


def call(*command, check=True):
    return subprocess.run([str(one) for one in command], check=check, capture_output=True, text=True)


def make_line():
    """Two namespaces and a line between them; False when this machine has no such thing."""
    for name in (SERVER, CLIENTS):
        call("ip", "netns", "del", name, check=False)
        if call("ip", "netns", "add", name, check=False).returncode != 0:
            return False
    if call("ip", "link", "add", "coterie0", "netns", SERVER, "type", "veth", "peer", "name", "coterie1", "netns",
            CLIENTS, check=False).returncode != 0:
        return False
    for name, device, address in ((SERVER, "coterie0", "10.77.0.1/24"), (CLIENTS, "coterie1", "10.77.0.2/24")):
        call("ip", "-n", name, "addr", "add", address, "dev", device)
        call("ip", "-n", name, "link", "set", device, "up")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--delay", type=float, default=50, help="ms each way together")
    parser.add_argument("--loss", type=float, default=1, help="percent")
    parser.add_argument("--partition", type=float, default=20, help="seconds")
    options = parser.parse_args()
    if not shutil.which("ip") or not shutil.which("tc") or not make_line():
        print("network namespaces cannot be made here")
        sys.exit(77)
    netem = True
    for name, device in ((SERVER, "coterie0"), (CLIENTS, "coterie1")):
        made = call("ip", "netns", "exec", name, "tc", "qdisc", "add", "dev", device, "root", "netem", "delay",
                    f"{options.delay / 2}ms", "loss", f"{options.loss}%", check=False)
        netem = netem and made.returncode == 0
    program = str(pathlib.Path(options.program).resolve())
    folder = pathlib.Path(tempfile.mkdtemp(prefix="coterie-partition-"))
    (folder / "exp.toml").write_text(chaos.CONFIG.format(**vars(options)))
    call(program, "run", folder / "exp.toml", "--out", folder / "alone", "--quiet")
    call(program, "data", "deal", folder / "exp.toml", "--out", folder / "dealt")
    names = sorted(one.stem for one in (folder / "dealt").glob("*.npz"))
    call(program, "certs", folder / "certs", "--server", "10.77.0.1", "--clients", ",".join(names))
    began, processes = time.time(), []

    def start(namespace, name, *arguments):
        command = ["ip", "netns", "exec", namespace, program, *map(str, arguments), "--certs", str(folder / "certs")]
        processes.append(subprocess.Popen(command, stdout=open(folder / f"{name}.out", "w"), stderr=subprocess.STDOUT))

    start(SERVER, "server", "serve", folder / "dealt/serve.toml", "--listen", "10.77.0.1:7070", "--out", folder / "served",
          "--set", "fleet.absent=300")
    for name in names:
        start(CLIENTS, name, "join", "--server", "10.77.0.1:7070", "--name", name, "--data", folder / f"dealt/{name}.npz")
    log = folder / "served/times.csv"
    while not (log.exists() and len(log.read_text().splitlines()) > 3) and time.time() - began < 60:
        time.sleep(0.02)
    cut = not (folder / "served/summary.json").exists()
    call("ip", "-n", SERVER, "link", "set", "coterie0", "down")
    time.sleep(options.partition)
    call("ip", "-n", SERVER, "link", "set", "coterie0", "up")
    try:
        status = processes[0].wait(timeout=300)
    except subprocess.TimeoutExpired:
        status = "none after 300 s"
    time.sleep(2)
    for process in processes:
        process.kill()
    for name in (SERVER, CLIENTS):
        call("ip", "netns", "del", name, check=False)
    same = status == 0 and chaos.figures(folder / "alone")[2] == chaos.figures(folder / "served")[2]
    print(f"{time.time() - began:.0f} s, delay and loss: {'yes' if netem else 'no netem in this kernel'}, partition of "
          f"{options.partition:.0f} s {'in' if cut else 'AFTER'} the run; the server's status {status}; "
          f"{'same bits as in one process' if same else 'NOT the same bits: see ' + str(folder)}")
    if same:
        shutil.rmtree(folder)
    sys.exit(0 if same and cut else 1)


if __name__ == "__main__":
    main()
