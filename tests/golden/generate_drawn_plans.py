#!/usr/bin/env python3
"""Writes drawn_plans.json: configurations drawn at random for every model type, and what Transformers makes of them.

Each draw is a config.json with small sizes whose keys about positions are present, missing, null, nested or
contradictory. The model is built from it with random weights, and its attention function recorded:

- at single positions, q and k without rotation ("pre") and with it ("post"), and the softmax scale, as in
  generate_plans.py, whose probe is used;
- over 24 tokens at positions 0 to 23, the mask of each layer.

Models whose attention is a method of its own give the number of layers and the mask, which is where a weight is not 0.
What Transformers refuses or cannot run is counted by the first words of its error, with the names of the types.
Keys that say nothing about positions (experts, ranks, vocabulary) are set small and left out of the file.
Run it with torch and transformers installed: python3 generate_drawn_plans.py [--only TYPE ...] [--out FILE]
"""
import argparse
import collections
import contextlib
import dataclasses
import importlib
import inspect
import io
import json
import pathlib
import platform
import random
import sys

import torch
import transformers
from transformers import AutoModel
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, MODEL_FOR_MASKED_LM_MAPPING_NAMES
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

import generate_plans as plans

transformers.logging.set_verbosity(50)
here = pathlib.Path(__file__).parent
positions = [1, 37, 300]
tokens = 24
seed = 20261124
draws_of_rope, draws_of_others = 13, 5

rope_types = """afmoe apertus arcee axk1 axk2 bailing_hybrid bamba beam bitnet chameleon codegen cohere cohere2 cohere2_moe cwm dbrx deepseek_v2
deepseek_v3 deepseek_v32 deepseek_v4 dots1 ernie4_5 ernie4_5_moe ernie4_5_vl_moe_text esmc eurobert exaone4 exaone_moe falcon_h1 flex_olmo flint gemma gemma2
gemma3_text gemma3n_text gemma4_text gemma4_unified_text glm glm4 glm4_moe glm4_moe_lite glm4v_moe_text glm4v_text glm_moe_dsa glm_ocr_text gpt_neox
gpt_neox_japanese gpt_oss gptj granite granite_swa granitemoe granitemoe_swa granitemoehybrid granitemoeshared gte helium
hunyuan_v1_dense hunyuan_v1_moe hunyuan_vl_text hy_v3 hy_v4 internlm3 jina_embeddings_v3 kolibri1 laguna lara_mini lfm2 lfm2_moe lfm3 llama llama4_text
longcat_flash mellum mimo_v2_flash minicpm3 minimax minimax_m2 minimax_m3_vl_text ministral ministral3 mistral mistral4 mistral_large4_text mixtral
modernbert modernbert-decoder moonshine muse_glimmer_text muse_spark_text nanochat nemotron neomme nomic_bert olmo olmo2 olmo3 olmo_hybrid olmoe persimmon
phi phi3 phi4_multimodal phimoe qwen2 qwen2_5_omni_text qwen2_5_vl_text qwen2_moe qwen2_vl_text qwen3 qwen3_5_moe_text qwen3_5_text
qwen3_moe qwen3_next qwen3_vl_moe_text qwen3_vl_text recurrent_gemma seed_oss smollm3 solar_open stablelm starcoder2 vaultgemma
youtu zamba2""".split()
other_types = """albert bart bert big_bird bigbird_pegasus biogpt blenderbot blenderbot-small bloom camembert data2vec-text deberta deberta-v2 distilbert electra ernie esm falcon fastspeech2_conformer gpt2 gpt_bigcode gpt_neo inkling_text
inkling2_text jamba kimi_linear layoutlm lilt longt5 luke m2m_100 mamba mamba2 marian mbart mpnet mpt mra mt5 nemotron_h opt parakeet_encoder pegasus plbart rembert roberta roberta-prelayernorm roformer rwkv sew-d splinter squeezebert switch_transformers t5 tapas
transfo-xl udop umt5 wav2vec2-bert wav2vec2-conformer xglm xlm-roberta xlnet yoso""".split()

# Types of which files are drawn as they are saved, with every key. Those that the table of orrery has not are read by
# their keys, whatever the type; of those that it has, every second draw is a file with few keys.
unlisted_types = """apertus1p5_text aria_text bert-generation cohere_compass_text convbert cosmos3_edge_text ctrl deepseek_ocr2_text
diffllama diffusion_gemma_text doge dory dots3_note_text embedding_gemma2_text exaone falcon_mamba flaubert fnet funnel
glm5_next_text glm_image_text granite4_vision_text granite_docling_text hrm_text hy_v4_vl_text hyperclovax ibert
inkling2_loop_text iquestcoder jais2 jetmoe kyutai_speech_to_text longformer megatron-bert mobilebert molmo2_text mvp
nystromformer openai-gpt paddleocr_vl_text prophetnet qwen3_omni_moe_talker_text qwen3_omni_moe_text qwen4_exp_text
roc_bert sam3_lite_text sarvam_mla sarvam_moe t5gemma2_text trocr ultrabert unlimited_ocr_text voxtral_realtime_text
whisper xlm xlm-roberta-xl xmod zaya""".split()
saved_types = """apertus1p5_text aria_text bert-generation cosmos3_edge_text ctrl doge dory embedding_gemma2_text
flaubert granite_docling_text hrm_text hy_v4_vl_text hyperclovax ibert inkling2_loop_text jais2 jetmoe megatron-bert
mobilebert molmo2_text roc_bert ultrabert xlm xlm-roberta-xl""".split()
draws_of_unlisted = 5

