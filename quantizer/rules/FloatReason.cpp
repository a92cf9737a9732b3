//===- FloatReason.cpp - Why a layer stays in floats ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// IR text has no phrases with commas: the parts of one are a list.
//
//===----------------------------------------------------------------------===//
#include "quantizer/rules/FloatReason.h"

#include "dialects/compass/ExtraKeys.h"
#include "quantizer/rules/LayerContext.h"
#include "llvm/ADT/StringExtras.h"

using namespace yarrow;

static constexpr llvm::StringLiteral kKey = "float_reason";

/// As the reference parser writes what IR text cannot hold.
static std::string asItem(llvm::StringRef part) {
  std::string item = part.trim().str();
  for (char &c : item)
    if (!llvm::isPrint(c) || llvm::StringRef("=[]#").contains(c))
      c = '_';
  return item;
}

void yarrow::setFloatReason(mlir::Operation *op, llvm::StringRef reason) {
  llvm::SmallVector<llvm::StringRef> parts;
  reason.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (parts.empty())
    return compass::dropExtraKeys(op, {kKey});
  std::vector<std::string> items;
  for (llvm::StringRef part : parts)
    items.push_back(asItem(part));
  std::string list = llvm::join(items, ",");
  setExtraKey(op, kKey, items.size() > 1 ? "[" + list + "]" : list);
}

std::string yarrow::floatReasonOf(mlir::Operation *op) {
  llvm::SmallVector<llvm::StringRef> parts;
  compass::extraText(op, kKey).trim("[]").split(parts, ',', /*MaxSplit=*/-1,
                                                /*KeepEmpty=*/false);
  return llvm::join(parts, ", ");
}
