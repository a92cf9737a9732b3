// Times ONNX models in ONNX Runtime on one thread and prints the best of the runs of each, in
// milliseconds, one line a model.
//
//   node onnx_speed.js FOLDER_OF_NODE_MODULES RUNS model.onnx...
"use strict";
const path = require("path");
const { createRequire } = require("module");
const [folder, runs, ...models] = process.argv.slice(2);
const ort = createRequire(path.join(path.resolve(folder), "x.js"))("onnxruntime-node");

async function best(model) {
  const session = await ort.InferenceSession.create(model, {
    intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: "sequential",
    graphOptimizationLevel: "all", logSeverityLevel: 3,
  });
  const feeds = {};
  for (const { name, shape } of session.inputMetadata) {
    const count = shape.reduce((a, b) => a * b, 1);
    feeds[name] = new ort.Tensor("float32", Float32Array.from({ length: count }, (_, i) => Math.sin(i)), shape);
  }
  let least = Infinity;
  for (let i = 0; i < Number(runs); ++i) {
    const start = process.hrtime.bigint();
    await session.run(feeds);
    least = Math.min(least, Number(process.hrtime.bigint() - start) / 1e6);
  }
  return least;
}

async function main() {
  for (const model of models) console.log((await best(model)).toFixed(3));
}

main().catch((error) => {
  console.error(String(error));
  process.exit(1);
});
