# identities.sh FOLDER NETWORK... -- COMMAND...: imports each network that COMMAND writes, with and
# without an Identity behind every node, and compares what is written.
folder=$1
shift
networks=
while [ "$1" != -- ]; do
  networks="$networks $1"
  shift
done
shift
for net in $networks; do
  mkdir -p "$folder/plain/$net" "$folder/copies/$net" || exit 1
  "$@" "$net" -o "$folder/plain.onnx" || exit 1
  "$@" "$net" --identities -o "$folder/copies.onnx" || exit 1
  for form in plain copies; do
    yarrow import "$folder/$form.onnx" -o "$folder/$form/$net" --model-name net || exit 1
  done
  sed -i 's/_copy//g' "$folder/copies/$net/net.txt"
  diff -r "$folder/plain/$net" "$folder/copies/$net" || exit 1
done
