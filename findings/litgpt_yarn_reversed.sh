#!/usr/bin/env bash
# One would guess that YaRN leaves the fast pairs of a rotary embedding as they are and divides the frequencies of the slow
# ones by the factor, as in its paper and in Transformers. In LitGPT 0.5.13 the ramp between them runs the other way: fast
# pairs, which tell neighbours apart, are divided, and slow ones, which never came full circle in training, are not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet transformers==5.24.0 torch==2.15.0 numpy==2.4.6 \
  lightning==2.6.6 psutil==7.2.2 "jsonargparse[signatures]==4.41.0"
venv/bin/pip install --quiet --no-deps litgpt==0.5.13
cat >run.py <<'PYTHON'
import torch
from litgpt.model import build_rope_cache
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

width, base = 64, 10000
keys = {"factor": 40.0, "beta_fast": 32.0, "beta_slow": 1.0}
usual = base ** (-torch.arange(0, width, 2) / width)
cos, sin = build_rope_cache(2, width, base=base, extra_config={**keys, "original_max_seq_len": 4096})
config = LlamaConfig(hidden_size=width, num_attention_heads=1, max_position_embeddings=40 * 4096, rope_parameters={
    "rope_type": "yarn", "rope_theta": float(base), "original_max_position_embeddings": 4096, **keys})
found = {"Transformers": ROPE_INIT_FUNCTIONS["yarn"](config, "cpu")[0], "LitGPT": torch.atan2(sin[1], cos[1])[:width // 2]}
for name, frequencies in found.items():
    times = [f"{ratio:.3f}" for ratio in (frequencies / usual).tolist()]
    print(f"{name}: frequencies times {times[0]} (pair 0), {times[16]} (pair 16), {times[31]} (pair 31)")
PYTHON
venv/bin/python run.py 2>/dev/null | tee output
diff output - <<'EXPECTED'
Transformers: frequencies times 1.000 (pair 0), 0.550 (pair 16), 0.025 (pair 31)
LitGPT: frequencies times 0.025 (pair 0), 0.475 (pair 16), 1.000 (pair 31)
EXPECTED
