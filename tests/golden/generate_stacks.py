#!/usr/bin/env python3
"""Writes stacks.json: encoders and decoders of small encoder-decoders of Transformers, as their modules have them.

Of each stack: its layers, the channels of a head, the factor of q·k, whether its own attention is causal, and of RoPE
the frequencies.
Run it with torch and transformers installed: python3 generate_stacks.py
"""
import json
import pathlib

import torch
import transformers
from transformers import AutoConfig, AutoModel

HERE = pathlib.Path(__file__).parent
BART = {"d_model": 48, "encoder_layers": 2, "decoder_layers": 3, "encoder_attention_heads": 4,
        "decoder_attention_heads": 6, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "max_position_embeddings": 64,
        "vocab_size": 40, "pad_token_id": 1}
T5 = {"d_model": 32, "d_kv": 6, "num_layers": 2, "num_heads": 4, "d_ff": 16, "vocab_size": 40,
      "relative_attention_num_buckets": 8}
CONFIGS = {
    **{kind: BART for kind in ("bart", "mbart", "plbart", "marian", "pegasus", "blenderbot", "blenderbot-small",
                               "m2m_100")},
    "bigbird_pegasus": {**BART, "attention_type": "original_full"},
    "t5": {**T5, "num_decoder_layers": 3}, "mt5": T5, "umt5": {**T5, "num_decoder_layers": 1},
    "longt5": {**T5, "num_decoder_layers": 3, "local_radius": 5},
    "switch_transformers": {**T5, "num_decoder_layers": 3, "num_sparse_encoder_layers": 1,
                            "num_sparse_decoder_layers": 1, "num_experts": 2},
    "moonshine": {"hidden_size": 48, "intermediate_size": 32, "encoder_num_hidden_layers": 2,
                  "decoder_num_hidden_layers": 3, "encoder_num_attention_heads": 3, "decoder_num_attention_heads": 6,
                  "encoder_num_key_value_heads": 3, "decoder_num_key_value_heads": 6, "vocab_size": 40,
                  "pad_token_id": 1, "bos_token_id": 1, "eos_token_id": 2},
}


def own_attention(layer):
    for name in ("self_attn", "self_attention"):
        if hasattr(layer, name):
            return getattr(layer, name)
    first = layer.layer[0]  # T5's kind
    for name in ("SelfAttention", "LocalSelfAttention", "TransientGlobalSelfAttention"):
        if hasattr(first, name):
            return getattr(first, name)
    return first.self if hasattr(first, "self") else first


def stack_of(stack):
    layers = stack.layers if hasattr(stack, "layers") else stack.block
    attention = own_attention(layers[0])
    if hasattr(attention, "self"):  # BigBird-Pegasus' encoder
        attention = attention.self
    heads = next(getattr(attention, name) for name in ("num_heads", "n_heads", "num_attention_heads")
                 if hasattr(attention, name)) if not hasattr(attention, "num_key_value_groups") else None
    width = attention.q_proj if hasattr(attention, "q_proj") else attention.q if hasattr(attention, "q") else attention.query
    head_dim = attention.head_dim if heads is None else width.out_features // heads
    t5 = hasattr(stack, "block")
    scale = 1.0 if t5 else getattr(attention, "scaling", head_dim ** -0.5)
    found = {"layers": len(layers), "head_dim": head_dim, "softmax_scale": scale}
    if hasattr(attention, "has_relative_attention_bias"):
        found["bidirectional"] = not attention.is_decoder
    if hasattr(stack, "rotary_emb"):
        found["inv_freq"] = stack.rotary_emb.inv_freq.double().tolist()
    return found


def causal(model, ids):
    """Whether a change of the last token moves the first state of the decoder, and of the encoder."""
    moved = []
    for stack in ("encoder", "decoder"):
        states = []
        for last in (5, 9):
            changed = ids.clone()
            changed[0, -1] = last
            inputs = {"encoder": {"input_ids": changed, "decoder_input_ids": ids},
                      "decoder": {"input_ids": ids, "decoder_input_ids": changed}}[stack]
            if hasattr(model, "audio"):
                audio = model.audio.clone()
                if stack == "encoder":
                    audio[0, 3000:] += last
                inputs = {"input_values": audio, "decoder_input_ids": inputs["decoder_input_ids"]}
            with torch.no_grad():
                out = model(**inputs)
            states.append(out.encoder_last_hidden_state[0, 0] if stack == "encoder" else out.last_hidden_state[0, 0])
        moved.append(bool((states[0] - states[1]).abs().max() > 0))
    return not moved[0], not moved[1]


def main():
    torch.manual_seed(0)
    result = {"generator": "tests/golden/generate_stacks.py",
              "versions": {"torch": torch.__version__, "transformers": transformers.__version__}, "models": []}
    for kind, given in CONFIGS.items():
        config = AutoConfig.for_model(kind, **given)
        model = AutoModel.from_config(config).eval()
        if kind == "moonshine":
            model.audio = torch.randn(1, 4000)
        encoder_causal, decoder_causal = causal(model, torch.tensor([[3, 4, 5, 6, 7, 8, 3, 5]]))
        encoder, decoder = stack_of(model.encoder), stack_of(model.decoder)
        encoder["causal"], decoder["causal"] = encoder_causal, decoder_causal
        written = {"model_type": kind, **given}
        result["models"].append({"config": written, "encoder": encoder, "decoder": decoder})
    (HERE / "stacks.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
