#!/usr/bin/env python3
"""Asks check_model of pyorrery about a small model of every type of Transformers, in every option that touches its rope.

    ORRERY_LIBRARY=build/release/experiments/liborrery.so.1 PYTHONPATH=python \\
        python3 tests/golden/compare_checked_models.py [--only TYPE ...] [--stage default] [--options WORD ...]
                                                 [--out FILE] [--keep DIR] [--minutes 60]

Each model is as Transformers has it, so every deviation that is found is a false alarm. Weights are random; sizes are those
of generate_drawn_plans.py, or small ones in their place for what it has not. A type has a child process of its own, and
each of its options 30 s. What is in FILE's .jsonl, to which each result is added at once, is not done again. --stage default
leaves out the options; --options takes those that have one of the words in their names.

Prints a table by outcome, and writes FILE, a list of
{"type", "option", "config", "outcome", "tensors", "found", "why"}:

- "as expected": q and k of every layer that was seen are what the configuration says
- "nothing expected": the configuration names no encoding that Orrery knows, so that nothing can deviate
- "without rope": q and k are not seen, and by the configuration no layer turns them
- "true finding": a deviation that is one of TRUE_FINDINGS
- "refused": Orrery does not read the configuration, or not with that tensor
- "false alarm": found has the layers and what was said of them; with --keep q, k and config.json are in DIR/TYPE_OPTION
- "raised": check_model raised an error although the model runs
- "not seen": no q or k was captured
- "not run": the model is not made to run over tokens alone
- "not built": Transformers refuses the configuration

The exit status is 1 if there is a false alarm. Run with transformers 5.24.0 and torch 2.15.0.
"""
import argparse
import collections
import contextlib
import copy
import importlib
import inspect
import io
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import sys
import time
import traceback
import warnings

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
from transformers import AutoModel, AutoModelForCausalLM, AutoModelForMaskedLM, PreTrainedModel  # noqa: E402
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES  # noqa: E402
from transformers.models.auto.modeling_auto import (  # noqa: E402
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, MODEL_FOR_MASKED_LM_MAPPING_NAMES)

import generate_drawn_plans as plans  # noqa: E402
import pyorrery as orr  # noqa: E402
from pyorrery import checks  # noqa: E402

warnings.filterwarnings("ignore")
transformers.logging.set_verbosity(50)
torch.set_num_threads(1)

LIMIT = 30  # s
TOKENS = 24


# ---- Configurations ---------------------------------------------------------------------------------------

SMALL = dict(
    vocab_size=64, hidden_size=64, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
    num_key_value_heads=2, max_position_embeddings=256, depth=2, num_heads=4, n_heads=4, n_layers=2, n_layer=2, n_head=4,
    n_embd=64, d_model=64, ffn_dim=64, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
    decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, embed_dim=64, out_hidden_size=64,
    projection_dim=32, mlp_dim=64, num_local_experts=2, num_experts=2, n_routed_experts=4, num_experts_per_tok=1,
    moe_intermediate_size=16, shared_expert_intermediate_size=16, image_size=32, patch_size=8, num_mel_bins=16,
    output_dim=64, pad_token_id=0, bos_token_id=1, eos_token_id=2, num_layers=2, q_lora_rank=16, kv_lora_rank=16,
    encoder_num_hidden_layers=2, decoder_num_hidden_layers=2, n_window=16, n_window_infer=16, num_frames=2, layers=2,
    encoder_hidden_layers=2, mlp_hidden_size=64, ffn_hidden_size=64, window_size=32, fullatt_block_indexes=[0],
    deepstack_visual_indexes=[0], first_k_dense_replace=99, num_position_embeddings=16, hidden_size_per_layer_input=8,
    vocab_size_per_layer_input=64, num_kv_shared_layers=0,
)  # fmt: skip


