"""pytest --orrery-config DIR: your rotary embedding against a model's configuration.

    def test_my_rope(orrery_rope):                # once for each rope of the models
        orrery_rope.check(my_rope)                # fails with the name of the mistake

    def test_golden(orrery_golden):               # once for each vectors that come with pyorrery
        orrery_golden.check(my_rope_of(orrery_golden.settings))

Nothing of pyorrery is imported until the option is given or a test asks for vectors.
"""

from __future__ import annotations

from typing import Any

import pytest

_MISSING = "no --orrery-config DIR: a model's folder, its config.json or a .gguf"


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("orrery", "position encodings (pyorrery)")
    group.addoption(
        "--orrery-config",
        action="append",
        default=[],
        metavar="DIR",
        help="run tests that take orrery_rope once for each rope of this model: its folder, its "
        "config.json or a .gguf (may be given several times)",
    )


_ROPES = pytest.StashKey()


def pytest_configure(config: Any) -> None:
    # A model that cannot be read is a mistake of the command line, and told as such.
    config.stash[_ROPES] = _ropes(config.getoption("orrery_config"))


def pytest_generate_tests(metafunc: Any) -> None:
    if "orrery_rope" in metafunc.fixturenames:
        metafunc.parametrize("orrery_rope", metafunc.config.stash[_ROPES])
    if "orrery_golden" in metafunc.fixturenames:
        from pyorrery import testing

        vectors = [testing.golden(name) for name in testing.golden_names()]
        metafunc.parametrize("orrery_golden", vectors, ids=lambda one: one.name)


def _ropes(models: list[str]) -> list[Any]:
    if not models:
        return [pytest.param(None, id="none", marks=pytest.mark.skip(reason=_MISSING))]
    from pyorrery import OrreryError, testing

    found = []
    for model in models:
        try:
            ropes = testing.ropes_of(model)
        except OrreryError as error:
            raise pytest.UsageError(f"--orrery-config {error}") from None
        if not ropes:
            raise pytest.UsageError(f"--orrery-config {model}: no layer of this model has rope")
        found += [pytest.param(rope, id=rope.name) for rope in ropes]
    return found
