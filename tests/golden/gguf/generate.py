#!/usr/bin/env python3
"""Writes the .gguf files beside this script, and blocks.json, with gguf's own writer.

Each model file has the keys and tensors that llama.cpp's converter writes for the configuration that
the test compares it with. blocks.gguf has a tensor of every type that is decoded; blocks.json has their
values as gguf's reference decodes them. Blocks that gguf cannot write are random bytes with finite scales.
The tests read the files and need no Python. Needs gguf and numpy.
"""
import json
import math
import pathlib
import platform

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf import GGUFWriter
from gguf.quants import dequantize, quantize

HERE = pathlib.Path(__file__).resolve().parent


def write(name, architecture, fill):
    writer = GGUFWriter(HERE / f"{name}.gguf", architecture)
    fill(writer)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def sizes(writer, layers, hidden, heads, context):
    writer.add_block_count(layers)
    writer.add_embedding_length(hidden)
    writer.add_head_count(heads)
    writer.add_context_length(context)


def llama31(writer):
    """Llama 3.1: its scaling is a tensor of factors, by the formula of llama.cpp's converter."""
    sizes(writer, 2, 256, 2, 131072)
    writer.add_rope_dimension_count(128)
    writer.add_rope_freq_base(500000.0)
    writer.add_array("tokenizer.ggml.tokens", ["a", "b", "longer"])
    low, high, factor, length, factors = 1.0, 4.0, 8.0, 8192, []
    for frequency in 1.0 / (500000.0 ** (np.arange(0, 128, 2, dtype=np.float32) / 128)):
        wavelength = 2 * math.pi / frequency
        smooth = (length / wavelength - low) / (high - low)
        blend = 1 / ((1 - smooth) / factor + smooth)
        factors.append(1 if wavelength < length / high else factor if wavelength > length / low else blend)
    writer.add_tensor("rope_freqs.weight", np.array(factors, dtype=np.float32))


def gemma3(writer):
    sizes(writer, 6, 2560, 8, 131072)
    writer.add_key_length(256)
    writer.add_sliding_window(1024)
    writer.add_rope_freq_base(1000000.0)
    writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
    writer.add_rope_scaling_factor(8.0)


def deepseek2(writer):
    sizes(writer, 1, 7168, 128, 163840)
    writer.add_key_length_mla(192)
    writer.add_key_length(576)
    writer.add_rope_dimension_count(64)
    writer.add_rope_freq_base(10000.0)
    writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
    writer.add_rope_scaling_factor(40.0)
    writer.add_rope_scaling_orig_ctx_len(4096)
    writer.add_rope_scaling_yarn_log_mul(0.1)


def phi3(writer):
    sizes(writer, 1, 128, 2, 131072)
    writer.add_rope_dimension_count(64)
    writer.add_rope_freq_base(10000.0)
    writer.add_rope_scaling_orig_ctx_len(4096)
    writer.add_rope_scaling_attn_factors(math.sqrt(1 + math.log(32) / math.log(4096)))
    writer.add_tensor("rope_factors_short.weight", np.linspace(1, 2, 32, dtype=np.float32))
    writer.add_tensor("rope_factors_long.weight", np.linspace(1, 64, 32, dtype=np.float32))


def blocks(expected):
    def fill(writer):
        sizes(writer, 1, 64, 1, 128)
        random = np.random.default_rng(0)
        numbers = random.normal(size=256).astype(np.float32)
        for kind in [Type.F32, Type.F16, Type.BF16, Type.Q8_0, Type.Q4_0, Type.MXFP4, Type.Q4_K, Type.Q5_K, Type.Q6_K]:
            try:
                data = quantize(numbers, kind)
            except NotImplementedError:
                size = gguf.GGML_QUANT_SIZES[kind][1]
                data = random.integers(0, 256, size=size, dtype=np.uint8)
                scale = np.frombuffer(np.float16(0.037).tobytes(), dtype=np.uint8)
                for at in [208] if kind == Type.Q6_K else [0, 2]:
                    data[at : at + 2] = scale
            name = kind.name.lower()
            values = data.astype(np.float32) if kind in (Type.F32, Type.F16) else dequantize(data, kind)
            expected[name] = [float(value) for value in values.flatten()]
            if kind in (Type.F32, Type.F16):
                writer.add_tensor(name, data)
            else:
                writer.add_tensor(name, data, raw_dtype=kind)

    return fill


def main():
    write("llama31", "llama", llama31)
    write("gemma3", "gemma3", gemma3)
    write("deepseek2", "deepseek2", deepseek2)
    write("phi3", "phi3", phi3)
    expected = {}
    write("blocks", "llama", blocks(expected))
    versions = {"python": platform.python_version(), "gguf": "0.19.0", "numpy": np.__version__}
    text = {"generator": "tests/golden/gguf/generate.py", "versions": versions, "values": expected}
    (HERE / "blocks.json").write_text(json.dumps(text).replace('"values"', '\n"values"') + "\n")


main()
