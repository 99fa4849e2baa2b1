#!/usr/bin/env python3
"""Writes broken_weights/: models of transformer/ with one thing changed, which no reader may run.

    python3 generate_broken_weights.py

Python's standard library alone.
"""
import json
import pathlib
import struct

GOLDEN = pathlib.Path(__file__).resolve().parent
WIDTHS = {"F32": 4, "F16": 2, "BF16": 2, "F64": 8}


def read(model):
    """By name: type, shape and bytes of each tensor."""
    tensors = {}
    for path in sorted((GOLDEN / "transformer" / model).glob("*.safetensors")):
        data = path.read_bytes()
        size = struct.unpack("<Q", data[:8])[0]
        for name, entry in json.loads(data[8:8 + size]).items():
            if name != "__metadata__":
                begin, end = (8 + size + offset for offset in entry["data_offsets"])
                tensors[name] = (entry["dtype"], entry["shape"], data[begin:end])
    return tensors


def write(name, config, tensors):
    folder = GOLDEN / "broken_weights" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=1, sort_keys=True) + "\n")
    header, data = {}, b""
    for tensor, (dtype, shape, numbers) in tensors.items():
        header[tensor] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(numbers)]}
        data += numbers
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)


def reshaped(shape):
    """The first numbers of a tensor, as many as the shape holds."""
    def change(dtype, _, numbers):
        count = WIDTHS[dtype]
        for size in shape:
            count *= size
        return dtype, shape, (numbers * 2)[:count]
    return change


def vast(dtype, shape, numbers):
    """3e38 everywhere: a product of two is no number of fp32."""
    count = len(numbers) // WIDTHS[dtype]
    return "F32", shape, struct.pack("<f", 3e38) * count


LAYER = "encoder.layer.0.attention.self"
# By name: a model, what becomes of tensors, and of keys.
BROKEN = {
    "deberta2_conv_no_taps": ("deberta_v2-on", {"deberta.encoder.conv.conv.weight": reshaped([16, 16, 0])}, {}),
    "deberta_q_bias_of_0": ("deberta-off", {f"deberta.{LAYER}.q_bias": reshaped([0])}, {}),
    "deberta_v_bias_of_1": ("deberta-off", {f"deberta.{LAYER}.v_bias": reshaped([1])}, {}),
    "gemma2_hidden_100000": ("gemma2-off", {}, {"hidden_size": 100000}),
    "gpt_neox_3d": ("gpt_neox-off", {"gpt_neox.layers.0.attention.query_key_value.weight": reshaped([48, 16, 1])}, {}),
    "llama_norm_of_0": ("llama-off", {"model.layers.1.input_layernorm.weight": reshaped([0])}, {}),
    "roberta_segments_2x3": ("roberta-off", {"roberta.embeddings.token_type_embeddings.weight": reshaped([2, 3])}, {}),
    "gpt2_overflow": ("gpt2-off", {"h.1.mlp.c_fc.weight": vast, "h.1.mlp.c_proj.weight": vast},
                      {}),
}


def main():
    for name, (model, changes, keys) in BROKEN.items():
        tensors = read(model)
        for tensor, change in changes.items():
            tensors[tensor] = change(*tensors[tensor])
        config = json.loads((GOLDEN / "transformer" / model / "config.json").read_text())
        write(name, config | keys, tensors)


main()
