#!/usr/bin/env python3
"""Writes transformer/: tiny random models as Transformers saves them, and what its eager attention makes of them.

    python3 generate_transformer.py [MODEL …]

Every folder holds config.json, the weights in one or more safetensors files, and expected.npz. The
weights are drawn, rounded to the type that the file stores, saved by Transformers, renamed where
published files of the family have other names, and read again by from_pretrained, which must find
every tensor and give the same output. Each model then runs twice, in processes of its own: in float32
as Transformers is, and in float64.

float64 is a trap: Transformers computes frequencies, norms and softmax in float32 whatever the type of
the weights. The second process therefore makes torch.float32 another name of torch.float64, and
Tensor.float() a cast to float64, before it imports the code of any model.

Transformer-XL and BERT with relative positions left Transformers; the variable TRANSFORMERS_4_35 names a
folder into which `pip install --target` put transformers 4.35.2, tokenizers 0.15.2, huggingface_hub 0.20.3
and requests.

transformer/README.md says what each array of expected.npz is.
"""
import dataclasses
import importlib
import inspect
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

import numpy as np

FOLDER = pathlib.Path(os.environ.get("GOLDEN_FOLDER", pathlib.Path(__file__).resolve().parent / "transformer"))
FP64 = os.environ.get("GOLDEN_PRECISION") == "fp64"

os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TQDM_DISABLE"] = "1"

import torch  # noqa: E402
import torch.utils._python_dispatch  # noqa: E402

torch.set_num_threads(1)

SINGLE = torch.float32
HALVES = (torch.float16, torch.bfloat16)


def make_float32_mean_float64():
    """Makes every request for float32 in the code of models one for float64."""
    torch.set_default_dtype(torch.float64)
    torch.float32 = torch.float = torch.float64
    torch.Tensor.float = torch.Tensor.double
    torch.float16 = torch.half = torch.bfloat16 = torch.float64
    torch.FloatTensor = torch.DoubleTensor


if FP64:
    make_float32_mean_float64()

FLOAT = torch.float64 if FP64 else torch.float32
FLOAT_OF_NUMPY = np.float64 if FP64 else np.float32


# ---- What a model is ------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Model:
    name: str  # of its folder
    class_name: str  # "llama.LlamaForCausalLM"
    config: dict
    layers: str = "model.layers"
    norm: str = "model.norm"  # "" when the last layer's output is final
    stored: str = "F32"  # type of the stored weights
    shards: int = 1
    names: list = dataclasses.field(default_factory=list)  # (pattern, replacement), to published names
    extra: object = None  # a function: tensors of the file -> more tensors that published files have
    old_config: bool = False  # config.json with the keys of version 4: rope_theta, rope_scaling, torch_dtype
    first_position: int = 0
    tokens: int = 14
    maps: tuple = ()  # layers whose maps are kept; all when empty
    segments: bool = False
    gain: float = 1.0  # of query and key weights
    drop: tuple = ()  # tensors of the class that published files do not have
    kind: str = "decoder"  # or "encoder", "bare" (without a head), "seq2seq"
    keys: dict = dataclasses.field(default_factory=dict)  # of config.json that save_pretrained leaves out
    computed: tuple = ()  # tensors that the class computes and files need not have
    fixed: tuple = ()  # tensors that the class makes and files have, in the stored type
    memory: int = 0  # tokens before the others, whose hidden states are given
    pads: tuple = ()  # where the text has padding
    library: str = "5.23.0"  # version of Transformers

    @property
    def folder(self):
        return FOLDER / self.name


MODELS = []


def model(name, class_name, config, **options):
    MODELS.append(Model(name, class_name, config, **options))


# ---- Weights --------------------------------------------------------------------------------------------------------

VOCAB = 48
QUERY_OR_KEY = ("q_proj", "k_proj", "query", "key", "c_attn", "qkv", "in_proj", "Attention.q", "Attention.k",
                "rel_attn.q", "rel_attn.k", "rel_attn.r", "r_net")
TABLES_OF_BIASES = ("relative_attention_bias", "r_w_bias", "r_r_bias", "r_s_bias", "seg_embed", "emb_layers")


def draw(name, shape, one_plus, rng, gain):
    """Random values of one tensor: gains of norms near 1, biases near 0, products of the size of their inputs."""
    x = rng.standard_normal(shape)
    last = name.rsplit(".", 1)[-1]
    norm = any(word in name.lower() for word in ("norm", "ln_", ".ln", "layer_norm")) and len(shape) == 1
    if norm and last in ("weight", "gamma"):
        return 0.25 * x + (0.0 if one_plus else 1.0)
    if len(shape) == 1:
        return 0.3 * x
    if any(word in name for word in ("embed", "wte", "wpe", "shared")) and "proj" not in name:
        return 0.8 * x
    if any(word in name for word in TABLES_OF_BIASES):
        return 0.6 * x
    inputs = shape[0] if len(shape) == 3 else shape[-1]
    query_or_key = any(word in name for word in QUERY_OR_KEY)
    return x * (1.0 if not query_or_key else gain) * 1.1 / np.sqrt(inputs)


def round_to(values, stored):
    kinds = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
    return torch.from_numpy(values.astype(np.float32)).to(kinds[stored]).to(torch.float32)


def draw_weights(net, spec):
    """Fills a model with the values that its file will hold."""
    rng = np.random.default_rng(zlib.crc32(spec.name.encode()))
    one_plus = any(word in spec.class_name for word in ("gemma",))
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            if is_computed(name, spec):
                continue
            if spec.fixed and name.endswith(spec.fixed):
                values = parameter.numpy()
            else:
                values = draw(name, tuple(parameter.shape), one_plus, rng, spec.gain)
            parameter.copy_(round_to(values, stored_type(name, spec)))


def is_computed(name, spec):
    return bool(spec.computed) and name.endswith(spec.computed)


def stored_type(name, spec):
    """Files of mixed types keep their norms in float32."""
    if spec.stored.endswith("+F32"):
        return "F32" if "norm" in name or "ln_" in name else spec.stored[:-4]
    return spec.stored


# ---- Running a model and recording ----------------------------------------------------------------------------------


class Recorder:
    """Collects what the layers of a model compute."""

    def __init__(self):
        self.arrays = {}
        self.softmaxes = None

    def keep(self, name, tensor):
        if name in self.arrays:
            raise RuntimeError(f"{name} was recorded twice")
        tensor = tensor.detach()
        if tensor.dtype != FLOAT:
            raise RuntimeError(f"{name} was computed in {tensor.dtype}")
        self.arrays[name] = tensor.cpu().numpy().copy()

    def attention(self, layer, query, key, weights, unmasked, prefix=""):
        """Keeps a layer's maps. unmasked() runs the same attention without its mask."""
        logits, _ = self.watch_softmax(unmasked)
        self.keep(f"{prefix}q.{layer}", query[0])
        self.keep(f"{prefix}k.{layer}", key[0])
        self.keep(f"{prefix}logits.{layer}", logits.reshape(weights.shape)[0])
        self.keep(f"{prefix}weights.{layer}", weights[0])

    def watch_softmax(self, run):
        """Input and output of the one softmax in run()."""
        self.softmaxes = []
        run()
        (seen,) = self.softmaxes
        self.softmaxes = None
        return seen


RECORDER = Recorder()


def recorded_softmax(x, dim, dtype=None):
    """Stands for torch.nn.functional.softmax."""
    result = torch.softmax(x, dim, dtype=dtype)
    if RECORDER.softmaxes is not None:
        RECORDER.softmaxes.append((x.detach(), result.detach()))
    return result


torch.nn.functional.softmax = recorded_softmax


def recorded_interface(self, implementation, eager):
    """Stands for AttentionInterface.get_interface: the module's own eager attention, recorded."""
    if implementation != "eager":
        raise RuntimeError(f"attention is {implementation}, not eager")

    def attend(module, query, key, value, attention_mask, **options):
        output, weights = eager(module, query, key, value, attention_mask, **options)
        prefix = getattr(module, "golden_prefix", "")
        RECORDER.attention(module.golden_layer, query, key, weights,
                           lambda: eager(module, query, key, value, None, **options), prefix)
        return output, weights

    return attend


