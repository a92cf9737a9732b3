"""The mistakes of mistakes.py: command, what it said before, and what it says now. Commands run one after
the other in one folder, with what SETUP makes of the example (examples/digits) and of small ONNX models."""
import collections

Mistake = collections.namedtuple("Mistake", "command before code says")

# Of test/lit/onnx.py: a convolution, two inputs, open lengths, one that is quantized.
MODELS = {"net.onnx": ["conv"], "two.onnx": ["two_inputs"], "open.onnx": ["open_lengths"],
          "given.onnx": ["quantized"]}

SETUP = [
    "yarrow quantize digits.txt -c calibration.npy -o out --brief --recipe compass",
    "yarrow compile out/digits_o.txt -o aipu.bin",
    "touch afile && mkdir outdir && mkdir 'my files' && cp calibration.npy 'my files/cal,set.npy'",
]

NOTHING = "no hint"

MISTAKES = [
    # A file of another kind, or in another place.
    Mistake("yarrow run net.onnx -i one.npy", "yarrow import makes Compass IR of it", 1,
            ["`yarrow build net.onnx` makes an executable of it"]),
    Mistake("yarrow inspect net.onnx", "yarrow import makes Compass IR of it", 1,
            ["`yarrow check net.onnx` looks into it"]),
    Mistake("yarrow run out/digits_o.txt -i one.npy", "compile it first", 1,
            ["compile it first: `yarrow compile out/digits_o.txt -o aipu.bin`"]),
    Mistake("yarrow compile aipu.bin -o b.bin", "run and inspect take it", 1,
            ["`yarrow run` and `yarrow inspect` take an executable"]),
    Mistake("yarrow quantize net.cfg -c one.npy", "build takes it", 1,
            ["`yarrow build net.cfg` takes a configuration"]),
    Mistake("yarrow run aipu.bin -i missing.npy", "No such file or directory", 1,
            ["missing.npy", "No such file"]),
    Mistake("head -c 1000 heldout.npy > cut.npy && yarrow run aipu.bin -i cut.npy",
            "fewer bytes than its header says", 1, ["E0103"]),

    # Outputs.
    Mistake("yarrow run aipu.bin -i one.npy -o y.csv", "raw bytes, no word", 1,
            ["E0111", "expected: .npy, .npz"]),
    Mistake("yarrow run aipu.bin -i one.npy -o y.npz", "raw bytes, no word", 0,
            ["wrote y.npz: /fc/Gemm_0: float32"]),
    Mistake("yarrow build digits.cfg -o afile", "Not a directory", 1,
            ["a file of this name", "give another name for the folder"]),
    Mistake("yarrow run aipu.bin -i one.npy -o outdir/", "it is a directory", 1,
            ["it is a directory", "name a file in it"]),
    Mistake("yarrow run aipu.bin -i one.npy -o nodir/x.npy", "the folder nodir is not there", 1,
            ["`mkdir -p nodir` makes it"]),
    Mistake("yarrow run aipu.bin -i one.npy -o afile/x.npy", "afile is not a folder", 1,
            ["afile is not a folder", "give the output another place"]),
    Mistake("yarrow quantize digits.txt -c 'my files/cal,set.npy' -o comma --brief --recipe compass",
            "two files that are not there", 0, ["calibrated with 128 samples"]),
    Mistake("yarrow run aipu.bin -i one.npy -o - 2>/dev/null | wc -c", "a file named -", 0, ["^10$"]),

    # Samples.
    Mistake("yarrow run aipu.bin -i nchw.npy", "transpose it", 1, ["E0105", "[Tt]ranspose"]),
    Mistake("yarrow run aipu.bin -i nobatch.npy", "no samples of the input", 1, ["E0105"]),
    Mistake("yarrow run aipu.bin -i nan.npy", "sample 1 is not finite", 1, ["E0107"]),
    Mistake("yarrow eval two.onnx -i names.npz -o y.npy", "the order of the file, no word", 1,
            ["the archive has no array for the input w", "expected: x, w"]),
    Mistake("yarrow run aipu.bin -q && ls output.npy", "-i is required", 0, ["output.npy"]),

    # Quantization without a configuration file.
    Mistake("yarrow quantize net.onnx", "calibration_data, a key of net.cfg", 1,
            ["E0503", "-c samples.npy gives some"]),
    Mistake("yarrow quantize open.onnx -c wide.npy", "the model's own names of the lengths", 1,
            ["E1007", "--input-shape x=1,2,4,8, as the samples have it"]),
    Mistake("yarrow build open.onnx -c wide.npy", "the model's own names of the lengths", 1,
            ["E1007", "--input-shape x=1,2,4,8, as the samples have it"]),
    Mistake("yarrow quantize digits.txt -c calibration.npy -o w --brief --recipe compass "
            "--calibration-strategy-for-activation mean", "calibration_batch_size = 32", 0,
            ["W0405", "hint: --calibration-batch-size 32"]),
    Mistake("yarrow build net.onnx --brief", "E0503, a key of net.cfg", 0, ["W0420", "-c samples.npy"]),
    Mistake("yarrow compile digits.txt -o float.bin", "quantize makes integer IR", 0,
            ["W0603", "`yarrow quantize` makes integer IR"]),

    # Words and options.
    Mistake("yarrow build net.onnx -c x.npy --weight-bits 4", "an option of `yarrow quantize`", 2,
            ["`--set weight_bits=VALUE` sets it"]),
    Mistake("yarrow inspect aipu.bin --json r.json", "an option of `yarrow quantize`", 2,
            ["`yarrow run aipu.bin --report r.json`"]),
    Mistake("yarrow compile net.onnx --calibration-data x.npy", "an option of `yarrow quantize`", 2,
            ["`yarrow build MODEL -c samples.npy` quantizes and compiles"]),
    Mistake("yarrow run aipu.bin --target X2_1204", "an option of another command", 2,
            ["--machine simulates another machine"]),
    Mistake("yarrow quantize digits.txt --calib-data x.npy", NOTHING, 2,
            ["did you mean '--calibration-data'"]),
    Mistake("yarrow ops conv", NOTHING, 1, ["there are .*Convolution"]),
    Mistake("yarrow compile out/digits_o.txt --target X2", NOTHING, 1,
            ["there are X2_1204 and X2_1204MP3"]),
    Mistake("yarrow compile out/digits_o.txt --target X2_1205", "did you mean X2_1204?", 1,
            ["did you mean 'X2_1204'"]),
    Mistake("yarrow quantise digits.txt", "did you mean 'quantize'?", 2, ["did you mean 'quantize'"]),
    Mistake("yarrow help run", "'help' is not a command", 0, ["Run an executable"]),
    Mistake("yarrow -v", "an option that there is not", 0, ["yarrow \\d"]),
    Mistake("yarrow build net.onnx --gate accuracy=1", "an option that there is not", 2,
            ["--gate cosine=0.99 or --gate sqnr=30"]),
    Mistake("echo 'inspect aipu.bin' > args && yarrow @args", "'@args' is not a command", 0,
            ["model digits for X2_1204"]),
    Mistake("yarrow -Werror compile digits.txt -o f.bin", "options that there are not", 1,
            ["W0603", "E0513"]),
    Mistake("yarrow run aipu.bin -i missing.npy --format json", "an option of `yarrow check`", 1,
            ['^\\{"code":"E0101","severity":"error","file":"missing.npy"']),
]
