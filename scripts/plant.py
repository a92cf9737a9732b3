#!/usr/bin/env python3
"""Plants faults, one at a time, and reports which ones the tests catch.

    scripts/plant.py choose [--random 200 100] [--seed 1 2] [--folder F...]
    scripts/plant.py build
    scripts/plant.py baseline [--packs] [--tests REGEX]
    scripts/plant.py run [--packs] [--only NUMBER...]
    scripts/plant.py report
    scripts/plant.py sample         # all steps with 12 random faults, without packs

The faults are the plausible ones of test/faults/*.yaml, written by people, and random ones:
a comparison off by one, swapped operands, other rounding, a statement left out, a constant
changed, in the folders that decide what is computed: as many as --random says for each --seed.
One build, in build-plant/, has all of
them: each is next to the right code, and the environment turns one on. A baseline run records
which tests reach a fault; these tests run with it until one fails.

The report lists the survivors; test/faults/accepted.yaml has the reason for each: its change
has no visible effect, or a test for it would cost too much. Needs python3-clang-22,
python3-yaml and the packages of scripts/setup.sh.
"""
import argparse
import concurrent.futures
import hashlib
import json
import math
import pathlib
import random
import re
import sys

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from planting import runs, slips, sources, tree, wrap  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build-plant"


def load(name, otherwise):
    path = FOLDER / name
    return json.loads(path.read_text()) if path.exists() else otherwise


