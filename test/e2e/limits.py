"""Reading takes memory for the text and none for the weights.

A network of 5,000 layers with a weights file of 100 MB is checked, written and
read with a heap of at most 100 MB; a text that declares terabytes is refused in
no more memory than any other. The limit is the kernel's (RLIMIT_DATA), not a
measurement.
"""
import resource
import subprocess

import chain
import common

HEAP_BYTES = 100 * 1000 * 1000
WEIGHTS_BYTES = 100 * 1000 * 1000
LAYERS = 5000


def run_limited(tools, *arguments):
    limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, (HEAP_BYTES, HEAP_BYTES))
    return subprocess.run([tools.program, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, preexec_fn=limit)


def main():
    tools = common.arguments(__doc__.split("\n")[0])
    txt, weights = chain.write_chain(tools.path("chain"), LAYERS, WEIGHTS_BYTES)
    done = run_limited(tools, "check", txt, "-w", weights)
    tools.check(done.returncode == 0 and "5,001 layers" in done.stdout,
                "%d layers, %d MB of weights, a heap of %d MB: %s%s" % (
                    LAYERS, WEIGHTS_BYTES // 10**6, HEAP_BYTES // 10**6, done.stdout, done.stderr))

    with open(txt, encoding="utf-8") as f:
        text = f.read()
    huge = "[[1,1000000,1000,1000]]"  # 4 TB
    with open(tools.path("huge.txt"), "w", encoding="utf-8") as f:
        f.write(text.replace("[[1,8,8,64]]", huge)
                .replace("weights_size=16384", "weights_size=4000000000000")
                .replace("weights_shape=[64,1,1,64]", "weights_shape=[1000000,1,1000,1000]"))
    done = run_limited(tools, "check", tools.path("huge.txt"), "-w", weights)
    tools.check(done.returncode == 1 and "E0208" in done.stderr,
                "terabytes declared: %s%s" % (done.stdout[-500:], done.stderr[-500:]))
    tools.finish()


if __name__ == "__main__":
    main()
