#!/usr/bin/env python3
"""Draws random models of every family that runs, and compares `orrery run forward` with Transformers on each.

    python3 compare_drawn_models.py ORRERY [--count 300] [--seed 1] [--only FAMILY] [--keep DIR]

ORRERY is the program; FAMILY a model_type such as gemma2. A model follows from seed, model_type and its number. It is
saved by save_pretrained and read back by from_pretrained; then hidden states, q, k, attention weights and logits of
both are compared in fp64. --keep leaves each model's folder, ids and arrays in DIR.

Prints a line per model_type, what Orrery refuses and why, and every model of which an array is off by more than
1e-11 of its largest number. The exit status is 1 if there is such a model that KNOWN does not name.

Transformers runs eager attention in real fp64 as in generate_transformer.py, whose recorder is used. So float32 is
another name of float64 in this process, and what is stored in 16 or 32 bits is read from a file in 64 that holds the
same numbers.
Falcon's ALiBi, which eager attention adds twice, is added once, as SDPA does.

Transformer-XL is skipped: its code left Transformers. Run with transformers 5.24.0, torch 2.15.0, numpy 2.4.6 and
safetensors 0.8.0, the newest that pip gives.
"""
import argparse
import collections
import dataclasses
import inspect
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import zlib

import numpy as np

os.environ["GOLDEN_PRECISION"] = "fp64"

import safetensors.torch  # noqa: E402, F401  before float32 is renamed: its tables have the types as keys
import torch  # noqa: E402

REAL = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}

import generate_transformer as golden  # noqa: E402

TOLERANCE = 1e-11

# Models that differ for a reason that is not Orrery's: {"gemma-1.7": "why"}.
KNOWN = {}

LEFT = {"transfo-xl": "skipped: its code left Transformers"}
STORED = ("F64", "F32", "F16", "BF16", "F16+F32")  # the last has its norms in F32
USUAL_ACTIVATIONS = ("silu", "gelu", "gelu_new", "gelu_pytorch_tanh", "relu")
OTHER_ACTIVATIONS = ("gelu_fast", "quick_gelu", "tanh", "sigmoid", "mish", "relu2", "gelu_python", "leaky_relu",
                     "swish", "relu6", "hardswish", "gelu_10", "laplace", "linear")
SCALINGS = ("default", "linear", "dynamic", "yarn", "llama3", "longrope", "proportional")
SPECIAL = dict(pad_token_id=0, bos_token_id=1, eos_token_id=2)
PADDED = ("bert", "roberta", "xlm-roberta", "camembert")  # whose texts have padding inside now and then


@dataclasses.dataclass
class Case(golden.Model):
    model_type: str = ""
    types: int = 0  # of tokens; 0: they are not given
    pads: bool = False  # inside the text, without a mask
    untied: bool = False  # T5 with a head of its own, for which the class has no key


class Draw(random.Random):
    def sizes(self):
        self.heads = self.pick(1, 2, 3, 4, 5, 6, 7)
        self.head_dim = self.pick(4, 6, 8, 10)
        self.length = self.pick(19, 23, 23, 24)
        self.layers = self.pick(1, 2, 2, 3)

    def pick(self, *options):
        return self.choice(options)

    def flag(self, p=0.5):
        return self.random() < p

    def divisor(self, n):
        return self.choice([i for i in range(1, n + 1) if n % i == 0])

    def epsilon(self):
        return self.pick(1e-12, 1e-6, 1e-5, 1e-3, 0.1)

    def activation(self):
        return self.pick(*(OTHER_ACTIVATIONS if self.flag(0.1) else USUAL_ACTIVATIONS))

    def layer_types(self):
        return [self.pick("full_attention", "sliding_attention") for _ in range(self.layers)]


