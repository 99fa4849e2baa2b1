#!/usr/bin/env python3
"""Models of Transformers pass check_model, and mistakes planted in their code are named.

    ORRERY_LIBRARY=build/release/experiments/liborrery.so.1 PYTHONPATH=python \\
        python3 tests/python/hf_models.py [--write]

The models are small and random. A mistake is planted from outside, by replacing a function of a model's
module or a number of a model that was made: what people have written, and what was reported of it. Prints a
row per model and fails where one is not as expected; --write records the table in hf_models.json beside it.
Needs torch and transformers.
"""

import contextlib
import json
import os
import pathlib
import sys

os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
os.environ["HF_HUB_OFFLINE"] = "1"

import torch  # noqa: E402
import transformers  # noqa: E402

import pyorrery as orr  # noqa: E402

FILE = pathlib.Path(__file__).with_suffix(".json")
SMALL = dict(
    hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96, vocab_size=97,
    max_position_embeddings=256, pad_token_id=0, bos_token_id=1, eos_token_id=2,
)  # fmt: skip
GROUPED = dict(SMALL, num_key_value_heads=2)


def rope(theta=10000.0, **more):
    return {"rope_parameters": {"rope_theta": theta, "rope_type": "default", **more}}


YARN = rope(5e5, rope_type="yarn", factor=4.0, original_max_position_embeddings=64)
LLAMA3 = rope(5e5, rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=64)  # fmt: skip

# name of the row: class, configuration
MODELS = {
    "llama": ("Llama", {**GROUPED, **rope()}),
    "llama, llama3 scaling": ("Llama", {**GROUPED, **LLAMA3}),
    "llama, yarn": ("Llama", {**GROUPED, **YARN}),
    "llama, linear": ("Llama", {**GROUPED, **rope(rope_type="linear", factor=4.0)}),
    "mistral": ("Mistral", {**GROUPED, **rope(1e6), "sliding_window": 16}),
    "mixtral": ("Mixtral", {**GROUPED, **rope(1e6), "num_local_experts": 2}),
    "qwen2": ("Qwen2", {**GROUPED, **rope(1e6)}),
    "qwen3": ("Qwen3", {**GROUPED, **rope(1e6), "head_dim": 32}),
    "gemma": ("Gemma", {**GROUPED, **rope(), "head_dim": 32}),
    "gemma2": ("Gemma2", {**GROUPED, **rope(), "head_dim": 32, "sliding_window": 16}),
    "phi": ("Phi", {**SMALL, **rope(partial_rotary_factor=0.5)}),
    "phi3": ("Phi3", {**GROUPED, **rope()}),
    "gpt_neox": ("GPTNeoX", {**SMALL, **rope(partial_rotary_factor=0.25)}),
    "gptj": ("GPTJ", dict(n_embd=64, n_layer=2, n_head=4, rotary_dim=8, vocab_size=97, n_positions=256,
                          bos_token_id=1, eos_token_id=2)),
    "stablelm": ("StableLm", {**GROUPED, **rope(partial_rotary_factor=0.25)}),
    "cohere": ("Cohere", {**GROUPED, **rope()}),
    "olmo2": ("Olmo2", {**GROUPED, **rope(5e5)}),
    "glm": ("Glm", {**GROUPED, **rope(partial_rotary_factor=0.5), "head_dim": 16}),
    "starcoder2": ("Starcoder2", {**GROUPED, **rope(1e5)}),
    "granite": ("Granite", {**GROUPED, **rope()}),
    # What is seen of these takes more than a function of the module and a number of the layer.
    "layers without a number": ("NomicBert", {**SMALL, **rope()}),
    "function called as a method": ("RoFormer", {**SMALL, "is_decoder": True}),
    "keys of several tokens behind the others": ("DeepseekV4", {
        **SMALL, "num_key_value_heads": 1, "head_dim": 32, "qk_rope_head_dim": 16, "sliding_window": 64,
        "compress_ratios": [0, 4], "q_lora_rank": 16, "o_lora_rank": 8, "o_groups": 2, "index_n_heads": 2,
        "index_head_dim": 16, "index_topk": 64, "hc_mult": 2, "n_routed_experts": 2, "num_experts_per_tok": 1,
        "moe_intermediate_size": 16, "num_hash_layers": 0, "scoring_func": "sqrtsoftplus"}),
    "channels scaled after": ("Dory", {**GROUPED, "n_input_layers": 0, "n_output_layers": 0, "head_dim": 16}),
    "layers that run several times": ("HrmText", {
        **SMALL, "head_dim": 16, "num_hidden_layers": 1, "H_cycles": 2, "L_cycles": 1, "L_bp_cycles": [1]}),
    "a block that layers share": ("Zamba2", {
        **SMALL, "num_hidden_layers": 3, "layers_block_type": ["linear_attention", "hybrid", "linear_attention"],
        "attention_head_dim": 32, "kv_channels": 16, "num_mem_blocks": 1, "n_mamba_heads": 8, "mamba_headdim": 16,
        "adapter_rank": 4, "use_mem_rope": True, "mamba_d_state": 8, "mamba_ngroups": 1}),
    "norm after, in bf16": ("HunYuanDenseV1", {**GROUPED, **rope(), "head_dim": 16, "dtype": torch.bfloat16}),
    "dynamic scaling begins while it decodes": ("Llama", {
        **GROUPED, **rope(rope_type="dynamic", factor=4.0), "max_position_embeddings": 32}),
    "long factors begin while it decodes": ("Phi3", {
        **GROUPED, **rope(rope_type="longrope", short_factor=[1.0 + 0.1 * at for at in range(8)],
                          long_factor=[2.0 + at for at in range(8)]),
        "max_position_embeddings": 128, "original_max_position_embeddings": 32}),
}  # fmt: skip


