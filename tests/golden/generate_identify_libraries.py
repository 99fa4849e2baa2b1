#!/usr/bin/env python3
"""Writes identify_libraries.json: queries before and after the rotary embeddings of many libraries, run by their own code.

Each case says what is true of it, by the source of its library: the facts that `orrery run identify` must name ("*": in
any words), or why it is no rope and must be refused. Inputs are random by seed; what a library returns is kept bit by bit, fp32.

python3 generate_identify_libraries.py [SOURCES]

Packages are installed with `pip install --no-deps NAME==VERSION`, beside PyTorch, NumPy, einops, JAX and what pip says is
missing. Of those marked "file" one module alone is executed, and what it imports and does not need here is a stand-in;
those marked "source" have no wheel: their archives are unpacked in the folder SOURCES. A library that is missing is named
and left out.

Requirements:
ai2-olmo==0.6.0 (file)                  litgpt==0.5.13                     rotary-embedding-torch==0.9.1
bert4torch==0.6.2 (source)              local-attention==1.11.2            soundstorm-pytorch==0.6.1 (file)
block-recurrent-transformer-pytorch==0.4.4                                 speechbrain==1.1.2
chronos-forecasting==2.3.2 (file)       megatron-core==0.16.1              SwissArmyTransformer==0.4.12
diffusers==0.42.1 (some files)          mistral_inference==1.6.0           timesfm==3.0.2
equinox==0.13.8                         mlx==0.32.4, mlx-cpu==0.32.4       timm==1.0.31
esm==3.2.1.post1                        mlx-lm==0.32.2                     tinygrad==0.14.0 (file)
espnet==202511                          moshi==0.2.13                      torchscale==0.3.0
exllamav2==0.3.2 (file)                 multimolecule==0.2.2 (file)        torchtitan==0.3.0 (file)
fair-esm==2.0.0                         nanotron==0.4 (file)               torchtune==0.6.1 (file)
fairseq2==0.8.1 (file)                  PaLM-rlhf-pytorch==0.8.0 (file)    toto-ts==0.2.0
flash_attn==2.8.3.post2 (source)        parler_tts==0.2.3 (source)         transformers==5.24.0
fla-core==0.6.0                         penzai==0.2.5                      uni2ts==2.0.0
ibm-fms==1.13.1                         perceiver-ar-pytorch==0.0.10       vit-pytorch==1.26.14
keras==3.15.1, keras-hub==0.32.0        roformer==0.4.3 (file)             vllm==0.33.0 (file)
llama_models==0.3.0 (file)              sam2==1.1.0 (source)               voicebox-pytorch==0.5.0 (file)
x-transformers==2.31.10                 torch==2.15.0, numpy==2.4.6        jax==0.10.2
"""
import builtins
import contextlib
import functools
import importlib.metadata
import io
import json
import math
import os
import pathlib
import platform
import sys
import types
import warnings

os.environ.update(KERAS_BACKEND="torch", TF_CPP_MIN_LOG_LEVEL="3", JAX_PLATFORMS="cpu", CUDA_VISIBLE_DEVICES="",
                  TORCHDYNAMO_DISABLE="1")
warnings.filterwarnings("ignore")

import numpy as np
import torch

HERE = pathlib.Path(__file__).parent
SOURCES = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None
REAL = set(sys.stdlib_module_names) | {"torch", "numpy", "einops", "jaxtyping", "typing_extensions", "packaging"}
CASES, VERSIONS, MISSING = [], {}, []


class StandIn:
    """What a module imports and does not need: an attribute, a decorator, a base class, false."""

    def __init__(self, *_, **__):
        pass

    def __call__(self, *args, **named):
        return args[0] if len(args) == 1 and not named and isinstance(args[0], (type, types.FunctionType)) else StandIn()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn()

    def __getitem__(self, _):
        return StandIn()

    def __or__(self, _):
        return StandIn()

    __ror__ = __or__

    def __bool__(self):
        return False

    def __instancecheck__(self, _):
        return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __mro_entries__(self, bases):
        first = next(base for base in bases if isinstance(base, StandIn))
        modules = any(isinstance(base, type) and issubclass(base, torch.nn.Module) for base in bases)
        return (torch.nn.Module,) if first is self and not modules else ()


@functools.lru_cache(maxsize=None)
def folder_of(distribution):
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        found = importlib.metadata.distribution(distribution)
        return pathlib.Path(found.locate_file("")), found.version
    for folder in sorted(SOURCES.glob(f"{distribution}-*")) if SOURCES else []:
        return folder, folder.name[len(distribution) + 1:]
    raise ModuleNotFoundError(distribution)


def loaded(distribution, path, real=(), given=None):
    """One file of a library as a module. Imports are real for the standard library and those named."""
    name = path.removesuffix(".py").replace("/", ".")
    package = name.rpartition(".")[0]

    def imported(wanted, glob=None, loc=None, names=(), level=0):
        full = wanted
        if level:
            parent = package.split(".")[:len(package.split(".")) - level + 1]
            full = ".".join(parent + ([wanted] if wanted else []))
        if given and full in given:
            return given[full]
        if full.split(".")[0] in REAL or any(full == one or full.startswith(one + ".") for one in real):
            module = builtins.__import__(full, glob, loc, names, 0)
            return module
        return StandIn()

    module = types.ModuleType(name)
    module.__dict__["__builtins__"] = {**vars(builtins), "__import__": imported}
    module.__package__ = package
    sys.modules.setdefault("orrery." + name, module)
    module.__name__ = "orrery." + name
    module.__file__ = path
    script, torch.jit.script = torch.jit.script, lambda function: function  # which wants a file to read
    try:
        exec(compile((folder_of(distribution)[0] / path).read_text(), path, "exec"), module.__dict__)
    finally:
        torch.jit.script = script
    return module


def version_of(library):
    return folder_of(library)[1]


def grid(*sizes):
    return np.stack(np.meshgrid(*[np.arange(n) for n in sizes], indexing="ij"), -1).reshape(-1, len(sizes))


@functools.lru_cache(maxsize=None)
def inputs(shape):
    return np.random.default_rng([20261130, *shape]).standard_normal(shape).astype(np.float32)


def case(library, what, called, shape=None, *, facts=None, refused=None, positions=None, rows=None, kind="rotation",
         first=False):
    """Adds a function of q, [heads, rows, d], that returns q turned; `first`: both are [rows, heads, d]."""
    def add(function):
        heads = 2 if first and all(entry["library"] != library for entry in CASES) else 1
        size = shape or (heads, 12, 32)
        CASES.append({"library": library, "what": what, "called": called, "shape": size, "rows": rows, "facts": facts,
                      "refused": refused, "positions": positions, "kind": kind, "first": first, "function": function})
        return function
    return add


def rope(pairing="half_split", base=10000, **more):
    return {"pairing": pairing, "base": base, **{key.replace("_", " "): value for key, value in more.items()}}


def alibi(slopes):
    return {"family": "ALiBi", "distance": "|m − n|", "slopes": slopes}


GPTJ = "interleaved"
THREE = {"shape": (1, 12, 32), "positions": grid(2, 2, 3)}
FOUR = {"shape": (1, 16, 32), "positions": grid(4, 4)}


# rotary-embedding-torch, x-transformers and other packages of lucidrains

@case("rotary-embedding-torch", "lang", "RotaryEmbedding(32).rotate_queries_or_keys", facts=rope(GPTJ))
def _(q):
    from rotary_embedding_torch import RotaryEmbedding
    return RotaryEmbedding(32).rotate_queries_or_keys(q[None])[0]


@case("rotary-embedding-torch", "interpolated", "RotaryEmbedding(32, interpolate_factor=2.)",
      facts=rope(GPTJ, scaling="linear by 2"))
def _(q):
    from rotary_embedding_torch import RotaryEmbedding
    return RotaryEmbedding(32, interpolate_factor=2.).rotate_queries_or_keys(q[None])[0]


@case("rotary-embedding-torch", "rescaled theta", "RotaryEmbedding(32, theta_rescale_factor=8.)",
      facts=rope(GPTJ, scaling="ntk by 8"))
def _(q):
    from rotary_embedding_torch import RotaryEmbedding
    return RotaryEmbedding(32, theta_rescale_factor=8.).rotate_queries_or_keys(q[None])[0]


@case("rotary-embedding-torch", "part of a head", "RotaryEmbedding(16) of a head of 32",
      facts=rope(GPTJ, channels="0 to 15 of 32"))
def _(q):
    from rotary_embedding_torch import RotaryEmbedding
    return RotaryEmbedding(16).rotate_queries_or_keys(q[None])[0]


@case("rotary-embedding-torch", "xPos", "RotaryEmbedding(32, use_xpos=True).rotate_queries_and_keys, q",
      facts=rope(GPTJ, lengths="xPos of queries, ζ^((m − 6)/512), γ 0.4"))