# Sizes that say nothing about positions, by name where the class has such a field.
small = {
    "vocab_size": 16, "intermediate_size": 32, "ffn_dim": 32, "d_ff": 32, "n_inner": 32, "ffn_hidden_size": 32,
    "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "moe_intermediate_size": 16, "shared_expert_intermediate_size": 16,
    "shared_intermediate_size": 16, "expert_ffn_hidden_size": 16, "intermediate_size_mlp": 32, "block_ff_dim": 32,
    "num_local_experts": 2, "num_experts": 2, "n_routed_experts": 2, "moe_num_experts": 2, "n_shared_experts": 1,
    "num_shared_experts": 1, "moe_num_shared_experts": 1, "num_experts_per_tok": 1, "num_experts_per_token": 1, "moe_k": 1,
    "moe_topk": 1, "zero_expert_num": 1, "n_group": 1, "topk_group": 1, "num_expert_group": 1, "first_k_dense_replace": 99,
    "num_dense_layers": 99, "q_lora_rank": 16, "kv_lora_rank": 16, "o_lora_rank": 8, "o_groups": 2, "hc_mult": 2,
    "index_n_heads": 2, "index_head_dim": 16, "index_topk": 64, "num_hash_layers": 0, "mamba_n_heads": 4, "mamba_d_head": 16,
    "mamba_d_state": 8, "mamba_n_groups": 1, "mamba_d_ssm": 64, "mamba_num_heads": 4, "mamba_head_dim": 16,
    "ssm_state_size": 8, "n_groups": 1, "linear_num_key_heads": 1, "linear_num_value_heads": 2, "linear_key_head_dim": 8,
    "linear_value_head_dim": 8, "hidden_size_per_layer_input": 8, "vocab_size_per_layer_input": 16, "laurel_rank": 4,
    "altup_num_inputs": 2, "lru_width": 32, "linear_conv_kernel_dim": 2, "conv_bias": False, "pad_token_id": 0, "bos_token_id": 1,
    "eos_token_id": 2, "cls_token_id": 1, "sep_token_id": 2, "type_vocab_size": 1, "d_inner": 32, "d_embed": 32, "state_size": 8,
    "embedding_size": 32, "unpadded_vocab_size": 16, "swa_num_attention_heads": 2, "swa_num_key_value_heads": 1,
    "swa_head_dim": 16, "rel_extent": 16, "d_rel": 4, "dense_intermediate_size": 16, "intermediate_size_dense": 16, "num_kv_shared_layers": 0, "enable_moe_block": False, "mtp_num_layers": 0,
    "num_nextn_predict_layers": 0, "attention_hidden_size": 32, "vocab_size_per_layer": 16, "div_val": 1, "cutoffs": [],
}
latent = {"qk_nope_head_dim": 8, "qk_rope_head_dim": 16, "v_head_dim": 8}
own_names = {"num_hidden_layers": "absent", "hidden_size": "absent", "num_attention_heads": "absent"}
special = {
    "deepseek_v4": {"head_dim": 32, "qk_rope_head_dim": 16, "sliding_window": 64, "compress_ratios": [0, 4, 128],
                    "num_hidden_layers": 3, "scoring_func": "sqrtsoftplus"},
    "dbrx": {"d_model": 32, "n_heads": 2, "n_layers": 2, "max_seq_len": 1024, "max_position_embeddings": "absent", "hidden_size": "absent", "num_attention_heads": "absent",
             "num_hidden_layers": "absent", "num_key_value_heads": "absent", "attn_config": {"kv_n_heads": 1, "rope_theta": 10000.0, "clip_qkv": 8.0},
             "ffn_config": {"ffn_hidden_size": 32, "moe_num_experts": 2, "moe_top_k": 1}},
    "llama4_text": {"attn_temperature_tuning": False, "moe_layers": []},
    "chameleon": {"vq_config": {"embed_dim": 8, "num_embeddings": 8, "latent_channels": 8, "base_channels": 32,
                                "channel_multiplier": [1], "num_res_blocks": 1}, "vocabulary_map": {"<image>": 3}},
    "bloom": {"n_layer": 2, "n_head": 2, **own_names, "hidden_size": 32}, "mpt": {"d_model": 32, "n_heads": 2, "n_layers": 2, **own_names},
    "gptj": {"n_layer": 2, "n_embd": 32, "n_head": 2, "rotary_dim": 8, **own_names}, "codegen": {"n_layer": 2, "n_embd": 64, "n_head": 4, "rotary_dim": 8, **own_names},
    "esmc": {"num_key_value_heads": 2}, "helium": {"head_dim": 16}, "hunyuan_v1_dense": {"head_dim": 16},
    "hunyuan_v1_moe": {"head_dim": 16}, "ministral": {"head_dim": 16}, "longcat_flash": {"num_layers": 2, "num_hidden_layers": "absent", "head_dim": 16, "n_routed_experts": 4, "moe_topk": 2},
    "bamba": {"attn_layer_indices": [1]}, "granitemoehybrid": {"layer_types": ["mamba", "attention"]}, "lfm3": {"num_hidden_layers": 3},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"]}, "qwen3_next": {"num_hidden_layers": 4}, "qwen3_5_text": {"num_hidden_layers": 4},
    "qwen3_5_moe_text": {"num_hidden_layers": 4}, "recurrent_gemma": {"num_hidden_layers": 3},
    "jamba": {"attn_layer_period": 2, "attn_layer_offset": 1, "use_mamba_kernels": False}, "kimi_linear": {"layer_types": ["linear_attention", "full_attention"]},
    "moonshine": {**{f"{part}_num_{what}": 2 for part in ("encoder", "decoder") for what in ("hidden_layers", "attention_heads")}, **own_names},
    "mamba2": {"num_heads": 4, "head_dim": 16}, "big_bird": {"attention_type": "original_full"}, "bigbird_pegasus": {"attention_type": "original_full"},
    "ernie4_5_vl_moe_text": {"moe_intermediate_size": [16, 16]}, "bailing_hybrid": {"num_hidden_layers": 3, "layer_group_size": 3, "linear_head_dim": 8, "linear_num_heads": 2},
    "zamba2": {"num_hidden_layers": 3, "layers_block_type": ["linear_attention", "hybrid", "linear_attention"], "attention_head_dim": 32, "kv_channels": 16,
               "num_mem_blocks": 1, "n_mamba_heads": 4, "mamba_headdim": 16, "adapter_rank": 4, "use_mem_rope": True},
    "parakeet_encoder": {"num_mel_bins": 8, "subsampling_conv_channels": 4}, "wav2vec2-conformer": {"conv_dim": [8], "conv_kernel": [3], "conv_stride": [2],
               "num_conv_pos_embeddings": 4, "num_conv_pos_embedding_groups": 2, "position_embeddings_type": "relative"}, "xlnet": {"d_model": 32, "n_layer": 2, "n_head": 2, "d_head": 16, "max_position_embeddings": "absent", **own_names},
    "gpt_neo": {"attention_types": [[["global", "local"], 1]], "num_layers": 2, "num_heads": 2, "window_size": 8, **own_names, "hidden_size": 32},
    "sew-d": {"conv_dim": [8], "conv_kernel": [3], "conv_stride": [2], "num_conv_pos_embeddings": 4, "num_conv_pos_embedding_groups": 2,
              "squeeze_factor": 1, "relative_attention": True},
    "dory": {"n_input_layers": 0, "n_output_layers": 0}, 
    "cosmos3_edge_text": {"head_dim": 128}, "hy_v4_vl_text": {"qk_rope_head_dim": 64}, "embedding_gemma2_text": {"head_dim": 16, "global_head_dim": 32},
    "fastspeech2_conformer": {"encoder_layers": 2, "encoder_num_attention_heads": 2, "decoder_layers": 1, "decoder_num_attention_heads": 4, **own_names,
                              "max_position_embeddings": "absent", "hidden_size": 32, "encoder_linear_units": 32, "decoder_linear_units": 32},
    "phi4_multimodal": {"vision_config": {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32},
                        "audio_config": {"hidden_size": 32, "num_blocks": 1, "num_attention_heads": 2, "intermediate_size": 32}},
}
relevant = {"cohere2_moe": {"first_k_dense_replace"}}
irrelevant = set(small) - {"index_head_dim", "rel_extent", "d_rel", "swa_head_dim"} | {"vq_config", "vocabulary_map", "ffn_config", "scoring_func", "conv_dim",
                                                              "conv_kernel", "conv_stride", "vision_config_small"}


