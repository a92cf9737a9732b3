//===- ModelNames.h - What the model calls inputs and outputs ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Tensors of the IR have their own names, such as input_0 and Sigmoid_85_0, but
// users know the model's inputs and outputs as "input" and "cls_8". Three keys
// of the header keep the names that users know, up to the executable and the
// files that are written of its outputs:
//
//   model_inputs=[input]
//   model_outputs=[cls_8,obj_8,bbox_8]
//   source_precision=float32      // integer IR that was quantized from floats
//
// Characters that a list of IR text cannot have are spelled as in addresses,
// %2C for a comma.
//
//   for (const std::string &name : outputNames(module)) // in the IR's order
//     ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_GRAPH_MODELNAMES_H
#define YARROW_DIALECTS_COMPASS_GRAPH_MODELNAMES_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace yarrow::compass {

constexpr llvm::StringLiteral kModelInputsKey = "model_inputs";
constexpr llvm::StringLiteral kModelOutputsKey = "model_outputs";
constexpr llvm::StringLiteral kSourcePrecisionKey = "source_precision";

/// The model's name of each input of the main graph, in order; the IR's where
/// the header has none.
std::vector<std::string> inputNames(mlir::ModuleOp module);
std::vector<std::string> outputNames(mlir::ModuleOp module);

/// Notes the model's names. Empty ones become the IR's; lists that are not as
/// long as the main graph's say nothing and are left out.
void setModelNames(mlir::ModuleOp module,
                   const std::vector<std::string> &inputs,
                   const std::vector<std::string> &outputs);

/// Whether the integers of the network were made from a network in floats: what
/// goes in and comes out means real numbers to whoever has made the model.
bool cameInFloats(mlir::ModuleOp module);
void setCameInFloats(mlir::ModuleOp module);

/// Of a part of a network, whose inputs and outputs no model has: all of this.
void forgetModel(mlir::ModuleOp module);
/// The number of names in the text of a header key.
size_t numModelNames(llvm::StringRef text);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_GRAPH_MODELNAMES_H