def save(name, value):
    (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
    (FOLDER / name).write_text(json.dumps(value, indent=1) + "\n")


class Place:
    """A file into which faults are put, one after the other."""

    def __init__(self, path):
        self.path = path
        flags = [*sources.compiler_flags(FOLDER / "source", ROOT / "build"),
                 "-include-pch", str(FOLDER / "mlir.pch"), "-include", "support/Planted.h"]
        self.source = sources.Source(FOLDER / "source", path, flags)
        self.slips = slips.slips(self.source) if self.source.parses else []
        self.faults = []

    def add(self, slip, **facts):
        """Whether the fault has a place of its own."""
        taken = [wrap.Wrapped(f["start"], f["end"], b"") for f in self.faults]
        # Most of the random ones compile; the build leaves out those that do not.
        wrapped = (wrap.wrap(self.source, slip, taken, verify=bool(facts))
                   if self.source.parses else None)
        if not wrapped:
            return False
        before = self.source.text[slip.start:slip.end].decode()
        self.faults.append({
            "path": self.path, "line": self.source.line(slip.start), "kind": slip.kind,
            "from": " ".join(before.split()), "to": " ".join(slip.text.decode().split()),
            "start": wrapped.start, "end": wrapped.end, "text": wrapped.text.decode(), **facts})
        return True

    def add_listed(self, entry):
        """A fault of test/faults: the smallest part of its lines that changes."""
        text = self.source.text
        before, after = (entry[key].rstrip("\n").encode() for key in ("from", "to"))
        if text.count(before) != 1:
            runs.say(f"{entry['id']}: its text is {text.count(before)} times in {self.path}")
            return False
        start = text.index(before)
        least = min(len(before), len(after))
        same = next((i for i in range(least) if before[i] != after[i]), least)
        least -= same
        tail = next((i for i in range(least) if before[-1 - i] != after[-1 - i]), least)
        slip = slips.Slip("listed", start + same, start + len(before) - tail,
                          after[same:len(after) - tail])
        return self.add(slip, id=entry["id"], caughtBy=entry.get("caughtBy", ""))

    def add_random(self, count, seed):
        chance = random.Random(f"{seed} {self.path}")
        left = list(self.slips)
        kinds = sorted({slip.kind for slip in left})
        for _ in range(20 * count):
            if count == 0 or not left:
                return
            slip = chance.choice([s for s in left if s.kind == chance.choice(kinds)] or left)
            left.remove(slip)
            if self.add(slip):
                self.faults[-1]["seed"] = seed
                count -= 1


def faults_of_file(path, listed, randomCounts):
    """(faults, ids of listed ones that have no place); runs in a process of its own.
    `randomCounts` is by seed. Parsing takes seconds, so what it found is kept for the same
    text."""
    text = (FOLDER / "source" / path).read_bytes()
    key = hashlib.sha256(repr((text, path, listed, randomCounts)).encode()).hexdigest()
    kept = load(f"places/{key}.json", None)
    if kept is None:
        place = Place(path)
        alone = [entry["id"] for entry in listed if not place.add_listed(entry)]
        for seed, count in randomCounts.items():
            place.add_random(count, seed)
        kept = [place.faults, alone]
        save(f"places/{key}.json", kept)
    return kept


def listed_faults():
    found = []
    for path in sorted((ROOT / "test/faults").glob("*.yaml")):
        if path.name != "accepted.yaml":
            found += yaml.safe_load(path.read_text()) or []
    return found


def semantic_files(planted, folders):
    """(path, its share of all random faults) of the sources that they go to: by lines
    within a folder."""
    files = []
    shares = sum(slips.SEMANTIC.get(folder, 1) for folder in folders)
    for folder in folders:
        lines = {p: p.read_bytes().count(b"\n") for p in sorted(
            (planted.source / folder).rglob("*")) if p.suffix in (".cpp", ".h")}
        share = slips.SEMANTIC.get(folder, 1) / shares / sum(lines.values())
        files += [(str(p.relative_to(planted.source)), share * n) for p, n in lines.items()]
    return files


def choose(options, planted):
    planted.copy({})
    sources.read_mlir_once(planted.source, sources.compiler_flags(planted.source, ROOT / "build"),
                           FOLDER / "mlir.pch")
    listed = listed_faults()
    # More than needed: not every file has a place for as many. A file keeps its faults
    # when others change.
    counts = {}
    for path, weight in semantic_files(planted, options.folder or slips.SEMANTIC):
        for seed, wanted in wanted_by_seed(options).items():
            chance = random.Random(f"{seed} {path}").random()
            count = math.floor(weight * wanted * 1.25 + chance)
            if count:
                counts.setdefault(path, {})[seed] = count
    paths = sorted(set(counts) | {entry["file"] for entry in listed})
    faults, alone = [], []
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for mine, without in pool.map(
                faults_of_file, paths,
                [[e for e in listed if e["file"] == path] for path in paths],
                [counts.get(path, {}) for path in paths]):
            faults += mine
            alone += without
    for number, fault in enumerate(faults, 1):
        fault["number"] = number
    chosen, spare = [f for f in faults if "id" in f], []
    for seed, wanted in wanted_by_seed(options).items():
        mine = [f for f in faults if f.get("seed") == seed]
        random.Random(seed).shuffle(mine)
        chosen += mine[:wanted]
        spare += mine[wanted:]
    save("faults.json", chosen)
    save("spare.json", spare)
    save("results.json", {})
    save("baseline.json", {"tree": {}, "packs": {}})
    listedCount = sum("id" in f for f in chosen)
    print(f"{listedCount} listed faults and {len(chosen) - listedCount} random ones; "
          f"without a place: {', '.join(alone) or 'none'}")


def wanted_by_seed(options):
    """How many random faults are drawn with each seed."""
    if len(options.random) != len(options.seed):
        raise SystemExit("plant: --random and --seed take as many numbers as each other")
    return dict(zip(options.seed, options.random))


def build(options, planted):
    """Replaces random faults that do not compile, as in a template or a constant."""
    while True:
        faults = load("faults.json", [])
        changed = {}
        for path in {f["path"] for f in faults}:
            changed[path] = tree.planted_text(
                planted.original(path), [f for f in faults if f["path"] == path])
        planted.copy(changed)
        planted.configure()
        places = planted.ninja(options.target or ("all",), options.jobs)
        if not places:
            break
        bad = faults_at(planted, faults, places)
        if not bad:
            raise SystemExit(f"plant: does not build, and no fault is near: {planted.log}")
        for fault in bad:
            runs.say(f"left out: {fault.get('id', fault['number'])} "
                     f"{fault['path']}:{fault['line']}")
        spare, instead = load("spare.json", []), []
        for seed in [f["seed"] for f in bad if "seed" in f]:
            for fault in [f for f in spare if f["seed"] == seed][:1]:
                spare.remove(fault)
                instead.append(fault)
        save("faults.json", [f for f in faults if f not in bad] + instead)
        save("spare.json", spare)
    print(f"{len(load('faults.json', []))} faults in {planted.build}")


def faults_at(planted, faults, places):
    """Faults whose text is at a place of a compiler error."""
    bad = []
    for path, line in places:
        file = planted.source / path
        if not file.is_file():
            continue
        lines = file.read_text().split("\n")
        for fault in faults:
            if fault["path"] != path or fault in bad:
                continue
            marks = [i + 1 for i, text in enumerate(lines)
                     if f"YARROW_PLANTED({fault['number']})" in text]
            length = fault["text"].count("\n")
            if any(mark <= line <= mark + length for mark in marks):
                bad.append(fault)
    return bad


def all_tests(options, planted):
    tests = [*runs.ctest_tests(planted.build), *runs.lit_tests(planted.source, planted.build)]
    return [t for t in tests if re.search(options.tests, t.name)]


def set_of_tests(options):
    """The key of a test's record: alone, or with the packs next to the tree."""
    return "packs" if options.packs else "tree"


def shared(planted, packs):
    """Puts the packs next to the tree, or not; CMake looks for them, too."""
    link = planted.folder / "shared"
    if link.is_symlink() == packs:
        return
    if packs:
        link.symlink_to((ROOT.parent / "shared").resolve())
    else:
        link.unlink()
    planted.configure(again=True)


def in_parallel(jobs, work, items):
    """work(runner number, item) for all, with results as they come."""
    free = list(range(jobs))

    def one(item):
        worker = free.pop()
        try:
            return item, work(worker, item)
        finally:
            free.append(worker)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(one, item) for item in items]):
            yield done.result()


