"""The copy of the tree with the planted faults, its build, and the chosen fault in
programs and in TEC code."""
import pathlib
import re
import subprocess

from . import wrap

PLANTED_H = """\
// Written by scripts/plant.py. YARROW_PLANTED(n): whether fault n is on, by the
// variable YARROW_PLANTED of the environment. With -1 none is, and each fault that
// is come by is noted in the file that YARROW_PLANTED_REACHED names.
#pragma once
#ifdef __riscv
// Its address is the number; the linker defines it.
extern "C" const char yarrowPlantedFault;
#define YARROW_PLANTED(n) (reinterpret_cast<unsigned>(&yarrowPlantedFault) == (n))
#else
// Constant for the compiler, so that loops are made for either case once.
extern "C" const int yarrowPlantedFault;
extern "C" bool yarrowPlantedReached(int number);
#define YARROW_PLANTED(n)                                                        \\
  (__builtin_expect(yarrowPlantedFault == (n), 0) ||                             \\
   (__builtin_expect(yarrowPlantedFault < 0, 0) && yarrowPlantedReached(n)))
#endif
"""

PLANTED_CPP = """\
// Written by scripts/plant.py.
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

extern "C" int yarrowPlantedFault;
int yarrowPlantedFault = 0;
static constexpr int mostFaults = 4096;
static char *reached = nullptr;

// Before all other initializers, some of which come by faults.
__attribute__((constructor(101))) static void chooseFault() {
  const char *number = std::getenv("YARROW_PLANTED");
  yarrowPlantedFault = number ? std::atoi(number) : 0;
  const char *path = std::getenv("YARROW_PLANTED_REACHED");
  int file = path && yarrowPlantedFault < 0 ? open(path, O_RDWR) : -1;
  if (file < 0)
    return;
  void *bytes = mmap(nullptr, mostFaults, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (bytes != MAP_FAILED)
    reached = static_cast<char *>(bytes);
}

extern "C" bool yarrowPlantedReached(int number) {
  if (reached && number < mostFaults)
    reached[number] = 1;
  return false;
}
"""
MOST_FAULTS = 4096

# support/ with the switch, which other libraries are linked with.
SWITCH = b"""
target_sources(yarrow_support PRIVATE Planted.cpp)
# Kernels of plugins ask, too.
target_link_options(yarrow_support INTERFACE
  -Wl,--export-dynamic-symbol=yarrowPlantedFault,--export-dynamic-symbol=yarrowPlantedReached)
set_source_files_properties(Planted.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
"""

# Places of the tree that know of the switch: (file, text, text instead).
HOOKS = [
    # Benchmarks are linked with the kernels alone, without the switch.
    ("CMakeLists.txt", "python test benchmark)", "python test)"),
    # The linker of TEC programs defines the number.
    ("codegen/TecLinker.cpp", '"--error-limit=0",',
     '"--error-limit=0", std::string("--defsym=yarrowPlantedFault=") + '
     '(std::getenv("YARROW_PLANTED") && *std::getenv("YARROW_PLANTED") != \'-\' ? '
     'std::getenv("YARROW_PLANTED") : "0"),'),
    # lit's tests get the variables, and a folder for each run side by side.
    ("test/lit/lit.cfg.py", 'config.environment["NO_COLOR"] = "1"',
     'config.environment["NO_COLOR"] = "1"\n'
     'for name in ("YARROW_PLANTED", "YARROW_PLANTED_REACHED", "TMPDIR"):\n'
     '    if name in os.environ:\n'
     '        config.environment[name] = os.environ[name]\n'
     'if "YARROW_PLANTED_WORKER" in os.environ:\n'
     '    config.test_exec_root += "-" + os.environ["YARROW_PLANTED_WORKER"]'),
]


def write_if_other(path, text):
    """Unchanged files keep their time, and are not built again."""
    if path.is_symlink():
        path.unlink()
    if not path.exists() or path.read_bytes() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


class Tree:
    """`root` is the repository, `folder` where the copy and its build are."""

    def __init__(self, root, folder):
        self.root = pathlib.Path(root)
        self.folder = pathlib.Path(folder)
        self.source = self.folder / "source"
        self.build = self.folder / "build"
        self.log = self.folder / "build.log"

    def original(self, path):
        """A file of the repository, with the switch where it has to know of it."""
        text = (self.root / path).read_bytes()
        for hooked, before, after in HOOKS:
            if hooked == path:
                if text.count(before.encode()) != 1:
                    raise SystemExit(f"plant: {path} has not '{before}' once: see HOOKS")
                text = text.replace(before.encode(), after.encode())
        return text

    def copy(self, changed):
        """Writes the tree: files of `changed` with that text, all others as they are."""
        names = subprocess.run(["git", "-C", self.root, "ls-files", "-z", "--cached", "--others",
                                "--exclude-standard"], check=True,
                               capture_output=True).stdout.decode().split("\0")
        names = [name for name in names if name and (self.root / name).is_file()]
        texts = {"support/Planted.h": PLANTED_H.encode(),
                 "support/Planted.cpp": PLANTED_CPP.encode(),
                 "support/CMakeLists.txt": self.original("support/CMakeLists.txt") + SWITCH}
        for name in names:
            text = texts.get(name) or changed.get(name)
            target = self.source / name
            write_if_other(target, text if text is not None else self.original(name))
            if target.stat().st_mode != (self.root / name).stat().st_mode:
                target.chmod((self.root / name).stat().st_mode)
        for name in texts:
            write_if_other(self.source / name, texts[name])
        # Where a plugin's kernels find headers: the first folder above the program that has
        # these.
        for path in self.source.iterdir():
            link = self.folder / path.name
            if path.is_dir() and not link.exists():
                link.symlink_to(path)
        # Files that are not in the tree any more.
        known = set(names) | set(texts)
        for path in list(self.source.rglob("*")):
            if (path.is_file() and str(path.relative_to(self.source)) not in known and
                    "__pycache__" not in path.parts):
                path.unlink()

    def configure(self, again=False):
        if (self.build / "build.ninja").exists():
            if again:
                subprocess.run(["cmake", self.build], check=True, stdout=subprocess.DEVNULL)
            return
        subprocess.run(
            ["cmake", "--preset", "release", "-B", self.build, "-DYARROW_WERROR=OFF",
             "-DCMAKE_CXX_FLAGS=-Wno-invalid-constexpr -Wno-parentheses "
             "-Wno-c++11-narrowing"],
            cwd=self.source, check=True, stdout=subprocess.DEVNULL)

    def ninja(self, targets=("all",), jobs=2):
        """Builds; gives (path, line) of what does not compile, none if all does."""
        done = subprocess.run(["ninja", "-C", self.build, "-k", "0", f"-j{jobs}", *targets],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.log.write_text(done.stdout + done.stderr)
        if done.returncode == 0:
            return []
        places = re.findall(r"^([\w/.-]+):(\d+):\d+: (?:fatal )?(?:error|note)", done.stdout, re.M)
        return [(path.removeprefix(f"{self.source}/"), int(line)) for path, line in places] or [
            ("", 0)]


def planted_text(source, faults):
    """The text of a file with all its faults; later ones first, so that offsets hold."""
    text = source
    for fault in sorted(faults, key=lambda f: f["start"], reverse=True):
        mine = fault["text"].encode().replace(wrap.NUMBER, str(fault["number"]).encode())
        text = text[:fault["start"]] + mine + text[fault["end"]:]
    return b'#include "support/Planted.h"\n' + text
