//===- Model.h - A network, for Python --------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A float or an integer network with the context that it lives in. A context
// takes one writer at a time: what computes tensors shares the network, what
// goes on with it (quantize, compile, save) takes it alone, and goes on with a
// copy in a context of its own, whose constants are the network's.
//
//   auto model = Model::load("net.onnx", "", {}, "once");
//   auto quantized = model->quantize(settings, data);
//   auto executable = quantized->compile(compileSettings);
//
// All functions are called with the GIL and give it back while they compute.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PYTHON_NATIVE_MODEL_H
#define YARROW_PYTHON_NATIVE_MODEL_H

#include "compiler/eval/NetworkTensors.h"
#include "compiler/pipeline/Context.h"
#include "dialects/compass/network/Evaluator.h"
#include "python/native/Arrays.h"
#include "python/native/Executable.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

namespace yarrow::python {

/// How to quantize; what is empty is not given.
struct QuantizeSettings {
  std::string recipe, winograd, target;
  std::map<std::string, std::string> keys; ///< Of [Optimizer].
  std::string dataFiles;                   ///< "a.npy,b.npy"
};

/// As the options of `yarrow compile`.
struct CompileSettings {
  std::string target, winograd, tiling, cache;
  std::vector<std::string> disabledPasses;
  bool optimize = true, hasProfile = false;
  uint32_t batch = 1;
};

class Model {
public:
  static std::shared_ptr<Model> load(const std::string &path,
                                     const std::string &weights,
                                     const std::vector<std::string> &shapes,
                                     const std::string &rounding);
  /// \p data are arrays, if settings.dataFiles is empty.
  static std::shared_ptr<Model> quantize(const std::shared_ptr<Model> &model,
                                         const QuantizeSettings &settings,
                                         const NamedArrays &data);
  std::shared_ptr<Executable> compile(const CompileSettings &settings);
  /// Text and weights.
  void save(const std::string &textPath, const std::string &weightsPath);

  /// All samples of \p data through the network, on the host: the outputs, or
  /// all tensors in the order of `tensors`. Stored values, or real numbers as
  /// float32. \p pictures: pictureOptionsOf.
  pybind11::list evaluate(const NamedArrays &data, bool wantsTensors,
                          bool isReal,
                          const std::map<std::string, std::string> &pictures);
  /// Where the network reads each input that takes the array as it is, for
  /// tests; 0 where it is converted.
  std::vector<uintptr_t> addressesOf(const NamedArrays &data);

  const std::string &name() const { return modelName; }
  const std::string &path() const { return fileName; }
  bool isQuantized() const { return hasIntegers; }
  /// Objects for all tensors, and the indices of inputs and outputs in them.
  std::string tensorsJson() const;
  std::string mlir(bool withWeights);

  std::string reportJson; ///< "" if nothing was measured.
  std::string diagnosticsJson = "[]";

private:
  Model() : context(makeContext()) {}
  void take(mlir::OwningOpRef<mlir::ModuleOp> network);
  void prepareEvaluator();
  DataTarget dataTarget() const;
  std::vector<std::size_t> indicesOf(llvm::ArrayRef<mlir::Value> values) const;

  /// Holds the constants, if they are another network's.
  std::shared_ptr<Model> constantsOf;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<graph::ImportedTensor> imported;
  std::vector<NetworkTensor> tensors;
  llvm::DenseMap<mlir::Value, std::size_t> placeOf;
  std::vector<std::size_t> inputs, outputs; ///< In tensors.
  std::unique_ptr<compass::Evaluator> evaluator;
  std::string modelName, fileName, weightsName;
  bool hasIntegers = false;
  std::shared_mutex mutex;
};

} // namespace yarrow::python

#endif // YARROW_PYTHON_NATIVE_MODEL_H
