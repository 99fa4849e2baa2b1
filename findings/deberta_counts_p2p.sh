#!/usr/bin/env bash
# One would guess that DeBERTa's logits are divided by the root of d_head times the number of terms that are added up,
# as the paper has it. In Transformers 5.24.0 version 1 counts the entries of pos_att_type whatever they are: p2p, for
# which there is no term, flattens attention, and so do entries beside relative_attention=False, with which no term of
# distance is computed at all. Version 2 counts c2p and p2c alone, but also beside relative_attention=False.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet transformers==5.24.0 torch==2.15.0 numpy==2.4.6
cat >run.py <<'PYTHON'
import torch
from transformers import DebertaConfig, DebertaModel, DebertaV2Config, DebertaV2Model

sizes = dict(vocab_size=32, hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
             max_position_embeddings=16, type_vocab_size=0)
tokens = torch.tensor([[3, 9, 5, 20, 7, 4]])


def logits_of(model_class, config):
    """What softmax is given, of the first layer."""
    torch.manual_seed(0)
    model = model_class(config).eval()
    seen = []
    softmax = torch.nn.functional.softmax
    torch.nn.functional.softmax = lambda x, *a, **k: seen.append(x) or softmax(x, *a, **k)
    with torch.no_grad():
        model(tokens)
    torch.nn.functional.softmax = softmax
    return seen[0]


for config_class, model_class in ((DebertaConfig, DebertaModel), (DebertaV2Config, DebertaV2Model)):
    base = logits_of(model_class, config_class(**sizes, relative_attention=False, pos_att_type=[]))
    for terms in (["c2p"], ["c2p", "p2c"], ["c2p", "p2c", "p2p"]):
        given = logits_of(model_class, config_class(**sizes, relative_attention=False, pos_att_type=terms))
        ratio = (base / given).median().item() ** 2
        print(model_class.__name__, "without relative attention,", "+".join(terms), f"divides by the root of {ratio:.2f}")
PYTHON
venv/bin/python run.py 2>/dev/null | tee output
diff output - <<'EXPECTED'
DebertaModel without relative attention, c2p divides by the root of 2.00
DebertaModel without relative attention, c2p+p2c divides by the root of 3.00
DebertaModel without relative attention, c2p+p2c+p2p divides by the root of 4.00
DebertaV2Model without relative attention, c2p divides by the root of 2.00
DebertaV2Model without relative attention, c2p+p2c divides by the root of 3.00
DebertaV2Model without relative attention, c2p+p2c+p2p divides by the root of 3.00
EXPECTED