def rope(d, dim, kinds=SCALINGS, partial=None):
    """rope_parameters; dim is how many channels turn."""
    kind = d.choices(kinds, [0.3 if kind == "proportional" else 1 for kind in kinds])[0]
    if (kind == "dynamic" and dim == 2) or (kind == "yarn" and dim % 2):  # Transformers divides by 0, or fails
        kind = "default"
    keys = dict(rope_type=kind, rope_theta=d.pick(20.0, 500.0, 10000.0, 1e6))
    if partial is not None:
        keys["partial_rotary_factor"] = partial
    if kind not in ("default", "longrope"):
        keys["factor"] = d.pick(1.5, 2.0, 4.0, 7.3)
    if kind in ("yarn", "llama3", "longrope") and d.flag(0.7):
        keys["original_max_position_embeddings"] = d.pick(8, 12, 16, 40)
    if kind == "llama3":
        keys.update(low_freq_factor=d.pick(0.4, 1.0), high_freq_factor=d.pick(1.5, 4.0))
    elif kind == "longrope":
        for name, most in ("short_factor", 2), ("long_factor", 5):
            keys[name] = [round(d.uniform(1, most), 2) for _ in range(0, dim, 2)]
        keys.update(d.pick({}, {}, dict(factor=3.0), dict(attention_factor=1.3)))
    elif kind == "yarn":
        for more in (dict(beta_fast=d.pick(2.0, 4.0), beta_slow=d.pick(0.25, 0.5)), dict(truncate=d.flag()),
                     dict(mscale=d.pick(0.7, 1.0), mscale_all_dim=d.pick(0.5, 1.0)), dict(attention_factor=1.25)):
            keys.update(more if d.flag(0.4) else {})
    elif kind == "proportional" and partial is None:
        keys["partial_rotary_factor"] = d.pick(0.5, 0.75, 1.0)
    return keys


def rope_by_layer(d):
    return dict(full_attention=rope(d, d.head_dim), sliding_attention=rope(d, d.head_dim, SCALINGS[:3]))


def rotated(d, own_head_dim=False, eps="rms_norm_eps", act="hidden_act"):
    """What Llama and its kin have. own_head_dim: the class has a default of its own; else it is given now and then."""
    config = dict(vocab_size=d.randint(40, 60), hidden_size=d.heads * d.head_dim, intermediate_size=d.randint(7, 31),
                  num_hidden_layers=d.layers, num_attention_heads=d.heads, num_key_value_heads=d.divisor(d.heads),
                  max_position_embeddings=d.pick(10, 12, 16, 40), tie_word_embeddings=d.flag(), **SPECIAL,
                  rope_parameters=rope(d, d.head_dim), **{eps: d.epsilon(), act: d.activation()})
    if own_head_dim or d.flag(0.4):
        config["head_dim"] = d.head_dim
        config["hidden_size"] = d.heads * d.pick(d.head_dim, d.randint(2, 7))
    return config


def without(words, config):
    """The keys in which none of the words is."""
    return {key: value for key, value in config.items() if not any(word in key for word in words.split())}


def windowed(d, config, by_number):
    """Keys of Qwen and SmolLM3, whose windows have a switch."""
    if d.flag(0.7):
        config.update(use_sliding_window=True, sliding_window=d.randint(1, 12))
        config.update(d.pick(dict(layer_types=d.layer_types()), by_number))
    return config


def qwen(d, **more):
    config = rotated(d, own_head_dim=bool(more)) | more
    return windowed(d, config, dict(max_window_layers=d.randint(0, d.layers)))


def gemma2(d):
    config = rotated(d, True, act="hidden_activation") | dict(
        attention_bias=d.flag(), query_pre_attn_scalar=d.randint(1, 12), sliding_window=d.randint(1, 12),
        attn_logit_softcapping=d.pick(None, 2.0, 50.0), final_logit_softcapping=d.pick(None, 5.0, 30.0),
        use_bidirectional_attention=d.flag(0.3))
    return config | d.pick({}, dict(layer_types=d.layer_types()))


def phi3(d):
    """Its check of longrope knows neither head_dim nor an odd number of channels."""
    partial = d.pick(0.5, 0.75, 1.0)
    dim = int(d.head_dim * partial)
    kinds = ("default",) if dim % 2 else ("default", "longrope", "longrope")
    config = rotated(d) | dict(
        hidden_size=d.heads * d.head_dim, original_max_position_embeddings=d.pick(8, 12, 30),
        sliding_window=d.pick(None, d.randint(1, 12)), rope_parameters=rope(d, dim, kinds, partial))
    config["rope_parameters"].pop("original_max_position_embeddings", None)
    return config


def gpt_neox(d):
    partial = d.pick(0.25, 0.5, 0.75, 1.0)
    return without("_dim num_key", rotated(d, eps="layer_norm_eps")) | dict(
        hidden_size=d.heads * d.head_dim, attention_bias=d.flag(), use_parallel_residual=d.flag(),
        rope_parameters=rope(d, int(d.head_dim * partial), partial=partial))