def _(q):
    from rotary_embedding_torch import RotaryEmbedding
    return RotaryEmbedding(32, use_xpos=True).rotate_queries_and_keys(q[None], q[None])[0][0]


@case("rotary-embedding-torch", "axial", "RotaryEmbedding(16).get_axial_freqs(4, 4)",
      **FOUR, facts=rope(GPTJ, axes="sections 8+8, axial"))
def _(q):
    from rotary_embedding_torch import RotaryEmbedding, apply_rotary_emb
    freqs = RotaryEmbedding(16).get_axial_freqs(4, 4)
    return apply_rotary_emb(freqs, q.reshape(-1, 4, 4, 32)).reshape(-1, 16, 32)


@case("rotary-embedding-torch", "pixels", "RotaryEmbedding(32, freqs_for='pixel') over linspace(-1, 1)",
      refused="frequencies go up by a constant, at positions that are fractions")
def _(q):
    from rotary_embedding_torch import RotaryEmbedding, apply_rotary_emb
    freqs = RotaryEmbedding(32, freqs_for="pixel", max_freq=10).get_axial_freqs(12)
    return apply_rotary_emb(freqs, q)


@case("x-transformers", "rope", "RotaryEmbedding(32), apply_rotary_pos_emb", facts=rope(GPTJ))
def _(q):
    from x_transformers.x_transformers import RotaryEmbedding, apply_rotary_pos_emb
    freqs, scale = RotaryEmbedding(32).forward_from_seq_len(12)
    return apply_rotary_pos_emb(q[None], freqs, scale)[0]


@case("x-transformers", "xPos of keys", "RotaryEmbedding(32, use_xpos=True), k", facts=rope(
    GPTJ, lengths="xPos of keys, ζ^((m − 6)/512), γ 0.4"))
def _(q):
    from x_transformers.x_transformers import RotaryEmbedding, apply_rotary_pos_emb
    freqs, scale = RotaryEmbedding(32, use_xpos=True).forward_from_seq_len(12)
    return apply_rotary_pos_emb(q[None], freqs, scale ** -1)[0]


@case("x-transformers", "ALiBi", "AlibiPositionalBias(heads=6)(12, 12)", kind="bias",
      facts=alibi("2^(−8(h+1)/c), then every other one of 2c heads"))
def _(_):
    from x_transformers.x_transformers import AlibiPositionalBias
    return AlibiPositionalBias(heads=6)(12, 12)


@case("x-transformers", "dynamic bias", "DynamicPositionBias(8, heads=2, depth=1)(12, 12)", kind="bias",
      facts={"family": "a free number per distance"})
def _(_):
    from x_transformers.x_transformers import DynamicPositionBias
    return DynamicPositionBias(8, heads=2, depth=1)(12, 12)


@case("x-transformers", "PoPE", "PolarEmbedding(32, heads=1), apply_polar_pos_emb, its first half",
      refused="softplus of the channels, times cos: lengths are not kept")
def _(q):
    from x_transformers.x_transformers import PolarEmbedding, apply_polar_pos_emb
    freqs, _ = PolarEmbedding(32, heads=1)(torch.arange(12))
    return apply_polar_pos_emb(q, freqs)[..., :32]


@case("PaLM-rlhf-pytorch", "without xPos", "RotaryEmbedding(32, use_xpos=False), apply_rotary_pos_emb", facts=rope())
def _(q):
    palm = loaded("PaLM-rlhf-pytorch", "palm_rlhf_pytorch/palm.py")
    freqs, scale = palm.RotaryEmbedding(32, use_xpos=False)(12, "cpu")
    return palm.apply_rotary_pos_emb(freqs, q, scale)


@case("PaLM-rlhf-pytorch", "xPos", "RotaryEmbedding(32), apply_rotary_pos_emb, q",
      facts=rope(lengths="xPos of queries, ζ^((m − 6)/512), γ 0.4"))
def _(q):
    palm = loaded("PaLM-rlhf-pytorch", "palm_rlhf_pytorch/palm.py")
    freqs, scale = palm.RotaryEmbedding(32)(12, "cpu")
    return palm.apply_rotary_pos_emb(freqs, q, scale)


@case("local-attention", "rope", "SinusoidalEmbeddings(32), apply_rotary_pos_emb", facts=rope())
def _(q):
    from local_attention.rotary import SinusoidalEmbeddings, apply_rotary_pos_emb
    freqs, scale = SinusoidalEmbeddings(32)(q)
    return apply_rotary_pos_emb(q[None], q[None], freqs, scale)[0][0]


@case("block-recurrent-transformer-pytorch", "xPos", "RotaryEmbedding(32, width=12), apply_rotary_pos_emb, q",
      facts=rope(lengths="xPos of queries, ζ^((m − 6)/512), γ 0.4"))
def _(q):
    from block_recurrent_transformer_pytorch import block_recurrent_transformer_pytorch as library
    return library.apply_rotary_pos_emb(q, *library.RotaryEmbedding(32, width=12)())


@case("perceiver-ar-pytorch", "part of a head", "RotaryEmbedding(16), apply_rotary_pos_emb",
      facts=rope(channels="0 to 15 of 32"))
def _(q):
    from perceiver_ar_pytorch import perceiver_ar_pytorch as library
    return library.apply_rotary_pos_emb(library.RotaryEmbedding(16)(12, device="cpu"), q)


@case("soundstorm-pytorch", "rope", "RotaryEmbedding(32), apply_rotary_pos_emb", facts=rope())
def _(q):
    library = loaded("soundstorm-pytorch", "soundstorm_pytorch/soundstorm.py")
    return library.apply_rotary_pos_emb(library.RotaryEmbedding(32)(12), q)


@case("voicebox-pytorch", "base 50000", "RotaryEmbedding(32), apply_rotary_pos_emb", facts=rope(base=50000))
def _(q):
    library = loaded("voicebox-pytorch", "voicebox_pytorch/voicebox_pytorch.py")
    return library.apply_rotary_pos_emb(library.RotaryEmbedding(32)(12), q)


@case("vit-pytorch", "ViT-5", "vit_5.AxialRotaryEmbedding(32, num_registers=0) over 4 by 4 patches", **FOUR,
      facts=rope(GPTJ, 100000, axes="sections 8+8, axial"))
def _(q):
    from vit_pytorch.rvt import rotate_every_two
    from vit_pytorch.vit_5 import AxialRotaryEmbedding
    sin, cos = AxialRotaryEmbedding(32, num_registers=0)(q)
    return (q * cos + rotate_every_two(q) * sin)[0]


@case("vit-pytorch", "RvT", "rvt.AxialRotaryEmbedding(32) over 4 by 4 patches", **FOUR,
      refused="frequencies go up by a constant, at positions from −1 to 1")
def _(q):
    from vit_pytorch.rvt import AxialRotaryEmbedding, rotate_every_two
    sin, cos = AxialRotaryEmbedding(32)(q)
    return q * cos + rotate_every_two(q) * sin


@case("vit-pytorch", "golden gate", "vit_nd_rotary.GoldenGateRoPENd(2, heads=2, dim_head=32)", (2, 16, 32), positions=grid(4,
      4),
      refused="each pair of each head turns along a direction of its own in the plane")
def _(q):
    from vit_pytorch.vit_nd_rotary import GoldenGateRoPENd
    return GoldenGateRoPENd(2, heads=2, dim_head=32, rope_max_freq=10.)(q[None], torch.tensor(grid(4, 4))[None])[0]


# Speech, time series and proteins

@case("speechbrain", "rope", "nnet.attention._rope_rotate", facts=rope(GPTJ), first=True)
def _(q):
    from speechbrain.nnet.attention import _rope_rotate
    return _rope_rotate(q[None])[0]


@case("moshi", "interleaved", "RotaryEmbedding(interleave=True), offset 40", facts=rope(GPTJ), rows="rows 0–11 at 40–51")
def _(q):
    from moshi.modules.rope import RotaryEmbedding
    return RotaryEmbedding(True)(q[None], q[None], torch.tensor([40]))[0][0]


@case("moshi", "halves", "RotaryEmbedding(interleave=False, max_period=100000), time before heads",
      facts=rope(base=100000), first=True)
def _(q):
    from moshi.modules.rope import RotaryEmbedding
    return RotaryEmbedding(False, 100000.)(q[None], q[None], torch.tensor([0]), time_before_heads=True)[0][0]


@case("parler_tts", "rope", "ParlerTTSRotaryEmbedding(32), apply_rotary_pos_emb", facts=rope())
def _(q):
    library = loaded("parler_tts", "parler_tts/modeling_parler_tts.py")
    cos, sin = library.ParlerTTSRotaryEmbedding(32)("cpu", torch.arange(12)[None])
    return library.apply_rotary_pos_emb(q[None], cos, sin)[0]