# What a type asks for beyond small sizes.
OWN = {
    "cohere_compass_text": {"layer_types": ["sliding_attention", "full_attention"], "rope_parameters": {
        "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}, "full_attention": None}},
    "blt": {"encoder_hash_byte_group_vocab": 64},
    "deepseek_ocr2_text": {"mlp_layer_types": ["dense", "dense"]},
    "diffllama": {"num_key_value_heads": 2},
    "diffusion_gemma_text": {"num_experts": 2, "top_k_experts": 1},
    "ernie4_5_vl_moe_text": {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [3, 3, 2]}},
    "glm5_next_text": {"qk_rope_head_dim": 0},
    "hy_v4_vl_text": {"index_head_dim": 96, "rope_parameters": {
        "rope_type": "default", "rope_theta": 10000.0, "mrope_section": [12, 10, 10]}},
    "kyutai_speech_to_text": {"audio_pad_token_id": 3},
    "llama4_vision_model": {"intermediate_size": 256},
    "mimi": {"upsample_groups": 64},
    "molmo2_vision": {"image_size": [32, 32]},
    "qwen4_exp_text": {"layer_types": ["linear_attention", "indexed_attention"], "indexer_n_heads": 2, "indexer_kv_heads": 1,
                       "indexer_head_dim": 16, "indexer_budget": 64, "indexer_compress_ratio": 4},
    "moonshine_streaming": {"num_key_value_heads": 4},
    "qwen3_omni_moe_talker_text": {"shared_expert_intermediate_size": 16},
    "step3p5": {"sliding_window": 8},
    "t5gemma2_decoder": {"dropout_rate": 0.0},
    "t5gemma2_text": {"dropout_rate": 0.0},
}
# What is so of Transformers' own code: check_model rightly says it.
TRUE_FINDINGS = {
    # BambaModel.forward counts positions from 0 in each call that gives no position_ids, whatever the cache holds.
    ("bamba", "decode_at_zero"),
    # create_sinusoidal_positions computes its frequencies in the default type while a model in bf16 is made.
    ("codegen", "inv_freq_bf16"),
    ("gptj", "inv_freq_bf16"),
}


LISTED = {*plans.rope_types, *plans.other_types, *plans.unlisted_types}


def default(cls):
    try:
        return cls()
    except Exception:  # a class without defaults
        return None


def with_sections(config, names):
    """Sections of time, height and width that fill the pairs, where a type has them."""
    parameters = getattr(default(CONFIG_MAPPING[config["model_type"]]), "rope_parameters", None) or {}
    kind = config["model_type"]
    if "mrope_section" in parameters or "_vl_" in kind or "omni" in kind or kind.startswith("glm4v") or kind in (
            "glm_ocr_text", "glm_image_text"):
        config.setdefault("head_dim", config.get("hidden_size", 64) // config.get("num_attention_heads", 4))
        pairs = int(config["head_dim"] * (parameters.get("partial_rotary_factor") or 1.0)) // 2
        section = [pairs - 2 * (pairs // 3), pairs // 3, pairs // 3]
        if "rope_parameters" in names:
            config["rope_parameters"] = {"rope_type": "default", "rope_theta": 10000.0, **parameters, "mrope_section": section}
    return config


def shrunk(cls, depth=0):
    """A small configuration of a class that generate_drawn_plans.py does not have, with its parts."""
    names = plans.fields_of(cls)
    config = {key: value for key, value in SMALL.items() if key in names}
    for key, part in (vars(default(cls)) if depth < 3 and default(cls) is not None else {}).items():
        if isinstance(part, transformers.PreTrainedConfig):
            kind = part.model_type if part.model_type in CONFIG_MAPPING_NAMES else None
            small = base(kind) if kind in LISTED and kind != getattr(cls, "model_type", None) else shrunk(type(part), depth + 1)
            config[key] = {**({"model_type": kind} if kind else {}), **small}
    if "head_dim" in names and isinstance(names["head_dim"].default, int):
        config["head_dim"] = 16
    return config


def base(model_type):
    return {**small_base(model_type), **OWN.get(model_type, {})}


def small_base(model_type):
    names = plans.fields_of(CONFIG_MAPPING[model_type])
    if model_type not in LISTED:
        return with_sections({"model_type": model_type, **shrunk(CONFIG_MAPPING[model_type])}, names)
    config = with_sections(plans.base_of(model_type), names)
    if config.get("vocab_size") == 16:
        config["vocab_size"] = 97
    for key in ("vocab_size_per_layer_input", "unpadded_vocab_size"):
        if key in names and config.get(key) == 16:
            config[key] = 97
    for key, width in (("head_dim", 16), ("global_head_dim", 32), ("swa_head_dim", 16)):
        if isinstance(names[key].default if key in names else None, int):
            config.setdefault(key, width)
    if "kv_lora_rank" in config and "num_key_value_heads" in config and model_type not in ("deepseek_v4",):
        config["num_key_value_heads"] = config["num_attention_heads"]
    return config


def configured(raw):
    config = CONFIG_MAPPING[raw["model_type"]].from_dict(json.loads(json.dumps(raw)))
    return config


def classes_of(config):
    """Classes that may be made of a configuration, those of language models first."""
    kind = config.model_type
    if kind in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        yield AutoModelForCausalLM.from_config
    if kind in MODEL_FOR_MASKED_LM_MAPPING_NAMES:
        yield AutoModelForMaskedLM.from_config
    yield AutoModel.from_config
    module = importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
    for name, cls in sorted(vars(module).items()):
        if inspect.isclass(cls) and issubclass(cls, PreTrainedModel) and cls.__module__ == module.__name__ \
                and getattr(cls, "config_class", None) is type(config) and "forward" in vars(cls):
            yield cls._from_config


def built(raw):
    torch.manual_seed(0)
    config, first = configured(raw), None
    for make in classes_of(config):
        try:
            model = make(copy.deepcopy(config), dtype=getattr(torch, raw.get("dtype", "float32"))).eval()
        except Exception as error:  # the next class may take it
            # What a class of its own says is more than that AutoModel has none.
            first = error if first is None or "Unrecognized configuration class" in str(first) else first
            continue
        randomise(model)
        return model
    raise first


def randomise(model):
    """Of rows of padding tokens, too, which are zeros otherwise, and of weights that are made empty; not of tables of
    sines, as RoFormer has."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim > 1 and parameter.requires_grad:
                parameter.copy_(0.15 * torch.randn_like(parameter))
            elif not torch.isfinite(parameter).all():
                parameter.fill_(1.0)


# ---- Options ----------------------------------------------------------------------------------------------


def scalings(half):
    rising = [round(1 + 0.1 * at, 2) for at in range(half)]
    steep = [1.0 + at for at in range(half)]
    yarn = dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=64)
    return {
        "linear": dict(rope_type="linear", factor=4.0),
        "dynamic short": (dict(rope_type="dynamic", factor=4.0), dict(max_position_embeddings=256)),
        "dynamic long": (dict(rope_type="dynamic", factor=4.0), dict(max_position_embeddings=16)),
        "yarn": yarn,
        "yarn mscale": dict(yarn, mscale=0.707, mscale_all_dim=1.0, beta_fast=16, beta_slow=2),
        "yarn not truncated": dict(yarn, truncate=False, attention_factor=1.25),
        "llama3": dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
                       original_max_position_embeddings=64),
        "longrope short": (dict(rope_type="longrope", factor=4.0, short_factor=rising, long_factor=steep,
                                original_max_position_embeddings=64),
                           dict(original_max_position_embeddings=64, max_position_embeddings=256)),
        "longrope long": (dict(rope_type="longrope", factor=4.0, short_factor=rising, long_factor=steep,
                               original_max_position_embeddings=16),
                          dict(original_max_position_embeddings=16, max_position_embeddings=64)),
        "proportional": dict(rope_type="proportional", partial_rotary_factor=0.5),
    }  # fmt: skip


def nested(parameters):
    return any(isinstance(value, dict) for value in parameters.values())


def with_keys(parameters, keys):
    """Of each type of layers, where they have parameters of their own."""
    if nested(parameters):
        return {kind: {**inner, **keys} if isinstance(inner, dict) else inner for kind, inner in parameters.items()}
    return {**parameters, **keys}


def code_of(model):
    return inspect.getsource(sys.modules[type(model).__module__])


def half_of(model):
    for module in model.modules():
        for name, buffer in module.named_buffers(recurse=False):
            if name.endswith("inv_freq"):
                return buffer.shape[-1]
    return 0


def options_of(raw, model):
    """Names of options, and the keys that each changes."""
    names = plans.fields_of(CONFIG_MAPPING[raw["model_type"]])
    yield "default", {}
    parameters = getattr(model.config, "rope_parameters", None)
    parameters = json.loads(json.dumps(parameters)) if isinstance(parameters, dict) and parameters else None
    count = raw.get("num_hidden_layers", 2)
    if parameters:
        yield "base", {"rope_parameters": with_keys(parameters, {"rope_theta": 500000.0})}
        for name, keys in scalings(half_of(model)).items():
            keys, more = keys if isinstance(keys, tuple) else (keys, {})
            more = {key: value for key, value in more.items() if key in names or key == "max_position_embeddings"}
            yield name, {"rope_parameters": with_keys(parameters, keys), **more}
        for share in (0.5, 0.75):
            yield f"share {share}", {"rope_parameters": with_keys(parameters, {"partial_rotary_factor": share})}
        if "head_dim" in names and "head_dim" not in plans.special.get(raw["model_type"], {}):
            odd = with_keys(parameters, {"partial_rotary_factor": 0.25})
            yield "share of an odd width", {"head_dim": 20, "rope_parameters": odd}
        if nested(parameters):
            own = {kind: {**inner, "rope_theta": 10000.0 * (3 + at)} if isinstance(inner, dict) else inner
                   for at, (kind, inner) in enumerate(parameters.items())}
            yield "bases by type of layers", {"rope_parameters": own}
            for name in ("linear", "yarn"):
                scaled = {kind: {**inner, **scalings(half_of(model))[name]} if kind == "full_attention" and inner else inner
                          for kind, inner in parameters.items()}
                yield f"{name} in full layers", {"rope_parameters": scaled}
    if "head_dim" in names:
        for width in (24, 20):
            yield f"heads of {width}", {"head_dim": width}
    for key in ("global_head_dim", "swa_head_dim"):
        if key in names:
            yield key, {key: 24}
    if "qk_rope_head_dim" in names:
        yield "rope of 8", {"qk_rope_head_dim": 8}
    for key, field in names.items():
        switch = re.search(r"qk_?(layer)?_?norm|rope_interleave|alibi|use_mem_rope|^rotary$|rotary_value|indexer_rope|"
                           r"use_rope|nope|no_rope|rope_", key)
        if switch and isinstance(getattr(model.config, key, None), bool):
            for value in (True, False):
                if getattr(model.config, key) is not value:
                    yield f"{key} {value}", {key: value}
    kinds = sorted(set(getattr(model.config, "layer_types", None) or ()))
    if "layer_types" in names and set(kinds) & {"full_attention", "sliding_attention"}:
        windows = "sliding_window" in names or hasattr(model.config, "sliding_window")
        for first, second in (("sliding", "full"), ("sliding", "sliding"), ("full", "full")):
            if first == "sliding" and not windows:
                continue
            types = [f"{(first, second)[at % 2]}_attention" for at in range(count)]
            more = {"sliding_window": 8} if "sliding_window" in names else {}
            more.update({"use_sliding_window": True} if "use_sliding_window" in names else {})
            yield f"layers {first} {second}", {"layer_types": types, **more}
    elif "sliding_window" in names:
        yield "window", {"sliding_window": 8, **({"use_sliding_window": True} if "use_sliding_window" in names else {})}
    if "no_rope_layers" in names:
        yield "no_rope_layers", {"no_rope_layers": [at % 2 for at in range(count)]}
    if "no_rope_layer_interval" in names:
        yield "no_rope_layer_interval", {"no_rope_layer_interval": 2}
    if "layer_rope_theta" in names:
        yield "layer_rope_theta", {"layer_rope_theta": [0 if at == 0 else 50000.0 for at in range(count)]}
    if "rope_scaling_layers" in names:
        yield "rope_scaling_layers", {"rope_scaling_layers": [0]}
    for key in ("rotary_dim",):
        if key in names:
            yield "rotary_dim 4", {key: 4}
    for key in ("rotary_pct",):
        if key in names:
            yield "rotary_pct 0.5", {key: 0.5}
    for key in ("position_embedding_type", "position_embeddings_type"):
        if key in names:
            for value in ("rotary", "rope", "relative_key_query", "relative", "alibi"):
                if not any(quote + value + quote in code_of(model) for quote in "\"'"):
                    continue  # no value of this type's
                yield f"{key} {value}", {key: value}
    if "num_key_value_heads" in names and raw.get("num_key_value_heads") != raw.get("num_attention_heads"):
        yield "as many keys as queries", {"num_key_value_heads": raw.get("num_attention_heads", 4)}
    yield "in bf16", {"dtype": "bfloat16"}
    if raw["model_type"] in ("llama", "gemma3_text", "gpt_neox", "deepseek_v3"):
        yield "zeros for padding", {"pad_token_id": 5}
    for number in (1, 2, 3):
        if raw["model_type"] in plans.rope_types:
            yield f"drawn {number}", plans.drawn(raw["model_type"], number)


FIRST = "default", "zeros for padding"  # of which decoding with a cache is checked, and two layers
CACHED = "dynamic long", "longrope long", "longrope short"  # of these types, too: code of all of them is alike
CACHED_TYPES = "llama", "phi3", "qwen2", "gemma3_text"


# ---- Runs -------------------------------------------------------------------------------------------------


class Recorded:
    """identify of pyorrery.checks, which keeps what it was given."""

    def __init__(self):
        self.original, self.calls = checks.identify, []

    def __call__(self, before, after, **more):
        found = self.original(before, after, **more)
        self.calls.append((before, after, more, found))
        return found

    def __enter__(self):
        checks.identify = self
        return self

    def __exit__(self, *_):
        checks.identify = self.original


class TooLong(Exception):
    pass


def last_line(error):
    return (f"{type(error).__name__}: " + " ".join(str(error).split()))[:300]


def within_orrery(error):
    frames = traceback.extract_tb(error.__traceback__)
    return bool(frames) and "pyorrery" in frames[-1].filename


def takes_a_cache(model):
    names = inspect.signature(model.forward).parameters
    return ("cache" in names or "past_key_values" in names) and getattr(model.config, "use_cache", True) is not None and \
        not getattr(model.config, "is_encoder_decoder", False)


def parts_of(model):
    """The model, and what of it takes tokens alone where the whole does not."""
    yield "", model
    for name in ("get_encoder", "get_decoder"):
        with contextlib.suppress(Exception):
            part = getattr(model, name)()
            if part is not model and part is not None:
                yield name, part
    for name in ("language_model", "text_model", "thinker"):
        part = getattr(model, name, None) or getattr(getattr(model, "model", None), name, None)
        if part is not None:
            yield name, part


def sizes(config, *names):
    for name in names:
        value = getattr(config, name, None)
        if isinstance(value, (list, tuple)) and value:
            value = value[0]
        if isinstance(value, int) and value > 0:
            yield value


def inputs_of(model):
    """What a tower of images or sounds may take, by the names of its arguments."""
    names, config = inspect.signature(model.forward).parameters, model.config
    channels = next(sizes(config, "num_channels", "in_channels", "in_chans"), 3)
    size = next(sizes(config, "image_size", "input_size"), 32)
    patch = next(sizes(config, "patch_size", "spatial_patch_size"), 8)
    depth = next(sizes(config, "temporal_patch_size", "patch_temporal"), 1)
    bins = next(sizes(config, "num_mel_bins", "num_mel_features", "feature_size", "input_feat_per_channel",
                      "feature_projection_input_dim"), 16)
    width = next(sizes(config, "hidden_size", "d_model", "embed_dim"), 64)
    generator = torch.Generator().manual_seed(0)

    def random(*shape):
        return torch.randn(*shape, generator=generator)

    grid = torch.tensor([[1, 4, 6]])
    for name in names:
        if name in ("grid_thw", "image_grid_thw"):
            first = next(iter(names))
            yield {first: random(24, channels * depth * patch * patch), name: grid}
            yield {first: random(24, channels, patch, patch), name: grid}
            yield {first: random(1, 24, channels, patch, patch), name: grid}
            if "merge_sizes" in names:
                yield {first: random(24, channels * depth * patch * patch), name: grid, "merge_sizes": torch.tensor([2])}
    if "pixel_values" in names:
        yield {"pixel_values": random(1, channels, size, size)}
        yield {"pixel_values": random(1, channels, size, size), "image_sizes": torch.tensor([[size, size]])}
        at = torch.stack(torch.meshgrid(torch.arange(4), torch.arange(6), indexing="ij"), -1).reshape(1, 24, 2)
        yield {"pixel_values": random(1, 24, channels * patch * patch), "pixel_position_ids": at}
        yield {"pixel_values": random(1, 2, channels, size, size)}
        at = torch.stack(torch.meshgrid(torch.arange(6), torch.arange(6), indexing="ij"), -1).reshape(1, 36, 2)
        yield {"pixel_values": random(1, 36, channels * patch * patch), "pixel_position_ids": at}
        yield {"pixel_values": random(1, (size // patch) ** 2, channels * patch * patch)}
    if "pixel_values_videos" in names:
        yield {"pixel_values_videos": random(1, 2, channels, size, size)}
    for name in ("input_features", "input_values", "audio_mel", "inputs", "audio_features"):
        if name in names:
            for shape in ((1, 64, bins), (1, bins, 64), (1, 1, 1600), (1, 1600), (1, 64, width)):
                for more in ({}, {"attention_mask": torch.ones(1, max(shape), dtype=torch.long)},
                             {"feature_lens": torch.tensor([64])}):
                    if all(key in names for key in more):
                        yield {name: random(*shape), **more}
    if {"input_ids", "encoder_hidden_states"} <= set(names):
        yield {"input_ids": torch.arange(24)[None] % 8 + 2, "encoder_hidden_states": random(1, 8, width)}
    for name in ("inputs_embeds", "hidden_states"):
        if name in names:
            yield {name: random(1, 24, width)}


def running_tower(model):
    """Inputs with which it runs; raises what the first ones raise."""
    first = None
    for given in inputs_of(model):
        given = {name: value.to(model.dtype) if value.is_floating_point() else value for name, value in given.items()}
        try:
            with torch.no_grad():
                model(**given)
            return given
        except TooLong:
            raise
        except Exception as error:
            first = first or error
    raise first or TypeError("its inputs are not known: " + ", ".join(inspect.signature(model.forward).parameters))


def check_tower(model, given):
    """As check_model, of other inputs than tokens."""
    plan = {one["layer"]: one for one in orr.positions(model.config)["layers"]}
    with torch.no_grad(), orr.capture(model) as seen:
        model(**given)
    found = []
    for one in seen.tensors():
        if one.layer not in plan:
            continue
        answer = checks.identify(one.before, one.after, expect=model.config, layer=one.layer)
        found.append(checks.LayerCheck(one.layer, one.name, plan[one.layer]["encoding"], answer))
    return checks.ModelCheck(found)


def running(model):
    first = None
    for name, part in parts_of(model):
        if "input_ids" not in inspect.signature(part.forward).parameters and not hasattr(part, "lm_head"):
            first = first or TypeError("takes no input_ids")
            continue
        try:
            with torch.no_grad():
                part(checks._tokens_of(part, TOKENS, 0))
            return name, part
        except TooLong:
            raise
        except Exception as error:
            first = first or error
    raise first


def outcome(raw, option, keep):
    entry = {"outcome": "not built", "tensors": 0, "found": [], "why": ""}
    try:
        model = built(raw)
        if option == "zeros for padding":
            model.get_input_embeddings().weight.data[5] = 0
    except TooLong:
        raise
    except Exception as error:
        return {**entry, "why": last_line(error)}
    model = getattr(model, "speech_encoder", model)  # of SeamlessM4T, of which its configuration tells
    entry["outcome"], given = "not run", None
    try:
        try:
            part, model = running(model)
            entry["part"] = part
        except TooLong:
            raise
        except Exception:
            given = running_tower(model)
            entry["part"] = "with " + ", ".join(given)
    except TooLong:
        raise
    except Exception as error:
        return {**entry, "why": last_line(error)}
    tokens = 32 if option == "zeros for padding" else TOKENS
    alike = option in CACHED and raw["model_type"] in CACHED_TYPES
    cached = given is None and (option in FIRST or alike) and takes_a_cache(model)
    with Recorded() as recorded:
        try:
            result = orr.check_model(model, tokens=tokens, cached=cached) if given is None else check_tower(model, given)
        except TooLong:
            raise
        except Exception as error:
            if cached and given is None:
                with contextlib.suppress(Exception):
                    recorded.calls.clear()
                    result = orr.check_model(model, tokens=tokens, cached=False)
                    cached, entry["why"] = False, "with a cache: " + last_line(error)
            if not entry["why"]:
                where = traceback.extract_tb(error.__traceback__)[-1]
                entry["why"] = f"{last_line(error)} ({pathlib.Path(where.filename).name}:{where.lineno})"
                return {**entry, "outcome": "refused" if isinstance(error, orr.OrreryError) else "raised"}
    entry["tensors"], entry["cached"] = len(result.layers), cached
    entry["encodings"] = sorted({one.encoding for one in result.layers})
    if not result.layers:
        turns = any(one["encoding"] == "rope" for one in orr.positions(model.config)["layers"])
        return {**entry, "outcome": "not seen" if turns else "without rope"}
    for one, call in zip(result.layers, recorded.calls):
        if not one.ok:
            found = one.identification
            entry["found"].append({"layer": one.layer, "name": one.name, "defect": one.defect, "text": str(found),
                                   "deviations": found.deviations, "notes": found.notes, "explained": found.explained,
                                   "shape": list(np.shape(call[0])),
                                   "expected": next((h.text for h in found.hypotheses if h.expected), "")})
    if not entry["found"]:
        expected = any(one.identification.as_expected is not None for one in result.layers)
        return {**entry, "outcome": "as expected" if expected else "nothing expected"}
    if {(raw["model_type"], one["defect"]) for one in entry["found"]} <= TRUE_FINDINGS:
        return {**entry, "outcome": "true finding"}
    if keep:
        stored(keep / re.sub(r"\W+", "_", f"{raw['model_type']}_{option}"), model, result, recorded)
    return {**entry, "outcome": "false alarm"}


def stored(folder, model, result, recorded):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    config = json.loads(json.dumps(model.config.to_dict(), default=str))
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    lines, written = [], set()
    for one, (before, after, _, _) in zip(result.layers, recorded.calls):
        if one.ok or one.name in written:
            continue
        written.add(one.name)
        stem = one.name.replace(" ", "_")
        np.save(folder / f"{stem}_before.npy", before)
        np.save(folder / f"{stem}_after.npy", after)
        lines.append(f"orrery run identify before={stem}_before.npy after={stem}_after.npy expect=. layer={one.layer}")
    (folder / "command").write_text("\n".join(lines) + "\n", encoding="utf-8")


def reduced(raw, option, model):
    """One layer where layers do not differ: options are many."""
    kinds = {one["encoding"] for one in orr.positions(model.config)["layers"]}
    if option in FIRST or "layer" in option or "full" in option or raw.get("num_hidden_layers") != 2 or any(
            isinstance(value, list) and len(value) == 2 for value in raw.values()) or kinds != {"rope"}:
        return raw
    return {**raw, "num_hidden_layers": 1}


def alarmed(*_):
    raise TooLong()


def type_in_child(model_type, stage, done, write, keep, words):
    signal.signal(signal.SIGALRM, alarmed)
    size = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + (3 << 30),) * 2)  # a model that was not made small is refused

    def one(option, raw):
        if (model_type, option) in done:
            return
        begin = time.time()
        signal.alarm(LIMIT)
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                entry = outcome(raw, option, keep)
        except TooLong:
            entry = {"outcome": "not run", "why": f"more than {LIMIT} s", "tensors": 0, "found": []}
        finally:
            signal.alarm(0)
        write({"type": model_type, "option": option, "config": raw, **entry, "seconds": round(time.time() - begin, 2)})

    try:
        raw = base(model_type)
        one("default", raw)
        if stage == "default":
            return
        model = built(raw)
        options = list(options_of(raw, model))
    except Exception as error:
        if (model_type, "default") not in done:
            write({"type": model_type, "option": "default", "config": {}, "outcome": "not built", "tensors": 0, "found": [],
                   "why": last_line(error)})
        return
    for option, keys in options:
        if option != "default" and (not words or any(word in option for word in words)):
            merged = keys if option.startswith("drawn") else {**raw, **keys}
            if option.startswith("drawn") and merged.get("vocab_size") == 16:
                merged = {**merged, "vocab_size": 97}
            one(option, reduced(merged, option, model))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--options", nargs="*")
    parser.add_argument("--stage", choices=["default", "options"], default="options")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("check_all.json"))
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, default=600)
    options = parser.parse_args()
    begin = time.time()
    lines = options.out.with_suffix(".jsonl")
    entries = [json.loads(line) for line in lines.read_text().splitlines()] if lines.exists() else []
    done = {(entry["type"], entry["option"]) for entry in entries}
    types = options.only or list(dict.fromkeys(
        plans.rope_types + plans.unlisted_types + plans.other_types + list(CONFIG_MAPPING_NAMES)))
    for model_type in types:
        if model_type not in CONFIG_MAPPING_NAMES or time.time() - begin > 60 * options.minutes:
            continue
        if options.stage == "default" and (model_type, "default") in done:
            continue
        child = os.fork()
        if child == 0:
            with open(lines, "a", encoding="utf-8") as file:
                def write(entry):
                    file.write(json.dumps(entry, default=str) + "\n")
                    file.flush()
                type_in_child(model_type, options.stage, done, write, options.keep, options.options)
            os._exit(0)
        last, size = time.time(), -1
        while os.waitpid(child, os.WNOHANG)[0] == 0:
            time.sleep(0.02)
            now = lines.stat().st_size if lines.exists() else 0
            if now != size:
                last, size = time.time(), now
            if time.time() - last > 2 * LIMIT:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                with open(lines, "a", encoding="utf-8") as file:
                    file.write(json.dumps({"type": model_type, "option": "?", "config": {}, "outcome": "not run", "tensors": 0,
                                           "found": [], "why": "killed: it hung"}) + "\n")
                break
    entries = [json.loads(line) for line in lines.read_text().splitlines()]
    options.out.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    counts = collections.Counter(entry["outcome"] for entry in entries)
    for kind, count in counts.most_common():
        print(f"\n{kind}: {count}")
        if kind == "as expected":
            continue
        for entry in entries:
            if entry["outcome"] == kind:
                found = entry["found"][0] if entry["found"] else None
                said = f"layer {found['layer']} {found['name']}: {found['defect']}" if found else entry["why"]
                print(f"  {entry['type']:26} {entry['option']:28} {said[:170]}")
    return counts["false alarm"] > 0


if __name__ == "__main__":
    sys.exit(main())