def record_method(cls, method):
    """Records attention classes whose method(query, key, value, mask) returns (output, weights)."""
    original = getattr(cls, method)

    def recorded(self, query, key, value, attention_mask=None, *arguments, **options):
        output, weights = original(self, query, key, value, attention_mask, *arguments, **options)
        RECORDER.attention(self.golden_layer, query, key, weights,
                           lambda: original(self, query, key, value, None, *arguments, **options))
        return output, weights

    setattr(cls, method, recorded)


class NothingBelowDouble(torch.utils._python_dispatch.TorchDispatchMode):
    """Refuses every operation whose result is float32, or a half unless the model rounds on purpose."""

    def __init__(self, halves_allowed):
        super().__init__()
        self.refused = (SINGLE,) if halves_allowed else (SINGLE, *HALVES)

    def __torch_dispatch__(self, operation, types, arguments=(), options=None):
        result = operation(*arguments, **(options or {}))
        for x in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(x, torch.Tensor) and x.dtype in self.refused:
                raise RuntimeError(f"{operation} gives {x.dtype} in the run in float64")
        return result


class FirstProduct(torch.overrides.TorchFunctionMode):
    """Keeps the factors of the first product of two batches of matrices, which are queries and keys."""

    PRODUCTS = ("matmul", "bmm", "baddbmm", "__matmul__")

    def __init__(self):
        super().__init__()
        self.factors = None

    def __torch_function__(self, function, types, arguments=(), options=None):
        options = options or {}
        name = getattr(function, "__name__", "")
        if self.factors is None and name in self.PRODUCTS:
            a, b = (options["batch1"], options["batch2"]) if "batch1" in options else arguments[-2:]
            if a.dim() >= 3 and b.dim() >= 3:
                self.factors = a.detach().clone(), b.detach().transpose(-1, -2).clone()
        return function(*arguments, **options)


def no_mask(mask):
    return None


def record_forward(cls, unmask, factors=lambda module, q, k: (q, k), weights_of=None):
    """Records attention classes that compute everything in forward().

    unmask(mask) is the mask to give instead; factors(module, q, k) undoes scales folded into them.
    """
    original = cls.forward
    signature = inspect.signature(original)

    def recorded(self, *arguments, **options):
        bound = signature.bind(self, *arguments, **options)
        with FirstProduct() as product:
            outputs = []
            _, probabilities = RECORDER.watch_softmax(lambda: outputs.append(original(*bound.args, **bound.kwargs)))
        bound.arguments["attention_mask"] = unmask(bound.arguments.get("attention_mask"))
        logits, _ = RECORDER.watch_softmax(lambda: original(*bound.args, **bound.kwargs))
        q, k = factors(self, *product.factors)
        heads = logits.shape[1]
        probabilities = weights_of(self, probabilities) if weights_of else probabilities
        RECORDER.keep(f"q.{self.golden_layer}", q.reshape(heads, *q.shape[-2:]))
        RECORDER.keep(f"k.{self.golden_layer}", k.reshape(-1, *k.shape[-2:]))
        RECORDER.keep(f"logits.{self.golden_layer}", logits[0])
        RECORDER.keep(f"weights.{self.golden_layer}", probabilities[0])
        return outputs[0]

    cls.forward = recorded


def number_layers(net, spec):
    """Tells every module of a layer which layer it is in."""
    for layer, block in enumerate(net.get_submodule(spec.layers)):
        for module in block.modules():
            module.golden_layer = layer


def first(output):
    return output[0] if isinstance(output, (tuple, list)) else output


def replace_after_convolution(module, arguments, output):
    """DeBERTa v2's convolution comes after the first layer: what the second layer reads is its output."""
    RECORDER.arrays["hidden.1"] = output[0].numpy().copy()


def hook_residual_stream(net, spec, layers=None, norm=None, prefix=""):
    blocks = net.get_submodule(layers or spec.layers)
    norm = spec.norm if norm is None else norm

    sequence_first = spec.class_name.startswith(("xlnet.", "transfo_xl."))

    def keep(name, x):
        RECORDER.keep(prefix + name, x[:, 0] if sequence_first else x[0])

    def before(module, arguments, options):
        keep("hidden.0", arguments[0] if arguments else options["hidden_states"])

    blocks[0].register_forward_pre_hook(before, with_kwargs=True)
    for layer, block in enumerate(blocks):
        block.register_forward_hook(
            lambda module, arguments, output, layer=layer: keep(f"hidden.{layer + 1}", first(output)))
    if spec.config.get("conv_kernel_size"):
        net.deberta.encoder.conv.register_forward_hook(replace_after_convolution)
    if norm:
        net.get_submodule(norm).register_forward_hook(
            lambda module, arguments, output: RECORDER.keep(f"{prefix}final", output[0]))


def load_class(spec):
    package, cls = spec.class_name.split(".")
    return getattr(importlib.import_module(f"transformers.models.{package}.modeling_{package}"), cls)


def patch_attention(spec):
    """Lets the attention of a family report what it computes."""
    if spec.library.startswith("5."):
        from transformers.modeling_utils import AttentionInterface

        AttentionInterface.get_interface = recorded_interface
    for family, patch in PATCHES.items():
        if spec.class_name.startswith(family + "."):
            patch()


def patch_gpt2():
    record_method(load_attention("gpt2", "GPT2Attention"), "_upcast_and_reordered_attn")


def patch_gptj():
    record_method(load_attention("gptj", "GPTJAttention"), "_attn")


def load_attention(package, cls):
    return getattr(importlib.import_module(f"transformers.models.{package}.modeling_{package}"), cls)


def patch_falcon():
    def one_key_per_group(module, q, k):
        """The new architecture repeats each key for its group of queries."""
        group = module.num_heads // module.num_kv_heads if module.new_decoder_architecture else 1
        return q, k[..., ::group, :, :]

    record_forward(load_attention("falcon", "FalconAttention"), torch.zeros_like, one_key_per_group)


def patch_bloom():
    record_forward(load_attention("bloom", "BloomAttention"), no_mask)


def patch_roformer():
    record_forward(load_attention("roformer", "RoFormerSelfAttention"), no_mask)


def patch_bert():
    if transformers_version().startswith("4."):
        record_forward(load_attention("bert", "BertSelfAttention"), no_mask)


def patch_deberta():
    def unscaled_query(module, q, k):
        return q * (module.attention_head_size * (1 + len(module.pos_att_type))) ** 0.5, k

    def mixed(module, weights):
        if module.head_weights_proj is None:
            return weights
        return module.head_weights_proj(weights.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)

    record_forward(load_attention("deberta", "DisentangledSelfAttention"), torch.ones_like, unscaled_query, mixed)


def patch_deberta_v2():
    def unscaled_key(module, q, k):
        terms = 1 + ("c2p" in module.pos_att_type) + ("p2c" in module.pos_att_type)
        return q, k * (module.attention_head_size * terms) ** 0.5

    record_forward(load_attention("deberta_v2", "DisentangledSelfAttention"), torch.ones_like, unscaled_key)


def patch_xlnet():
    cls = load_attention("xlnet", "XLNetRelativeAttention")
    original = cls.rel_attn_core

    def recorded(self, q, k, v, r, seg_mat=None, attn_mask=None, output_attentions=False):
        outputs = []
        _, weights = RECORDER.watch_softmax(
            lambda: outputs.append(original(self, q, k, v, r, seg_mat, attn_mask, output_attentions)))
        RECORDER.attention(self.golden_layer, q.permute(1, 2, 0, 3), k.permute(1, 2, 0, 3), weights,
                           lambda: original(self, q, k, v, r, seg_mat, None, output_attentions))
        return outputs[0]

    cls.rel_attn_core = recorded


def patch_transfo_xl():
    """forward() adds biases to queries before it multiplies them, so queries and keys are computed once more."""
    cls = load_attention("transfo_xl", "RelPartialLearnableMultiHeadAttn")
    original = cls.forward

    def recorded(self, w, r, attn_mask=None, mems=None, **options):
        outputs = []
        _, weights = RECORDER.watch_softmax(lambda: outputs.append(original(self, w, r, attn_mask, mems, **options)))
        logits, _ = RECORDER.watch_softmax(lambda: original(self, w, r, None, mems, **options))
        inputs = w if mems is None else torch.cat([mems, w], 0)
        q, k, _ = self.qkv_net(self.layer_norm(inputs) if self.pre_lnorm else inputs).chunk(3, dim=-1)
        q, k = (x[:, 0].reshape(len(x), self.n_head, self.d_head).permute(1, 0, 2) for x in (q, k))
        RECORDER.keep(f"q.{self.golden_layer}", q[:, -len(w):])
        RECORDER.keep(f"k.{self.golden_layer}", k)
        RECORDER.keep(f"logits.{self.golden_layer}", logits[:, :, 0].permute(2, 0, 1))
        RECORDER.keep(f"weights.{self.golden_layer}", weights[:, :, 0].permute(2, 0, 1))
        return outputs[0]

    cls.forward = recorded