def fields_of(cls):
    return {field.name: field for field in dataclasses.fields(cls)}


def base_of(model_type):
    """A small configuration of that type, and its keys that a file may leave out of this one."""
    cls = CONFIG_MAPPING[model_type]
    names = fields_of(cls)
    config = {"model_type": model_type, "num_hidden_layers": 2, "hidden_size": 32, "num_attention_heads": 2, "max_position_embeddings": 1024}
    if "num_key_value_heads" in names:
        config["num_key_value_heads"] = 1
    config.update({key: value for key, value in small.items() if key in names})
    config.update({key: value for key, value in latent.items() if key in names})
    config.update(special.get(model_type, {}))
    return {key: value for key, value in config.items() if value != "absent"}


class Masks:
    """Distinct masks by number; a row is the keys that a query sees, key 0 as the highest of 24 bits."""

    def __init__(self):
        self.numbers = {}

    def number(self, seen):
        rows = tuple(f"{int(''.join('1' if key else '0' for key in row), 2):06x}" for row in seen.tolist())
        return self.numbers.setdefault(rows, len(self.numbers))


def without(arguments, *names):
    return {key: value for key, value in arguments.items() if key not in names}


def arguments(model, **given):
    names = inspect.signature(model.forward).parameters
    if "input_features" in names:
        width = getattr(model.config, "feature_projection_input_dim", None) or model.config.num_mel_bins
        return {"input_features": torch.randn(1, tokens, width), **without(given, "input_ids")}
    if "input_values" in names:
        return {"input_values": torch.randn(1, 2 * tokens + 1 + 2), **without(given, "input_ids", "position_ids", "use_cache")}
    if "encoder_hidden_states" in names and model.config.model_type == "moonshine":
        given["encoder_hidden_states"] = torch.ones(1, 7, model.config.hidden_size)  # the same in each run
    if "bbox" in names:
        given["bbox"] = torch.zeros(1, given["input_ids"].shape[1], 4, dtype=torch.float if model.config.model_type == "udop" else torch.long)
    accepted = inspect.signature(model.forward).parameters
    if "input_tensor" in accepted:  # the encoder of FastSpeech2-Conformer
        given["input_tensor"] = given["input_ids"]
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in accepted.values()):
        return given
    return {key: value for key, value in given.items() if key in accepted}


