#!/usr/bin/env python3
"""Writes attend.json: what `orrery run attend` must give, computed by PyTorch without Orrery.

Softmax attention is torch.nn.functional.scaled_dot_product_attention and torch.nn.MultiheadAttention,
with masks, padding, scales, batches, grouped heads and biases as they take them; linear attention,
which PyTorch does not have, is a full matrix of products of features. All in float64. Run it with
torch installed; the tests do not need it.

Each case is the words behind `attend`, in which NAME.npy stands for arrays[NAME], and the arrays that
must come out. "-inf" is the one number that JSON has no name for.
"""
import json
import math
import pathlib
import sys

import torch
import torch.nn.functional as F
from torch.nn.attention.bias import causal_lower_right

B, H, H_KV, N_Q, N_K, D, D_V, D_MODEL, M = 2, 4, 2, 3, 5, 4, 3, 8, 6
torch.set_default_dtype(torch.float64)
INF = float("inf")


def numbers(*shape):
    """Simple fractions, another pattern at every call."""
    numbers.calls += 1
    i = torch.arange(math.prod(shape))
    return ((((7 * i + 11 + 2 * numbers.calls) * i + 5 * numbers.calls) % 61 - 30) / 32.0).reshape(shape)


numbers.calls = 0


q, k, v = numbers(B, H, N_Q, D), numbers(B, H, N_K, D), numbers(B, H, N_K, D_V)
q0, k0, v0 = q[0, 0].clone(), k[0, 0].clone(), v[0, 0].clone()
k_shared, v_shared = numbers(B, H_KV, N_K, D), numbers(B, H_KV, N_K, D_V)

seen = numbers(N_Q, N_K) < 0.25
seen[:, 0] = True
seen_heads = numbers(H, N_Q, N_K) < 0.25
seen_heads[..., 1] = True
seen_batches = numbers(B, 1, N_Q, N_K) < 0.25
seen_batches[..., 2] = True
seen_all = numbers(B, H, N_Q, N_K) < 0.25
seen_all[..., 3] = True
seen_keys = torch.tensor([[1, 1, 1, 1, 0], [0, 1, 1, 0, 1]], dtype=torch.bool)
bias_heads = -torch.abs(numbers(H, N_Q, N_K))  # a penalty on the logits
bias_signed = numbers(N_Q, N_K)


def additive(visible, lowest):
    return torch.zeros(visible.shape).masked_fill(~visible, lowest)


arrays = {
    "q": q, "k": k, "v": v, "q0": q0, "k0": k0, "v0": v0, "k_shared": k_shared, "v_shared": v_shared,
    "seen": seen, "seen_heads": seen_heads, "seen_batches": seen_batches, "seen_all": seen_all,
    "seen_keys": seen_keys, "first_seen_keys": seen_keys[0], "bias_heads": bias_heads, "bias_signed": bias_signed,
    "minus_inf": additive(seen, -INF),
    "minus_inf_heads": additive(seen_heads, -INF) + bias_heads,
    "lowest_fp32": additive(seen_batches, torch.finfo(torch.float32).min),
    "lowest_bf16": additive(seen_batches, torch.finfo(torch.bfloat16).min),
    "lowest_fp16": additive(seen_batches, torch.finfo(torch.float16).min),
    "lowest_keys": additive(seen_keys[:, None, None, :], torch.finfo(torch.float32).min),
}
cases = []


def case(name, arguments, **expected):
    cases.append({"name": name, "arguments": arguments,
                  "expected": {key: {"shape": list(value.shape), "values": value.flatten().tolist()}
                               for key, value in expected.items()}})


def softmax(name, arguments, q, k, v, mask=None, **options):
    case(name, arguments, output=F.scaled_dot_product_attention(q, k, v, attn_mask=mask, **options))


QKV = "encoding=none q=q.npy k=k.npy v=v.npy "
ONE = "encoding=none q=q0.npy k=k0.npy v=v0.npy "
softmax("batches", QKV, q, k, v)
softmax("one head of its own", ONE, q0, k0, v0)
softmax("grouped heads in batches", "encoding=none q=q.npy k=k_shared.npy v=v_shared.npy", q, k_shared, v_shared,
        enable_gqa=True)
