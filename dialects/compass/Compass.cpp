//===- Compass.cpp - Names and places of layers ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

StringRef yarrow::compass::layerNameOf(Operation *op) {
  if (auto name = dyn_cast<NameLoc>(op->getLoc()))
    return name.getName().strref();
  return "";
}

std::pair<StringRef, unsigned> yarrow::compass::sourceLineOf(Operation *op) {
  std::pair<StringRef, unsigned> line;
  op->getLoc()->walk([&](Location loc) {
    auto file = dyn_cast<FileLineColLoc>(loc);
    if (!file)
      return WalkResult::advance();
    line = {file.getFilename().strref(), file.getLine()};
    return WalkResult::interrupt();
  });
  return line;
}

std::string yarrow::compass::tensorNameOf(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return "arg" + std::to_string(cast<BlockArgument>(value).getArgNumber());
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (auto names = op->getAttrOfType<ArrayAttr>(kTopNamesAttr);
      names && number < names.size())
    return cast<StringAttr>(names[number]).str();
  std::string base = layerNameOf(op).str();
  if (base.empty())
    base = "t" + std::to_string(
                     std::distance(op->getBlock()->begin(), op->getIterator()));
  return base + "_" + std::to_string(number);
}
