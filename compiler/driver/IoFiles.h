//===- IoFiles.h - Inputs and outputs of a run as files -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// .npy files hold arrays of any number of samples; files with another ending
// are raw little-endian tensors, as the vendor's tools exchange them. Real
// numbers are quantized by the input's scale and zero point, integers are taken
// as they are.
//
//   auto inputs = readRunInputs({"in0.npy"}, executable.inputs(), diags);
//   ... outputs[sample] = run(inputs->samples[sample]) ...
//   writeRunOutputs(runOutputPaths("out.npy", executable.outputs()),
//                   executable.outputs(), outputs, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DRIVER_IOFILES_H
#define YARROW_COMPILER_DRIVER_IOFILES_H

#include "compiler/driver/NpuRunner.h"

namespace yarrow {

using runtime::IoDescription;

struct RunInputs {
  std::vector<IoBytes> samples;
};

std::optional<RunInputs> readRunInputs(const std::vector<std::string> &paths,
                                       const std::vector<IoDescription> &inputs,
                                       DiagnosticEngine &diags);
/// The same from arrays that are read already; \p names are for diagnostics.
std::optional<RunInputs> makeRunInputs(const std::vector<NpyView> &arrays,
                                       const std::vector<std::string> &names,
                                       const std::vector<IoDescription> &inputs,
                                       DiagnosticEngine &diags);

/// A path for each output: those of the list \p given, or the one given with k
/// before the ending (nothing for the first).
std::vector<std::string>
runOutputPaths(const std::string &given,
               const std::vector<IoDescription> &outputs);
/// Several samples are stacked along the first axis.
bool writeRunOutputs(const std::vector<std::string> &paths,
                     const std::vector<IoDescription> &outputs,
                     const std::vector<IoBytes> &samples,
                     DiagnosticEngine &diags);

std::size_t numElements(const IoDescription &tensor);
/// Stored values as real numbers.
std::vector<float> dequantize(const std::vector<char> &bytes,
                              const IoDescription &tensor);
/// Outputs as real numbers, and what describes those. float32 has whole numbers
/// up to 2^24.
IoBytes dequantize(const IoBytes &outputs,
                   const std::vector<IoDescription> &stored);
std::vector<IoDescription> asReal(std::vector<IoDescription> stored);
NpyType npyTypeOf(isa::DataType type);
/// "input_0: uint8[1,8,8,1], scale 255, zero point 0"
std::string describeTensor(const IoDescription &tensor);

} // namespace yarrow

#endif // YARROW_COMPILER_DRIVER_IOFILES_H
