"""Builds liborrery into the package: a wheel for any Python 3 of a platform, py3-none-PLATFORM.

    ORRERY_BUILD=DIR    takes the library of that build, which the preset "package" has made
    ORRERY_BUNDLE=1     brings the libraries that it loads, so that the wheel runs on any Linux as new as this
"""

import os
import pathlib
import platform
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

SCRATCH = ROOT / "build" / "wheel"  # what setuptools leaves lies with what else is built
BUNDLE = os.environ.get("ORRERY_BUNDLE") == "1"


def library() -> pathlib.Path:
    """liborrery: the one that ORRERY_BUILD has built, or built now, for any CPU, as its kernels choose
    their own level when they run."""
    build = pathlib.Path(os.environ.get("ORRERY_BUILD", ROOT / "build" / "python"))
    if "ORRERY_BUILD" not in os.environ:
        configure = ["cmake", "--preset", "package", "-B", build, "-D", "ORRERY_DESKTOP=OFF"]
        subprocess.run(configure, cwd=ROOT, check=True)
        subprocess.run(["cmake", "--build", build, "--target", "orrery_c"], check=True)
    return build / "experiments" / f"liborrery.so.{ABI}"


def bundle(package: pathlib.Path) -> None:
    """The libraries that liborrery loads, beside it."""
    built = package / "lib" / f"liborrery.so.{ABI}"
    subprocess.run(["strip", "--strip-unneeded", built], check=True)
    folders = [package / "lib" / "libraries", package / "lib" / "licences"]
    subprocess.run([ROOT / "cmake" / "packages" / "bundle", "--rename", *folders, built], check=True)


class Build(build_py):
    """The package with the library and the data that come with Orrery."""

    def run(self):
        super().run()
        package = pathlib.Path(self.build_lib) / "pyorrery"
        if self.editable_mode:
            return
        shutil.rmtree(package / "lib", ignore_errors=True)
        (package / "lib").mkdir(parents=True)
        shutil.copy(library(), package / "lib")
        if BUNDLE:
            bundle(package)
        for folder in ("families", "models", "presets", "texts"):
            shutil.copytree(
                ROOT / "assets" / folder, package / "share" / "orrery" / folder, dirs_exist_ok=True
            )


class Wheel(bdist_wheel):
    """It calls the library through ctypes, so that any Python will do."""

    def get_tag(self):
        platform_tag = super().get_tag()[2]
        if BUNDLE:  # with all but the C library, whose version it asks for
            glibc = platform.libc_ver()[1].replace(".", "_")
            platform_tag = platform_tag.replace("linux", f"manylinux_{glibc}")
        return "py3", "none", platform_tag


class Binary(Distribution):
    """It has a library of its platform in it."""

    def has_ext_modules(self):
        return True


SCRATCH.mkdir(parents=True, exist_ok=True)
setup(
    version=VERSION,
    cmdclass={"build_py": Build, "bdist_wheel": Wheel},
    distclass=Binary,
    options={"build": {"build_base": str(SCRATCH)}, "egg_info": {"egg_base": str(SCRATCH)}},
)
