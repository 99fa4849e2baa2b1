#!/usr/bin/env python3
"""Writes transformer_gguf/: models of transformer/ as llama.cpp's own converter makes GGUFs of them.

    python3 generate_transformer_gguf.py LLAMA_CPP [MODEL …]

LLAMA_CPP is a checkout of llama.cpp with conversion/ and gguf-py/; the table of MODELS says which models and which
type of numbers. The converter adds 1 to Gemma's gains in the type of the weights; they are given to it in float32, so that the
numbers of a GGUF are those of the model. Models have no tokenizer: the files say "no_vocab".

Made with the copy of llama.cpp in the source package of llama-cpp-python 0.3.36, Transformers 5.23.0 and PyTorch 2.15.0.
"""
import json
import logging
import pathlib
import sys
import tempfile

import torch
from safetensors.torch import load_file, save_file

FOLDER = pathlib.Path(__file__).resolve().parent
SOURCE = FOLDER / "transformer"
TARGET = FOLDER / "transformer_gguf"

# Models of which a GGUF says everything, and the type of its matrices. The others have an activation, a window, a
# scale or positions that llama.cpp has no key for, or no converter.
MODELS = {
    "bert-bare": "F16", "bert-off": "F32", "bloom-off": "BF16", "falcon-gguf": "BF16", "falcon-off": "F16",
    "falcon-one_norm": "BF16", "gemma-off": "F16", "gemma2-gguf": "F16", "gemma3-gguf": "BF16", "gpt2-gguf": "F16",
    "gpt_neox-gguf": "F16", "gpt_neox-off": "F16", "llama-gguf": "BF16", "llama-off": "F16", "mistral-off": "BF16",
    "modernbert-gguf": "F16", "modernbert-off": "BF16", "olmo2-off": "BF16", "phi3-gguf": "BF16", "phi3-off": "BF16",
    "phi3-short": "F16", "qwen2-gguf": "BF16", "qwen2-off": "F16", "qwen3-off": "BF16", "roberta-off": "BF16",
    "smollm3-gguf": "BF16", "starcoder2-gguf": "F16", "starcoder2-off": "BF16", "t5-gguf": "F16", "t5-off": "BF16",
    "t5encoder-off": "BF16",
}

# The classes under which the converter takes a model in part, and how the names begin that it has no place for then.
PARTS = {
    "roberta-off": ("RobertaModel", "lm_head."),
    "t5encoder-off": ("T5EncoderModel", "decoder."),
}


def source_of(name):
    return SOURCE / name.replace("t5encoder", "t5")


def stage(name, folder):
    """A copy of a model with its weights in float32, and the least of a tokenizer that Gemma 3's converter counts."""
    model = source_of(name)
    config = json.loads((model / "config.json").read_text())
    architecture, left_out = PARTS.get(name, (config["architectures"][0], None))
    config["architectures"] = [architecture]
    (folder / "config.json").write_text(json.dumps(config))
    tensors = {}
    for file in sorted(model.glob("*.safetensors")):
        for key, tensor in load_file(file).items():
            if left_out is None or not key.startswith(left_out):
                tensors[key] = tensor.to(torch.float32) if tensor.is_floating_point() else tensor
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    vocabulary = {f"t{i}": i for i in range(config["vocab_size"])}
    (folder / "tokenizer.json").write_text(json.dumps({"model": {"vocab": vocabulary}, "added_tokens": []}))


def without_vocabulary(model_class):
    """The converter of a family, which writes no tokens."""

    def set_vocab(self):
        self.gguf_writer.add_tokenizer_model("no_vocab")

    return type(model_class.__name__, (model_class,), {"set_vocab": set_vocab, "model_arch": model_class.model_arch})


def hyperparameters(folder):
    """What the converter reads, with what Transformers 5 does not hand on as config.json has it."""
    from conversion import ModelBase

    config = json.loads((folder / "config.json").read_text())
    given = ModelBase.load_hparams(folder, False)
    if "rotary_pct" in config:
        given["rotary_pct"] = config["rotary_pct"]
    if config.get("multi_query") and not config.get("new_decoder_architecture"):
        given["num_kv_heads"] = 1
    return given


def convert(name, kind, target):
    import gguf
    from conversion import ModelType, get_model_architecture, get_model_class

    types = {"F32": gguf.LlamaFileType.ALL_F32, "F16": gguf.LlamaFileType.MOSTLY_F16,
             "BF16": gguf.LlamaFileType.MOSTLY_BF16}
    with tempfile.TemporaryDirectory() as scratch, torch.inference_mode():
        folder = pathlib.Path(scratch) / name
        folder.mkdir()
        stage(name, folder)
        given = hyperparameters(folder)
        converter = without_vocabulary(get_model_class(get_model_architecture(given, ModelType.TEXT)))
        converter(folder, types[kind], target / f"{name}.gguf", eager=True, hparams=given).write()


def main():
    llama_cpp = pathlib.Path(sys.argv[1]).resolve()
    sys.path[:0] = [str(llama_cpp), str(llama_cpp / "gguf-py")]
    logging.basicConfig(level=logging.WARNING)
    TARGET.mkdir(exist_ok=True)
    for name in sys.argv[2:] or MODELS:
        convert(name, MODELS[name], TARGET)


if __name__ == "__main__":
    main()
