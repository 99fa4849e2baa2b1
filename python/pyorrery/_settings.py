"""Settings in the forms in which people write them, as the library's JSON."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping, Union

import numpy as np

from ._library import UsageError

Spec = Union[str, Mapping[str, Any]]


def plain(value: Any) -> Any:
    """A value as JSON has it: NumPy's numbers are numbers."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (tuple, range)):
        return list(value)
    return value


def keyed(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments as keys: rope__scaling is rope.scaling. None is left out."""
    return {
        key.replace("__", "."): plain(value)
        for key, value in settings.items()
        if value is not None
    }


def of_spec(spec: Spec, settings: Mapping[str, Any]) -> dict[str, Any]:
    """"rope", "encoding=rope base=5e5" or {"encoding": "rope"}, with more settings over it."""
    if not isinstance(spec, (str, Mapping)):
        raise UsageError(f'{spec!r}: is no encoding; give "rope", "encoding=rope base=5e5" or a mapping')
    if isinstance(spec, Mapping):
        words = {key: plain(value) for key, value in spec.items()}
    elif "=" in spec:
        pairs = [word.partition("=") for word in spec.split()]
        wrong = [key for key, equals, _ in pairs if not equals]
        if wrong:
            raise ValueError(f"{wrong[0]!r} is not of the form key=value, in {spec!r}")
        words = {key: value for key, _, value in pairs}
    else:
        words = {"encoding": spec}
    return {**words, **keyed(settings)}


def text(settings: Mapping[str, Any]) -> bytes:
    """Settings as the library reads them."""
    return json.dumps(settings).encode()


def is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim > 0 or (
        hasattr(value, "__dlpack__") and not isinstance(value, (np.ndarray, np.generic))
    )


def is_model(value: Any) -> bool:
    """Whether it is a model's configuration: a mapping with model_type, or an object of
    Transformers."""
    if isinstance(value, Mapping):
        return "model_type" in value or "num_hidden_layers" in value
    return hasattr(value, "to_dict")


def model_text(model: Any) -> bytes:
    """A path, or the text of a configuration."""
    if hasattr(model, "to_dict"):
        model = model.to_dict()
    if isinstance(model, Mapping):
        return json.dumps(model, default=str).encode()
    return os.fsencode(model)
