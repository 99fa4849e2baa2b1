"""Gradients and steps of AdamW of three small transformers, by PyTorch's autograd and optimiser in fp64.

Writes training.json. The models are written from the papers' equations with torch's own functions; weights
are 0.3 sin(1.3 k + 0.5 j) (+ 1 for gains), k the place of a matrix in the list below and j that of a number
in it, so that nothing but results is stored.
"""
import json
import math
import pathlib
import platform

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
VOCABULARY, LENGTH, SEQUENCES, D, HEADS, FF = 7, 6, 2, 8, 2, 12
TOKENS = [[(5 * i + 3 * s) % VOCABULARY for i in range(LENGTH)] for s in range(SEQUENCES)]
TARGETS = [[-1 if i == 2 else (2 * i + s + 1) % VOCABULARY for i in range(LENGTH)] for s in range(SEQUENCES)]


def is_gain(name, shape):
    return name.endswith(".weight") and shape[0] == 1


def weights(shapes):
    made = {}
    for k, (name, shape) in enumerate(shapes):
        n = math.prod(shape)
        values = 0.3 * torch.sin(1.3 * k + 0.5 * torch.arange(n, dtype=torch.float64)).reshape(shape)
        made[name] = (values + (1 if is_gain(name, shape) else 0)).requires_grad_()
    return made