@case("parler_tts", "scaling_factor=4", "ParlerTTSRotaryEmbedding(32, scaling_factor=4), which forward does not read",
      facts=rope())
def _(q):
    library = loaded("parler_tts", "parler_tts/modeling_parler_tts.py")
    cos, sin = library.ParlerTTSRotaryEmbedding(32, scaling_factor=4.)("cpu", torch.arange(12)[None])
    return library.apply_rotary_pos_emb(q[None], cos, sin)[0]


@case("espnet", "Mega's bias", "RotaryRelativePositionBias(16)(12)", kind="bias",
      facts={"family": "a free number per distance"})
def _(_):
    library = loaded("espnet", "espnet2/asr_transducer/decoder/modules/mega/positional_bias.py")
    return library.RotaryRelativePositionBias(16)(12)[None]


@case("chronos-forecasting", "Chronos 2", "Chronos2RotaryEmbedding", facts=rope())
def _(q):
    library = loaded("chronos-forecasting", "chronos/chronos2/layers.py")
    embedding = library.Chronos2RotaryEmbedding(types.SimpleNamespace(rope_theta=10000., d_kv=32))
    cos, sin = embedding(q[None], torch.arange(12)[None])
    return embedding.apply_rotary_pos_emb(q[None], q[None], cos, sin)[0][0]


@case("timesfm", "2.5", "timesfm.torch.transformer.RotaryPositionalEmbedding(32)", facts=rope(), first=True)
def _(q):
    from timesfm.torch.transformer import RotaryPositionalEmbedding
    return RotaryPositionalEmbedding(32)(q[None])[0]


@case("timesfm", "3", "timesfm3.torch.transformer.RotaryPositionalEmbedding(32, 2, 20000)",
      facts=rope(scaling="linear by 2"), first=True)
def _(q):
    from timesfm3.torch.transformer import RotaryPositionalEmbedding
    return RotaryPositionalEmbedding(32, 2, 20000)(q[None])[0]


@case("uni2ts", "Moirai", "RotaryProjection of 16 of 32 channels", (2, 12, 32),
      facts=rope(GPTJ, channels="0 to 15 of 32"))
def _(q):
    from uni2ts.module.position.attn_projection import QueryKeyProjection, RotaryProjection
    projection = QueryKeyProjection(64, 2, 2, RotaryProjection, partial_factor=(0.0, 0.5))
    at = torch.arange(12).reshape(1, 1, 1, 12)
    return projection(q[None, :, None], q[None, :, None], at, at)[0][0, :, 0]


@case("uni2ts", "the end of a head", "RotaryProjection with partial_factor=(0.5, 1.0)", (2, 12, 32),
      facts=rope(GPTJ, channels="16 to 31 of 32"))
def _(q):
    from uni2ts.module.position.attn_projection import QueryKeyProjection, RotaryProjection
    projection = QueryKeyProjection(64, 2, 2, RotaryProjection, partial_factor=(0.5, 1.0))
    at = torch.arange(12).reshape(1, 1, 1, 12)
    return projection(q[None, :, None], q[None, :, None], at, at)[0][0, :, 0]


@case("toto-ts", "time aware", "TimeAwareRotaryEmbedding(32, use_xpos=True).rotate_queries_and_keys, q",
      refused="the scales of xPos are laid out for halves, pairs are neighbours: the two channels of a pair differ in length")
def _(q):
    from toto.model.rope import TimeAwareRotaryEmbedding
    return TimeAwareRotaryEmbedding(32, use_xpos=True, cache_if_possible=False).rotate_queries_and_keys(q[None], q[None])[0][0]


@case("fair-esm", "ESM-2", "rotary_embedding.RotaryEmbedding(32)", facts=rope())
def _(q):
    library = loaded("fair-esm", "esm/rotary_embedding.py")
    return library.RotaryEmbedding(32)(q, q)[0]


@case("esm", "ESM 3", "layers.rotary.RotaryEmbedding(32)", facts=rope(), first=True)
def _(q):
    library = loaded("esm", "esm/layers/rotary.py")
    return library.RotaryEmbedding(32)(q[None], q[None])[0][0]


@case("esm", "interleaved", "layers.rotary.RotaryEmbedding(32, interleaved=True), whose tables are laid out for halves",
      facts=rope(GPTJ, wiring="table of the other pairing"), first=True)
def _(q):
    library = loaded("esm", "esm/layers/rotary.py")
    return library.RotaryEmbedding(32, interleaved=True)(q[None], q[None])[0][0]


@case("esm", "linear scaling", "layers.rotary.RotaryEmbedding(32, scaling_factor=4.), seqlen_offset=100",
      facts=rope(scaling="linear by 4"), rows="rows 0–11 at 100–111", first=True)
def _(q):
    library = loaded("esm", "esm/layers/rotary.py")
    return library.RotaryEmbedding(32, scaling_factor=4.)(q[None], q[None], seqlen_offset=100)[0][0]


@case("multimolecule", "interleaved", "RotaryEmbedding(32, scale=2., interleaved=True)",
      facts=rope(GPTJ, scaling="linear by 2"))
def _(q):
    library = loaded("multimolecule", "multimolecule/modules/embeddings/rotary.py")
    return library.RotaryEmbedding(32, scale=2., interleaved=True)(q[None], q[None])[0][0]


@case("multimolecule", "halves", "RotaryEmbedding(32)", facts=rope())
def _(q):
    library = loaded("multimolecule", "multimolecule/modules/embeddings/rotary.py")
    return library.RotaryEmbedding(32)(q[None], q[None])[0][0]


# Programs that train and run language models

@case("litgpt", "Llama 3.1", "build_rope_cache with extra_config, apply_rope", (1, 12, 64),
      facts=rope(base=500000, scaling="llama3 by 8 from 8192 tokens"))
def _(q):
    from litgpt.model import apply_rope, build_rope_cache
    extra = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_seq_len": 8192}
    cos, sin = build_rope_cache(12, 64, base=500000, extra_config=extra)
    return apply_rope(q[None], cos[None], sin[None])[0]


@case("litgpt", "interleaved", "apply_rope_interleave",
      facts=rope(GPTJ, order_of_channels_after="that of the other pairing"))
def _(q):
    from litgpt.model import apply_rope_interleave, build_rope_cache
    cos, sin = build_rope_cache(12, 32)
    return apply_rope_interleave(q[None], cos[None], sin[None])[0]


@case("litgpt", "YaRN", "build_rope_cache with YaRN's keys: the ramp is reversed, fast pairs are slowed and slow ones are not",
      (1, 12, 64),
      facts=rope(scaling="by pair, times 0.025 (11 pairs), 0.1, 0.175, 0.25, 0.325, 0.4, 0.475, 0.55, 0.625, 0.7, 0.775, "
                         "0.85, …"))
def _(q):
    from litgpt.model import apply_rope, build_rope_cache
    extra = {"factor": 40.0, "beta_fast": 32.0, "beta_slow": 1.0, "original_max_seq_len": 4096, "mscale": 1.0,
             "mscale_all_dim": 1.0}
    cos, sin = build_rope_cache(12, 64, extra_config=extra)
    return apply_rope(q[None], cos[None], sin[None])[0]


@case("ai2-olmo", "OLMo", "RotaryEmbedding", facts=rope(base=500000))
def _(q):
    library = loaded("ai2-olmo", "olmo/model.py")
    config = types.SimpleNamespace(d_model=64, n_heads=2, max_sequence_length=16, rope_theta=500000, init_device="cpu",
                                   rope_full_precision=True)
    library._non_meta_init_device = lambda _: torch.device("cpu")
    return library.RotaryEmbedding(config, {})(q[None], q[None])[0][0]


@case("ai2-olmo", "ALiBi", "alibi_attention_bias of 6 heads, without the rule for heads that are no power of two", kind="bias",
      facts=alibi("2^(−8(h+1)/H), H no power of two"))
def _(_):
    library = loaded("ai2-olmo", "olmo/model.py")
    return library.alibi_attention_bias(12, types.SimpleNamespace(n_heads=6, alibi_bias_max=8.0), torch.device("cpu"))[0]


@case("nanotron", "StarCoder 2", "StarcoderRotaryEmbedding(32, 100000)", facts=rope(base=100000), first=True)
def _(q):
    library = loaded("nanotron", "nanotron/models/starcoder2.py")
    embedding = library.StarcoderRotaryEmbedding(32, 100000)
    embedding.inv_freq = 1.0 / (embedding.base ** (torch.arange(0, 32, 2, dtype=torch.float) / 32))  # as on a GPU
    embedding._initialized_buffer = True
    return embedding(q[None], q[None])[0][0]


@case("megatron-core", "part of a head", "_apply_rotary_pos_emb_bshd of RotaryEmbedding(32, 0.5)",
      facts=rope(channels="0 to 15 of 32"), first=True)
