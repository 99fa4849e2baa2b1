#!/usr/bin/env python3
"""Writes python/pyorrery/golden.json, the vectors that come with pyorrery, without calling Orrery.

    python3 tests/golden/generate_vectors.py

They are queries that the rotary functions of Transformers turned, those of rope_scaling.json
(generate_rope_scaling.py) that people meet most, by name. Needs the standard library alone.
"""

import json
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parent.parent / "python" / "pyorrery" / "golden.json"

# name: model, and settings that tell its case from the others of that model
NAMED = {
    "llama": ("llama", {"rope.scaling": "none", "rope.fraction": 1.0}),
    "llama linear": ("llama", {"rope.scaling": "linear", "rope.fraction": 1.0}),
    "llama dynamic": ("llama", {"rope.scaling": "dynamic_ntk", "rope.length": 301}),
    "llama yarn": ("llama", {"rope.scaling": "yarn", "rope.factor": 16.0, "rope.original_length": 4096}),
    "llama 3.1": ("llama", {"rope.scaling": "llama3", "rope.factor": 8.0}),
    "deepseek yarn": ("llama", {"rope.scaling": "yarn", "rope.factor": 40.0}),
    "gpt-oss": ("llama", {"rope.truncate": False}),
    "cohere": ("cohere", {"rope.scaling": "none"}),
    "cohere yarn": ("cohere", {"rope.scaling": "yarn"}),
    "gpt-neox linear": ("gpt_neox", {"rope.scaling": "linear"}),
    "gpt-neox yarn": ("gpt_neox", {"rope.scaling": "yarn"}),
}


def find(cases, model, settings):
    for case in cases:
        if case["model"] == model and settings.items() <= case["settings"].items():
            return case
    raise SystemExit(f"rope_scaling.json has no {model} with {settings}")


def vector(name, case):
    settings = {"encoding": "rope", "rope.pairing": case["pairing"]}
    for key, value in case["settings"].items():
        settings["dim" if key == "d" else key] = value
    return {
        "name": name,
        "settings": settings,
        "positions": case["positions"],
        "x": case["q"],
        "turned": [[float(f"{value:.9g}") for value in row] for row in case["turned_q"]],
    }


def main():
    source = json.loads((HERE / "rope_scaling.json").read_text())
    vectors = [vector(name, find(source["transformers"], *which)) for name, which in NAMED.items()]
    golden = {
        "generator": f"tests/golden/{pathlib.Path(__file__).name}",
        "versions": source["versions"],
        "vectors": vectors,
    }
    OUT.write_text(json.dumps(golden) + "\n")


main()
