#!/usr/bin/env python3
"""Six models that PyTorch trains for 50 steps in fp64 from weights of its own, on the lab's sequences.

Writes NAME.safetensors, the state_dict before the first step, and training_start.json: the settings with which
Orrery trains the same model from it, and the loss of each step. With rope and learned the models are Transformers'
Llama and GPT-2; the others are torch's own modules, called as the lab calls its parts. Sequences are drawn anew in
Python: the engine is the standard's mt19937_64, the rest is a few lines of integers.
"""
import json
import math
import pathlib
import platform

import safetensors.torch
import torch
import torch.nn.functional as F
from torch import nn

single = torch.float32
# Transformers computes frequencies, norms and softmax in float32 whatever the type of the weights: float32 is made another
# name of float64 before the code of any model is imported.
torch.set_default_dtype(torch.float64)
torch.float32 = torch.float = torch.float64
torch.Tensor.float = torch.Tensor.double

import transformers  # noqa: E402

HERE = pathlib.Path(__file__).parent
TEXT = (HERE.parents[2] / "assets/texts/where_tokens_are.txt").read_bytes()
STEPS, WARM_UP, RATE, SEED = 50, 10, 0.01, 5
NONE = -1  # no target
BITS = (1 << 64) - 1


# ---- The lab's sequences -------------------------------------------------------------------------

class Random:
    """A stream named by a seed and a purpose: FNV-1a and SplitMix64 seed Matsumoto and Nishimura's engine."""

    def __init__(self, seed, purpose):
        h = 0xcbf29ce484222325
        for c in purpose.encode():
            h = ((h ^ c) * 0x100000001b3) & BITS
        h ^= (seed * 0x9e3779b97f4a7c15) & BITS
        h = ((h ^ (h >> 30)) * 0xbf58476d1ce4e5b9) & BITS
        h = ((h ^ (h >> 27)) * 0x94d049bb133111eb) & BITS
        state = [h ^ (h >> 31)]
        for i in range(1, 312):
            state.append((6364136223846793005 * (state[-1] ^ (state[-1] >> 62)) + i) & BITS)
        self.state, self.at = state, 312

    def bits(self):
        if self.at == 312:
            s = self.state
            for i in range(312):
                x = (s[i] & 0xffffffff80000000) | (s[(i + 1) % 312] & 0x7fffffff)
                s[i] = s[(i + 156) % 312] ^ (x >> 1) ^ (0xb5026f5aa96619e9 if x & 1 else 0)
            self.at = 0
        x = self.state[self.at]
        self.at += 1
        x ^= (x >> 29) & 0x5555555555555555
        x ^= (x << 17) & 0x71d67fffeda60000
        x ^= (x << 37) & 0xfff7eee000000000
        return x ^ (x >> 43)

    def uniform(self):
        return (self.bits() >> 11) * 2.0 ** -53

    def integer(self, count):
        low = (1 << 64) % count
        while (draw := self.bits()) < low:
            pass
        return draw % count

    def symbols(self, count, symbols):
        return [self.integer(symbols) for _ in range(count)]

    def order(self, n):
        order = list(range(n))
        for left in range(n, 1, -1):
            i = self.integer(left)
            order[left - 1], order[i] = order[i], order[left - 1]
        return order


