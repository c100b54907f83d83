#!/usr/bin/env python3
"""A federation over a network that is disturbed all the time, and what comes of it.

A server and its clients are processes of their own. Between them is a proxy that delays bytes, cuts lines and damages
bytes; clients and the server are killed (-9) at random moments and started again, the server with --resume. Everybody
comes back in time, so the models must have the bits of an undisturbed run in one process, every client the same
cluster, and no reply may have counted twice: the bytes of content are those of the undisturbed run.

  chaos.py PROGRAM [--clients 8] [--rounds 30] [--kills 20] [--seed 1] [--keep DIR] [--plain]

Prints what happened, and ends with status 1 if anything is wrong.
"""

import argparse
import csv
import json
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

CONFIG = """
name = "chaos"
seed = {seed}
[data]
source = "digits"
test_share = 0
[[shift]]
kind = "rotate"
angles = [0, 180]
[clients]
count = {clients}
reuse = "per-cluster"
[model]
kind = "mlp"
hidden = [32]
[clusters]
count = 2
init = "random"
[algorithm]
kind = "ifca"
[local]
rate = 0.1
batch = 16
momentum = 0.5
[rounds]
count = {rounds}
[evaluate]
every = 5
[checkpoint]
every = 2
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Proxy:
    """Passes bytes on between clients and the server, late, and not always whole."""

    def __init__(self, target, chance):
        self.target, self.chance = target, chance
        self.cut = self.damaged = 0
        self.quiet = False  # nothing is harmed any more
        self.lock = threading.Lock()
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen(64)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.socket.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self.target), timeout=5)
            except OSError:
                client.close()
                continue
            for one in (client, server):
                one.settimeout(None)
            for way in ((client, server), (server, client)):
                threading.Thread(target=self.carry, args=way, daemon=True).start()

    def carry(self, here, there):
        try:
            while data := here.recv(1 << 16):
                with self.lock:
                    wait, fate = self.chance.uniform(0, 0.03), self.chance.random()
                    place = self.chance.randrange(len(data))
                time.sleep(wait)
                if not self.quiet and fate < 0.002:
                    self.cut += 1
                    break
                if not self.quiet and fate < 0.004:
                    self.damaged += 1
                    data = data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :]
                there.sendall(data)
        except OSError:
            pass
        for one in (here, there):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Federation:
    def __init__(self, program, folder, options):
        self.program, self.folder, self.options = program, folder, options
        self.port = free_port()
        self.proxy = Proxy(self.port, random.Random(options.seed))
        self.names = sorted(p.stem for p in (folder / "dealt").glob("*.npz"))
        self.processes = {}
        self.served = 0

    def call(self, *arguments):
        return subprocess.run([self.program, *map(str, arguments)], check=True, capture_output=True, text=True)

    def security(self):
        return ["--insecure"] if self.options.plain else ["--certs", str(self.folder / "certs")]

    def start(self, name):
        out = open(self.folder / f"{name}.out", "a")
        if name == "server":
            resume = ["--resume"] if self.served else []
            self.served += 1
            command = ["serve", self.folder / "dealt/serve.toml", "--listen", f"127.0.0.1:{self.port}", "--out",
                       self.folder / "served", "--wait", 120, "--log", self.folder / "log.jsonl", *resume]
            for setting in ("fleet.deadline=300", "fleet.absent=300"):
                command += ["--set", setting]
        else:
            command = ["join", "--server", f"127.0.0.1:{self.proxy.port}", "--name", name, "--data",
                       self.folder / f"dealt/{name}.npz", "--out", self.folder / f"out-{name}", "--patience", 60]
        self.processes[name] = subprocess.Popen([self.program, *map(str, command), *self.security()], stdout=out, stderr=out)

    def finished(self):
        return (self.folder / "served/summary.json").exists()

    def kill(self, name):
        self.processes[name].kill()
        self.processes[name].wait()


def figures(folder):
    lines = [json.loads(line) for line in (folder / "rounds.jsonl").read_text().splitlines()]
    with open(folder / "clients.csv") as table:
        clusters = {row["id"]: row["cluster"] for row in csv.DictReader(table) if row["role"] == "train"}
    models = {p.name: p.read_bytes() for p in sorted((folder / "models").glob("*.safetensors"))}
    return lines, clusters, models, json.loads((folder / "summary.json").read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=10, help="before it is called stuck")
    parser.add_argument("--keep", help="a folder that stays")
    parser.add_argument("--plain", action="store_true", help="without certificates")
    options = parser.parse_args()
    folder = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="coterie-chaos-"))
    folder.mkdir(parents=True, exist_ok=True)
    program = str(pathlib.Path(options.program).resolve())
    (folder / "exp.toml").write_text(CONFIG.format(**vars(options)))
    run = lambda *a: subprocess.run([program, *map(str, a)], check=True, capture_output=True, text=True)
    run("run", folder / "exp.toml", "--out", folder / "alone", "--quiet")
    run("data", "deal", folder / "exp.toml", "--out", folder / "dealt")
    federation = Federation(program, folder, options)
    run("certs", folder / "certs", "--server", "127.0.0.1", "--clients", ",".join(federation.names))

    chance = random.Random(options.seed + 1)
    began = time.time()
    for name in ["server", *federation.names]:
        federation.start(name)
    kills = {"server": 0, "clients": 0}
    while not federation.finished() and time.time() - began < 60 * options.minutes:
        time.sleep(chance.uniform(0.2, 0.8))
        if federation.finished():
            break
        if sum(kills.values()) < options.kills and (folder / "served/rounds.jsonl").exists():
            name = "server" if chance.random() < 0.25 else chance.choice(federation.names)
            federation.kill(name)
            kills["server" if name == "server" else "clients"] += 1
            time.sleep(chance.uniform(0, 0.5))
            federation.start(name)
        elif sum(kills.values()) >= options.kills:
            federation.proxy.quiet = True
        for name, process in federation.processes.items():
            if process.poll() is not None and not federation.finished():
                print(f"{name} ended by itself with status {process.returncode}:")
                print((folder / f"{name}.out").read_text()[-2000:])
                federation.start(name)
    wrong = []
    if not federation.finished():
        wrong.append("the run did not finish")
    for process in federation.processes.values():
        try:
            process.wait(timeout=30 if federation.finished() else 1)
        except subprocess.TimeoutExpired:
            wrong.append("a process did not end")
            process.kill()
    if federation.finished():
        alone, served = figures(folder / "alone"), figures(folder / "served")
        if alone[2] != served[2]:
            wrong.append("the models have other bits than those of the undisturbed run")
        if alone[1] != served[1]:
            wrong.append("a client is in another cluster")
        for key in ("bytes_up", "bytes_down", "accuracy"):
            if alone[3][key] != served[3][key]:
                wrong.append(f"{key}: {served[3][key]}, undisturbed {alone[3][key]}")
        if [line["round"] for line in alone[0]] != [line["round"] for line in served[0]]:
            wrong.append("rounds are missing or double")
    print(f"{time.time() - began:.0f} s: {kills['clients']} kills of clients, {kills['server']} of the server, "
          f"{federation.proxy.cut} lines cut, {federation.proxy.damaged} damaged; "
          + ("; ".join(wrong) if wrong else "same bits, same clusters, same bytes as undisturbed"))
    if not options.keep and not wrong:
        shutil.rmtree(folder)
    elif wrong:
        print("all files are in", folder)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
