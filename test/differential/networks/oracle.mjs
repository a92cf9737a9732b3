// Runs ONNX models in ONNX Runtime, one after the other, for oracle.py.
//
// Each line of standard input is a request: {"model": path, "inputs": [{"name", "type", "dims",
// "data": base64}]}. Each line of standard output is the answer: {"outputs": [the same]} or
// {"error": text}. Nothing is optimized, so that an operator computes what it says.
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

const ort = createRequire(join(process.argv[2], "package.json"))("onnxruntime-node");
const ARRAYS = { float32: Float32Array, uint8: Uint8Array, int8: Int8Array, uint16: Uint16Array,
  int16: Int16Array, int32: Int32Array, int64: BigInt64Array, bool: Uint8Array,
  float64: Float64Array, uint32: Uint32Array, uint64: BigUint64Array };

function decoded(text, type) {
  const bytes = Buffer.from(text, "base64");
  return new ARRAYS[type](new Uint8Array(bytes).buffer);
}

async function answer({ model, inputs }) {
  const session = await ort.InferenceSession.create(model, { graphOptimizationLevel: "disabled",
    intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 4 });
  try {
    const feeds = {};
    for (const { name, type, dims, data } of inputs)
      feeds[name] = new ort.Tensor(type, decoded(data, type), dims);
    const results = await session.run(feeds);
    return { outputs: session.outputNames.map((name) => {
      const { type, dims, data } = results[name];
      const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
      return { name, type, dims, data: bytes.toString("base64") };
    }) };
  } finally {
    await session.release();
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  let said;
  try {
    said = await answer(JSON.parse(line));
  } catch (problem) {
    said = { error: String(problem.message ?? problem) };
  }
  process.stdout.write(JSON.stringify(said) + "\n");
}
