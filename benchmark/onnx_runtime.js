// Runs the jobs of onnx_runtime.py in ONNX Runtime and prints, as JSON, how many elements of each
// tensor differ from the expected ones and by how many steps at most: of the whole network, and of
// each layer alone, which gets the integers that the layers before it should give.
//
//   node onnx_runtime.js FOLDER_OF_NODE_MODULES jobs.json disabled|basic|extended|all [layers]
"use strict";
const fs = require("fs");
const path = require("path");
const { createRequire } = require("module");
const [folder, jobsFile, optimization, mode] = process.argv.slice(2);
const withLayers = mode === "layers";
const ort = createRequire(path.join(path.resolve(folder), "x.js"))("onnxruntime-node");

const ARRAYS = { i1: Int8Array, u1: Uint8Array, i2: Int16Array, u2: Uint16Array, i4: Int32Array,
                 u4: Uint32Array, f4: Float32Array, b1: Uint8Array, i8: BigInt64Array };

function readNpy(file) {
  const data = fs.readFileSync(file);
  const wide = data[6] > 1;
  const start = wide ? 12 : 10;
  const end = start + (wide ? data.readUInt32LE(8) : data.readUInt16LE(8));
  const header = data.toString("latin1", start, end);
  const kind = /'descr': '[<|=]?(\w+)'/.exec(header)[1];
  const shape = /'shape': \(([^)]*)\)/.exec(header)[1].split(",").filter((s) => s.trim()).map(Number);
  const bytes = data.buffer.slice(data.byteOffset + end, data.byteOffset + data.length);
  return { shape, values: Array.from(new ARRAYS[kind](bytes), Number) };
}

// Protobuf: the fields of a message as [number, payload, whole], and a field.
function fieldsOf(bytes) {
  const found = [];
  let at = 0;
  const varint = () => {
    let value = 0, factor = 1;
    for (;; factor *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const start = at, tag = varint();
    const length = [() => (varint(), 0), () => 8, varint, null, null, () => 4][tag % 8]();
    const begin = at;
    at += length;
    found.push([Math.floor(tag / 8), bytes.subarray(begin, at), bytes.subarray(start, at)]);
  }
  return found;
}
function field(number, bytes) {
  const varint = (value) => {
    const out = [];
    for (; value > 127; value = Math.floor(value / 128)) out.push((value % 128) + 128);
    return [...out, value];
  };
  return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes]);
}
const textOf = (bytes) => Buffer.from(bytes).toString();
const valuesOf = (message, number) => fieldsOf(message).filter((f) => f[0] === number).map((f) => f[1]);

// The model with the quantized tensors of \p names as outputs or, for each layer alone, as inputs
// (NAME_given) of the nodes that read them, too. Tells type and lengths of the tensors.
function opened(model, names, isAlone) {
  const types = new Map(), orders = new Map(), out = [], graph = [];
  for (const [number, payload, whole] of fieldsOf(model)) {
    if (number !== 7) { out.push(whole); continue; }
    const made = new Set();
    for (const [, node] of fieldsOf(payload).filter((f) => f[0] === 1))
      for (const name of valuesOf(node, 2)) made.add(textOf(name));
    for (const value of valuesOf(payload, 13)) {
      const name = textOf(valuesOf(value, 1)[0]);
      const order = valuesOf(value, 3).map(textOf)[0].split(" ")[1].split(",").map(Number);
      if (!names.has(name) || !made.has(name)) continue;
      types.set(name, valuesOf(value, 2)[0]);
      orders.set(name, order);
    }
    for (const [part, message, original] of fieldsOf(payload)) {
      if (part !== 1 || !isAlone) { graph.push(original); continue; }
      graph.push(field(1, Buffer.concat(fieldsOf(message).map(([n, text, all]) =>
        n === 1 && types.has(textOf(text)) ? field(1, Buffer.from(textOf(text) + "_given")) : all))));
    }
    for (const [name, type] of types) {
      const value = (text) => Buffer.concat([field(1, Buffer.from(text)), field(2, type)]);
      graph.push(field(12, value(name)));
      if (isAlone) graph.push(field(11, value(name + "_given")));
    }
    out.push(field(7, Buffer.concat(graph)));
  }
  return { model: Buffer.concat(out), orders };
}

