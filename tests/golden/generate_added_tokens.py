#!/usr/bin/env python3
"""Writes added_tokens.json: ids of AutoTokenizer where files beside a vocabulary add tokens to it.

Each case is a folder: the vocabulary of a tokenizer of tokenizers/ as vocab.json and merges.txt, as vocab.txt, as
tokenizer.json or as tokenizer.model, and beside it added_tokens.json or a tokenizer_config.json with added_tokens_decoder,
eos_token and the like. `files` are those beside; `ids` are those of `texts`.
Run it with transformers, sentencepiece and protobuf installed; the tests do not need them.
"""
import json
import pathlib
import platform
import shutil
import tempfile

import tokenizers
import transformers
from transformers import AutoTokenizer

transformers.logging.set_verbosity(50)
here = pathlib.Path(__file__).parent
known = json.loads((here / "tokenizers" / "tokenizers.json").read_text())["files"]
texts = ["<|user|>user the turn<|end|>\nok", "the <|end|>  turns", "a<tool>b <tool> c", " <|user|> the", "<|end|>",
         "<|end|><|end|>the", "the turn", "position<s>the</s> turn", " ", "\n", "  ", "the<|endoftext|>turn", "<|USER|>the"]


def vocabulary_of(name):
    file = known[name]
    return {**file["model"]["vocab"], **{token["content"]: token["id"] for token in file["added_tokens"]}}


def base_files(kind, name, folder):
    if kind == "vocab.json":
        (folder / "vocab.json").write_text(json.dumps(vocabulary_of(name)))
        merges = [" ".join(merge) for merge in known[name]["model"]["merges"]]
        (folder / "merges.txt").write_text("#version: 0.2\n" + "\n".join(merges) + "\n")
    elif kind == "vocab.txt":
        ids = vocabulary_of(name)
        (folder / "vocab.txt").write_text("\n".join(sorted(ids, key=ids.get)) + "\n")
    elif kind == "tokenizer.json":
        (folder / "tokenizer.json").write_text(json.dumps(known[name]))
    else:
        shutil.copy(here / "tokenizers" / name, folder / "tokenizer.model")


def count_of(kind, name):
    if kind == "tokenizer.model":
        import sentencepiece
        return sentencepiece.SentencePieceProcessor(model_file=str(here / "tokenizers" / name)).get_piece_size()
    return len(vocabulary_of(name))


def token(content, **flags):
    return {"content": content, "lstrip": False, "normalized": False, "rstrip": False, "single_word": False, "special": True, **flags}


def case(kind, name, config, by_file=False, legacy=None, more=()):
    first = count_of(kind, name)
    files = {"tokenizer_config.json": dict(config)}
    if by_file:
        files["added_tokens.json"] = {"<|user|>": first, "<|end|>": first + 1, "<tool>": first + 2}
    else:
        added = [token("<|user|>"), token("<|end|>", rstrip=True), token("<tool>", lstrip=True, normalized=True, special=False), *more]
        files["tokenizer_config.json"]["added_tokens_decoder"] = {str(first + i): one for i, one in enumerate(added)}
    if legacy is not None:
        files["tokenizer_config.json"]["legacy"] = legacy
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        base_files(kind, name, folder)
        for file, values in files.items():
            (folder / file).write_text(json.dumps(values))
        tokenizer = AutoTokenizer.from_pretrained(folder)
        ids = [tokenizer(text)["input_ids"] for text in texts]
    return {"kind": kind, "base": name, "files": files, "ids": ids}


gpt2 = {"tokenizer_class": "GPT2Tokenizer", "bos_token": "<|endoftext|>", "eos_token": "<|end|>", "unk_token": "<|endoftext|>"}
llama = {"tokenizer_class": "LlamaTokenizer", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "add_bos_token": True,
         "add_eos_token": False}
cases = {
    "GPT-2, added_tokens.json": case("vocab.json", "gpt2", gpt2, by_file=True),
    "GPT-2, added_tokens_decoder": case("vocab.json", "gpt2", gpt2),
    "GPT-2, tokenizer.json": case("tokenizer.json", "gpt2", {**gpt2, "tokenizer_class": "PreTrainedTokenizerFast"}),
    "BERT, added_tokens.json": case("vocab.txt", "bert_uncased", {"tokenizer_class": "BertTokenizer"}, by_file=True),
    "Llama, added_tokens.json": case("tokenizer.model", "bpe_bytes.model", llama, by_file=True),
    "Llama, added_tokens_decoder": case("tokenizer.model", "bpe_bytes.model", llama),
    "Llama, legacy": case("tokenizer.model", "bpe_bytes.model", llama, legacy=True),
}
document = {"generator": "tests/golden/generate_added_tokens.py",
            "versions": {"python": platform.python_version(), "tokenizers": tokenizers.__version__, "transformers": transformers.__version__},
            "texts": texts, "cases": cases}
(here / "added_tokens.json").write_text(json.dumps(document, separators=(",", ":")).replace("},", "},\n") + "\n")
