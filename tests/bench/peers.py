#!/usr/bin/env python3
"""What PyTorch takes for the operations of `./orrery bench --peers`, told one at a time.

Prints its versions, then for each line of standard input (an operation and its sizes) the seconds
of one run: as many runs as fit into 30 ms, at least one, after one that is not counted. Every
operation is written as its users write it; where there are two ways, the faster one is taken.
"""
import os
import sys
import time

import torch
import torch.nn.functional as F

torch.set_num_threads(int(os.environ.get("ORRERY_PEER_THREADS", "1")))
torch.set_grad_enabled(False)


def heads(n, d=64):
    generator = torch.Generator().manual_seed(1)
    return [torch.randn(1, 1, n, d, generator=generator) for _ in range(3)]


def turns(n, d, base=10000.0):
    """cos and sin [n, d] of rotate-half RoPE, as Transformers makes them for each call."""
    inverse = 1.0 / base ** (torch.arange(0, d, 2, dtype=torch.float32) / d)
    angle = torch.outer(torch.arange(n, dtype=torch.float32), inverse)
    both = torch.cat((angle, angle), dim=-1)
    return both.cos(), both.sin()


def rotate_half(x, cos, sin):
    half = x.shape[-1] // 2
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), dim=-1) * sin


def as_complex(n, d, base=10000.0):
    """e^{i m theta}, as Meta's Llama makes it."""
    inverse = 1.0 / base ** (torch.arange(0, d, 2, dtype=torch.float32) / d)
    angle = torch.outer(torch.arange(n, dtype=torch.float32), inverse)
    return torch.polar(torch.ones_like(angle), angle)


def rotate_complex(x, turn):
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * turn).flatten(-2)


def attention(n, causal):
    q, k, v = heads(n)
    return [lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal)]


def attention_rope(n):
    q, k, v = heads(n)

    def halves():
        cos, sin = turns(n, 64)
        return F.scaled_dot_product_attention(
            rotate_half(q, cos, sin), rotate_half(k, cos, sin), v, is_causal=True)

    def complexes():
        turn = as_complex(n, 64)
        return F.scaled_dot_product_attention(
            rotate_complex(q, turn), rotate_complex(k, turn), v, is_causal=True)

    return [halves, complexes]


def attention_alibi(n):
    q, k, v = heads(n)

    def biased():
        at = torch.arange(n)
        distance = at[:, None] - at[None, :]
        bias = -0.5 * distance.abs().to(torch.float32)
        bias.masked_fill_(distance < 0, float("-inf"))
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)

    return [biased]


def rope(n, d):
    x = torch.randn(n, d, generator=torch.Generator().manual_seed(1))
    return [lambda: rotate_half(x, *turns(n, d)), lambda: rotate_complex(x, as_complex(n, d))]


def attention_map(n):
    q, k, _ = heads(n)

    def weights():
        turn = as_complex(n, 64)
        logits = rotate_complex(q, turn) @ rotate_complex(k, turn).transpose(-1, -2) / 8
        return logits, torch.softmax(logits, -1)

    return [weights]


def decay_bound(n, d):
    def bound():
        theta = 10000.0 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
        angle = torch.outer(torch.arange(n, dtype=torch.float64), theta)
        return torch.polar(torch.ones_like(angle), angle).cumsum(1).abs().mean(1)

    return [bound]


OPERATIONS = {
    "attention": lambda n: attention(n, False),
    "attention_causal": lambda n: attention(n, True),
    "attention_rope": attention_rope,
    "attention_alibi": attention_alibi,
    "attention_map": attention_map,
    "rope": rope,
    "decay_bound": decay_bound,
}


def seconds(run):
    run()
    start = time.perf_counter()
    runs = 0
    while runs == 0 or time.perf_counter() - start < 0.03:
        run()
        runs += 1
    return (time.perf_counter() - start) / runs


def main():
    print(f"PyTorch {torch.__version__}", flush=True)
    made = {}
    for line in sys.stdin:
        name, *sizes = line.split()
        if name not in OPERATIONS:
            print("none", flush=True)
            continue
        if line not in made:
            made = {line: OPERATIONS[name](*map(int, sizes))}
        print(min(map(seconds, made[line])), flush=True)


main()