def _(q):
    return megatron(q, 0.5, False, False)


@case("megatron-core", "interleaved", "_apply_rotary_pos_emb_bshd, rotary_interleaved=True", facts=rope(GPTJ), first=True)
def _(q):
    return megatron(q, 1.0, True, False)


@case("megatron-core", "latent attention", "_apply_rotary_pos_emb_bshd, multi_latent_attention=True",
      facts=rope(GPTJ, order_of_channels_after="that of the other pairing"), first=True)
def _(q):
    return megatron(q, 1.0, False, True)


def megatron(q, percent, interleaved, latent):
    from megatron.core.models.common.embeddings.rope_utils import _apply_rotary_pos_emb_bshd
    from megatron.core.models.common.embeddings.rotary_pos_embedding import RotaryEmbedding
    embedding = RotaryEmbedding(32, percent, rotary_interleaved=interleaved, use_cpu_initialization=True)
    freqs = embedding.get_freqs_non_repeated(12)
    emb = torch.repeat_interleave(freqs, 2, -1) if interleaved else torch.cat((freqs, freqs), -1)  # get_emb needs a GPU
    return _apply_rotary_pos_emb_bshd(q[:, None], emb[:, None, None], rotary_interleaved=interleaved,
                                      multi_latent_attention=latent)[:, 0]


@case("megatron-core", "Llama 3.1", "RotaryEmbedding(64, rope_scaling=True).inv_freq", kind="inv_freq",
      facts=rope(None, 500000, scaling="llama3 by 8 from 8192 tokens"))
def _(_):
    from megatron.core.models.common.embeddings.rotary_pos_embedding import RotaryEmbedding
    return RotaryEmbedding(64, 1.0, rotary_base=500000, rope_scaling=True, use_cpu_initialization=True).inv_freq


@case("torchtune", "Llama", "RotaryPositionalEmbeddings(32)", facts=rope(GPTJ), first=True)
def _(q):
    return loaded("torchtune", "torchtune/modules/position_embeddings.py").RotaryPositionalEmbeddings(32)(q[None])[0]


@case("torchtune", "Llama 3.1", "Llama3ScaledRoPE(64, base=500000)", (1, 12, 64),
      facts=rope(GPTJ, 500000, scaling="llama3 by 8 from 8192 tokens"), first=True)
def _(q):
    library = loaded("torchtune", "torchtune/models/llama3_1/_position_embeddings.py")
    return library.Llama3ScaledRoPE(64, base=500000)(q[None])[0]


@case("torchtune", "Phi 3", "Phi3RotaryPositionalEmbeddings(32), input_pos 7 to 18", facts=rope(), rows="rows 0–11 at 7–18",
      first=True)
def _(q):
    library = loaded("torchtune", "torchtune/models/phi3/_position_embeddings.py")
    return library.Phi3RotaryPositionalEmbeddings(32)(q[None], torch.arange(7, 19)[None])[0]


@case("torchtune", "vision", "VisionRotaryPositionalEmbeddings(1, 4, 1, 16), whose columns and rows begin at 1, columns first",
      (1, 17, 32), positions=np.concatenate([grid(4, 4)[:, ::-1] + 1, [[0, 0]]]), first=True,
      facts=rope(GPTJ, axes="sections 8+8, axial"))
def _(q):
    library = loaded("torchtune", "torchtune/modules/position_embeddings.py")
    return library.VisionRotaryPositionalEmbeddings(1, 4, 1, 16)(q[None])[0]


def titan(q, kind, **settings):
    library = loaded("torchtitan", "torchtitan/models/common/rope.py")
    library._maybe_wrap_positions = lambda positions, _: positions
    library._reshape_for_broadcast = lambda cache, shape, positions: cache[None, :shape[1], None]
    config = types.SimpleNamespace(**{name: field.default for name, field in
                                      library.RoPE.Config.__dataclass_fields__.items()} | settings)
    return getattr(library, kind)(config)(q[None], q[None])[0][0]


@case("torchtitan", "complex", "ComplexRoPE, Llama's scaling", (1, 12, 64), first=True,
      facts=rope(GPTJ, 500000, scaling="llama3 by 8 from 8192 tokens"))
def _(q):
    return titan(q, "ComplexRoPE", dim=64, max_seq_len=12, theta=500000.0, scaling="llama")


@case("torchtitan", "GPT-OSS", "CosSinRoPE, YaRN by 32 without truncation", (1, 12, 64), first=True,
      facts=rope(base=150000, scaling="yarn by 32 from 4096 tokens, ramp not truncated"))
def _(q):
    return titan(q, "CosSinRoPE", dim=64, max_seq_len=12, theta=150000.0, scaling="yarn", rope_factor=32.0, truncate=False)


@case("ibm-fms", "Llama", "RotaryEmbedding(32).adjusted_qk", facts=rope(GPTJ), first=True)
def _(q):
    from fms.modules.positions import RotaryEmbedding
    return RotaryEmbedding(32).adjusted_qk(q[None], q[None])[0][0]


@case("ibm-fms", "NTK", "RotaryEmbedding(32, max_seq_len=8, scaling ntk): α = 4 at 24 tokens", first=True,
      facts=rope(GPTJ, scaling="ntk by 4"))
def _(q):
    from fms.modules.positions import RotaryEmbedding
    embedding = RotaryEmbedding(32, max_seq_len=8, scaling={"rope_type": "ntk"})
    at = torch.arange(12)[None]
    embedding.compute_freqs_cis(torch.device("cpu"), 24)
    freqs = embedding.cached_freqs[None][4][at].float()
    return freqs.unsqueeze(2).mul(q[None].view(1, 12, -1, 16, 1, 2)).sum(5).flatten(3)[0]


@case("ibm-fms", "YaRN", "RotaryEmbedding(64, 150000, 4096, scaling yarn by 32)", (1, 12, 64), first=True,
      facts=rope(base=150000, scaling="yarn by 32 from 4096 tokens, ramp not truncated", attention_factor=1.34657))
def _(q):
    from fms.modules.positions import RotaryEmbedding
    scaling = {"rope_type": "yarn", "scaling_factor": 32.0, "ntk_beta": 32.0, "ntk_alpha": 1.0}
    return RotaryEmbedding(64, 150000, 4096, scaling=scaling).adjusted_qk(q[None], q[None])[0][0]


@case("ibm-fms", "Pixtral", "PixtralRotaryEmbedding(32, 10000, 4, 1)", **FOUR, first=True,
      facts=rope(GPTJ, axes="sections 8+8, chunked, frequencies in turn"))
def _(q):
    from fms.modules.positions import PixtralRotaryEmbedding
    embedding = PixtralRotaryEmbedding(32, 10000.0, 4, 1)
    return embedding.adjusted_qk(q[None], q[None], torch.tensor(grid(4, 4))[None])[0][0]


@case("mistral_inference", "Mistral", "precompute_freqs_cis, apply_rotary_emb", facts=rope(GPTJ, 1000000), first=True)
def _(q):
    from mistral_inference.rope import apply_rotary_emb, precompute_freqs_cis
    return apply_rotary_emb(q, q, precompute_freqs_cis(32, 12, 1e6))[0]


@case("mistral_inference", "Pixtral", "precompute_freqs_cis_2d(32, 4, 4, 10000)", **FOUR, first=True,
      facts=rope(GPTJ, axes="sections 8+8, chunked, frequencies in turn"))
def _(q):
    from mistral_inference.rope import apply_rotary_emb, precompute_freqs_cis_2d
    return apply_rotary_emb(q, q, precompute_freqs_cis_2d(32, 4, 4, 1e4).reshape(16, 16))[0]


@case("llama_models", "Llama 3.1", "precompute_freqs_cis(64, 12, 500000, True)", (1, 12, 64), first=True,
      facts=rope(GPTJ, 500000, scaling="llama3 by 8 from 8192 tokens"))
def _(q):
    library = loaded("llama_models", "llama_models/llama3/model.py")
    return library.apply_rotary_emb(q[None], q[None], library.precompute_freqs_cis(64, 12, 500000.0, True))[0][0]


@case("llama_models", "Llama 4's scaling", "precompute_freqs_cis(64, 12, 500000, True, 16, 1)", (1, 12, 64), first=True,
      facts=rope(GPTJ, 500000, scaling="by pair, times 1 (18 pairs), 0.0625 (14 pairs)"))
def _(q):
    library = loaded("llama_models", "llama_models/llama4/model.py")
    return library.apply_rotary_emb(q[None], q[None], library.precompute_freqs_cis(64, 12, 500000.0, True, 16, 1))[0][0]


@case("tinygrad", "Llama", "llm.model.apply_rope", facts=rope())
def _(q):
    from tinygrad import Tensor
    library = loaded("tinygrad", "tinygrad/llm/model.py", real=("tinygrad",),
                     given={"tinygrad.llm.kernels.amd": StandIn()})
    return library.apply_rope(Tensor(q.numpy()[None]), library.precompute_freqs_cis(32, 12))[0].numpy()


