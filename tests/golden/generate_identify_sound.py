#!/usr/bin/env python3
"""Writes identify_sound.json: tensors and masks that Transformers' own code makes, of which a checker must accuse no sound one.

Each rope case has what went in, the configuration a model is saved with, and what the rotary module and the function of that
model made of it; `tensors` and `configs` hold each of these once, under the name of the case that had it first. `wrong` names the
field that must deviate ("any": no one name is right), and is missing where the tensor is as its configuration says. In wrong cases
the code ran with another configuration, another function of the same module, or frequencies that it did not renew. `positions`
and `length` are what is told; without them the rows have to show it. Masks are rows of 1 (seen) and 0.
Run it with the packages of `versions` installed; the tests do not need it.
"""
import importlib
import importlib.metadata
import json
import pathlib
import platform

import numpy as np
import torch
from torch.nn.attention.bias import causal_lower_right, causal_upper_left
from transformers import CONFIG_MAPPING, masking_utils
from transformers.models.gemma3.modeling_gemma3 import get_block_sequence_ids_for_mask

SEEDS = (20261130, 5)
N = 12
SIZES = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
         "vocab_size": 99, "max_position_embeddings": 4096, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
DEFAULT = {"rope_type": "default", "rope_theta": 10000.0}
YARN = {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 40.0, "beta_fast": 32, "beta_slow": 1, "mscale": 1.0,
        "mscale_all_dim": 1.0, "original_max_position_embeddings": 4096}
LATENT = {"qk_nope_head_dim": 8, "qk_rope_head_dim": 16, "v_head_dim": 16, "q_lora_rank": 24, "kv_lora_rank": 16,
          "num_key_value_heads": 4, "max_position_embeddings": 163840}
LONG = {"rope_type": "longrope", "rope_theta": 10000.0, "original_max_position_embeddings": 32, "factor": 8.0,
        "short_factor": [1 + 0.1 * i for i in range(8)], "long_factor": [2.0 + i for i in range(8)]}
