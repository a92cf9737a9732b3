// Runs every model of a folder in ONNX Runtime on random inputs, and records them as ONNX's own tests
// are laid out: OUT/NAME/model.onnx, test_data_set_0/input_0.pb, output_0.pb, ...
//
//   node onnx_record.js FOLDER_OF_NODE_MODULES MODELS OUT [disabled|basic|extended|all]
//   yarrow-conformance --stage import --models OUT --verbose
//
// Integers are drawn from all of their type, floats from a normal distribution. Models that the
// runtime does not load, or that have inputs of other types, are named and left out.
"use strict";
const fs = require("fs");
const path = require("path");
const { createRequire } = require("module");
const [folder, models, out, optimization] = process.argv.slice(2);
const ort = createRequire(path.join(path.resolve(folder), "x.js"))("onnxruntime-node");

const NUMBERS = { float32: 1, uint8: 2, int8: 3, uint16: 4, int16: 5, int32: 6, int64: 7, bool: 9 };
const ARRAYS = { uint8: Uint8Array, int8: Int8Array, uint16: Uint16Array, int16: Int16Array };

let seed = 12345;
function uniform() {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return seed / 2147483648;
}
// Of twelve uniform numbers, which have a variance of 1/12 each.
function normal() {
  let sum = -6;
  for (let i = 0; i < 12; ++i) sum += uniform();
  return sum;
}

function draw(type, count) {
  if (type === "float32") return Float32Array.from({ length: count }, normal);
  const array = ARRAYS[type];
  if (!array) throw new Error(`no inputs of ${type} are drawn`);
  return array.from({ length: count }, () => Math.floor(uniform() * 65536));
}

function varint(value) {
  const bytes = [];
  for (let rest = BigInt(value); ; rest >>= 7n) {
    const low = Number(rest & 127n);
    bytes.push(rest > 127n ? low | 128 : low);
    if (rest <= 127n) return Buffer.from(bytes);
  }
}

// TensorProto: 1 dims, 2 data_type, 9 raw_data.
function tensorBytes(tensor) {
  const { buffer, byteOffset, byteLength } = tensor.data;
  const parts = tensor.dims.map((n) => Buffer.concat([Buffer.from([8]), varint(n)]));
  parts.push(Buffer.from([16]), varint(NUMBERS[tensor.type]));
  parts.push(Buffer.from([74]), varint(byteLength), Buffer.from(buffer, byteOffset, byteLength));
  return Buffer.concat(parts);
}

async function record(name) {
  const model = path.join(models, name + ".onnx");
  const session = await ort.InferenceSession.create(model, {
    graphOptimizationLevel: optimization || "disabled",
    intraOpNumThreads: 1,
    logSeverityLevel: 4,
  });
  const feeds = {};
  for (const input of session.inputMetadata) {
    // Open lengths are 1, as `yarrow import` has the batch.
    const lengths = input.shape.map((n) => (Number(n) > 0 ? Number(n) : 1));
    const count = lengths.reduce((a, b) => a * b, 1);
    feeds[input.name] = new ort.Tensor(input.type, draw(input.type, count), lengths);
  }
  const results = await session.run(feeds);
  const data = path.join(out, name, "test_data_set_0");
  fs.mkdirSync(data, { recursive: true });
  fs.copyFileSync(model, path.join(out, name, "model.onnx"));
  session.inputNames.forEach((input, i) =>
    fs.writeFileSync(path.join(data, `input_${i}.pb`), tensorBytes(feeds[input])));
  session.outputNames.forEach((output, i) =>
    fs.writeFileSync(path.join(data, `output_${i}.pb`), tensorBytes(results[output])));
}

async function main() {
  const names = fs.readdirSync(models).filter((file) => file.endsWith(".onnx")).sort();
  for (const name of names.map((file) => file.slice(0, -5)))
    await record(name).then(
      () => console.log(name),
      (error) => console.log(`${name}: left out: ${String(error.message).split("\n")[0]}`));
}

main();