def baseline(options, planted):
    known = load("baseline.json", {})
    mine = known[set_of_tests(options)]
    shared(planted, options.packs)
    # Those that are asked for by name once more: they may have changed.
    tests = [t for t in all_tests(options, planted) if (options.tests or t.name not in mine) and (
        not options.packs or t.name.startswith(runs.MORE_WITH_PACKS) or
        known["tree"].get(t.name, {}).get("code") == runs.SKIPPED)]
    for test, code in in_parallel(
            options.jobs,
            lambda worker, test: runs.Runner(planted, worker).baseline(test, options.longest),
            tests):
        mine[test.name] = {"code": code, "seconds": round(test.seconds, 2),
                           "reached": sorted(test.reached)}
        if code not in (0, runs.SKIPPED):
            runs.say(f"left out, does not pass: {test.name}")
        save("baseline.json", known)
    numbers = {f["number"] for f in load("faults.json", [])}
    reached = {n for t in mine.values() if t["code"] == 0 for n in t["reached"]} & numbers
    print(f"{sum(t['code'] == 0 for t in mine.values())} of {len(mine)} tests pass; they reach "
          f"{len(reached)} of {len(numbers)} faults")


def run(options, planted):
    key = set_of_tests(options)
    known = load("baseline.json", {})[key]
    results = load("results.json", {})
    shared(planted, options.packs)
    tests = []
    for test in all_tests(options, planted):
        facts = known.get(test.name)
        if facts and facts["code"] == 0:
            test.seconds, test.reached = facts["seconds"], set(facts["reached"])
            tests.append(test)
    faults = [f for f in load("faults.json", [])
              if (not options.only or f["number"] in options.only) and
              (options.only or key not in results.get(str(f["number"]), {})) and
              not (options.packs and results.get(str(f["number"]), {}).get("tree"))]
    for fault, caught in in_parallel(
            options.jobs,
            lambda worker, fault: runs.Runner(planted, worker).first_to_catch(
                fault["number"], fault.get("caughtBy", ""), tests, options.longest),
            faults):
        results.setdefault(str(fault["number"]), {})[key] = caught
        save("results.json", results)
        runs.say(f"{fault['number']:4} {fault['path']}:{fault['line']} {fault['kind']}: "
                 f"{caught or 'survived'}")
    report(options, planted)


