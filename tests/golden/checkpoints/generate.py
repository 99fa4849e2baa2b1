#!/usr/bin/env python3
"""Writes the checkpoints beside this script, with safetensors and Transformers.

types.safetensors has a tensor of every type and shape that weights have, and "TENSOR.values": its numbers
as PyTorch converts them to float64. sharded/ and whole/ are one small random Llama as save_pretrained
writes it, in three shards and in one file.
The tests read the files and need no Python. Needs torch, transformers and safetensors.
"""
import json
import pathlib
import platform
import shutil

import safetensors
import torch
import transformers
from safetensors.torch import save_file
from transformers import LlamaConfig, LlamaForCausalLM

HERE = pathlib.Path(__file__).resolve().parent
# Usual, negative, subnormal as float16, zero of both signs, the largest float16.
NUMBERS = [0.1, -2.5, 2.0**-24, -3 * 2.0**-24, 0.0, -0.0, 65504.0, 1 / 3]


def tensors():
    numbers = torch.tensor(NUMBERS, dtype=torch.float64)
    types = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
    made = {name: (numbers.reshape(2, 4) / 3).to(kind) for name, kind in types.items()}
    made["vector"] = numbers.to(torch.float32)
    made["scalar"] = torch.tensor(0.25)
    made["rank5"] = torch.arange(24.0, dtype=torch.float16).reshape(1, 2, 3, 2, 2)
    made["no_rows"] = torch.zeros(0, 4)
    made["no_columns"] = torch.zeros(3, 0)
    made.update({f"{name}.values": tensor.double() for name, tensor in list(made.items())})
    made["position_ids"] = torch.arange(4).reshape(1, 4)
    made["mask"] = torch.tensor([[True, False]])
    return {name: tensor.contiguous().clone() for name, tensor in made.items()}


def llama():
    torch.manual_seed(0)
    config = LlamaConfig(vocab_size=40, hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=2,
                         num_key_value_heads=1, tie_word_embeddings=False)
    return LlamaForCausalLM(config).to(torch.bfloat16)


def save(model, name, **options):
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    model.save_pretrained(folder, **options)
    for file in folder.iterdir():
        file.chmod(0o644)
        if not file.name.startswith("model"):
            file.unlink()


def sign(index):
    """What every JSON of tests/golden says, in the part of an index that readers ignore."""
    text = json.loads(index.read_text())
    text["metadata"]["generator"] = "tests/golden/checkpoints/generate.py"
    modules = {"torch": torch, "transformers": transformers, "safetensors": safetensors}
    versions = {name: module.__version__ for name, module in modules.items()}
    text["metadata"]["versions"] = {"python": platform.python_version(), **versions}
    index.write_text(json.dumps(text, indent=2, sort_keys=True) + "\n")


def main():
    save_file(tensors(), HERE / "types.safetensors")
    (HERE / "types.safetensors").chmod(0o644)
    model = llama()
    save(model, "whole")
    save(model, "sharded", max_shard_size="4KB")
    sign(HERE / "sharded/model.safetensors.index.json")


main()
