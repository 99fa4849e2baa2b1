#!/usr/bin/env bash
# One would guess that interleaved=True makes the rotary embedding of ESM 3 turn pairs of neighbouring channels, as its
# docstring says. In esm 3.2.1.post1 neighbours are indeed paired, but the tables of cos and sin stay laid out for halves,
# so that the two channels of a pair are turned by different angles: lengths change, and q·k differs between positions that
# are equally far apart, and even at distance 0. The models of the package leave it at False.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet torch==2.15.0 numpy==2.4.6 einops==0.8.2
venv/bin/pip install --quiet --no-deps esm==3.2.1.post1
cat >run.py <<'PYTHON'
import torch
from esm.layers.rotary import RotaryEmbedding

ones = torch.ones(1, 64, 1, 32)
for interleaved in (False, True):
    q, k = (x[0, :, 0] for x in RotaryEmbedding(32, interleaved=interleaved)(ones, ones))
    logits = q @ k.T
    for distance in (0, 8):
        same = logits.diagonal(-distance)
        print(f"interleaved={interleaved}, distance {distance}: q·k from {same.min():.1f} to {same.max():.1f}")
PYTHON
venv/bin/python run.py 2>/dev/null | tee output
diff output - <<'EXPECTED'
interleaved=False, distance 0: q·k from 32.0 to 32.0
interleaved=False, distance 8: q·k from 21.0 to 21.0
interleaved=True, distance 0: q·k from 22.5 to 40.9
interleaved=True, distance 8: q·k from 11.6 to 29.9
EXPECTED
