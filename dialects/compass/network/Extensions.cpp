//===- Extensions.cpp - What int IR of ours has beyond the format ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/network/Extensions.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/WideRequant.h"
#include "dialects/compass/conv/Winograd.h"
#include "dialects/compass/eltwise/BinaryFunction.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static SmallVector<StringRef> wideMultiplierKeys(Operation *op) {
  if (!hasWideMultiplier(op))
    return {};
  return {tensorKey(op, keys::scale) ? KeyName(keys::scale)
                                     : KeyName(keys::scale_value)};
}

static SmallVector<StringRef> roundingKeys(Operation *op) {
  if (hasOwnRounding(op))
    return {"requant_rounding"};
  return StringRef(wordKey(op, keys::round_mode)).ends_with("_FIRST")
             ? SmallVector<StringRef>{"round_mode"}
             : SmallVector<StringRef>{};
}

static SmallVector<StringRef> apartOperandKeys(Operation *op) {
  if (!hasApartOperands(op))
    return {};
  SmallVector<StringRef> keys = {"shift_value"};
  if (op->hasAttr(keys::operand_left_shift))
    keys.push_back("operand_left_shift");
  return keys;
}

static SmallVector<StringRef> averageKeys(Operation *op) {
  return wordKey(op, keys::average_rounding) == "HALF_AWAY"
             ? SmallVector<StringRef>{"average_rounding"}
             : SmallVector<StringRef>{};
}

/// Layers whose record names it (`extension` in CompassBase.td).
static constexpr StringLiteral kNnapiLayers = "nnapi_layers";

static SmallVector<StringRef> nnapiKeys(Operation *op) {
  const OperatorRecord *record = recordOf(op);
  return record && record->extension == kNnapiLayers
             ? SmallVector<StringRef>{"layer_type"}
             : SmallVector<StringRef>{};
}

/// Layers whose record came with a plugin.
static SmallVector<StringRef> pluginKeys(Operation *op) {
  const OperatorRecord *record = recordOf(op);
  return record && record->plugin ? SmallVector<StringRef>{"layer_type"}
                                  : SmallVector<StringRef>{};
}

static constexpr Extension kExtensions[] = {
    {"winograd_forms", "Winograd forms other than F(2,3), or with tap shifts",
     "use --winograd off to get layers that the Compass tools read",
     ownWinogradKeys},
    {"wide_requantization", "multipliers of more than 16 bits", "",
     wideMultiplierKeys},
    {"requantization_rounding",
     "requantization that does not round half to even", "", roundingKeys},
    {"operand_requantization", "sums whose operands are requantized separately",
     "", apartOperandKeys},
    {"average_rounding", "integer means by division", "", averageKeys},
    {kNnapiLayers, "NNAPI layers that Compass IR does not have", "", nnapiKeys},
    {"plugin_layers", "layers of operators from a plugin", "", pluginKeys},
};

ArrayRef<Extension> compass::extensions() { return kExtensions; }

bool compass::usesExtension(Operation *op) {
  return llvm::any_of(kExtensions, [op](const Extension &extension) {
    return !extension.keysOf(op).empty();
  });
}