def make(row):
    name, settings = MODELS[row]
    torch.manual_seed(0)
    config = getattr(transformers, name + "Config")(**settings)
    cls = getattr(transformers, name + "ForCausalLM", None) or getattr(transformers, name + "Model")
    return cls._from_config(config, dtype=settings.get("dtype", torch.float32)).eval()


def module_of(model):
    return sys.modules[type(model).__module__]


@contextlib.contextmanager
def replaced(owner, name, value):
    old = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, old)


# ---- Mistakes. Each is a context in which the model computes wrongly --------------------------------------


def rotate_pairs(x):
    return torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)


def interleave(table):
    return table[..., : table.shape[-1] // 2].repeat_interleave(2, dim=-1)


def turning(turn, rotate=None):
    """apply_rotary_pos_emb with cos and sin changed by turn, and another rotate_half."""

    def plant(model):
        module = module_of(model)
        half = rotate or module.rotate_half

        def apply(q, k, cos, sin, *_args, unsqueeze_dim=1, **_kwargs):
            cos, sin = turn(cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim))
            return q * cos + half(q) * sin, k * cos + half(k) * sin

        return replaced(module, "apply_rotary_pos_emb", apply)

    return plant


def rotary(change):
    """The module that makes cos and sin changed once it was made."""

    def plant(model):
        for one in model.modules():
            if hasattr(one, "inv_freq"):
                change(one)
        return contextlib.nullcontext()

    return plant


def positions(change):
    """Positions changed before cos and sin are made of them."""

    def plant(model):
        (one,) = [one for one in model.modules() if hasattr(one, "inv_freq")]
        forward = one.forward

        def changed(x, position_ids, *args, **kwargs):
            return forward(x, change(position_ids), *args, **kwargs)

        return replaced(one, "forward", changed)

    return plant


def frequencies(change):
    def set_them(one):
        one.inv_freq = change(one.inv_freq)

    return rotary(set_them)


def attention_factor(value):
    def set_it(one):
        one.attention_scaling = value

    return rotary(set_it)


def function(make_it):
    """apply_rotary_pos_emb made of the right one."""

    def plant(model):
        module = module_of(model)
        return replaced(module, "apply_rotary_pos_emb", make_it(module.apply_rotary_pos_emb))

    return plant


def in_low_precision(model):
    (one,) = [one for one in model.modules() if hasattr(one, "inv_freq")]

    def forward(x, position_ids):
        angle = position_ids[..., None].to(torch.bfloat16) * one.inv_freq.to(torch.bfloat16)
        table = torch.cat((angle, angle), dim=-1)
        return table.cos().to(x.dtype), table.sin().to(x.dtype)

    return replaced(one, "forward", forward)


def stopped_scaling(model):
    """The frequencies of the training's length at any length."""
    (one,) = [one for one in model.modules() if hasattr(one, "inv_freq")]
    kept = one.inv_freq.clone()

    def forward(x, position_ids):
        angle = position_ids[..., None] * kept
        table = torch.cat((angle, angle), dim=-1)
        return table.cos().to(x.dtype), table.sin().to(x.dtype)

    return replaced(one, "forward", forward)


def same(cos, sin):
    return cos, sin


def keys_as_they_were(right):
    return lambda q, k, *args, **kwargs: (right(q, k, *args, **kwargs)[0], k)


def nothing(right):
    return lambda q, k, *args, **kwargs: (q, k)


def twice(right):
    def apply(q, k, *args, **kwargs):
        return right(*right(q, k, *args, **kwargs), *args, **kwargs)

    return apply


def whole_heads(base):
    """Frequencies of all channels, of which the first are taken: the share ignored."""
    return frequencies(lambda f: base ** (-2.0 * torch.arange(len(f)) / 16))


