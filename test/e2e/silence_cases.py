"""The cases of silence.py: point, command, what happened before, and what must
happen now. Commands run one after the other in one folder with the example
(examples/digits) and the arrays that silence.py makes."""
import collections

Case = collections.namedtuple("Case", "point command before code says")

# What the cases start from: an integer IR and its executable.
SETUP = [
    "yarrow quantize digits.txt -w digits.bin -c calibration.npy -o out --brief",
    "yarrow quantize digits.txt -w digits.bin -c heldout.npy -o other --brief",
    "yarrow compile out/digits_o.txt -w out/digits_o.bin --target X2_1204 -o aipu.bin",
]

CASES = [
    Case("1 shapes", "yarrow run aipu.bin -i spatial.npy -o o.npy",
         "8 samples, exit code 0", 1, ["E0105"]),
    Case("1 shapes", "yarrow quantize digits.txt -c spatial.npy -o wrong --brief",
         "calibrated with 8 samples", 1, ["E0401|E0105"]),
    Case("1 shapes", "yarrow eval --float digits.txt,digits.bin -d spatial.npy",
         "figures of 8 samples", 1, ["E0401|E0105"]),
    Case("1 shapes", "yarrow run aipu.bin -i nchw.npy -o o.npy",
         "4 samples, in the wrong layout where an axis is 1", 1, ["E0105", "[Tt]ranspose"]),
    Case("1 shapes", "yarrow run aipu.bin -i flat.npy -o o.npy",
         "4 samples without a word", 0, ["N0110"]),
    Case("1 shapes", "yarrow run aipu.bin -i one.npy -o o.npy && "
         "yarrow run aipu.bin -i four.npy -o o.npy", "accepted", 0, []),

    Case("2 finite", "yarrow run aipu.bin -i nan.npy -o o.npy",
         "NaN became 0", 1, ["E0107", "sample 1"]),
    Case("2 finite", "yarrow quantize digits.txt -c inf.npy -o wrong --brief",
         "an assertion in the quantizer", 1, ["E0107", "sample 1"]),
    Case("2 finite", "yarrow eval --float digits.txt,digits.bin -d nan.npy",
         "cosine nan, exit code 0", 1, ["E0107"]),
    Case("2 finite", "yarrow quantize digits.txt -w nan.bin -c calibration.npy -o wrong --brief",
         "cosine nan, exit code 0", 1, ["E0217"]),
    Case("2 finite", "yarrow compile digits.txt -w nan.bin -o wrong.bin",
         "an executable", 1, ["E0217"]),
    Case("2 finite", "yarrow eval --float digits.txt,nan.bin -d four.npy",
         "NaN in all figures, exit code 0", 1, ["E0217"]),
    Case("2 finite", "sed 's/^bin = .*/bin = nan.bin/' net.cfg > nan.cfg && yarrow build nan.cfg",
         "cosine nan, exit code 0", 1, ["E0217"]),

    Case("3 pairs", "yarrow compile out/digits_o.txt -w other/digits_o.bin -o wrong.bin",
         "an executable of another network", 1, ["E0221"]),
    Case("3 pairs", "yarrow check out/digits_o.txt -w other/digits_o.bin",
         "0 errors", 1, ["E0221"]),
    Case("3 pairs", "sed '/^weights_digest=/d' out/digits_o.txt > nodigest.txt && "
         "yarrow check nodigest.txt -w out/digits_o.bin", "0 errors", 0, ["0 errors"]),

    Case("4 checksums", "cp aipu.bin flipped.bin && printf '\\x55' | dd of=flipped.bin bs=1 "
         "seek=$(($(stat -c %s aipu.bin) / 2)) conv=notrunc status=none && "
         "yarrow run flipped.bin -i one.npy -o o.npy",
         "other outputs, exit code 0", 1, ["E070[14]"]),

    Case("5 rules", "yarrow quantize digits.txt -c calibration.npy -o rules --brief "
         "--weight-bits '8 & <[Convolutin]:16>'",
         "no layer had 16 bits, without a word", 0, ["W0510", "Convolution"]),
    Case("5 rules", "yarrow quantize digits.txt -c calibration.npy -o rules --brief "
         "--calibration-strategy-for-activation 'extrema & <{nosuchlayer}:mean>'",
         "extrema for all layers, without a word", 0, ["W0510"]),

    Case("6 figures", "yarrow eval --exe aipu.bin -d four.npy --min-top1 90",
         "exit code 0 without labels", 2, ["E0507"]),
    Case("6 figures", "yarrow eval --exe aipu.bin -d heldout.npy -l heldout_label.npy "
         "--metric topk", "passed as top1", 2, ["E0507"]),
    Case("6 figures", "yarrow eval --float out/digits_o.txt,out/digits_o.bin -d four.npy",
         "the integer network as float", 2, ["E0507", "--int"]),
    Case("6 figures", "yarrow eval --exe aipu.bin -d four.npy --samples 99999",
         "4 samples, without a word", 0, ["W0511"]),
    Case("6 figures", "yarrow quantize digits.txt -c calibration.npy -o wrong --brief "
         "--calibration-strategy-for-activation 99.9percentile",
         "cosine 0.11", 1, ["E0502", "0\\.999"]),

    Case("7 keys", "sed 's/^stride_x=2/stride_x=/' digits.txt > k.txt && "
         "yarrow check k.txt -w digits.bin", "taken as the default", 1, ["E02\\d\\d"]),
    Case("7 keys", "sed 's/^compat_quantized_model=.*/compat_quantized_model=99999/' digits.txt > "
         "k.txt && yarrow check k.txt -w digits.bin", "taken as false", 1, ["E0203"]),
    Case("7 keys", "sed 's/^kernel_x=3/&\\n&/' digits.txt > k.txt && "
         "yarrow check k.txt -w digits.bin", "not a word", 0, ["W0\\d\\d\\d|N0\\d\\d\\d"]),

    Case("9 reported", "yarrow compile out/digits_o.txt --target X2_1204MP3 -o mp3.bin",
         "one of three cores, without a word", 0, ["W0512"]),
    Case("9 reported", "yarrow compile digits.txt -w digits.bin -o float.bin",
         "a float executable, without a word", 0, ["W0603"]),

    Case("11 budget", "yarrow run aipu.bin -i one.npy -o o.npy --budget 10",
         "there was no option", 1, ["E080[13]"]),

    Case("14 streams", "yarrow ops > /dev/full", "exit code 0", 1, ["E0102"]),
    Case("14 streams", "yarrow phases >&-", "exit code 0", 1, ["E0102"]),
    Case("14 streams", "cp one.npy same.npy && yarrow run aipu.bin -i same.npy -o same.npy; "
         "code=$?; cmp one.npy same.npy && exit $code",
         "the input was replaced", 1, ["E0108"]),
    Case("14 streams", "yarrow run aipu.bin -i one.npy -o o.npy --report o.npy",
         "one replaced the other", 1, ["E0108"]),
    Case("14 streams", "yarrow run aipu.bin -i one.npy -o /dev/stdout --timed 2>/dev/null | wc -c",
         "the data and the table in one stream", 0, ["^10$"]),
    Case("14 streams", "sed 's/^model_name=.*/model_name=..\\/esc/' digits.txt > n.txt && "
         "yarrow check n.txt -w digits.bin", "files outside of the folder", 1, ["E02\\d\\d"]),

    Case("18 reports", "yarrow run aipu.bin -i one.npy -o o.npy --report r.json && "
         "grep -q '\"schema\"' r.json", "no schema", 0, []),
    Case("18 reports", "yarrow run aipu.bin -i one.npy -o d.npy --dequantize && "
         "grep -aq f4 d.npy", "there was no option", 0, []),

    Case("19 options", "yarrow quantize digits.txt --calib-data calibration.npy",
         "no suggestion", 2, ["E0507", "--calibration-data"]),
    Case("19 options", "yarrow run out/digits_o.txt -i one.npy",
         "\"not ELF\"", 1, ["E0\\d\\d\\d", "IR"]),
    Case("19 options", "python3 -c \"import zipfile; z = zipfile.ZipFile('x.npz', 'w'); "
         "z.write('one.npy'); z.write('four.npy')\""
         " && yarrow run aipu.bin -i x.npz", "\"not whole samples\"", 1, ["E0105", "npz"]),
    Case("19 options", "yarrow compile aipu.bin -o a.bin",
         "hundreds of syntax errors", 1, ["executable"]),
    Case("19 options", "yarrow run aipu.bin -i one.npy -o o.npy --timed | "
         "awk 'length > 80 { exit 1 }'", "lines of up to 190 columns", 0, []),
    Case("19 options", "yarrow quantize digits.txt -c calibration.npy -o w --winograd auto "
         "--target X3_9999", "reported after minutes of calibration", 1, ["E0505"]),

    Case("20 old keys", "sed -e 's/^dataset = .*/dataset_name = NumpyDataset\\npreprocess_mode = "
         "normalize/' net.cfg > old.cfg && yarrow build old.cfg --brief", "two errors", 0, []),
]
