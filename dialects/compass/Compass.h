//===- Compass.h - The dialect of Compass IR ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Networks in Compass IR. A module holds func.func @main, and one func.func for
// each sub-graph, which If and Loop name. The functions have no arguments: they
// hold compass.input ops, one op per layer, and a return of their outputs.
//
//   func.func @main() -> tensor<1x10x!quant.uniform<i8:f32, 0.02>> {
//     %x = compass.input() : () -> tensor<1x64x!quant.uniform<u8:f32, 0.1>>
//     %y = compass.fully_connected(%x) {weights = ..., scale_value = array<i64:
//     160>} : ... return %y : ...
//   }
//
// Include this for the dialect and the interface; include a family's header
// (conv/ConvOps.h ...) for its op classes.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_COMPASS_H
#define YARROW_DIALECTS_COMPASS_COMPASS_H

#include "dialects/compass/InferTypes.h"
#include "dialects/compass/LayerProgram.h"
#include "dialects/compass/Traits.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace yarrow::compass {

/// Every layer's verifier: the op against its record (Verify.h), then its
/// results against what inferShapes says.
llvm::LogicalResult verifyLayer(mlir::Operation *op);

/// buildProgram of an operator that nothing computes: an error that says so.
llvm::LogicalResult refuseKernel(mlir::Operation *op);

} // namespace yarrow::compass

#include "dialects/compass/CompassDialect.h.inc"
#include "dialects/compass/CompassInterfaces.h.inc"

namespace yarrow::compass {

/// Registers the dialects that a module of Compass IR needs.
void registerDialects(mlir::DialectRegistry &registry);

/// Discardable attribute of a float layer that is to be quantized: its place in
/// the IR that was read (recordLayerIds).
constexpr llvm::StringLiteral kLayerIdAttr = "quantizer.layer_id";
/// Discardable attributes that the reader sets on every op.
constexpr llvm::StringLiteral kTopNamesAttr =
    "compass.tops"; // ArrayAttr of names
constexpr llvm::StringLiteral kExtraKeysAttr =
    "compass.extra"; // [[key, text], ...]
/// DictionaryAttr of constants that the op's record does not know.
constexpr llvm::StringLiteral kExtraConstantsAttr = "compass.extra_constants";
/// On the module: header keys as [[key, text], ...].
constexpr llvm::StringLiteral kHeaderAttr = "compass.header";

/// The layer_name of an op (from its NameLoc), or "".
llvm::StringRef layerNameOf(mlir::Operation *op);
/// File and line of the layer in the IR text; 0 when unknown.
std::pair<llvm::StringRef, unsigned> sourceLineOf(mlir::Operation *op);
/// The tensor name of a value as the IR spelled it, or a made-up unique one.
std::string tensorNameOf(mlir::Value value);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_COMPASS_H
