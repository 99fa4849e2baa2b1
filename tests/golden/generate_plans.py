#!/usr/bin/env python3
"""Writes plans.json: what models of Transformers do with positions, layer by layer, without Orrery.

Every case is a config.json in the shape in which files have it, of Transformers 4 or 5, with small
sizes. The model is built from it with random weights and run on one token at a few positions, with its
own attention function replaced by one that records q, k, the softmax scale and the window of each layer.
A token that sees only itself gets its own value back, so that nothing but the position encoding changes
q and k with the position (Llama 4's temperature, which counts tokens in the cache, is switched off): "pre" is what the model gives with cos = 1 and sin = 0, "post" at a position.
Applied q and k are compared, not tables; inv_freq and the attention factor are stored beside them.
Models whose attention is a method of its own (GPT-J, CodeGen, RoFormer, Falcon) have random q and k turned by
the functions and modules that the method calls.
Models whose attention puts the rotated channels in another order (evens, then odds) are put back.
Run it with torch and transformers installed; the tests do not need them.
"""
import contextlib
import importlib
import json
import pathlib
import platform
import sys
import warnings

import torch
import transformers
from transformers import AutoModel
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

warnings.filterwarnings("ignore")
transformers.logging.set_verbosity_error()
here = pathlib.Path(__file__).parent
positions = [1, 300]
llama3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 64}
yarn = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}
longrope = {"type": "longrope", "short_factor": [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7],
            "long_factor": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]}
latent = {"qk_nope_head_dim": 8, "qk_rope_head_dim": 16, "v_head_dim": 8, "q_lora_rank": 16, "kv_lora_rank": 16,
          "num_key_value_heads": 2, "n_routed_experts": 2, "n_shared_experts": 1, "num_experts_per_tok": 1,
          "n_group": 1, "topk_group": 1, "first_k_dense_replace": 99, "moe_intermediate_size": 16}
v4 = {"head_dim": 32, "qk_rope_head_dim": 16, "q_lora_rank": 16, "o_lora_rank": 8, "o_groups": 2, "n_routed_experts": 2,
      "n_shared_experts": 1, "num_experts_per_tok": 1, "moe_intermediate_size": 16, "hc_mult": 2, "index_n_heads": 2,
      "index_head_dim": 16, "sliding_window": 64, "num_hash_layers": 0, "compress_ratios": [0, 4, 128], "intermediate_size": "absent"}
