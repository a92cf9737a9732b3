// Runs the models that onnx_models.py --write has put into a folder in ONNX Runtime and
// writes their outputs there, for onnx_models.py --record. Needs the package
// onnxruntime-node where node looks for it:
//
//   npm install --ignore-scripts onnxruntime-node
//   node record_onnx_models.mjs folder
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const ort = createRequire(resolve("package.json"))("onnxruntime-node");
const folder = process.argv[2];
const outputs = {};
for (const { name, values, inputs } of JSON.parse(readFileSync(join(folder, "cases.json")))) {
  const session = await ort.InferenceSession.create(join(folder, name + ".onnx"));
  const feeds = {};
  for (const { name, shape, data } of inputs)
    feeds[name] = new ort.Tensor("float32", Float32Array.from(data), shape);
  for (const [name, value] of Object.entries(values))
    feeds[name] = new ort.Tensor("int64", BigInt64Array.of(BigInt(value)), []);
  const results = await session.run(feeds);
  outputs[name] = session.outputNames.map((n) => Array.from(results[n].data, Number));
  console.log(name, session.outputNames.map((n) => n + " [" + results[n].dims + "]").join(", "));
}
writeFileSync(join(folder, "outputs.json"), JSON.stringify(outputs));
