//===- QuantizerOptions.cpp - How a network is quantized ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/QuantizerOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Regex.h"

namespace yarrow {

static bool matches(const LayerOverride &o, llvm::StringRef layerType,
                    llvm::StringRef name, unsigned layerId) {
  if (!o.layerTypes.empty() &&
      llvm::none_of(o.layerTypes, [&](const std::string &t) {
        return layerType.equals_insensitive(t);
      }))
    return false;
  if (!o.layerIds.empty() && llvm::none_of(o.layerIds, [&](auto &range) {
        return range.first <= layerId && layerId <= range.second;
      }))
    return false;
  if (o.nameRegex.empty())
    return true;
  // A regex that does not compile matches nothing.
  return llvm::Regex("^(" + o.nameRegex + ")$").match(name);
}

LayerOptions QuantizerOptions::forLayer(const std::string &layerType,
                                        const std::string &name,
                                        unsigned layerId) const {
  LayerOptions options = global;
  for (const LayerOverride &o : overrides)
    if (matches(o, layerType, name, layerId))
      o.apply(options);
  return options;
}

} // namespace yarrow
