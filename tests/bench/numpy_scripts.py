#!/usr/bin/env python3
"""What people write with NumPy and matplotlib for what `orrery run` and `orrery run attend` do.

  numpy_scripts.py decay DISTANCES FILE.png    the decay bound, d = 128, as a curve
  numpy_scripts.py map QKV.npz FILE.png        weights with RoPE, as a heatmap
  numpy_scripts.py attend ENCODING QKV.npz FILE.npz   logits, weights, terms and output, causal or not
Trained tables are drawn at random: what is compared is time and memory.
"""
import sys

import numpy as np


def decay(distances, file):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    theta = 10000.0 ** (-np.arange(0, 128, 2) / 128)
    bound = np.empty(distances)
    for first in range(0, distances, 1 << 16):  # a table of all would take 1 GB
        at = np.arange(first, min(first + (1 << 16), distances))
        bound[at] = np.abs(np.exp(1j * np.outer(at, theta)).cumsum(axis=1)).mean(axis=1)
    plt.plot(bound)
    plt.xlabel("relative distance")
    plt.ylabel("mean |S|")
    plt.savefig(file)


def rotated(x):
    n, d = x.shape
    theta = 10000.0 ** (-np.arange(0, d, 2) / d)
    turn = np.exp(1j * np.outer(np.arange(n), theta)).astype(np.complex64)
    return (x.view(np.complex64) * turn).view(np.float32)


def softmax(logits):
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def heatmap(inputs, file):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    arrays = np.load(inputs)
    q, k = arrays["q"], arrays["k"]
    weights = softmax(rotated(q) @ rotated(k).T / np.sqrt(np.float32(q.shape[1])))
    plt.imshow(weights)
    plt.colorbar()
    plt.savefig(file)


def distances(n):
    at = np.arange(n)
    return at[:, None] - at[None, :]


def t5_bias(n):
    ahead = -np.arange(-(n - 1), n)  # by m - n
    near = np.abs(ahead)
    far = 8 + (np.log(np.maximum(near, 1) / 8) / np.log(128 / 8) * 8).astype(int)
    bucket = np.where(near < 8, near, np.minimum(far, 15)) + 16 * (ahead > 0)
    table = np.random.default_rng(1).standard_normal(32).astype(np.float32)
    return table[bucket][distances(n) + n - 1]


def position_terms(encoding, q, k):
    """The terms beside the content, over the products of it: [(name, [N, N])], and the scale."""
    n, d = q.shape
    draw = lambda *shape: np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    by_row = lambda products, index: np.take_along_axis(products, index, axis=1)
    one = np.float32(1 / np.sqrt(d))
    if encoding in ("none", "rope"):
        return [], one
    if encoding == "alibi":
        return [("linear_bias", np.float32(-0.5) * np.abs(distances(n)).astype(np.float32))], one
    if encoding == "kerple":
        return [("bias", -np.log1p(np.abs(distances(n)).astype(np.float32)))], one
    if encoding == "t5":
        return [("relative_bias", t5_bias(n))], np.float32(1)
    if encoding == "shaw":
        index = np.clip(-distances(n), -16, 16) + 16
        return [("content_to_position", by_row(q @ draw(33, d).T, index) * one)], one
    if encoding == "transformer_xl":
        at = np.arange(n - 1, -n, -1)
        angle = np.outer(at, 10000.0 ** (-np.arange(0, d, 2) / d))
        r = np.hstack((np.sin(angle), np.cos(angle))).astype(np.float32) @ draw(d, d)
        index = n - 1 - distances(n)
        u, v = draw(1, d), draw(1, d)
        return [("content_to_position", by_row(q @ r.T, index) * one),
                ("global_content", np.broadcast_to(u @ k.T * one, (n, n)).copy()),
                ("global_position", by_row(np.broadcast_to(v @ r.T, (n, 2 * n - 1)), index) * one)], one
    if encoding == "deberta":
        scale = np.float32(1 / np.sqrt(3 * d))
        index = np.clip(distances(n) + 64, 0, 127)
        c2p = by_row(q @ draw(128, d).T, index) * scale
        p2c = by_row(k @ draw(128, d).T, index).T * scale
        return [("content_to_position", c2p), ("position_to_content", p2c)], scale
    if encoding == "tupe":
        scale = np.float32(1 / np.sqrt(2 * d))
        p = draw(n, d)
        return [("position", (p @ draw(d, d)) @ (p @ draw(d, d)).T * scale),
                ("relative_bias", t5_bias(n))], scale
    raise SystemExit(f"no encoding {encoding}")


def attend(encoding, inputs, file):
    arrays = np.load(inputs)
    q, k, v = arrays["q"], arrays["k"], arrays["v"]
    terms, scale = position_terms(encoding, q, k)
    if encoding == "rope":
        q, k = rotated(q), rotated(k)
    terms.insert(0, ("content", q @ k.T * scale))
    logits = sum(term for _, term in terms)
    weights = softmax(logits)
    output = weights @ v
    if encoding == "shaw":
        n = len(q)
        index = np.clip(-distances(n), -16, 16) + 16 + 33 * np.arange(n)[:, None]
        by_distance = np.bincount(index.ravel(), weights.ravel(), 33 * n).reshape(n, 33)
        values = np.random.default_rng(2).standard_normal((33, v.shape[1])).astype(np.float32)
        output += by_distance.astype(np.float32) @ values
    np.savez(file, logits=logits, weights=weights, output=output,
             **{f"term_{name}": term for name, term in terms})


def main():
    what, *words = sys.argv[1:]
    if what == "decay":
        decay(int(words[0]), words[1])
    elif what == "map":
        heatmap(*words)
    else:
        attend(*words)


main()
