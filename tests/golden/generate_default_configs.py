#!/usr/bin/env python3
"""Writes default_configs.json: the configuration that every class of Transformers with parameters of RoPE has by default, and
the tables that its own rotary module makes of it.

Of each class of configuration whose dictionary, or that of a part of it, has rope_parameters: the dictionary as config.json
would hold it, without keys that say nothing about positions, and for each rotary module of the package whose constructor takes
that class the frequencies and the attention factor, by type of layers where it has several. Modules that take no configuration
(vision, audio) give none. Frequencies are written once, and cases name them by number.
Run it with torch and transformers installed: python3 generate_default_configs.py [--out FILE]
"""
import argparse
import importlib
import inspect
import json
import pathlib
import platform
import typing
import warnings

import torch
import transformers
from transformers import MODEL_MAPPING, PreTrainedConfig

warnings.filterwarnings("ignore")
transformers.logging.set_verbosity(50)
here = pathlib.Path(__file__).parent
root = pathlib.Path(transformers.__file__).parent / "models"

# Bookkeeping, and lists as long as a vocabulary.
unsaid = """_name_or_path transformers_version dtype id2label label2id problem_type return_dict output_hidden_states output_attentions
chunk_size_feed_forward architectures initializer_range bos_token_id eos_token_id pad_token_id""".split()
long_list = 300


def modules_of(package, prefix):
    for file in sorted((root / package).glob(f"{prefix}_*.py")):
        try:
            yield importlib.import_module(f"transformers.models.{package}.{file.stem}")
        except Exception:  # what needs a library that is not here
            continue


def classes_in(module, kind, ending=""):
    return [cls for name, cls in sorted(vars(module).items())
            if inspect.isclass(cls) and issubclass(cls, kind) and cls.__module__ == module.__name__ and name.endswith(ending)]


def said(value):
    if isinstance(value, dict):
        return {key: said(inner) for key, inner in value.items() if key not in unsaid}
    if isinstance(value, list) and len(value) > long_list:
        return []
    return value


def has_rope(value):
    return isinstance(value, dict) and (bool(value.get("rope_parameters")) or any(map(has_rope, value.values())))


def takes(rotary, config):
    parameters = list(inspect.signature(rotary.__init__).parameters.values())[1:]
    if not parameters or parameters[0].name != "config":
        return False
    annotation = parameters[0].annotation
    names = [getattr(one, "__name__", str(one)) for one in typing.get_args(annotation) or (annotation,)]
    return type(config).__name__ in names


def table(module, prefix, kind):
    inv_freq = getattr(module, f"{prefix}inv_freq", None)
    if not isinstance(inv_freq, torch.Tensor) or inv_freq.ndim != 1:
        return None
    factor = getattr(module, f"{prefix}attention_scaling", getattr(module, "attention_scaling", 1.0))
    return {"type": kind, "inv_freq": [float(f"{value:.7g}") for value in inv_freq.tolist()], "attention_factor": float(factor)}


def tables_of(rotary, config):
    module = rotary(config)
    names = [name for name, value in module.named_buffers() if name.endswith("inv_freq") and "original" not in name]
    made = [table(module, name[:-len("inv_freq")], name[:-len("inv_freq")].rstrip("_")) for name in names]
    return [one for one in made if one]


def parts_of(config):
    """A configuration and those within it, with the keys that lead there."""
    yield "", config
    for key, value in vars(config).items():
        if isinstance(value, PreTrainedConfig):
            for path, inner in parts_of(value):
                yield f"{key}.{path}", inner


def names_agree(rotary, part):
    """Whether both are of vision, or both are not, by their names."""
    return all((word in rotary.__name__) == (word in type(part).__name__) for word in ("Vision", "Audio"))


class Rotaries:
    """The rotary modules of all packages, and which of them took a configuration by the class that they name."""

    def __init__(self, packages):
        self.all = {package: [rotary for module in modules_of(package, "modeling")
                              for rotary in classes_in(module, torch.nn.Module, "RotaryEmbedding")] for package in packages}
        self.named = set()

    def by_name(self, part):
        return [rotary for all in self.all.values() for rotary in all if takes(rotary, part)]

    def of(self, package, part):
        """Those of the model that is made of the configuration, else those of the package that no part of their own is for."""
        try:
            model = MODEL_MAPPING[type(part)]
        except Exception:  # no class is registered for it, or one that is not there
            model = None
        model = model[0] if isinstance(model, tuple) else model
        for name in (model.__module__.split(".")[-2] if model else package, package):
            found = [rotary for rotary in self.all.get(name, []) if rotary not in self.named and names_agree(rotary, part)]
            if found:
                return found
        return []


def try_tables(rotaries, part):
    for rotary in rotaries:
        try:
            return [{"module": rotary.__name__, **one} for one in tables_of(rotary, part)]
        except Exception:  # its module is another one
            continue
    return []


def read(packages, rotaries):
    """Each configuration by default, with its parts."""
    failed, cases = {}, []
    for package in packages:
        for module in modules_of(package, "configuration"):
            for cls in classes_in(module, PreTrainedConfig):
                try:
                    config = cls()
                    values = json.loads(config.to_json_string(use_diff=False))
                except Exception as error:
                    failed[cls.__name__] = type(error).__name__
                    continue
                if has_rope(values):
                    cases.append((package, config, values))
    for package, config, values in cases:
        for path, part in parts_of(config):
            if try_tables(rotaries.by_name(part), part):
                rotaries.named.update(rotaries.by_name(part))
    return cases, failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default=str(here / "default_configs.json"))
    options = parser.parse_args()
    packages = sorted(path.name for path in root.iterdir() if path.is_dir())
    rotaries = Rotaries(packages)
    found, failed = read(packages, rotaries)
    frequencies, cases = {}, []
    for package, config, values in found:
        tables = []
        for path, part in parts_of(config):
            if not getattr(part, "rope_parameters", None):
                continue
            made = try_tables(rotaries.by_name(part), part) or try_tables(rotaries.of(package, part), part)
            for one in made:
                number = frequencies.setdefault(json.dumps(one.pop("inv_freq")), len(frequencies))
                tables.append({"part": path, "model_type": part.model_type, **one, "inv_freq": number})
        cases.append({"class": type(config).__name__, "config": said(values), "tables": tables})
    head = {"generator": "tests/golden/generate_default_configs.py",
            "versions": {"python": platform.python_version(), "torch": torch.__version__, "transformers": transformers.__version__},
            "without_defaults": failed, "frequencies": [json.loads(key) for key in frequencies]}
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    pathlib.Path(options.out).write_text(f'{json.dumps(head, separators=(",", ":"))[:-1]},\n"cases": [\n{lines}\n]}}\n')
    print(f"{len(cases)} classes, {sum(bool(case['tables']) for case in cases)} with tables, {len(frequencies)} lists of frequencies")


if __name__ == "__main__":
    main()