softmax("boolean for all", QKV + "mask=seen.npy", q, k, v, seen)
softmax("boolean of one head", ONE + "mask=seen.npy", q0, k0, v0, seen)
softmax("boolean per head", QKV + "mask=seen_heads.npy", q, k, v, seen_heads)
softmax("boolean per batch entry", QKV + "mask=seen_batches.npy", q, k, v, seen_batches)
softmax("boolean per batch entry and head", QKV + "mask=seen_all.npy mask_kind=boolean", q, k, v, seen_all)
softmax("additive -inf for all", QKV + "mask=minus_inf.npy", q, k, v, arrays["minus_inf"])
softmax("additive -inf and penalties per head", QKV + "mask=minus_inf_heads.npy", q, k, v, arrays["minus_inf_heads"])
softmax("additive penalties per head", QKV + "mask=bias_heads.npy", q, k, v, bias_heads)
softmax("additive of both signs", QKV + "mask=bias_signed.npy mask_kind=additive", q, k, v, bias_signed)
for form in ("fp32", "bf16", "fp16"):
    softmax(f"additive, the lowest {form} hides", QKV + f"mask=lowest_{form}.npy", q, k, v, seen_batches)
softmax("additive for all queries and heads", QKV + "mask=lowest_keys.npy", q, k, v, seen_keys[:, None, None, :])
softmax("padding per batch entry", QKV + "padding=seen_keys.npy", q, k, v, seen_keys[:, None, None, :])
softmax("padding for all", QKV + "padding=first_seen_keys.npy", q, k, v, seen_keys[0][None, None, None, :])
softmax("padding and a mask", QKV + "padding=seen_keys.npy mask=seen_heads.npy", q, k, v,
        seen_keys[:, None, None, :] & seen_heads)
softmax("scale", QKV + "scale=0.3", q, k, v, scale=0.3)
softmax("scale and a mask", QKV + "scale=1.7 mask=minus_inf_heads.npy", q, k, v, arrays["minus_inf_heads"], scale=1.7)
softmax("causal, fewer queries than keys", QKV + "causal=true", q, k, v, causal_lower_right(N_Q, N_K))
softmax("causal, wherever the keys stand", QKV + "causal=true positions=100+101+103+104+107", q, k, v,
        causal_lower_right(N_Q, N_K))

# A layer from contents: torch.nn.MultiheadAttention, whose weights are those of torch.nn.Linear.
layer = torch.nn.MultiheadAttention(D_MODEL, H, bias=True, batch_first=True)
with torch.no_grad():
    for parameter in layer.parameters():
        parameter.copy_(numbers(*parameter.shape) / 2)
x = numbers(B, N_K, D_MODEL)
W = dict(zip(("W_q", "W_k", "W_v"), layer.in_proj_weight.detach().chunk(3)))
b = dict(zip(("b_q", "b_k", "b_v"), layer.in_proj_bias.detach().chunk(3)))
W["W_o"], b["b_o"] = layer.out_proj.weight.detach(), layer.out_proj.bias.detach()
arrays |= {"x": x, **W, **b, **{name + "_x_W": w.T for name, w in W.items()},
           "seen_tokens": torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], dtype=torch.bool)}
TORCH = "".join(f" {name}={name}.npy" for name in (*W, *b))
X_W = "".join(f" {name}={name}_x_W.npy" for name in W) + "".join(f" {name}={name}.npy" for name in b)
X = f"encoding=none x=x.npy heads={H} "
causal_mask = torch.triu(torch.full((N_K, N_K), -INF), 1)
for name, arguments, options in (
        ("a layer", "", {}),
        ("a causal layer", "causal=true", {"attn_mask": causal_mask}),
        ("a layer with padding", "padding=seen_tokens.npy", {"key_padding_mask": ~arrays["seen_tokens"]})):
    output, weights = layer(x, x, x, average_attn_weights=False, **options)
    for way, tables in (("torch_linear", TORCH), ("x_W", X_W)):
        case(f"{name}, {way}", X + f"{arguments} weights={way}" + tables, weights=weights.detach(),
             layer_output=output.detach())

