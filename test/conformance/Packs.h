//===- Packs.h - The reference packs ----------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A pack is a folder with a network (float.txt, int.txt and their weights) and
// what the reference tools computed for it. Two layouts: "models" and "ops"
// have tensors.json and sampleK/ with the tensors of every layer; "opzoo" and
// "winograd" have single operators with in*, fout*, qin* and qout* files, and
// "onnx" the tests of ONNX's operators, of floats alone.
//
//   for (const Pack &pack : findPacks("../shared/packs"))
//     for (const Sample &sample : pack.intSamples(diags)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_CONFORMANCE_PACKS_H
#define YARROW_TEST_CONFORMANCE_PACKS_H

#include "support/Diagnostics.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace yarrow::conformance {

/// What the reference recorded of one run.
struct Sample {
  std::string name;                           ///< "sample0", "" in opzoo.
  std::vector<std::string> inputs;            ///< files in input order
  bool quantizeInputs = false;                ///< inputs are floats
  std::map<std::string, std::string> tensors; ///< tensor name -> file
  std::vector<std::string> outputs;           ///< files in output order
};

struct Pack {
  std::string name; ///< "ops/split__s8"
  std::string dir;
  bool isOpzoo = false; ///< has the layout of opzoo
  bool isOnnx = false;  ///< is one of ONNX's tests
  bool isModel = false; ///< holds model.onnx and its recorded tensors
  /// Of a network that is not a pack: the path of its integer IR, without .txt.
  std::string integerIr = {};

  /// Runs of int.txt.
  std::vector<Sample> intSamples(DiagnosticEngine &diags) const;
  /// Runs of float.txt whose outputs are recorded: opzoo and onnx have them.
  std::vector<Sample> floatSamples() const;
};

/// Folders of ONNX's tests, model.onnx in each, two levels below \p folder or
/// one.
std::vector<Pack> findModels(const std::string &folder);

/// All packs of the five folders, sorted by name; empty if there are none.
std::vector<Pack> findPacks(const std::string &packsDir);

} // namespace yarrow::conformance

#endif // YARROW_TEST_CONFORMANCE_PACKS_H