@case("flash_attn", "reference", "apply_rotary_emb_torch, interleaved", facts=rope(GPTJ), first=True)
def _(q):
    library = loaded("flash_attn", "flash_attn/layers/rotary.py")
    embedding = library.RotaryEmbedding(32, interleaved=True)
    embedding._update_cos_sin_cache(12, device="cpu", dtype=torch.float32)
    return library.apply_rotary_emb_torch(q[None], embedding._cos_cached, embedding._sin_cached, True)[0]


@case("flash_attn", "xPos", "RotaryEmbedding(32, scale_base=512), q", facts=rope(
    lengths="xPos of queries, ζ^((m − 6)/512), γ 0.4"), first=True)
def _(q):
    library = loaded("flash_attn", "flash_attn/layers/rotary.py")
    embedding = library.RotaryEmbedding(32, scale_base=512)
    embedding._update_cos_sin_cache(12, device="cpu", dtype=torch.float32)
    return library.apply_rotary_emb_torch(q[None], embedding._cos_cached, embedding._sin_cached)[0]


@case("fla-core", "reference", "rotary_embedding_ref of 16 of 32 channels", facts=rope(channels="0 to 15 of 32"), first=True)
def _(q):
    from fla.modules.rotary.ops import rotary_embedding_ref
    theta = 10000.0 ** (-torch.arange(0, 16, 2) / 16)
    angles = torch.outer(torch.arange(12), theta)
    return rotary_embedding_ref(q[None], angles.cos(), angles.sin())[0]


@case("fairseq2", "complex", "RotaryEncoder(32, 16)", facts=rope(GPTJ), first=True)
def _(q):
    return fairseq2(q, "RotaryEncoder")


@case("fairseq2", "reference", "ReferenceRotaryEncoder(32, 16), which turns halves where RotaryEncoder turns neighbours",
      facts=rope(), first=True)
def _(q):
    return fairseq2(q, "ReferenceRotaryEncoder")


def fairseq2(q, kind):
    def unsqueeze(x, dim, count):
        for _ in range(count):
            x = x.unsqueeze(dim)
        return x
    library = loaded("fairseq2", "fairseq2/nn/position_encoder.py",
            given={"fairseq2.ops": types.SimpleNamespace(unsqueeze=unsqueeze)})
    layout = types.SimpleNamespace(max_seq_len=12, width=12, packed=False, padded=False)
    return getattr(library, kind)(32, 16)(q[None], layout)[0]


@case("torchscale", "xPos", "XPOS(32), q", facts=rope(GPTJ, lengths="xPos of queries, ζ^((m − 6)/512), γ 0.4"))
def _(q):
    from torchscale.component.xpos_relative_position import XPOS
    return XPOS(32)(q)


@case("torchscale", "xPos of keys behind a cache", "XPOS(32)(k, offset=5, downscale=True)", facts=rope(
    GPTJ, lengths="xPos of keys, ζ^((m − 4)/512), γ 0.4", positions="as stated, +5"))
def _(q):
    from torchscale.component.xpos_relative_position import XPOS
    return XPOS(32)(q, offset=5, downscale=True)


@case("torchscale", "T5's buckets", "RelativePositionBias(n_heads=2)", kind="bias", facts={
    "family": "T5 buckets", "buckets": "32", "max distance": "128", "direction": "bidirectional"})
def _(_):
    from torchscale.component.relative_position_bias import RelativePositionBias
    return RelativePositionBias(n_heads=2).compute_bias(40, 40)[0]


@case("roformer", "RoFormer", "RoFormerSelfAttention.apply_rotary", facts=rope(GPTJ))
def _(q):
    library = loaded("roformer", "roformer/modeling_roformer.py")
    table = library.RoFormerSinusoidalPositionalEmbedding(12, 32)
    return library.RoFormerSelfAttention.apply_rotary(q, table(12).chunk(2, -1))


@case("bert4torch", "neighbours", "RopePositionEncoding(32)", facts=rope(GPTJ))
def _(q):
    return bert4torch("RopePositionEncoding", q)


@case("bert4torch", "halves", "RopePositionEncoding(32, rope_rank='updown', scaling_factor=2)",
      facts=rope(scaling="linear by 2"))
def _(q):
    return bert4torch("RopePositionEncoding", q, rope_rank="updown", scaling_factor=2.0)


@case("bert4torch", "Llama 3.1", "RopeLlama3PositionEncoding, which keeps the frequencies that are not scaled", (1, 12, 64),
      facts=rope(base=500000))
def _(q):
    return bert4torch("RopeLlama3PositionEncoding", q, rope_rank="rotate_half", rope_theta=500000.0, scaling_factor=8.0,
                      low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=8192)


@case("bert4torch", "YaRN", "RopeYarnPositionEncoding(rope_rank='updown'), as DeepSeek V2", (1, 12, 64), facts=rope(
    GPTJ, scaling="yarn by 40 from 4096 tokens", order_of_channels_after="that of the other pairing"))
def _(q):
    return bert4torch("RopeYarnPositionEncoding", q[None], rope_rank="updown", scaling_factor=40.0, mscale=0.707,
                      mscale_all_dim=0.707)


@case("bert4torch", "YaRN of its default rank",
      "RopeYarnPositionEncoding(): tables laid out for neighbours, applied to halves",
      (1, 12, 64), refused="a table of the other pairing, channels in the other order and YaRN at once are not searched")
def _(q):
    return bert4torch("RopeYarnPositionEncoding", q[None], scaling_factor=40.0, mscale=0.707, mscale_all_dim=0.707)


@case("bert4torch", "ChatGLM", "RopeGlmPositionEncoding(rope_rank='updown'): halves within the half of each axis", **FOUR,
      facts=rope("*", axes="*"))
def _(q):
    at = torch.tensor(grid(4, 4).T)[None]
    library = loaded("bert4torch", "bert4torch/layers/position_encoding.py")
    return library.RopeGlmPositionEncoding(32, rope_rank="updown")([q[None], q[None]], at)[0][0]


@case("bert4torch", "GLM-OCR", "RopeMropeGlmOcrPositionEncoding, sections 4+6+6", **THREE, facts=rope(GPTJ,
      axes="sections 4+6+6, chunked"))
def _(q):
    library = loaded("bert4torch", "bert4torch/layers/position_encoding.py")
    embedding = library.RopeMropeGlmOcrPositionEncoding(32, rope_rank="updown", mrope_section=[4, 6, 6])
    return embedding(q[None], torch.tensor(grid(2, 2, 3).T)[:, None])[0]


def bert4torch(kind, q, **settings):
    library = loaded("bert4torch", "bert4torch/layers/position_encoding.py")
    q = q if q.ndim == 4 else q[None]
    return getattr(library, kind)(q.shape[-1], **settings)(q, torch.arange(12)[None])[0]


@case("transformers", "Cohere", "CohereRotaryEmbedding, apply_rotary_pos_emb", facts=rope(GPTJ))
def _(q):
    from transformers import CohereConfig
    from transformers.models.cohere import modeling_cohere as library
    config = CohereConfig(hidden_size=64, num_attention_heads=2, rope_parameters={"rope_type": "default",
            "rope_theta": 10000.0})
    cos, sin = library.CohereRotaryEmbedding(config)(q, torch.arange(12)[None])
    return library.apply_rotary_pos_emb(q[None], q[None], cos, sin)[0][0]


@case("SwissArmyTransformer", "ChatGLM 2", "rotary_embeddings_original.RotaryEmbedding(16, base_scale=50)",
      facts=rope(GPTJ, 500000, channels="0 to 15 of 32"), first=True)
def _(q):
    library = loaded("SwissArmyTransformer", "sat/model/position_embedding/rotary_embeddings_original.py")
    cache = library.RotaryEmbedding(16, dtype=torch.float32, base_scale=50.)(12)
    return library.apply_rotary_pos_emb(q[:, None], cache)[:, 0]


@case("SwissArmyTransformer", "EVA 2", "VisionRotaryEmbeddingFast(16, pt_seq_len=4, ft_seq_len=4)", **FOUR,
      facts=rope(GPTJ, axes="sections 8+8, axial"))
def _(q):
    library = loaded("SwissArmyTransformer", "sat/model/position_embedding/vision_rotary_embeddings.py")
    return library.VisionRotaryEmbeddingFast(16, pt_seq_len=4, ft_seq_len=4)(q)


@case("SwissArmyTransformer", "EVA 2, finer", "VisionRotaryEmbeddingFast(16, pt_seq_len=2, ft_seq_len=4)", **FOUR,
      facts=rope(GPTJ, scaling="linear by 2", axes="sections 8+8, axial"))
