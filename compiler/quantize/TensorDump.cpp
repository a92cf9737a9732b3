//===- TensorDump.cpp - Every tensor of a network as .npy -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/quantize/TensorDump.h"

#include "compiler/work/NewFolders.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/network/Evaluator.h"
#include "quantizer/calibrate/Calibrate.h"

#include <cctype>
#include <cstdio>
#include <filesystem>

using namespace yarrow;
using namespace yarrow::compass;

namespace {

class TensorWriter {
public:
  TensorWriter(const std::string &folder, yarrow::DiagnosticEngine &diags)
      : folder(folder), diags(diags) {}

  void constants(mlir::Operation *op, const std::string &stem) {
    auto write = [&](mlir::NamedAttribute attr) {
      auto elements = mlir::dyn_cast<mlir::ElementsAttr>(attr.getValue());
      auto view = elements ? viewConstant(elements) : std::nullopt;
      if (view)
        file(stem + "." + attr.getName().str(), view->dtype,
             {view->shape.begin(), view->shape.end()}, view->bytes);
    };
    for (mlir::NamedAttribute attr : op->getAttrs())
      if (auto extra = mlir::dyn_cast<mlir::DictionaryAttr>(attr.getValue()))
        llvm::for_each(extra, write);
      else
        write(attr);
  }

  void tensor(mlir::Value value, const std::string &name,
              llvm::ArrayRef<char> bytes) {
    TensorInfo info = describe(value);
    file(name, info.dtype, {info.shape.begin(), info.shape.end()}, bytes);
  }

  bool isDone = true;

private:
  void file(const std::string &name, DType type, std::vector<int64_t> shape,
            llvm::ArrayRef<char> bytes) {
    if (isDone)
      isDone =
          writeNpy((std::filesystem::path(folder) / (name + ".npy")).string(),
                   npyTypeOf(type), shape, bytes.data(), diags);
  }

  const std::string &folder;
  yarrow::DiagnosticEngine &diags;
};

} // namespace

/// A layer's place and name, without what file systems do not like.
static std::string stemOf(std::size_t number, llvm::StringRef layer) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "%04zu_", number);
  std::string stem = digits;
  for (char c : layer)
    stem += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.'
                ? c
                : '_';
  return stem.substr(0, 200);
}

bool yarrow::dumpTensors(mlir::ModuleOp module,
                         const std::vector<NpyView> &samples,
                         const std::string &folder,
                         yarrow::DiagnosticEngine &diags) {
  std::unique_ptr<SampleSet> set = SampleSet::create(module, samples, diags);
  std::unique_ptr<Evaluator> evaluator = Evaluator::create(module, diags);
  if (!set || !evaluator || !makeFolder(folder, diags))
    return false;
  TensorWriter writer(folder, diags);
  llvm::DenseMap<mlir::Value, std::vector<std::string>> namesOf;
  std::size_t number = 0;
  module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (!recordOf(op))
      return;
    std::string stem = stemOf(number++, layerNameOf(op));
    writer.constants(op, stem);
    for (auto [i, value] : llvm::enumerate(op->getOperands()))
      namesOf[value].push_back(stem + ".in" + std::to_string(i));
    for (auto [i, value] : llvm::enumerate(op->getResults()))
      namesOf[value].push_back(stem + ".out" + std::to_string(i));
  });
  std::vector<std::vector<char>> inputs = set->inputsOf(0);
  std::vector<TensorBytesRef> refs(inputs.begin(), inputs.end());
  std::vector<TensorBytes> outputs;
  EvaluationStop stop = evaluator->run(
      refs, outputs, [&](mlir::Value value, TensorBytesRef bytes) {
        for (const std::string &name : namesOf.lookup(value))
          writer.tensor(value, name, bytes);
      });
  if (stop)
    stop.report(diags);
  return !stop && writer.isDone;
}