def transformers_version():
    import transformers

    return transformers.__version__


def add_alibi_once():
    """FalconModel 5.23 adds ALiBi to the mask, for SDPA, and eager attention adds it to the logits too.

    Published models were trained with one, which SDPA gives; eager attention gets the mask without it here.
    """
    cls = load_attention("falcon", "FalconAttention")
    original = cls.forward

    def forward(self, hidden_states, alibi, attention_mask, *arguments, **options):
        if alibi is not None and self.config._attn_implementation == "eager":
            lowest = torch.finfo(attention_mask.dtype).min
            attention_mask = torch.zeros_like(attention_mask).masked_fill(attention_mask == lowest, lowest)
        return original(self, hidden_states, alibi, attention_mask, *arguments, **options)

    cls.forward = forward


PATCHES = {"gpt2": patch_gpt2, "gptj": patch_gptj, "falcon": patch_falcon, "bloom": patch_bloom,
           "roformer": patch_roformer, "bert": patch_bert, "deberta": patch_deberta, "deberta_v2": patch_deberta_v2,
           "xlnet": patch_xlnet, "transfo_xl": patch_transfo_xl}


def inputs_of(spec):
    """Random tokens, of which the last third repeats the first."""
    rng = np.random.default_rng(zlib.crc32(("tokens of " + spec.name).encode()))
    tokens = rng.integers(3, spec.config.get("vocab_size", VOCAB), spec.tokens)
    tokens[-(spec.tokens // 3):] = tokens[1:1 + spec.tokens // 3]
    tokens[list(spec.pads)] = spec.config.get("pad_token_id", 1)
    inputs = {"tokens": tokens.astype(np.int32)}
    if spec.first_position:
        inputs["positions"] = np.arange(spec.first_position, spec.first_position + spec.tokens, dtype=np.int32)
    if spec.segments:
        inputs["segments"] = (np.arange(spec.tokens) >= spec.tokens // 2).astype(np.int32)
    if spec.kind == "seq2seq":
        inputs["decoder_tokens"] = np.concatenate(
            [[0], rng.integers(3, spec.config["vocab_size"], spec.tokens - 4)]).astype(np.int32)
    if spec.memory:
        inputs["memory_tokens"] = rng.integers(3, spec.config["vocab_size"], spec.memory).astype(np.int32)
    return inputs


def call(net, spec, memory=None):
    inputs = inputs_of(spec)
    batch = {"input_ids": torch.from_numpy(inputs["tokens"].astype(np.int64))[None]}
    if "positions" in inputs:
        batch["position_ids"] = torch.from_numpy(inputs["positions"].astype(np.int64))[None]
    if "segments" in inputs:
        batch["token_type_ids"] = torch.from_numpy(inputs["segments"].astype(np.int64))[None]
    if "decoder_tokens" in inputs:
        batch["decoder_input_ids"] = torch.from_numpy(inputs["decoder_tokens"].astype(np.int64))[None]
    if spec.kind in ("decoder", "seq2seq"):
        batch["use_cache"] = False
    with torch.no_grad():
        if memory is not None:
            batch["mems"] = memory
        output = net(**batch)
        return output.last_hidden_state[0] if spec.kind == "bare" else output.logits[0]


def memory_of(net, spec):
    """Hidden states of the tokens before, layer by layer [M,1,d]; those tokens themselves have no memory."""
    if not spec.memory:
        return None
    tokens = torch.from_numpy(inputs_of(spec)["memory_tokens"].astype(np.int64))[None]
    with torch.no_grad():
        hidden = net(input_ids=tokens, output_hidden_states=True).hidden_states[:-1]
    return [h.transpose(0, 1)[-spec.memory:].contiguous() for h in hidden]


def run(net, spec, memory):
    """All arrays of one model in the precision of this process."""
    if spec.kind == "seq2seq":
        number_stacks(net)
        for stack in ("encoder", "decoder"):
            hook_residual_stream(net, spec, f"{stack}.block", f"{stack}.final_layer_norm", f"{stack}.")
    else:
        number_layers(net, spec)
        hook_residual_stream(net, spec)
    output = call(net, spec, memory)
    if spec.kind != "bare":
        RECORDER.keep("vocab_logits", output)
    if not spec.norm and spec.kind != "seq2seq":
        RECORDER.arrays["final"] = RECORDER.arrays[f"hidden.{len(net.get_submodule(spec.layers))}"]
    for layer, rows in enumerate(memory or []):
        RECORDER.keep(f"memory.{layer}", rows[:, 0])
    return RECORDER.arrays


def number_stacks(net):
    """Like number_layers, for an encoder and a decoder that also reads the encoder."""
    for stack in ("encoder", "decoder"):
        for layer, block in enumerate(getattr(net, stack).block):
            for name, module in block.named_modules():
                module.golden_layer = layer
                module.golden_prefix = "cross." if "EncDecAttention" in name else stack + "."


def build(spec, config):
    config._attn_implementation = "eager"
    if spec.class_name.startswith("falcon.") and not hasattr(build, "repaired"):
        add_alibi_once()
        build.repaired = True
    net = load_class(spec)(config)
    if spec.keys.get("tie_word_embeddings") is False:
        net.lm_head.weight = torch.nn.Parameter(net.lm_head.weight.detach().clone())
    return net.to(FLOAT)


# ---- Files ----------------------------------------------------------------------------------------------------------


def published_name(name, spec):
    for pattern, replacement in spec.names:
        name = re.sub(pattern, replacement, name)
    return name


def write_weights(folder, tensors, spec):
    """One file, or several with an index, as Transformers writes them."""
    from safetensors.torch import save_file

    names = list(tensors)
    share = -(-len(names) // spec.shards)
    files = [names[i * share:(i + 1) * share] for i in range(spec.shards)]
    if spec.shards == 1:
        save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
        return
    index = {"metadata": {"total_size": sum(t.numel() * t.element_size() for t in tensors.values())}, "weight_map": {}}
    for i, part in enumerate(files):
        file = f"model-{i + 1:05}-of-{spec.shards:05}.safetensors"
        save_file({name: tensors[name] for name in part}, folder / file, metadata={"format": "pt"})
        index["weight_map"].update({name: file for name in part})
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2, sort_keys=True) + "\n")


def save(net, spec):
    """The folder of a model as it would be published."""
    from safetensors.torch import load_file

    kinds = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
    spec.folder.mkdir()
    with tempfile.TemporaryDirectory() as scratch:
        net.save_pretrained(scratch, **({} if spec.library.startswith("5.") else {"safe_serialization": True}))
        saved = load_file(pathlib.Path(scratch) / "model.safetensors")
        config = json.loads((pathlib.Path(scratch) / "config.json").read_text())
    tensors = {}
    for name, tensor in saved.items():
        if published_name(name, spec) not in spec.drop:
            tensors[published_name(name, spec)] = tensor.to(kinds[stored_type(name, spec)]).contiguous()
    if spec.extra:
        tensors.update({name: torch.as_tensor(values).clone() for name, values in spec.extra(tensors).items()})
    write_weights(spec.folder, tensors, spec)
    for file in spec.folder.glob("*.safetensors"):
        file.chmod(0o644)
    write_config(config, spec)


def write_config(config, spec):
    kind = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}[spec.stored.split("+")[0]]
    config["dtype" if spec.library.startswith("5.") else "torch_dtype"] = kind
    config.update(spec.keys)
    if spec.old_config:
        config = with_keys_of_version_4(config)
    (spec.folder / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")


def with_keys_of_version_4(config):
    """config.json as it was written before version 5, when most published files were made."""
    config["torch_dtype"] = config.pop("dtype")
    config["transformers_version"] = "4.46.0"
    config.pop("layer_types", None)
    rope = config.pop("rope_parameters", None)
    if rope is None:
        return config
    if config["model_type"] == "gemma3_text":
        config["rope_theta"] = rope["full_attention"].pop("rope_theta")
        config["rope_local_base_freq"] = rope["sliding_attention"]["rope_theta"]
        rope = rope["full_attention"]
    elif config["model_type"] == "modernbert":
        config["global_rope_theta"] = rope["full_attention"]["rope_theta"]
        config["local_rope_theta"] = rope["sliding_attention"]["rope_theta"]
        return config
    elif config["model_type"] == "gpt_neox":
        config["rotary_emb_base"] = rope.pop("rope_theta")
        config["rotary_pct"] = rope.pop("partial_rotary_factor")
    else:
        config["rope_theta"] = rope.pop("rope_theta")
        if "partial_rotary_factor" in rope:
            config["partial_rotary_factor"] = rope.pop("partial_rotary_factor")
    kind = rope.pop("rope_type")
    config["rope_scaling"] = None if kind == "default" else {"type": kind, **rope}
    return config


def check_folder(spec, expected):
    """from_pretrained must read the folder without a complaint and give the same output."""
    from transformers import AutoConfig

    net, report = load_class(spec).from_pretrained(
        spec.folder, config=AutoConfig.from_pretrained(spec.folder), output_loading_info=True,
        **(dict(dtype=torch.float32, attn_implementation="eager") if spec.library.startswith("5.")
           else dict(torch_dtype=torch.float32)))
    for key in ("missing_keys", "mismatched_keys", "error_msgs"):
        wrong = [name for name in report.get(key) or [] if not is_computed(str(name), spec)]
        if wrong:
            raise RuntimeError(f"{spec.name}: {key}: {wrong}")
    extra = spec.extra({}) if spec.extra else {}
    unexpected = [name for name in report["unexpected_keys"] if name not in extra]
    if unexpected:
        raise RuntimeError(f"{spec.name}: unexpected {unexpected}")
    net.eval()
    got = call(net, spec, memory_of(net, spec)).numpy()
    if not np.array_equal(got, expected):
        raise RuntimeError(f"{spec.name}: reading it again gives other logits, {np.abs(got - expected).max()}")


# ---- The two processes of a model -----------------------------------------------------------------------------------


def config_of(spec):
    cls = load_class(spec).config_class
    return cls(**spec.config)


def make(spec, scratch):
    """In float32: draws and saves the model, reads it again, and runs it."""
    torch.manual_seed(0)
    net = build(spec, config_of(spec))
    draw_weights(net, spec)
    save(net, spec)
    expected = call(net.eval(), spec, memory_of(net, spec)).numpy()
    check_folder(spec, expected)
    np.savez(scratch / "state.npz", **{name: t.numpy() for name, t in net.state_dict().items()
                                       if not is_computed(name, spec)})
    memory = memory_of(net, spec)
    patch_attention(spec)
    net = reload(spec, scratch).eval()
    arrays = run(net, spec, memory)
    if not np.array_equal(arrays["final" if spec.kind == "bare" else "vocab_logits"], expected):
        raise RuntimeError(f"{spec.name}: recording changed the logits")
    np.savez(scratch / "fp32.npz", **arrays)


def reload(spec, scratch):
    """The model of state.npz, built anew from the folder's config.json."""
    from transformers import AutoConfig

    net = build(spec, AutoConfig.from_pretrained(spec.folder))
    with np.load(scratch / "state.npz") as state:
        given = {name: torch.from_numpy(state[name].astype(FLOAT_OF_NUMPY) if state[name].dtype.kind == "f"
                                        else state[name]) for name in state.files}
    left = [name for name in net.load_state_dict(given, strict=False).missing_keys
            if not is_computed(name, spec)]
    if left:
        raise RuntimeError(f"{spec.name}: {left} were not given")
    return net


def run_in_double(spec, scratch):
    import transformers  # noqa: F401

    load_class(spec)
    falcon_slopes = spec.config.get("alibi", False)  # bfloat16 in every precision
    with NothingBelowDouble(halves_allowed=falcon_slopes):
        memory = memory_of(reload(spec, scratch).eval(), spec)
        patch_attention(spec)
        arrays = run(reload(spec, scratch).eval(), spec, memory)
    np.savez(scratch / "fp64.npz", **arrays)


def kept(name, spec):
    """Maps only of the chosen layers."""
    head, _, layer = name.rpartition(".")
    return not spec.maps or head.split(".")[-1] not in ("q", "k", "logits", "weights") or int(layer) in spec.maps


def relative_error(a, b):
    return float(np.abs(a - b).max() / np.abs(b).max())


def compare(spec, single, double, size):
    """Prints how far the two runs are apart, and how sharp the attention is."""
    if sorted(single) != sorted(double):
        raise RuntimeError(f"{spec.name}: {sorted(set(single) ^ set(double))} in one run only")
    apart = {name: relative_error(single[name], double[name]) for name in double}
    worst = max(apart, key=apart.get)
    entropies = []
    for name in double:
        if name.split(".")[-2:-1] == ["weights"] and double[name].min() >= 0:  # talking heads mix them
            a = double[name]
            entropy = -(a * np.log(np.maximum(a, 1e-300))).sum(-1)
            entropies.append((entropy / np.log(np.maximum((a > 0).sum(-1), 2))).mean())
    largest = max(np.abs(double[name]).max() for name in double if "hidden" in name)
    print(f"{spec.name:24} fp32 off by {apart[worst]:.1e} ({worst}); entropy "
          f"{min(entropies, default=0):.2f}..{max(entropies, default=0):.2f}; |hidden| <= {largest:.1f}; "
          f"{size / 1024:.0f} KiB", flush=True)


def combine(spec, scratch):
    with np.load(scratch / "fp32.npz") as file:
        single = dict(file)
    with np.load(scratch / "fp64.npz") as file:
        double = dict(file)
    arrays = inputs_of(spec)
    arrays.update({name: a for name, a in double.items() if kept(name, spec)})
    arrays.update({name + "_32": single[name] for name in double
                   if any(word in name for word in ("hidden", "final", "vocab_logits"))})
    np.savez_compressed(scratch / spec.name / "expected.npz", **arrays)
    size = sum(file.stat().st_size for file in (scratch / spec.name).iterdir())
    compare(spec, single, double, size)


def worker(stage, name, scratch):
    spec = next(m for m in MODELS if m.name == name)
    {"make": make, "double": run_in_double}[stage](spec, pathlib.Path(scratch))


def write_model(spec):
    """Writes a model beside the others once it is whole."""
    with tempfile.TemporaryDirectory() as scratch:
        for stage, precision in (("make", "fp32"), ("double", "fp64")):
            environment = dict(os.environ, GOLDEN_PRECISION=precision, GOLDEN_FOLDER=scratch)
            if not spec.library.startswith("5."):
                environment["PYTHONPATH"] = os.environ["TRANSFORMERS_4_35"]
            subprocess.run([sys.executable, __file__, "--" + stage, spec.name, scratch], env=environment, check=True)
        combine(spec, pathlib.Path(scratch))
        shutil.rmtree(spec.folder, ignore_errors=True)
        shutil.copytree(pathlib.Path(scratch) / spec.name, spec.folder)


# ---- The models -----------------------------------------------------------------------------------------------------

SIZES = dict(vocab_size=VOCAB, hidden_size=16, intermediate_size=24, num_attention_heads=4)

model("llama-on", "llama.LlamaForCausalLM", dict(
    SIZES, num_hidden_layers=2, num_key_value_heads=2, head_dim=8, hidden_act="gelu_pytorch_tanh",
    rms_norm_eps=1e-3, attention_bias=True, mlp_bias=True, tie_word_embeddings=True, max_position_embeddings=48,
    rope_parameters=dict(rope_type="llama3", rope_theta=100.0, factor=4.0, low_freq_factor=0.4, high_freq_factor=1.5,
                         original_max_position_embeddings=12)), stored="BF16", shards=2, tokens=16)
model("llama-off", "llama.LlamaForCausalLM", dict(
    SIZES, num_hidden_layers=2, num_key_value_heads=4, max_position_embeddings=10, rms_norm_eps=1e-5,
    rope_parameters=dict(rope_type="default", rope_theta=10000.0)), stored="F16", old_config=True)

GPT2_SIZES = dict(vocab_size=VOCAB, n_positions=20, n_embd=16, n_layer=2, n_head=4)
model("gpt2-on", "gpt2.GPT2LMHeadModel", dict(
    GPT2_SIZES, n_inner=24, activation_function="gelu", layer_norm_epsilon=1e-3, scale_attn_by_inverse_layer_idx=True,
    reorder_and_upcast_attn=True, tie_word_embeddings=False),
    layers="transformer.h", norm="transformer.ln_f", stored="F16+F32")
model("gpt2-off", "gpt2.GPT2LMHeadModel", dict(GPT2_SIZES, scale_attn_weights=False),
      layers="transformer.h", norm="transformer.ln_f", names=[(r"^transformer\.", "")],
      extra=lambda _: {f"h.{i}.attn.bias": np.tril(np.ones((1, 1, 20, 20), np.float32)) for i in range(2)}, gain=0.8)

model("gpt_neox-on", "gpt_neox.GPTNeoXForCausalLM", dict(
    SIZES, num_hidden_layers=2, hidden_act="gelu_new", layer_norm_eps=1e-3, tie_word_embeddings=True,
    use_parallel_residual=True, attention_bias=True, max_position_embeddings=10,
    rope_parameters=dict(rope_type="linear", factor=2.5, rope_theta=500.0, partial_rotary_factor=0.5)),
    layers="gpt_neox.layers", norm="gpt_neox.final_layer_norm", stored="F16", gain=1.3)


def neox_buffers(_):
    """Masks and frequencies that old files hold and nobody reads."""
    layers = [f"gpt_neox.layers.{i}.attention." for i in range(2)]
    return {layer + "bias": np.tril(np.ones((1, 1, 10, 10), bool)) for layer in layers} | {
        layer + "masked_bias": np.float32(-1e9) for layer in layers} | {
        layer + "rotary_emb.inv_freq": np.ones(1, np.float32) for layer in layers}


model("gpt_neox-off", "gpt_neox.GPTNeoXForCausalLM", dict(
    dict(SIZES, hidden_size=32, intermediate_size=32), num_hidden_layers=2, use_parallel_residual=False,
    attention_bias=False, max_position_embeddings=10,
    rope_parameters=dict(rope_type="default", rope_theta=10000.0, partial_rotary_factor=0.25)),
    layers="gpt_neox.layers", norm="gpt_neox.final_layer_norm", stored="F16", old_config=True, extra=neox_buffers)

GPTJ_SIZES = dict(vocab_size=VOCAB, n_positions=20, n_embd=16, n_layer=2, n_head=2)
model("gptj-on", "gptj.GPTJForCausalLM", dict(
    GPTJ_SIZES, rotary_dim=4, n_inner=24, activation_function="gelu", layer_norm_epsilon=1e-3,
    tie_word_embeddings=True),
    layers="transformer.h", norm="transformer.ln_f", stored="F16")
model("gptj-off", "gptj.GPTJForCausalLM", dict(GPTJ_SIZES, rotary_dim=8, n_inner=24),
      layers="transformer.h", norm="transformer.ln_f", stored="F16",
      extra=lambda _: {f"transformer.h.{i}.attn.bias": np.tril(np.ones((1, 1, 20, 20), np.uint8)) for i in range(2)}
      | {f"transformer.h.{i}.attn.masked_bias": np.float32(-1e9) for i in range(2)})

model("mistral-on", "mistral.MistralForCausalLM", dict(
    SIZES, num_hidden_layers=2, num_key_value_heads=2, head_dim=8, hidden_act="gelu_pytorch_tanh", rms_norm_eps=1e-3,
    sliding_window=5, tie_word_embeddings=True, max_position_embeddings=10,
    rope_parameters=dict(rope_type="dynamic", factor=3.0, rope_theta=500.0)), stored="F16", gain=0.7)
model("mistral-off", "mistral.MistralForCausalLM", dict(
    SIZES, num_hidden_layers=2, num_key_value_heads=4, sliding_window=None, max_position_embeddings=10,
    rope_parameters=dict(rope_type="default", rope_theta=10000.0)), stored="BF16", old_config=True, first_position=100)

model("qwen2-on", "qwen2.Qwen2ForCausalLM", dict(
    dict(SIZES, hidden_size=32), num_hidden_layers=3, num_key_value_heads=2, hidden_act="gelu", rms_norm_eps=1e-3,
    use_sliding_window=True, sliding_window=4, max_window_layers=1, tie_word_embeddings=True,
    max_position_embeddings=32,
    rope_parameters=dict(rope_type="yarn", factor=4.0, rope_theta=200.0, original_max_position_embeddings=8,
                         beta_fast=2.0, beta_slow=0.25)), stored="BF16", maps=(0, 2), gain=0.7)
model("qwen2-off", "qwen2.Qwen2ForCausalLM", dict(
    SIZES, num_hidden_layers=2, num_key_value_heads=4, max_position_embeddings=10,
    rope_parameters=dict(rope_type="default", rope_theta=1000000.0)), stored="F16", old_config=True)

model("qwen3-on", "qwen3.Qwen3ForCausalLM", dict(
    SIZES, num_hidden_layers=3, num_key_value_heads=2, head_dim=8, hidden_act="relu", rms_norm_eps=1e-3,
    attention_bias=True, use_sliding_window=True, sliding_window=6, max_window_layers=2, tie_word_embeddings=True,
    max_position_embeddings=16,
    rope_parameters=dict(rope_type="yarn", factor=2.0, rope_theta=200.0, original_max_position_embeddings=8,
                         beta_fast=2.0, beta_slow=0.25, truncate=False, attention_factor=1.25)),
    stored="F16", maps=(0, 2), shards=3)
model("qwen3-off", "qwen3.Qwen3ForCausalLM", dict(
    SIZES, num_hidden_layers=2, num_key_value_heads=4, head_dim=4, max_position_embeddings=10,
    rope_parameters=dict(rope_type="default", rope_theta=1000000.0)), stored="BF16", old_config=True)

GEMMA_SIZES = dict(SIZES, hidden_size=24, intermediate_size=24, num_attention_heads=4)
model("gemma-on", "gemma.GemmaForCausalLM", dict(
    GEMMA_SIZES, num_hidden_layers=2, num_key_value_heads=1, head_dim=8, hidden_act="silu", rms_norm_eps=1e-3,
    attention_bias=True, tie_word_embeddings=False, max_position_embeddings=10,
    rope_parameters=dict(rope_type="linear", factor=2.0, rope_theta=500.0)), stored="BF16")
model("gemma-off", "gemma.GemmaForCausalLM", dict(
    GEMMA_SIZES, num_hidden_layers=2, num_key_value_heads=4, head_dim=4, max_position_embeddings=10,
    rope_parameters=dict(rope_type="default", rope_theta=10000.0)), stored="F16", old_config=True)

model("gemma2-on", "gemma2.Gemma2ForCausalLM", dict(
    GEMMA_SIZES, num_hidden_layers=2, num_key_value_heads=2, head_dim=8, hidden_activation="silu", rms_norm_eps=1e-3,
    attention_bias=True, query_pre_attn_scalar=12, sliding_window=4, attn_logit_softcapping=3.0,
    final_logit_softcapping=5.0, tie_word_embeddings=False, max_position_embeddings=10,
    rope_parameters=dict(rope_type="linear", factor=2.0, rope_theta=500.0)), stored="F16", gain=1.2)
model("gemma2-off", "gemma2.Gemma2ForCausalLM", dict(
    GEMMA_SIZES, num_hidden_layers=2, num_key_value_heads=4, head_dim=4, query_pre_attn_scalar=4, sliding_window=64,
    attn_logit_softcapping=None, final_logit_softcapping=None, max_position_embeddings=10,
    rope_parameters=dict(rope_type="default", rope_theta=10000.0)), stored="BF16", old_config=True)

model("gemma3-on", "gemma3.Gemma3ForCausalLM", dict(
    GEMMA_SIZES, num_hidden_layers=3, num_key_value_heads=2, head_dim=8, hidden_activation="silu", rms_norm_eps=1e-3,
    attention_bias=True, query_pre_attn_scalar=5, sliding_window=4, final_logit_softcapping=5.0,
    tie_word_embeddings=False, max_position_embeddings=10,
    layer_types=["sliding_attention", "full_attention", "sliding_attention"],
    rope_parameters=dict(full_attention=dict(rope_type="linear", factor=8.0, rope_theta=5000.0),
                         sliding_attention=dict(rope_type="default", rope_theta=100.0))), stored="F16", maps=(0, 1))
model("gemma3-off", "gemma3.Gemma3ForCausalLM", dict(
    GEMMA_SIZES, num_hidden_layers=2, num_key_value_heads=4, head_dim=4, query_pre_attn_scalar=4, sliding_window=64,
    sliding_window_pattern=2, max_position_embeddings=10,
    rope_parameters=dict(full_attention=dict(rope_type="default", rope_theta=1000000.0),
                         sliding_attention=dict(rope_type="default", rope_theta=10000.0))),
    stored="BF16", old_config=True)

PHI3_SIZES = dict(SIZES, hidden_size=24, num_attention_heads=3, num_hidden_layers=2, pad_token_id=0, eos_token_id=2)
LONG_ROPE = dict(rope_type="longrope", rope_theta=500.0, partial_rotary_factor=0.5, short_factor=[1.1, 1.7],
                 long_factor=[1.5, 3.25])
model("phi3-on", "phi3.Phi3ForCausalLM", dict(
    PHI3_SIZES, num_key_value_heads=1, hidden_act="gelu", rms_norm_eps=1e-3, sliding_window=5, tie_word_embeddings=True,
    max_position_embeddings=40, original_max_position_embeddings=10, rope_parameters=dict(LONG_ROPE)), stored="BF16")
model("phi3-short", "phi3.Phi3ForCausalLM", dict(
    PHI3_SIZES, num_key_value_heads=1, max_position_embeddings=60, original_max_position_embeddings=20,
    rope_parameters=dict(LONG_ROPE)), stored="F16", old_config=True)
model("phi3-off", "phi3.Phi3ForCausalLM", dict(
    PHI3_SIZES, num_key_value_heads=3, max_position_embeddings=10, original_max_position_embeddings=10,
    rope_parameters=dict(rope_type="default", rope_theta=10000.0)), stored="BF16", old_config=True)

model("olmo2-on", "olmo2.Olmo2ForCausalLM", dict(
    SIZES, num_hidden_layers=2, num_key_value_heads=2, hidden_act="gelu", rms_norm_eps=1e-3, attention_bias=True,
    tie_word_embeddings=True, max_position_embeddings=10, eos_token_id=2,
    rope_parameters=dict(rope_type="linear", factor=2.0, rope_theta=500.0)), stored="F16")
model("olmo2-off", "olmo2.Olmo2ForCausalLM", dict(
    SIZES, num_hidden_layers=2, num_key_value_heads=4, max_position_embeddings=10, eos_token_id=2,
    rope_parameters=dict(rope_type="default", rope_theta=500000.0)), stored="BF16", old_config=True)

model("smollm3-on", "smollm3.SmolLM3ForCausalLM", dict(
    SIZES, num_hidden_layers=3, num_key_value_heads=2, hidden_act="gelu", rms_norm_eps=1e-3, attention_bias=True,
    mlp_bias=True, use_sliding_window=True, sliding_window=4, no_rope_layers=[1, 0, 1], tie_word_embeddings=False,
    max_position_embeddings=10, pad_token_id=0, bos_token_id=1, eos_token_id=2,
    rope_parameters=dict(rope_type="linear", factor=2.0, rope_theta=500.0)), stored="F16", maps=(0, 1))
model("smollm3-off", "smollm3.SmolLM3ForCausalLM", dict(
    SIZES, num_hidden_layers=2, num_key_value_heads=4, no_rope_layer_interval=2, max_position_embeddings=10,
    pad_token_id=0, bos_token_id=1, eos_token_id=2,
    rope_parameters=dict(rope_type="default", rope_theta=2000000.0)), stored="BF16", old_config=True)

model("starcoder2-on", "starcoder2.Starcoder2ForCausalLM", dict(
    SIZES, num_hidden_layers=2, num_key_value_heads=2, hidden_act="gelu", norm_epsilon=1e-3, use_bias=True,
    sliding_window=5, tie_word_embeddings=False, max_position_embeddings=10, bos_token_id=1, eos_token_id=2,
    rope_parameters=dict(rope_type="linear", factor=2.0, rope_theta=500.0)), stored="F16")
model("starcoder2-off", "starcoder2.Starcoder2ForCausalLM", dict(
    SIZES, num_hidden_layers=2, num_key_value_heads=4, use_bias=False, max_position_embeddings=10, bos_token_id=1,
    eos_token_id=2, rope_parameters=dict(rope_type="default", rope_theta=10000.0)), stored="BF16", old_config=True)

FALCON_SIZES = dict(vocab_size=VOCAB, hidden_size=16, num_hidden_layers=2, num_attention_heads=4, ffn_hidden_size=24,
                    max_position_embeddings=10, bos_token_id=1, eos_token_id=2)
ROPE = dict(rope_type="default", rope_theta=10000.0)


def copy_of(name, other_name, tensors):
    """A tied tensor that published files hold twice."""
    return {other_name: tensors.get(name, np.zeros(1))}


FALCON_PLACES = dict(layers="transformer.h", norm="transformer.ln_f")
model("falcon-on", "falcon.FalconForCausalLM", dict(
    FALCON_SIZES, new_decoder_architecture=True, num_kv_heads=2, bias=True, activation="gelu_new",
    layer_norm_epsilon=1e-3, tie_word_embeddings=False,
    rope_parameters=dict(rope_type="linear", factor=2.0, rope_theta=500.0)), stored="BF16", **FALCON_PLACES)
model("falcon-off", "falcon.FalconForCausalLM", dict(
    FALCON_SIZES, multi_query=True, parallel_attn=True, bias=False, rope_parameters=ROPE), stored="F16",
    old_config=True,
    extra=lambda tensors: copy_of("transformer.word_embeddings.weight", "lm_head.weight", tensors), **FALCON_PLACES)
model("falcon-one_norm", "falcon.FalconForCausalLM", dict(
    FALCON_SIZES, new_decoder_architecture=True, num_kv_heads=1, num_ln_in_parallel_attn=1, tie_word_embeddings=False,
    rope_parameters=ROPE), stored="BF16", old_config=True, **FALCON_PLACES)
model("falcon-alibi", "falcon.FalconForCausalLM", dict(
    FALCON_SIZES, hidden_size=24, num_attention_heads=12, alibi=True, multi_query=False, parallel_attn=False, bias=True,
    rope_parameters=ROPE) | dict(ffn_hidden_size=24), stored="F16", maps=(0,), **FALCON_PLACES)

BLOOM_PLACES = dict(layers="transformer.h", norm="transformer.ln_f")
model("bloom-on", "bloom.BloomForCausalLM", dict(
    vocab_size=VOCAB, hidden_size=24, n_layer=2, n_head=6, layer_norm_epsilon=1e-3,
    apply_residual_connection_post_layernorm=True, tie_word_embeddings=False), stored="F16", maps=(0,), **BLOOM_PLACES)
model("bloom-off", "bloom.BloomForCausalLM", dict(vocab_size=VOCAB, hidden_size=16, n_layer=2, n_head=4), stored="BF16",
      names=[(r"^transformer\.", "")], **BLOOM_PLACES)

BERT_SIZES = dict(SIZES, num_hidden_layers=2, max_position_embeddings=20)


def pooler_and_next_sentence(tensors):
    """Tensors of the heads that BertForPreTraining has and BertForMaskedLM lacks."""
    rng = np.random.default_rng(1)
    shapes = {"bert.pooler.dense.weight": (16, 16), "bert.pooler.dense.bias": 16,
              "cls.seq_relationship.weight": (2, 16), "cls.seq_relationship.bias": 2}
    return {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


model("bert-on", "bert.BertForMaskedLM", dict(
    BERT_SIZES, hidden_act="gelu_new", type_vocab_size=3, layer_norm_eps=1e-3, tie_word_embeddings=False),
    layers="bert.encoder.layer", norm="", stored="F16", segments=True, kind="encoder")
model("bert-off", "bert.BertForMaskedLM", dict(BERT_SIZES), layers="bert.encoder.layer", norm="", kind="encoder",
      names=[(r"LayerNorm\.weight", "LayerNorm.gamma"), (r"LayerNorm\.bias", "LayerNorm.beta")],
      extra=lambda _: pooler_and_next_sentence(_) | {"bert.embeddings.position_ids": np.arange(20)[None]})
model("bert-bare", "bert.BertModel", dict(BERT_SIZES, hidden_act="gelu"), layers="encoder.layer", norm="", kind="bare",
      stored="F16")
model("bert-relative", "bert.BertForMaskedLM", dict(
    BERT_SIZES, position_embedding_type="relative_key_query", type_vocab_size=2), layers="bert.encoder.layer", norm="",
    stored="F16", kind="encoder", library="4.35.2", segments=True, gain=0.7)

model("roberta-on", "roberta.RobertaForMaskedLM", dict(
    BERT_SIZES, hidden_act="gelu_new", type_vocab_size=2, layer_norm_eps=1e-3, tie_word_embeddings=False),
    layers="roberta.encoder.layer", norm="", stored="F16", segments=True, kind="encoder")
model("roberta-off", "roberta.RobertaForMaskedLM", dict(BERT_SIZES, type_vocab_size=1, layer_norm_eps=1e-5),
      layers="roberta.encoder.layer", norm="", stored="BF16", kind="encoder",
      extra=lambda _: {"roberta.embeddings.position_ids": np.arange(20)[None]})

TABLE = ("embed_positions.weight",)
model("roformer-on", "roformer.RoFormerForMaskedLM", dict(
    BERT_SIZES, embedding_size=12, hidden_act="gelu_new", type_vocab_size=3, layer_norm_eps=1e-3,
    tie_word_embeddings=False, rotary_value=False), layers="roformer.encoder.layer", norm="", stored="F16",
    segments=True, kind="encoder", computed=TABLE, drop=("roformer.encoder.embed_positions.weight",))
model("roformer-off", "roformer.RoFormerForMaskedLM", dict(BERT_SIZES), layers="roformer.encoder.layer", norm="",
      kind="encoder", fixed=TABLE, library="5.24.0")
model("roformer-rotary_value", "roformer.RoFormerForMaskedLM", dict(BERT_SIZES, rotary_value=True),
      layers="roformer.encoder.layer", norm="", stored="BF16", kind="encoder", computed=TABLE,
      drop=("roformer.encoder.embed_positions.weight",))

MODERNBERT_TOKENS = dict(pad_token_id=0, bos_token_id=1, cls_token_id=1, eos_token_id=2, sep_token_id=2)
model("modernbert-on", "modernbert.ModernBertForMaskedLM", dict(
    SIZES, **MODERNBERT_TOKENS, num_hidden_layers=3, hidden_activation="silu", classifier_activation="relu",
    norm_bias=True, norm_eps=1e-3, attention_bias=True, mlp_bias=True, decoder_bias=True, classifier_bias=True,
    local_attention=6, tie_word_embeddings=False, max_position_embeddings=10,
    layer_types=["full_attention", "sliding_attention", "full_attention"],
    rope_parameters=dict(full_attention=dict(rope_type="linear", factor=2.0, rope_theta=500.0),
                         sliding_attention=dict(rope_type="default", rope_theta=20.0))),
    norm="model.final_norm", stored="F16", kind="encoder", maps=(0, 1))
model("modernbert-off", "modernbert.ModernBertForMaskedLM", dict(
    SIZES, **MODERNBERT_TOKENS, num_hidden_layers=3, decoder_bias=False, local_attention=64, max_position_embeddings=10,
    global_attn_every_n_layers=2,
    rope_parameters=dict(full_attention=dict(rope_type="default", rope_theta=160000.0),
                         sliding_attention=dict(rope_type="default", rope_theta=10000.0))),
    norm="model.final_norm", stored="BF16", kind="encoder", old_config=True, maps=(0, 1),
    keys=dict(global_attn_every_n_layers=2))

DEBERTA_PLACES = dict(layers="deberta.encoder.layer", norm="", kind="encoder")
model("deberta-on", "deberta.DebertaForMaskedLM", dict(
    BERT_SIZES, hidden_act="gelu_new", layer_norm_eps=1e-3, type_vocab_size=2, embedding_size=12,
    position_biased_input=False, relative_attention=True, max_relative_positions=5, pos_att_type="c2p|p2c",
    legacy=True), stored="F16", segments=True, gain=0.8, **DEBERTA_PLACES)
model("deberta-off", "deberta.DebertaForMaskedLM", dict(
    BERT_SIZES, relative_attention=False, position_biased_input=True, legacy=False), stored="BF16", **DEBERTA_PLACES)
model("deberta-talking", "deberta.DebertaForMaskedLM", dict(
    BERT_SIZES, relative_attention=True, position_biased_input=True, pos_att_type=["c2p"], talking_head=True,
    max_relative_positions=-1, legacy=False), stored="F16", **DEBERTA_PLACES)

model("deberta_v2-on", "deberta_v2.DebertaV2ForMaskedLM", dict(
    BERT_SIZES, hidden_act="gelu_new", layer_norm_eps=1e-3, type_vocab_size=2, embedding_size=12,
    position_biased_input=False, relative_attention=True, max_relative_positions=12, position_buckets=6,
    pos_att_type="p2c|c2p", share_att_key=True, norm_rel_ebd="layer_norm", conv_kernel_size=3, conv_act="gelu",
    conv_groups=2, legacy=True), stored="F16", segments=True, gain=0.8, **DEBERTA_PLACES)
model("deberta_v2-off", "deberta_v2.DebertaV2ForMaskedLM", dict(
    BERT_SIZES, relative_attention=True, position_biased_input=True, pos_att_type=["c2p", "p2c"], share_att_key=False,
    max_relative_positions=6, legacy=False), stored="BF16", gain=0.8, **DEBERTA_PLACES)
model("deberta_v2-v3", "deberta_v2.DebertaV2ForMaskedLM", dict(
    BERT_SIZES, relative_attention=True, position_biased_input=False, pos_att_type="p2c|c2p", share_att_key=True,
    norm_rel_ebd="layer_norm", position_buckets=8, max_relative_positions=-1, legacy=False), stored="F16", gain=0.8,
    extra=lambda _: {"mask_predictions.classifier.weight": np.ones((1, 16), np.float32)}, **DEBERTA_PLACES)

T5_SIZES = dict(vocab_size=VOCAB, d_model=16, d_ff=24, num_heads=4, num_layers=2, decoder_start_token_id=0)
model("t5-on", "t5.T5ForConditionalGeneration", dict(
    T5_SIZES, d_kv=6, num_decoder_layers=3, relative_attention_num_buckets=8, relative_attention_max_distance=10,
    layer_norm_epsilon=1e-3, feed_forward_proj="gated-gelu", tie_word_embeddings=False), kind="seq2seq", stored="F16",
    keys=dict(tie_word_embeddings=False), maps=(0, 2), gain=0.5)


def copies_of_embedding(tensors):
    """Old files of T5 repeat the embedding, and have a table that no layer reads."""
    embedding = tensors.get("shared.weight", np.zeros(1))
    return {"encoder.embed_tokens.weight": embedding, "decoder.embed_tokens.weight": embedding + 0,
            "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight": np.ones((32, 4), np.float32)}


model("t5-off", "t5.T5ForConditionalGeneration", dict(T5_SIZES, d_kv=4), kind="seq2seq", stored="BF16",
      extra=copies_of_embedding, maps=(0,), gain=0.6)

XLNET_SIZES = dict(vocab_size=VOCAB, d_model=16, n_layer=2, n_head=4, d_inner=24)
XLNET_PLACES = dict(layers="transformer.layer", norm="", kind="encoder")
model("xlnet-on", "xlnet.XLNetLMHeadModel", dict(
    XLNET_SIZES, ff_activation="relu", layer_norm_eps=1e-3, clamp_len=6, tie_word_embeddings=False, mem_len=None),
    stored="F16", segments=True, gain=0.7, **XLNET_PLACES)
model("xlnet-off", "xlnet.XLNetLMHeadModel", dict(XLNET_SIZES), stored="BF16", gain=0.7, **XLNET_PLACES)
model("xlnet-uni", "xlnet.XLNetLMHeadModel", dict(XLNET_SIZES, attn_type="uni", clamp_len=5, mem_len=None),
      stored="F16", gain=0.7, **XLNET_PLACES)

XL_SIZES = dict(vocab_size=VOCAB, d_model=16, d_embed=16, n_head=4, d_head=6, d_inner=24, n_layer=2)
XL_PLACES = dict(layers="transformer.layers", norm="", kind="encoder", library="4.35.2",
                 computed=("pos_emb.inv_freq",))
model("transfo_xl-on", "transfo_xl.TransfoXLLMHeadModel", dict(
    XL_SIZES, cutoffs=[20, 36], div_val=2, pre_lnorm=True, mem_len=8, clamp_len=9, same_length=True,
    layer_norm_epsilon=1e-3, untie_r=True), memory=8, gain=0.7, **XL_PLACES)
model("transfo_xl-off", "transfo_xl.TransfoXLLMHeadModel", dict(
    XL_SIZES, cutoffs=[], div_val=1, mem_len=0, clamp_len=-1, same_length=False, untie_r=False, d_head=4), gain=0.7,
    extra=lambda tensors: copy_of("transformer.word_emb.emb_layers.0.weight", "crit.out_layers.0.weight", tensors),
    **XL_PLACES)

# Models of which a GGUF says everything: llama.cpp has no key for the activation of most families, nor for windows,
# scales or untied heads that the published models do not have. generate_transformer_gguf.py converts them.

model("llama-gguf", "llama.LlamaForCausalLM", dict(
    SIZES, num_hidden_layers=2, num_key_value_heads=2, head_dim=8, attention_bias=True, mlp_bias=True,
    tie_word_embeddings=False, max_position_embeddings=48,
    rope_parameters=dict(rope_type="llama3", rope_theta=100.0, factor=4.0, low_freq_factor=0.4, high_freq_factor=1.5,
                         original_max_position_embeddings=12)), stored="BF16", tokens=16, maps=(0,))
model("gpt2-gguf", "gpt2.GPT2LMHeadModel", dict(GPT2_SIZES), layers="transformer.h", norm="transformer.ln_f",
      stored="F16", keys=dict(n_ctx=20), names=[(r"^transformer\.", "")], maps=(0,))
model("gpt_neox-gguf", "gpt_neox.GPTNeoXForCausalLM", dict(
    SIZES, num_hidden_layers=2, use_parallel_residual=True, max_position_embeddings=20,
    rope_parameters=dict(rope_type="default", rope_theta=10000.0, partial_rotary_factor=0.5)),
    layers="gpt_neox.layers", norm="gpt_neox.final_layer_norm", stored="F16", old_config=True, maps=(0,))
model("qwen2-gguf", "qwen2.Qwen2ForCausalLM", dict(
    dict(SIZES, hidden_size=32), num_hidden_layers=2, num_key_value_heads=2, tie_word_embeddings=True,
    max_position_embeddings=256,
    rope_parameters=dict(rope_type="yarn", factor=4.0, rope_theta=200.0, original_max_position_embeddings=64)),
    stored="BF16", maps=(0,), gain=0.7)
model("gemma2-gguf", "gemma2.Gemma2ForCausalLM", dict(
    GEMMA_SIZES, num_hidden_layers=2, num_key_value_heads=2, head_dim=8, query_pre_attn_scalar=8, sliding_window=4,
    attn_logit_softcapping=3.0, final_logit_softcapping=5.0, max_position_embeddings=20,
    rope_parameters=dict(rope_type="default", rope_theta=10000.0)), stored="F16", gain=1.2)
model("gemma3-gguf", "gemma3.Gemma3ForCausalLM", dict(
    dict(GEMMA_SIZES, intermediate_size=8), num_hidden_layers=6, num_key_value_heads=1, head_dim=8,
    query_pre_attn_scalar=8, sliding_window=4, max_position_embeddings=20,
    layer_types=["sliding_attention"] * 5 + ["full_attention"],
    rope_parameters=dict(full_attention=dict(rope_type="linear", factor=8.0, rope_theta=5000.0),
                         sliding_attention=dict(rope_type="default", rope_theta=100.0))), stored="BF16", maps=(0, 5))
model("phi3-gguf", "phi3.Phi3ForCausalLM", dict(
    PHI3_SIZES, num_key_value_heads=1, max_position_embeddings=40, original_max_position_embeddings=10,
    rope_parameters=dict(LONG_ROPE)), stored="BF16", maps=(0,))
model("smollm3-gguf", "smollm3.SmolLM3ForCausalLM", dict(
    SIZES, num_hidden_layers=4, num_key_value_heads=2, no_rope_layer_interval=4, tie_word_embeddings=True,
    max_position_embeddings=20, pad_token_id=0, bos_token_id=1, eos_token_id=2,
    rope_parameters=dict(rope_type="default", rope_theta=500.0)), stored="BF16", maps=(0, 3))
model("starcoder2-gguf", "starcoder2.Starcoder2ForCausalLM", dict(
    SIZES, num_hidden_layers=2, num_key_value_heads=2, use_bias=True, max_position_embeddings=20, bos_token_id=1,
    eos_token_id=2, rope_parameters=dict(rope_type="default", rope_theta=500.0)), stored="F16", maps=(0,))
model("falcon-gguf", "falcon.FalconForCausalLM", dict(
    FALCON_SIZES, new_decoder_architecture=True, num_kv_heads=2, bias=False, tie_word_embeddings=False,
    rope_parameters=ROPE), stored="BF16", maps=(0,), **FALCON_PLACES)
model("modernbert-gguf", "modernbert.ModernBertForMaskedLM", dict(
    SIZES, **MODERNBERT_TOKENS, num_hidden_layers=4, decoder_bias=False, local_attention=6, max_position_embeddings=20,
    layer_types=["full_attention", "sliding_attention", "sliding_attention", "full_attention"],
    rope_parameters=dict(full_attention=dict(rope_type="default", rope_theta=500.0),
                         sliding_attention=dict(rope_type="default", rope_theta=20.0))),
    norm="model.final_norm", stored="F16", kind="encoder", maps=(0, 1), keys=dict(global_attn_every_n_layers=3))
model("t5-gguf", "t5.T5ForConditionalGeneration", dict(
    T5_SIZES, d_kv=6, relative_attention_num_buckets=8, feed_forward_proj="gated-gelu", tie_word_embeddings=False),
    kind="seq2seq", stored="F16", keys=dict(tie_word_embeddings=False), maps=(0,), gain=0.5)

# What a key turns into another model than its family's usual one.
NEWER = dict(library="5.24.0")
model("bert-decoder", "bert.BertForMaskedLM", dict(BERT_SIZES, is_decoder=True), layers="bert.encoder.layer", norm="",
      stored="F16", kind="encoder", **NEWER)
model("roberta-pad", "roberta.RobertaForMaskedLM", dict(BERT_SIZES, pad_token_id=4, type_vocab_size=1),
      layers="roberta.encoder.layer", norm="", stored="F16", kind="encoder", pads=(3, 4, 13), **NEWER)
model("roformer-table", "roformer.RoFormerForMaskedLM", dict(BERT_SIZES), layers="roformer.encoder.layer",
      norm="", stored="F16", kind="encoder", fixed=TABLE, **NEWER)
model("mt5-tied", "mt5.MT5ForConditionalGeneration", dict(T5_SIZES, d_kv=6, feed_forward_proj="gated-gelu"),
      kind="seq2seq", stored="F16", maps=(0,), gain=0.5, **NEWER)
model("gemma3-both_ways", "gemma3.Gemma3ForCausalLM", dict(
    GEMMA_SIZES, num_hidden_layers=2, num_key_value_heads=2, head_dim=8, sliding_window=6, max_position_embeddings=20,
    layer_types=["sliding_attention", "full_attention"], use_bidirectional_attention=True, attn_logit_softcapping=2.0,
    rope_parameters=dict(full_attention=dict(rope_type="default", rope_theta=5000.0),
                         sliding_attention=dict(rope_type="default", rope_theta=100.0))), stored="F16", **NEWER)
model("bloom-exact", "bloom.BloomForCausalLM", dict(
    vocab_size=VOCAB, hidden_size=24, n_layer=2, n_head=6, slow_but_exact=True, pretraining_tp=5), stored="F16",
    maps=(0,), **BLOOM_PLACES, **NEWER)
model("deberta-untied", "deberta.DebertaForMaskedLM", dict(
    BERT_SIZES, relative_attention=False, pos_att_type=["c2p", "p2p"], position_biased_input=True, legacy=False,
    tie_word_embeddings=False), stored="F16", **DEBERTA_PLACES, **NEWER)
model("deberta-p2p", "deberta.DebertaForMaskedLM", dict(
    BERT_SIZES, relative_attention=True, pos_att_type="c2p|p2p|p2c", position_biased_input=True, legacy=True,
    max_relative_positions=6), stored="F16", **DEBERTA_PLACES, **NEWER)

# ---- Command line ---------------------------------------------------------------------------------------------------

if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] in ("--make", "--double"):
        worker(sys.argv[1][2:], sys.argv[2], sys.argv[3])
    else:
        wanted = sys.argv[1:]
        for spec in MODELS:
            if not wanted or any(spec.name == w or spec.name.rsplit("-", 1)[0] == w for w in wanted):
                write_model(spec)
