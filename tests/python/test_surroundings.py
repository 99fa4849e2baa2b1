"""What stands around pyorrery: vectors of others, its plugin of pytest, and the desktop it opens."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import pyorrery as orr

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
GEMMA = TREE / "assets" / "models" / "gemma_3_27b.json"


def turn(x, at, base=10000.0):
    d = x.shape[-1]
    angle = np.asarray(at, dtype=np.float64)[:, None] * base ** (-2.0 * np.arange(d // 2) / d)
    a, b = x[..., : d // 2], x[..., d // 2 :]
    cos, sin = np.cos(angle), np.sin(angle)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


class Vectors(unittest.TestCase):
    def test_orrery_turns_them_as_transformers_did(self):
        for name in orr.golden_names():
            vectors = orr.golden(name)
            settings = {key: value for key, value in vectors.settings.items() if key != "dim"}
            vectors.check(orr.Encoding(settings).apply)

    def test_a_wrong_function_is_told_where(self):
        vectors = orr.golden("llama")
        vectors.check(turn)
        with self.assertRaisesRegex(AssertionError, "the first at position 1, channel 1: "):
            vectors.check(lambda x, at: turn(x, at, 500.0))
        with self.assertRaisesRegex(AssertionError, "shape"):
            vectors.check(lambda x, at: x[:3])
        with self.assertRaises(AssertionError):
            vectors.check(lambda x, at: x * np.nan)
        with self.assertRaisesRegex(ValueError, "choose one of"):
            orr.golden("no such")

    def test_ropes_of_a_model_are_each_there_once(self):
        sliding, full = orr.ropes_of(GEMMA)
        self.assertEqual(sliding.name, "gemma_3_27b.json layers 0-4,6-10,12-16,...")
        self.assertEqual(full.layers[:2], [5, 11])
        sliding.check(turn)
        with self.assertRaisesRegex(AssertionError, "base 10000"):
            full.check(turn)
        full.check(lambda x, at: turn(x, at / 8.0, 1e6))


MINE = """
import numpy as np

def my_rope(x, at):
    d = x.shape[-1]
    angle = at[:, None] * 10000.0 ** (-2.0 * np.arange(d // 2) / d)
    a, b = x[..., : d // 2], x[..., d // 2 :]
    cos, sin = np.cos(angle), np.sin(angle)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)
"""


@unittest.skipUnless(importlib.util.find_spec("pytest"), "pytest is not installed")
class Plugin(unittest.TestCase):
    """The tests that docs/checking.md shows, over a function that suits half of Gemma's layers."""

    def pytest(self, *words):
        page = (TREE / "docs" / "checking.md").read_text(encoding="utf-8")
        (tests,) = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "test_mine.py"
            path.write_text(tests)
            (pathlib.Path(folder) / "my_package.py").write_text(MINE)
            plugin = ["-p", "pyorrery_pytest", "-p", "no:cacheprovider", "-rs"]
            command = [sys.executable, "-m", "pytest", *plugin, *words, str(path)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_each_rope_of_a_model_is_a_test(self):
        status, out = self.pytest("--orrery-config", str(GEMMA))
        self.assertEqual(status, 1, out)
        self.assertIn("test_my_rope[gemma_3_27b.json layers 5,11,17,...]", out)
        self.assertIn("base 10000", out)
        self.assertRegex(out, "1 failed, [0-9]+ passed")

    def test_without_a_model_the_tests_say_what_is_missing(self):
        status, out = self.pytest()
        self.assertEqual(status, 0, out)
        self.assertIn("no --orrery-config DIR", out)

    def test_what_is_no_model_is_refused(self):
        status, out = self.pytest("--orrery-config", "/no/such")
        self.assertEqual(status, 4, out)
        self.assertIn("/no/such", out)

    def test_it_loads_nothing_until_it_is_asked(self):
        code = "import sys, pyorrery_pytest; print({'numpy', 'pyorrery'} & set(sys.modules))"
        out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout
        self.assertEqual(out.strip(), b"set()")


class Desktop(unittest.TestCase):
    """A program of the test's stands for the desktop, and says what it was given."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.said = pathlib.Path(folder.name) / "said.txt"
        program = pathlib.Path(folder.name) / "desktop"
        program.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" >'{self.said}'\n")
        program.chmod(0o755)
        environment = {"ORRERY_DESKTOP": str(program), "DISPLAY": ":7"}
        for name, value in environment.items():
            before = os.environ.get(name)
            os.environ[name] = value
            self.addCleanup(self.restore, name, before)

    @staticmethod
    def restore(name, value):
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value

    def words(self, process):
        self.assertEqual(process.wait(30), 0)
        return self.said.read_text().splitlines()

    def test_it_is_opened_as_a_process_of_its_own(self):
        words = self.words(orr.show("attention_map", encoding="alibi", alibi__form="symmetric", causal=True))
        self.assertEqual(words, ["--view", "attention_map", "encoding=alibi", "alibi.form=symmetric", "causal=true"])

    def test_a_result_is_opened_with_its_settings_and_arrays(self):
        q = np.random.default_rng(0).standard_normal((6, 8))
        words = self.words(orr.run("attention_map", q=q, k=q, encoding="alibi", heads=4).show())
        self.assertEqual(words[:2], ["--view", "attention_map"])
        self.assertIn("heads=4", words)
        (path,) = [word[2:] for word in words if word.startswith("q=")]
        np.testing.assert_array_equal(np.load(path), q)

    def test_a_path_is_opened(self):
        self.assertEqual(self.words(orr.show(TREE / "assets")), [str(TREE / "assets")])

    def test_without_a_display_it_says_what_to_do(self):
        os.environ["DISPLAY"] = ""
        display = os.environ.pop("WAYLAND_DISPLAY", None)
        if display is not None:
            self.addCleanup(self.restore, "WAYLAND_DISPLAY", display)
        with self.assertRaisesRegex(orr.UsageError, "render=FOLDER"):
            orr.show("rotation")

    def test_the_real_one_draws(self):
        program = os.environ.get("ORRERY_REAL_DESKTOP")
        if not program:
            self.skipTest("this build has no desktop (ORRERY_REAL_DESKTOP is not set)")
        os.environ["ORRERY_DESKTOP"] = program
        with tempfile.TemporaryDirectory() as folder:
            (picture,) = orr.show("rotation", render=folder)
            self.assertTrue(picture.read_bytes().startswith(b"\x89PNG"))
            with self.assertRaises(orr.UsageError):
                orr.show("rotation", bas=3, render=folder)
            saved = pathlib.Path(folder) / "saved"
            command = [os.environ["ORRERY_PROGRAM"], "run", "rotation", "--format", "none", "--quiet"]
            subprocess.run([*command, "--out", str(saved)], check=True)
            (picture,) = orr.show(saved, render=pathlib.Path(folder) / "shown")
            self.assertEqual(picture.name, "saved_results.png")
            two = [program, str(saved), str(saved), "--render", folder]
            done = subprocess.run(two, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("is a second path", done.stderr)


if __name__ == "__main__":
    unittest.main()
