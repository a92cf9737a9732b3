"""Makes the wheel of a package that CMake has built (scripts/wheel.sh)."""
import runpy
import sys

from setuptools import Distribution, setup


class Built(Distribution):
    """With a library for one interpreter and machine inside."""

    def has_ext_modules(self):
        return True


setup(
    name="yarrow",
    version=runpy.run_path("yarrow/_version.py")["__version__"],
    description="Ahead-of-time compiler and simulator for Zhouyi-style NPUs",
    long_description="Documentation: docs/python.md of Yarrow.",
    license="Apache-2.0",
    packages=["yarrow"],
    package_data={"yarrow": ["*.so", "*.pyi", "py.typed"]},
    # The library inside is for the interpreter that runs this.
    python_requires=f"=={sys.version_info[0]}.{sys.version_info[1]}.*",
    entry_points={"console_scripts": ["yarrow = yarrow.__main__:main"]},
    install_requires=["numpy>=1.24"],
    distclass=Built,
)