def modernbert(d):
    config = without("_dim num_key", rotated(d, eps="norm_eps", act="hidden_activation")) | dict(
        hidden_size=d.heads * d.head_dim, norm_bias=d.flag(), attention_bias=d.flag(), mlp_bias=d.flag(),
        decoder_bias=d.flag(), classifier_bias=d.flag(), classifier_activation=d.activation(), cls_token_id=1,
        sep_token_id=2, local_attention=d.randint(1, 15), rope_parameters=rope_by_layer(d))
    return config | d.pick(dict(layer_types=d.layer_types()), dict(global_attn_every_n_layers=2), {})


def falcon(d):
    new = d.flag()
    groups = dict(num_kv_heads=d.divisor(d.heads), num_ln_in_parallel_attn=d.pick(None, 1, 2))
    return dict(vocab_size=d.randint(40, 60), hidden_size=d.heads * d.head_dim, num_hidden_layers=d.layers,
                num_attention_heads=d.heads, ffn_hidden_size=d.pick(None, d.randint(7, 31)),
                activation=d.activation(), layer_norm_epsilon=d.epsilon(), alibi=d.flag(), bias=d.flag(),
                multi_query=d.flag(), new_decoder_architecture=new, parallel_attn=new or d.flag(),
                tie_word_embeddings=d.flag(), max_position_embeddings=d.pick(10, 16, 40),
                rope_parameters=rope(d, d.head_dim), **(groups if new else {}))


def gpt2(d):
    return dict(vocab_size=d.randint(40, 60), n_positions=d.length + d.pick(0, 1, 5), n_embd=d.heads * d.randint(2, 8),
                n_layer=d.layers, n_head=d.heads, n_inner=d.pick(None, d.randint(7, 31)),
                scale_attn_weights=d.flag(0.7), activation_function=d.activation(),
                layer_norm_epsilon=d.epsilon(), tie_word_embeddings=d.flag(), scale_attn_by_inverse_layer_idx=d.flag(),
                reorder_and_upcast_attn=d.flag())


def bert(d):
    """RoBERTa's too, whose positions start behind that of padding."""
    pad = d.randint(0, 5)
    return dict(vocab_size=d.randint(40, 60), hidden_size=d.heads * d.pick(2, 4, 6, 8), num_hidden_layers=d.layers,
                intermediate_size=d.randint(7, 31), num_attention_heads=d.heads, hidden_act=d.activation(),
                max_position_embeddings=d.length + pad + d.pick(1, 2, 7), type_vocab_size=d.pick(1, 2, 3),
                layer_norm_eps=d.epsilon(), tie_word_embeddings=d.flag(), is_decoder=d.flag(0.3), pad_token_id=pad)


def deberta(d):
    types = d.pick([], ["c2p"], ["p2c"], ["c2p", "p2c"], ["p2c", "c2p"], ["c2p", "p2c", "p2p"])
    config = bert(d) | dict(
        type_vocab_size=d.pick(0, 1, 2, 3), relative_attention=d.flag(0.8), position_biased_input=d.flag(),
        pos_att_type="|".join(types) if types and d.flag() else types, legacy=d.flag(),
        max_relative_positions=d.pick(-1, 5, 12, 40), talking_head=d.flag(0.1))
    del config["is_decoder"]
    if config["legacy"] and d.flag(0.6):  # the other head multiplies states by the embedding as they are
        config["embedding_size"] = d.randint(5, 20)
    if not config["position_biased_input"]:
        config["max_position_embeddings"] = d.pick(10, 16, 40)
    return config


def deberta_v2(d):
    config = deberta(d) | dict(share_att_key=d.flag(), norm_rel_ebd=d.pick("none", "layer_norm"),
                               position_buckets=d.pick(-1, 4, 6, 8, 9))
    del config["talking_head"]
    if config["position_buckets"] > 0:  # half of them must be less than the positions: a logarithm divides
        config["max_relative_positions"] = d.pick(-1, 12, 30)
    if d.flag(0.4):
        config.update(conv_kernel_size=d.pick(3, 5), conv_act=d.pick("tanh", "gelu"),
                      conv_groups=d.divisor(config["hidden_size"]))
    return config


