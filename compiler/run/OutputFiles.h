//===- OutputFiles.h - Outputs of a run as files ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Where outputs go and what they are there: out.npz holds all of them by the
// model's names; out.npy, out1.npy and so on one each; .bin files are raw
// little-endian tensors, as the vendor's tools exchange them. Each has the runs
// stacked along the first axis.
//
//   auto paths = outputPaths(splitList("out.npz"), arrays, diags);
//   OutputFiles files(*paths, arrays, runs, diags);
//   for (...)
//     files.append(run(...));
//   files.commit();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_RUN_OUTPUTFILES_H
#define YARROW_COMPILER_RUN_OUTPUTFILES_H

#include "compiler/data/ArrayFiles.h"
#include "compiler/run/IoBytes.h"
#include "support/Npy.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yarrow {

class AtomicFile;

/// In which numbers outputs are written.
enum class OutputNumbers {
  Stored,  ///< What the outputs store.
  Real,    ///< float32 where stored integers stand for real numbers; raw files
           ///< have what is stored.
  AllReal, ///< float32, whatever it is.
};

/// An output as a file has it.
struct OutputArray {
  std::string name; ///< The model's.
  NpyType type = NpyType::Float32;
  std::vector<int64_t> shape; ///< Of one run.
  std::string text;           ///< "scores: float32[1,10]"
};

/// Whether the stored integers of an output stand for real numbers. Those of 32
/// bits with a scale of 1 count or choose.
bool meansReal(NpyType type, bool isQuantized, float scale, int64_t zeroPoint);
/// Whether an output that is written as \p numbers is float32 in this file.
bool isReal(OutputNumbers numbers, bool meansReal, const std::string &path);

/// False after FileFormat: the ending of a path is that of a format which is
/// not written.
bool canBeWrittenAs(const std::vector<std::string> &paths,
                    DiagnosticEngine &diags);

/// A path for each output: those given, or the one given with k before the
/// ending (nothing for the first); an archive alone for all. \p texts describe
/// the outputs. nullopt after errors.
std::optional<std::vector<std::string>>
outputPaths(const std::vector<std::string> &given,
            const std::vector<std::string> &texts, DiagnosticEngine &diags);
/// The one that output \p k of the network goes to.
const std::string &pathOf(const std::vector<std::string> &paths, std::size_t k);

/// Outputs of a number of runs, which come one by one and are stacked along
/// the first axis. Without commit() nothing is left. An archive is put together
/// in memory.
class OutputFiles {
public:
  OutputFiles(const std::vector<std::string> &paths,
              std::vector<OutputArray> outputs, std::size_t runs,
              DiagnosticEngine &diags);
  ~OutputFiles();

  /// The outputs of the next run. False once a file cannot be written.
  bool append(const IoBytes &outputs);
  bool commit();
  /// For those who publish more together with them.
  std::vector<AtomicFile *> finish();

private:
  std::vector<OutputArray> outputs;
  std::vector<std::string> headers;
  std::vector<std::unique_ptr<AtomicFile>> files;
  IoBytes archived; ///< All runs of each output, if one file holds all.
  bool isArchive = false;
};

} // namespace yarrow

#endif // YARROW_COMPILER_RUN_OUTPUTFILES_H
