#!/usr/bin/env bash
# One would guess that use_bidirectional_attention in the configuration of a Gemma lets every token see those behind it,
# or does not, whichever implementation of attention is chosen. In Transformers 5.24.0 it does so for Gemma 1 under SDPA,
# where no mask is made, and not in eager attention, whose mask is made without looking at the key; Gemma 2, which has no
# SDPA, stays causal; Gemma 3 sees both ways in either.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet transformers==5.24.0 torch==2.15.0 numpy==2.4.6
cat >run.py <<'PYTHON'
import torch
from transformers import Gemma2Config, Gemma2Model, Gemma3TextConfig, Gemma3TextModel, GemmaConfig, GemmaModel

sizes = dict(vocab_size=32, hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
             num_key_value_heads=1, head_dim=8, use_bidirectional_attention=True)
tokens = torch.tensor([[3, 4, 5, 6]])
other = torch.tensor([[3, 4, 5, 7]])
for config_class, model_class in ((GemmaConfig, GemmaModel), (Gemma2Config, Gemma2Model),
                                  (Gemma3TextConfig, Gemma3TextModel)):
    for implementation in ("eager", "sdpa"):
        torch.manual_seed(0)
        config = config_class(**sizes)
        try:
            model = model_class._from_config(config, attn_implementation=implementation).eval()
        except ValueError as error:
            print(model_class.__name__, implementation, "refused:", type(error).__name__)
            continue
        with torch.no_grad():
            first = [model(ids).last_hidden_state[0, 0] for ids in (tokens, other)]
        sees = not torch.equal(*first)
        print(model_class.__name__, implementation, "sees what is behind a token" if sees else "is causal")
PYTHON
venv/bin/python run.py 2>/dev/null | tee output
diff output - <<'EXPECTED'
GemmaModel eager is causal
GemmaModel sdpa sees what is behind a token
Gemma2Model eager is causal
Gemma2Model sdpa refused: ValueError
Gemma3TextModel eager sees what is behind a token
Gemma3TextModel sdpa sees what is behind a token
EXPECTED
