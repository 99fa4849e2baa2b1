#!/usr/bin/env python3
"""Writes published.json: attention by the code that authors published, run as it is.

    generate_published.py CHECKOUTS

CHECKOUTS has a clone of each repository of REPOSITORIES, as owner/name; nothing of them is copied
here, and the commits they stood at are among the versions. From a file are executed only the classes
and functions that are named, because most files need a GPU or the rest of their program to import.
While they run, float32 means float64, so that what asks for fp32 by name computes in fp64; all of it
is checked against loops or formulas in NumPy to 1e-12. The tokens are those of modern.json.
"""
import ast
import contextlib
import importlib.metadata
import importlib.util
import json
import math
import pathlib
import platform
import subprocess
import sys
import types

import einops
import numpy as np
import torch
import torch.nn.functional as F

REPOSITORIES = ("chijames/KERPLE", "model-architectures/GRAPE", "shawntan/stickbreaking-attention",
                "lucidrains/PoPE-pytorch", "mcleish7/arithmetic")
CHECKOUTS = pathlib.Path(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__)
torch.set_default_dtype(torch.float64)
tokens = json.loads(pathlib.Path(__file__).with_name("modern.json").read_text())
q, k, v = (np.array(tokens["inputs"][name]) for name in "qkv")
N, D = q.shape
HEADS, HEAD = tokens["inputs"]["heads"], tokens["inputs"]["head"]
of_modern = tokens["cases"]
distance = np.arange(N)[:, None] - np.arange(N)
content = q @ k.T / np.sqrt(D)


@contextlib.contextmanager
def in_fp64():
    kept = torch.float32, torch.float, torch.Tensor.float, torch.cuda.current_device
    torch.float32 = torch.float = torch.float64
    torch.Tensor.float = torch.Tensor.double
    torch.cuda.current_device = lambda: "cpu"
    try:
        yield
    finally:
        torch.float32, torch.float, torch.Tensor.float, torch.cuda.current_device = kept


