"""What check_model knows of scales, lengths and layers, without a model of PyTorch."""

import types
import unittest

import numpy as np

import pyorrery as orr
from pyorrery import checks

SMALL = dict(
    model_type="llama", hidden_size=32, intermediate_size=32, num_attention_heads=2, num_hidden_layers=2,
    vocab_size=16, max_position_embeddings=16,
)  # fmt: skip


def llama(**parameters):
    return {**SMALL, "rope_parameters": {"rope_theta": 10000.0, **parameters}}


class Scales(unittest.TestCase):
    """A temperature, a norm or a learned scale after the position is not what the position did."""

    def setUp(self):
        random = np.random.default_rng(0)
        self.after = random.standard_normal((1, 3, 24, 8)).astype(np.float32)
        self.rows = random.uniform(0.5, 2, (1, 3, 24, 1))
        self.channels = random.uniform(0.5, 2, (1, 3, 1, 8))

    def test_rows_and_channels_are_scaled(self):
        for scale in (self.rows, self.channels, -self.channels, self.rows * self.channels):
            self.assertTrue(checks._scaled(self.after, self.after * scale, 1e-7))

    def test_rotation_is_no_scale(self):
        turned = orr.Encoding("rope").apply(self.after[0])[None]
        self.assertFalse(checks._scaled(self.after, turned, 1e-7))
        self.assertFalse(checks._scaled(self.after, turned * self.channels, 1e-7))

    def test_channels_of_few_rows_are_not_told_from_a_rotation(self):
        one = self.after[:, :, :1]
        self.assertTrue(checks._scaled(one, 3 * one, 1e-7))
        self.assertFalse(checks._scaled(one, one * self.channels, 1e-7))

    def test_roundings_are_allowed_for(self):
        error = np.random.default_rng(1).uniform(0.995, 1.005, self.after.shape)
        self.assertFalse(checks._scaled(self.after, self.after * error, 2.0**-23))
        self.assertTrue(checks._scaled(self.after, self.after * error, 2.0**-7))


class Stretches(unittest.TestCase):
    """Calls whose length changes the frequencies are looked at by themselves."""

    def test_one_rope(self):
        for config in (llama(rope_type="default"), llama(rope_type="linear", factor=2.0)):
            self.assertEqual(checks._stretches([12, 1, 1, 1], config, 0), [(0, 15)])
        self.assertEqual(checks._stretches([24], llama(rope_type="dynamic", factor=4.0), 0), [(0, 24)])

    def test_dynamic_scaling_begins(self):
        stretches = checks._stretches([14, 1, 1, 1, 1], llama(rope_type="dynamic", factor=4.0), 0)
        self.assertEqual(stretches, [(0, 16), (16, 17), (17, 18)])

    def test_long_factors_begin(self):
        config = llama(rope_type="longrope", factor=4.0, short_factor=[1.0] * 8, long_factor=[2.0] * 8,
                       original_max_position_embeddings=16)  # fmt: skip
        config["max_position_embeddings"] = 64
        self.assertEqual(checks._stretches([14, 1, 1, 1, 1], config, 1), [(0, 16), (16, 18)])


class Layers(unittest.TestCase):
    """A model's own numbers of its layers."""

    @staticmethod
    def of(config, count):
        return checks._planned(config, types.SimpleNamespace(config=types.SimpleNamespace(num_hidden_layers=count)))

    def test_each_layer_attends(self):
        self.assertEqual({at: one["layer"] for at, one in self.of(llama(rope_type="default"), 2).items()}, {0: 0, 1: 1})

    def test_blocks_of_a_file_that_the_code_pairs(self):
        blocks = ["sliding_attention", "mlp", "full_attention", "mlp"]
        config = {**SMALL, "model_type": "dory", "layer_types": blocks, "head_dim": 16, "num_hidden_layers": 4}
        self.assertEqual({at: one["layer"] for at, one in self.of(config, 2).items()}, {0: 0, 1: 2})


if __name__ == "__main__":
    unittest.main()