# what was planted: row of the model, how, and words of which one must be in what it is called
MISTAKES = {
    "pairs of neighbours in place of halves": ("llama", turning(lambda c, s: (interleave(c), interleave(s)), rotate_pairs), ["wrong_pairing"]),
    "halves in place of neighbours": ("cohere", None, ["wrong_pairing"]),
    "tables of the other pairing": ("llama", turning(lambda c, s: (interleave(c), interleave(s))), ["table_of_other_pairing"]),
    "no minus in rotate_half": ("qwen2", turning(same, lambda x: torch.cat((x[..., x.shape[-1] // 2 :], x[..., : x.shape[-1] // 2]), -1)), ["negation_missing"]),
    "turned the other way": ("mistral", turning(lambda c, s: (c, -s)), ["clockwise"]),
    "base of the configuration lost": ("qwen3", frequencies(lambda f: 10000.0 ** (-2.0 * torch.arange(len(f)) / (2 * len(f)))), ["base_lost"]),
    "base ten times too large": ("starcoder2", frequencies(lambda f: 1e6 ** (-2.0 * torch.arange(len(f)) / (2 * len(f)))), ["base 1000000, not 100000"]),
    "scaling of llama3 skipped": ("llama, llama3 scaling", frequencies(lambda f: 5e5 ** (-2.0 * torch.arange(len(f)) / (2 * len(f)))), ["scaling_skipped"]),
    "linear scaling skipped": ("llama, linear", frequencies(lambda f: f * 4), ["scaling_skipped"]),
    "attention factor of yarn lost": ("llama, yarn", attention_factor(1.0), ["attention_factor_missing"]),
    "positions count from 1": ("gemma", positions(lambda at: at + 1), ["off_by_one"]),
    "positions halved": ("gemma2", positions(lambda at: at / 2), ["scaling"]),
    "not turned at all": ("olmo2", function(nothing), ["not_rotated"]),
    "keys not turned": ("granite", function(keys_as_they_were), ["not_rotated"]),
    "turned twice": ("phi3", function(twice), ["rotated_twice"]),
    "decoded tokens are all the first": ("mixtral", positions(lambda at: at if at.shape[-1] > 1 else 0 * at), ["decode_at_zero"]),
    "decoded tokens are one too far": ("llama", positions(lambda at: at if at.shape[-1] > 1 else at + 1), ["cache_off_by_one"]),
    "frequencies of whole heads in a share": ("gpt_neox", whole_heads(10000.0), ["denominator_head_dim"]),
    "angles in degrees": ("stablelm", frequencies(lambda f: f * (180 / torch.pi)), ["angles_in_degrees"]),
    "angles in bf16": ("phi", in_low_precision, ["bf16"]),
    "not turned in any of several runs": ("layers that run several times", function(nothing), ["not_rotated"]),
    "turned twice, and channels scaled": ("channels scaled after", function(twice), ["rotated_twice"]),
    "dynamic scaling skipped once decoding": ("dynamic scaling begins while it decodes", stopped_scaling, ["scaling_skipped"]),
}  # fmt: skip


def cohere_as_llama(model):
    """Cohere's tables have each angle twice side by side; Llama's code takes halves."""

    def apply(q, k, cos, sin, *_args, unsqueeze_dim=1, **_kwargs):
        def turn(x):
            d = x.shape[-1] // 2
            a, b = x[..., :d], x[..., d:]
            c, s = cos.unsqueeze(unsqueeze_dim)[..., ::2], sin.unsqueeze(unsqueeze_dim)[..., ::2]
            return torch.cat((a * c - b * s, a * s + b * c), -1)

        return turn(q), turn(k)

    return replaced(module_of(model), "apply_rotary_pos_emb", apply)


MISTAKES["halves in place of neighbours"] = ("cohere", cohere_as_llama, ["wrong_pairing"])


def check(row, plant=None):
    model = make(row)
    with plant(model) if plant else contextlib.nullcontext():
        return orr.check_model(model)


def main():
    table, wrong = {"right": [], "planted": []}, 0
    for row in MODELS:
        found = check(row)
        table["right"].append({"model": row, "tensors": len(found.layers), "ok": found.ok})
        wrong += not found.ok
        print(f"{'ok' if found.ok else 'WRONG':6} {row:24} {found}", flush=True)
    for planted, (row, plant, words) in MISTAKES.items():
        found = check(row, plant)
        defect = found.defects[0] if found.defects else ""
        named = any(word in defect for word in words)
        table["planted"].append(
            {"mistake": planted, "model": row, "named": named, "defects": found.defects}
        )
        wrong += not named
        print(f"{'named' if named else 'WRONG':6} {planted:40} {row:24} {found.defects}", flush=True)
    if "--write" in sys.argv:
        record = {
            "generator": "tests/python/hf_models.py",
            "versions": {"torch": torch.__version__, "transformers": transformers.__version__},
            **table,
        }
        FILE.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
