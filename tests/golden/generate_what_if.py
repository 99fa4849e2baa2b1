#!/usr/bin/env python3
"""Writes what_if.json: what small models of Transformers lose under edits, and activations put back.

    generate_what_if.py      needs numpy, torch, safetensors, transformers; reads transformer/*

Each edit is made in Transformers' own modules: in the configuration, by a hook in front of o_proj or behind a layer, or
in the function that rotates q and k. Nothing of Orrery runs. In fp64.
"""
import json
import platform
from pathlib import Path

import numpy
import safetensors.torch
import torch

# Transformers computes frequencies, norms and softmax in float32 whatever the type of the weights: float32 is made another
# name of float64 before the code of any model is imported.
torch.set_default_dtype(torch.float64)
torch.float32 = torch.float = torch.float64
torch.Tensor.float = torch.Tensor.double
torch.float16 = torch.half = torch.bfloat16 = torch.float64
torch.FloatTensor = torch.DoubleTensor

import transformers
from transformers import AutoConfig, AutoModelForCausalLM
from transformers.models.gemma2 import modeling_gemma2
from transformers.models.llama import modeling_llama

HERE = Path(__file__).parent
LAYERS = {"llama": modeling_llama, "gemma2": modeling_gemma2}


def open_model(name, change=None):
    config = AutoConfig.from_pretrained(HERE / "transformer" / name)
    config._attn_implementation = "eager"
    if change:
        change(config)
    model = AutoModelForCausalLM.from_config(config)
    weights = {}
    for file in sorted((HERE / "transformer" / name).glob("*.safetensors")):
        weights.update(safetensors.torch.load(file.read_bytes()))
    weights = {key: value.to(torch.float64) for key, value in weights.items() if not key.endswith("inv_freq")}
    missing, unexpected = model.load_state_dict(weights, strict=False)
    if unexpected or set(missing) - {"lm_head.weight"}:
        raise RuntimeError(f"{name}: {missing} missing, {unexpected} unexpected")
    model.tie_weights()
    return model.eval()


def tokens_of(name):
    return torch.tensor(numpy.load(HERE / "transformer" / name / "expected.npz")["tokens"].astype(numpy.int64))[None]


def losses(model, tokens, **inputs):
    with torch.no_grad():
        logits = model(tokens, use_cache=False, **inputs).logits[0].double()
    return torch.nn.functional.cross_entropy(logits[:-1], tokens[0, 1:], reduction="none").tolist()


class rotation:
    """Replaces apply_rotary_pos_emb of a family: made(q, k, cos, sin, layer) in the layers named."""

    def __init__(self, name, model, made, layers=None):
        self.module = LAYERS[model.config.model_type]
        self.own = self.module.apply_rotary_pos_emb
        self.made, self.layers, self.call = made, layers, 0
        self.count = model.config.num_hidden_layers

    def __enter__(self):
        def apply(q, k, cos, sin, *rest, **named):
            layer = self.call % self.count
            self.call += 1
            if self.layers is not None and layer not in self.layers:
                return self.own(q, k, cos, sin)
            return self.made(self.own, q, k, cos, sin)

        self.module.apply_rotary_pos_emb = apply

    def __exit__(self, *_):
        self.module.apply_rotary_pos_emb = self.own


def interleaved(own, q, k, cos, sin):
    """Pairs (2t, 2t+1), written out."""
    half = q.shape[-1] // 2
    c, s = cos[:, None, :, :half], sin[:, None, :, :half]

    def turn(x):
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack((a * c - b * s, a * s + b * c), -1).flatten(-2)

    return turn(q), turn(k)


def clockwise(own, q, k, cos, sin):
    return own(q, k, cos, -sin)


def unturned(own, q, k, cos, sin):
    """As at position 0: cos 1 times the attention factor, sin 0."""
    factor = (cos[0, 0] ** 2 + sin[0, 0] ** 2).sqrt()
    return q * factor, k * factor


def pairs_changed(pairs, mute):
    def made(own, q, k, cos, sin):
        turned = own(q, k, cos, sin)
        half = q.shape[-1] // 2
        factor = (cos[0, 0, 0] ** 2 + sin[0, 0, 0] ** 2).sqrt()
        for x, y in zip((q, k), turned):
            for t in pairs:
                for channel in (t, t + half):
                    y[..., channel] = 0 if mute else x[..., channel] * factor
        return turned

    return made


def in_front_of_o(model, change):
    """change(layer, heads [N, H, d]) in front of each o_proj."""
    handles = []
    for number, layer in enumerate(model.model.layers):
        d = layer.self_attn.head_dim

        def hook(_, args, number=number, d=d):
            x = args[0]
            heads = x.reshape(*x.shape[:-1], -1, d).clone()
            change(number, heads[0])
            return (heads.reshape(x.shape),)

        handles.append(layer.self_attn.o_proj.register_forward_pre_hook(hook))
    return handles


def with_heads(model, tokens, change):
    handles = in_front_of_o(model, change)
    result = losses(model, tokens)
    for handle in handles:
        handle.remove()
    return result


def set_zero(places):
    def change(layer, heads):
        for at, head in places:
            if at == layer:
                heads[:, head] = 0

    return change


def set_mean(layer_of, means=None):
    def change(layer, heads):
        if layer == layer_of:
            heads[:] = heads.mean(0, keepdim=True) if means is None else means

    return change


def corpus_means(model, tokens, layer_of):
    found = {}

    def look(layer, heads):
        if layer == layer_of:
            found["mean"] = heads.mean(0)

    with_heads(model, tokens, look)
    return found["mean"]


