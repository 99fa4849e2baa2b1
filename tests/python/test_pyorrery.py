"""pyorrery against formulas in NumPy, which call nothing of Orrery's.

Needs NumPy alone. What torch, pandas or matplotlib add is tested where they are installed.
"""

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

import numpy as np

import pyorrery as orr

TESTS = pathlib.Path(__file__).resolve().parent.parent
HALF = {"encoding": "rope", "rope.pairing": "half_split", "base": 10000.0}


def has(*modules):
    return all(importlib.util.find_spec(module) for module in modules)


def angles(positions, d, base=10000.0):
    theta = base ** (-2.0 * np.arange(d // 2) / d)
    return np.asarray(positions, dtype=np.float64)[:, None] * theta


def half_split(x, positions, base=10000.0):
    """[..., N, d], pair t in channels t and t + d/2."""
    d = x.shape[-1]
    a, b = x[..., : d // 2].astype(np.float64), x[..., d // 2 :].astype(np.float64)
    cos, sin = np.cos(angles(positions, d, base)), np.sin(angles(positions, d, base))
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


def interleaved(x, positions, base=10000.0):
    """Pair t in channels 2t and 2t + 1."""
    order = np.r_[0 : x.shape[-1] : 2, 1 : x.shape[-1] : 2]
    out = np.empty(x.shape)
    out[..., order] = half_split(x[..., order], positions, base)
    return out


def normals(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


class Arrays(unittest.TestCase):
    def setUp(self):
        self.x = normals(3, 7, 16)
        self.at = np.array([0, 1, 5, 4, 1000, 99999, 12])
        self.expected = half_split(self.x, self.at)

    def test_masked_arrays_are_refused_where_something_is_masked(self):
        masked = np.ma.array(self.x, mask=self.x > 1)
        with self.assertRaisesRegex(TypeError, "masked array"):
            orr.apply(masked, "rope", self.at)
        np.testing.assert_array_equal(
            orr.apply(np.ma.array(self.x), "rope", self.at), orr.apply(self.x, "rope", self.at)
        )

    def test_what_takes_too_much_is_refused_before_it_is_taken(self):
        with self.assertRaisesRegex(orr.UsageError, "999999998 points"):
            orr.sweep("long_term_decay", dim=range(2, 10**9))
        self.assertEqual(len(orr.sweep("long_term_decay", dim=np.array(8)).points), 1)

    def test_what_is_no_encoding_is_named(self):
        for spec in (None, 3, ["rope"]):
            with self.assertRaisesRegex(orr.UsageError, "is no encoding"):
                orr.Encoding(spec)

    def test_apply_is_the_formula(self):
        for convention, formula in (("half_split", half_split), ("interleaved", interleaved)):
            turned = orr.apply(self.x, "rope", self.at, rope__pairing=convention)
            np.testing.assert_allclose(turned, formula(self.x, self.at), atol=1e-10)

    def test_any_order_and_strides_give_the_same_bits_in_c_order(self):
        turned = orr.apply(self.x, HALF, self.at)
        wide = np.zeros((3, 14, 48))
        wide[:, ::2, ::3] = self.x
        backwards = self.x[::-1, ::-1].copy()[::-1, ::-1]
        for same in (np.asfortranarray(self.x), wide[:, ::2, ::3], backwards):
            found = orr.apply(same, HALF, self.at)
            self.assertTrue(found.flags.c_contiguous)
            self.assertEqual(found.tobytes(), turned.tobytes())
        swapped = self.x.astype(self.x.dtype.newbyteorder())
        self.assertEqual(orr.apply(swapped, HALF, self.at).tobytes(), turned.tobytes())

    def test_results_have_the_type_of_what_was_given_and_are_rounded_once(self):
        for dtype in (np.float16, np.float32, np.float64):
            x = self.x.astype(dtype)
            turned = orr.apply(x, HALF, self.at)
            self.assertEqual(turned.dtype, dtype)
            exact = orr.apply(x, HALF, self.at, dtype=np.float64)
            self.assertEqual(turned.tobytes(), exact.astype(dtype).tobytes())
        self.assertEqual(orr.apply(np.eye(4, dtype=np.int32), HALF).dtype, np.float64)
        self.assertEqual(orr.Encoding(HALF).arithmetic, "fp64")
        self.assertEqual(orr.Encoding(HALF, precision="exact_fp32").arithmetic, "fp32")

    def test_what_cannot_be_read_exactly_is_refused(self):
        for wrong in (self.x.astype(complex), self.x.astype(np.longdouble), [["a", "b"]]):
            with self.assertRaises(TypeError):
                orr.apply(wrong, HALF)
        broken = self.x.copy()
        broken[0, 0, 3] = np.nan
        with self.assertRaisesRegex(orr.DataError, r"holds NaN at \[0, 0, 3\]"):
            orr.apply(broken, HALF)
        with self.assertRaisesRegex(orr.DataError, "whole numbers"):
            orr.apply(self.x[0], HALF, np.linspace(0, 1, 7))
        with self.assertRaisesRegex(orr.UsageError, "5 positions for 7 rows"):
            orr.apply(self.x[1], HALF, range(5))
        with self.assertRaises(ValueError):
            orr.apply(np.zeros((1, 1, 1, 2, 2)), HALF)

    def test_dlpack_is_read_in_place(self):
        class Tensor:
            """What torch and JAX show of a tensor."""

            def __init__(self, array):
                self.array = array

            def __dlpack__(self, *args, **kwargs):
                return self.array.__dlpack__(*args, **kwargs)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        x = np.asfortranarray(self.x.astype(np.float32))
        found = orr.apply(Tensor(x), HALF, Tensor(self.at))
        self.assertEqual(found.tobytes(), orr.apply(x, HALF, self.at).tobytes())
        self.assertEqual(found.dtype, np.float32)

    @unittest.skipUnless(has("torch"), "torch is not installed")
    def test_torch(self):
        import torch

        x = torch.tensor(self.x)
        found = orr.apply(x.transpose(0, 1), HALF, torch.arange(3))
        np.testing.assert_array_equal(found, orr.apply(self.x.swapaxes(0, 1), HALF))
        brain = x.to(torch.bfloat16)
        found = orr.apply(brain, HALF, self.at)
        self.assertEqual(found.dtype, np.float32)
        exact = half_split(brain.double().numpy(), self.at)
        np.testing.assert_allclose(found, exact, rtol=1e-6, atol=1e-6)
        with self.assertRaises(Exception):  # torch's own: it asks for detach()
            orr.apply(x.requires_grad_(), HALF)


class Encodings(unittest.TestCase):
    def test_bias_of_alibi(self):
        slopes = 2.0 ** -np.arange(1, 9)
        m = np.arange(5)
        expected = -slopes[:, None, None] * np.abs(m[:, None] - m[None, :])
        np.testing.assert_array_equal(orr.bias("alibi", 5, heads=8), expected)
        single = orr.bias("alibi", [3, 4], range(5), heads=8, dtype=np.float32)
        np.testing.assert_array_equal(single, expected[:, 3:].astype(np.float32))
        with self.assertRaisesRegex(orr.UsageError, "adds no bias"):
            orr.bias("rope", 4)

    def test_frequencies(self):
        theta = 5e5 ** (-2.0 * np.arange(32) / 64)
        np.testing.assert_allclose(orr.rope_frequencies("rope", dim=64, base=5e5), theta, rtol=1e-14)
        config = dict(model_type="llama", num_hidden_layers=2, hidden_size=256,
                      num_attention_heads=4, rope_theta=5e5)  # fmt: skip
        np.testing.assert_allclose(orr.rope_frequencies(config, layer=1), theta, rtol=1e-6)

    def test_attention_is_the_softmax_of_scaled_products(self):
        q, k, v = (normals(2, 6, 8, seed=i) for i in range(3))
        found = orr.attend(q, k, v, "alibi", causal=True, heads=2)
        slopes = np.array([2.0**-4, 2.0**-8])
        distance = np.arange(6)[:, None] - np.arange(6)[None, :]
        logits = q @ k.swapaxes(1, 2) / np.sqrt(8) - slopes[:, None, None] * np.abs(distance)
        np.testing.assert_allclose(found.logits, logits, atol=1e-14)
        weights = np.where(distance >= 0, np.exp(logits), 0)
        weights /= weights.sum(-1, keepdims=True)
        np.testing.assert_allclose(found.weights, weights, atol=1e-15)
        np.testing.assert_allclose(found.output, weights @ v, atol=1e-14)
        np.testing.assert_allclose(sum(found.terms.values()), found.logits, atol=1e-14)
        self.assertEqual(found.report["arithmetic"], "fp64")
        self.assertFalse(found.output.flags.writeable)
        self.assertEqual(set(orr.attend(q, k, v, "none", arrays=["weights"]).arrays),
                         {"weights", "output"})  # fmt: skip

    def test_arrays_of_results_outlive_them(self):
        outputs = [orr.attend(*[normals(64, 64, seed=i)] * 3).output for i in range(20)]
        copies = [orr.attend(*[normals(64, 64, seed=i)] * 3).output.copy() for i in range(20)]
        for kept, copy in zip(outputs, copies):
            np.testing.assert_array_equal(kept, copy)

    def test_settings_are_those_of_the_command_line(self):
        for spec in ("encoding=rope base=500000", {"encoding": "rope", "base": 500000}):
            self.assertEqual(orr.Encoding(spec).settings["base"], 500000)
        with self.assertRaisesRegex(orr.UsageError, "did you mean base"):
            orr.Encoding("rope", bas=3)
        with self.assertRaisesRegex(orr.UsageError, "did you mean encoding=rope"):
            orr.Encoding("roep")
        table = normals(1, 2)
        with self.assertRaises(orr.UsageError):
            orr.Encoding("rope", tables={"no.such": table})


class Finding(unittest.TestCase):
    def test_identify_names_base_and_defect(self):
        q = normals(2, 40, 32).astype(np.float32)
        right = half_split(q, range(40), 5e5).astype(np.float32)
        found = orr.identify(q, right, expect=dict(HALF, base=5e5))
        self.assertTrue(found.explained and found.as_expected)
        self.assertEqual(found.defect, "")
        found = orr.identify(q, right, expect=HALF)
        self.assertFalse(found.as_expected)
        self.assertIn("base 500000, not 10000", found.defect)
        np.testing.assert_allclose(
            orr.apply(q, found.best.setting), right, atol=1e-5
        )

    def test_identify_takes_models_frequencies_and_biases(self):
        q = normals(2, 40, 32).astype(np.float32)
        right = half_split(q, range(40), 5e5).astype(np.float32)
        config = dict(model_type="llama", num_hidden_layers=2, hidden_size=64,
                      num_attention_heads=2, rope_theta=5e5)  # fmt: skip
        self.assertTrue(orr.identify(q, right, expect=config, layer=1).as_expected)
        later = orr.identify(q, half_split(q, range(7, 47), 5e5).astype(np.float32), expect=config)
        self.assertTrue(later.as_expected)
        self.assertEqual(later.rows, "rows 0–39 at 7–46")
        self.assertIn("rows 0–39 at 7–46", str(later))
        turned = orr.identify(
            q.swapaxes(0, 1), right.swapaxes(0, 1), tokens_first=True, most=1, format="fp32"
        )
        self.assertEqual((turned.format, turned.best.facts["base"]), ("fp32", "500000"))
        theta = (5e5 ** (-np.arange(16) / 16)).astype(np.float32)
        self.assertEqual(orr.identify(inv_freq=theta).best.facts["base"], "500000")
        ahead = np.arange(8) - np.arange(8)[:, None]
        bias = np.where(ahead > 0, -np.inf, np.stack([ahead / 16.0, ahead / 256.0]))
        self.assertEqual(orr.identify(bias=bias).best.facts["family"], "ALiBi")
        with self.assertRaisesRegex(orr.UsageError, "read only when bias is not given"):
            orr.identify(q, right, bias=bias)
        with self.assertRaisesRegex(orr.UsageError, "something to identify"):
            orr.identify()

    def test_check_rope_tells_right_from_wrong(self):
        spec = dict(HALF)
        self.assertTrue(orr.check_rope(half_split, spec))
        wrong = {
            "pairing": interleaved,
            "base": lambda x, at: half_split(x, at, 500000.0),
            "offset": lambda x, at: half_split(x, at + 1),
            "direction": lambda x, at: half_split(x, -at),
            "position": lambda x, at: half_split(x, 0 * at),
        }
        for name, function in wrong.items():
            found = orr.check_rope(function, spec)
            self.assertFalse(found, name)
            self.assertNotIn(found.defect, ("", "unexplained"), name)
        self.assertIn("base", orr.check_rope(wrong["base"], spec).defect)

    def test_positions_of_a_configuration(self):
        config = dict(model_type="gemma2", num_hidden_layers=4, hidden_size=64, head_dim=16,
                      num_attention_heads=4, sliding_window=8)  # fmt: skip
        plan = orr.positions(config)
        self.assertEqual(len(plan["layers"]), 4)
        self.assertEqual(plan["layers"][0]["window"], 8)
        with self.assertRaises(orr.FileError):
            orr.positions("/no/such/config.json")

    def test_forward_gives_the_losses_of_transformers(self):
        model = TESTS / "golden" / "transformer" / "llama-off"
        with np.load(model / "expected.npz") as golden:
            tokens, logits = golden["tokens"], golden["vocab_logits"]
        logits = logits[:-1] - logits[:-1].max(-1, keepdims=True)
        loss = np.log(np.exp(logits).sum(-1)) - logits[np.arange(len(logits)), tokens[1:]]
        found = orr.forward(model, tokens, precision="exact", arrays=["loss", "hidden"], layers=[0])
        np.testing.assert_allclose(found.loss, loss, atol=1e-12)
        np.testing.assert_array_equal(found.arrays["loss"], found.loss)
        single = orr.forward(model, tokens.tolist())
        np.testing.assert_allclose(single.loss, loss, rtol=1e-4)
        with self.assertRaisesRegex(orr.UsageError, "reads one of the two"):
            orr.forward(model, tokens, text="bundled:where_tokens_are.txt")


class Experiments(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = orr.run("long_term_decay", dim=64, max_distance=40)

    def test_a_result_is_what_the_program_prints(self):
        program = os.environ.get("ORRERY_PROGRAM")
        if not program:
            self.skipTest("ORRERY_PROGRAM is not set")
        text = subprocess.run(
            [program, "run", "long_term_decay", "dim=64", "max_distance=40", "--json", "--format",
             "none", "--out", os.path.join(os.environ.get("TMPDIR", "/tmp"), f"pyorrery-{os.getpid()}")],
            check=True, capture_output=True,
        ).stdout  # fmt: skip
        printed = json.loads(text)
        self.assertEqual(printed["scalars"], self.result.raw["scalars"])
        self.assertEqual(printed["provenance"]["params"], self.result.settings)

    def test_curves_are_arrays(self):
        curve = next(iter(self.result.curves["decay_bound"].values()))
        self.assertEqual(len(curve.x), len(curve.y))
        self.assertEqual(curve.y.dtype, np.float64)
        self.assertTrue(np.isfinite(curve.y).all())

    def test_it_shows_itself_in_notebooks(self):
        bundle = self.result._repr_mimebundle_()
        self.assertIn("</svg>", bundle["image/svg+xml"])
        self.assertTrue(self.result.png(scale=1).startswith(b"\x89PNG"))
        with self.assertRaisesRegex(orr.UsageError, "is not a figure of this result"):
            self.result.svg("no_such")

    @unittest.skipUnless(has("matplotlib"), "matplotlib is not installed")
    def test_plot(self):
        import matplotlib

        matplotlib.use("Agg")
        for figure in self.result.figures:
            if self.result._drawn[figure]["kind"] in ("lines", "heatmap"):
                self.assertTrue(self.result.plot(figure).get_title())

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_tables(self):
        frame = self.result.to_pandas()
        self.assertEqual(list(frame.columns), ["figure", "curve", "x", "y", "low", "high"])

    def test_arrays_stand_for_files(self):
        q, k = normals(12, 16), normals(12, 16, seed=1)
        result = orr.run("attention_map", q=q, k=k, encoding="alibi")
        self.assertEqual(result.settings["q"], "(array)")
        self.assertTrue(any(array.shape == (12, 12) for array in result.arrays.values()))

    def test_a_training_begins_with_given_weights(self):
        folder = TESTS / "golden" / "training_start"
        case = json.loads((folder / "training_start.json").read_text())["cases"][2]
        start = folder / "alibi.safetensors"
        curve = next(iter(orr.run("training", **case["settings"], start=start).curves["loss"].values()))
        np.testing.assert_allclose(curve.y, case["losses"], rtol=1e-5)
        with self.assertRaisesRegex(orr.UsageError, "start as an array"):
            orr.run("training", start=normals(4, 4))

    def test_a_sweep_has_every_combination(self):
        told = []
        swept = orr.sweep(
            "long_term_decay", dim=[32, 64], base=[1e3, 1e4], max_distance=20, threads=2,
            progress=lambda fraction, label: told.append(fraction),
        )  # fmt: skip
        self.assertEqual([(p.swept["dim"], p.swept["base"]) for p in swept],
                         [(32, 1000), (32, 10000), (64, 1000), (64, 10000)])  # fmt: skip
        self.assertEqual(told, [0.25, 0.5, 0.75, 1.0])
        alone = orr.run("long_term_decay", dim=64, base=1e4, max_distance=20)
        self.assertEqual(str(swept.points[3].result.measures), str(alone.measures))  # NaN and all
        self.assertEqual(len(swept.rows), 4)

    def test_verify_and_names(self):
        claims = orr.verify(draws=1, only="(16)")
        self.assertTrue(claims and all(claim.get("holds", True) for claim in claims))
        self.assertIn("rope", orr.names("encodings")["encodings"])
        self.assertEqual(orr.describe("long_term_decay")["experiment"], "long_term_decay")

    def test_work_stops(self):
        with self.assertRaises(orr.Stopped):
            orr.verify(draws=1, progress=lambda *_: False)

        def interrupt(*_):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            orr.verify(draws=1, progress=interrupt)

    def test_importing_takes_neither_torch_nor_pandas(self):
        code = "import sys, pyorrery; print({'torch', 'pandas', 'matplotlib'} & set(sys.modules))"
        out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout
        self.assertEqual(out.strip(), b"set()")


class Manual(unittest.TestCase):
    def test_the_code_of_the_page_runs(self):
        page = (TESTS.parent / "docs" / "python.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
        self.assertGreater(len(blocks), 2)
        names = {}
        for block in blocks:
            if not re.search("import (torch|transformers|pandas|matplotlib)", block):
                exec(compile(block, "docs/python.md", "exec"), names)  # pylint: disable=exec-used


if __name__ == "__main__":
    unittest.main()
