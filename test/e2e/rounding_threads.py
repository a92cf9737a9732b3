"""Learned and computed rounding do not depend on the number of threads.

ResNet-20 is quantized with one thread and with three, by each method; the integer IR must have
the same bytes.

Example:
    python3 rounding_threads.py --yarrow build/bin/yarrow --packs ../shared/packs
"""
import filecmp
import os

import common
import rounding

METHODS = ["adaround[2,2,8,0.01]", "reconstruct[32,4]"]
THOROUGH_METHODS = ["gptq", "easy_quant & bias_correction"]


def main():
    tools = common.arguments(__doc__.split("\n")[0])
    tools.need_packs()
    for method in METHODS + (THOROUGH_METHODS if tools.options.thorough else []):
        folders = [rounding.quantize(tools, "threads " + method, rounding.only(method), threads)[0]
                   for threads in (1, 3)]
        for end in ("_o.txt", "_o.bin"):
            tools.check(filecmp.cmp(*(os.path.join(f, rounding.NETWORK + end) for f in folders),
                                    shallow=False),
                        f"{method}: {end} depends on the number of threads")
    return tools.finish()


if __name__ == "__main__":
    raise SystemExit(main())
