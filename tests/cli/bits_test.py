"""The same bits: threads, the scrambling fleet, kill -9 and resume. Usage: bits_test.py PROGRAM EXAMPLES"""

import os
import signal
import subprocess
import sys
import time
import unittest

from program import call, contents, lines_of, PROGRAM, ProgramTest


class Bits(ProgramTest):
    def kill_after(self, config, out, lines):
        process = subprocess.Popen([PROGRAM, "run", config, "--out", out, "--quiet", "--resume"])
        log = os.path.join(out, "rounds.jsonl")
        deadline = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < deadline:
            if lines_of(log) >= lines:
                break
            time.sleep(0.0005)
        process.kill()
        process.wait()

    def test_same_bits_at_any_number_of_threads_and_through_scrambling(self):
        for algorithm in ("ifca", "local"):
            config = self.config(algorithm)
            reference = self.run_to(config, algorithm + "1", "--threads", "1")
            for threads in ("2", "7"):
                self.assertEqual(self.run_to(config, algorithm + threads, "--threads", threads), reference)
            single = self.run_to(config, algorithm + "single", "--set", "fleet.block=1")
            scrambled = self.run_to(config, algorithm + "scrambled", "--set", "fleet.block=1", "--fleet", "scramble")
            single.pop("config.toml"), scrambled.pop("config.toml")
            self.assertEqual(scrambled, single)

    def test_resolved_config_gives_the_same_bits(self):
        first = self.run_to(self.config(), "first")
        again = self.run_to(self.path("first/config.toml"), "again")
        self.assertEqual(again, first)

    def test_killed_at_three_moments_and_resumed(self):
        for algorithm in ("ifca", "local"):
            config = self.config(algorithm, hidden=64, rounds=40)
            unbroken = self.run_to(config, algorithm + "-unbroken")
            out = self.path(algorithm + "-killed")
            # Before the first checkpoint, in the middle, and shortly before the end.
            for lines in (2, 15, 28):
                self.kill_after(config, out, lines)
                self.assertFalse(os.path.exists(os.path.join(out, "summary.json")), "killed too late to test anything")
            result = call("run", config, "--out", out, "--quiet", "--resume")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(contents(out), unbroken)
            with open(os.path.join(out, "times.csv")) as file:
                rounds = [row.split(",")[0] for row in file]
            self.assertEqual(rounds, ["round"] + [str(t) for t in range(1, 41)], "the time of each round, once")

    def test_stopped_politely_and_resumed(self):
        config = self.config(hidden=64, rounds=40)
        unbroken = self.run_to(config, "unbroken")
        out = self.path("stopped")
        process = subprocess.Popen([PROGRAM, "run", config, "--out", out, "--quiet", "--force"], stderr=subprocess.PIPE, text=True)
        while not os.path.exists(os.path.join(out, "rounds.jsonl")) and process.poll() is None:
            time.sleep(0.0005)
        process.send_signal(signal.SIGTERM)
        message = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 1)
        self.assertIn("stopping after this round", message)
        command = message.splitlines()[-1]  # is what goes on, whatever the first command was
        result = subprocess.run(command, shell=True, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(contents(out), unbroken)

    def test_stopped_during_its_start(self):
        config = self.config(hidden=64, rounds=2)
        out = self.path("stopped")
        process = subprocess.Popen([PROGRAM, "run", config, "--out", out, "--force", "--set", "clusters.init=restarts",
                                    "--set", "clusters.restarts.trials=200", "--set", "clusters.restarts.rounds=200"],
                                   stderr=subprocess.PIPE, text=True)
        log = os.path.join(out, "rounds.jsonl")
        while not os.path.exists(log) and process.poll() is None:
            time.sleep(0.0005)
        process.send_signal(signal.SIGINT)
        message = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 1)
        self.assertTrue(message.splitlines()[-1].endswith("--resume"), message)
        self.assertNotIn("--force", message)

    def test_a_run_can_be_made_longer(self):
        for algorithm in ("ifca", "local"):
            whole = self.run_to(self.config(algorithm, rounds=7), algorithm + "-whole")
            self.run_to(self.config(algorithm, rounds=3), algorithm)
            self.assertEqual(self.run_to(self.config(algorithm, rounds=7), algorithm, "--resume"), whole)
            shorter = call("run", self.config(algorithm, rounds=5), "--out", self.path(algorithm), "--resume")
            self.assertEqual(shorter.returncode, 2)
            self.assertIn("rounds.count = 7 there, 5 here", shorter.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
