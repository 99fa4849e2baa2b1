#!/usr/bin/env bash
# One would guess that equinox's RotaryPositionalEmbedding turns by the theta it was made with. In Equinox 0.13.8 the tables
# are kept for the whole process by width and dtype alone: the first embedding that is called decides, and one of another
# theta gets its tables, until a longer sequence than any before makes them anew, by the theta of whoever brought it, and
# from then on for both. So what an embedding returns depends on which others were called before it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet equinox==0.13.8 jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6
cat >run.py <<'PYTHON'
import equinox
import numpy as np

width = 32
embeddings = {theta: equinox.nn.RotaryPositionalEmbedding(width, theta=theta) for theta in (10_000.0, 500_000.0)}


def call(theta, rows):
    """Says by which theta the slowest pair is turned at the last position."""
    x = np.zeros((rows, width), np.float32)
    x[:, width // 2 - 1] = 1
    turned = np.asarray(embeddings[theta](x))[-1]
    angle = np.arctan2(turned[-1], turned[width // 2 - 1]) / (rows - 1)
    by = round(float(angle ** (-width / (width - 2))), -2)
    print(f"theta {theta:.0f}, {rows} rows: turned by {by:.0f}")


call(10_000.0, 100)
call(500_000.0, 100)
call(500_000.0, 200)
call(10_000.0, 100)
PYTHON
venv/bin/python run.py 2>/dev/null | tee output
diff output - <<'EXPECTED'
theta 10000, 100 rows: turned by 10000
theta 500000, 100 rows: turned by 10000
theta 500000, 200 rows: turned by 500000
theta 10000, 100 rows: turned by 500000
EXPECTED
