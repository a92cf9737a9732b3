//===- IoFiles.h - Inputs and outputs of a run as files -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// .npy files hold arrays of any number of samples; files with another ending
// are raw little-endian tensors, as the vendor's tools exchange them. What an
// array must be, support/SampleArrays.h says. Both ways, one run is in memory
// at a time.
//
//   auto inputs = readRunInputs({"in0.npy"}, executable.inputs(), diags);
//   OutputFiles files({"out.npy"}, executable.outputs(), inputs->count(),
//                     diags);
//   for (std::size_t i = 0; i < inputs->count(); ++i)
//     files.append(run(inputs->inputsOf(i)));
//   files.commit();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DRIVER_IOFILES_H
#define YARROW_COMPILER_DRIVER_IOFILES_H

#include "compiler/driver/NpuRunner.h"
#include "support/SampleArrays.h"

namespace yarrow {

class AtomicFile;

using runtime::IoDescription;

/// nullopt after errors. Integers are what the inputs store, unless the files
/// are what the float network takes.
std::optional<SampleArrays>
readRunInputs(const std::vector<std::string> &paths,
              const std::vector<IoDescription> &inputs, DiagnosticEngine &diags,
              bool integersAreReal = false);
/// The same from arrays that are read already.
std::optional<SampleArrays>
makeRunInputs(const std::vector<NpyView> &arrays,
              const std::vector<IoDescription> &inputs, DiagnosticEngine &diags,
              bool integersAreReal = false);

/// Whether the file has a shape; others are raw tensors.
bool isNpy(const std::string &path);
/// What arrays for \p tensor must be.
SampleInput sampleInputOf(const IoDescription &tensor);

/// A path for each output: those given, or the one given with k before the
/// ending (nothing for the first). nullopt after errors.
std::optional<std::vector<std::string>>
outputPaths(const std::vector<std::string> &given,
            const std::vector<IoDescription> &outputs, DiagnosticEngine &diags);

/// Outputs of a number of runs, which come one by one and are stacked along
/// the first axis. Without commit() nothing is left.
class OutputFiles {
public:
  OutputFiles(const std::vector<std::string> &paths,
              const std::vector<IoDescription> &outputs, std::size_t runs,
              DiagnosticEngine &diags);
  ~OutputFiles();

  /// The outputs of the next run. False once a file cannot be written.
  bool append(const IoBytes &outputs);
  bool commit();

private:
  std::vector<std::unique_ptr<AtomicFile>> files;
};

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
