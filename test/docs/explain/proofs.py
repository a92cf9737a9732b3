"""Examples of support/diagnostics/Proofs.def: faults in proved.bin, an executable of the sandbox's network."""
from explain.kinds import file, shell, tested_in

SANDBOX = [
    "yarrow quantize net.txt --recipe compass -c samples.npy -o plain --brief",
    "yarrow compile plain/net_o.txt --target X2_1204 -o proved.bin",
]


def planted(where, **more):
    """See plant.py. Commands of the tensor engine: 0 /stem, 1 /res1, 2 /res2 + /Add, 3 MaxPool, 4 /dw, 5 /pw,
    6 GlobalAveragePool, 7 /fc."""
    return file("example.txt", f"python3 $TEST/docs/explain/plant.py {where} && yarrow prove bad.bin", **more)


EXAMPLES = {
    "E1201": planted("tensor 5"),
    "E1202": planted("tensor 1"),
    "E1203": planted("tensor 1"),
    "E1204": planted("store 0"),
    "E1205": planted("tensor 5"),
    "E1206": planted("load 2"),
    "E1207": planted("tensor 0"),
    "E1208": planted("word"),
    "E1209": planted("order"),
    "N1210": planted("tensor 0"),
    "E1211": planted("bias 144"),
    "E1212": tested_in("test/unit/prove/StageTest.cpp", "no file provokes it: only a defect of Yarrow does"),
    "E1213": planted("tensor 0"),
    "E1214": shell("mkdir old new && cp aipu.bin old && cp proved.bin new/aipu.bin && "
                   "yarrow prove old/aipu.bin -o old/certificate.json"),
}
