#!/usr/bin/env bash
# One would guess that rope_type="dynamic" raises the base of a rotary embedding, as NTK scaling does: the fastest pair
# stays as it is and the slowest is divided by the factor. In KerasHub 0.32.0 it divides the frequencies of all pairs by
# factor^(d/(d - 2)), and so is linear scaling by somewhat more. And rope_position_scaling_factor, which LlamaBackbone
# documents as the scaling factor of its rotary embedding, has no effect there; Mistral's rope_scaling_factor has.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet keras==3.15.1 jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6 kagglehub==1.0.2 kagglesdk==0.1.28 \
  regex==2026.11.19 tokenizers==0.23.3 sentencepiece==0.2.3
venv/bin/pip install --quiet --no-deps keras-hub==0.32.0
cat >run.py <<'PYTHON'
import keras
import keras_hub
import numpy as np


def frequencies(**keys):
    real = np.repeat([[[1, 0]]], 16, -1).repeat(2, 1).astype(np.float32)  # 16 pairs at positions 0 and 1
    turned = np.asarray(keras_hub.layers.RotaryEmbedding(**keys)(real))[0, 1]
    return np.arctan2(turned[16:], turned[:16])


for keys in ({"rope_type": "dynamic", "scaling_factor": 4.0}, {"max_wavelength": 10000 * 4 ** (32 / 30)}):
    divided = frequencies() / frequencies(**keys)
    print(f"{' and '.join(keys)}: the fastest pair is divided by {divided[0]:.3f}, the slowest by {divided[-1]:.3f}")
sizes = dict(vocabulary_size=32, num_layers=1, num_query_heads=2, num_key_value_heads=2, hidden_dim=16,
             intermediate_dim=16)
tokens = {"token_ids": np.array([[3, 9, 5, 20, 7, 4]]), "padding_mask": np.ones((1, 6), int)}
for model, key in (("LlamaBackbone", "rope_position_scaling_factor"), ("MistralBackbone", "rope_scaling_factor")):
    outputs = []
    for factor in (1.0, 4.0):
        keras.utils.set_random_seed(0)
        outputs.append(np.asarray(getattr(keras_hub.models, model)(**sizes, **{key: factor})(tokens)))
    print(f"{model}, {key}=4:", "the same as 1" if np.array_equal(*outputs) else "another model than 1")
PYTHON
KERAS_BACKEND=jax venv/bin/python run.py 2>/dev/null | tee output
diff output - <<'EXPECTED'
rope_type and scaling_factor: the fastest pair is divided by 4.387, the slowest by 4.387
max_wavelength: the fastest pair is divided by 1.000, the slowest by 4.000
LlamaBackbone, rope_position_scaling_factor=4: the same as 1
MistralBackbone, rope_scaling_factor=4: another model than 1
EXPECTED
