#!/usr/bin/env python3
"""Writes the .gguf files beside this script, with gguf's own writer.

Each model file has the keys and tensors that llama.cpp's converter writes for the configuration that
the test compares it with. blocks.gguf has a tensor of every type that is decoded, random bytes with chosen
scales, and its values as gguf's reference decodes them.
The tests read the files and need no Python. Needs gguf and numpy.
"""
import math
import pathlib

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


TYPES = [Type.F32, Type.F16, Type.BF16, Type.F64, Type.Q4_0, Type.Q4_1, Type.Q5_0, Type.Q5_1, Type.Q8_0, Type.IQ4_NL,
         Type.MXFP4, Type.Q2_K, Type.Q3_K, Type.Q4_K, Type.Q5_K, Type.Q6_K, Type.IQ4_XS]
# Where a block has its float16 scales; MXFP4 has an exponent.
SCALES_AT = {Type.Q4_1: [0, 2], Type.Q5_1: [0, 2], Type.Q2_K: [80, 82], Type.Q3_K: [108], Type.Q4_K: [0, 2],
             Type.Q5_K: [0, 2], Type.Q6_K: [208]}
# Usual, negative, subnormal, zero of both signs, the largest, the smallest normal.
SCALES = [0.037, -0.61, 2.0**-24, -3 * 2.0**-24, 0.0, -0.0, 65504.0, 2.0**-14]
EXPONENTS = [0, 1, 2, 100, 127, 128, 200, 250]


def plain_numbers(kind, random):
    numbers = np.concatenate([random.normal(size=248), SCALES]).astype(np.float32)
    if kind == Type.BF16:
        return quantize(numbers.reshape(1, -1), kind).flatten()
    return numbers.astype({Type.F32: np.float32, Type.F16: np.float16, Type.F64: np.float64}[kind])


def random_blocks(kind, random):
    """A block for each scale; what is not a scale is any byte."""
    data = random.integers(0, 256, size=(len(SCALES), gguf.GGML_QUANT_SIZES[kind][1]), dtype=np.uint8)
    if kind == Type.MXFP4:
        data[:, 0] = EXPONENTS
    else:
        for turn, at in enumerate(SCALES_AT.get(kind, [0])):
            data[:, at : at + 2] = np.roll(np.array(SCALES, dtype="<f2"), 3 * turn).view(np.uint8).reshape(-1, 2)
    return data.flatten()


def blocks(writer):
    """For each type a tensor of its blocks, and "TYPE.values": their numbers as the reference decodes them."""
    sizes(writer, 1, 64, 1, 128)
    random = np.random.default_rng(0)
    for kind in TYPES:
        name = kind.name.lower()
        if kind in (Type.F32, Type.F16, Type.F64):
            data = plain_numbers(kind, random)
            values = data.astype(np.float32)
            writer.add_tensor(name, data)
        else:
            data = plain_numbers(kind, random) if kind == Type.BF16 else random_blocks(kind, random)
            values = dequantize(data, kind)
            writer.add_tensor(name, data, raw_dtype=kind)
        assert np.isfinite(values).all()
        writer.add_tensor(name + ".values", values.astype(np.float32))


def main():
    write("llama31", "llama", llama31)
    write("gemma3", "gemma3", gemma3)
    write("deepseek2", "deepseek2", deepseek2)
    write("phi3", "phi3", phi3)
    write("blocks", "llama", blocks)


main()
