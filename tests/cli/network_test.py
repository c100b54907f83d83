"""`serve`, `join` and `assign --server` as a user meets them: the live table, the page for Prometheus, newcomers."""

import os
import pty
import re
import socket
import subprocess
import sys
import threading
import time
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from program import PROGRAM, ProgramTest, call

CONFIG = """
name = "sites"
seed = 2
[data]
source = "csv"
file = "sites.csv"
client = "site"
target = "y"
[model]
kind = "softmax"
[clusters]
count = 2
init = "restarts"
[algorithm]
kind = "ifca"
[local]
rate = 0.5
epochs = 5
[rounds]
count = 40
"""


def rows(site, turned, count):
    xs = [0.31 * ((i * 7) % 23) - 3.4 for i in range(count)]
    return "".join(f"{site},{x:.2f},{'yes' if (x > 0) != turned else 'no'}\n" for x in xs)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Screen:
    """A program that writes to a terminal, and all that it wrote."""

    def __init__(self, *arguments, **options):
        self.text = ""
        ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=theirs, stdin=subprocess.DEVNULL, **options
        )
        os.close(theirs)
        self.reader = threading.Thread(target=self.read, args=(ours,), daemon=True)
        self.reader.start()

    def read(self, ours):
        while True:
            try:
                self.text += os.read(ours, 1 << 16).decode(errors="replace")
            except OSError:
                break
        os.close(ours)

    def wait_for(self, text, seconds=60):
        until = time.time() + seconds
        while text not in self.text:
            if time.time() > until or self.process.poll() is not None:
                raise AssertionError(f"no {text!r} in {self.text!r}")
            time.sleep(0.02)


class NetworkTest(ProgramTest):
    def setUp(self):
        super().setUp()
        names = ["anna", "bert", "carl", "dora"]
        with open(self.path("sites.csv"), "w") as file:
            file.write("site,x,y\n" + "".join(rows(name, name in ("carl", "dora"), 60) for name in names))
        with open(self.path("new.csv"), "w") as file:
            file.write("site,x,y\n" + rows("eve", True, 30) + rows("fay", False, 30))
        with open(self.path("exp.toml"), "w") as file:
            file.write(CONFIG)
        self.done("data", "deal", self.path("exp.toml"), "--out", self.path("dealt"))
        self.done("certs", self.path("certs"), "--server", "127.0.0.1", "--clients", ",".join([*names, "eve"]))
        self.names = names
        self.server = f"127.0.0.1:{free_port()}"

    def done(self, *arguments):
        result = call(*arguments, cwd=self.folder.name)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def serve(self, *more):
        screen = Screen("serve", self.path("dealt/serve.toml"), "--listen", self.server, "--certs",
                        self.path("certs"), "--out", self.path("run"), *more)
        self.addCleanup(screen.process.stdout.close)
        self.addCleanup(screen.process.wait)
        self.addCleanup(screen.process.kill)
        return screen

    def join_all(self):
        for name in self.names:
            one = subprocess.Popen([PROGRAM, "join", "--server", self.server, "--certs", self.path("certs"), "--name",
                                    name, "--data", self.path(f"dealt/{name}.csv"), "--quiet"])
            self.addCleanup(one.wait)
            self.addCleanup(one.kill)

    def assign(self, *where):
        return call("assign", *where, "--data", self.path("new.csv"), "--quiet", cwd=self.folder.name)

    def from_server(self):
        return self.assign("--server", self.server, "--certs", self.path("certs"), "--name", "eve")

    def test_a_server_shows_what_it_does_and_tells_newcomers_their_clusters(self):
        page = f"127.0.0.1:{free_port()}"
        serving = self.serve("--stay", "--metrics", page)
        serving.wait_for("0 of 4 clients have joined")
        early = self.from_server()
        self.assertEqual(early.returncode, 1, early.stderr)
        self.assertIn("the run is not finished", early.stderr)

        self.join_all()
        serving.wait_for("newcomers are welcome")
        with urllib.request.urlopen(f"http://{page}/metrics", timeout=5) as answer:
            self.assertEqual(answer.status, 200)
            numbers = dict(re.findall(r"^(coterie_\w+) (\S+)$", answer.read().decode(), re.M))
        self.assertEqual(numbers["coterie_round"], "40")
        self.assertEqual(numbers["coterie_rounds"], "40")
        self.assertEqual(numbers["coterie_dropped_total"], "0")
        self.assertEqual(numbers["coterie_refused_total"], "1", "the newcomer that came too early")
        self.assertGreater(float(numbers["coterie_sent_bytes_total"]), 1000)
        self.assertGreater(float(numbers["coterie_received_bytes_total"]), 1000)
        self.assertGreaterEqual(float(numbers["coterie_asks_total"]), 40)
        with self.assertRaises(urllib.error.HTTPError):
            urllib.request.urlopen(f"http://{page}/elsewhere", timeout=5)

        # The table is drawn over itself: each drawing begins with as many lines up as the last one had.
        for line in ("round      40 of 40", "connected  ", "dropped    0 in all", "bytes      ", "figures    accuracy"):
            self.assertIn(line, serving.text)
        self.assertRegex(serving.text, "\x1b\\[[4-9]A\x1b\\[J")

        there, here = self.from_server(), self.assign(self.path("run"))
        self.assertEqual(there.returncode, 0, there.stderr)
        self.assertEqual(there.stdout, here.stdout)
        self.assertEqual(len(there.stdout.splitlines()), 3)
        serving.process.terminate()
        self.assertEqual(serving.process.wait(30), 0)

        # A server of a run that is finished welcomes newcomers at once.
        again = self.serve("--stay", "--resume")
        again.wait_for("newcomers are welcome")
        self.assertEqual(self.from_server().stdout, here.stdout)

    def test_what_cannot_be_served_is_said_at_once(self):
        for section, more, text in (
            ('[fit]\ndescribe = ["size"]', [], "fit.describe"),
            ("[sweep]\nseed = [1, 2]", ["--stay"], "this is a sweep"),
        ):
            with open(self.path("dealt/serve.toml")) as file:
                config = file.read()
            with open(self.path("bad.toml"), "w") as file:
                file.write(config + "\n" + section + "\n")
            result = call("serve", self.path("bad.toml"), "--listen", self.server, "--certs", self.path("certs"), *more)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(text, result.stderr)

    def test_assign_says_which_run_it_needs(self):
        for arguments, text in (
            ([], "RUN, its folder, or --server"),
            (["--server", self.server], "--name"),
            ([self.path("run"), "--server", self.server, "--name", "eve"], "excludes"),
        ):
            result = self.assign(*arguments)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(text, result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
