#!/usr/bin/env python3
"""Writes conformers.json: the logits of Conformers' attention, computed without Orrery.

The layers of Transformers run as they are in float64 with small exact weights, and the input and output of their softmax are
recorded: Wav2Vec2-Conformer, FastSpeech2-Conformer (ESPnet's) and Parakeet (NeMo's). Their own modules make the sinusoids, in
float32 as they stand there, or in float64 where the module has a table of frequencies. NeMo and ESPnet themselves are written
from their released code: create_pe, pos_seq and rel_shift of nemo/collections/asr/parts/submodules/multi_head_attention.py, and
the same of espnet/nets/pytorch_backend/transformer (RelPositionalEncoding, not the legacy one).

Cases have the form of conventions.json. Run it with torch and transformers installed; the tests do not need them.
"""
import json
import math
import pathlib
import platform

import torch
import transformers
from transformers.models.fastspeech2_conformer import modeling_fastspeech2_conformer as fastspeech
from transformers.models.parakeet import modeling_parakeet as parakeet
from transformers.models.wav2vec2_conformer import modeling_wav2vec2_conformer as wav2vec

here = pathlib.Path(__file__).parent
torch.set_default_dtype(torch.float64)
heads, d, length, head = 2, 6, 9, 1
d_model = heads * d


def numbers(rows, columns, a, b, m, scale=4.0):
    return torch.tensor([[((a * i + b * c) % m - m // 2) / scale for c in range(columns)] for i in range(rows)])


def fill(module):
    """Small exact numbers for every parameter, another pattern for each."""
    with torch.no_grad():
        for index, parameter in enumerate(module.parameters()):
            flat = parameter.reshape(-1, parameter.shape[-1])
            parameter.copy_(numbers(*flat.shape, 3 + 2 * index, 5 + index, 7 + 2 * (index % 5), 8.0).reshape(parameter.shape))
    return module.double().eval()


class Recorded:
    """The input and output of the one softmax that runs inside the block."""

    def __enter__(self):
        self.originals, self.calls = (torch.softmax, torch.nn.functional.softmax), []

        def recording(x, dim=-1, **_):
            out = torch.exp(x - x.amax(dim, keepdim=True))
            out = out / out.sum(dim, keepdim=True)
            self.calls.append((x.detach(), out))
            return out
        torch.softmax = torch.nn.functional.softmax = recording
        return self

    def __exit__(self, *_):
        torch.softmax, torch.nn.functional.softmax = self.originals


def case(u, v, W_kR, q, k, logits, weights):
    """W_kR [d_model, heads·d]."""
    tables = {"transformer_xl.u": u, "transformer_xl.v": v, "transformer_xl.W_kR": W_kR}
    return {"encoding": "transformer_xl", "settings": {"transformer_xl.layout": "interleaved"},
            "tables": {name: table.detach().tolist() for name, table in tables.items()}, "heads": heads, "head": head,
            "d_model": d_model, "q": q.detach().tolist(), "k": k.detach().tolist(), "m": list(range(length)),
            "n": list(range(length)), "logits": logits.tolist(), "weights": weights.tolist()}


contents = numbers(length, d_model, 7, 3, 11)[None]


def of_layer(attention, run, u, v, linear_pos, linear_q, linear_k):
    with Recorded() as softmax:
        run(attention)
    (logits, weights), = softmax.calls

    def of_head(linear):
        return linear(contents)[0, :, head * d:(head + 1) * d]
    return case(u, v, linear_pos.weight.T, of_head(linear_q), of_head(linear_k), logits[0, head], weights[0, head])


def wav2vec2_conformer():
    config = transformers.Wav2Vec2ConformerConfig(hidden_size=d_model, num_attention_heads=heads, max_source_positions=64,
                                                  position_embeddings_type="relative")
    positions = wav2vec.Wav2Vec2ConformerRelPositionalEmbedding(config)(contents)
    attention = fill(wav2vec.Wav2Vec2ConformerSelfAttention(config))
    return of_layer(attention, lambda layer: layer(contents, relative_position_embeddings=positions), attention.pos_bias_u,
                    attention.pos_bias_v, attention.linear_pos, attention.linear_q, attention.linear_k)


def fastspeech2_conformer():
    config = transformers.FastSpeech2ConformerConfig(hidden_size=d_model)
    parts = {"num_attention_heads": heads, "attention_dropout_rate": 0.0, "positional_dropout_rate": 0.0}
    _, positions = fastspeech.FastSpeech2ConformerRelPositionalEncoding(config, parts).eval()(contents)
    attention = fill(fastspeech.FastSpeech2ConformerAttention(config, parts))
    return of_layer(attention, lambda layer: layer(contents, pos_emb=positions), attention.pos_bias_u, attention.pos_bias_v,
                    attention.linear_pos, attention.linear_q, attention.linear_k)


def parakeet_encoder():
    config = transformers.ParakeetEncoderConfig(hidden_size=d_model, num_attention_heads=heads, attention_bias=True)
    config._attn_implementation = "eager"
    positions = parakeet.ParakeetEncoderRelPositionalEncoding(config)(contents)
    attention = fill(parakeet.ParakeetEncoderAttention(config, 0))
    return of_layer(attention, lambda layer: layer(contents, positions), attention.bias_u, attention.bias_v,
                    attention.relative_k_proj, attention.q_proj, attention.k_proj)


def nemo():
    """RelPositionMultiHeadAttention of NeMo, whose rel_shift and cut ESPnet has as well."""
    positions = torch.arange(length - 1, -length, -1.0).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float64) * -(math.log(10000.0) / d_model))
    pe = torch.zeros(2 * length - 1, d_model)
    pe[:, 0::2], pe[:, 1::2] = torch.sin(positions * div_term), torch.cos(positions * div_term)
    W_kR, u, v = numbers(d_model, d_model, 5, 3, 11, 8.0), numbers(heads, d, 3, 2, 5), numbers(heads, d, 2, 3, 7)
    q, k = numbers(length, d, 5, 2, 9), numbers(length, d, 3, 4, 7)
    r = (pe @ W_kR)[:, head * d:(head + 1) * d]
    matrix_ac, matrix_bd = (q + u[head]) @ k.T, (q + v[head]) @ r.T
    rows, columns = matrix_bd.shape
    shifted = torch.nn.functional.pad(matrix_bd, (1, 0)).view(-1, rows)[1:].view(rows, columns)[:, :length]
    logits = (matrix_ac + shifted) / math.sqrt(d)
    return case(u, v, W_kR, q, k, logits, torch.softmax(logits, -1))


document = {
    "generator": "tests/golden/generate_conformers.py",
    "versions": {"python": platform.python_version(), "torch": torch.__version__, "transformers": transformers.__version__},
    "cases": {"Wav2Vec2-Conformer": wav2vec2_conformer(), "FastSpeech2-Conformer": fastspeech2_conformer(),
              "Parakeet": parakeet_encoder(), "NeMo and ESPnet": nemo()},
}
(here / "conformers.json").write_text(json.dumps(document, separators=(",", ":")).replace("},", "},\n") + "\n")
