"""The native library, loaded when it is first needed: MLIR takes a while."""
import functools

NEEDS = "libmlir-22 libpng16-16 libjpeg62-turbo"


@functools.lru_cache(maxsize=None)
def native():
    """The module yarrow._native."""
    try:
        from yarrow import _native
    except ImportError as problem:
        if "cannot open shared object file" not in str(problem):
            raise
        raise ImportError(f"{problem}. Yarrow needs what this installs on Debian 12: "
                          f"apt-get install {NEEDS}") from problem
    return _native