def parts_of(path, names, **known):
    """Top-level definitions of a file, executed without the rest of it."""
    tree = ast.parse(path.read_text())
    tree.body = [node for node in tree.body if getattr(node, "name", "") in names or isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    space = {"torch": torch, "nn": torch.nn, "F": F, "math": math, "Parameter": torch.nn.Parameter, **known}
    exec(compile(tree, str(path), "exec"), space)
    return types.SimpleNamespace(**space)


def of_fla(path):
    root = pathlib.Path(importlib.util.find_spec("fla").submodule_search_locations[0])
    spec = importlib.util.spec_from_file_location("reference", root / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def numbers(rows, columns, a, b, m):
    return np.array([[((a * i + b * c) % m - m // 2) / 4.0 for c in range(columns)] for i in range(rows)])


def agree(a, b):
    worst = np.abs(np.asarray(a) - np.asarray(b)).max()
    assert worst < 1e-12, worst


def set_to(parameter, value):
    with torch.no_grad():
        parameter.copy_(torch.as_tensor(value).reshape(parameter.shape))


def case(logits, causal=True):
    """Attention with causal weights; of a causal method the logits of keys ahead are null."""
    logits = np.asarray(logits)
    assert logits.dtype == np.float64, logits.dtype
    weights = np.exp(np.where(distance >= 0, logits, -np.inf) - logits.max(axis=1, keepdims=True, where=distance >= 0, initial=-np.inf))
    weights /= weights.sum(axis=1, keepdims=True)
    kept = [[float(x) if j <= i or not causal else None for j, x in enumerate(row)] for i, row in enumerate(logits)]
    return {"logits": kept, "weights": weights.tolist(), "output": (weights @ v).tolist()}


def weights_alone(attend):
    """Of code that returns outputs only: those of unit vectors are the weights."""
    weights, output = (np.asarray(attend(torch.tensor(values))) for values in (np.eye(N), v))
    agree(weights @ v, output)
    return {"weights": weights.tolist(), "output": output.tolist()}


def heads_last(x):
    return torch.as_tensor(x)[None, :, None]


def every_head(x, heads):
    return torch.tensor(x)[None, :, None].expand(1, N, heads, D).contiguous()


def kerple():
    found = parts_of(CHECKOUTS / "chijames/KERPLE/megatron/mpu/layers.py", ("ParallelKerpleLog", "ParallelKerplePower"),
                     get_model_parallel_world_size=lambda: 1, get_model_parallel_rank=lambda: 0)
    r1, r2 = np.array([1.25, 0.5, 0.0625]), np.array([0.375, 1.0, 1.75])
    args = types.SimpleNamespace(num_attention_heads=HEADS, pos_emb="kerple_power_ap_", params_dtype=torch.float64)
    logarithmic, power = found.ParallelKerpleLog(args), found.ParallelKerplePower(args)
    for parameter, value in ((logarithmic.bias_p, r1), (logarithmic.bias_a, r2), (power.bias_a, r1), (power.bias_p, r2)):
        set_to(parameter, value)
    scores = torch.tensor(content).expand(1, HEADS, N, N)
    of = lambda module: [case(logits) for logits in module(scores)[0].detach().numpy()]
    found = {"r1": r1.tolist(), "r2": r2.tolist(), "logarithmic": of(logarithmic), "power": of(power)}
    behind = np.maximum(distance, 0)
    for head in range(HEADS):
        agree(found["power"][head]["weights"], case(content - r1[head] * behind ** r2[head])["weights"])
        agree(found["logarithmic"][head]["weights"], case(content - r1[head] * np.log(1 + r2[head] * behind))["weights"])
    return found


def fire():
    found = parts_of(CHECKOUTS / "mcleish7/arithmetic/cramming/architectures/embeddings.py", ("FIRE",))
    known = of_modern["fire"]
    module = found.FIRE(HEADS, 32, known["c"], known["threshold"])
    layers = module.mlp[0].weight, module.mlp[0].bias, module.mlp[2].weight, module.mlp[2].bias
    for parameter, value in zip(layers, (np.transpose(known["w1"]), known["b1"], np.transpose(known["w2"]), known["b2"])):
        set_to(parameter, np.asarray(value))
    module.eval()
    bias = module(N, "cpu")[0, HEAD].detach().numpy()
    agree(content + bias, known["logits"])
    return case(content + bias, causal=False)


def pope():
    found = parts_of(CHECKOUTS / "lucidrains/PoPE-pytorch/PoPE_pytorch/pope.py",
                     ("exists", "default", "apply_pope_to_qk", "PoPE"), Tensor=torch.Tensor, Module=torch.nn.Module, pi=math.pi,
                     arange=torch.arange, cat=torch.cat, stack=torch.stack, is_tensor=torch.is_tensor, autocast=torch.amp.autocast,
                     einsum=einops.einsum, rearrange=einops.rearrange,
                     PolarEmbedReturn=__import__("collections").namedtuple("PolarEmbedReturn", "freqs bias"),
                     slice_right_at_dim=lambda x, length, dim: x.narrow(dim, x.shape[dim] - length, length))
    module = found.PoPE(D, heads=HEADS)
    set_to(module.bias, np.array(of_modern["pope"]["phases"]))
    each = lambda x: torch.tensor(x).expand(1, HEADS, N, D)
    turned_q, turned_k = found.apply_pope_to_qk(module(N), each(q), each(k))
    logits = (turned_q @ turned_k.transpose(-1, -2))[0, HEAD].detach().numpy() / np.sqrt(D)
    agree(logits, of_modern["pope"]["logits"])
    return case(logits, causal=False)


def grape_additive():
    heads, tables = 4, of_modern["grape_additive"]
    names = {"key": ("keygated", "KeyGatedAdditiveBias"), "query": ("querygated", "QueryGatedAdditiveBias"),
             "query_key": ("querykeygated", "QueryKeyGatedAdditiveBias")}
    found = {}
    for gate, (file, name) in names.items():
        parts = parts_of(CHECKOUTS / f"model-architectures/GRAPE/model/llama-mha-grape-a-{file}.py",
                         ("_softplus_inverse", "_get_alibi_slopes", name))
        module = getattr(parts, name)(heads, D)
        for parameter, table in (("u", "key"), ("v", "query")):
            if hasattr(module, parameter):
                set_to(getattr(module, parameter), np.array(tables[table]))
        given = {"key": (k,), "query": (q,), "query_key": (q, k)}[gate]
        logits = content + module(*(every_head(x, heads) for x in given))[0, HEAD].detach().numpy()
        found[gate] = case(logits)
        agree(found[gate]["weights"], tables["cases"][gate]["weights"])
    return found


def grape_multiplicative():
    """Of commuting planes, those of the coordinates, half-split and turned clockwise: rows 2t and 2t + 1 span plane t."""
    parts = parts_of(CHECKOUTS / "model-architectures/GRAPE/model/llama-mha-grape-m-nonctx.py", ("apply_rotary_emb", "MSGRAPECommuting"))
    turned_q, turned_k = parts.MSGRAPECommuting(HEADS, D, learnable=False, cache_dtype=torch.float64)(every_head(q, HEADS), every_head(k, HEADS))
    logits = (turned_q[0, :, HEAD] @ turned_k[0, :, HEAD].T).detach().numpy() / np.sqrt(D)
    half = D // 2
    rows = np.eye(D)[[half * (1 - r % 2) + r // 2 for r in range(D)]]
    theta = 10000.0 ** (-2 * np.arange(half) / D)
    a, b = lambda x: x[:, :half], lambda x: x[:, half:]
    turn = lambda x, s: np.concatenate([a(x) * np.cos(s) + b(x) * np.sin(s), b(x) * np.cos(s) - a(x) * np.sin(s)], axis=1)
    angles = np.arange(N)[:, None] * theta
    agree(logits, turn(q, angles) @ turn(k, angles).T / np.sqrt(D))
    return {"vectors": rows.tolist(), **case(logits, causal=False)}


def fox():
    known = of_modern["fox"]
    g = -np.logaddexp(0, -(k @ np.array(known["weight"])[HEAD] + known["bias"][0][HEAD]))
    naive = of_fla("ops/forgetting_attn/naive.py").naive_forgetting_attn
    found = weights_alone(lambda values: naive(heads_last(q), heads_last(k), heads_last(values), heads_last(g))[0, :, 0])
    agree(found["weights"], known["weights"])
    return found


def path():
    known = of_modern["path"]
    w = k @ np.transpose(known["direction"])
    w /= np.linalg.norm(w, axis=1, keepdims=True)
    beta = 2 / (1 + np.exp(-(k @ np.array(known["gate"])[HEAD] + known["bias"][0][HEAD])))
    naive = of_fla("ops/path_attn/naive.py").naive_path_attn
    attend = lambda values: naive(heads_last(q), heads_last(k), heads_last(values), heads_last(w), heads_last(beta),
                                  torch.zeros(1, N, 1), D ** -0.5, chunk_size=4)[0, :, 0]
    found = weights_alone(attend)
    agree(found["weights"], known["weights"])
    return found


def of_the_input():
    """Gates and directions as the layers make them of x: fla's PaTHAttention with a low-rank map, a convolution of width 3
    (its kernel by torch's conv1d) and forget gates, and its FoX. The released code has the gates before the scale."""
    width = 6
    x = numbers(N, width, 4, 3, 13)
    low, high = numbers(2, width, 3, 2, 7), numbers(HEADS * D, 2, 1, 4, 9)
    taps = numbers(HEADS * D, 3, 2, 3, 5) + 0.125
    gate, forget = numbers(HEADS, width, 3, 5, 8), numbers(HEADS, width, 2, 3, 9)
    gate_bias, forget_bias = numbers(1, HEADS, 1, 3, 6), numbers(1, HEADS, 2, 1, 5)
    convolved = F.conv1d(F.pad(torch.tensor(x @ low.T @ high.T).T, (2, 0)), torch.tensor(taps)[:, None], groups=HEADS * D)
    w = F.normalize(F.silu(convolved).T.reshape(N, HEADS, D)[:, HEAD], dim=-1)
    beta = torch.tensor(x @ gate[HEAD] + gate_bias[0, HEAD]).sigmoid() * 2
    g = F.logsigmoid(torch.tensor(x @ forget[HEAD] + forget_bias[0, HEAD]))
    naive = of_fla("ops/path_attn/naive.py").naive_path_attn
    path = lambda decay: weights_alone(lambda values: naive(heads_last(q), heads_last(k), heads_last(values), heads_last(w), heads_last(beta),
                                                            decay, D ** -0.5, chunk_size=4)[0, :, 0])
    plain = of_fla("ops/forgetting_attn/naive.py").naive_forgetting_attn
    fox = weights_alone(lambda values: plain(heads_last(q), heads_last(k), heads_last(values), heads_last(g))[0, :, 0])
    return {"x": x.tolist(), "direction": (high @ low).tolist(), "convolution": taps[:, ::-1].T.tolist(), "gate": gate.tolist(),
            "gate bias": gate_bias.tolist(), "forget": forget.tolist(), "forget bias": forget_bias.tolist(), "fox": fox,
            "path": path(torch.zeros(1, N, 1)), "path with forget gates": path(heads_last(g))}


def stick_breaking():
    naive = of_fla("ops/stickbreaking_attn/naive.py").naive_stickbreaking_attn
    library = lambda own: weights_alone(lambda values: naive(heads_last(q), heads_last(k), heads_last(values), attend_current=own)[0][0, :, 0])
    reference = parts_of(CHECKOUTS / "shawntan/stickbreaking-attention/stickbreaking_attention/sb_ref.py", ("stickbreaking",)).stickbreaking
    ahead = torch.ones(N, N, dtype=torch.bool).triu(0)
    each = lambda x: torch.as_tensor(x)[None, None]
    authors = weights_alone(lambda values: reference(each(q), each(k), each(values), ahead, torch.ones(N, N).tril(-1))[0][0, 0])
    found = {"with its own key": library(True), "without its own key": authors}
    agree(authors["weights"], library(False)["weights"])
    return found


def commit(repository):
    return subprocess.check_output(["git", "-C", str(CHECKOUTS / repository), "rev-parse", "HEAD"], text=True).strip()


cases = {}
for make in (kerple, fire, pope, grape_additive, grape_multiplicative, fox, path, of_the_input, stick_breaking):
    with in_fp64():
        cases[make.__name__] = make()
versions = {"python": platform.python_version(), **{name: importlib.metadata.version(name) for name in ("numpy", "torch", "einops", "fla-core")},
            **{name: commit(name) for name in REPOSITORIES}}
pathlib.Path(__file__).with_name("published.json").write_text(json.dumps(
    {"generator": "tests/golden/generate_published.py", "versions": versions, "inputs": tokens["inputs"], "cases": cases},
    separators=(",", ":")).replace("],\"", "],\n\"").replace("},\"", "},\n\"").replace("},{", "},\n{") + "\n")
