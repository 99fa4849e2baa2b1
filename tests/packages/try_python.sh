#!/usr/bin/env bash
# pyorrery of a package computes and draws.
#   try_python.sh PYTHON
set -euo pipefail
cd /
exec "$1" - <<'PYTHON'
import importlib.metadata

import numpy as np
import pyorrery as orr

x = np.ones((3, 8))
turned = orr.apply(x, "rope", [0, 5, 9], rope__pairing="half_split")
assert np.allclose(turned[0], x[0]) and np.allclose(turned[1, 0], np.cos(5) - np.sin(5))
assert orr.check_rope(lambda x, at: orr.apply(x, "rope", at), "rope")
result = orr.run("long_term_decay", dim=32, max_distance=20)
assert "</svg>" in result.svg()
assert orr.positions({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4,
                      "num_hidden_layers": 2})["layers"]
vectors = orr.golden("llama 3.1")
settings = {key: value for key, value in vectors.settings.items() if key != "dim"}
vectors.check(orr.Encoding(settings).apply)
plugins = importlib.metadata.distribution("pyorrery").entry_points
assert [one.value for one in plugins if one.group == "pytest11"] == ["pyorrery_pytest"]
print("pyorrery", orr.__version__, "computes and draws")
PYTHON
