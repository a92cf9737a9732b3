"""Makes the wheel of a package that CMake has built (scripts/wheel.sh), whose library is for
the interpreter of the version YARROW_WHEEL_PYTHON."""
import os
import runpy

from setuptools import Distribution, setup

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70
    from wheel.bdist_wheel import bdist_wheel

VERSION = os.environ["YARROW_WHEEL_PYTHON"]


class Built(Distribution):
    """With a library for one interpreter and machine inside."""

    def has_ext_modules(self):
        return True


class Wheel(bdist_wheel):
    """Whichever interpreter makes it."""

    def get_tag(self):
        tag = "cp" + VERSION.replace(".", "")
        return tag, tag, super().get_tag()[2]


setup(
    name="yarrow",
    version=runpy.run_path("yarrow/_version.py")["__version__"],
    description="Ahead-of-time compiler and simulator for Zhouyi-style NPUs",
    long_description="Documentation: docs/python.md of Yarrow.",
    license="Apache-2.0",
    packages=["yarrow"],
    package_data={"yarrow": ["*.so", "*.pyi", "py.typed"]},
    python_requires=f"=={VERSION}.*",
    entry_points={"console_scripts": ["yarrow = yarrow.__main__:main"]},
    install_requires=["numpy>=1.24"],
    cmdclass={"bdist_wheel": Wheel},
    distclass=Built,
)