def t5(d):
    activation = d.pick("relu", "gelu", "silu", "gated-gelu", "gated-silu", "gated-relu", "gated-gelu_new")
    return dict(vocab_size=d.randint(40, 60), d_model=d.randint(8, 30), d_kv=d.randint(2, 8), d_ff=d.randint(7, 31),
                num_layers=d.layers, num_decoder_layers=d.pick(None, 1, 2, 3), num_heads=d.heads,
                relative_attention_num_buckets=d.pick(8, 12, 32), relative_attention_max_distance=d.pick(18, 33, 128),
                layer_norm_epsilon=d.epsilon(), feed_forward_proj=activation, decoder_start_token_id=0,
                **d.pick({}, dict(tie_word_embeddings=True), dict(tie_word_embeddings=False)))


# model_type: (module and beginning of its classes, where the blocks are, how to draw a config)
FAMILIES = {
    "llama": ("llama.Llama", "model.layers", lambda d: rotated(d) | dict(attention_bias=d.flag(), mlp_bias=d.flag())),
    "mistral": ("mistral.Mistral", "model.layers", lambda d: rotated(d) | dict(
        sliding_window=d.pick(None, d.randint(1, 12)))),
    "smollm3": ("smollm3.SmolLM3", "model.layers", lambda d: windowed(d, rotated(d) | dict(
        attention_bias=d.flag(), mlp_bias=d.flag()) | d.pick({}, dict(no_rope_layer_interval=2), dict(
            no_rope_layers=[d.pick(0, 1) for _ in range(d.layers)])), {})),
    "qwen2": ("qwen2.Qwen2", "model.layers", qwen),
    "qwen3": ("qwen3.Qwen3", "model.layers", lambda d: qwen(d, attention_bias=d.flag())),
    "gemma": ("gemma.Gemma", "model.layers", lambda d: rotated(d, True) | dict(
        attention_bias=d.flag(), use_bidirectional_attention=d.pick(None, False, True))),
    "gemma2": ("gemma2.Gemma2", "model.layers", gemma2),
    "gemma3_text": ("gemma3.Gemma3", "model.layers", lambda d: dict(sliding_window_pattern=2) | gemma2(d) | dict(
        rope_parameters=rope_by_layer(d))),
    "phi3": ("phi3.Phi3", "model.layers", phi3),
    "olmo2": ("olmo2.Olmo2", "model.layers", lambda d: rotated(d) | dict(attention_bias=d.flag())),
    "starcoder2": ("starcoder2.Starcoder2", "model.layers", lambda d: rotated(d, eps="norm_epsilon") | dict(
        use_bias=d.flag(), sliding_window=d.pick(None, d.randint(1, 12)))),
    "gpt2": ("gpt2.GPT2", "transformer.h", gpt2),
    "gpt_neox": ("gpt_neox.GPTNeoX", "gpt_neox.layers", gpt_neox),
    "gptj": ("gptj.GPTJ", "transformer.h", lambda d: without("attn", gpt2(d)) | dict(
        n_embd=d.heads * d.head_dim, rotary_dim=d.choice(range(2, d.head_dim + 1, 2)))),
    "falcon": ("falcon.Falcon", "transformer.h", falcon),
    "bloom": ("bloom.Bloom", "transformer.h", lambda d: dict(
        vocab_size=d.randint(40, 60), hidden_size=d.heads * d.pick(2, 4, 6), n_layer=d.layers, n_head=d.heads,
        layer_norm_epsilon=d.epsilon(), apply_residual_connection_post_layernorm=d.flag(), slow_but_exact=d.flag(),
        pretraining_tp=d.pick(1, 2), tie_word_embeddings=d.flag())),
    "bert": ("bert.Bert", "bert.encoder.layer", bert),
    "roberta": ("roberta.Roberta", "roberta.encoder.layer", bert),
    "xlm-roberta": ("xlm_roberta.XLMRoberta", "roberta.encoder.layer", bert),
    "camembert": ("camembert.Camembert", "roberta.encoder.layer", bert),
    "roformer": ("roformer.RoFormer", "roformer.encoder.layer", lambda d: bert(d) | dict(
        embedding_size=d.pick(None, d.randint(5, 20)), rotary_value=d.flag(0.3))),
    "modernbert": ("modernbert.ModernBert", "model.layers", modernbert),
    "deberta": ("deberta.Deberta", "deberta.encoder.layer", deberta),
    "deberta-v2": ("deberta_v2.DebertaV2", "deberta.encoder.layer", deberta_v2),
    "t5": ("t5.T5", "", t5),
    "mt5": ("mt5.MT5", "", t5),
    "xlnet": ("xlnet.XLNet", "transformer.layer", lambda d: dict(
        vocab_size=d.randint(40, 60), d_model=d.heads * d.pick(2, 4, 6), n_layer=d.layers, n_head=d.heads,
        d_inner=d.randint(7, 31), ff_activation=d.activation(), attn_type=d.pick("bi", "uni"), mem_len=None,
        layer_norm_eps=d.epsilon(), clamp_len=d.pick(-1, 5, 9), same_length=d.flag(0.3),
        tie_word_embeddings=d.flag())),
}
CAUSAL_NAMES = {"gpt2": "LMHeadModel", "bert": "LMHeadModel", "xlnet": "LMHeadModel"}
BARE_NAMES = {"t5": "EncoderModel", "mt5": "EncoderModel", "gemma3_text": "TextModel"}


