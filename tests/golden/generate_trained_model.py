"""Weights of every head of the model that comes with Orrery, by Transformers in fp64.

    python3 tests/golden/generate_trained_model.py > tests/golden/trained_model.json
"""

import json
import pathlib
import sys

import safetensors.torch
import torch

FOLDER = pathlib.Path(__file__).parents[2] / "assets/models/bytes_rope"
STORED = {key: value.double() for key, value in safetensors.torch.load_file(FOLDER / "model.safetensors").items()}
TEXT = "An orrery turns."

# Transformers computes frequencies, norms and softmax in float32 whatever the type of the weights: float32 is made another
# name of float64 before the code of any model is imported.
torch.set_default_dtype(torch.float64)
torch.float32 = torch.float = torch.float64
torch.Tensor.float = torch.Tensor.double

import transformers  # noqa: E402


def main():
    config = transformers.AutoConfig.from_pretrained(FOLDER)
    config._attn_implementation = "eager"
    model = transformers.LlamaForCausalLM(config)
    missing, unexpected = model.load_state_dict(STORED, strict=False)
    assert not missing and not unexpected, (missing, unexpected)
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(FOLDER / "tokenizer.json"))
    ids = tokenizer(TEXT, return_tensors="pt").input_ids
    assert ids.shape[1] == len(TEXT)
    with torch.no_grad():
        out = model.eval()(ids, output_attentions=True)
    json.dump({
        "generator": "tests/golden/generate_trained_model.py",
        "versions": {"torch": torch.__version__, "transformers": transformers.__version__},
        "text": TEXT,
        "weights": [head.tolist() for layer in out.attentions for head in layer[0]],
    }, sys.stdout)
    print()


main()
