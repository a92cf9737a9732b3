"""Makes the wheel of a package that CMake has built (scripts/wheel.sh)."""
import runpy

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
    python_requires="==3.11.*",
    install_requires=["numpy>=1.24"],
    distclass=Built,
)
