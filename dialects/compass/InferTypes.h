//===- InferTypes.h - Layers built without result types -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The types of a layer's results as its operands and keys imply them: shapes
// from inferShapes, element types as the record says (`resultTypes`). What a
// front end or a pass builds needs no types then:
//
//   auto y = TransposeOp::create(builder, loc, x, perm);        // type of x
//   auto z = ConvolutionOp::create(builder, loc, x, keys, q8);  // q8 is chosen
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_INFERTYPES_H
#define YARROW_DIALECTS_COMPASS_INFERTYPES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace yarrow::compass {

/// Types of the results of a layer with the name, operands and attributes of
/// \p state; \p element is the element type where that is a choice (nullptr: it
/// is none). Emits what is wrong with the layer, as its verifier would.
mlir::FailureOr<llvm::SmallVector<mlir::Type>>
inferResultTypes(const mlir::OperationState &state, mlir::Type element = {});

/// The builder of every op that takes no result types. A layer that is wrong
/// has been reported; it gets one result without a type, which nothing accepts.
void buildInferred(mlir::OperationState &state, mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes,
                   mlir::Type element);

/// inferReturnTypeComponents of every op.
llvm::LogicalResult
inferComponents(mlir::OperationName name, std::optional<mlir::Location> loc,
                mlir::ValueRange operands, mlir::DictionaryAttr attributes,
                mlir::OpaqueProperties properties,
                llvm::SmallVectorImpl<mlir::ShapedTypeComponents> &components);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_INFERTYPES_H
