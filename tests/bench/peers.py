#!/usr/bin/env python3
"""What PyTorch takes for the operations of `./orrery bench --peers`, told one at a time.

Prints its versions, then for each line of standard input (an operation and its sizes) the seconds
of one run: as many runs as fit into 30 ms, at least one, after one that is not counted. Every
operation is written as its users write it; where there are two ways, the faster one is taken.
"""
import math
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


def best_bias(n, bias, q, k, v):
    """Attention with a bias that both the fused and the written-out form can take."""
    def fused():
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias())

    def written_out():
        return torch.softmax(torch.baddbmm(bias()[0], q[0], k[0].transpose(-1, -2),
                                           alpha=q.shape[-1] ** -0.5), -1) @ v[0]

    return [fused, written_out]


def distances(n):
    at = torch.arange(n)
    return at[None, :] - at[:, None]


def attention_t5(n):
    """Bidirectional, 32 buckets to 128; the buckets are looked up once, as users cache them."""
    q, k, v = heads(n)
    distance = torch.arange(-(n - 1), n)
    near = distance.abs()
    far = 8 + (torch.log(near.clamp(min=1) / 8) / math.log(128 / 8) * 8).long()
    bucket = torch.where(near < 8, near, far.clamp(max=15)) + (distance > 0) * 16
    table = torch.randn(32, generator=torch.Generator().manual_seed(2))
    index = bucket[distances(n) + n - 1]

    def gathered():
        return table[index].view(1, 1, n, n)

    def shifted():
        return table[bucket].flip(0).unfold(0, n, 1).flip(1).view(1, 1, n, n)

    return best_bias(n, gathered, q, k, v) + best_bias(n, shifted, q, k, v)


def attention_shaw(n, clip=128, d=64):
    """Keys and values, as eq. (3) and (4): weights of equal distance are added up."""
    q, k, v = (x[0, 0] for x in heads(n, d))
    generator = torch.Generator().manual_seed(2)
    keys, values = (torch.randn(2 * clip + 1, d, generator=generator) for _ in range(2))
    index = distances(n).clamp(-clip, clip) + clip

    def attend():
        logits = q @ k.T
        logits += (q @ keys.T).gather(1, index)
        weights = torch.softmax(logits * d ** -0.5, -1)
        by_distance = torch.zeros(n, 2 * clip + 1).scatter_add_(1, index, weights)
        return weights @ v + by_distance @ values

    return [attend]


def attention_transformer_xl(n, d=64):
    """Causal, with the shift of the authors' code; sinusoids and their projection each time."""
    q, k, v = heads(n, d)
    generator = torch.Generator().manual_seed(2)
    to_keys = torch.randn(d, d, generator=generator)
    u, w = torch.randn(d, generator=generator), torch.randn(d, generator=generator)
    hidden = torch.ones(n, n, dtype=torch.bool).triu(1)

    def bias():
        inverse = 1.0 / 10000.0 ** (torch.arange(0, d, 2, dtype=torch.float32) / d)
        angle = torch.outer(torch.arange(n - 1, -1, -1, dtype=torch.float32), inverse)
        r = torch.cat((angle.sin(), angle.cos()), -1) @ to_keys
        by_distance = F.pad((q + w) @ r.T, (1, 0)) * d ** -0.5
        shifted = by_distance.view(1, 1, n + 1, n)[:, :, 1:]
        return shifted.masked_fill(hidden, float("-inf"))

    return best_bias(n, bias, q + u, k, v)


def attention_deberta(n, span=512, d=64):
    """Both terms over the table of version 1, projected each time."""
    q, k, v = heads(n, d)
    generator = torch.Generator().manual_seed(2)
    table, w_k, w_q = (torch.randn(rows, d, generator=generator) for rows in (2 * span, d, d))
    behind = -distances(n)
    index = (behind + span).clamp(0, 2 * span - 1)
    mirrored = (span - behind).clamp(0, 2 * span - 1)

    def bias():
        c2p = (q[0, 0] @ (table @ w_k).T).gather(1, index)
        p2c = (k[0, 0] @ (table @ w_q).T).gather(1, mirrored.T).T
        return ((c2p + p2c) * (3 * d) ** -0.5).view(1, 1, n, n)

    return best_bias(n, bias, q * 3 ** -0.5, k, v)


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


def toeplitz_residual(n):
    """Diagonals stand one under another in rows of n + 1, or neighbours along them are compared
    (which bounds the spread only from below, but is what tests of implementations do)."""
    logits = torch.randn(n, n, generator=torch.Generator().manual_seed(1))

    def sheared():
        low = F.pad(logits, (0, n), value=float("inf")).flatten()[:-n].view(n, 2 * n - 1).amin(0)
        high = F.pad(logits, (0, n), value=-float("inf")).flatten()[:-n].view(n, 2 * n - 1).amax(0)
        return (high - low).nan_to_num(0, 0, 0).max()

    return [sheared, lambda: (logits[1:, 1:] - logits[:-1, :-1]).abs().max()]


def decay_bound(n, d):
    def bound():
        theta = 10000.0 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
        angle = torch.outer(torch.arange(n, dtype=torch.float64), theta)
        return torch.polar(torch.ones_like(angle), angle).cumsum(1).abs().mean(1)

    return [bound]


