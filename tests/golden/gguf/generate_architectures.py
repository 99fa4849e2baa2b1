#!/usr/bin/env python3
"""Writes architectures.ggufs and architectures.json: what llama.cpp computes for each architecture.

    generate_architectures.py LLAMA_CPP    (its source at the commit below)

Every row is a GGUF of metadata, at most with the tensors that positions are read from, and what the
source says each layer does with positions. The expectations are written out here by hand from the
lines that the row names; only frequencies are computed, by ggml's formula (rope_yarn in
ggml/src/ggml-cpu/ops.cpp). A line is given as a file and a fragment of the line; the script finds its
number and stops where the fragment is not there, so that the numbers in the JSON are those of the source.
architectures.ggufs holds the files one after another; a row has the offset and size of its own.
Once the reading was compared with llama.cpp itself, built from that commit: of tiny models of 144 architectures
with random weights it recorded RoPE's parameters, softmax scale, bias and mask as its graphs ran, and Orrery
read the same from their metadata; not compared were masks that sparse attention computes, and arwkv7, dflash,
eagle3, gemma4-assistant, graniteswitch, rwkv6qwen2 and rwkv7, which did not run.
The tests read the files and need neither Python nor llama.cpp. Needs gguf and numpy.
"""
import json
import math
import pathlib
import platform
import re
import sys
import tempfile

import gguf
import numpy as np
from gguf import GGUFWriter

COMMIT = "0c1e57098bba43ac29e6e3b677cdceebdd22334f"
HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path(sys.argv[1])

MODEL, CONTEXT, HPARAMS, GRAPH = (f"src/llama-{n}.cpp" for n in ("model", "context", "hparams", "graph"))
OPS, GGML = "ggml/src/ggml-cpu/ops.cpp", "ggml/src/ggml.c"

# The model of every row, unless it says otherwise: 4 layers, 4 heads of 16 channels, 4096 tokens.
SIZES = {"block_count": 4, "context_length": 4096, "embedding_length": 64, "attention.head_count": 4}
D = 16
ROOT = D**-0.5


def source_lines(path, cache={}):
    if path not in cache:
        cache[path] = (SOURCE / path).read_text(encoding="utf-8").splitlines()
    return cache[path]


def line(path, fragment, after=""):
    """The number of the first line with the fragment, at or behind the first one with `after`."""
    seen = not after
    for number, text in enumerate(source_lines(path), 1):
        seen = seen or after in text
        if seen and fragment in text:
            return f"{path}:{number}"
    raise SystemExit(f"{path} has no line with {fragment!r} after {after!r}")



def enumerator(arch):
    for text in source_lines("src/llama-arch.cpp"):
        if found := re.match(rf'\s*{{ (LLM_ARCH_\w+),\s+"{re.escape(arch)}"', text):
            return found[1]
    raise SystemExit(f"llama.cpp knows no {arch}")


def type_line(arch):
    return line(MODEL, f"case {enumerator(arch)}:", "llama_rope_type llama_model_rope_type")


# ggml's formula


def yarn_attention(s, log_multiplier=0.0, deepseek2=False):
    """cparams.yarn_attn_factor with yarn, before rope.scaling.attn_factor (llama-context.cpp)."""
    g = lambda m: 1.0 if s <= 1 else 0.1 * m * math.log(s) + 1.0
    if log_multiplier:
        one = log_multiplier if deepseek2 and log_multiplier != 1 else 1.0
        ratio = g(one) / g(log_multiplier)
    else:
        ratio = g(1.0)
    return ratio / (1.0 + 0.1 * math.log(s))


