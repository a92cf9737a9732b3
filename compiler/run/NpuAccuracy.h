//===- NpuAccuracy.h - An executable among what is measured ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The simulated NPU as a device of quantizer/metrics/Accuracy.h.
//
//   NpuDevice device(*runner);
//   task.npu = &device;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_RUN_NPUACCURACY_H
#define YARROW_COMPILER_RUN_NPUACCURACY_H

#include "compiler/run/NpuRunner.h"
#include "quantizer/metrics/Accuracy.h"

namespace yarrow {

class NpuDevice : public AccuracyDevice {
public:
  explicit NpuDevice(NpuRunner &runner) : runner(runner) {}

  std::optional<SampleArrays> inputsOf(const std::vector<NpyView> &data,
                                       bool integersAreReal,
                                       DiagnosticEngine &diags) const override;
  std::vector<Output> outputs() const override;
  bool keepsState() const override { return runner.keepsState(); }
  void resetState() override { runner.resetState(); }
  bool run(const Bytes &inputs, Bytes &outputs,
           DiagnosticEngine &diags) override;
  std::vector<float> realNumbers(std::size_t output,
                                 const std::vector<char> &bytes) const override;

private:
  NpuRunner &runner;
};

} // namespace yarrow

#endif // YARROW_COMPILER_RUN_NPUACCURACY_H