LONG_SIZES = {"max_position_embeddings": 256, "original_max_position_embeddings": 32}
DYNAMIC = {"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 2.0}
NORMED = {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0, "beta_fast": 4.0, "beta_slow": 0.5,
          "original_max_position_embeddings": 16}
tensors, configs, cases, masks = {}, {}, {}, {}


def config_of(model, rope, **sizes):
    return CONFIG_MAPPING[model](**{**SIZES, **sizes, "rope_parameters": dict(rope)})


def hexed(x):
    return x.contiguous().numpy().astype(">f4").tobytes().hex()


def once(table, name, value):
    """The name under which the table has the value."""
    for known, other in table.items():
        if other == value:
            return known
    table[name] = value
    return name


def input_of(seed, d, heads=1):
    """The same for all cases of a width: [heads, N, d]."""
    x = torch.from_numpy(np.random.default_rng([seed, d]).standard_normal((heads, N, d)).astype(np.float32))
    return once(tensors, f"{heads} × {d} channels before, seed {seed}", {"shape": [heads, N, d], "values": hexed(x)}), x


def module_of(config):
    return importlib.import_module(f"transformers.models.{config.model_type}.modeling_{config.model_type}")


def rotary_of(config):
    module = module_of(config)
    return next(v for k, v in vars(module).items() if k.endswith("RotaryEmbedding"))(config)


def angles(config, positions, length=0, stale=0, before=0, layer_type=None):
    """cos and sin, or the complex factors, of these rows. With a length the call was of the whole sequence of 0, 1, 2, …, of
    which these are some rows. A call of `before` or `stale` tokens went before it, after which nothing is renewed if stale."""
    rotary, x = rotary_of(config), torch.zeros(1, 1)
    kind = (layer_type,) if layer_type else ()
    call = rotary.__call__
    if stale or before:
        rotary(x, torch.arange(stale or before)[None], *kind)
    if stale:
        call = lambda *rest: type(rotary).forward.__wrapped__(rotary, *rest)  # noqa: E731
    rows = torch.arange(length) if length else torch.tensor(positions)
    made = call(x, rows[None], *kind)
    pick = torch.tensor(positions) if length else torch.arange(len(positions))
    return tuple(m[:, pick] for m in made) if isinstance(made, tuple) else (made[:, pick],)


def turned(config, x, positions, function="apply_rotary_pos_emb", of=None, **rest):
    """By that function of the model's module, or of another configuration's."""
    with torch.no_grad():
        factors = angles(config, positions, **rest)
        return getattr(module_of(of or config), function)(x[None], x[None], *factors)[0][0]


def save(name, key, after, config, positions=None, wrong=None, layout="heads", **rest):
    """layout says how the tensors are written: heads first, one head alone, side by side as [N, H*d], so in a batch of 1 or 2."""
    assert name not in cases
    after = once(tensors, name, {"shape": list(after.shape), "values": hexed(after)})
    expect = once(configs, name, json.loads(config.to_json_string(use_diff=True)))
    cases[name] = {"before": key, "after": after, "expect": expect, "layout": layout, **rest}
    if positions is not None:
        cases[name]["positions"] = [int(p) for p in positions]
    if wrong is not None:
        cases[name]["wrong"] = wrong


def latent(seed, offset):
    """Latent attention turns neighbours; the whole head, its turned channels, and the one head of k."""
    p, far = list(range(offset, offset + N)), list(range(offset + 5000, offset + 5000 + N))
    key, x = input_of(seed, 24)
    short, pe = input_of(seed, 16, heads=2)
    halves = "apply_rotary_pos_emb_interleave"
    config = config_of("deepseek_v3", YARN, **LATENT)

    def whole(config, p, function, **rest):
        return torch.cat([x[..., :8], turned(config, x[..., 8:], p, function, **rest)], -1)

    for model, rope in (("deepseek_v3", YARN), ("glm4_moe_lite", DEFAULT), ("youtu", DEFAULT)):
        one = config_of(model, rope, **LATENT)
        save(f"{model} writes halves, seed {seed}", key, whole(one, p, halves), one, p)
    complex_one = config_of("deepseek_v2", YARN, **LATENT)
    save(f"deepseek_v3 by code that keeps neighbours, seed {seed}", key, whole(complex_one, p, "apply_rotary_emb"), config, p)
    save(f"deepseek_v2 keeps neighbours, seed {seed}", key, whole(complex_one, far, "apply_rotary_emb"), complex_one, far)
    save(f"q_pe alone, seed {seed}", short, turned(config, pe, p, halves), config, p)
    save(f"q_pe alone, no positions told, seed {seed}", short, turned(config, pe, p, halves), config)
    save(f"k_pe of one head, seed {seed}", short, turned(config, pe, far, halves), config, far, layout="one head")
    save(f"k_pe that keeps neighbours, seed {seed}", short, turned(complex_one, pe, p, "apply_rotary_emb"), config, p,
         layout="one head")
    base = config_of("deepseek_v3", {**YARN, "rope_theta": 1000000.0}, **LATENT)
    save(f"deepseek_v3, base lost, seed {seed}", key, whole(config, p, halves), base, p, wrong="base")
    save(f"k_pe, base lost, seed {seed}", short, turned(config, pe, p, halves), base, p, wrong="base", layout="one head")
    save(f"k_pe turned in halves, seed {seed}", short, turned(config, pe, p, "apply_rotary_pos_emb"), config, p,
         wrong="pairing", layout="one head")
    save(f"q_pe, scaling lost, seed {seed}", short, turned(config_of("deepseek_v3", DEFAULT, **LATENT), pe, far, halves), config,
         far, wrong="scaling")
    no_mscale = {k: v for k, v in YARN.items() if not k.startswith("mscale")}
    ignored = config_of("deepseek_v3", no_mscale, **LATENT)
    save(f"deepseek_v3, mscale ignored, seed {seed}", key, whole(ignored, p, halves), config, p, wrong="attention factor")
    save(f"q_pe one too far, seed {seed}", short, turned(config, pe, [n + 1 for n in p], halves), config, p, wrong="positions")


def by_length(seed, offset):
    """Frequencies that depend on the length of the sequence."""
    key, x = input_of(seed, 16)
    low, high = list(range(offset, offset + N)), list(range(offset + 32, offset + 32 + N))
    phi = config_of("phi3", LONG, **LONG_SIZES)
    save(f"longrope, short sequence, seed {seed}", key, turned(phi, x, low), phi, low)
    save(f"longrope, rows beyond the original length, seed {seed}", key, turned(phi, x, high), phi, high)
    save(f"longrope, first rows of 80, length told, seed {seed}", key, turned(phi, x, low, length=80), phi, low, length=80)
    save(f"longrope, first rows of 80, seed {seed}", key, turned(phi, x, low, length=80), phi, low)
    save(f"longrope, no positions told, seed {seed}", key, turned(phi, x, high), phi)
    save(f"longrope, short factors beyond, seed {seed}", key, turned(phi, x, high, stale=20), phi, high, wrong="scaling")
    save(f"longrope, long factors of a short sequence, seed {seed}", key, turned(phi, x, low, stale=80), phi, low,
         wrong="scaling", length=offset + N)
    plain = config_of("phi3", {**LONG, "attention_factor": 1.0}, **LONG_SIZES)
    save(f"longrope, factor lost, seed {seed}", key, turned(plain, x, high), phi, high, wrong="attention factor")
    llama = config_of("llama", DYNAMIC, max_position_embeddings=32)
    save(f"dynamic, within, seed {seed}", key, turned(llama, x, low), llama, low)
    save(f"dynamic, rows beyond, seed {seed}", key, turned(llama, x, high), llama, high)
    save(f"dynamic, first rows of 100, length told, seed {seed}", key, turned(llama, x, low, length=100), llama, low, length=100)
    save(f"dynamic, first rows of 100, seed {seed}", key, turned(llama, x, low, length=100), llama, low)
    save(f"dynamic, after a longer call, seed {seed}", key, turned(llama, x, high, before=100), llama, high)
    save(f"dynamic, no positions told, seed {seed}", key, turned(llama, x, high), llama)
    save(f"dynamic, stale from 40 tokens, seed {seed}", key, turned(llama, x, [p + 40 for p in high], stale=40), llama,
         [p + 40 for p in high], wrong="scaling")
    save(f"dynamic, not scaled, seed {seed}", key, turned(llama, x, high, stale=20), llama, high, wrong="scaling")
    save(f"dynamic, length told is another, seed {seed}", key, turned(llama, x, low, length=60), llama, low, wrong="scaling",
         length=100)


def normed_after(seed, offset):
    """A norm of q and k follows the rope: the tensor between them has the attention factor, what follows has not."""
    key, x = input_of(seed, 16)
    p = list(range(offset, offset + N))
    for model in ("hunyuan_v1_dense", "hunyuan_v1_moe", "nanochat"):
        sizes = {"head_dim": 16} if model != "nanochat" else {}
        config = config_of(model, NORMED, max_position_embeddings=64, **sizes)
        save(f"{model}, norm after the rope, seed {seed}", key, turned(config, x, p), config, p)
        unscaled = config_of(model, {**NORMED, "attention_factor": 1.0}, max_position_embeddings=64, **sizes)
        save(f"{model}, factor missing, seed {seed}", key, turned(unscaled, x, p), config, p, wrong="attention factor")


def odd_widths(seed, offset):
    """int(head_dim * partial_rotary_factor) is odd: the last pair has the frequency of an odd exponent."""
    p = list(range(offset, offset + N))
    for model, d, part in (("glm4", 20, 0.25), ("phi3", 20, 0.45), ("nemotron", 16, 0.45), ("gpt_neox", 16, 0.3)):
        sizes = {"hidden_size": 4 * d} if model in ("phi3", "nemotron", "gpt_neox") else {"head_dim": d}
        key, x = input_of(seed, d)
        config = config_of(model, {**DEFAULT, "partial_rotary_factor": part}, **sizes)
        save(f"{model}, {int(d * part)} of {d} channels, seed {seed}", key, turned(config, x, p), config, p)
        if model in ("glm4", "phi3"):
            even = config_of(model, {**DEFAULT, "partial_rotary_factor": (int(d * part) + 1) / d + 1e-6}, **sizes)
            save(f"{model}, {int(d * part) + 1} of {d} channels instead, seed {seed}", key, turned(even, x, p), config, p,
                 wrong="any")
            near = config_of(model, {**DEFAULT, "rope_theta": 10500.0, "partial_rotary_factor": part}, **sizes)
            save(f"{model}, base 10500 instead, seed {seed}", key, turned(near, x, p), config, p, wrong="base")
    kinds = ("full_attention", "sliding_attention")
    rope = {kind: {**DEFAULT, "rope_theta": base, "partial_rotary_factor": 0.334} for kind, base in zip(kinds, (5e6, 1e4))}
    config = config_of("mimo_v2_flash", rope, head_dim=16, v_head_dim=16, layer_types=list(kinds), sliding_window=5,
                       mlp_layer_types=["dense", "sparse"], moe_intermediate_size=32, n_routed_experts=4, num_experts_per_tok=2)
    key, x = input_of(seed, 16)
    for layer, kind in enumerate(kinds):
        save(f"mimo_v2_flash, layer {layer}, seed {seed}", key, turned(config, x, p, layer_type=kind), config, p, layer=layer)
    save(f"mimo_v2_flash, bases exchanged, seed {seed}", key, turned(config, x, p, layer_type=kinds[0]), config, p, wrong="base",
         layer=1)


def side_by_side(seed, offset):
    """Heads that have not been split: [N, H*d], and with one or two sequences before them."""
    key, x = input_of(seed, 32, heads=2)
    p = list(range(offset, offset + N))
    sizes = {"hidden_size": 64, "num_attention_heads": 2}
    llama = config_of("llama", {**DEFAULT, "rope_theta": 500000.0}, **sizes)
    glm = config_of("glm4", {**DEFAULT, "partial_rotary_factor": 0.5}, **sizes, head_dim=32)
    for name, config in (("llama", llama), ("glm4", glm)):
        for layout in ("side", "batch", "two sequences"):
            save(f"{name}, {layout}, seed {seed}", key, turned(config, x, p), config, p, layout=layout)
    lost = config_of("llama", DEFAULT, **sizes)
    save(f"llama, side, base lost, seed {seed}", key, turned(lost, x, p), llama, p, wrong="base", layout="side")
    joined = config_of("llama", {**DEFAULT, "rope_theta": 500000.0}, hidden_size=64, num_attention_heads=1, num_key_value_heads=1)
    flat = x.transpose(0, 1).reshape(1, N, 64)
    after = turned(joined, flat, p)[0].reshape(N, 2, 32).transpose(0, 1)
    save(f"llama, side, turned before heads are split, seed {seed}", key, after, llama, p, wrong="any", layout="side")


def seen(mask):
    """Rows of 1 and 0, whatever the mask is made of: booleans, or numbers added to logits."""
    mask = mask.reshape(mask.shape[-2:])
    return ["".join("1" if v else "0" for v in row) for row in (mask if mask.dtype == torch.bool else mask == 0).tolist()]


def mask_of(implementation, length, function="create_causal_mask", **rest):
    config = config_of("llama", DEFAULT)
    config._attn_implementation = implementation
    config.sliding_window = config.attention_chunk_size = rest.pop("size", None)
    x = torch.zeros(1, length, 4)
    kwargs = {"attention_mask": None, "cache": None, "position_ids": None, "allow_is_causal_skip": False, **rest}
    if function != "create_causal_mask":
        del kwargs["allow_is_causal_skip"]
    return getattr(masking_utils, function)(config, x, **kwargs)


def spans(flags):
    """First and last of each run of true ones."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.asarray(flags, int), [0]])))
    return [[int(a), int(b) - 1] for a, b in zip(edges[::2], edges[1::2])]


def keep(name, mask, rule, **facts):
    """A mask that is made in both ways is kept once, with both."""
    case = masks.setdefault(name, {"seen": seen(mask), "written": [], "rule": rule, **facts})
    assert case["seen"] == seen(mask)
    case["written"].append("boolean" if mask.dtype == torch.bool else "additive")


def all_masks(seed):
    """implementation eager adds the lowest number, sdpa has booleans."""
    random = np.random.default_rng(seed)
    n = int(random.integers(18, 23))
    width, first = int(random.integers(5, 9)), int(random.integers(2, 5))
    prefix = int(random.integers(4, n - 6))
    image = np.zeros(n, int)
    a = int(random.integers(2, 6))
    image[a:a + 5] = image[a + 8:a + 12] = 1
    padding = torch.ones(1, n, dtype=torch.long)
    padding[0, :first] = 0
    ends = sorted(int(e) for e in random.choice(np.arange(4, n - 3), 2, replace=False))
    packed = torch.cat([torch.arange(b - a) for a, b in zip([0, *ends], [*ends, n])])[None]
    window = masking_utils.sliding_window_overlay(width)
    sinks = masking_utils.or_masks(window, lambda batch, head, q, k: k < first)
    of_images = get_block_sequence_ids_for_mask(torch.tensor(image)[None])
    of_prefix = torch.where(torch.arange(n)[None] < prefix, 0, -1)  # PaliGemma's own line
    for implementation in ("eager", "sdpa"):
        tail = f", seed {seed}"
        keep("causal" + tail, mask_of(implementation, n), "causal")
        keep("left padding" + tail, mask_of(implementation, n, attention_mask=padding), "causal", left=first)
        keep("packed" + tail, mask_of(implementation, n, position_ids=packed), "texts", starts=[0, *ends])
        keep("window" + tail, mask_of(implementation, n, "create_sliding_window_causal_mask", size=width), "window", width=width)
        keep("chunks" + tail, mask_of(implementation, n, "create_chunked_causal_mask", size=width), "chunks", width=width)
        keep("gemma3 images" + tail, mask_of(implementation, n, block_sequence_ids=of_images), "whole blocks",
             blocks=spans(image))
        keep("paligemma prefix" + tail, mask_of(implementation, n, block_sequence_ids=of_prefix), "whole blocks",
             blocks=[[0, prefix - 1]])
        keep("sinks and window" + tail, mask_of(implementation, n, and_mask_function=sinks), "sinks", width=width, sinks=first)
    queries = int(random.integers(4, 8))
    keep(f"causal_upper_left, seed {seed}", causal_upper_left(queries, n)._materialize(), "top left")
    keep(f"causal_lower_right, seed {seed}", causal_lower_right(queries, n)._materialize(), "causal")
    keep(f"tril, seed {seed}", torch.ones(n, n).tril().bool(), "causal")
    keep(f"triu of −inf, seed {seed}", torch.full((n, n), -torch.inf).triu(1), "causal")
    keep(f"square_subsequent_mask, seed {seed}", torch.nn.Transformer.generate_square_subsequent_mask(n), "causal")
    keep(f"off by one, tril(−1), seed {seed}", torch.ones(n, n).tril(-1).bool(), "without self")
    holes = mask_of("sdpa", n, block_sequence_ids=of_prefix).clone()
    holes[..., prefix - 2, 1] = False
    keep(f"prefix with a hole, seed {seed}", holes, "other")
    one_ahead = mask_of("sdpa", n, and_mask_function=sinks).clone()
    one_ahead[..., n // 2, n // 2 + 1] = True
    keep(f"sinks and one key ahead, seed {seed}", one_ahead, "other")
    keep(f"drawn, seed {seed}", torch.from_numpy(random.random((n, n)) < 0.5), "other")


def main():
    for seed in SEEDS:
        random = np.random.default_rng(seed)
        latent(seed, int(random.integers(3, 900)))
        by_length(seed, int(random.integers(1, 32 - N)))
        normed_after(seed, int(random.integers(1, 40)))
        odd_widths(seed, int(random.integers(1, 900)))
        side_by_side(seed, int(random.integers(1, 900)))
        all_masks(seed)
    versions = {"python": platform.python_version(),
                **{name: importlib.metadata.version(name) for name in ("numpy", "torch", "transformers")}}
    pathlib.Path(__file__).with_name("identify_sound.json").write_text(json.dumps(
        {"generator": "tests/golden/generate_identify_sound.py", "versions": versions, "tensors": tensors, "configs": configs,
         "cases": cases, "masks": masks}, separators=(",", ":"), ensure_ascii=False).replace("},\"", "},\n\"") + "\n")


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
