#!/usr/bin/env python3
"""Writes conventions.json: attention in the conventions of released models, computed without Orrery.

Where Transformers has the model, its own module runs in float64 with small weights, and the input and
output of its softmax are recorded: Falcon's ALiBi, MPT's slopes, Wav2Vec2-BERT's two clips, XLNet, and
DeBERTa v1 and v2. What Transformers no longer has, or never had, is written here in PyTorch from the
released code (Transformer-XL's clamp_len with its rel_shift, BERT's relative_key and
relative_key_query, TUPE as released) or in loops from the paper (TUPE, Huang et al. method 4).

Every case names the Orrery settings and tables that stand for it, so that the test only has to apply
them. Weights are quarters of small integers: they are exact in every format. Run it with numpy, mpmath,
torch and transformers installed; the tests do not need them.
"""
import json
import math
import pathlib
import sys

import mpmath
import numpy as np
import torch
import transformers
from transformers.models.deberta.modeling_deberta import DisentangledSelfAttention as DebertaV1
from transformers.models.deberta_v2.modeling_deberta_v2 import DisentangledSelfAttention as DebertaV2
from transformers.models.deberta_v2.modeling_deberta_v2 import build_relative_position
from transformers.models.falcon.modeling_falcon import FalconAttention, build_alibi_tensor
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
from transformers.models.wav2vec2_bert.modeling_wav2vec2_bert import Wav2Vec2BertSelfAttention
from transformers.models.xlnet.modeling_xlnet import XLNetModel, XLNetRelativeAttention

here = pathlib.Path(__file__).parent
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)


