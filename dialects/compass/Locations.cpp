//===- Locations.cpp - Where a layer and its keys stand -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Locations.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static Location named(MLIRContext *context, StringRef layer, Location loc) {
  return NameLoc::get(StringAttr::get(context, layer), loc);
}

/// A place with more to say about it: [keys, their lines less the layer's], or
/// the name of a node.
static Location described(MLIRContext *context, Location loc, Attribute what) {
  return FusedLoc::get(context, {loc}, what);
}

Location compass::layerLocation(MLIRContext *context, StringRef layer,
                                StringRef file, unsigned line,
                                ArrayRef<std::pair<StringRef, unsigned>> keys) {
  Location loc = FileLineColLoc::get(StringAttr::get(context, file), line,
                                     /*column=*/1);
  if (keys.empty())
    return named(context, layer, loc);
  Builder b(context);
  SmallVector<StringRef> names;
  SmallVector<int32_t> offsets;
  for (auto [key, keyLine] : keys) {
    names.push_back(key);
    offsets.push_back(int32_t(keyLine) - int32_t(line));
  }
  Attribute lines = b.getArrayAttr(
      {b.getStrArrayAttr(names), b.getDenseI32ArrayAttr(offsets)});
  return named(context, layer, described(context, loc, lines));
}

Location compass::nodeLocation(MLIRContext *context, StringRef layer,
                               StringRef file, StringRef node) {
  Location loc = FileLineColLoc::get(StringAttr::get(context, file), 0, 0);
  return named(context, layer,
               described(context, loc, StringAttr::get(context, node)));
}

/// The line of \p key relative to its layer's; 0 if it is not known.
static int32_t offsetOf(Attribute lines, StringRef key) {
  auto pair = dyn_cast_or_null<ArrayAttr>(lines);
  if (!pair || pair.size() != 2)
    return 0;
  auto names = dyn_cast<ArrayAttr>(pair[0]);
  auto offsets = dyn_cast<DenseI32ArrayAttr>(pair[1]);
  if (!names || !offsets || names.size() != size_t(offsets.size()))
    return 0;
  for (auto [name, offset] : llvm::zip_equal(names, offsets.asArrayRef()))
    if (auto text = dyn_cast<StringAttr>(name); text && text == key)
      return offset;
  return 0;
}

Place compass::placeOf(Location loc, StringRef key) {
  Place place;
  if (auto name = dyn_cast<NameLoc>(loc)) {
    place.layer = name.getName().str();
    loc = name.getChildLoc();
  }
  int32_t offset = 0;
  std::string node;
  if (auto fused = dyn_cast<FusedLoc>(loc);
      fused && !fused.getLocations().empty()) {
    if (auto name = dyn_cast_or_null<StringAttr>(fused.getMetadata()))
      node = ": " + name.str();
    offset = offsetOf(fused.getMetadata(), key);
    loc = fused.getLocations().front();
  }
  if (auto file = dyn_cast<FileLineColLoc>(loc)) {
    place.file = file.getFilename().str() + node;
    place.line = unsigned(int32_t(file.getLine()) + offset);
  }
  return place;
}