// Elements of a tensor of lengths \p dims with axis i where axis order[i] is.
function turned(values, dims, order) {
  const strides = dims.map((_, i) => dims.slice(i + 1).reduce((a, b) => a * b, 1));
  const lengths = order.map((axis) => dims[axis]);
  return values.map((_, index) => {
    let from = 0;
    for (let i = order.length; i-- > 0;) {
      from += strides[order[i]] * (index % lengths[i]);
      index = Math.floor(index / lengths[i]);
    }
    return values[from];
  });
}
const inverse = (order) => order.map((_, i) => order.indexOf(i));

function roundToEven(value) {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

const TYPES = { int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array };

// Runs all samples; records per tensor.
async function measure(jobs, isAlone) {
  const options = { graphOptimizationLevel: optimization, logSeverityLevel: 3 };
  // Of the first sample all tensors are recorded.
  const samples = isAlone ? jobs.samples.slice(0, 1) : jobs.samples;
  const names = new Set();
  if (isAlone || withLayers)
    for (const sample of samples)
      for (const output of sample.outputs.concat(sample.inputs)) names.add(output.name + "_quantized");
  const { model, orders } = opened(fs.readFileSync(jobs.model), names, isAlone);
  const session = await ort.InferenceSession.create(model, options);
  const results = new Map();
  for (const sample of samples) {
    const feeds = {};
    for (const input of sample.inputs) {
      const { shape, values } = readNpy(input.file);
      if (input.type === "int32" && input.scale === 1) {
        feeds[input.name] = new ort.Tensor("int32", Int32Array.from(values), shape);
        continue;
      }
      const real = input.isFloat ? values : values.map((q) => (q + input.zp) / input.scale);
      feeds[input.name] = new ort.Tensor("float32", Float32Array.from(real), shape);
    }
    const given = isAlone ? sample.outputs.concat(sample.inputs) : [];
    for (const tensor of given) {
      const order = orders.get(tensor.name + "_quantized");
      if (!order) continue;
      const { shape, values } = readNpy(tensor.file);
      feeds[tensor.name + "_quantized_given"] = new ort.Tensor(
        tensor.type, TYPES[tensor.type].from(turned(values, shape, order)),
        order.map((axis) => shape[axis]));
    }
    const outputs = await session.run(feeds);
    for (const output of sample.outputs) {
      const inner = outputs[output.name + "_quantized"];
      if (!inner && (isAlone || output.isInner)) continue;
      const tensor = isAlone || output.isInner ? inner : outputs[output.name];
      const expected = readNpy(output.file);
      let got = Array.from(tensor.data, Number);
      if (tensor === inner)
        got = turned(got, tensor.dims, inverse(orders.get(output.name + "_quantized")));
      else if (!output.isFloat && tensor.type === "float32")
        got = got.map((x) => Math.min(output.most, Math.max(output.least,
          roundToEven(Math.fround(x * output.scale)) - output.zp)));
      const record = results.get(output.name) ||
        { name: output.name, elements: 0, differ: 0, most: 0, isOutput: !output.isInner };
      record.elements += got.length;
      for (let i = 0; i < got.length; ++i) {
        const away = Math.abs(got[i] - expected.values[i]);
        if (away !== 0) ++record.differ;
        if (!(away <= record.most)) record.most = away;
      }
      results.set(output.name, record);
    }
  }
  return [...results.values()];
}

async function main() {
  const jobs = JSON.parse(fs.readFileSync(jobsFile, "utf8"));
  const whole = await measure(jobs, false);
  console.log(JSON.stringify({ whole, alone: await measure(jobs, true) }));
}

main().catch((error) => {
  console.error(String(error));
  process.exit(1);
});
