//===- LayerFiles.h - The tensors of all layers as files --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// --layers: a folder with each tensor as it is stored, 007_conv1_0.npy, samples
// along the first axis, and layers.json, which says of each what it is and what
// its integers mean. Files are open while their samples come, so a network with
// many tensors and samples is written in passes over all samples.
//
//   LayerFiles files("out", tensors, runs, diags);
//   for (std::size_t pass = 0; pass < files.passes(); ++pass) {
//     files.begin(pass);
//     for each run: for (std::size_t t : files.wanted()) files.append(t,
//     bytes); files.end();
//   }
//   files.writeIndex("net");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_EVAL_LAYERFILES_H
#define YARROW_COMPILER_EVAL_LAYERFILES_H

#include "compiler/eval/NetworkTensors.h"
#include "support/AtomicFile.h"

#include <memory>
#include <span>

namespace yarrow {

class LayerFiles {
public:
  /// How many files are open at a time.
  static constexpr std::size_t kMostOpen = 256;

  LayerFiles(std::string folder, const std::vector<NetworkTensor> &tensors,
             std::size_t runs, DiagnosticEngine &diags);

  /// Of all that will be written.
  std::vector<std::string> paths() const;
  std::size_t passes() const {
    return (tensors.size() + kMostOpen - 1) / kMostOpen;
  }
  void begin(std::size_t pass);
  /// The tensors whose values are due, first and one past the last.
  std::size_t firstWanted() const { return first; }
  std::size_t endWanted() const { return first + files.size(); }
  /// The next run's values.
  void append(std::size_t tensor, std::span<const std::byte> bytes);
  /// False after errors.
  bool end();
  bool writeIndex(const std::string &model);

private:
  static constexpr const char *kIndex = "layers.json";
  std::string nameOf(std::size_t tensor) const;
  std::string pathOf(const std::string &name) const;

  std::string folder;
  const std::vector<NetworkTensor> &tensors;
  std::size_t runs, first = 0;
  DiagnosticEngine &diags;
  std::vector<std::unique_ptr<AtomicFile>> files;
};

/// The header of an array of \p runs values of \p tensor along its first axis.
std::string stackedHeader(const NetworkTensor &tensor, std::size_t runs);

} // namespace yarrow

#endif // YARROW_COMPILER_EVAL_LAYERFILES_H