def patched(model, tokens, other, layer_of, rows):
    """Rows of the residual stream behind layer_of − 1 taken from the run over other tokens."""
    kept = {}
    layer = model.model.layers[layer_of]

    def keep(_, args, named):
        kept["x"] = (args[0] if args else named["hidden_states"]).clone()

    handle = layer.register_forward_pre_hook(keep, with_kwargs=True)
    losses(model, other)
    handle.remove()

    def put(_, args, named):
        x = (args[0] if args else named["hidden_states"]).clone()
        x[:, rows] = kept["x"][:, rows]
        if args:
            return (x, *args[1:]), named
        return args, {**named, "hidden_states": x}

    handle = layer.register_forward_pre_hook(put, with_kwargs=True)
    result = losses(model, tokens)
    handle.remove()
    return result


def lens(model, tokens):
    """Losses by layer of the last norm and the head on the residual stream."""
    with torch.no_grad():
        states = model.model(tokens, use_cache=False, output_hidden_states=True).hidden_states
        states = [model.model.norm(x) for x in states[:-1]] + [states[-1]]  # the last is normalised already
        result = []
        for x in states:
            logits = model.lm_head(x)[0]
            if cap := getattr(model.config, "final_logit_softcapping", None):
                logits = cap * torch.tanh(logits / cap)
            result.append(torch.nn.functional.cross_entropy(logits[:-1], tokens[0, 1:], reduction="none").tolist())
        return result


def set_base(base):
    def change(config):
        config.rope_parameters["rope_theta"] = base

    return change


def set_linear(factor):
    def change(config):
        config.rope_parameters = {"rope_theta": config.rope_parameters["rope_theta"], "rope_type": "linear",
                                  "factor": factor}

    return change


def mask_of(tokens, window):
    n = tokens.shape[1]
    i, j = torch.arange(n)[:, None], torch.arange(n)[None]
    hidden = (j > i) | (i - j >= window)
    return torch.where(hidden, -torch.inf, 0.0).double()[None, None]


def edits_of_llama(name):
    tokens, model = tokens_of(name), open_model(name)
    n = tokens.shape[1]
    cases = {"base:37": losses(open_model(name, set_base(37.0)), tokens)}
    if model.config.rope_parameters["rope_type"] == "default":
        cases["positions:compress=3"] = losses(open_model(name, set_linear(3.0)), tokens)
        cases["scaling:linear factor:3"] = cases["positions:compress=3"]
    still = [0, 2] if model.config.head_dim > 4 else [0]
    still_text = "still:" + "+".join(map(str, still))
    for text, made, layers in (("pairing:interleaved", interleaved, None), ("sign@1", clockwise, [1]),
                               ("no_position@0", unturned, [0]), (still_text, pairs_changed(still, False), None),
                               ("mute:1@1", pairs_changed([1], True), [1])):
        with rotation(name, model, made, layers):
            cases[text] = losses(model, tokens)
    positions = torch.arange(n)[None]
    cases["positions:shift=9"] = losses(model, tokens, position_ids=positions + 9)
    cases["positions:group=2"] = losses(model, tokens, position_ids=positions // 2,
                                        attention_mask=mask_of(tokens, n))  # or they count as packed texts
    cases["window:4"] = losses(model, tokens, attention_mask=mask_of(tokens, 4))
    scaled = open_model(name)
    scaled.model.layers[1].self_attn.scaling = 0.6
    cases["scale:0.6@1"] = losses(scaled, tokens)
    with_one = open_model(name)
    with torch.no_grad():
        for module in with_one.modules():
            if "RMSNorm" in type(module).__name__:
                module.weight += 1
    cases["adds_one:yes"] = losses(with_one, tokens)
    one_layer = open_model(name)
    with torch.no_grad():
        for module in one_layer.model.layers[1].modules():
            if "RMSNorm" in type(module).__name__:
                module.weight += 1
    cases["adds_one:yes@1"] = losses(one_layer, tokens)
    cases["zero:0.1+1.2"] = with_heads(model, tokens, set_zero([(0, 1), (1, 2)]))
    cases["mean:1"] = with_heads(model, tokens, set_mean(1))
    corpus = (tokens + 11) % model.config.vocab_size
    cases["corpus_mean:0"] = with_heads(model, tokens, set_mean(0, corpus_means(model, corpus, 0)))
    return {"tokens": tokens[0].tolist(), "corpus": corpus[0].tolist(), "loss": losses(model, tokens), "edits": cases,
            "lens": lens(model, tokens),
            "patch": {"from": corpus[0].tolist(), "layer": 1, "tokens": [2, 5],
                      "loss": patched(model, tokens, corpus, 1, [2, 5])}}


def edits_of_gemma2(name):
    tokens, model = tokens_of(name), open_model(name)

    def cap(config):
        config.attn_logit_softcapping = 0.7

    cases = {"softcap:0.7": losses(open_model(name, cap), tokens),
             "zero:1": with_heads(model, tokens, set_zero([(1, h) for h in range(model.config.num_attention_heads)]))}
    return {"tokens": tokens[0].tolist(), "loss": losses(model, tokens), "edits": cases,
            "lens": lens(model, tokens)}


def main():
    result = {"generator": f"tests/golden/{Path(__file__).name}",
              "versions": {"python": platform.python_version(), "numpy": numpy.__version__,
                           "safetensors": safetensors.__version__, "torch": torch.__version__,
                           "transformers": transformers.__version__},
              "llama-on": edits_of_llama("llama-on"), "llama-off": edits_of_llama("llama-off"),
              "gemma2-on": edits_of_gemma2("gemma2-on")}
    (HERE / "what_if.json").write_text(json.dumps(result, indent=1) + "\n")


main()