def _(q):
    library = loaded("SwissArmyTransformer", "sat/model/position_embedding/vision_rotary_embeddings.py")
    return library.VisionRotaryEmbeddingFast(16, pt_seq_len=2, ft_seq_len=4)(q)


@case("exllamav2", "YaRN", "rope.get_rope_params_yarn by 4 from 32768 to 131072: the ramp is that of the stretched length",
      kind="inv_freq", facts=rope(None, 1000000, scaling="yarn by 4 from 131072 tokens"))
def _(_):
    return exllama("yarn", 128, 1000000.0, max_seq_len=131072, yarn_rope_factor=4.0,
            yarn_rope_original_max_position_embeddings=32768)


@case("exllamav2", "Llama 3.1", "rope.get_rope_params_llama3", kind="inv_freq",
      facts=rope(None, 500000, scaling="llama3 by 8 from 8192 tokens"))
def _(_):
    return exllama("llama3", 128, 500000.0, l3_rope_factor=8.0, l3_rope_low_freq_factor=1.0, l3_rope_high_freq_factor=4.0,
                   l3_rope_original_max_position_embeddings=8192)


@case("exllamav2", "alpha", "rope.get_rope_params_default, scale_alpha_value=4", kind="inv_freq",
      facts=rope(None, scaling="ntk by 4"))
def _(_):
    return exllama("default", 128, 10000.0, scale_alpha_value=4.0)


def exllama(kind, width, base, **settings):
    library = loaded("exllamav2", "exllamav2/rope.py")
    config = types.SimpleNamespace(**{"head_dim": width, "partial_rotary_factor": 1.0, "scale_alpha_value": None} | settings)
    return getattr(library, "get_rope_params_" + kind)("cpu", config, base)[0]


class Operator(torch.nn.Module):
    """vLLM's CustomOp, of which PyTorch's own path is meant."""

    def __init__(self, **_):
        super().__init__()

    register = staticmethod(lambda *_, **__: lambda cls: cls)
    enabled = classmethod(lambda _: False)
    forward = lambda self, *args, **named: self.forward_native(*args, **named)


def vllm(name):
    folder = "vllm/model_executor/layers/rotary_embedding/"
    given = {"vllm.model_executor.custom_op": types.SimpleNamespace(CustomOp=Operator)}
    for part in ("common", "base", "yarn_scaling_rope", "mrope", name):
        dotted = (folder + part).replace("/", ".")
        given[dotted] = loaded("vllm", folder + part + ".py", given=dict(given))
    return given[(folder + name).replace("/", ".")]


def vllm_rope(name, kind, q, *args, positions=None, base=10000.0, neox=True, width=None, **settings):
    d = q.shape[-1]
    embedding = getattr(vllm(name), kind)(d, width or d, 4096, base, neox, *args, dtype=torch.float32, **settings)
    at = torch.arange(len(q)) if positions is None else torch.tensor(positions).T
    flat = q.reshape(len(q), -1)
    return embedding.forward_native(at, flat.clone(), flat.clone())[0].reshape(q.shape)


@case("vllm", "GPT-J", "RotaryEmbedding(is_neox_style=False) of 16 of 32 channels",
      facts=rope(GPTJ, channels="0 to 15 of 32"), first=True)
def _(q):
    return vllm_rope("base", "RotaryEmbedding", q, neox=False, width=16)


@case("vllm", "fixed NTK", "NTKScalingRotaryEmbedding by 2: base times 2, frequencies over 2^(2/d)",
      facts=rope(base=20000, scaling=f"linear by {2 ** (2 / 32):.6g}"), first=True)
def _(q):
    return vllm_rope("ntk_scaling_rope", "NTKScalingRotaryEmbedding", q, 2.0)


@case("vllm", "NTK alpha", "DynamicNTKAlphaRotaryEmbedding by 8", facts=rope(scaling="ntk by 8"), first=True)
def _(q):
    return vllm_rope("dynamic_ntk_alpha_rope", "DynamicNTKAlphaRotaryEmbedding", q, 8.0)


@case("vllm", "Ernie 4.5 VL", "Ernie4_5_VLRotaryEmbedding: rows and columns in turn, then time", (1, 12, 32),
      positions=grid(2, 2, 3), facts=rope(GPTJ, 500000, axes="sections 4+6+6, time_last"), first=True)
def _(q):
    return vllm_rope("ernie45_vl_rope", "Ernie4_5_VLRotaryEmbedding", q, positions=grid(2, 2, 3), base=500000.0, neox=False,
                     mrope_section=[6, 6, 4])


@case("vllm", "M-RoPE", "MRotaryEmbedding, sections 4+6+6", (1, 12, 32), positions=grid(2, 2, 3),
      facts=rope(base=1000000, axes="sections 4+6+6, chunked"), first=True)
def _(q):
    return vllm_rope("mrope", "MRotaryEmbedding", q, positions=grid(2, 2, 3), base=1e6, mrope_section=[4, 6, 6])


# JAX, MLX and Keras

@case("equinox", "rope", "nn.RotaryPositionalEmbedding(32)", facts=rope())
def _(q):
    import jax
    import equinox
    return jax.vmap(equinox.nn.RotaryPositionalEmbedding(32))(q.numpy())


@case("equinox", "a second theta",
      "nn.RotaryPositionalEmbedding(48, theta=500000) after one of theta=10000, whose tables it gets",
      (1, 12, 48), facts=rope())
def _(q):
    import jax
    import equinox
    equinox.nn.RotaryPositionalEmbedding(48, theta=10000.0)(q[0].numpy())
    return jax.vmap(equinox.nn.RotaryPositionalEmbedding(48, theta=500000.0))(q.numpy())


@case("penzai", "rope", "nn.ApplyRoPE, max_wavelength 500000", facts=rope(base=500000))
def _(q):
    from penzai import pz
    layer = pz.nn.ApplyRoPE("d", 500000.0, "at")
    return layer(pz.nx.wrap(q.numpy()).tag("h", "n", "d"), at=pz.nx.wrap(np.arange(12)).tag("n")).unwrap("h", "n", "d")


@case("penzai", "GPT-NeoX", "nn.ApplyRoPEToSubset of 8 of 32 channels", facts=rope(channels="0 to 7 of 32"))
def _(q):
    from penzai import pz
    layer = pz.nn.ApplyRoPEToSubset("d", 10000.0, 8, "at")
    return layer(pz.nx.wrap(q.numpy()).tag("h", "n", "d"), at=pz.nx.wrap(np.arange(12)).tag("n")).unwrap("h", "n", "d")


def mlx_turned(q, layer, **settings):
    import mlx.core as mx
    return np.array(layer(mx.array(q.numpy()[None]), **settings)[0])


@case("mlx", "halves", "nn.RoPE(16) of 32 channels, offset 5", facts=rope(channels="0 to 15 of 32"), rows="rows 0–11 at 5–16")
def _(q):
    import mlx.nn
    return mlx_turned(q, mlx.nn.RoPE(16), offset=5)


@case("mlx", "traditional", "nn.RoPE(32, traditional=True, scale=0.5)", facts=rope(GPTJ, scaling="linear by 2"))
def _(q):
    import mlx.nn
    return mlx_turned(q, mlx.nn.RoPE(32, traditional=True, scale=0.5))


@case("mlx", "ALiBi", "nn.ALiBi.create_alibi_matrix of 4 heads", kind="bias", facts=alibi("2^(−8(h+1)/H)"))
def _(_):
    import mlx.nn
    return np.array(mlx.nn.ALiBi.create_alibi_matrix(12, 12, 4)[0])


@case("mlx-lm", "Llama 3.1", "initialize_rope, llama3", (1, 12, 64),
      facts=rope(base=500000, scaling="llama3 by 8 from 8192 tokens"))
def _(q):
    return mlx_lm(q, 64, 500000.0, {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                    "original_max_position_embeddings": 8192})


@case("mlx-lm", "GPT-OSS", "initialize_rope with GPT-OSS's configuration, whose truncate=false is not read", (1, 12, 64),
      facts=rope(base=150000, scaling="yarn by 32 from 4096 tokens", attention_factor=1.34657))
def _(q):
    return mlx_lm(q, 64, 150000.0, {"rope_type": "yarn", "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0,
            "truncate": False,
                                    "original_max_position_embeddings": 4096})


@case("mlx-lm", "p-RoPE", "initialize_rope, proportional by a quarter",
      facts=rope(base=1000000, channels="p-RoPE, 8 of 32"))
def _(q):
    return mlx_lm(q, 32, 1e6, {"rope_type": "proportional", "partial_rotary_factor": 0.25})


@case("mlx-lm", "LongRoPE", "initialize_rope, longrope: long factors whatever the length", (2, 12, 32),
      facts=rope(scaling="by pair, times 1 (4 pairs), 0.5 (12 pairs)",
      attention_factor=math.sqrt(1 + math.log(4) / math.log(4096))))