def frequencies(n, base, s=1.0, ext=0.0, factors=None, length=4096, fast=32.0, slow=1.0):
    """rad per token of each pair, by rope_yarn and ggml_rope_yarn_corr_dims."""
    pair = lambda turns: n * math.log(length / (turns * 2 * math.pi)) / (2 * math.log(base))
    low, high = max(0, math.floor(pair(fast))), min(n - 1, math.ceil(pair(slow)))
    theta = []
    for i in range(n // 2):
        extrapolated = base ** (-2 * i / n) / (factors[i] if factors is not None else 1.0)
        interpolated = extrapolated / s
        mix = (1 - min(1, max(0, (i - low) / max(0.001, high - low)))) * ext
        theta.append(interpolated * (1 - mix) + extrapolated * mix)
    return theta


def rope(pairing, n=D, head=D, begin=0, base=10000.0, s=1.0, ext=0.0, attention=1.0, scale=None, **more):
    """A layer that turns n channels from `begin` on. `attention` is what multiplies cos and sin, but for
    the 1 + 0.1 ln s of ggml, which comes with `ext`."""
    keys = {k: more.pop(k) for k in ("factors", "length", "fast", "slow") if k in more}
    kind = {
        "encoding": "rope",
        "pairing": {"norm": "interleaved", "neox": "half_split"}[pairing],
        "head_dim": head,
        "rotary_begin": begin,
        "rotary_dims": n,
        "base": base,
        "inv_freq": [float(f"{t:.10g}") for t in frequencies(n, base, s, ext, **keys)],
        "attention_factor": attention * (1 + 0.1 * math.log(s) if ext else 1.0),
        "softmax_scale": head**-0.5 if scale is None else scale,
    }
    return kind | more


def other(encoding, **more):
    return {"encoding": encoding, "head_dim": D, "softmax_scale": ROOT} | more


NONE = other("none")
RECURRENT = {"encoding": "not_attention"}

ROWS = []
BLOB = bytearray()


def add_value(writer, key, value):
    if isinstance(value, bool):
        writer.add_bool(key, value)
    elif isinstance(value, int):
        writer.add_uint32(key, value)
    elif isinstance(value, float):
        writer.add_float32(key, value)
    elif isinstance(value, str):
        writer.add_string(key, value)
    else:
        writer.add_array(key, value)


def written(arch, keys, tensors):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "row.gguf"
        writer = GGUFWriter(path, arch)
        for key, value in (SIZES | keys).items():
            if value is not None:
                add_value(writer, f"{arch}.{key}", value)
        for name, numbers in tensors.items():
            writer.add_tensor(name, np.array(numbers, dtype=np.float32))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path.read_bytes()


def row(arch, says, layers, read, keys=None, tensors=None, length=0):
    """layers: one kind for all of 4, or a kind per layer. read: the lines, each a path and a fragment."""
    layers = [layers] * 4 if isinstance(layers, dict) else layers
    kinds = []
    for kind in layers:
        if kind not in kinds:
            kinds.append(kind)
    data = written(arch, keys or {}, tensors or {})
    ROWS.append(
        {
            "architecture": arch,
            "says": says,
            "read": [type_line(arch)] + [line(*where) for where in read],
            "offset": len(BLOB),
            "size": len(data),
            "length": length,
            "kinds": kinds,
            "layers": [kinds.index(kind) for kind in layers],
        }
    )
    BLOB.extend(data)


def sliding(kind, window, **more):
    return kind | {"window": window} | more


def of(file):
    return f"src/models/{file}.cpp"


def plain(arch, pairing, file=None, what="ggml_rope_ext(", **more):
    """Pairs as the table of types has them, in every layer, with the keys' base, and nothing else."""
    keys = {"rope.freq_base": 50000.0, "rope.dimension_count": 8, "rope.scaling.factor": 2.0}
    # What few read is not read: a window, an attention scale and a temperature.
    keys |= {"attention.sliding_window": 7, "attention.temperature_scale": 0.5, "attention.temperature_length": 64}
    says = f"{pairing} pairs in every layer; no window"
    row(arch, says, rope(pairing, n=8, base=50000.0, s=2.0, **more), [(of(file or arch), what)], keys)


# Architectures with RoPE and nothing of their own

for arch in """apertus bitnet codeshell dbrx dots1 falcon falcon-h1 gemma gptneox grovemoe hy-v3:hy_v3
    jais2 minimax-m2 minimax-m3 nemotron olmoe openelm orion pangu-embed:pangu-embedded phi2 qwen qwen2 qwen2moe
    qwen3 qwen3moe seed-oss:seed_oss stablelm starcoder2 talkie hunyuan-moe bailingmoe2 exaone""".split():
    file, _, name = arch.rpartition(":")
    plain(name, "neox", file or name)
plain("hrm_text", "neox", "hrm-text")
for arch in """arcee arctic chameleon chatglm command-r deepseek ernie4-5:ernie4_5 ernie4-5-moe:ernie4_5-moe internlm2
    maincoder minicpm olmo xverse pockettts granite-moe:granitemoe""".split():
    file, _, name = arch.rpartition(":")
    graph = {"minicpm": "granite", "granitemoe": "granite"}.get(name, file or name)
    plain(name, "norm", graph)
for arch in ("dream", "llada-moe", "rnd1"):
    plain(arch, "neox", causal=False)
plain("llada", "norm", causal=False)
plain("neo-bert", "norm", causal=False)
plain("eurobert", "neox", causal=False)
for arch in ("nomic-bert", "nomic-bert-moe", "jina-bert-v3"):
    plain(arch, "neox", "bert", "Qcur = ggml_rope_ext(", causal=False)
plain("eagle3", "norm")
plain("llama", "norm", "llama")
plain("llama-embed", "norm", "llama")

# None and others in the place of RoPE

NO_CACHE = (MODEL, "case LLM_ARCH_BERT:", "llama_model::create_memory")
row("bert", "learned positions are added; no RoPE; sees both sides", other("learned", causal=False, params={"learned.length": 4096}),
    [(of("bert"), "model.arch == LLM_ARCH_BERT)"), (of("bert"), "model.pos_embd, inp_pos"), (of("bert"), "model.arch == LLM_ARCH_NOMIC_BERT ||"), NO_CACHE])
row("starcoder", "learned positions are added; no RoPE in the graph", other("learned", params={"learned.length": 4096}),
    [(of("starcoder"), "model.pos_embd, inp_pos")])
row("gpt2", "learned positions are added", other("learned", params={"learned.length": 4096}), [(of("gpt2"), "model.pos_embd, inp_pos")])
ALIBI = [(MODEL, "hparams.f_max_alibi_bias > 0.0f"), (GRAPH, "hparams.use_alibi ? -std::abs(p0 - p1)")]
for arch in ("bloom", "refact", "jina-bert-v2"):
    sides = {"causal": False} if arch == "jina-bert-v2" else {}
    row(arch, "ALiBi of at most 8, whatever the key says", other("alibi", params={"heads": 4, "alibi.bias_max": 8.0}, **sides),
        [(of(arch), "f_max_alibi_bias = 8.0f")] + ALIBI, {"attention.max_alibi_bias": 3.0})
for arch in ("jais", "mpt"):
    read = [(of(arch), "LLM_KV_ATTENTION_MAX_ALIBI_BIAS")] + ALIBI
    scale = {"softmax_scale": 1 / D} if arch == "jais" else {}
    read += [(of(arch), "1.0f/float(n_embd_head)" if scale else "1.0f / sqrtf(float(n_embd_head))")]
    row(arch, "ALiBi of the key", other("alibi", params={"heads": 4, "alibi.bias_max": 6.0}, **scale), read, {"attention.max_alibi_bias": 6.0})
    row(arch, "no positions without the key", NONE | scale, read)
row("mpt", "learned positions where the tensor is there", other("learned", params={"learned.length": 4096}),
    [(of("mpt"), "if (model.pos_embd)")], {}, {"position_embd.weight": np.zeros((2, 64))})
BAICHUAN = of("baichuan")
row("baichuan", "32 layers: RoPE", [rope("norm")] * 32, [(BAICHUAN, "case 32: type = LLM_TYPE_7B"), (BAICHUAN, "case LLM_TYPE_7B:")], {"block_count": 32})
row("baichuan", "40 layers: ALiBi of at most 8", [other("alibi", params={"heads": 4, "alibi.bias_max": 8.0})] * 40,
    [(BAICHUAN, "case 40: type = LLM_TYPE_13B"), (BAICHUAN, "f_max_alibi_bias = 8.0f"), (BAICHUAN, "case LLM_TYPE_13B:")], {"block_count": 40})
row("baichuan", "another number of layers: neither", NONE, [(BAICHUAN, "default: type = LLM_TYPE_UNKNOWN"), (BAICHUAN, "case LLM_TYPE_UNKNOWN:")])
T5 = {"t5.buckets": 32, "t5.max_distance": 128, "t5.bidirectional": True}
T5_READ = [(of("t5"), "LLM_KV_ATTENTION_RELATIVE_BUCKETS_COUNT"), (GRAPH, "max_distance = 128"),
           (CONTEXT, "cparams.causal_attn = false;"), (of("t5"), "kq_b, nullptr, nullptr, 1.0f, il")]
for arch in ("t5", "t5encoder"):
    row(arch, "buckets of distances; the encoder sees both sides, without a softmax scale",
        {"encoding": "t5", "head_dim": D, "softmax_scale": 1.0, "causal": False, "params": T5}, T5_READ, {"attention.relative_buckets_count": 32})
KV = {"attention.head_count_kv": [0, 2, 0, 2]}
row("jamba", "no positions; layers without keys are recurrent", [RECURRENT, NONE] * 2, [(of("jamba"), "hparams.n_head_kv(i) == 0")], KV)
for arch in ("nemotron_h", "nemotron_h_moe"):
    row(arch, "no positions; layers without keys are recurrent, those with a feed-forward width nothing else", [RECURRENT, NONE, RECURRENT, RECURRENT],
        [(of("nemotron-h"), "hparams.n_head_kv(i) == 0"), (of("nemotron-h"), "hparams.n_ff(il) == 0")], KV | {"feed_forward_length": [0, 0, 32, 32]})
for arch in ("kimi-linear", "kimi-k3", "glm5-next"):
    row(arch, "latent attention without positions between recurrent layers", [RECURRENT, other("none", head_dim=24, softmax_scale=24**-0.5)] * 2,
        [(of(arch), "hparams.n_head_kv(i) == 0"), (of(arch), "kq_scale")],
        KV | {"attention.key_length_mla": 24, "attention.value_length_mla": 16, "rope.dimension_count": 8})
for arch in ("mamba", "mamba2", "rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7"):
    row(arch, "no attention", RECURRENT, [("src/llama-arch.cpp", f"case {enumerator(arch)}:", "bool llm_arch_is_recurrent")])

# Scaling, on LLaMA's architecture

LLAMA = of("llama")
CTX = lambda *fragments: [(CONTEXT, f) for f in fragments]
YARN = CTX("cparams.yarn_attn_factor = get_mscale(factor, 1.0f)", "cparams.yarn_attn_factor *= 1.0f / (1.0f + 0.1f * logf(factor))",
           "cparams.yarn_attn_factor *= hparams.rope_attn_factor") + [(OPS, "mscale *= 1.0f + 0.1f * logf(1.0f / freq_scale)"), (GGML, "ggml_rope_yarn_corr_dims")]
FACTOR = [(MODEL, "hparams.rope_freq_scale_train = ropescale == 0.0f")]
yarn_keys = {"rope.scaling.type": "yarn", "rope.scaling.factor": 8.0, "rope.scaling.original_context_length": 512}
yarned = dict(s=8.0, ext=1.0, attention=yarn_attention(8.0), length=512)
row("llama", "no key: base 10000", rope("norm"), [(MODEL, "hparams.rope_freq_base_train = 10000.0f")])
row("llama", "a factor without a type divides all angles", rope("norm", s=4.0), FACTOR + [(MODEL, 'std::string rope_scaling("linear")')], {"rope.scaling.factor": 4.0})
row("llama", "the old key of the factor", rope("norm", s=4.0), [(MODEL, "LLM_KV_ROPE_SCALE_LINEAR")], {"rope.scale_linear": 4.0})
row("llama", "a factor of 0 is 1", rope("norm"), FACTOR, {"rope.scaling.type": "linear", "rope.scaling.factor": 0.0})
row("llama", "type none takes the factor away", rope("norm"), CTX("cparams.rope_freq_scale = 1.0f"), {"rope.scaling.type": "none", "rope.scaling.factor": 4.0})
row("llama", "a factor below 1 is one", rope("norm", s=0.5), FACTOR, {"rope.scaling.factor": 0.5})
row("llama", "YaRN", rope("norm", **yarned), YARN, yarn_keys)
row("llama", "YaRN's length is the context's without its key", rope("norm", s=8.0, ext=1.0, attention=yarn_attention(8.0)),
    YARN + [(MODEL, "hparams.n_ctx_orig_yarn = hparams.n_ctx_train")], {"rope.scaling.type": "yarn", "rope.scaling.factor": 8.0})
row("llama", "attn_factor multiplies YaRN's own", rope("norm", **(yarned | {"attention": yarn_attention(8.0) * 0.5})), YARN, yarn_keys | {"rope.scaling.attn_factor": 0.5})
row("llama", "attn_factor without YaRN", rope("norm", s=4.0, attention=0.5), CTX("cparams.yarn_attn_factor *= hparams.rope_attn_factor"),
    {"rope.scaling.factor": 4.0, "rope.scaling.attn_factor": 0.5})
row("llama", "attn_factor alone", rope("norm", attention=1.5), CTX("cparams.yarn_attn_factor *= hparams.rope_attn_factor"), {"rope.scaling.attn_factor": 1.5})
row("llama", "YaRN with a factor below 1", rope("norm", s=0.5, ext=1.0, attention=yarn_attention(0.5), length=512), YARN, yarn_keys | {"rope.scaling.factor": 0.5})
row("llama", "betas and the log multiplier are not read", rope("norm", **yarned), YARN + [("src/llama-hparams.h", "yarn_beta_fast   = 32.0f")],
    yarn_keys | {"rope.scaling.yarn_beta_fast": 16.0, "rope.scaling.yarn_beta_slow": 2.0, "rope.scaling.yarn_log_multiplier": 0.5})
FREQS = [1.0, 1.0, 1.0, 1.5, 2.0, 4.0, 8.0, 8.0]
row("llama", "factors of the tensor divide the angles", rope("norm", factors=FREQS), [(LLAMA, "layer.rope_freqs"), (LLAMA, "model.get_rope_factors")], {}, {"rope_freqs.weight": FREQS})
row("llama", "factors beside a linear factor", rope("norm", factors=FREQS, s=2.0), [(OPS, "theta/ff, freq_scale")], {"rope.scaling.factor": 2.0}, {"rope_freqs.weight": FREQS})
row("llama", "factors beside YaRN", rope("norm", factors=FREQS, **yarned), [(OPS, "theta/ff, freq_scale")] + YARN, yarn_keys, {"rope_freqs.weight": FREQS})
SHORT, LONG = [1.0, 1.0, 1.0, 1.0, 1.25, 1.5, 1.75, 2.0], [1.0, 2.0, 3.0, 4.0, 8.0, 16.0, 32.0, 64.0]
both = {"rope_factors_short.weight": SHORT, "rope_factors_long.weight": LONG}
long_keys = {"rope.scaling.type": "longrope", "rope.scaling.original_context_length": 512, "rope.scaling.attn_factor": 1.25}
CHOICE = [(MODEL, "n_ctx_seq > hparams.n_ctx_orig_yarn")]
row("llama", "LongRoPE's factors are those of the type longrope alone", rope("norm"), [(LLAMA, "LLAMA_ROPE_SCALING_TYPE_LONGROPE")],
    {"rope.scaling.original_context_length": 512}, both)
row("llama", "LongRoPE, short", rope("norm", factors=SHORT, attention=1.25), CHOICE, long_keys, both, length=512)
row("llama", "LongRoPE, long", rope("norm", factors=LONG, attention=1.25), CHOICE, long_keys, both, length=513)
row("llama", "LongRoPE with a factor", rope("norm", factors=SHORT, s=2.0, attention=1.25), CHOICE + [(OPS, "theta/ff, freq_scale")], long_keys | {"rope.scaling.factor": 2.0}, both, length=512)
row("llama", "a mask by the key", rope("norm", causal=False), [(MODEL, "LLM_KV_ATTENTION_CAUSAL")], {"attention.causal": False})
row("qwen2", "a mask by the key", rope("neox", causal=False), [(MODEL, "LLM_KV_ATTENTION_CAUSAL")], {"attention.causal": False})
row("llama", "key_length is the head's width", rope("norm", n=32, head=32), [(MODEL, "LLM_KV_ATTENTION_KEY_LENGTH,")], {"attention.key_length": 32})
row("qwen3moe", "layers that predict further tokens are not the model's", [rope("neox")] * 3, [(HPARAMS, "return n_layer_all - n_layer_nextn")], {"nextn_predict_layers": 1})
row("nanbeige", "as many layers as loops", [rope("norm")] * 8, [(of("nanbeige"), "hparams.n_layer_all = (uint32_t)")], {"num_loops": 2})
row("deci", "layers without heads have no attention", [rope("norm"), RECURRENT, RECURRENT, rope("norm")], [(of("deci"), "n_head == 0")],
    {"attention.head_count": [4, 0, 4, 4], "attention.head_count_kv": [4, 0, 0, 4]})
row("deci", "factors of the tensor", rope("norm", factors=FREQS), [(of("deci"), "model.get_rope_factors")], {}, {"rope_freqs.weight": FREQS})
row("falcon-h1", "its tensor of factors is loaded and not used", rope("neox"), [(of("falcon-h1"), "layer.rope_freqs"), (of("falcon-h1"), "inp_pos, nullptr, n_rot")], {}, {"rope_freqs.weight": FREQS})
for arch in ("phi3", "phimoe"):
    row(arch, "no window though the key is there", rope("neox"), [(of("phi3"), "hparams.set_swa_pattern(1)")] if arch == "phi3" else [(of("phimoe"), "hparams.swa_type != LLAMA_SWA_TYPE_NONE")], {"attention.sliding_window": 64})
    row(arch, "LongRoPE, long, whatever the type", rope("neox", factors=LONG, attention=1.25), [(of(arch), "layer.rope_long")] + CHOICE, long_keys | {"rope.scaling.type": None}, both, length=4096)

# Sections

qwen_sections = [4, 2, 2, 0]
chunked = {"sections": [4, 2, 2]}
GLM = {"glm4": "norm", "glm4moe": "neox", "hunyuan_vl": "neox"}
for arch, pairing in GLM.items():
    file = {"glm4moe": "glm4-moe", "hunyuan_vl": "hunyuan-vl"}.get(arch, arch)
    types = [(MODEL, f"LLAMA_ROPE_TYPE_MROPE : LLAMA_ROPE_TYPE_{pairing.upper()}", f"case {enumerator(arch)}:")]
    row(arch, f"{pairing} pairs without sections", rope(pairing, n=8), types + [(of(file), "use_mrope")], {"rope.dimension_count": 8})
    row(arch, "neox pairs of three axes with sections", rope("neox", **chunked), types + [(HPARAMS, "rope_sections[0] > 0 && rope_sections[1] > 0")], {"rope.dimension_sections": qwen_sections})
    row(arch, "sections whose second is 0 are none", rope(pairing), [(HPARAMS, "rope_sections[0] > 0 && rope_sections[1] > 0")], {"rope.dimension_sections": [8, 0, 0, 0]})
for arch, file in (("qwen2vl", "qwen2vl"), ("paddleocr", "paddleocr")):
    row(arch, "three axes, one after the other", rope("neox", **chunked), [(of(file), "ggml_rope_multi("), (OPS, "sector >= sections[0] && sector < sec_w")], {"rope.dimension_sections": qwen_sections})
for arch in ("qwen3vl", "qwen3vlmoe", "qwen3tts"):
    row(arch, "three axes in turns", rope("neox", sections_interleaved=True, **chunked), [(of("qwen3vl" if arch == "qwen3tts" else arch), "ggml_rope_multi("), (OPS, "sector % 3 == 1")], {"rope.dimension_sections": qwen_sections})
row("deepseek32", "sections are read and not used", rope("norm", n=8, head=24, begin=16), [(of("deepseek32"), "q_pe = ggml_rope_ext(")],
    {"rope.dimension_sections": [2, 1, 1, 0], "rope.dimension_count": 8, "attention.key_length": 24})

# Recurrent layers between full ones

for arch in ("qwen35", "qwen35moe", "qwen4exp"):
    row(arch, "three of four layers are recurrent", [RECURRENT] * 3 + [rope("neox", sections_interleaved=True, **chunked)], [(of(arch), "full_attn_interval = 4"), (of(arch), "(i + 1) % full_attn_interval != 0")], {"rope.dimension_sections": qwen_sections})
row("qwen3next", "the interval of the key", [RECURRENT, rope("neox")] * 2, [(of("qwen3next"), "LLM_KV_FULL_ATTENTION_INTERVAL")], {"full_attention_interval": 2})
row("qwen3next", "a list of recurrent layers wins", [rope("neox"), RECURRENT, RECURRENT, rope("neox")], [(of("qwen3next"), "LLM_KV_ATTENTION_RECURRENT_LAYERS")],
    {"full_attention_interval": 2, "attention.recurrent_layers": [0, 1, 1, 0]})
row("minimax-01", "seven of eight layers are recurrent", [RECURRENT] * 7 + [rope("neox")], [(of("minimax-01"), "full_attn_interval = 8")], {"block_count": 8})
row("lfm2moe", "convolutions have no keys; no window", [RECURRENT, rope("neox")] * 2, [(of("lfm2moe"), "hparams.n_head_kv(il) == 0")], KV | {"attention.sliding_window": 64})
row("lfm2", "convolutions have no keys; every attention slides", [RECURRENT, sliding(rope("neox"), 64)] * 2, [(of("lfm2"), "is_swa_impl[il] = !hparams.is_recr_impl[il]")], KV | {"attention.sliding_window": 64})
row("plamo2", "recurrent without keys", [RECURRENT, rope("neox")] * 2, [(of("plamo2"), "hparams.n_head_kv(i) == 0")], KV)
row("plamo", "all of a head turns", rope("neox"), [(of("plamo"), "n_embd_head, rope_type")])
GRANITE_KEYS = {"attention.scale": 0.125}
row("granite", "attention.scale", rope("norm", scale=0.125), [(of("granite"), "LLM_KV_ATTENTION_SCALE")], GRANITE_KEYS)
row("llama", "attention.scale is not read", rope("norm"), [(LLAMA, "hparams.f_attention_scale == 0.0f")], GRANITE_KEYS)
for arch, file in (("granite", "granite"), ("graniteswitch", "granite-switch")):
    row(arch, "finetuned switches RoPE off", NONE, [(of(file), "hparams.rope_pattern.end(), rope_finetuned")], {"rope.scaling.finetuned": False})
    row(arch, "finetuned is true without a key", rope("norm"), [(of(file), "bool rope_finetuned = true")])
row("granitehybrid", "recurrent without keys, RoPE by finetuned", [RECURRENT, other("none", softmax_scale=0.125)] * 2,
    [(of("granite-hybrid"), "hparams.n_head_kv(i) == 0"), (of("granite-hybrid"), "hparams.rope_pattern.end(), rope_finetuned")], KV | GRANITE_KEYS | {"rope.scaling.finetuned": False})
row("granitemoe", "finetuned switches nothing", rope("norm"), [(MODEL, "std::fill(hparams.rope_pattern.begin()")], {"rope.scaling.finetuned": False})

# Windows

STANDARD = [("src/llama-hparams.h", "p1 - p0 >= (int32_t) n_swa")]
PATTERN = [(HPARAMS, "il % n_pattern < (n_pattern - 1)")]
FIRST = [(HPARAMS, "il % n_pattern != 0")]
SWA_BASE = [(MODEL, "hparams.is_swa(il) ? hparams.rope_freq_base_train_swa")]
window = {"attention.sliding_window": 64}
sssf = lambda slide, full: [slide, slide, slide, full]


def windows(arch, file, says, layers, fragments, keys=None, tensors=None):
    row(arch, says, layers, [(of(file), f) for f in fragments] + STANDARD, window | (keys or {}), tensors)


n = rope("neox")
windows("exaone4", "exaone4", "30 layers: RoPE and no window in every one, though the key is there", [n] * 30, ["hparams.n_layer() == 64", "hparams.swa_type == LLAMA_SWA_TYPE_NONE"], {"block_count": 30})
exaone = [sliding(n, 64), sliding(n, 64), sliding(n, 64), NONE] * 16
windows("exaone4", "exaone4", "64 layers: RoPE where layers slide alone", exaone, ["hparams.n_layer() == 64", "load_swa_pattern(ml, 4)", "hparams.is_swa(il) || hparams.swa_type"], {"block_count": 64})
row("exaone4", "64 layers: 4096 tokens without the key", [sliding(n, 4096)] * 3 + [NONE] + ([sliding(n, 4096)] * 3 + [NONE]) * 15, [(of("exaone4"), "hparams.n_swa = 4096")], {"block_count": 64})
windows("exaone-moe", "exaone-moe", "RoPE where layers slide alone, at the model's base", sssf(sliding(n, 64), NONE), ["load_swa_pattern(ml, 4)", "if (is_local_layer)", "n_rot, rope_type, n_ctx_orig, freq_base"], {"rope.freq_base_swa": 500.0})
i = rope("norm", base=50000.0)
windows("cohere2", "cohere2", "RoPE where layers slide alone, at the model's base", sssf(sliding(i, 64), NONE), ["load_swa_pattern(ml, 4)", "if (is_swa)", "n_rot, rope_type, n_ctx_orig, freq_base, freq_scale"], {"rope.freq_base": 50000.0, "rope.freq_base_swa": 500.0})
windows("cohere2", "cohere2", "a list in the place of the period", [NONE, sliding(i, 64), NONE, sliding(i, 64)], ["load_swa_pattern(ml, 4)"], {"rope.freq_base": 50000.0, "attention.sliding_window_pattern": [False, True, False, True]})
windows("cohere2", "cohere2", "another period", [sliding(i, 64), NONE] * 2, ["load_swa_pattern(ml, 4)"], {"rope.freq_base": 50000.0, "attention.sliding_window_pattern": 2})
c = rope("norm")
windows("cohere2moe", "cohere2moe", "full layers first; those among the dense ones turn", [c, sliding(c, 64), sliding(c, 64), sliding(c, 64), NONE, sliding(c, 64)],
        ["load_swa_pattern(ml, 4, true)", "force_rope = static_cast"], {"block_count": 6, "leading_dense_block_count": 1})
plain_yarn = dict(yarned)
base5 = {"rope.freq_base": 500000.0}
for arch in ("olmo2", "mellum"):
    full = rope("neox", base=500000.0, **yarned)
    slide = sliding(rope("neox", base=500000.0), 64)
    says = "window layers have neither YaRN nor a base of their own"
    windows(arch, arch, says, sssf(slide, full), ["load_swa_pattern(ml, 4)", "if (is_swa)", "n_ctx_orig, freq_base, 1.0"], base5 | yarn_keys | {"rope.freq_base_swa": 500.0, "rope.scaling.attn_factor": None})
    row(arch, "without a window YaRN in every layer", full, [(of(arch), "LLAMA_SWA_TYPE_NONE")], base5 | yarn_keys)
s = rope("neox", base=50000.0)
for base, given in ((50000.0, {}), (500.0, {"rope.freq_base_swa": 500.0})):
    slide = rope("neox", base=base)
    windows("smallthinker", "smallthinker", "layers 0, 4, … have neither window nor RoPE; 4096 tokens whatever the key says", [NONE] + [sliding(slide, 4096)] * 3,
            ["hparams.n_swa       = 4096", "load_swa_pattern(ml, 4, true)", "il % hparams.n_no_rope_layer_step != 0"], given | {"rope.freq_base": 50000.0})
row("smallthinker", "without a window RoPE everywhere", s, [(of("smallthinker"), "hparams.n_no_rope_layer_step = hparams.n_layer()"), (of("smallthinker"), "n_no_rope_layer_step == n_layer")], {"rope.freq_base": 50000.0})
row("smollm3", "every fourth layer has no RoPE", sssf(rope("norm"), NONE), [(of("smollm3"), "hparams.n_no_rope_layer_step = 4"), (of("smollm3"), "(il + 1) % hparams.n_no_rope_layer_step != 0")])
AF = [(of("afmoe"), "(il + 1) % hparams.n_no_rope_layer_step != 0"), ("src/llama-hparams.h", "n_no_rope_layer_step    = 4")]
row("afmoe", "every fourth layer has no RoPE, with windows", sssf(sliding(n, 64), NONE), AF + STANDARD, window)
row("afmoe", "and without", sssf(n, NONE), AF)
temperature = {"temperature": {"rule": "1 + a ln(1 + floor((m + 1)/f))", "terms": {"a": 0.1, "f": 8192}}}
LLAMA4 = of("llama4")
row("llama4", "blocks of 8192 tokens and RoPE in three of four layers, temperature in the fourth", sssf(sliding(rope("norm"), 8192, type="chunked_attention"), NONE | temperature),
    [(LLAMA4, "hparams.n_swa                   = 8192"), (LLAMA4, "f_attn_temp_scale       = 0.1f"), (LLAMA4, "(il + 1) % hparams.n_no_rope_layer_step != 0"), (LLAMA4, "else if (inp_attn_scale)"), (GRAPH, "std::floor((pos + f_attn_temp_offset)")], window)
row("llama4", "RoPE in every layer where the window is 0", rope("norm"), [(LLAMA4, "always use rope")], {"attention.sliding_window": 0})


SIDES = [("src/llama-hparams.h", "half_n_swa = (int32_t) n_swa / 2")]  # |m - n| < 64/2 + 1


def gemma(arch, file, window_layers, says, full, slide, fragments, keys=None, tensors=None, w=64, given=True):
    layers = [sliding(slide, w) if x == "s" else full for x in window_layers]
    sides = SIDES if "LLAMA_SWA_TYPE_SYMMETRIC" in fragments else []
    row(arch, says, layers, [(of(file), f) for f in fragments] + SWA_BASE + sides, {"block_count": len(window_layers)} | (window if given else {}) | (keys or {}), tensors)


big = {"rope.freq_base": 1000000.0}
full6 = rope("neox", base=1e6)
lin6 = rope("neox", base=1e6, s=8.0)
gemma("gemma2", "gemma2", "sfsf", "4096 tokens without the key", n, n, ["hparams.n_swa = 4096", "load_swa_pattern(ml, 2)"], w=4096, given=False)
gemma("gemma2", "gemma2", "sfsf", "window layers have the model's base and factor", rope("neox", s=8.0), rope("neox", s=8.0), ["rope_freq_base_train_swa  = hparams.rope_freq_base_train", "rope_freq_scale_train_swa = hparams.rope_freq_scale_train"], {"rope.scaling.factor": 8.0})
gemma("gemma2", "gemma2", "sfsf", "with type none window layers keep the factor", n, rope("neox", s=8.0), ["rope_freq_scale_train_swa = hparams.rope_freq_scale_train"], {"rope.scaling.factor": 8.0, "rope.scaling.type": "none"})
gemma("gemma2", "gemma2", "sf" * 23, "46 layers: the width is the embedding's per head", rope("neox", n=32, head=32, scale=ROOT), rope("neox", n=32, head=32, scale=ROOT), ["case 46: type = LLM_TYPE_27B", "hparams.n_embd / hparams.n_head(0)"], {"attention.key_length": 32})
gemma("gemma3", "gemma3", "sssssf", "window layers have base 10000 and no factor", lin6, n, ["load_swa_pattern(ml, 6)"], big | {"rope.scaling.factor": 8.0})
gemma("gemma3", "gemma3", "ssfssf", "another period, and a base of window layers", lin6, rope("neox", base=500.0), ["load_swa_pattern(ml, 6)", "LLM_KV_ROPE_FREQ_BASE_SWA"], big | {"rope.scaling.factor": 8.0, "attention.sliding_window_pattern": 3, "rope.freq_base_swa": 500.0})
gemma("gemma3", "gemma3", "sssssf", "with YaRN window layers keep attn_factor alone", rope("neox", base=1e6, **(yarned | {"attention": yarn_attention(8.0) * 0.5})), rope("neox", attention=0.5), ["load_swa_pattern(ml, 6)"], big | yarn_keys | {"rope.scaling.attn_factor": 0.5})
gemma("gemma3", "gemma3", "ffff", "no window without the key", full6, n, ["hparams.swa_type = LLAMA_SWA_TYPE_NONE"], big, given=False)
gemma("gemma3", "gemma3", ("sssssf" * 11)[:62], "62 layers: the width is the embedding's per head", rope("neox", n=32, head=32, base=1e6, scale=ROOT), rope("neox", n=32, head=32, scale=ROOT), ["case 62: type = LLM_TYPE_27B", "hparams.n_embd / hparams.n_head(0)"], big | {"attention.key_length": 32})
gemma("gemma3n", "gemma3n", "ssssf", "four of five layers slide; no softmax scale", rope("neox", base=1e6, scale=1.0), rope("neox", scale=1.0), ["load_swa_pattern(ml, 5)", "hparams.f_attention_scale     = 1.0f"], big)
gemma("gemma-embedding", "gemma-embedding", "sssssf", "a window to both sides, and no mask", full6 | {"causal": False}, n | {"causal": False}, ["LLAMA_SWA_TYPE_SYMMETRIC", "load_swa_pattern(ml, 6)", "hparams.causal_attn = false"], big, w=33)
mb = {"rope.freq_base": 160000.0}
gemma("modern-bert", "modern-bert", "fssfss", "full layers first; a window to both sides", rope("neox", base=160000.0, causal=False), n | {"causal": False}, ["LLAMA_SWA_TYPE_SYMMETRIC", "load_swa_pattern(ml, 3, true)"], mb, w=33)
gemma("modern-bert", "modern-bert", "ffff", "no window without the key", rope("neox", base=160000.0, causal=False), n, ["LLAMA_SWA_TYPE_NONE"], mb, given=False)
gemma("plamo3", "plamo3", "sssssssf", "seven of eight layers slide at base 10000", full6, n, ["load_swa_pattern(ml, 8)", "LLM_KV_ROPE_FREQ_BASE_SWA"], big)
gemma("plamo3", "plamo3", "ffff", "no window without the key", full6, n, ["LLAMA_SWA_TYPE_NONE"], big, given=False)
lists = {"attention.sliding_window_pattern": [True, True, False, True]}
proportional = [1.0] * 4 + [1e30] * 4
gemma("gemma4", "gemma4", "ssfs", "full layers take the tensor's factors, window layers a width of their own", rope("neox", base=1e6, factors=proportional, scale=1.0), rope("neox", n=8, head=8, scale=1.0),
      ["LLM_KV_ATTENTION_SLIDING_WINDOW_PATTERN", "freq_factors = model.layers[il].rope_freqs", "hparams.n_rot(il)", "hparams.f_attention_scale     = 1.0f"],
      big | lists | {"attention.key_length_swa": 8, "rope.dimension_count_swa": 8}, {"rope_freqs.weight": proportional})
gemma("gemma4", "gemma4", "sfsf", "without a causal mask full layers keep it", rope("neox", base=1e6, scale=1.0), rope("neox", scale=1.0, causal=False), ["LLAMA_NON_CAUSAL_TYPE_SWA_ONLY"], big | {"attention.sliding_window_pattern": [1, 0, 1, 0], "attention.causal": False})
gemma("gemma4-assistant", "gemma4-assistant", "ssfs", "as gemma4", rope("neox", base=1e6, factors=proportional, scale=1.0), rope("neox", n=8, head=8, scale=1.0), ["is_swa ? nullptr : model.layers[il].rope_freqs"],
      big | lists | {"attention.key_length_swa": 8, "rope.dimension_count_swa": 8}, {"rope_freqs.weight": proportional})
gemma("mimo2", "mimo2", "ssfs", "window layers have a base of their own", rope("neox", n=8, base=1e6), rope("neox", n=8, base=500.0), ["LLM_KV_ATTENTION_SLIDING_WINDOW_PATTERN", "LLM_KV_ROPE_FREQ_BASE_SWA"], big | lists | {"rope.freq_base_swa": 500.0, "rope.dimension_count": 8})
gemma("step35", "step35", "ssfs", "full layers turn half as many channels, and they alone take factors", rope("neox", n=8, base=1e6, factors=FREQS), rope("neox"), ["hparams.n_rot_full = hparams.n_rot_full / 2", "is_swa ? nullptr : model.get_rope_factors"],
      big | lists, {"rope_freqs.weight": FREQS})
lag = rope("neox", n=8, base=1e6, **yarned)
gemma("laguna", "laguna", "fsss", "window layers have their own base and width, and no YaRN", lag, rope("neox", base=500.0), ["/*dense_first=*/true", "ext_factor_l  = is_swa_il ? 0.0f", "attn_factor_l = is_swa_il ? 1.0f"],
      big | yarn_keys | {"rope.freq_base_swa": 500.0, "rope.dimension_count": 8, "rope.dimension_count_swa": 16})
gemma("laguna", "laguna", "ffff", "no window without the key", full6, n, ["if (hparams.n_swa > 0)"], big, given=False)
gemma("maple", "maple", "ssfs", "RoPE where layers slide alone", NONE, rope("neox", n=8, base=500.0), ["if (hparams.is_swa(il))", "n_rot_l = hparams.n_rot(il)"], big | lists | {"rope.freq_base_swa": 500.0, "rope.dimension_count_swa": 8})
gemma("muse-glimmer", "muse-glimmer", "sssf", "RoPE where layers slide alone, without the factor", NONE, rope("norm", base=1e6), ["use_rope = hparams.is_swa(il)", "rope_freq_base_train_swa = hparams.rope_freq_base_train"], big | {"rope.scaling.factor": 4.0})
gemma("spark2_5", "spark2-5", "ssfs", "each kind has its base and width", rope("neox", base=1e6, s=2.0), rope("neox", n=8, base=500.0, s=2.0), ["n_rot_i = hparams.n_rot(il)", "freq_base_i = model.get_rope_freq_base"], big | lists | {"rope.freq_base_swa": 500.0, "rope.dimension_count_swa": 8, "rope.scaling.factor": 2.0})
gemma("granite_swa", "granite-swa", "ssfs", "a list says which layers turn; both kinds have the model's base", NONE | {"softmax_scale": 0.125}, rope("norm", base=1e6, scale=0.125), ["LLM_KV_ATTENTION_ROPE_PATTERN", "n_rot, rope_type, n_ctx_orig, freq_base, freq_scale"],
      big | lists | GRANITE_KEYS | {"attention.rope_pattern": [1, 1, 0, 1], "rope.freq_base_swa": 500.0})
oss = rope("neox", base=150000.0, scale=ROOT, **yarned)
gemma("gpt-oss", "openai-moe", "sfsf", "YaRN in both kinds, the ramp's ends whole numbers; scale by the rotated channels", oss, oss, ["load_swa_pattern(ml, 2)", "rope_freq_scale_train_swa = hparams.rope_freq_scale_train", "1.0f/sqrtf(float(n_rot))"], yarn_keys | {"rope.freq_base": 150000.0})
row("bailingmoe", "scale by the rotated channels", rope("norm", n=8, scale=8**-0.5), [(of("bailingmoe"), "1.0f/sqrtf(float(n_rot))")], {"rope.dimension_count": 8})

# Latent attention: the last channels of q and k turn

latent = {"attention.key_length_mla": 24, "attention.value_length_mla": 16, "attention.key_length": 40, "rope.dimension_count": 8}
tail = dict(n=8, head=24, begin=16)
s8 = math.log(8.0)
MLA = "mscale * mscale / sqrtf(float(n_embd_head_k))"
LOG = CTX("const float mscale_all_dims = hparams.rope_yarn_log_mul", "model.arch == LLM_ARCH_DEEPSEEK2 && mscale_all_dims != 1.0f")
for arch, stored in (("deepseek2", 0.1), ("deepseek2", 0.0707), ("mistral4", 0.1), ("mistral4", 0.0707), ("deepseek32", 0.0707)):
    log = float(np.float32(stored) / np.float32(0.1))
    a = yarn_attention(8.0, log, arch == "deepseek2")
    scale = (a * (1 + 0.1 * s8) * (1 + 0.1 * log * s8)) ** 2 * 24**-0.5
    file = "deepseek32" if arch == "deepseek32" else "deepseek2"
    row(arch, f"YaRN with a log multiplier of {stored}", rope("norm", s=8.0, ext=1.0, attention=a, length=512, scale=scale, **tail),
        [(of(file), "hparams.rope_yarn_log_mul /= 0.1f"), (of(file), MLA)] + LOG, latent | yarn_keys | {"rope.scaling.yarn_log_multiplier": stored})
absorbed = lambda s, ext: (yarn_attention(s) * (1 + 0.1 * math.log(s)) if ext else 1 + 0.1 * math.log(s)) ** 2 * 24**-0.5
row("deepseek2", "no latent keys: key_length", rope("norm", n=8, head=24, begin=16), [(of("deepseek2"), "RoPE is applied to the trailing dims only")], {"attention.key_length": 24, "rope.dimension_count": 8})
row("deepseek2", "a linear factor scales the softmax too", rope("norm", s=8.0, scale=absorbed(8.0, False), **tail), [(of("deepseek2"), "attn_factor_org = attn_factor * (1.0f"), (of("deepseek2"), MLA)], latent | {"rope.scaling.factor": 8.0})
row("glm-dsa", "YaRN; the log multiplier is not read", rope("norm", s=8.0, ext=1.0, attention=yarn_attention(8.0), length=512, scale=absorbed(8.0, True), **tail), [(of("glm-dsa"), MLA)], latent | yarn_keys | {"rope.scaling.yarn_log_multiplier": 0.1})
of_length = lambda length: {"temperature": {"rule": "1 + β ln(1 + floor(m / L₀))", "terms": {"β": 0.5, "L₀": length}}}
hot = {"attention.temperature_scale": 0.5, "attention.temperature_length": 256}
for arch in ("deepseek2", "mistral4"):
    row(arch, "temperature by its keys", rope("norm", **tail, **of_length(256)), [(of("deepseek2"), "LLM_KV_ATTENTION_TEMPERATURE_LENGTH"), (of("deepseek2"), "hparams.f_attn_temp_offset = 0.0f")], latent | hot)
row("mistral3", "temperature by the length of training, betas and log multiplier as stored",
    rope("norm", s=8.0, ext=1.0, attention=yarn_attention(8.0, 0.5), length=512, fast=4.0, slow=2.0, **of_length(512)),
    [(of("mistral3"), "hparams.n_attn_temp_floor_scale = hparams.n_ctx_orig_yarn"), (of("mistral3"), "LLM_KV_ROPE_SCALING_YARN_BETA_FAST"), (of("mistral3"), "LLM_KV_ROPE_SCALING_YARN_LOG_MUL")] + LOG,
    hot | yarn_keys | {"rope.scaling.yarn_beta_fast": 4.0, "rope.scaling.yarn_beta_slow": 2.0, "rope.scaling.yarn_log_multiplier": 0.5})
row("hy_v4", "the last channels turn", rope("norm", **tail), [(of("hy-v4"), "kq_scale = 1.0f / sqrtf(float(n_embd_head_k))")], latent)
row("minicpm3", "the last channels turn, by LongRoPE's factors whatever the type", rope("neox", n=16, head=24, begin=8, factors=SHORT), [(of("minicpm3"), "layer.rope_short"), (of("minicpm3"), "ggml_rope_set_offset(q, n_embd_head_qk_nope)")],
    {"attention.key_length": 24, "rope.dimension_count": 16}, both, length=4096)
row("plm", "the last channels turn", rope("norm", n=8, head=24, begin=16), [(of("plm"), "ggml_rope_set_offset(q, n_embd_head_qk_nope)")], {"attention.key_length": 24, "rope.dimension_count": 8})
row("bailingmoe3", "latent attention between recurrent layers", [RECURRENT, rope("norm", **tail)] * 2, [(of("bailingmoe3"), "hparams.n_head_kv(il) == 0"), (of("bailingmoe3"), "q_pe = ggml_rope_ext(")], latent | KV)
row("bailingmoe3", "with sections neox pairs", [RECURRENT, rope("neox", sections=[2, 1, 1], **tail)] * 2, [(MODEL, "VL files carry mrope sections"), (of("bailingmoe3"), "q_pe = ggml_rope_multi(")], latent | KV | {"rope.dimension_sections": [2, 1, 1, 0]})
row("dots3note", "window layers have a width and a base of their own", [sliding(rope("norm", n=8, head=16, begin=8, base=500.0, s=2.0), 64), rope("norm", base=1e6, s=2.0, **tail)] * 2,
    [(of("dots3note"), "n_embd_head_k_mla_swa : hparams.n_embd_head_k_mla()"), (of("dots3note"), "freq_base_l = model.get_rope_freq_base"), (of("dots3note"), "n_ctx_orig, freq_base_l, freq_scale")] + STANDARD,
    latent | window | big | {"attention.sliding_window_pattern": [True, False, True, False], "attention.key_length_mla_swa": 16, "rope.freq_base_swa": 500.0, "rope.scaling.factor": 2.0})
deep = dict(n=8, head=16, begin=8)
compressed = rope("norm", base=160000.0, s=8.0, ext=1.0, attention=1 / (1 + 0.1 * s8), length=512, **deep)
row("deepseek4", "compressed layers have YaRN and their base, others neither; every layer slides", [sliding(rope("norm", base=1e6, **deep), 64)] * 2 + [sliding(compressed, 64)] * 2,
    [(of("deepseek4"), "use_compress_rope = hparams.dsv4_compress_ratios[il] != 0"), (of("deepseek4"), "freq_scale_l     = use_compress_rope"), (of("deepseek4"), "return 1.0f / (1.0f + 0.1f*logf"), (of("deepseek4"), "hparams.set_swa_pattern(0)")] + STANDARD,
    window | big | yarn_keys | {"rope.dimension_count": 8, "attention.compress_ratios": [0, 0, 4, 128], "attention.compress_rope_freq_base": 160000.0})

# Keys that are not obeyed, and others of one architecture

row("cogvlm", "ggml's plain RoPE: base 10000, no scaling", rope("neox"), [(of("cogvlm"), "ggml_rope(ctx0, Qcur, inp_pos, n_embd_head, rope_type)")], {"rope.freq_base": 500000.0, "rope.scaling.factor": 4.0, "rope.scaling.attn_factor": 2.0})
row("deepseek2-ocr", "neox pairs, not the table's norm ones, without scaling", rope("neox"), [(of("deepseek2"), "ocr_rope_type = GGML_ROPE_TYPE_NEOX"), (of("deepseek2"), "n_embed_head, ocr_rope_type, 0, freq_base, 1, 0, 1, 0, 0")])
row("deepseek2-ocr", "keys of the scaling act on the softmax scale alone", rope("neox", scale=(0.5 * (1 + 0.1 * math.log(4.0))) ** 2 * ROOT), [(of("deepseek2"), MLA), (of("deepseek2"), "attn_factor_org = attn_factor * (1.0f")], {"rope.scaling.factor": 4.0, "rope.scaling.attn_factor": 0.5})
alpha = 1000.0 ** (16 / 14)
for arch in ("hunyuan-dense", "hunyuan_vl"):
    row(arch, "alpha stretches the base", rope("neox", base=10000.0 * alpha), [(of("hunyuan-vl"), "(float)dim / (float)(dim - 2)")], {"rope.scaling.alpha": 1000.0})
row("hunyuan-moe", "alpha is not read", rope("neox"), [(of("hunyuan-moe"), "ggml_rope_ext(")], {"rope.scaling.alpha": 1000.0})
GROK = [(of("grok"), "hparams.yarn_beta_fast = 8.0f"), (of("grok"), "LLM_KV_ROPE_SCALING_YARN_EXT_FACTOR"), (GRAPH, "hparams.f_attn_out_scale / hparams.f_attn_logit_softcapping")]
grok = dict(s=8.0, length=512, scale=0.08838834764831845)
row("grok", "YaRN from 8 turns on, and a softmax scale of its own", rope("neox", ext=1.0, fast=8.0, attention=yarn_attention(8.0), **grok), GROK, yarn_keys)
row("grok", "its own share of YaRN, betas and softmax scale", rope("neox", ext=0.5, fast=16.0, slow=2.0, attention=yarn_attention(8.0), **(grok | {"scale": 0.25})), GROK,
    yarn_keys | {"rope.scaling.yarn_ext_factor": 0.5, "rope.scaling.yarn_beta_fast": 16.0, "rope.scaling.yarn_beta_slow": 2.0, "attention.output_scale": 0.25})
row("grok", "its own attention factor without YaRN", rope("neox", attention=1.5, **(grok | {"s": 1.0})), GROK + [(of("grok"), "LLM_KV_ROPE_SCALING_YARN_ATTN_FACTOR")], {"rope.scaling.yarn_attn_factor": 1.5})
row("dflash", "a drafter: a list of windows, one base", [sliding(n, 64), n] * 2, [(of("dflash"), "LLM_KV_ATTENTION_SLIDING_WINDOW_PATTERN"), (MODEL, "LLAMA_ROPE_TYPE_NORM : LLAMA_ROPE_TYPE_NEOX", "case LLM_ARCH_DFLASH")],
    window | {"attention.sliding_window_pattern": [True, False, True, False], "rope.freq_base_swa": 500.0})
row("dflash", "a drafter of DeepSeek-V4's blocks", sliding(rope("norm", **deep), 64), [(of("dflash"), "if (hparams.dsv4_hc_mult > 0)"), (of("dflash"), "hparams.set_swa_pattern(0)")], window | {"hyper_connection.count": 4, "rope.dimension_count": 8})


def main():
    text = {
        "generator": "tests/golden/gguf/generate_architectures.py",
        "versions": {"python": platform.python_version(), "gguf": "0.19.0", "numpy": np.__version__, "llama.cpp": f"{COMMIT} (1 October 2026)"},
    }
    body = ",\n".join(json.dumps(r, ensure_ascii=False) for r in ROWS)
    head = json.dumps(text)[:-1]
    (HERE / "architectures.json").write_text(f'{head},\n"rows": [\n{body}\n]}}\n', encoding="utf-8")
    (HERE / "architectures.ggufs").write_bytes(BLOB)
    print(f"{len(ROWS)} rows of {len({r['architecture'] for r in ROWS})} architectures, {len(BLOB)} bytes")


main()