class Recorder(plans.Probe):
    """Keeps masks, too, and by what q was multiplied before a call with a scale of 1."""

    def __call__(self, module, query, key, value, attention_mask=None, scaling=None, **kwargs):
        out = super().__call__(module, query, key, value, attention_mask, scaling, **kwargs)
        if type(module).__name__.endswith("AttentionResidual"):  # of Inkling 2, over layers and not over tokens
            self.calls.pop()
            return value.mean(dim=2, keepdim=True).expand(*query.shape).transpose(1, 2), None
        if key.shape[2] < query.shape[2]:  # cross-attention
            out = (value.new_zeros(1, query.shape[2], query.shape[1], value.shape[3]), None)
        out = (out[0][:, -query.shape[2]:], out[1])  # DeepSeek-V4 has keys that are averages beside those of the tokens
        self.calls[-1].update(crosses=module.__class__.__name__.startswith("Moonshine") and not module.is_causal, mask=attention_mask, length=query.shape[2], keys=key.shape[2],
                              module=getattr(module, "is_causal", None))
        if type(module).__name__ in scaled_before:
            self.calls[-1]["scale"] = scaling * scale_before(module, query)
        return out


scaled_before = {"EsmSelfAttention": "query", "OPTAttention": "q_proj"}


def scale_before(module, query):
    """By what these classes multiply q, in which they have no norm."""
    projected = getattr(module, scaled_before[type(module).__name__]).projected
    return float(query[0, 0, 0].norm() / projected.flatten()[:query.shape[-1]].norm())


def keep_projections(model):
    for module in model.modules():
        if type(module).__name__ in scaled_before:
            linear = getattr(module, scaled_before[type(module).__name__])
            linear.register_forward_hook(lambda linear, _, out: setattr(linear, "projected", out))


def forward(model, module, at):
    """What each layer calls attention with, in order."""
    recorder = Recorder()
    module.eager_attention_forward = recorder
    model(**arguments(model, input_ids=torch.arange(len(at))[None] % 13 + 3, position_ids=torch.tensor([at]), use_cache=False))
    return [call for call in recorder.calls if not call["crosses"]]


def seen_by(call):
    mask = call["mask"]
    if call["keys"] != tokens:
        return None
    if mask is None:
        return torch.ones(tokens, tokens, dtype=torch.bool)
    mask = mask[0, 0, -tokens:, :tokens]
    return mask if mask.dtype == torch.bool else mask > -1e4


def by_layer(calls, config):
    if config.model_type in looped:  # every pass of a layer is alike
        first = {call["layer"]: call for call in reversed(calls)}
        return {layer: first[layer] for layer in sorted(first)}
    if any(call["layer"] == -1 for call in calls):  # Zamba's blocks, which several layers share
        return dict(zip(config.hybrid_layer_ids, calls))
    if any(call["layer"] is None for call in calls) or len({call["layer"] for call in calls}) != len(calls):
        return dict(enumerate(calls))
    return {call["layer"]: call for call in calls}


def digits(values):
    return [float(f"{value:.6g}") for value in values.flatten().tolist()]


def randomise(model):
    for parameter in model.parameters():
        parameter.copy_(torch.randn_like(parameter) * 0.3 if parameter.ndim > 1 else torch.ones_like(parameter))
    if hasattr(model, "rotary_emb") and hasattr(model.rotary_emb, "alpha"):
        model.rotary_emb.alpha.zero_()  # Mistral Large 4 multiplies frequencies by the exponential of these


def attention_layers(model, module, config, masks):
    keep_projections(model)
    unturned = 1 if config.model_type == "recurrent_gemma" else 0  # recurrent layers start anew at position 0
    with plans.without_rotation(model):
        pre = by_layer(forward(model, module, [unturned]), config)
    if not pre:
        raise NotImplementedError("attention is a method of its own")
    post = {position: by_layer(forward(model, module, [position]), config) for position in positions}
    over = by_layer(forward(model, module, list(range(tokens))), config)
    layers, known = [], {}
    for layer, call in sorted(pre.items()):
        at = {position: post[position][layer] for position in positions}
        turned, moved = (any(not torch.allclose(at[p][which], call[which], atol=1e-5) for p in positions) for which in "kq")
        seen = seen_by(over[layer])
        entry = {"layer": layer, "turned": turned, "scale": call["scale"]}
        if seen is not None:
            entry["mask"] = masks.number(seen)
        numbers = {f"pre_{which}": digits(plans.put_back(call[which], config, module)) for which in "qk"}
        numbers["post_q"] = [digits(plans.put_back(at[p]["q"], config, module)) for p in positions]
        numbers["post_k"] = [digits(plans.put_back(at[p]["k"], config, module)) for p in positions[-1:]]
        types = getattr(config, "layer_types", None)
        bases = getattr(config, "layer_rope_theta", None)
        kind = (types[layer] if types and layer < len(types) else "", str(bases), layer if bases else 0, turned, entry["scale"], len(call["q"]))
        if config.model_type in other_types or (config.model_type in unlisted_types and not getattr(config, "rope_parameters", None)):
            del entry["turned"]  # positions are added to the hidden state, or to logits
            entry["width"] = len(call["q"])
        elif kind not in known and (turned or moved):
            known[kind] = layer
            entry.update(numbers)
        elif not turned:
            entry["width"] = len(call["q"])
        layers.append(entry)
    return layers


looped = ("dory", "inkling2_loop_text")


def without_attention(model_type):
    return model_type in ("mamba", "mamba2", "rwkv")