def numbers(rows, columns, a, b, m, scale=4.0):
    return torch.tensor([[((a * i + b * c) % m - m // 2) / scale for c in range(columns)] for i in range(rows)])


def fill(module):
    """Small exact numbers for every parameter, another pattern for each."""
    with torch.no_grad():
        for index, parameter in enumerate(module.parameters()):
            flat = parameter.reshape(-1, parameter.shape[-1])
            pattern = numbers(*flat.shape, 3 + 2 * index, 5 + index, 7 + 2 * (index % 5), 8.0)
            parameter.copy_(pattern.reshape(parameter.shape))
    return module.double().eval()


class Recorded:
    """The input and output of the one softmax that runs inside the block."""

    def __enter__(self):
        self.softmax, self.calls = torch.nn.functional.softmax, []

        def recording(x, *args, **kwargs):
            kwargs.pop("dtype", None)
            out = self.softmax(x, *args, **kwargs)
            self.calls.append((x.detach(), out.detach()))
            return out
        torch.nn.functional.softmax = recording
        return self

    def __exit__(self, *_):
        torch.nn.functional.softmax = self.softmax

    def head(self, h):
        (logits, weights), = self.calls
        return {"logits": logits[0, h].tolist(), "weights": weights[0, h].tolist()}


def result(logits):
    return {"logits": logits.tolist(), "weights": torch.softmax(logits, -1).tolist()}


def case(encoding, settings, tables, q, k, expected, heads, head, d_model, m=None, n=None, **more):
    """q, k [N, d] of one head."""
    return {"encoding": encoding, "settings": settings,
            "tables": {name: t.detach().reshape(-1, t.shape[-1]).tolist() for name, t in tables.items()},
            "heads": heads, "head": head, "d_model": d_model,
            "q": q.detach().tolist(), "k": k.detach().tolist(),
            "m": m or list(range(len(q))), "n": n or list(range(len(k))), **expected, **more}


# ALiBi --------------------------------------------------------------------------------------------------
def falcon(heads, head, own_product):
    """own_product: the bias as build_alibi_tensor makes it; else its slopes times positions in float64."""
    d, length = 4, 6
    config = transformers.FalconConfig(hidden_size=heads * d, num_attention_heads=heads, alibi=True, multi_query=False,
                                       new_decoder_architecture=False, bias=True, attn_implementation="eager")
    attention = fill(FalconAttention(config, layer_idx=0))
    x = numbers(length, heads * d, 7, 3, 11)[None]
    alibi = build_alibi_tensor(torch.ones(1, length, dtype=torch.long), heads, torch.float64)
    if not own_product:
        alibi = alibi[:, :, 1:2] * torch.arange(length, dtype=torch.float64)
    causal = torch.full((length, length), -math.inf).triu(1)[None, None]
    with Recorded() as softmax:
        attention(x, alibi=alibi, attention_mask=causal)
    q, k, _ = attention._split_heads(attention.query_key_value(x))
    expected = softmax.head(head)
    expected["logits"] = [[v if j <= i else None for j, v in enumerate(row)] for i, row in enumerate(expected["logits"])]
    return case("alibi", {"alibi.form": "key", "alibi.bias_scale": "root"}, {}, q[0, :, head], k[0, :, head], expected,
                heads, head, heads * d, causal=True, stages={"table": "bf16"})


def mpt_slopes():
    rows = []
    for heads, bias_max in ((8, 8), (8, 4), (12, 16), (12, 6), (6, 10)):
        bias = build_mpt_alibi_tensor(heads, 2, alibi_bias_max=bias_max)  # −s(1 − j)
        rows.append({"heads": heads, "bias_max": bias_max, "slopes": (-bias[:, 0, 0]).tolist()})
    return rows


# Shaw ---------------------------------------------------------------------------------------------------
def wav2vec2_bert():
    heads, d, length, head = 2, 4, 9, 1
    config = transformers.Wav2Vec2BertConfig(
        hidden_size=heads * d, num_attention_heads=heads, position_embeddings_type="relative_key",
        left_max_position_embeddings=4, right_max_position_embeddings=2, attn_implementation="eager")
    attention = fill(Wav2Vec2BertSelfAttention(config))
    x = numbers(length, heads * d, 7, 3, 11)[None]
    with Recorded() as softmax:
        attention(x)

    def of_head(linear):
        return linear(x)[0, :, head * d:(head + 1) * d]
    return case("shaw", {"shaw.clip": "4", "shaw.clip_ahead": "2", "shaw.variant": "keys_only"},
                {"shaw.key_table": attention.distance_embedding.weight},
                of_head(attention.linear_q), of_head(attention.linear_k), softmax.head(head), heads, head, heads * d)


def bert(kind):
    """BERT's relative_key and relative_key_query, as Transformers had them: distance = i − j, row distance + max − 1."""
    length, d, largest = 6, 4, 6
    q, k, table = numbers(length, d, 5, 2, 9), numbers(length, d, 3, 4, 7), numbers(2 * largest - 1, d, 3, 5, 11)
    left, right = torch.arange(length).view(-1, 1), torch.arange(length).view(1, -1)
    vectors = table[left - right + largest - 1]
    scores = q @ k.T + torch.einsum("ld,lrd->lr", q, vectors)
    if kind == "relative_key_query":
        scores = scores + torch.einsum("rd,lrd->lr", k, vectors)
    variant = {"relative_key": "keys_only", "relative_key_query": "queries_and_keys"}[kind]
    return case("shaw", {"shaw.clip": str(largest - 1), "shaw.rows": "query_minus_key", "shaw.variant": variant},
                {"shaw.key_table": table}, q, k, result(scores / math.sqrt(d)), 1, 0, d)


def huang_method_4():
    """Shaw's order of rows, clipped, positions with gaps."""
    at, d, clip = [0, 1, 2, 5, 9], 4, 3
    q, k, table = numbers(5, d, 5, 2, 9), numbers(5, d, 3, 4, 7), numbers(2 * clip + 1, d, 3, 5, 11)
    logits = torch.zeros(5, 5)
    for i in range(5):
        for j in range(5):
            a = table[min(max(at[j] - at[i], -clip), clip) + clip]
            logits[i, j] = (q[i] @ k[j] + q[i] @ a + k[j] @ a) / math.sqrt(d)
    return case("shaw", {"shaw.clip": "3", "shaw.variant": "queries_and_keys"}, {"shaw.key_table": table}, q, k,
                result(logits), 1, 0, d, at, at)


# Transformer-XL and XLNet -------------------------------------------------------------------------------
def xlnet(clamp_len, segments):
    heads, d, queries, memory, head = 2, 4, 5, 3, 1
    d_model, keys = heads * d, queries + memory
    config = transformers.XLNetConfig(d_model=d_model, n_head=heads, d_inner=8, n_layer=1, vocab_size=8,
                                      clamp_len=clamp_len, attn_type="bi")
    attention = fill(XLNetRelativeAttention(config))
    model = XLNetModel(config)
    # Its own sequence of positions and its clamp, with the frequencies in float64: the model takes them in float32.
    inv_freq = 1 / 10000 ** (torch.arange(0, d_model, 2.0) / d_model)
    positions = torch.arange(keys, -queries, -1.0)
    if clamp_len > 0:
        positions = positions.clamp(-clamp_len, clamp_len)
    r = model.positional_embedding(positions, inv_freq, 1)
    assert torch.allclose(r.float(), model.relative_positional_encoding(queries, keys, 1).float(), atol=1e-5)
    x = numbers(keys, d_model, 7, 3, 11)[:, None]
    query_ids, key_ids = [0, 0, 1, 1, 2], [0, 0, 0, 0, 0, 1, 1, 2]
    seg_mat = None
    if segments:
        differ = (torch.tensor(query_ids)[:, None] != torch.tensor(key_ids)[None, :]).long()
        seg_mat = torch.nn.functional.one_hot(differ, 2).double()[:, :, None]
    with Recorded() as softmax:
        attention(x[memory:], None, None, None, r, seg_mat, mems=x[:memory])

    def of_head(weight, contents):
        return torch.einsum("ibh,hnd->ibnd", contents, weight)[:, 0, head]
    tables = {"transformer_xl.u": attention.r_w_bias, "transformer_xl.v": attention.r_r_bias,
              "transformer_xl.W_kR": attention.r.reshape(d_model, heads * d), "transformer_xl.s": attention.r_s_bias,
              "transformer_xl.segment_table": attention.seg_embed.reshape(2, heads * d)}
    ids = {"query_segments": query_ids, "key_segments": key_ids} if segments else {}
    return case("transformer_xl", {"transformer_xl.clamp_len": str(clamp_len)}, tables, of_head(attention.q, x[memory:]),
                of_head(attention.k, x), softmax.head(head), heads, head, d_model,
                list(range(memory, keys)), list(range(keys)), **ids)


def transformer_xl_clamped():
    """The authors' rel_shift and pos_seq.clamp_(max=clamp_len), which need a causal mask."""
    heads, d, queries, memory, head, clamp_len = 1, 4, 5, 6, 0, 4
    d_model, keys = 6, queries + memory
    q, k = numbers(queries, d, 5, 2, 9), numbers(keys, d, 3, 4, 7)
    u, v, w = numbers(1, d, 3, 2, 5), numbers(1, d, 2, 3, 7), numbers(d_model, d, 5, 3, 11)
    positions = torch.arange(keys - 1, -1, -1.0).clamp(max=clamp_len)
    angles = torch.outer(positions, 1 / 10000 ** (torch.arange(0, d_model, 2.0) / d_model))
    r = torch.cat([angles.sin(), angles.cos()], -1) @ w
    bd = (q + v) @ r.T
    shifted = torch.cat([torch.zeros(queries, 1), bd], 1).view(keys + 1, queries)[1:].view(queries, keys)
    logits = ((q + u) @ k.T + shifted) / math.sqrt(d)
    hidden = torch.ones(queries, keys, dtype=torch.bool).triu(1 + memory)
    weights = torch.softmax(logits.masked_fill(hidden, -math.inf), -1)
    expected = {"logits": [[None if hidden[i, j] else logits[i, j].item() for j in range(keys)] for i in range(queries)],
                "weights": weights.tolist()}
    return case("transformer_xl", {"transformer_xl.clamp_len": str(clamp_len)},
                {"transformer_xl.u": u, "transformer_xl.v": v, "transformer_xl.W_kR": w}, q, k, expected, heads, head,
                d_model, list(range(memory, keys)), list(range(keys)), causal=True)


# TUPE ---------------------------------------------------------------------------------------------------
def t5_bucket(relative, buckets=32, max_distance=128):
    """relative = key − query."""
    bucket, buckets = (16 if relative > 0 else 0), buckets // 2
    n, exact = abs(relative), buckets // 2
    if n < exact:
        return bucket + n
    return bucket + min(exact + int(math.log(n / exact) / math.log(max_distance / exact) * (buckets - exact)), buckets - 1)


def tupe_contents():
    heads, d, length = 2, 4, 6
    return heads, d, length, heads * d, numbers(length, d, 5, 2, 9), numbers(length, d, 3, 4, 7)


def tupe_released(relative):
    """guolinke/TUPE, forward of its encoder: pos, pos_ln, pos_q_linear, pos_k_linear, rp_bucket."""
    heads, d, length, width, q, k = tupe_contents()
    head, size = 1, 9
    pos = torch.nn.Embedding(size + 1, width)
    norm, q_linear, k_linear = torch.nn.LayerNorm(width), torch.nn.Linear(width, width), torch.nn.Linear(width, width)
    bias = torch.nn.Embedding(33, heads)
    for module in (pos, norm, q_linear, k_linear, bias):
        fill(module)
    with torch.no_grad():
        norm.bias.copy_(numbers(1, width, 1, 3, 5)[0])
        k_linear.weight.copy_(numbers(width, width, 4, 3, 13))
        bias.weight.copy_(numbers(33, heads, 5, 3, 17))
    weight = norm(pos.weight[:length + 1])
    pos_q = q_linear(weight).view(length + 1, heads, d).transpose(0, 1) * (2 * d) ** -0.5
    pos_k = k_linear(weight).view(length + 1, heads, d).transpose(0, 1)
    products = pos_q @ pos_k.transpose(1, 2)
    theta_1, theta_2 = products[:, 0, 0], products[:, 1, 1]
    products = products[:, 1:, 1:].clone()
    products[:, :, 0] = theta_2.view(-1, 1)
    products[:, 0, :] = theta_1.view(-1, 1)
    logits = (q @ k.T) / math.sqrt(2 * d) + products[head]
    if relative:
        bucket = torch.tensor([[t5_bucket(j - i) for j in range(length)] for i in range(length)])
        bucket[:, 0] = 32
        bucket[0, :] = 16
        logits = logits + bias.weight[bucket][..., head]
    tables = {"tupe.table": pos.weight, "tupe.U_q": q_linear.weight.T.contiguous(), "tupe.U_k": k_linear.weight.T.contiguous(),
              "tupe.b_q": q_linear.bias, "tupe.b_k": k_linear.bias, "tupe.norm_gain": norm.weight,
              "tupe.norm_bias": norm.bias, "tupe.bias_table": bias.weight}
    settings = {"tupe.variant": "released", "tupe.length": str(size), "tupe.relative_bias": str(relative).lower()}
    return case("tupe", settings, tables, q, k, result(logits.detach()), heads, head, width)


def tupe_paper(untied):
    """Ke et al. 2021 §3: reset_θ takes the place of the position term and of b together."""
    heads, d, length, width, q, k = tupe_contents()
    head, size = 1, 8
    tables = {"tupe.table": numbers(size, width, 7, 4, 19), "tupe.U_q": numbers(width, heads * d, 3, 5, 11),
              "tupe.U_k": numbers(width, heads * d, 4, 3, 13), "tupe.bias_table": numbers(32, heads, 5, 3, 17)}
    if untied:
        tables["tupe.theta"] = torch.tensor([[0.5, -1.25], [2.0, 0.75]])
    columns = slice(head * d, (head + 1) * d)
    a, b = tables["tupe.table"] @ tables["tupe.U_q"][:, columns], tables["tupe.table"] @ tables["tupe.U_k"][:, columns]
    logits = torch.zeros(length, length)
    for i in range(length):
        for j in range(length):
            v = a[i] @ b[j] / math.sqrt(2 * d) + tables["tupe.bias_table"][t5_bucket(j - i), head]
            if untied and i == 0:
                v = tables["tupe.theta"][0, head]
            elif untied and j == 0:
                v = tables["tupe.theta"][1, head]
            logits[i, j] = q[i] @ k[j] / math.sqrt(2 * d) + v
    return case("tupe", {"tupe.length": str(size), "tupe.untie_cls": str(untied).lower()}, tables, q, k, result(logits),
                heads, head, width)


# DeBERTa ------------------------------------------------------------------------------------------------
def deberta_sizes():
    """d = 12, so that √(3d) = 6, which the modules take in float32, is exact."""
    return 2, 12, 10, 1


def deberta_v1():
    heads, d, length, head = deberta_sizes()
    width, span = heads * d, 4
    config = transformers.DebertaConfig(hidden_size=width, num_attention_heads=heads, relative_attention=True,
                                        pos_att_type="c2p|p2c", max_relative_positions=span)
    attention = fill(DebertaV1(config))
    x, table = numbers(length, width, 7, 3, 11)[None], numbers(2 * span, width, 5, 3, 13)
    at = torch.arange(length)
    with Recorded() as softmax:
        attention(x, torch.ones(1, 1, length, length), relative_pos=(at[:, None] - at)[None], rel_embeddings=table)
    q, k, _ = attention.transpose_for_scores(attention.in_proj(x)).chunk(3, dim=-1)
    q = q + attention.transpose_for_scores(attention.q_bias[None, None, :])
    tables = {"deberta.table": table, "deberta.W_kr": attention.pos_proj.weight.T.contiguous(),
              "deberta.W_qr": attention.pos_q_proj.weight.T.contiguous(), "deberta.b_qr": attention.pos_q_proj.bias}
    return case("deberta", {"deberta.version": "v1", "deberta.span": str(span), "deberta.p2c": "code"}, tables,
                q[0, head], k[0, head], softmax.head(head), heads, head, width)


def deberta_v2(norm):
    heads, d, length, head = deberta_sizes()
    width, span, largest = heads * d, 4, 8
    config = transformers.DebertaV2Config(hidden_size=width, num_attention_heads=heads, relative_attention=True,
                                          pos_att_type="c2p|p2c", position_buckets=span, max_relative_positions=largest,
                                          share_att_key=True)
    attention = fill(DebertaV2(config))
    x, table = numbers(length, width, 7, 3, 11)[None], numbers(2 * span, width, 5, 3, 13)
    settings = {"deberta.version": "v2", "deberta.span": str(span), "deberta.max_distance": str(largest),
                "deberta.p2c": "code"}
    tables = {"deberta.table": table}
    rows = table
    if norm:
        layer_norm = fill(torch.nn.LayerNorm(width, eps=config.layer_norm_eps))
        settings["deberta.norm"] = "layer_norm"
        tables.update({"deberta.norm_gain": layer_norm.weight, "deberta.norm_bias": layer_norm.bias})
        rows = layer_norm(table)
    relative = build_relative_position(x, x, bucket_size=span, max_position=largest)
    with Recorded() as softmax:
        attention(x, torch.ones(1, 1, length, length), relative_pos=relative, rel_embeddings=rows)

    def of_head(linear):
        return linear(x)[0, :, head * d:(head + 1) * d]
    tables.update({"deberta.W_qr": attention.query_proj.weight.T.contiguous(), "deberta.b_qr": attention.query_proj.bias,
                   "deberta.W_kr": attention.key_proj.weight.T.contiguous(), "deberta.b_kr": attention.key_proj.bias})
    return case("deberta", settings, tables, of_head(attention.query_proj), of_head(attention.key_proj),
                softmax.head(head), heads, head, width)


# theta --------------------------------------------------------------------------------------------------
def theta_error(d, base=10000):
    """The largest |double(theta_t) − theta_t| over t: times a position, the error of an angle."""
    mpmath.mp.dps = 50
    exact = [mpmath.power(base, mpmath.mpf(-2 * t) / d) for t in range(d // 2)]
    return float(max(abs(mpmath.mpf(float(theta)) - theta) for theta in exact))


document = {
    "generator": "tests/golden/generate_conventions.py",
    "versions": {"python": sys.version.split()[0], "numpy": np.__version__, "mpmath": mpmath.__version__,
                 "torch": torch.__version__, "transformers": transformers.__version__},
    "mpt_slopes": mpt_slopes(),
    "theta_error d=128": theta_error(128),
    "cases": {
        "Falcon, 8 heads": falcon(8, 5, True), "Falcon, 12 heads": falcon(12, 9, False),
        "Wav2Vec2-BERT": wav2vec2_bert(), "BERT relative_key": bert("relative_key"),
        "BERT relative_key_query": bert("relative_key_query"), "Huang method 4": huang_method_4(),
        "XLNet": xlnet(-1, False) | {"settings": {}}, "XLNet, segments": xlnet(0, True),
        "XLNet, clamp_len 3, segments": xlnet(3, True), "Transformer-XL, clamp_len 4": transformer_xl_clamped(),
        "TUPE released": tupe_released(True), "TUPE released, absolute": tupe_released(False),
        "TUPE": tupe_paper(True), "TUPE, [CLS] tied": tupe_paper(False),
        "DeBERTa v1": deberta_v1(), "DeBERTa v2": deberta_v2(False), "DeBERTa v2, norm_rel_ebd": deberta_v2(True)},
}
text = json.dumps(document, separators=(",", ":")).replace("},", "},\n")
(here / "conventions.json").write_text(text + "\n")
