#!/usr/bin/env bash
# One would guess that xPos in Toto fades q·k over distance the less the slower a pair turns, as in its paper and in the
# class that Toto's is derived from. In toto-ts 0.2.0 the scales are laid out for halves, while channels are paired with
# their neighbours: pair 16 of 32 fades nearly as fast as pair 0, the two channels of a pair are scaled differently, and q·k
# no longer depends on distance alone. Toto's transformer turns xPos on; over few patches all this is small.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet torch==2.15.0 numpy==2.4.6 einops==0.8.2 jaxtyping==0.3.11
venv/bin/pip install --quiet --no-deps rotary-embedding-torch==0.8.6 toto-ts==0.2.0
cat >run.py <<'PYTHON'
import torch
from rotary_embedding_torch import RotaryEmbedding
from toto.model.rope import TimeAwareRotaryEmbedding

channels = torch.eye(64)[None, :, None].expand(1, 64, 513, 64)  # a head for each channel, 1 there at all of 513 positions
for kind in (RotaryEmbedding, TimeAwareRotaryEmbedding):
    rope = kind(64, use_xpos=True)
    q, k = rope.rotate_queries_and_keys(channels, channels)
    kept = q[0, :, -1].norm(dim=-1) * k[0, :, 0].norm(dim=-1)
    print(kind.__name__)
    print("  left of a pair at distance 512:",
          ", ".join(f"{kept[2 * pair]:.3f} (pair {pair})" for pair in (0, 15, 16, 31)))
    q, k = (x[0, 0] for x in rope.rotate_queries_and_keys(*[torch.ones(1, 1, 513, 64)] * 2))
    same = (q @ k.T).diagonal(-256)
    print(f"  q·k of ones at distance 256: from {same.min():.2f} to {same.max():.2f}")
PYTHON
venv/bin/python run.py 2>/dev/null | tee output
diff output - <<'EXPECTED'
RotaryEmbedding
  left of a pair at distance 512: 0.286 (pair 0), 0.621 (pair 15), 0.643 (pair 16), 0.978 (pair 31)
  q·k of ones at distance 256: from 20.72 to 20.72
TimeAwareRotaryEmbedding
  left of a pair at distance 512: 0.286 (pair 0), 0.958 (pair 15), 0.295 (pair 16), 0.955 (pair 31)
  q·k of ones at distance 256: from 19.39 to 19.61
EXPECTED