def weights_layers(model, masks):
    """Number and masks of layers whose attention is a method of its own."""
    for parameter in model.parameters():
        if parameter.ndim > 1:
            parameter.mul_(0.1)  # logits so far apart that a weight vanishes would look like a mask
    kwargs = arguments(model, input_ids=torch.arange(tokens)[None] % 13 + 3, output_attentions=True, return_dict=True)
    result = model(**kwargs)
    attentions = [weights for weights in (getattr(result, "attentions", None) or ()) if weights is not None]
    if not attentions:
        raise NotImplementedError("no attention is returned")
    widths = [{"width": module.dim_key} for module in model.modules() if hasattr(module, "dim_key")]  # FastSpeech2-Conformer has it
    return [{"layer": layer, "mask": masks.number((weights[0] > 0).any(dim=0)), **(widths[layer] if widths else {})}
            for layer, weights in enumerate(attentions)]


def text_part(config):
    for key in ("thinker_config", "text_config"):
        config = getattr(config, key, config)
    return config


def build(raw):
    torch.manual_seed(0)
    whole = CONFIG_MAPPING[raw["model_type"]].from_dict(json.loads(json.dumps(raw)))
    config = text_part(whole)
    config._attn_implementation = "eager"
    classes = {"t5": "T5EncoderModel", "mt5": "MT5EncoderModel", "umt5": "UMT5EncoderModel", "longt5": "LongT5EncoderModel",
               "udop": "UdopEncoderModel", "phi4_multimodal": "Phi4MultimodalModel"}
    if config.model_type in classes:
        model = getattr(transformers, classes[config.model_type])(config)
    elif config.model_type == "qwen2_5_omni_text":
        model = transformers.models.qwen2_5_omni.modeling_qwen2_5_omni.Qwen2_5OmniThinkerTextModel._from_config(config, attn_implementation="eager")
    elif config.model_type == "ernie4_5_vl_moe_text":
        model = transformers.models.ernie4_5_vl_moe.modeling_ernie4_5_vl_moe.Ernie4_5_VLMoeTextModel._from_config(config, attn_implementation="eager")
    else:
        model = AutoModel.from_config(config, attn_implementation="eager")
    if config.model_type == "moonshine":
        model = model.decoder
    if getattr(config, "is_encoder_decoder", False) and config.model_type not in (*classes, "moonshine"):
        model = model.get_encoder()
    if config.model_type in ("chameleon",):
        model.set_attn_implementation("eager") if hasattr(model, "set_attn_implementation") else None
    return config, model.eval()


def run(raw, masks):
    if without_attention(raw["model_type"]):
        return {"tables": {}, "layers": []}
    config, model = build(raw)
    module = importlib.import_module(type(model).__module__)
    with torch.no_grad():
        tables = plans.tables_of(model) if config.model_type != "molmo2_text" else {}  # that has one for some layers each
        randomise(model)
        original = getattr(module, "eager_attention_forward", None)
        try:
            layers = attention_layers(model, module, config, masks) if original else None
        except NotImplementedError:
            layers = None
        finally:
            if original:
                module.eager_attention_forward = original
        if layers is None:
            layers, tables = weights_layers(model, masks), {}
    return {"tables": {name: {"inv_freq": digits(torch.tensor(table["inv_freq"])), "attention_factor": table["attention_factor"]}
                       for name, table in tables.items()}, "layers": layers}


# What is drawn: a key present, missing, null, nested or contradicted by another.
def scaling_of(draw, half):
    """A dictionary of scaling in one of its spellings; `half` is the number of pairs of the head."""
    name = "type" if draw.random() < 0.3 else "rope_type"
    kind = draw.choice(["default", "linear", "linear", "dynamic", "yarn", "yarn", "yarn", "llama3", "longrope"])
    scaling = {name: kind}
    if kind in ("linear", "dynamic"):
        scaling["factor"] = draw.choice([1.0, 2.0, 4, 8.5])
    if kind in ("yarn", "llama3"):
        scaling["factor"] = draw.choice([2.0, 4.0, 16, 1.0])
        if draw.random() < 0.8:
            scaling["original_max_position_embeddings"] = draw.choice([64, 128, 512])
    if kind == "yarn":
        for key, values in {"beta_fast": [16, 48.0, None, 0], "beta_slow": [2, 0.5], "attention_factor": [1.25, 1.0, None, 0.0],
                            "mscale": [0.707, 1.0, 0], "mscale_all_dim": [1.0, 0.5, 0], "truncate": [False, True]}.items():
            if draw.random() < 0.2:
                scaling[key] = draw.choice(values)
        if draw.random() < 0.15:
            scaling["factor"] = None
        if draw.random() < 0.1:
            scaling["original_max_position_embeddings"] = 4096
    if kind == "llama3":
        scaling.update(low_freq_factor=1.0, high_freq_factor=4.0)
    if kind == "longrope":
        scaling["short_factor"] = [round(1 + 0.1 * t, 2) for t in range(half)]
        scaling["long_factor"] = [1.0 + t for t in range(half)]
        if draw.random() < 0.7:
            scaling["original_max_position_embeddings"] = draw.choice([64, 512])
        if draw.random() < 0.5:
            scaling["factor"] = draw.choice([4.0, 2])
    if draw.random() < 0.1:
        scaling["type" if name == "rope_type" else "rope_type"] = draw.choice(["linear", kind, kind])
    return scaling


# Other sizes of these follow from the hidden size, or their heads must fill it.
rigid = ("zamba2", "bailing_hybrid", "wav2vec2-conformer", "parakeet_encoder", "squeezebert", "bamba", "granitemoehybrid", "mamba2", "recurrent_gemma", "jamba", "nemotron_h", "helium", "codegen", "xlnet", "sew-d")
# Classes with a rotary embedding per type of layers.
nested_types = ("gemma3_text", "gemma3n_text", "gemma4_text", "olmo3", "modernbert", "modernbert-decoder", "laguna", "mellum", "mimo_v2_flash",
                "beam", "lfm3", "dory", "ultrabert", "embedding_gemma2_text")