def rotate(x):
    """RoFormer eq. (34): pairs (2t, 2t + 1) of x [..., length, d] turn by position times 10000^(-2t/d)."""
    d = x.shape[-1]
    angle = torch.arange(x.shape[-2])[:, None] * 10000.0 ** (-torch.arange(0, d, 2) / d)
    z = torch.view_as_complex(x.reshape(*x.shape[:-1], d // 2, 2).contiguous())
    return torch.view_as_real(z * torch.polar(torch.ones_like(angle), angle)).reshape(x.shape)


def heads_of(x):
    return x.reshape(SEQUENCES, LENGTH, HEADS, D // HEADS).transpose(1, 2)


def joined(x):
    return x.transpose(1, 2).reshape(SEQUENCES, LENGTH, D)


def plain(w, tokens):
    x = w["tokens.weight"][tokens]
    rms = lambda x, g: F.rms_norm(x, (D,), g, 1e-5)
    read = rms(x, w["layers.0.before_attention.weight"])
    q, k, v = (heads_of(read @ w[f"layers.0.attention.{n}.weight"].T) for n in "qkv")
    y = F.scaled_dot_product_attention(rotate(q), rotate(k), v, is_causal=True)
    x = x + joined(y) @ w["layers.0.attention.o.weight"].T
    read = rms(x, w["layers.0.before_feed_forward.weight"])
    x = x + F.relu(read @ w["layers.0.up.weight"].T) @ w["layers.0.down.weight"].T
    return rms(x, w["head.norm.weight"]) @ w["vocabulary.weight"].T


def gpt2(w, tokens):
    x = w["tokens.weight"][tokens] + w["embedding.position.learned.table"][:LENGTH]
    norm = lambda x, n: F.layer_norm(x, (D,), w[n + ".weight"], w[n + ".bias"], 1e-5)
    linear = lambda x, n: F.linear(x, w[n + ".weight"], w[n + ".bias"])
    read = norm(x, "layers.0.before_attention")
    q, k, v = (heads_of(linear(read, f"layers.0.attention.{n}")) for n in "qkv")
    y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    x = x + linear(joined(y), "layers.0.attention.o")
    read = norm(x, "layers.0.before_feed_forward")
    x = x + linear(F.gelu(linear(read, "layers.0.up"), approximate="tanh"), "layers.0.down")
    return norm(x, "head.norm") @ w["tokens.weight"].T + w["vocabulary.bias"]


def roformer(w, tokens):
    """BERT's blocks with linear attention, eq. (19), elu + 1."""
    norm = lambda x, n: F.layer_norm(x, (D,), w[n + ".weight"], w[n + ".bias"], 1e-12)
    linear = lambda x, n: F.linear(x, w[n + ".weight"], w[n + ".bias"])
    x = norm(w["tokens.weight"][tokens], "embedding.norm")
    q, k, v = (heads_of(linear(x, f"layers.0.attention.{n}")) for n in "qkv")
    phi_q, phi_k = F.elu(q) + 1, F.elu(k) + 1
    above = (rotate(phi_q) @ rotate(phi_k).transpose(-1, -2)) @ v
    below = (phi_q @ phi_k.transpose(-1, -2)).sum(-1, keepdim=True)
    x = norm(x + linear(joined(above / below), "layers.0.attention.o"), "layers.0.after_attention")
    made = linear(F.gelu(linear(x, "layers.0.up")), "layers.0.down")
    x = norm(x + made, "layers.0.after_feed_forward")
    x = norm(F.gelu(linear(x, "head.transform")), "head.transform_norm")
    return x @ w["tokens.weight"].T + w["vocabulary.bias"]


def linear_shapes(name, out, inner, bias):
    return [(name + ".weight", (out, inner))] + ([(name + ".bias", (1, out))] if bias else [])


def norm_shapes(name, bias):
    return [(name + ".weight", (1, D))] + ([(name + ".bias", (1, D))] if bias else [])


def shapes(kind):
    """In the order of named_weights."""
    bias = kind != "plain"
    out = [("tokens.weight", (VOCABULARY, D))]
    if kind == "roformer":
        out += norm_shapes("embedding.norm", bias)
    if kind == "gpt2":
        out += [("embedding.position.learned.table", (LENGTH, D))]
    if kind != "roformer":
        out += norm_shapes("layers.0.before_attention", bias)
    for n in "qkvo":
        out += linear_shapes(f"layers.0.attention.{n}", D, D, bias)
    out += norm_shapes("layers.0.after_attention" if kind == "roformer" else "layers.0.before_feed_forward", bias)
    out += linear_shapes("layers.0.up", FF, D, bias) + linear_shapes("layers.0.down", D, FF, bias)
    if kind == "roformer":
        out += norm_shapes("layers.0.after_feed_forward", bias)
        out += linear_shapes("head.transform", D, D, bias) + norm_shapes("head.transform_norm", bias)
    else:
        out += norm_shapes("head.norm", bias)
    return out + ([("vocabulary.bias", (1, VOCABULARY))] if bias else [("vocabulary.weight", (VOCABULARY, D))])


def case(kind, model):
    w = weights(shapes(kind))
    views = lambda: {n: v[0] if v.shape[0] == 1 else v for n, v in w.items()}
    tokens, targets = torch.tensor(TOKENS), torch.tensor(TARGETS)

    def loss():
        return F.cross_entropy(model(views(), tokens).reshape(-1, VOCABULARY), targets.reshape(-1), ignore_index=-1)

    first = loss()
    gradient = dict(zip(w, torch.autograd.grad(first, list(w.values()))))
    is_matrix = lambda n: n.endswith(".weight") and w[n].shape[0] > 1
    decays, rest = [v for n, v in w.items() if is_matrix(n)], [v for n, v in w.items() if not is_matrix(n)]
    optimiser = torch.optim.AdamW([{"params": decays, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}],
                                  lr=0.02, betas=(0.9, 0.99), eps=1e-8)
    norms = []
    for _ in range(3):
        optimiser.zero_grad()
        loss().backward()
        norms.append(torch.nn.utils.get_total_norm([v.grad for v in w.values()]).item())
        for v in w.values():  # clip_grad_norm_ adds 1e-6 to the norm
            v.grad *= min(1.0, 0.5 / norms[-1])
        optimiser.step()
    flat = lambda x: [float(f"{v:.15g}") for v in x.detach().reshape(-1).tolist()]
    return {"loss": first.item(), "gradient": {n: flat(g) for n, g in gradient.items()}, "norms": norms,
            "loss_after": loss().item(), "after": {n: flat(w[n]) for n in list(w)[:4] + list(w)[-2:]}}


if __name__ == "__main__":
    cases = {"plain": case("plain", plain), "gpt2": case("gpt2", gpt2), "roformer": case("roformer", roformer)}
    out = pathlib.Path(__file__).with_name("training.json")
    out.write_text(json.dumps(
        {"generator": "tests/golden/training/generate_training.py",
         "versions": {"python": platform.python_version(), "torch": torch.__version__.split("+")[0]},
         "cases": cases}) + "\n")
