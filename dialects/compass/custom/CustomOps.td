//===- CustomOps.td - Layers of plugins -----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CUSTOM_CUSTOMOPS_TD
#define YARROW_DIALECTS_COMPASS_CUSTOM_CUSTOMOPS_TD

include "dialects/compass/CompassBase.td"

// No Compass_Record: the records are read when the program runs.
def Compass_CustomOp : Op<Compass_Dialect, "custom", [Pure,
    DeclareOpInterfaceMethods<Compass_OpInterface, ["buildProgram"]>,
    DeclareOpInterfaceMethods<InferShapedTypeOpInterface, ["inferReturnTypeComponents"]>]> {
  let summary = "a layer whose operator comes from a plugin";
  let description = [{
    The plugin's record of `layer_type` describes it (custom/PluginOperator.h).
    Its keys are attributes of the same names, as in other layers. Without the
    plugin the op does not verify.
  }];
  let arguments = (ins Variadic<AnyTensor>:$inputs, StrAttr:$layer_type);
  let results = (outs Variadic<AnyTensor>:$outputs);
  let assemblyFormat = "`(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)";
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypeComponents(
        ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> location, ::mlir::ValueShapeRange operands,
        ::mlir::DictionaryAttr attributes, ::mlir::OpaqueProperties properties, ::mlir::RegionRange,
        ::llvm::SmallVectorImpl<::mlir::ShapedTypeComponents> &components) {
      return ::yarrow::compass::inferComponents(::mlir::OperationName(getOperationName(), context), location, operands,
                                                attributes, properties, components);
    }
  }];
}

#endif // YARROW_DIALECTS_COMPASS_CUSTOM_CUSTOMOPS_TD