# Biases of q and v alone, as DeBERTa v1 has them, and a d that is not d_model/heads.
wide_q, wide_k, wide_v = numbers(D_MODEL, 2 * 6) / 2, numbers(D_MODEL, 6) / 2, numbers(D_MODEL, 3) / 2
wide_b_q, wide_b_v = numbers(12), numbers(3)
arrays |= {"wide_q": wide_q, "wide_k": wide_k, "wide_v": wide_v, "wide_b_q": wide_b_q, "wide_b_v": wide_b_v}
heads_q = (x @ wide_q + wide_b_q).unflatten(-1, (2, 6)).transpose(1, 2)
shared_k, shared_v = (x @ wide_k)[:, None], (x @ wide_v + wide_b_v)[:, None]
softmax("biases of q and v, two heads over one", "encoding=none x=x.npy heads=2 weights=x_W" + "".join(
    f" {name}={array}.npy" for name, array in (("W_q", "wide_q"), ("W_k", "wide_k"), ("W_v", "wide_v"),
                                                       ("b_q", "wide_b_q"), ("b_v", "wide_b_v"))),
        heads_q, shared_k, shared_v, enable_gqa=True)


# Sinusoids, added to x before projections with biases: eq. (3).
def sinusoids(positions):
    angle = torch.tensor(positions)[:, None] / 10000.0 ** (torch.arange(0, D_MODEL, 2) / D_MODEL)
    return torch.stack([torch.sin(angle), torch.cos(angle)], -1).flatten(-2)


moved = x + sinusoids([3.0, 1.0, 4.0, 7.0, 5.0])
heads_of = lambda y: y.unflatten(-1, (H, D_MODEL // H)).transpose(1, 2)
projected = [heads_of(F.linear(moved, W["W_" + p], b["b_" + p])) for p in "qkv"]
case("sinusoids at given positions, with biases",
     f"encoding=sinusoidal x=x.npy heads={H} positions=3+1+4+7+5 weights=torch_linear" + TORCH,
     logits=projected[0] @ projected[1].mT / math.sqrt(D_MODEL // H),
     output=F.scaled_dot_product_attention(*projected))


# Linear attention, Katharopoulos et al. 2020 eq. (7), and FAVOR+ with a given projection.
def elu(x):
    return F.elu(x) + 1


def linear(phi, q, k, v, real=None):
    a = phi(q) @ phi(k).mT
    if real is not None:
        a = a * real
    weights = a / a.sum(-1, keepdim=True)
    return {"weights": weights, "output": weights @ v}


projection = numbers(M, D)
arrays |= {"projection": projection}


def favor(x):
    y = x * D ** -0.25
    return torch.exp(y @ projection.T - (y * y).sum(-1, keepdim=True) / 2) / math.sqrt(M)


LINEAR = QKV + "kernel=linear linear.weights=true "
real = seen_keys[:, None, None, :].double()
case("linear", LINEAR, **linear(elu, q, k, v))
case("linear, padding per batch entry", LINEAR + "padding=seen_keys.npy", **linear(elu, q, k, v, real))
case("linear, padding for all", LINEAR + "padding=first_seen_keys.npy", **linear(elu, q, k, v, real[0]))
case("FAVOR+, a given projection",
     LINEAR + "linear.feature_map=favor linear.projection=projection.npy", **linear(favor, q, k, v))
case("FAVOR+, a given projection and padding",
     LINEAR + "linear.feature_map=favor padding=seen_keys.npy linear.projection=projection.npy",
     **linear(favor, q, k, v, real))

flat = lambda tensor: ["-inf" if value == -INF else value for value in tensor.double().flatten().tolist()]
document = {"generator": "tests/golden/generate_attend.py",
            "versions": {"python": sys.version.split()[0], "torch": torch.__version__},
            "arrays": {name: {"shape": list(a.shape), "values": flat(a)} for name, a in arrays.items()},
            "cases": cases}
path = pathlib.Path(__file__).with_name("attend.json")
path.write_text(json.dumps(document, separators=(",", ":"), allow_nan=False)
                .replace(",\"", ",\n\"").replace("{\"shape\"", "\n{\"shape\"") + "\n")