def linear(n, d_in, d_out):
    generator = torch.Generator().manual_seed(1)
    x, w = (torch.randn(rows, d_in, generator=generator) for rows in (n, d_out))
    return [lambda: F.linear(x, w)]


def prefill(n, layers, d_model, heads, kv_heads, d_feed_forward, vocabulary):
    """A Llama of Transformers with random weights, to the next token's logits: eager, with fused
    attention, and that compiled. Nothing where Transformers is not installed; without a compiler
    that PyTorch can use, what remains."""
    try:
        from transformers import LlamaConfig, LlamaForCausalLM
    except ImportError:
        return []
    torch.manual_seed(1)
    model = LlamaForCausalLM(LlamaConfig(
        vocab_size=vocabulary, hidden_size=d_model, intermediate_size=d_feed_forward,
        num_hidden_layers=layers, num_attention_heads=heads, num_key_value_heads=kv_heads,
        max_position_embeddings=max(n, 2048), tie_word_embeddings=True)).eval()
    ids = (torch.arange(n) * 7919 % vocabulary)[None]

    def with_attention(run, name):
        def logits():
            model.set_attn_implementation(name)
            return run(ids, logits_to_keep=1, use_cache=False).logits
        return logits

    ways = [with_attention(model, "eager"), with_attention(model, "sdpa")]
    compiled = with_attention(torch.compile(model), "sdpa")
    try:
        compiled()
        ways.append(compiled)
    except Exception as problem:  # of whatever the compiler needs
        print(f"peers: prefill is not compiled: {problem}", file=sys.stderr)
    return ways


class Block(torch.nn.Module):
    """RMSNorm before each half, causal attention with RoPE, ReLU, no biases."""

    def __init__(self, width, head_count):
        super().__init__()
        self.heads = head_count
        self.first, self.second = (torch.nn.RMSNorm(width, eps=1e-5) for _ in range(2))
        self.q, self.k, self.v, self.o = (
            torch.nn.Linear(width, width, bias=False) for _ in range(4))
        self.up = torch.nn.Linear(width, 4 * width, bias=False)
        self.down = torch.nn.Linear(4 * width, width, bias=False)

    def forward(self, x, cos, sin):
        batch, n, width = x.shape
        read = self.first(x)
        q, k, v = (w(read).view(batch, n, self.heads, -1).transpose(1, 2)
                   for w in (self.q, self.k, self.v))
        out = F.scaled_dot_product_attention(
            rotate_half(q, cos, sin), rotate_half(k, cos, sin), v, is_causal=True)
        x = x + self.o(out.transpose(1, 2).reshape(batch, n, width))
        return x + self.down(F.relu(self.up(self.second(x))))


class Trained(torch.nn.Module):
    def __init__(self, width, n, layers, head_count, symbols):
        super().__init__()
        self.tokens = torch.nn.Embedding(symbols, width)
        self.blocks = torch.nn.ModuleList(Block(width, head_count) for _ in range(layers))
        self.norm = torch.nn.RMSNorm(width, eps=1e-5)
        self.vocabulary = torch.nn.Linear(width, symbols, bias=False)
        cos, sin = turns(n, width // head_count)
        self.register_buffer("cos", cos)
        self.register_buffer("sin", sin)

    def forward(self, tokens, targets):
        x = self.tokens(tokens)
        for block in self.blocks:
            x = block(x, self.cos, self.sin)
        logits = self.vocabulary(self.norm(x))
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def training_step(width, n, batch, layers, head_count, symbols):
    """A step of AdamW with clipping, as nanoGPT takes it: eager and compiled, fused AdamW."""
    generator = torch.Generator().manual_seed(1)
    tokens, targets = (torch.randint(symbols, (batch, n), generator=generator) for _ in range(2))

    def steps_of(run, model):
        adam = torch.optim.AdamW(model.parameters(), lr=1e-6, weight_decay=0.01, fused=True)

        def step():
            with torch.enable_grad():
                run(tokens, targets).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            adam.step()
            adam.zero_grad(set_to_none=True)
        return step

    def new_model():
        torch.manual_seed(1)
        return Trained(width, n, layers, head_count, symbols)

    eager = new_model()
    ways = [steps_of(eager, eager)]
    model = new_model()
    compiled = steps_of(torch.compile(model), model)
    try:
        compiled()
        ways.append(compiled)
    except Exception as problem:  # of whatever the compiler needs
        print(f"peers: a training step is not compiled: {problem}", file=sys.stderr)
    return ways


OPERATIONS = {
    "attention": lambda n: attention(n, False),
    "attention_causal": lambda n: attention(n, True),
    "attention_rope": attention_rope,
    "attention_alibi": attention_alibi,
    "attention_t5": attention_t5,
    "attention_shaw": attention_shaw,
    "attention_transformer_xl": attention_transformer_xl,
    "attention_deberta": attention_deberta,
    "attention_map": attention_map,
    "rope": rope,
    "toeplitz_residual": toeplitz_residual,
    "decay_bound": decay_bound,
    "linear": linear,
    "prefill": prefill,
    "training_step": training_step,
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
        print(min(map(seconds, made[line]), default="none"), flush=True)


main()