def draw_width(draw, config, names):
    key = next((key for key in ("num_attention_heads", "n_heads", "n_head", "num_heads", "decoder_num_attention_heads", "encoder_num_attention_heads") if key in config), None)
    if key and config["model_type"] not in rigid:
        config[key] = draw.choice([2, 2, 4])
    if "encoder_num_attention_heads" in config:
        config["encoder_num_attention_heads"] = config[key]
    if "qk_rope_head_dim" in config:
        config["qk_rope_head_dim"] = draw.choice([8, 16])
        if config["model_type"] in ("longcat_flash", "deepseek_v4"):
            config["head_dim"] = config["qk_rope_head_dim"] * (2 if config["model_type"] == "deepseek_v4" else 1)
        return
    if config["model_type"] in rigid:
        return
    if "hidden_size" in config:
        config["hidden_size"] = draw.choice([32, 32, 64, 96])
    roll = draw.random()
    if roll < 0.45 or (roll < 0.9 and "head_dim" in names and names["head_dim"].default in (64, 128, 192, 256, 512)):
        config["head_dim"] = draw.choice([16, 16, 24, 32, 20])
    elif roll > 0.97 and "head_dim" in names:
        config["head_dim"] = None
    elif roll > 0.93 and config["model_type"] not in special:
        config.pop("head_dim", None)
    for key, kinds in {"d_kv": ("udop", "switch_transformers"), "swa_head_dim": ("inkling_text", "inkling2_text"), "global_head_dim": ("gemma4_text",)}.items():
        if config["model_type"] in kinds and draw.random() < 0.7:
            config[key] = draw.choice([16, 24, 32])


