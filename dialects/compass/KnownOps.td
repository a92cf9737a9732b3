//===- KnownOps.td - Operators without a kernel and what they share -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An operator whose shapes a free function infers, so that the function's file
// needs none of the generated classes:
//
//   def Compass_TopKOp : Compass_InferredOp<"top_k", "TopK", PassRule, [
//     IntKey<"k", "number of elements kept">], "inferTopK">
//
//   llvm::LogicalResult inferTopK(mlir::Operation *op, ResultShapes &shapes);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_KNOWNOPS_TD
#define YARROW_DIALECTS_COMPASS_KNOWNOPS_TD

include "dialects/compass/CompassBase.td"

// `computed`: buildProgram says how; else as Compass_KnownOp.
class Compass_InferredOp<string mnemonic, string layerType, Rule r, list<IrKey> k, string function,
                         list<Trait> traits = [], bit computed = 0> : Compass_Record<mnemonic, layerType, r, k,
    !listconcat([DeclareOpInterfaceMethods<Compass_OpInterface, !if(computed, ["buildProgram"], [])>], traits)> {
  let inFloat = !if(computed, "TEC", "no");
  let inInt = !if(computed, "TEC", "no");
  let extraClassDefinition =
    "::llvm::LogicalResult $cppClass::inferShapes(::llvm::SmallVectorImpl<::llvm::SmallVector<int64_t>> &shapes) {\n"
    "  return " # function # "(getOperation(), shapes);\n}\n";
}

// What the integer arithmetic can hold: multipliers have 16 bits, products 64.
defvar MultiplierBounds = [0, 65535];
defvar ShiftBounds = [-32, 62];

// None or more; only at the end of a list.
class AnyTensors<string n, string s, string d, string t = "Any"> : ManyTensors<n, s, d, t> { let optional = 1; }

class ScalesKey<string n, string d, string need = "Required"> : IntsKey<n, d, "Int", need, MultiplierBounds>;
class ShiftsKey<string n, string d, string need = "Required"> : IntsKey<n, d, "Int", need, ShiftBounds>;
class TableKey<string n, string d, string need = "Required"> : TensorKey<n, d, "Int", need>;

#endif // YARROW_DIALECTS_COMPASS_KNOWNOPS_TD
