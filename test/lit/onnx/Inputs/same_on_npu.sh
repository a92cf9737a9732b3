# same_on_npu.sh NETWORK OUTPUT...: quantizes NETWORK.onnx with NETWORK.npy and compares what the
# NPU computes of both with the evaluator, byte for byte.
net=$1
shift
evaluated= ran=
for output in "$@"; do
  evaluated="$evaluated${evaluated:+,}e$output.npy"
  ran="$ran${ran:+,}r$output.npy"
done
yarrow quantize --recipe compass "$net.onnx" -c "$net.npy" -o "$net.int" -q || exit 1
for ir in "$net.onnx" "$net.int/${net}_o.txt"; do
  yarrow eval "$ir" -i "$net.npy" -o "$evaluated" || exit 1
  yarrow compile "$ir" -o a.bin --target Z1_0701 -q || exit 1
  yarrow run a.bin -i "$net.npy" -o "$ran" || exit 1
  for output in "$@"; do
    cmp "e$output.npy" "r$output.npy" || exit 1
  done
done
