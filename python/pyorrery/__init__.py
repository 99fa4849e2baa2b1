"""Orrery from Python: position encodings of transformers, applied, identified and measured.

>>> import pyorrery as orr
>>> orr.apply(q, "rope", positions, base=5e5)
>>> orr.identify(q_before, q_after, expect="config.json")
>>> orr.run("long_term_decay", dim=128).plot()

Arrays are NumPy's, anything with DLPack on the CPU (torch, JAX), or lists, of any type, order and
strides; results are NumPy arrays in C order. Nothing is converted in silence: what cannot be read
exactly is refused, and what is computed in is said by Encoding.arithmetic and Attention.report.
"""

from ._library import (
    Bug,
    DataError,
    FileError,
    NotFiniteError,
    OrreryError,
    Stopped,
    UsageError,
    version,
)
from .checks import (
    Captured,
    LayerCheck,
    ModelCheck,
    RopeCheck,
    capture,
    check_model,
    check_rope,
)
from .desktop import show
from .encodings import Attention, Encoding, apply, attend, bias, rope_frequencies
from .models import Hypothesis, Identification, Pass, forward, identify, positions
from .results import (
    Check,
    Curve,
    Point,
    Result,
    Sweep,
    describe,
    load_plugin,
    names,
    run,
    sweep,
    verify,
)
from .testing import Golden, ModelRope, golden, golden_names, ropes_of

__version__ = version()
__all__ = [name for name in dir() if not name.startswith("_")]