moe = {"num_local_experts": 2, "num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 16}


def case(name, model_type, layers=1, **keys):
    sizes = {"num_hidden_layers": layers, "hidden_size": 32, "num_attention_heads": 2, "num_key_value_heads": 1,
             "intermediate_size": 32, "vocab_size": 16, "max_position_embeddings": 1024}
    config = {"model_type": model_type, **sizes, **keys}
    return name, {key: value for key, value in config.items() if value != "absent"}


cases = [
    case("llama, v4", "llama", rope_theta=500000.0, rope_scaling=None),
    case("llama, v5", "llama", rope_parameters={"rope_type": "default", "rope_theta": 500000.0}),
    case("llama without a base", "llama"),
    case("llama, head_dim of its own", "llama", head_dim=24),
    case("llama, type and rope_type", "llama", rope_theta=500000.0, rope_scaling={**llama3, "type": "linear"}),
    case("llama, linear by type", "llama", rope_scaling={"type": "linear", "factor": 4.0}),
    case("llama, linear v5", "llama", rope_parameters={"rope_type": "linear", "factor": 4.0, "rope_theta": 2e4}),
    case("llama, dynamic", "llama", rope_scaling={"type": "dynamic", "factor": 2.0}),
    case("llama, llama3", "llama", rope_theta=500000.0, rope_scaling=llama3),
    case("llama, llama3 without a length", "llama", rope_theta=500000.0, max_position_embeddings=128,
         rope_scaling={key: value for key, value in llama3.items() if not key.startswith("orig")}),
    case("llama, yarn", "llama", rope_scaling=yarn),
    case("llama, yarn by the ratio", "llama", rope_scaling={**yarn, "factor": None}),
    case("llama, yarn with mscale", "llama", rope_scaling={**yarn, "mscale": 0.707, "mscale_all_dim": 1.0}),
    case("llama, yarn with attention_factor", "llama", rope_scaling={**yarn, "attention_factor": 1.25}),
    case("llama, yarn with betas, not truncated", "llama",
         rope_scaling={**yarn, "beta_fast": 16, "beta_slow": 2, "truncate": False}),
    case("llama, yarn with a length on top", "llama", rope_scaling=yarn, original_max_position_embeddings=128),
    case("llama, longrope", "llama", original_max_position_embeddings=512, rope_scaling={**longrope}),
    case("mistral", "mistral", rope_theta=1e6, sliding_window=4096),
    case("mistral, null window", "mistral", sliding_window=None),
    case("mixtral", "mixtral", **moe),
    case("ministral3", "ministral3", rope_parameters={**yarn, "rope_theta": 1e6, "llama_4_scaling_beta": 0.1,
                                                     "mscale": 1.0, "mscale_all_dim": 1.0}),
    case("qwen2", "qwen2", rope_theta=1e6),
    case("qwen2 with windows", "qwen2", 3, use_sliding_window=True, sliding_window=64, max_window_layers=2),
    case("qwen2_moe", "qwen2_moe", shared_expert_intermediate_size=16, **moe),
    case("qwen3", "qwen3", head_dim=24, rope_theta=1e6),
    case("qwen3_moe", "qwen3_moe", head_dim=16, **moe),
    case("gemma", "gemma", head_dim=16),
    case("gemma2", "gemma2", 2, head_dim=16, query_pre_attn_scalar=24, sliding_window=64),
    case("gemma3, v4", "gemma3_text", 6, head_dim=16, rope_theta=1e6, rope_local_base_freq=1e4,
         sliding_window=64, rope_scaling={"rope_type": "linear", "factor": 8.0}),
    case("gemma3, pattern 2", "gemma3_text", 2, head_dim=16, sliding_window_pattern=2, sliding_window=64),
    case("gemma3, v5", "gemma3_text", 2, head_dim=16, sliding_window=64,
         layer_types=["sliding_attention", "full_attention"],
         rope_parameters={"sliding_attention": {"rope_type": "default", "rope_theta": 5e3},
                          "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 2e6}}),
    case("gemma4", "gemma4_text", 6, head_dim=16, global_head_dim=32, sliding_window=64,
         hidden_size_per_layer_input=0),
    case("vaultgemma", "vaultgemma", 2, head_dim=16, sliding_window=64),
    case("olmo", "olmo"), case("olmo2", "olmo2", rope_theta=5e5),
    case("olmo3", "olmo3", 4, rope_scaling=yarn, rope_theta=5e5, sliding_window=64),
    case("olmoe", "olmoe", **moe),
    case("granite", "granite", attention_multiplier=0.0625),
    case("granite_swa", "granite_swa", 4, attention_multiplier=0.0625, sliding_window=64,
         layer_rope_theta=[0, 1e4, 1e4, 5e4]),
    case("starcoder2", "starcoder2", sliding_window=64), case("seed_oss", "seed_oss", head_dim=16),
    case("apertus", "apertus", max_position_embeddings=65536), case("arcee", "arcee", head_dim=16),
    case("helium", "helium", head_dim=16), case("nemotron", "nemotron", head_dim=16),
    case("cwm", "cwm", 4, head_dim=16, sliding_window=64, max_position_embeddings=131072),
    case("hunyuan_v1_dense", "hunyuan_v1_dense", head_dim=16, rope_theta=1e4,
         rope_scaling={"type": "dynamic", "alpha": 1000.0, "factor": 1.0}),
    case("hy_v3", "hy_v3", head_dim=16, first_k_dense_replace=99, **moe),
    case("exaone4", "exaone4", 4, sliding_window=64),
    case("exaone4 without windows", "exaone4", 4, sliding_window=None, layer_types=["full_attention"] * 4),
    case("phi", "phi"), case("phi, 0.4", "phi", head_dim=20, hidden_size=40, partial_rotary_factor=0.4),
    case("phi3", "phi3", pad_token_id=0), case("phimoe", "phimoe", **moe),
    case("phi3, longrope", "phi3", pad_token_id=0, original_max_position_embeddings=512, rope_scaling=longrope),
    case("stablelm, yarn", "stablelm", head_dim="absent", hidden_size=64, rope_scaling=yarn),
    case("persimmon", "persimmon"), case("stablelm", "stablelm"), case("stablelm, 0.5", "stablelm", partial_rotary_factor=0.5),
    case("gpt_neox", "gpt_neox"), case("gpt_neox, v4 keys", "gpt_neox", rotary_pct=0.5, rotary_emb_base=25000),
    case("minimax_m2", "minimax_m2", head_dim=16, rotary_dim=8, **moe),
    case("gpt_oss", "gpt_oss", 2, head_dim=16, sliding_window=64, **moe),
    case("modernbert", "modernbert", 3, pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2),
    case("modernbert, v4 keys", "modernbert", 3, pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1,
         sep_token_id=2, global_rope_theta=8e4, local_rope_theta=5e3),
    case("laguna", "laguna", 2, head_dim=16, layer_types=["full_attention", "sliding_attention"], sliding_window=64,
         num_attention_heads_per_layer=[2, 2], **moe),
    case("deepseek_v2", "deepseek_v2", **latent),
    case("deepseek_v3", "deepseek_v3", **latent),
    case("deepseek_v3, not interleaved", "deepseek_v3", rope_interleave=False, **latent),
    case("deepseek_v3, yarn", "deepseek_v3", rope_scaling={**yarn, "type": "yarn", "mscale": 1.0, "mscale_all_dim": 1.0}, **latent),
    case("deepseek_v4", "deepseek_v4", 3, **v4),
    case("deepseek_v4, yarn", "deepseek_v4", 3, rope_theta=10000, compress_rope_theta=160000,
         rope_scaling={**yarn, "type": "yarn", "factor": 16}, **v4),
    # Two layers: with a factor of attention, values of the first compressing layer already grow with the rotation.
    case("deepseek_v4, nested", "deepseek_v4", 2, partial_rotary_factor=0.5,
         **{**v4, "qk_rope_head_dim": "absent", "compress_ratios": [0, 4]},
         rope_parameters={"main": {"rope_type": "default", "rope_theta": 5e4, "partial_rotary_factor": 0.5},
                          "compress": {**yarn, "rope_theta": 2e5, "partial_rotary_factor": 0.5}}),
    case("deepseek_v32", "deepseek_v32", index_head_dim=24, index_n_heads=2, index_topk=4, mlp_layer_types=["dense"], **latent),
    case("glm_moe_dsa", "glm_moe_dsa", index_head_dim=24, index_n_heads=2, index_topk=4, mlp_layer_types=["dense"], **latent),
    case("glm4_moe_lite", "glm4_moe_lite", **latent), case("youtu", "youtu", **latent),
    case("minicpm3", "minicpm3", **latent),
    case("llama4", "llama4_text", 4, head_dim=16, intermediate_size_mlp=32, attn_temperature_tuning=False,
         moe_layers=[], **moe),
    case("llama4, own list", "llama4_text", 2, head_dim=16, intermediate_size_mlp=32, no_rope_layers=[0, 1], attn_temperature_tuning=False,
         moe_layers=[], **moe),
    case("cohere", "cohere"), case("cohere2", "cohere2", 4, sliding_window=64),
    case("ernie4_5", "ernie4_5", head_dim=16), case("glm", "glm", head_dim=16, pad_token_id=0),
    case("glm4", "glm4", head_dim=16, pad_token_id=0), case("glm4_moe", "glm4_moe", head_dim=16, n_routed_experts=2,
         n_shared_experts=1, n_group=1, topk_group=1, first_k_dense_replace=99, **moe),
    case("smollm3", "smollm3", 4, pad_token_id=0), case("smollm3, own list", "smollm3", 2, pad_token_id=0, no_rope_layers=[0, 1]),
    case("kolibri1", "kolibri1", 5, head_dim=16, sliding_window=64, **moe), case("afmoe", "afmoe", 4, head_dim=16, sliding_window=64,
         num_dense_layers=4, **moe),
    case("beam", "beam", 6, head_dim=16, sliding_window=64, mlp_layer_types=["dense"] * 6, **moe),
    case("nanochat", "nanochat"), case("eurobert", "eurobert", head_dim=16, pad_token_id=0),
    case("nomic_bert", "nomic_bert", head_dim=16), case("gte", "gte"), case("solar_open", "solar_open", head_dim=16, n_routed_experts=2,
         n_shared_experts=1, n_group=1, topk_group=1, **moe),
    case("dots1", "dots1", head_dim=16, n_routed_experts=2, n_shared_experts=1, n_group=1, topk_group=1,
         first_k_dense_replace=99, **moe),
    case("mimo_v2_flash", "mimo_v2_flash", 2, head_dim=24, v_head_dim=16, sliding_window=64, mlp_layer_types=["dense"] * 2,
         layer_types=["full_attention", "sliding_attention"], **moe),
    case("qwen2_vl", "qwen2_vl_text", rope_scaling={"type": "mrope", "mrope_section": [2, 3, 3]}),
    case("qwen3_vl", "qwen3_vl_text", head_dim=16,
         rope_parameters={"rope_type": "default", "mrope_section": [4, 2, 2], "rope_theta": 5e6}),
    case("mellum", "mellum", 2, head_dim=16,
         layer_types=["full_attention", "sliding_attention"], sliding_window=64, mlp_layer_types=["dense"] * 2, **moe),
    case("lfm3", "lfm3", 5, head_dim=16, sliding_window=64, pad_token_id=0),
    case("qwen3_next", "qwen3_next", head_dim=16, layer_types=["full_attention"], linear_num_key_heads=1, linear_num_value_heads=2, linear_key_head_dim=8,
         linear_value_head_dim=8, mlp_only_layers=[0], **moe),
    case("muse_spark", "muse_spark_text", 4, head_dim=16, sliding_window=64, mlp_layer_types=["dense"] * 4, **moe),
]


class Probe:
    """In the place of a model's attention function: keeps what each layer calls it with."""

    def __init__(self):
        self.calls = []

    def __call__(self, module, query, key, value, attention_mask=None, scaling=None, **kwargs):
        # DeepSeek-V4's compressing layers see keys beyond the window as averages of several.
        window = None if getattr(module, "compressor", None) is not None else kwargs.get("sliding_window")
        self.calls.append({"layer": getattr(module, "layer_idx", None), "q": query[0, 0, 0].detach(), "k": key[0, 0, 0].detach(),
                           "scale": scaling, "window": window})
        out = value.repeat_interleave(query.shape[1] // value.shape[1], dim=1).transpose(1, 2).contiguous()
        return out, None


def unturned(module, result):
    """What a rotary embedding returns, as a rotation by nothing."""
    if hasattr(module, "embed_positions"):  # GPT-J's kind returns the sine first
        return torch.zeros_like(result[0]), torch.ones_like(result[1])
    if isinstance(result, tuple):
        return torch.ones_like(result[0]), torch.zeros_like(result[1])
    return torch.ones_like(result)


@contextlib.contextmanager
def without_rotation(model):
    originals = []
    for module in model.modules():
        if type(module).__name__.endswith("RotaryEmbedding"):
            originals.append((module, module.forward))
            module.forward = lambda *args, module=module, forward=module.forward, **kwargs: unturned(module, forward(*args, **kwargs))
    yield
    for module, forward in originals:
        module.forward = forward


def calls_at(model, module, position):
    probe = Probe()
    module.eager_attention_forward = probe
    ids, at = torch.tensor([[3]]), torch.tensor([[position]])
    model(input_ids=ids, position_ids=at)
    return dict(enumerate(probe.calls)) if probe.calls[0]["layer"] is None else {call["layer"]: call for call in probe.calls}


@contextlib.contextmanager
def seen_by_indexer(module, seen):
    """q and k of an indexer, before and after: of all calls its own alone have the heads behind the tokens."""
    names = [name for name in ("apply_rotary_pos_emb", "apply_rotary_pos_emb_interleave") if hasattr(module, name)]
    originals = {name: getattr(module, name) for name in names}

    def spy(original, leaves_evens_first):
        in_order = (lambda x: x.reshape(2, -1).T.flatten()) if leaves_evens_first else (lambda x: x)

        def turn(q, k, *args, unsqueeze_dim=1, **kwargs):
            turned = original(q, k, *args, unsqueeze_dim=unsqueeze_dim, **kwargs)
            if unsqueeze_dim == 2:
                seen.append([rounded(x[0, 0, 0]) for x in (q, k)] + [rounded(in_order(x[0, 0, 0])) for x in turned])
            return turned
        return turn

    for name in names:
        setattr(module, name, spy(originals[name], name.endswith("interleave")))
    yield
    for name in names:
        setattr(module, name, originals[name])


def indexer_of(model, module):
    """Its rotated channels at each position; None for a model without one."""
    found = []
    for position in positions:
        seen = []
        with seen_by_indexer(module, seen):
            calls_at(model, module, position)
        if not seen:
            return None
        found.append(dict(zip(("pre_q", "pre_k", "post_q", "post_k"), seen[0])))
    return found


def tables_of(model):
    tables = {}
    for module in model.modules():
        if not type(module).__name__.endswith("RotaryEmbedding"):
            continue
        for name in ["inv_freq"] + [f"{kind}_inv_freq" for kind in getattr(module, "layer_types", None) or []]:
            values = getattr(module, name, None)
            if values is not None:
                scaling = getattr(module, name.replace("inv_freq", "attention_scaling"), 1.0)
                tables[name.removesuffix("_inv_freq")] = {"inv_freq": rounded(values), "attention_factor": float(scaling)}
    return tables


def rounded(values):
    return [float(f"{value:.9g}") for value in values.flatten().tolist()]


def put_back(x, config, module):
    """Latent attention leaves the rotated channels as evens, then odds."""
    if not hasattr(module, "apply_rotary_pos_emb_interleave") or not getattr(config, "rope_interleave", True):
        return x
    rope = config.qk_rope_head_dim
    turned = x[-rope:].reshape(2, rope // 2).T.reshape(rope)
    return torch.cat([x[:-rope], turned])


def run(name, raw):
    torch.manual_seed(0)
    config = CONFIG_MAPPING[raw["model_type"]].from_dict(json.loads(json.dumps(raw)))
    config._attn_implementation = "eager"
    model = AutoModel.from_config(config, attn_implementation="eager").eval()
    module = importlib.import_module(type(model).__module__)
    with torch.no_grad():
        tables = tables_of(model)
        for parameter in model.parameters():
            # Norms of q and k after the rotation, as HunYuan has them, commute with it when their weights are equal.
            parameter.copy_(torch.randn_like(parameter) * 0.3 if parameter.ndim > 1 else torch.ones_like(parameter))
        with without_rotation(model):
            pre = calls_at(model, module, 0)
        post = {position: calls_at(model, module, position) for position in positions}
        indexer = indexer_of(model, module) if hasattr(config, "index_head_dim") and "deepseek_v4" not in name else None
    layers, known = [], set()
    types = getattr(model.config, "layer_types", None)
    for layer, call in sorted(pre.items()):
        at = {position: post[position][layer] for position in positions}
        turned = any(not torch.allclose(at[position]["k"], call["k"]) for position in positions)
        entry = {"layer": layer, "turned": turned, "scale": call["scale"], "window": call["window"]}
        kind = (types[layer] if types else "", turned, call["scale"], call["window"], len(call["q"]))
        if kind not in known or layer == len(pre) - 1:
            known.add(kind)
            for which in "qk":
                entry[f"pre_{which}"] = rounded(put_back(call[which], model.config, module))
                entry[f"post_{which}"] = [rounded(put_back(at[p][which], model.config, module)) for p in positions]
        layers.append(entry)
    return {"name": name, "config": raw, "tables": tables, "layers": layers, **({"indexer": indexer} if indexer else {})}


def by_function(name, raw, d, turn):
    """A model whose attention is a method of its own: q and k turned by the model's own functions."""
    torch.manual_seed(1)
    q, k = torch.randn(1, 1, 1, d), torch.randn(1, 1, 1, d)
    turned = [turn(q.clone(), k.clone(), position) for position in positions]
    layer = {"layer": 0, "turned": True, "scale": d ** -0.5, "window": None,
             "pre_q": rounded(q), "post_q": [rounded(x) for x, _ in turned],
             "pre_k": rounded(k), "post_k": [rounded(y) for _, y in turned]}
    return {"name": name, "config": raw, "tables": {}, "layers": [layer]}


def gptj_like(module, rotary_dim):
    table = module.create_sinusoidal_positions(1024, rotary_dim)

    def turn(q, k, position):
        sin, cos = table[position][None, None].split(rotary_dim // 2, dim=-1)
        return tuple(torch.cat([module.apply_rotary_pos_emb(x[..., :rotary_dim], sin, cos), x[..., rotary_dim:]], dim=-1)
                     for x in (q, k))

    return turn


def roformer(module, d):
    embedding = module.RoFormerSinusoidalPositionalEmbedding(1024, d)
    embedding.weight = torch.nn.Parameter(embedding.create_weight(), requires_grad=False)

    def turn(q, k, position):
        sinusoid = embedding.weight[position][None, None, None]
        return module.RoFormerSelfAttention.apply_rotary_position_embeddings(sinusoid, q, k)

    return turn


def falcon(module, config):
    embedding = module.FalconRotaryEmbedding(config)

    def turn(q, k, position):
        cos, sin = embedding(q, torch.tensor([[position]]))
        return module.apply_rotary_pos_emb(q, k, cos, sin)

    return turn


def cases_by_function():
    modules = {name: importlib.import_module(f"transformers.models.{name}.modeling_{name}")
               for name in ("gptj", "codegen", "roformer", "falcon")}
    gptj = {"model_type": "gptj", "n_layer": 1, "n_embd": 64, "n_head": 2, "rotary_dim": 8}
    codegen = {"model_type": "codegen", "n_layer": 1, "n_embd": 64, "n_head": 2, "rotary_dim": 16}
    rope = {"model_type": "roformer", "num_hidden_layers": 1, "hidden_size": 32, "num_attention_heads": 2,
            "max_position_embeddings": 1024}
    bird = {"model_type": "falcon", "num_hidden_layers": 1, "hidden_size": 32, "num_attention_heads": 2, "alibi": False,
            "rope_theta": 5e5}
    config = CONFIG_MAPPING["falcon"].from_dict(dict(bird))
    with torch.no_grad():
        return [by_function("gptj", gptj, 32, gptj_like(modules["gptj"], 8)),
                by_function("codegen", codegen, 32, gptj_like(modules["codegen"], 16)),
                by_function("roformer", rope, 16, roformer(modules["roformer"], 16)),
                by_function("falcon", bird, 16, falcon(modules["falcon"], config))]


def main():
    done, failed = cases_by_function(), []
    for name, raw in cases:
        try:
            done.append(run(name, raw))
        except Exception as error:  # printed, so that none goes missing unseen
            failed.append(name)
            print(f"{name}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
    versions = {"python": platform.python_version(), "torch": torch.__version__, "transformers": transformers.__version__}
    text = json.dumps({"generator": "tests/golden/generate_plans.py", "versions": versions, "positions": positions})
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in done)
    (here / "plans.json").write_text(f'{text[:-1]},\n"cases": [\n{lines}\n]}}\n')
    print(f"{len(done)} cases, {len({raw['model_type'] for _, raw in cases if _ not in failed})} model types, {len(failed)} failed")


if __name__ == "__main__":
    main()
