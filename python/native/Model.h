//===- Model.h - A network, for Python --------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A network of the library (compiler/session) with what Python asks of it: its
// tensors, and runs on the host, by an evaluator that is made once.
//
//   auto model = Model::load({.path = "net.onnx"}, "once");
//   auto quantized = Model::quantize(model, {.recipe = "auto"}, data);
//   auto executable = quantized->compile({.target = "X2_1204"});
//
// All functions are called with the GIL and give it back while they compute.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PYTHON_NATIVE_MODEL_H
#define YARROW_PYTHON_NATIVE_MODEL_H

#include "compiler/eval/NetworkTensors.h"
#include "compiler/session/Network.h"
#include "compiler/session/Settings.h"
#include "dialects/compass/network/Evaluator.h"
#include "python/native/Arrays.h"
#include "python/native/Executable.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace yarrow::python {

class Model {
public:
  static std::shared_ptr<Model> load(session::ModelSource source,
                                     const std::string &rounding);
  static std::shared_ptr<Model>
  quantize(const std::shared_ptr<Model> &model,
           const session::QuantizeSettings &settings, const NamedArrays &data);
  std::shared_ptr<Executable> compile(const session::CompileSettings &settings);
  /// Text and weights.
  void save(const std::string &textPath, const std::string &weightsPath);

  /// All samples of \p data through the network, on the host: the outputs, or
  /// all tensors in the order of `tensors`. Stored values, or real numbers as
  /// float32. \p pictures: pictureOptionsOf.
  pybind11::list evaluate(const NamedArrays &data, bool withTensors,
                          bool isReal,
                          const std::map<std::string, std::string> &pictures);
  /// Where the network reads each input that takes the array as it is, for
  /// tests; 0 where it is converted.
  std::vector<uintptr_t> addressesOf(const NamedArrays &data);

  const std::string &name() const { return network->name(); }
  const std::string &path() const { return network->path(); }
  bool isQuantized() const { return network->isQuantized(); }
  const std::shared_ptr<const session::Network> &shared() const {
    return network;
  }
  /// Objects for all tensors, and the indices of inputs and outputs in them.
  std::string tensorsJson() const;
  std::string mlir(bool withWeights);

  std::string reportJson; ///< "" if nothing was measured.
  std::string diagnosticsJson = "[]";

private:
  explicit Model(std::shared_ptr<const session::Network> network);
  void prepareEvaluator();
  session::DataTarget dataTarget() const;
  std::vector<std::size_t> indicesOf(llvm::ArrayRef<mlir::Value> values) const;

  std::shared_ptr<const session::Network> network;
  std::vector<NetworkTensor> tensors;
  llvm::DenseMap<mlir::Value, std::size_t> placeOf;
  std::vector<std::size_t> inputs, outputs; ///< In tensors.
  llvm::SmallVector<unsigned> outputPlaces; ///< Of what a caller gets.
  bool keepsState = false;
  std::unique_ptr<compass::Evaluator> evaluator; ///< Under the network's lock.
};

} // namespace yarrow::python

#endif // YARROW_PYTHON_NATIVE_MODEL_H
