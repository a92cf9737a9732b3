"""Types of C++ that two files define by one name in one namespace, for check_layering.py.

The linker keeps one of each inline function: with two types of a name it takes the one
type's destructor for the other's, without a word, wherever a compiler has not inlined it.
"""
import collections
import re

FOLDERS_ALONE = ("test/", "examples/", "benchmark/")  # other programs
NAMESPACE = re.compile(r"\s*(?:inline )?namespace ?([\w:]*) ?\{")
TYPE = re.compile(r"(?:template <.*> )?(?:struct|class|enum class|enum) (?:alignas\(\w+\) )?"
                  r"(?:\[\[\w+\]\] )?(\w+)(?: final)?(?: ?:[^:;].*)?(?: \{.*)?$")


def types_of(text):
    """Names with their namespaces; none of namespaces without a name."""
    spaces, depth = [], 0
    for number, line in enumerate(text.splitlines(), 1):
        code = line.split("//")[0].rstrip()
        space = NAMESPACE.match(code)
        if space:
            spaces.append((depth, space[1]))
        found = TYPE.match(code)
        if found and not code.endswith(";") and len(spaces) == depth and \
                all(name for _, name in spaces):
            yield "::".join([name for _, name in spaces] + [found[1]]), number
        depth += code.count("{") - code.count("}")
        while spaces and depth <= spaces[-1][0]:
            spaces.pop()


def definition_problems(texts):
    """texts: by path."""
    places = collections.defaultdict(dict)
    for path, text in texts.items():
        if not path.startswith(FOLDERS_ALONE):
            for name, number in types_of(text):
                places[name].setdefault(path, number)
    return [f"{path}:{number}: {name} is also defined in {sorted(at)[0]}"
            for name, at in sorted(places.items()) if len(at) > 1
            for path, number in sorted(at.items())[1:]]