def class_and_kind(d, model_type, config):
    """End of the class's name, and what kind of model it is."""
    if d.flag(0.3 if "d_kv" in config else 0.1) and "conv_kernel_size" not in config:
        return BARE_NAMES.get(model_type, "Model"), "bare"
    if "d_kv" in config:
        return "ForConditionalGeneration", "seq2seq"
    causal = CAUSAL_NAMES.get(model_type, "ForCausalLM")
    if model_type == "xlnet":
        return causal, "encoder"
    masked = "type_vocab_size" in config or model_type == "modernbert"
    decoder = config.get("is_decoder", not masked)
    return "ForMaskedLM" if masked and not (decoder and d.flag(0.7)) else causal, "decoder" if decoder else "encoder"


def draw_case(model_type, seed, number, attempt):
    d = Draw(f"{seed} {model_type} {number} {attempt}")
    d.sizes()
    start, layers, draw_config = FAMILIES[model_type]
    config = draw_config(d)
    end, kind = class_and_kind(d, model_type, config)
    types = config.get("type_vocab_size", 3 if model_type == "xlnet" else 0)
    return Case(f"{model_type}-{seed}.{number}", start + end, config, model_type=model_type, kind=kind, norm="",
                layers=layers.split(".", 1)[-1] if kind == "bare" else layers, tokens=d.length, stored=d.pick(*STORED),
                shards=d.flag(0.25), types=types if types > 1 and d.flag() else 0,
                pads=model_type in PADDED and d.flag(), untied=kind == "seq2seq" and d.flag())


def save_model(case, folder, twin):
    """A model with drawn weights, as Transformers saves it; and what is stored, in 64 bits."""
    cls = golden.load_class(case)
    net = cls(cls.config_class(**json.loads(json.dumps(case.config)))).double()
    if case.untied:
        net.lm_head.weight = torch.nn.Parameter(net.lm_head.weight.detach().clone())
    rng = np.random.default_rng(zlib.crc32(case.name.encode()))
    gain = 0.5 if "d_kv" in case.config else 0.9  # T5 does not scale
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            if not name.endswith("embed_positions.weight"):  # which RoFormer computes
                values = golden.draw(name, tuple(parameter.shape), "gemma" in case.model_type, rng, gain)
                parameter.copy_(torch.from_numpy(np.asarray(values)))
    net.to(REAL[case.stored.split("+")[0]])
    for module in net.modules():
        if case.stored.endswith("+F32") and "Norm" in type(module).__name__:
            module.to(REAL["F32"])
    net.save_pretrained(folder, **(dict(max_shard_size="12KB") if case.shards else {}))
    net.double().save_pretrained(twin)


def read_model(case, twin):
    net, report = golden.load_class(case).from_pretrained(twin, output_loading_info=True, attn_implementation="eager")
    if report["missing_keys"] or report["mismatched_keys"]:
        raise RuntimeError(f"from_pretrained misses {report['missing_keys']} {report['mismatched_keys']}")
    return net.eval()