def _(q):
    return mlx_lm(q, 32, 10000.0, {"rope_type": "longrope", "original_max_position_embeddings": 4096,
            "short_factor": [1.0] * 16,
                                   "long_factor": [1.0] * 4 + [2.0] * 12}, 16384)


def mlx_lm(q, width, base, scaling, length=131072):
    from mlx_lm.models.rope_utils import initialize_rope
    return mlx_turned(q, initialize_rope(width, base, False, scaling, length))


def keras_layer(q, layer):
    return layer(q[None]).detach()[0]


@case("keras-hub", "rope", "layers.RotaryEmbedding(max_wavelength=10000)", facts=rope(), first=True)
def _(q):
    import keras_hub
    return keras_layer(q, keras_hub.layers.RotaryEmbedding())


@case("keras-hub", "linear", "layers.RotaryEmbedding(scaling_factor=4)", facts=rope(scaling="linear by 4"), first=True)
def _(q):
    import keras_hub
    return keras_layer(q, keras_hub.layers.RotaryEmbedding(scaling_factor=4.0))


@case("keras-hub", "dynamic",
      "layers.RotaryEmbedding(rope_type='dynamic', scaling_factor=4): frequencies are divided, the base is not raised",
      facts=rope(scaling=f"linear by {4 ** (32 / 30):.6g}"), first=True)
def _(q):
    import keras_hub
    return keras_layer(q, keras_hub.layers.RotaryEmbedding(scaling_factor=4.0, rope_type="dynamic"))


@case("keras-hub", "YaRN", "layers.RotaryEmbedding(150000, 32, 'yarn', truncate=False)", (1, 12, 64), first=True,
      facts=rope(base=150000, scaling="yarn by 32 from 4096 tokens, ramp not truncated", attention_factor=1.34657))
def _(q):
    import keras_hub
    return keras_layer(q, keras_hub.layers.RotaryEmbedding(150000, 32.0, rope_type="yarn", truncate=False))


@case("keras-hub", "Llama, position_scaling_factor=4", "LlamaRotaryEmbedding(position_scaling_factor=4), which no code reads",
      facts=rope(), first=True)
def _(q):
    from keras_hub.src.models.llama.llama_rotary_embedding import LlamaRotaryEmbedding
    return keras_layer(q, LlamaRotaryEmbedding(position_scaling_factor=4.0))


# Images and videos

def timm(q, kind, size=(4, 4), half=False, **settings):
    from timm.layers import pos_embed_sincos as library
    emb = getattr(library, kind)(32, **settings).get_embed(list(size))
    return library.apply_rot_embed_cat(q, emb, half=half)


@case("timm", "EVA", "RotaryEmbeddingCat(32, in_pixels=False, feat_shape=[4, 4])", **FOUR,
      facts=rope(GPTJ, axes="sections 8+8, axial"))
def _(q):
    return timm(q, "RotaryEmbeddingCat", in_pixels=False, feat_shape=[4, 4])


@case("timm", "pixels", "RotaryEmbeddingCat(32, in_pixels=True)", **FOUR,
      refused="frequencies of a pixel range, at positions from −1 to 1")
def _(q):
    return timm(q, "RotaryEmbeddingCat", in_pixels=True)


@case("timm", "M-RoPE", "RotaryEmbeddingMRope(32, (4, 6, 6)), time 0: of 16 pairs 5 are of rows, 5 of columns", (1, 16, 32),
      positions=np.concatenate([np.zeros((16, 1), int), grid(4, 4)], 1),
      facts=rope(axes=["sections 6+5+5, interleaved", "sections 4+6+6, interleaved"]))
def _(q):
    return timm(q, "RotaryEmbeddingMRope", mrope_section=(4, 6, 6), half=True)


@case("timm", "DINOv3", "RotaryEmbeddingDinoV3(32): angles of 2π at positions from −1 to 1", (1, 16, 32),
      positions=2 * grid(4, 4) - 3,
      facts=rope(base="*", scaling="by pair, times 1.571 (8 pairs), 157.1 (8 pairs)", axes="sections 8+8, chunked"))
def _(q):
    return timm(q, "RotaryEmbeddingDinoV3", half=True)


@case("timm", "mixed", "RotaryEmbeddingMixed(64, 1, 2)", (2, 16, 32), positions=grid(4, 4),
      refused="each pair turns along a direction of its own in the plane")
def _(q):
    from timm.layers import pos_embed_sincos as library
    emb = library.RotaryEmbeddingMixed(64, 1, 2).get_embed([4, 4])
    return library.apply_rot_embed_cat(q, emb[0]).detach()


@case("sam2", "memory attention", "compute_axial_cis(32, 4, 4): columns before rows", (1, 16, 32), positions=grid(4, 4)[:,
      ::-1],
      facts=rope(GPTJ, axes="sections 8+8, axial"))
def _(q):
    library = loaded("sam2", "sam2/modeling/position_encoding.py")
    return library.apply_rotary_enc(q[None], q[None], library.compute_axial_cis(32, 4, 4))[0][0]


@case("sam2", "memory attention by rows", "compute_axial_cis(32, 4, 4) with positions stated as row, column", **FOUR,
      facts=rope(GPTJ, axes="*"))
def _(q):
    library = loaded("sam2", "sam2/modeling/position_encoding.py")
    return library.apply_rotary_enc(q[None], q[None], library.compute_axial_cis(32, 4, 4))[0][0]


def transformer(name):
    given = {"diffusers.utils.torch_utils": types.SimpleNamespace(
        maybe_adjust_dtype_for_device=lambda dtype, _: dtype, maybe_allow_in_graph=lambda f: f,
        lru_cache_unless_export=lambda **_: lambda f: f)}
    given["diffusers.models.embeddings"] = __import__("diffusers.models.embeddings", fromlist=["x"])
    return loaded("diffusers", f"diffusers/models/transformers/transformer_{name}.py", given=given)


def video(*shape):
    return torch.zeros(1, 1, *shape)


@case("diffusers", "Flux", "FluxPosEmbed(10000, [8, 12, 12]), apply_rotary_emb", **THREE,
      facts=rope(GPTJ, axes="sections 4+6+6, axial"))
def _(q):
    from diffusers.models.embeddings import apply_rotary_emb
    table = transformer("flux").FluxPosEmbed(10000, [8, 12, 12])(torch.tensor(grid(2, 2, 3)))
    return apply_rotary_emb(q[None], table)[0]


@case("diffusers", "Wan", "WanRotaryPosEmbed(32, (1, 1, 1), 16)", **THREE,
      facts=rope(GPTJ, axes="sections 6+5+5, axial"))
def _(q):
    from diffusers.models.embeddings import apply_rotary_emb
    cos, sin = transformer("wan").WanRotaryPosEmbed(32, (1, 1, 1), 16)(video(2, 2, 3))
    return apply_rotary_emb(q[None], (cos[0, :, 0], sin[0, :, 0]))[0]


@case("diffusers", "HunyuanVideo", "HunyuanVideoRotaryPosEmbed(1, 1, [8, 12, 12]), base 256", **THREE,
      facts=rope(GPTJ, 256, axes="sections 4+6+6, axial"))
def _(q):
    from diffusers.models.embeddings import apply_rotary_emb
    return apply_rotary_emb(q[None], transformer("hunyuan_video").HunyuanVideoRotaryPosEmbed(1, 1, [8, 12, 12])(video(2, 2,
            3)))[0]


@case("diffusers", "Qwen-Image", "QwenEmbedRope(10000, [8, 12, 12], scale_rope=True): rows and columns about the middle",
      (1, 12, 32), positions=grid(1, 4, 3) - np.array([0, 2, 2]), first=True,
      facts=rope(GPTJ, axes="sections 4+6+6, axial"))
def _(q):
    library = transformer("qwenimage")
    table, _ = library.QwenEmbedRope(10000, [8, 12, 12], True)([(1, 4, 3)], torch.device("cpu"), max_txt_seq_len=1)
    return library.apply_rotary_emb_qwen(q[None], table, use_real=False)[0]


@case("diffusers", "Z-Image", "RopeEmbedder(256, (8, 12, 12)), use_real=False", **THREE, first=True,
      facts=rope(GPTJ, 256, axes="sections 4+6+6, axial"))
def _(q):
    from diffusers.models.embeddings import apply_rotary_emb
    table = transformer("z_image").RopeEmbedder(256.0, (8, 12, 12), (16, 16, 16))(torch.tensor(grid(2, 2, 3)))
    return apply_rotary_emb(q[None], table[None], use_real=False)[0]


@case("diffusers", "Lumina", "get_2d_rotary_pos_embed_lumina(32, 4, 4): rows and columns in turn", **FOUR, first=True,
      facts=rope(GPTJ, axes="sections 8+8, interleaved, frequencies of its own for each"))
