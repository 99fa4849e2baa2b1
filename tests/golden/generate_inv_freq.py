#!/usr/bin/env python3
"""Writes inv_freq.json: the frequencies of RoPE as PyTorch computes them in fp32 on different machines.

LlamaRotaryEmbedding's line, 1.0 / (base ** (arange(0, d, 2, int64).float() / d)), with each of PyTorch's own sets of
kernels (ATEN_CPU_CAPABILITY): "default" takes the C library's powf, "avx2" and "avx512" the vectorised one of SLEEF.
Bit patterns are of "default"; of the others the pairs that differ are listed as [pair, units in the last place].

Run it with torch installed, on a CPU with AVX-512; the tests do not need it.
"""
import json
import os
import pathlib
import subprocess
import sys

WIDTHS = (32, 48, 64, 80, 96, 112, 128, 160, 192, 256)
BASES = (10000.0, 25000.0, 150000.0, 500000.0, 1000000.0, 10000000.0)
CAPABILITIES = ("default", "avx2", "avx512")


def tables():
    import numpy as np
    import torch
    def bits(d, base):
        inv_freq = 1.0 / (base ** (torch.arange(0, d, 2, dtype=torch.int64).to(dtype=torch.float) / d))
        return inv_freq.numpy().view(np.uint32).tolist()
    capability = torch.backends.cpu.get_cpu_capability()
    return {"capability": capability, "torch": torch.__version__,
            "tables": [bits(d, base) for base in BASES for d in WIDTHS]}


def main():
    if sys.argv[1:] == ["--tables"]:
        print(json.dumps(tables()))
        return
    made = {}
    for capability in CAPABILITIES:
        environment = {**os.environ, "ATEN_CPU_CAPABILITY": capability}
        made[capability] = json.loads(subprocess.check_output([sys.executable, __file__, "--tables"], env=environment))
        assert made[capability]["capability"].lower() == capability, made[capability]["capability"]
    cases = []
    places = [(base, d) for base in BASES for d in WIDTHS]
    for i, (base, d) in enumerate(places):
        plain = made["default"]["tables"][i]
        case = {"d": d, "base": base, "default": plain}
        for capability in CAPABILITIES[1:]:
            other = made[capability]["tables"][i]
            case[capability] = [[t, b - a] for t, (a, b) in enumerate(zip(plain, other)) if a != b]
        cases.append(case)
    document = {"generator": "tests/golden/generate_inv_freq.py",
                "versions": {"python": sys.version.split()[0], "torch": made["default"]["torch"]}, "cases": cases}
    rows = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    head = json.dumps({k: v for k, v in document.items() if k != "cases"})[:-1]
    pathlib.Path(__file__).with_name("inv_freq.json").write_text(f'{head}, "cases": [\n{rows}\n]}}\n')


main()
