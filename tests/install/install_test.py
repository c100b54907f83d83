"""The installed library, a plug-in that is built outside the tree against it, and what the loader refuses.
Usage: install_test.py BUILD_FOLDER SKELETON_FOLDER CXX_COMPILER"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, SKELETON, COMPILER = sys.argv[1:4]

CONFIG = """
[[shift]]
kind = "negative"
strength = 0.5
[clients]
count = 4
[model]
kind = "softmax"
[clusters]
count = 2
init = "random"
[rounds]
count = 2
"""


def done(*command, **options):
    """Runs a command that must succeed."""
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="coterie-install-")
        cls.addClassCleanup(cls.folder.cleanup)
        top = cls.folder.name
        done("cmake", "--install", BUILD, "--prefix", os.path.join(top, "prefix"))
        # A copy, so that nothing can be found by its place in the tree.
        shutil.copytree(SKELETON, os.path.join(top, "source"))
        done("cmake", "-S", os.path.join(top, "source"), "-B", os.path.join(top, "plugins"), "-G", "Ninja",
             "-DCMAKE_PREFIX_PATH=" + os.path.join(top, "prefix"), "-DCMAKE_CXX_COMPILER=" + COMPILER)
        done("cmake", "--build", os.path.join(top, "plugins"))
        cls.program = os.path.join(top, "prefix/bin/coterie")
        cls.plugin = os.path.join(top, "plugins/negative.so")
        with open(os.path.join(top, "exp.toml"), "w") as file:
            file.write(CONFIG)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def call(self, *arguments, **variables):
        return subprocess.run([self.program, *arguments], capture_output=True, text=True,
                              env={**os.environ, **variables})

    def compile(self, name, *lines):
        """A shared library of these lines, compiled without CMake."""
        with open(self.path(name + ".cc"), "w") as file:
            file.write("\n".join(lines) + "\n")
        done(COMPILER, "-std=c++20", "-shared", "-fPIC", "-I" + self.path("prefix/include"), self.path(name + ".cc"),
             "-o", self.path(name + ".so"))
        return self.path(name + ".so")

    def expect_error(self, plugin, sentence):
        result = self.call("--plugin", plugin, "list", "shifts")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertIn("error: plug-in", result.stderr)
        self.assertIn(os.path.basename(plugin), result.stderr)
        self.assertIn(sentence, result.stderr)

    def version(self):
        return self.call("--version").stdout.strip()

    def test_a_plugin_is_listed_like_a_built_in_one(self):
        names = self.call("list", "shifts", "--names").stdout.split()
        self.assertNotIn("negative", names)
        with_it = self.call("--plugin", self.plugin, "list", "shifts", "--names")
        self.assertEqual(with_it.stdout.split(), sorted(names + ["negative"]), with_it.stderr)
        after = self.call("list", "shifts", "negative", "--plugin", self.plugin)
        self.assertIn("strength = 1", after.stdout, after.stderr)

    def test_folders_and_the_environment_name_plugins_too(self):
        os.makedirs(self.path("only"), exist_ok=True)
        shutil.copy(self.plugin, self.path("only"))
        for result in (self.call("--plugin", self.path("only"), "list", "shifts"),
                       self.call("list", "shifts", COTERIE_PLUGINS=":" + self.path("only"))):
            self.assertIn("negative", result.stdout, result.stderr)

    def test_a_run_uses_the_plugin(self):
        config = self.path("exp.toml")
        refused = self.call("run", config, "--out", self.path("without"), "--quiet")
        self.assertEqual(refused.returncode, 2)
        self.assertIn('"negative" is unknown', refused.stderr)
        result = self.call("--plugin", self.plugin, "run", config, "--out", self.path("with"), "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)
        plain = self.call("--plugin", self.plugin, "run", config, "--out", self.path("plain"), "--quiet", "--set",
                          "shift.0.strength=0.25")
        self.assertEqual(plain.returncode, 0, plain.stderr)
        rounds = [open(self.path(name + "/rounds.jsonl")).read() for name in ("with", "plain")]
        self.assertNotEqual(rounds[0], rounds[1], "the shift changed nothing")

    def test_another_version_is_refused_before_its_code_runs(self):
        plugin = self.compile("old", "#include <cstdlib>",
                              'extern "C" const char coterie_plugin_version[];',
                              'const char coterie_plugin_version[] = "coterie-plugin-version=0.0.1";',
                              "static const int kStarted = (std::abort(), 1);")
        self.expect_error(plugin, f"it was built against coterie 0.0.1, but this is coterie {self.version()}")

    def test_a_library_that_is_no_plugin_is_refused(self):
        plugin = self.compile("stranger", "int nothing() { return 0; }")
        self.expect_error(plugin, "does not say which version of coterie it was built against")

    def test_a_name_in_use_is_refused(self):
        plugin = self.compile("again", "#include <coterie/shift.h>",
                              'extern "C" const char coterie_plugin_version[];',
                              f'const char coterie_plugin_version[] = "coterie-plugin-version={self.version()}";',
                              'static const coterie::Registration<coterie::Shift> kAgain{"rotate", "", nullptr};')
        self.expect_error(plugin, 'the name "rotate" is in use already')

    def test_a_plugin_that_lacks_a_symbol_is_refused(self):
        plugin = self.compile("lacking", "int nowhere();", "int kUsed = nowhere();",
                              'extern "C" const char coterie_plugin_version[];',
                              f'const char coterie_plugin_version[] = "coterie-plugin-version={self.version()}";')
        self.expect_error(plugin, "it cannot be loaded")

    def test_what_is_no_library_is_refused(self):
        with open(self.path("text.so"), "w") as file:
            file.write("not a library")
        self.expect_error(self.path("text.so"), "is not a shared library")
        self.expect_error(self.path("nowhere.so"), "no such file")
        os.makedirs(self.path("empty"), exist_ok=True)
        result = self.call("--plugin", self.path("empty"), "list", "shifts")
        self.assertEqual(result.returncode, 1)
        self.assertIn("the folder holds no .so file", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