def _(q):
    from diffusers.models.embeddings import apply_rotary_emb, get_2d_rotary_pos_embed_lumina
    table = get_2d_rotary_pos_embed_lumina(32, 4, 4).reshape(1, 16, 16)
    return apply_rotary_emb(q[None], table, use_real=False)[0]


@case("diffusers", "HunyuanDiT", "get_2d_rotary_pos_embed(32, ((0, 0), (4, 4)), (4, 4)): columns before rows", (1, 16, 32),
      positions=grid(4, 4)[:, ::-1], facts=rope(GPTJ, axes="sections 8+8, axial"))
def _(q):
    from diffusers.models.embeddings import apply_rotary_emb, get_2d_rotary_pos_embed
    return apply_rotary_emb(q[None], get_2d_rotary_pos_embed(32, ((0, 0), (4, 4)), (4, 4)))[0]


@case("diffusers", "HunyuanDiT by rows", "get_2d_rotary_pos_embed with positions stated as row, column", **FOUR,
      facts=rope(GPTJ, axes="*"))
def _(q):
    from diffusers.models.embeddings import apply_rotary_emb, get_2d_rotary_pos_embed
    return apply_rotary_emb(q[None], get_2d_rotary_pos_embed(32, ((0, 0), (4, 4)), (4, 4)))[0]


@case("diffusers", "CogVideoX", "get_3d_rotary_pos_embed(32, ((0, 0), (2, 3)), (2, 3), 2)", **THREE,
      facts=rope(GPTJ, axes="sections 4+6+6, axial"))
def _(q):
    from diffusers.models.embeddings import apply_rotary_emb, get_3d_rotary_pos_embed
    return apply_rotary_emb(q[None], get_3d_rotary_pos_embed(32, ((0, 0), (2, 3)), (2, 3), 2))[0]


@case("diffusers", "CogView 4", "CogView4RotaryPosEmbed(32, 1, (8, 8)): each axis on both halves of the head, rows 2 apart",
      (1, 16, 32),
      positions=2 * grid(4, 4), facts=rope(axes="sections 8+8, axial"))
def _(q):
    from diffusers.models.embeddings import apply_rotary_emb
    table = transformer("cogview4").CogView4RotaryPosEmbed(32, 1, (8, 8))(torch.zeros(1, 1, 4, 4))
    return apply_rotary_emb(q[None], table, use_real_unbind_dim=-2)[0]


@case("diffusers", "Allegro",
      "get_3d_rotary_pos_embed_allegro(48), apply_rotary_emb_allegro: halves within the slice of each axis",
      (1, 12, 48), positions=grid(2, 2, 3), facts=rope("*", axes="*"))
def _(q):
    from diffusers.models.embeddings import apply_rotary_emb_allegro, get_3d_rotary_pos_embed_allegro
    tables = get_3d_rotary_pos_embed_allegro(48, ((0, 0), (2, 3)), (2, 3), 2)
    return apply_rotary_emb_allegro(q[None], tables[:3], torch.tensor(grid(2, 2, 3).T)[:, None])[0]


@case("diffusers", "Cosmos", "CosmosRotaryPosEmbed(32, patch_size=(1, 1, 1)): base 22974 for time", **THREE,
      facts=rope(axes="*", scaling="*"))
def _(q):
    from diffusers.models.embeddings import apply_rotary_emb
    table = transformer("cosmos").CosmosRotaryPosEmbed(32, patch_size=(1, 1, 1))(video(2, 2, 3))
    return apply_rotary_emb(q[None], table, use_real_unbind_dim=-2)[0]


@case("diffusers", "LTX", "LTXVideoRotaryPosEmbed(48)", (1, 12, 48), positions=grid(2, 2, 3),
      refused="frequencies from π/2 up to 5000π, at fractions of 20 frames and 2048 pixels")
def _(q):
    library = transformer("ltx")
    table = library.LTXVideoRotaryPosEmbed(48)(video(1), 2, 2, 3, rope_interpolation_scale=(1.0, 1.0, 1.0))
    return library.apply_rotary_emb(q, table)


@case("diffusers", "MiniMax H3", "MiniMaxH3RotaryPosEmbed(4), 24 of 32 channels", **THREE, first=True,
      facts=rope(channels="0 to 23 of 32", axes="sections 4+4+4, axial"))
def _(q):
    library = transformer("minimax_h3")
    return library._apply_rotary_emb(q[None], *library.MiniMaxH3RotaryPosEmbed(4)(torch.tensor(grid(2, 2, 3))))[0]


@case("diffusers", "Ideogram 4", "Ideogram4MRoPE(32, 5000000, (6, 5, 5))", **THREE,
      facts=rope(base=5000000, axes="sections 6+5+5, interleaved"))
def _(q):
    library = transformer("ideogram4")
    cos, sin = library.Ideogram4MRoPE(32, 5000000, (6, 5, 5))(torch.tensor(grid(2, 2, 3))[None])
    return q * cos + library._rotate_half(q) * sin


@case("diffusers", "Stable Audio 3", "StableAudio3RotaryEmbedding(16), 16 of 32 channels",
      facts=rope(channels="0 to 15 of 32"), first=True)
def _(q):
    library = transformer("stable_audio3")
    return library._apply_rotary_partial(q[None], library.StableAudio3RotaryEmbedding(16)(12, "cpu"))[0]


@case("diffusers", "HiDream", "rope, apply_rope over 8 + 12 + 12 channels", **THREE, first=True,
      facts=rope(GPTJ, axes="sections 4+6+6, axial"))
def _(q):
    library = transformer("hidream_image")
    table = library.HiDreamImageEmbedND(10000, [8, 12, 12])(torch.tensor(grid(2, 2, 3))[None])
    return library.apply_rope(q[None], q[None], table)[0][0]


@case("diffusers", "Mochi", "MochiRoPE with random frequencies of three axes",
      (2, 12, 32), positions=grid(2, 2, 3),
      refused="learned frequencies: each pair of each head turns along a direction of its own")
def _(q):
    from diffusers.models.embeddings import apply_rotary_emb
    cos, sin = transformer("mochi").MochiRoPE()(torch.randn(3, 2, 16), 2, 2, 3, dtype=torch.float32)
    cos, sin = (x.transpose(0, 1) for x in (cos, sin))  # heads first, as its attention processor applies them
    even, odd = q[..., 0::2], q[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)


# Writing

def hexed(x):
    return np.ascontiguousarray(x, np.float32).astype(">f4").tobytes().hex()


def key_of(shape):
    return "x".join(str(n) for n in shape)


def written(entry):
    torch.manual_seed(20261130)
    q = torch.tensor(inputs(entry["shape"]))
    q = q.transpose(0, 1).contiguous() if entry["first"] else q
    with torch.no_grad(), contextlib.redirect_stdout(io.StringIO()):
        out = np.asarray(entry["function"](q)).astype(np.float32)
    VERSIONS[entry["library"]] = version_of(entry["library"])
    result = {"library": entry["library"], "called": entry["called"], "kind": entry["kind"]}
    if entry["kind"] == "rotation":
        assert out.shape == tuple(q.shape), f"{out.shape} of {tuple(q.shape)}"
        assert not np.allclose(out, q), "not turned"
        result["before"] = key_of(entry["shape"])
    if entry["positions"] is not None:
        result["positions"] = [[int(v) for v in row] for row in entry["positions"]]
    if entry["first"]:
        result["tokens_first"] = True
    if entry["rows"]:
        result["rows"] = entry["rows"]
    result |= {"refused": entry["refused"]} if entry["refused"] else {"facts": {k: v for k,
            v in entry["facts"].items() if v is not None}}
    return result | {"shape": list(out.shape), "after": hexed(out)}


def main():
    cases = {}
    for entry in CASES:
        name = f"{entry['library']}: {entry['what']}"
        assert name not in cases, name
        try:
            cases[name] = written(entry)
        except Exception as error:  # a library that is missing, or of another version
            print(f"left out: {name}: {type(error).__name__}: {error}", file=sys.stderr)
    used = {entry["shape"]: 0 for entry in CASES if entry["kind"] == "rotation"}
    VERSIONS.update({name: version_of(name) for name in ("torch", "numpy", "jax")}, python=platform.python_version())
    text = json.dumps({"generator": "tests/golden/generate_identify_libraries.py", "versions": dict(sorted(VERSIONS.items())),
                       "inputs": {key_of(shape): {"shape": list(shape), "values": hexed(inputs(shape))} for shape in used},
                       "cases": cases}, separators=(",", ":"), ensure_ascii=False)
    (HERE / "identify_libraries.json").write_text(text.replace('"},"', '"},\n"') + "\n")
    print(f"{len(cases)} cases of {len({c['library'] for c in cases.values()})} libraries, {len(text) // 1024} KiB")


if __name__ == "__main__":
    main()
