#!/usr/bin/env bash
# One would guess that slow_but_exact computes what Bloom computes without it, more exactly: the documentation says that
# it reproduces the sums of training with tensor parallelism. In Transformers 5.24.0, with pretraining_tp above 1, the sums
# over slices leave out the biases of both projections back into the residual stream, so that the model is another one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet transformers==5.24.0 torch==2.15.0 numpy==2.4.6
cat >run.py <<'PYTHON'
import torch
from transformers import BloomConfig, BloomModel

tokens = torch.tensor([[3, 9, 5, 20, 7, 4]])


def hidden(with_biases, **keys):
    torch.manual_seed(0)
    model = BloomModel(BloomConfig(vocab_size=32, hidden_size=16, n_layer=1, n_head=2, **keys)).double().eval()
    layer = model.h[0]
    with torch.no_grad():
        for bias in (layer.self_attention.dense.bias, layer.mlp.dense_4h_to_h.bias):
            bias.copy_(torch.linspace(-1, 1, 16) if with_biases else torch.zeros(16))
        return model(tokens).last_hidden_state


for with_biases in (False, True):
    usual = hidden(with_biases, slow_but_exact=False, pretraining_tp=2)
    exact = hidden(with_biases, slow_but_exact=True, pretraining_tp=2)
    same = (usual - exact).abs().max().item() < 1e-12
    print("biases of", "-1 to 1:" if with_biases else "0:", "the same" if same else "another model")
bare = hidden(False, slow_but_exact=False)
print("slow_but_exact with biases is the usual model without them:",
      (bare - hidden(True, slow_but_exact=True, pretraining_tp=2)).abs().max().item() < 1e-12)
PYTHON
venv/bin/python run.py 2>/dev/null | tee output
diff output - <<'EXPECTED'
biases of 0: the same
biases of -1 to 1: another model
slow_but_exact with biases is the usual model without them: True
EXPECTED
