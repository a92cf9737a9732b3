//===- PartCompiler.h - Executables for parts of a model --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Imports and compiles a part that was cut out of a model. With samples for all
// inputs of a part it is quantized first. With a folder for its cache, it takes
// what an earlier compilation of the same part with the same settings left
// there.
//
//   PartCompiler compiler({.compile = {.target = "Z2_1104"}});
//   CompiledPart part = compiler.compile(graph->cut(nodes), diags);
//   if (part.executable) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PROVIDER_PARTCOMPILER_H
#define YARROW_COMPILER_PROVIDER_PARTCOMPILER_H

#include "compiler/provider/ModelGraph.h"
#include "compiler/session/Compile.h"
#include "compiler/session/Quantize.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yarrow::provider {

struct PartSettings {
  session::CompileSettings compile = {};
  /// Samples for inputs of the model, by name: paths of .npy files. Parts whose
  /// inputs all have some are quantized; none: parts keep their numbers.
  std::map<std::string, std::string> calibration = {};
  /// The same for tensors inside of the model, as arrays.
  std::map<std::string, NpyView> arrays = {};
  session::QuantizeSettings quantize = {};
};

struct CompiledPart {
  std::shared_ptr<const session::Network> network; ///< Null after errors.
  std::shared_ptr<const session::Executable> executable;
  bool isQuantizedHere = false;
  bool isCached = false; ///< There is no network then.
};

class PartCompiler {
public:
  explicit PartCompiler(PartSettings settings)
      : settings(std::move(settings)) {}

  const PartSettings &how() const { return settings; }
  /// Whether every input of \p part has some.
  bool hasSamplesFor(const CutModel &part) const;
  /// What there is to read for \p part, or null.
  std::shared_ptr<const session::Network> import(const std::string &path,
                                                 const CutModel &part,
                                                 DiagnosticEngine &diags) const;
  /// The shapes of the outputs of \p part; nullopt after errors.
  std::optional<std::vector<Lengths>>
  outputShapes(const std::string &path, const CutModel &part,
               DiagnosticEngine &diags) const;
  /// \p path: what the model is called in messages; external data lie beside.
  CompiledPart compile(const std::string &path, const CutModel &part,
                       DiagnosticEngine &diags) const;

private:
  std::string keyOf(const CutModel &part) const;

  PartSettings settings;
};

} // namespace yarrow::provider

#endif // YARROW_COMPILER_PROVIDER_PARTCOMPILER_H
