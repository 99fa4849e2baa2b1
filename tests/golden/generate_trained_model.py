"""Weights of every head of the model that comes with Orrery, by Transformers in fp64.

    python3 tests/golden/generate_trained_model.py > tests/golden/trained_model.json
"""

import json
import pathlib
import sys

import torch
import transformers

FOLDER = pathlib.Path(__file__).parents[2] / "assets/models/bytes_rope"
TEXT = "An orrery turns."


def in_the_models_precision():
    """Llama's eager attention takes the softmax in fp32, whatever the model's precision is."""
    softmax = torch.nn.functional.softmax
    torch.nn.functional.softmax = lambda x, dim, dtype=None: softmax(x, dim=dim)


def main():
    in_the_models_precision()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(FOLDER / "tokenizer.json"))
    model = transformers.LlamaForCausalLM.from_pretrained(
        FOLDER, dtype=torch.float64, attn_implementation="eager")
    ids = tokenizer(TEXT, return_tensors="pt").input_ids
    assert ids.shape[1] == len(TEXT)
    with torch.no_grad():
        out = model(ids, output_attentions=True)
    maps = [head.tolist() for layer in out.attentions for head in layer[0]]
    json.dump({
        "generator": "tests/golden/generate_trained_model.py",
        "versions": {"transformers": transformers.__version__, "torch": torch.__version__},
        "text": TEXT,
        "weights": maps,
    }, sys.stdout)
    print()


main()