def inputs_of(case):
    rng = np.random.default_rng(zlib.crc32(("ids " + case.name).encode()))
    tokens = rng.integers(6, case.config["vocab_size"], case.tokens)  # padding is at most 5
    tokens[-7:] = tokens[1:8]
    if case.pads:
        tokens[rng.choice(case.tokens, 3, replace=False)] = case.config["pad_token_id"]
    inputs = {"tokens": tokens}
    if case.types:
        inputs["segments"] = rng.integers(0, case.types, case.tokens)
    if case.kind == "seq2seq":
        inputs["decoder_tokens"] = np.concatenate([[0], rng.integers(6, case.config["vocab_size"], case.tokens - 4)])
    return inputs


def hook(net, case):
    if case.layers:
        golden.number_layers(net, case)
        golden.hook_residual_stream(net, case)
        return
    for stack in (name for name in ("encoder", "decoder") if hasattr(net, name)):
        golden.hook_residual_stream(net, case, f"{stack}.block", "", f"{stack}.")
        for layer, block in enumerate(getattr(net, stack).block):
            for name, module in block.named_modules():
                module.golden_layer = layer
                module.golden_prefix = "cross." if "EncDecAttention" in name else f"{stack}."


def run_transformers(net, case, inputs):
    """Arrays under the names that Orrery gives them, in the order of the computation."""
    hook(net, case)
    names = {"tokens": "input_ids", "segments": "token_type_ids", "decoder_tokens": "decoder_input_ids"}
    batch = {names[name]: torch.from_numpy(ids.astype(np.int64))[None] for name, ids in inputs.items()}
    if "use_cache" in inspect.signature(net.forward).parameters:
        batch["use_cache"] = False
    golden.RECORDER.arrays = {}
    with torch.no_grad(), golden.NothingBelowDouble(halves_allowed=case.config.get("alibi", False)):
        output = net(**batch)
    arrays = {name.replace("weights", "attention"): a for name, a in golden.RECORDER.arrays.items()
              if not name.startswith("cross.") and "logits." not in name}
    if case.kind == "bare":  # an encoder alone is not called one
        return {name.removeprefix("encoder."): a for name, a in arrays.items()}
    return arrays | {"logits": output.logits[0].numpy()}


def run_orrery(orrery, case, folder, inputs):
    """(arrays, ""), or (None, why not)."""
    scratch = folder.parent
    for name, ids in inputs.items():
        np.save(scratch / f"{name}.npy", ids.astype(np.int32))
    arrays = "hidden+q+k+attention" + ("" if case.kind == "bare" else "+logits")
    done = subprocess.run([orrery, "run", "forward", f"model={folder}",
                           *(f"{name}={scratch / name}.npy" for name in inputs), "precision=exact",
                           f"arrays={arrays}", "--out", scratch / "orrery.npz", "--force", "-q"],
                          capture_output=True, text=True)
    if done.returncode:
        stopped = f"stopped by signal {-done.returncode} " if done.returncode < 0 else ""
        return None, stopped + done.stderr.strip().replace(str(folder), "DIR")
    with np.load(scratch / "orrery.npz") as file:
        return dict(file), ""


def apart(a, b):
    if a is None or b is None or a.shape != b.shape:
        return float("inf")
    error = float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-300))
    return error if np.isfinite(error) else float("inf")


@dataclasses.dataclass
class Tally:
    drawn: int = 0
    compared: int = 0
    largest: tuple = (0.0, "")
    refused: dict = dataclasses.field(default_factory=lambda: collections.defaultdict(list))  # why: names
    different: list = dataclasses.field(default_factory=list)  # (case, {array: error})


def draw_and_expect(model_type, seed, number, scratch):
    """A draw that Transformers itself cannot run is drawn anew, and said."""
    for attempt in range(8):
        case = draw_case(model_type, seed, number, attempt)
        try:
            folder, twin = scratch / f"model{attempt}", scratch / f"twin{attempt}"
            save_model(case, folder, twin)
            return case, folder, run_transformers(read_model(case, twin), case, inputs_of(case))
        except (ValueError, RuntimeError, IndexError, AssertionError, KeyError, TypeError) as error:
            print(f"{case.name} is drawn anew, as Transformers fails: {error!r:.200}")
    raise RuntimeError(f"{model_type} cannot be drawn")