def copy(random, length, symbols):
    block = random.symbols(2 + random.integer(length // 2 - 1), symbols)
    x = [block[i % len(block)] for i in range(length + 1)]
    return x[:-1], [NONE] * (len(block) - 1) + x[len(block):]


def copy_at(random, length, symbols):
    x = random.symbols(length, symbols)
    return x, [NONE] * 2 + x[:-2]


def recall(random, length, symbols):
    pairs = min(symbols, length // 3)
    keys, values = random.order(symbols), random.symbols(pairs, symbols)
    x = [t for i in range(pairs) for t in (keys[i], symbols + values[i])]
    y = [NONE] * len(x)
    while len(x) < length:
        i = random.integer(pairs)
        x.append(keys[i])
        y.append(symbols + values[i])
    return x, y


def reverse(random, length, symbols):
    block = random.symbols(length // 2, symbols)
    back = block[::-1]
    return block + [symbols] + back[:-1], [NONE] * len(block) + back


def brackets(random, length, kinds):
    x, y, opened = [], [NONE] * length, []
    for i in range(length):
        if not opened or (len(opened) < 8 and random.integer(2) == 0):
            opened.append(random.integer(kinds))
            x.append(opened[-1])
        else:
            x.append(opened.pop() + kinds)
            y[i - 1] = x[-1]
    return x, y


BYTES = sorted(set(TEXT))
IDS = [BYTES.index(byte) for byte in TEXT]


def masked_language(random, length, symbols):
    learned = len(IDS) - len(IDS) // 10
    first = random.integer(learned - length + 1)
    pairs = [(len(BYTES), i) if random.uniform() < 0.15 else (i, NONE) for i in IDS[first:first + length]]
    return tuple(map(list, zip(*pairs)))


# ---- Models by the lab's names -------------------------------------------------------------------

def tables(**shapes):
    part = nn.Module()
    for name, shape in shapes.items():
        part.register_parameter(name, nn.Parameter(torch.empty(shape)))
    return part


def distances(n):
    at = torch.arange(n)
    return at[:, None] - at[None]


class Alibi(nn.Module):
    def __init__(self, s):
        super().__init__()
        powers = lambda heads: [2.0 ** (-8 * (h + 1) / heads) for h in range(heads)]
        below = 1 << (s["heads"].bit_length() - 1)
        self.slopes = torch.tensor((powers(below) + powers(2 * below)[::2])[:s["heads"]])

    def logits(self, q, k):
        far = distances(q.shape[-2]).abs()
        return q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) - self.slopes[:, None, None] * far

    def values(self, weights, v):
        return weights @ v


class T5(Alibi):
    """Raffel et al.: 8 buckets, 4 a side, of which 2 are exact, to 20 tokens."""

    def __init__(self, s):
        nn.Module.__init__(self)
        self.t5 = tables(table=(8, s["heads"]))

    def logits(self, q, k):
        def bucket(r):
            n = abs(r)
            far = n if n < 2 else min(3, 2 + int(math.log(n / 2) / math.log(20 / 2) * 2))
            return far + (4 if r < 0 else 0)

        rows = torch.tensor([[bucket(r) for r in line] for line in distances(q.shape[-2]).tolist()])
        return q @ k.transpose(-1, -2) + self.t5.table[rows].permute(2, 0, 1)


class Shaw(Alibi):
    """Vectors of distances to 3, which all heads share."""

    def __init__(self, s):
        nn.Module.__init__(self)
        self.shaw = tables(key_table=(7, s["dim"]), value_table=(7, s["dim"]))

    def rows(self, n):
        return (-distances(n)).clamp(-3, 3) + 3

    def logits(self, q, k):
        a = self.shaw.key_table[self.rows(q.shape[-2])]
        return (q @ k.transpose(-1, -2) + torch.einsum("bhmd,mnd->bhmn", q, a)) / math.sqrt(q.shape[-1])

    def values(self, weights, v):
        return weights @ v + torch.einsum("bhmn,mnd->bhmd", weights, self.shaw.value_table[self.rows(v.shape[-2])])


class Plain(Alibi):
    def __init__(self, s):
        nn.Module.__init__(self)

    def logits(self, q, k):
        return q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])


POSITIONS = {"alibi": Alibi, "t5": T5, "shaw": Shaw, "sinusoidal": Plain}


class Attention(nn.Module):
    def __init__(self, s, bias):
        super().__init__()
        self.heads, d = s["heads"], s["heads"] * s["dim"]
        self.q, self.k, self.v, self.o = (nn.Linear(d, d, bias) for _ in range(4))

    def forward(self, x, position, causal):
        apart = lambda y: y.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        logits = position.logits(apart(self.q(x)), apart(self.k(x)))
        if causal:
            logits = logits.masked_fill(distances(x.shape[1]) < 0, -math.inf)
        y = position.values(logits.softmax(-1), apart(self.v(x)))
        return self.o(y.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, s, norm):
        super().__init__()
        d, self.kind, self.causal = s["heads"] * s["dim"], s["model"], s["task"] != "masked_language"
        bias = self.kind != "plain"
        place = "after" if self.kind == "roformer" else "before"
        self.first, self.second = place + "_attention", place + "_feed_forward"
        self.add_module(self.first, norm())
        self.add_module(self.second, norm())
        self.attention = Attention(s, bias)
        self.up, self.down = nn.Linear(d, 4 * d, bias), nn.Linear(4 * d, d, bias)
        self.position = POSITIONS[s["encoding"]](s)
        self.activation = {"plain": F.relu, "gpt2": lambda x: F.gelu(x, approximate="tanh"), "roformer": F.gelu}[self.kind]

    def forward(self, x):
        first, second = getattr(self, self.first), getattr(self, self.second)
        attend = lambda y: self.attention(y, self.position, self.causal)
        feed = lambda y: self.down(self.activation(self.up(y)))
        if self.kind == "roformer":
            x = first(x + attend(x))
            return second(x + feed(x))
        x = x + attend(first(x))
        return x + feed(second(x))


class Model(nn.Module):
    def __init__(self, s, vocabulary):
        super().__init__()
        d, self.kind, self.sines = s["heads"] * s["dim"], s["model"], s["encoding"] == "sinusoidal"
        norm = {"plain": lambda: nn.RMSNorm(d, eps=1e-5), "gpt2": lambda: nn.LayerNorm(d, eps=1e-5),
                "roformer": lambda: nn.LayerNorm(d, eps=1e-12)}[self.kind]
        self.tokens = nn.Embedding(vocabulary, d)
        self.embedding, self.head = nn.Module(), nn.Module()
        self.layers = nn.ModuleList(Layer(s, norm) for _ in range(s["layers"]))
        if self.kind == "roformer":
            self.embedding.norm = norm()
            self.head.transform, self.head.transform_norm = nn.Linear(d, d), norm()
            self.vocabulary = tables(bias=(vocabulary,))
        else:
            self.head.norm = norm()
        if self.kind == "plain":
            self.vocabulary = nn.Linear(d, vocabulary, bias=False)

    def forward(self, ids):
        x = self.tokens(ids)
        if self.sines:
            d = x.shape[-1]
            angles = torch.arange(ids.shape[1])[:, None] * 10000.0 ** (-torch.arange(0, d, 2) / d)
            x = x + torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
        if self.kind == "roformer":
            x = self.embedding.norm(x)
        for layer in self.layers:
            x = layer(x)
        if self.kind == "roformer":
            x = self.head.transform_norm(F.gelu(self.head.transform(x)))
            return x @ self.tokens.weight.T + self.vocabulary.bias
        x = self.head.norm(x)
        return self.vocabulary(x) if self.kind == "plain" else x @ self.tokens.weight.T


# ---- Models of Transformers ----------------------------------------------------------------------

class OfTransformers(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids):
        return self.model(ids).logits


def llama(s, vocabulary):
    d = s["heads"] * s["dim"]
    config = transformers.LlamaConfig(
        vocab_size=vocabulary, hidden_size=d, intermediate_size=8 * d // 3, num_hidden_layers=s["layers"],
        num_attention_heads=s["heads"], head_dim=s["dim"], rms_norm_eps=1e-5, tie_word_embeddings=False,
        pad_token_id=None, bos_token_id=None, eos_token_id=None, attn_implementation="eager")
    return OfTransformers(transformers.LlamaForCausalLM(config).eval())


def gpt2(s, vocabulary):
    config = transformers.GPT2Config(
        vocab_size=vocabulary, n_embd=s["heads"] * s["dim"], n_layer=s["layers"], n_head=s["heads"],
        n_positions=s["tokens"], layer_norm_epsilon=1e-5, bos_token_id=None, eos_token_id=None, pad_token_id=None,
        attn_implementation="eager")
    return OfTransformers(transformers.GPT2LMHeadModel(config).eval())


# ---- Training ------------------------------------------------------------------------------------

def is_table(name):
    return ".position." in name or name.endswith("wpe.weight")


def draw_weights(model, dtype):
    """Unlike any default: gains and biases are drawn, too. Rounded to the type of the file."""
    generator = torch.Generator().manual_seed(SEED)
    for name, values in model.named_parameters():
        drawn = torch.randn(values.shape, generator=generator)
        if values.dim() == 1:
            drawn = (1 if name.endswith("weight") else 0) + 0.1 * drawn
        elif is_table(name) or "tokens" in name or "embed" in name or "wte" in name:
            drawn = 0.3 * drawn
        else:
            drawn = drawn / math.sqrt(values.shape[1])
        values.data = drawn.to(dtype).double()


def rate(step):
    if step < WARM_UP:
        return RATE * (step + 1) / WARM_UP
    return RATE * (0.1 + 0.9 * (1 + math.cos(math.pi * (step - WARM_UP) / (STEPS - WARM_UP))) / 2)


def train(model, draw, s):
    named = dict(model.named_parameters())
    decays = [v for n, v in named.items() if v.dim() > 1 and not is_table(n)]
    rest = [v for n, v in named.items() if v.dim() == 1 or is_table(n)]
    optimiser = torch.optim.AdamW([{"params": decays, "weight_decay": 0.01}, {"params": rest, "weight_decay": 0.0}],
                                  lr=RATE, betas=(0.9, 0.99), eps=1e-8)
    random, losses = Random(SEED, "sequences of training"), []
    for step in range(STEPS):
        ids, targets = map(torch.tensor, zip(*(draw(random, s["tokens"], s["symbols"]) for _ in range(s["batch"]))))
        loss = F.cross_entropy(model(ids).flatten(0, 1), targets.flatten(), ignore_index=NONE)
        optimiser.zero_grad()
        loss.backward()
        norm = torch.nn.utils.get_total_norm([v.grad for v in named.values()]).item()
        for v in named.values():  # clip_grad_norm_ adds 1e-6 to the norm
            v.grad *= min(1.0, 1 / norm)
        for group in optimiser.param_groups:
            group["lr"] = rate(step)
        optimiser.step()
        losses.append(float(f"{loss.item():.12g}"))
    return losses


def case(encoding, make, draw, vocabulary, dtype, more=None, **sizes):
    s = {"encoding": encoding, "task": draw.__name__, "symbols": 8, **sizes}
    model = make(s, vocabulary)
    draw_weights(model, dtype)
    state = (model.model if isinstance(model, OfTransformers) else model).state_dict()
    if encoding == "learned":
        state.pop("lm_head.weight")  # the same tensor as wte, and no file has a tensor twice
    safetensors.torch.save_file({n: v.to(dtype).contiguous() for n, v in state.items()},
                                HERE / f"{encoding}.safetensors", metadata={"format": "pt"})
    settings = {**s, **(more or {}), "steps": STEPS, "warm_up": WARM_UP, "learning_rate": RATE, "seed": SEED,
                "extrapolation": 1}
    if draw is masked_language:
        settings.pop("symbols")
    return {"settings": {k: str(v) for k, v in settings.items()}, "losses": train(model, draw, s)}


if __name__ == "__main__":
    cases = [
        case("rope", llama, copy, 11, single, model="llama", layers=2, heads=3, dim=6, tokens=14, batch=5, symbols=11),
        case("learned", gpt2, recall, 14, torch.bfloat16, {"learned.length": 13}, model="gpt2", layers=2, heads=2, dim=10,
             tokens=13, batch=4, symbols=7),
        case("alibi", Model, copy_at, 9, torch.float16, {"distance": 2}, model="plain", layers=3, heads=3, dim=4, tokens=11,
             batch=6, symbols=9),
        case("sinusoidal", Model, reverse, 8, single, model="roformer", layers=2, heads=2, dim=8, tokens=14, batch=3,
             symbols=7),
        case("t5", Model, masked_language, len(BYTES) + 1, torch.float16, {"t5.buckets": 8, "t5.max_distance": 20},
             model="gpt2", layers=1, heads=2, dim=6, tokens=23, batch=7),
        case("shaw", Model, brackets, 10, torch.float64, {"shaw.clip": 3}, model="plain", layers=1, heads=4, dim=6, tokens=17,
             batch=4, symbols=5)]
    (HERE / "training_start.json").write_text(json.dumps(
        {"generator": "tests/golden/training_start/generate_training_start.py",
         "versions": {"python": platform.python_version(), "torch": torch.__version__.split("+")[0],
                      "transformers": transformers.__version__, "safetensors": safetensors.__version__},
         "cases": cases}) + "\n")
