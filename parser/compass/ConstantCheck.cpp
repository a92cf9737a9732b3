//===- ConstantCheck.cpp - Constants of a whole weights file --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/ConstantCheck.h"
#include "dialects/compass/LayerError.h"
#include "dialects/compass/Tensors.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

void compass::checkOverlap(std::vector<ConstantRange> ranges,
                           const std::string &fileName,
                           yarrow::DiagnosticEngine &diags) {
  llvm::erase_if(ranges, [](const ConstantRange &r) { return !r.sizeBytes; });
  llvm::stable_sort(ranges, [](const ConstantRange &a, const ConstantRange &b) {
    return std::tie(a.offsetBytes, a.sizeBytes) <
           std::tie(b.offsetBytes, b.sizeBytes);
  });
  auto text = [](const ConstantRange &r) {
    return std::to_string(r.offsetBytes) + " to " +
           std::to_string(r.offsetBytes + r.sizeBytes) + " (" + r.name +
           " of layer " + r.layer->layerName() + ", line " +
           std::to_string(r.line) + ")";
  };
  // The range that reaches farthest so far is the one a later range may touch.
  const ConstantRange *farthest = nullptr;
  for (const ConstantRange &r : ranges) {
    if (farthest &&
        r.offsetBytes < farthest->offsetBytes + farthest->sizeBytes &&
        (r.offsetBytes != farthest->offsetBytes ||
         r.sizeBytes != farthest->sizeBytes))
      diags
          .report(DiagId::IrOverlap, {fileName, r.line, r.layer->layerName()},
                  "the constant " + r.name + " overlaps " + farthest->name +
                      " of layer " + farthest->layer->layerName())
          .found("bytes " + text(r) + " and " + text(*farthest))
          .expected("ranges that are apart, or equal if the constant is shared")
          .hint("one of the offsets is wrong, or text and weights file are of "
                "different versions");
    if (!farthest || r.offsetBytes + r.sizeBytes >
                         farthest->offsetBytes + farthest->sizeBytes)
      farthest = &r;
  }
}

/// Index of the first float32 that is NaN, or -1. In blocks without a branch,
/// which the compiler vectorizes: it runs over all weights of a model.
static int64_t firstNaN(ArrayRef<char> bytes) {
  constexpr size_t kBlock = 4096;
  auto isNaN = [&](size_t i) {
    uint32_t bits;
    std::memcpy(&bits, bytes.data() + 4 * i, 4);
    return (bits & 0x7fffffff) > 0x7f800000;
  };
  size_t count = bytes.size() / 4;
  for (size_t begin = 0; begin < count; begin += kBlock) {
    size_t end = std::min(count, begin + kBlock);
    bool found = false;
    for (size_t i = begin; i < end; ++i)
      found |= isNaN(i);
    if (!found)
      continue;
    for (size_t i = begin; i < end; ++i)
      if (isNaN(i))
        return int64_t(i);
  }
  return -1;
}

LogicalResult compass::checkForNaN(Operation *op) {
  bool ok = true;
  for (NamedAttribute named : op->getAttrs()) {
    auto attr = dyn_cast<ElementsAttr>(named.getValue());
    auto view = attr ? viewConstant(attr) : std::nullopt;
    if (!view || !dtypeIsFloat(view->dtype))
      continue;
    int64_t at = -1;
    if (view->dtype == DType::F32)
      at = firstNaN(view->bytes);
    else
      for (int64_t i = 0, e = view->numElements(); i < e && at < 0; ++i)
        if (std::isnan(view->floatAt(i)))
          at = i;
    if (at < 0)
      continue;
    ok = false;
    StringRef name = named.getName().strref();
    layerError(op, DiagId::IrNotANumber, (name + "_offset").str(),
               "the constant " + name + " holds NaN")
        .found("NaN at index " + Twine(at) + " of " +
               Twine(view->numElements()))
        .expected("numbers")
        .hint("was the network trained to the end, and is the weights file "
              "the one that belongs to the text?");
  }
  return success(ok);
}