def compare(orrery, model_type, seed, number, keep, tally):
    with tempfile.TemporaryDirectory() as temporary:
        scratch = pathlib.Path(temporary)
        case, folder, expected = draw_and_expect(model_type, seed, number, scratch)
        got, why = run_orrery(orrery, case, folder, inputs_of(case))
        if keep:
            np.savez(scratch / "transformers.npz", **expected)
            (scratch / "settings.txt").write_text(settings(case) + "\n")
            shutil.copytree(scratch, pathlib.Path(keep) / case.name, dirs_exist_ok=True)
    tally.drawn += 1
    if got is None and not why.startswith("stopped"):
        tally.refused[why].append(case.name)
        return
    tally.compared += 1
    names = [*expected, *(name for name in got if name not in expected)] if got else []
    errors = {name: apart(got.get(name), expected.get(name)) for name in names} or {why: float("inf")}
    tally.largest = max(tally.largest, (max(errors.values()), case.name))
    wrong = {name: error for name, error in errors.items() if error > TOLERANCE}
    if wrong:
        tally.different.append((case, wrong))


def patch(model_types):
    """Lets each family's attention report what it computes."""
    import transformers
    from transformers.modeling_utils import AttentionInterface

    transformers.logging.set_verbosity(50)
    transformers.logging.disable_progress_bar()
    AttentionInterface.get_interface = golden.recorded_interface
    for family in (FAMILIES[model_type][0].split(".")[0] for model_type in model_types):
        if family in golden.PATCHES and family != "gptj":  # whose attention is the common interface since 5.24
            golden.PATCHES[family]()
        if family == "falcon":
            golden.add_alibi_once()
    return transformers.__version__


def settings(case):
    """What was drawn, in a line."""
    shown = {name: value for name, value in case.config.items()
             if value is not None and name not in ("vocab_size", "decoder_start_token_id", *list(SPECIAL)[1:])}
    given = {"shards": case.shards, "segments": case.types, "pads inside": case.pads, "own lm_head": case.untied}
    return ", ".join([case.class_name, f"{case.tokens} tokens", case.stored, *(word for word in given if given[word]),
                      *(f"{name}={json.dumps(value)}" for name, value in shown.items())])


def report(tallies):
    """How many models differ that KNOWN does not name."""
    print("model_type    drawn compared refused different  largest error")
    for model_type, t in tallies.items():
        print(f"{model_type:12} {t.drawn:6} {t.compared:8} {t.drawn - t.compared:7} {len(t.different):9}  "
              f"{t.largest[0]:.1e} {t.largest[1]}")
    drawn, compared = (sum(getattr(t, name) for t in tallies.values()) for name in ("drawn", "compared"))
    different = [entry for t in tallies.values() for entry in t.different]
    print(f"{'all':12} {drawn:6} {compared:8} {drawn - compared:7} {len(different):9}")
    for t in tallies.values():
        for why, names in t.refused.items():
            print(f"refused: {' '.join(names)}: {why}")
    for case, wrong in different:
        arrays = [f"{name} {error:.1e}" for name, error in wrong.items()]
        known = f" | known: {KNOWN[case.name]}" if case.name in KNOWN else ""
        print(f"differs: {case.name}: {', '.join(arrays[:3])}{f' … {len(arrays)} arrays' if len(arrays) > 3 else ''}"
              f" | {settings(case)}{known}")
    return sum(case.name not in KNOWN for case, _ in different)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("orrery")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=sorted(FAMILIES))
    parser.add_argument("--keep")
    options = parser.parse_args()
    families = subprocess.run([options.orrery, "list", "families", "--json"], capture_output=True, check=True).stdout
    listed = [model_type for family in json.loads(families) for model_type in family["model_types"].split()]
    wanted = [options.only] if options.only else [model_type for model_type in listed if model_type in FAMILIES]
    for model_type in listed:
        if model_type not in FAMILIES:
            print(f"{model_type}: {LEFT.get(model_type, 'not drawn: this script does not know it')}")
    version, start = patch(wanted), time.monotonic()
    tallies = {model_type: Tally() for model_type in wanted}
    for i in range(options.count):
        model_type = wanted[i % len(wanted)]
        compare(options.orrery, model_type, options.seed, i // len(wanted), options.keep, tallies[model_type])
    unknown = report(tallies)
    print(f"transformers {version}, seed {options.seed}, {time.monotonic() - start:.0f} s; {unknown} differ")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
