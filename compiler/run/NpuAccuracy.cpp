//===- NpuAccuracy.cpp - An executable among what is measured -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/run/NpuAccuracy.h"
#include "compiler/run/IoFiles.h"

using namespace yarrow;

std::optional<SampleArrays>
NpuDevice::inputsOf(const std::vector<NpyView> &data, bool integersAreReal,
                    DiagnosticEngine &diags) const {
  return makeRunInputs(data, runner.executable().inputs(), diags,
                       integersAreReal);
}

std::vector<AccuracyDevice::Output> NpuDevice::outputs() const {
  std::vector<Output> outputs;
  for (const IoDescription &output : runner.executable().outputs())
    outputs.push_back({output.name, numElements(output), output.shape});
  return outputs;
}

bool NpuDevice::run(const Bytes &inputs, Bytes &outputs,
                    DiagnosticEngine &diags) {
  return runner.run(inputs, outputs, diags);
}

std::vector<float>
NpuDevice::realNumbers(std::size_t output,
                       const std::vector<char> &bytes) const {
  return dequantize(bytes, runner.executable().outputs()[output]);
}