def draw_rope(draw, config, names):
    kind = config["model_type"]
    width = config.get("qk_rope_head_dim") or config.get("head_dim") or max(2, config.get("hidden_size", 32) // config.get("num_attention_heads", 2))
    part = draw.choice([0.25, 0.5, 0.75, 1.0, 0.4]) if draw.random() < 0.3 else None
    half = int(width * (part or 1)) // 2
    base = draw.choice([500000.0, 1000000, 20000.0, 10000])
    roll = draw.random()
    if part is not None:
        config["partial_rotary_factor"] = part
    if roll < 0.2:
        config["rope_theta"] = base
    elif roll < 0.45:
        config["rope_theta"] = base
        config["rope_scaling"] = draw.choice([None, {}, scaling_of(draw, half), scaling_of(draw, half), scaling_of(draw, half)])
    elif roll < 0.75:
        inner = {"rope_theta": base, **(scaling_of(draw, half) if draw.random() < 0.6 else {"rope_type": "default"})}
        if draw.random() < 0.25:
            inner["partial_rotary_factor"] = draw.choice([0.25, 0.5, part or 1.0])
        config["rope_parameters"] = inner
        if draw.random() < 0.2:
            config["rope_theta"] = 30000.0
        if draw.random() < 0.15:
            config["rope_scaling"] = {"rope_type": "linear", "factor": 3.0}
    elif roll < 0.82:
        config["rope_parameters"] = None
    if draw.random() < (0.5 if kind in nested_types else 0.02):
        def inner(theta):
            return {"rope_theta": theta, **(scaling_of(draw, half) if draw.random() < 0.4 else {"rope_type": "default"})}
        config.pop("rope_scaling", None)
        config["rope_parameters"] = {"full_attention": inner(base), "sliding_attention": inner(25000.0)}
        if draw.random() < 0.15:
            config["rope_parameters"]["full_attention"].pop("rope_theta")
    if draw.random() < 0.1:
        config["original_max_position_embeddings"] = draw.choice([128, 256])
    if kind in ("phi3", "phi4_multimodal") and draw.random() < 0.8:
        config["original_max_position_embeddings"] = 512
    if kind in ("gpt_neox", "gpt_neox_japanese"):
        for key, values in {"rotary_pct": [0.5, 1.0, 0.25], "rotary_emb_base": [25000]}.items():
            if draw.random() < 0.5:
                config[key] = draw.choice(values)
    if kind in ("minimax_m2", "gptj", "codegen") or draw.random() < 0.03:
        if draw.random() < 0.6:
            config["rotary_dim"] = draw.choice([8, 12, 4])
    sections = {"glm4v_text": True, "glm4v_moe_text": True, "glm_ocr_text": True}
    if "_vl_" in kind or "omni" in kind or kind in sections:
        config["head_dim"] = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
        share = config.get("partial_rotary_factor") or (0.5 if kind == "glm4v_moe_text" else 1.0)
        pairs = int(config["head_dim"] * share) // 2
        section = [pairs - 2 * (pairs // 3), pairs // 3, pairs // 3]
        for key in ("rope_scaling", "rope_parameters"):
            if isinstance(config.get(key), dict) and config[key]:
                config[key]["mrope_section"] = section
                break
        else:
            config["rope_scaling"] = {"type": "mrope" if kind.startswith("qwen2") and draw.random() < 0.7 else "default", "mrope_section": section}
    for key, values in {"rope_local_base_freq": [5000.0], "global_rope_theta": [80000.0], "local_rope_theta": [5000.0]}.items():
        if (kind.startswith("gemma3") if key.startswith("rope") else kind.startswith("modernbert")) and draw.random() < 0.4:
            config[key] = draw.choice(values)
    if kind == "deepseek_v4" and draw.random() < 0.3:
        config["compress_rope_theta"] = 90000.0
    if "qk_rope_head_dim" in config and draw.random() < 0.2:
        config["rope_interleave"] = draw.choice([True, False])


def draw_layers(draw, config, names):
    kind = config["model_type"]
    key = next((key for key in ("num_hidden_layers", "n_layers", "num_layers", "n_layer", "decoder_num_hidden_layers", "encoder_layers") if key in config), None)
    if key and kind not in ("deepseek_v4", "granitemoehybrid", "lfm2_moe", "kimi_linear", "longcat_flash", "bamba", "jamba", "gpt_neo", "zamba2", "bailing_hybrid"):
        config[key] = draw.choice([1, 2, 3, 4, 6]) if config[key] < 3 else draw.choice([3, 4, 6, 8])
    count = config.get(key, 2)
    if draw.random() < 0.45:
        config["sliding_window"] = draw.choice([4, 5, 7, 9, 30, None])
    if draw.random() < 0.3:
        config["use_sliding_window"] = draw.choice([True, True, False])
    if draw.random() < 0.25:
        config["max_window_layers"] = draw.choice([0, 1, 2])
    if draw.random() < 0.25:
        names_of_layers = {"llama4_text": ["full_attention", "chunked_attention"], "qwen3_next": ["linear_attention", "full_attention"],
                           "qwen3_5_text": ["linear_attention", "full_attention"], "qwen3_5_moe_text": ["linear_attention", "full_attention"],
                           "minimax": ["linear_attention", "full_attention"], "olmo_hybrid": ["linear_attention", "full_attention"],
                           "lfm2": ["conv", "full_attention"], "lfm2_moe": ["conv", "full_attention"],
                           "inkling_text": ["hybrid", "hybrid_sliding"], "inkling2_text": ["hybrid", "hybrid_sliding"],
                           "nemotron_h": ["full_attention", "linear_attention", "mlp"],
                           "granitemoehybrid": ["mamba", "attention"], "lfm3": ["conv", "full_attention", "sliding_attention"]}
        choices = names_of_layers.get(kind, ["full_attention", "sliding_attention"])
        if kind not in ("bamba", "falcon_h1", "deepseek_v4", "zamba2", "bailing_hybrid"):
            config["layer_types"] = draw.choice([[draw.choice(choices) for _ in range(count)]] * 5 + [None])
    for key, values in {"sliding_window_pattern": [2, 3], "global_attn_every_n_layers": [2, 3], "full_attention_interval": [2],
                        "local_attention": [6, 10, 9], "attention_chunk_size": [5, 8], "no_rope_layer_interval": [2, 3]}.items():
        relevant = {"sliding_window_pattern": ("gemma3_text", "cohere2", "cohere2_moe", "exaone4", "exaone_moe", "gemma2"),
                    "global_attn_every_n_layers": ("modernbert", "modernbert-decoder", "afmoe"), "local_attention": ("modernbert", "modernbert-decoder"),
                    "attention_chunk_size": ("llama4_text",), "no_rope_layer_interval": ("llama4_text", "smollm3"),
                    "full_attention_interval": ("qwen3_next", "qwen3_5_text", "qwen3_5_moe_text", "olmo_hybrid")}[key]
        if kind in relevant and draw.random() < 0.5:
            config[key] = draw.choice(values)
    if kind in ("llama4_text", "smollm3", "mistral_large4_text") and draw.random() < 0.4:
        config["no_rope_layers"] = [draw.choice([0, 1]) for _ in range(count)]
    if kind in ("granite_swa", "granitemoe_swa", "muse_spark_text") and draw.random() < 0.4:
        config["layer_rope_theta"] = [draw.choice([0, 10000.0, 50000.0]) for _ in range(count)]
    if "num_attention_heads_per_layer" in names and "num_attention_heads" in config:
        config["num_attention_heads_per_layer"] = [config["num_attention_heads"]] * count
    if "mlp_layer_types" in names and kind != "deepseek_v4":
        config["mlp_layer_types"] = ["dense"] * count
    if kind == "cohere2_moe":
        draw_dense(draw, config, count)
    if kind == "nemotron_h" and draw.random() < 0.6:
        config["hybrid_override_pattern"] = draw.choice(["M*-*", "**", "*-M*E", "E*"])
    if kind == "gpt_neo":
        config["attention_types"] = draw.choice([[[["global", "local"], 1]], [[["local"], 2]], [[["local"], 1], [["global"], 1]]])
        config["window_size"] = draw.choice([3, 5, 8, 64])
        if draw.random() < 0.4:
            config["attention_layers"] = draw.choice([["local", "global"], ["local", "local"]])
    if kind == "molmo2_text" and draw.random() < 0.6:
        config["rope_scaling_layers"] = [layer for layer in range(count) if draw.random() < 0.6]
    if kind in ("xlm", "flaubert"):
        config["causal"] = draw.choice([False, True])
    if kind in ("bert-generation", "megatron-bert", "roc_bert", "xlm-roberta-xl") and draw.random() < 0.4:
        config["is_decoder"] = True
    if kind == "mobilebert":
        config["intra_bottleneck_size"], config["use_bottleneck"] = draw.choice([16, 64]), draw.choice([True, False])
    if kind == "fastspeech2_conformer":
        config["encoder_num_attention_heads"], config["decoder_layers"] = draw.choice([2, 8]), draw.choice([1, 3, 5])
        if draw.random() < 0.4:
            del config[draw.choice(["encoder_layers", "encoder_num_attention_heads"])]
    if kind == "bamba":
        config["num_hidden_layers"], config["attn_layer_indices"] = 3, draw.choice([[1], [0, 2], [2]])
    if kind in ("gemma3_text", "gemma4_text", "gemma2") and draw.random() < 0.1:
        config["use_bidirectional_attention"] = draw.choice([True, False])


def draw_dense(draw, config, count):
    """Dense layers of Cohere's mixture of experts, whose layers of that kind turn by rules of their own."""
    roll = draw.random()
    if roll < 0.4:
        config["mlp_layer_types"] = [draw.choice(["dense", "sparse"]) for _ in range(count)]
    elif roll < 0.8:
        del config["mlp_layer_types"]
        config["first_k_dense_replace"] = draw.choice([value for value in (1, 2, 3) if value <= count])
    if draw.random() < 0.4:
        config["prefix_dense_sliding_window_pattern"] = draw.choice([1, 2, 3])


def draw_scale(draw, config, names):
    for key, values in {"query_pre_attn_scalar": [24, 100], "attention_multiplier": [0.0625, 0.3]}.items():
        if (key in names and draw.random() < 0.5) or draw.random() < 0.02:
            config[key] = draw.choice(values)


wrappers = {"gemma3_text": "gemma3", "gemma3n_text": "gemma3n", "gemma4_text": "gemma4", "qwen2_vl_text": "qwen2_vl",
            "qwen2_5_vl_text": "qwen2_5_vl", "qwen3_vl_text": "qwen3_vl", "llama4_text": "llama4", "mistral": "mistral3",
            "glm4v_text": "glm4v", "gemma": "paligemma", "llama": "llava"}


def drawn(model_type, number):
    draw = random.Random(f"{seed} {model_type} {number}")
    config, names = base_of(model_type), fields_of(CONFIG_MAPPING[model_type])
    if number > 0:
        draw_width(draw, config, names)
        draw_layers(draw, config, names)
        if model_type in rope_types or (model_type in unlisted_types and "rope_parameters" in names):
            draw_rope(draw, config, names)
        draw_scale(draw, config, names)
    # With values that turn, layers above the first already see a hidden state that depends on the position.
    if model_type == "deepseek_v4":
        config.update(num_hidden_layers=2, compress_ratios=draw.choice([[0, 4], [0, 128], [4, 0], [0, 0]]))
    if model_type in wrappers and draw.random() < 0.15:
        return {"model_type": wrappers[model_type], "text_config": config}
    return config


def saved(config):
    """As save_pretrained writes it: every key, and the class; types that are not listed are read by nothing else."""
    whole = CONFIG_MAPPING[config["model_type"]].from_dict(json.loads(json.dumps(config)))
    names = {**MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, **MODEL_FOR_MASKED_LM_MAPPING_NAMES}
    name = names.get(config["model_type"])
    values = json.loads(whole.to_json_string(use_diff=False))
    values = {key: value for key, value in values.items() if value is not None and key not in ("id2label", "label2id", "_name_or_path")}
    return {**values, **({"architectures": [name]} if isinstance(name, str) else {})}


def about_positions(config):
    kept = {key: value for key, value in config.items() if key not in irrelevant or key in relevant.get(config["model_type"], ())}
    if "text_config" in kept:
        kept["text_config"] = about_positions(kept["text_config"])
    return kept


def cause(error):
    text = " ".join(str(error).split())
    text = text.split("ValueError: ")[-1].split("TypeError: ")[-1]
    return f"{type(error).__name__}: " + "".join("#" if letter.isdigit() else letter for letter in text)[:70]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--out", default=str(here / "drawn_plans.json"))
    options = parser.parse_args()
    masks, cases, refused, counts = Masks(), [], collections.Counter(), {}
    for model_type in rope_types + other_types + unlisted_types:
        if options.only and model_type not in options.only:
            continue
        count = counts.setdefault(model_type, {"drawn": 0, "run": 0})
        if model_type not in CONFIG_MAPPING:
            refused[f"Transformers has no such type: {model_type}"] += 1
            continue
        draws = draws_of_unlisted if model_type in unlisted_types else draws_of_others
        for number in range(draws_of_rope if model_type in rope_types else draws):
            config = drawn(model_type, number)
            count["drawn"] += 1
            try:
                if model_type in unlisted_types and (model_type not in saved_types or number % 2 == 1):
                    config = saved(config)
                with contextlib.redirect_stderr(io.StringIO()):
                    result = run(config, masks)
                if model_type == "dory" and "mlp" in (config.get("layer_types") or ()):  # layers of the file beside attention
                    for layer in result["layers"]:
                        layer["layer"] *= 2
            except Exception as error:  # counted, so that none goes missing unseen
                refused[cause(error)] += 1
                if options.only:
                    print(model_type, number, cause(error), file=sys.stderr)
                continue
            count["run"] += 1
            # Of types that are not listed a file counts with its keys of sizes: they tell images from texts.
            kept = config if model_type in unlisted_types else about_positions(config)
            cases.append({"config": kept, **result})
    versions = {"python": platform.python_version(), "torch": torch.__version__, "transformers": transformers.__version__}
    head = {"generator": "tests/golden/generate_drawn_plans.py", "versions": versions, "positions": positions, "tokens": tokens,
            "drawn": sum(count["drawn"] for count in counts.values()), "run": len(cases), "by_type": counts,
            "refused": dict(sorted(refused.items())), "masks": [list(rows) for rows in masks.numbers]}
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    pathlib.Path(options.out).write_text(f'{json.dumps(head)[:-1]},\n"cases": [\n{lines}\n]}}\n')
    print(f"{head['drawn']} drawn, {head['run']} run")


if __name__ == "__main__":
    main()