# Reasons of test/faults/accepted.yaml that begin so.
CANNOT_BE_SEEN = ("Equivalent", "Not run")


def accepted():
    path = ROOT / "test/faults/accepted.yaml"
    entries = yaml.safe_load(path.read_text()) if path.exists() else []
    return {(e["file"], e["line"], e["from"], e["to"]): e["reason"] for e in entries or []}


def report(options, planted):
    """Prints the survivors with their reasons, then the share of caught faults: of all, and
    of those that can be caught."""
    results = load("results.json", {})
    reasons = accepted()
    faults = [f for f in load("faults.json", []) if str(f["number"]) in results]
    for f in faults:
        f["caught"] = results[str(f["number"])]
        line = (ROOT / f["path"]).read_text().split("\n")[f["line"] - 1].strip()
        f["reason"] = reasons.get((f["path"], line, f["from"], f["to"]), "")
        if not any(f["caught"].values()):
            print(f"{f['number']:4} {f['path']}:{f['line']} {f.get('id', f['kind'])}: "
                  f"{f['from']}  ->  {f['to']}" + (f"  [{f['reason']}]" if f["reason"] else ""))
    seeds = sorted({f["seed"] for f in faults if "seed" in f})
    for title, mine in (("listed", [f for f in faults if "id" in f]),
                        *((f"random, seed {seed}", [f for f in faults if f.get("seed") == seed])
                          for seed in seeds), ("all", faults)):
        canBeSeen = [f for f in mine if any(f["caught"].values()) or
                     not f["reason"].startswith(CANNOT_BE_SEEN)]
        for which, some in (("", mine), (" that can be seen here", canBeSeen)):
            inTree = sum(bool(f["caught"].get("tree")) for f in some)
            caught = sum(any(f["caught"].values()) for f in some)
            print(f"{title}: {len(some)} faults{which}, caught without packs {inTree} "
                  f"({percent(inTree, some)} %), with packs {caught} ({percent(caught, some)} %)")


def percent(count, faults):
    return round(100 * count / max(1, len(faults)))


def sample(options, planted):
    options.random, options.seed, options.packs = [12], options.seed[:1], False
    for step in (choose, build, baseline, run):
        step(options, planted)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0],
                                     epilog="\n".join(__doc__.split("\n")[2:]),
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["choose", "build", "baseline", "run", "report", "sample"])
    parser.add_argument("--random", type=int, nargs="+", default=[200],
                        help="number of random faults for each seed")
    parser.add_argument("--seed", type=int, nargs="+", default=[1],
                        help="seeds of the random faults")
    parser.add_argument("--folder", nargs="*", help="folders of the random faults")
    parser.add_argument("--packs", action="store_true",
                        help="also run tests that need the reference packs, on survivors")
    parser.add_argument("--only", type=int, nargs="*", help="numbers of faults")
    parser.add_argument("--tests", default="", help="regular expression of the tests to run")
    parser.add_argument("--target", nargs="*", help="targets to build")
    parser.add_argument("--jobs", type=int, default=2, help="number of parallel jobs")
    parser.add_argument("--longest", type=float, default=300,
                        help="spend at most this many seconds per fault on tests other than unit tests")
    options = parser.parse_args()
    planted = tree.Tree(ROOT, FOLDER)
    {"choose": choose, "build": build, "baseline": baseline, "run": run, "report": report,
     "sample": sample}[options.step](options, planted)


if __name__ == "__main__":
    main()
