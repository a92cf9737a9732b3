# Makes a network of masks.py, quantizes it with its data, and compares all of
# its executions:
#
#   masks.sh python KIND NUMBER FOLDER a,b     # data in a.npy and b.npy
set -e
"$1" "$(dirname "$0")/masks.py" "$2" "$3" "$4"
cd "$4"
data=$(echo "$5" | sed 's/[^,]\{1,\}/&.npy/g')
yarrow quantize net.onnx -c "$data" -o q --brief --model-name net
yarrow compile q/net_o.txt -o a.bin > compile.log
yarrow eval --float net.onnx --int q/net_o.txt --exe a.bin -d "$data"
