//===- EncodingNames.h - Names of tensors in encodings files ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Files have the names of their model. For an imported model these are its own
// names; for Compass IR, the names of layer_top, or of a layer with one result.
// A constant has its own name, or its layer's and its key's: conv1.weights.
//
//   EncodingNames names(original, {{"/conv1/Conv_output_0", "/conv1/Conv_0"}});
//   mlir::Value value = names.tensor("/conv1/Conv_output_0");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_ENCODINGS_ENCODINGNAMES_H
#define YARROW_QUANTIZER_ENCODINGS_ENCODINGNAMES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace yarrow {

/// A tensor of a model that was imported.
struct ModelTensor {
  std::string name;
  std::string tensor; ///< In the IR.
};

/// A constant of a layer.
struct LayerConstant {
  mlir::Operation *layer;
  std::string key; ///< weights, biases ...
};

class EncodingNames {
public:
  /// Of a network as it was read. \p imported is empty of Compass IR.
  EncodingNames(mlir::ModuleOp original,
                const std::vector<ModelTensor> &imported);

  /// The tensor called \p name; null if there is none.
  mlir::Value tensor(llvm::StringRef name) const;
  /// The constants called \p name: layers may share one.
  llvm::ArrayRef<LayerConstant> constantsOf(llvm::StringRef name) const;
  /// Of tensors and constants.
  std::vector<std::string> all() const;
  /// What a file would call a tensor of the IR.
  std::string nameOf(llvm::StringRef tensor) const;

private:
  llvm::StringMap<std::string> imported;   ///< From the model's to the IR's.
  llvm::StringMap<std::string> modelNames; ///< And back.
  llvm::StringMap<mlir::Value> tensors;
  llvm::StringMap<mlir::Value> layers; ///< The result of those with one.
  llvm::StringMap<std::vector<LayerConstant>> constants;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_ENCODINGS_ENCODINGNAMES_H
