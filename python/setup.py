"""Builds liborrery into the package: a wheel for any Python 3 of a platform, py3-none-PLATFORM."""

import os
import pathlib
import re
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERSION = re.search(r"project\(orrery VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
ABI = re.search(
    r"#define ORRERY_ABI_VERSION (\d+)", (ROOT / "experiments/c/orrery.h").read_text()
)[1]


def library() -> pathlib.Path:
    """liborrery: the one that ORRERY_BUILD has built, or built now for the lowest CPU level, as its
    kernels choose their own when they run."""
    build = pathlib.Path(os.environ.get("ORRERY_BUILD", ROOT / "build" / "python"))
    if "ORRERY_BUILD" not in os.environ:
        options = ["ORRERY_DESKTOP=OFF", "ORRERY_TESTS=OFF", "ORRERY_CPU_LEVEL=x86-64"]
        words = [word for option in options for word in ("-D", option)]
        subprocess.run(
            ["cmake", "--preset", "release", "-B", build, *words], cwd=ROOT, check=True
        )
        subprocess.run(["cmake", "--build", build, "--target", "orrery_c"], check=True)
    return build / "experiments" / f"liborrery.so.{ABI}"


class Build(build_py):
    """The package with the library and the data that come with Orrery."""

    def run(self):
        super().run()
        package = pathlib.Path(self.build_lib) / "pyorrery"
        if self.editable_mode:
            return
        (package / "lib").mkdir(parents=True, exist_ok=True)
        shutil.copy(library(), package / "lib")
        for folder in ("models", "presets", "texts"):
            shutil.copytree(
                ROOT / "assets" / folder, package / "share" / "orrery" / folder, dirs_exist_ok=True
            )
        shutil.copy(ROOT / "python" / "pyorrery" / "py.typed", package)


class Wheel(bdist_wheel):
    """It calls the library through ctypes, so that any Python will do."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class Binary(Distribution):
    """It has a library of its platform in it."""

    def has_ext_modules(self):
        return True


setup(version=VERSION, cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=Binary)
