//===- IoFiles.h - Inputs and outputs of a run as files -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// .npy files hold arrays of any number of samples, .npz files those of all
// inputs by name; files with another ending are raw little-endian tensors, as
// the vendor's tools exchange them. support/SampleArrays.h describes valid
// arrays, OutputFiles.h the paths of outputs. One run is in memory at a time.
//
//   auto inputs = readRunInputs({"in0.npy"}, executable.inputs(), diags);
//   for (std::size_t i = 0; i < inputs->count(); ++i)
//     run(inputs->inputsOf(i));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_RUN_IOFILES_H
#define YARROW_COMPILER_RUN_IOFILES_H

#include "compiler/data/pictures/PictureOptions.h"
#include "compiler/run/IoBytes.h"
#include "compiler/run/OutputFiles.h"
#include "runtime/Executable.h"
#include "support/SampleArrays.h"

namespace yarrow {

using runtime::IoDescription;

/// The arrays of all files; nullopt after errors.
std::optional<std::vector<NpyView>>
readInputArrays(const std::vector<std::string> &paths,
                const std::vector<IoDescription> &inputs,
                DiagnosticEngine &diags, const PictureOptions &pictures = {});
/// nullopt after errors. Integers are what the inputs store, unless the files
/// are what the float network takes. Files may be pictures.
std::optional<SampleArrays>
readRunInputs(const std::vector<std::string> &paths,
              const std::vector<IoDescription> &inputs, DiagnosticEngine &diags,
              bool integersAreReal = false,
              const PictureOptions &pictures = {});
/// The same from arrays that are read already.
std::optional<SampleArrays>
makeRunInputs(const std::vector<NpyView> &arrays,
              const std::vector<IoDescription> &inputs, DiagnosticEngine &diags,
              bool integersAreReal = false);

/// What arrays for \p tensor must be.
SampleInput sampleInputOf(const IoDescription &tensor);

/// Outputs as files have them: each path's numbers as isReal() says.
std::vector<OutputArray> outputArrays(const std::vector<IoDescription> &stored,
                                      OutputNumbers numbers,
                                      const std::vector<std::string> &paths);
/// The bytes of a run for these.
IoBytes outputBytes(IoBytes outputs, const std::vector<IoDescription> &stored,
                    OutputNumbers numbers,
                    const std::vector<std::string> &paths);
/// describeTensor() of each.
std::vector<std::string> describeAll(const std::vector<IoDescription> &tensors);

std::size_t numElements(const IoDescription &tensor);
/// Stored values as real numbers. float32 has whole numbers up to 2^24.
std::vector<float> dequantize(const std::vector<char> &bytes,
                              const IoDescription &tensor);
NpyType npyTypeOf(isa::DataType type);
/// "input: uint8[1,8,8,1], scale 255, zero point 0"
std::string describeTensor(const IoDescription &tensor);

} // namespace yarrow

#endif // YARROW_COMPILER_RUN_IOFILES_H
