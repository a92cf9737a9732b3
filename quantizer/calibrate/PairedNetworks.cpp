//===- PairedNetworks.cpp - A network for other shapes --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/calibrate/PairedNetworks.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "support/diagnostics/Quantizer.h"

using namespace yarrow;
using namespace mlir;

namespace {

class NetworkPairing {
public:
  NetworkPairing(IRMapping &map, yarrow::DiagnosticEngine &diags)
      : map(map), diags(diags) {}

  bool pair(Operation *from, Operation *to) {
    if (from->getName() != to->getName() ||
        from->getNumResults() != to->getNumResults() ||
        from->getNumRegions() != to->getNumRegions() ||
        !haveAlikeOperands(from, to))
      return differ(from, to);
    map.map(from, to);
    map.map(from->getResults(), to->getResults());
    for (auto [a, b] : llvm::zip(from->getRegions(), to->getRegions()))
      if (!pair(a, b, from, to))
        return false;
    return true;
  }

private:
  /// Operands are paired already: they come before.
  bool haveAlikeOperands(Operation *from, Operation *to) const {
    if (from->getNumOperands() != to->getNumOperands())
      return false;
    for (auto [a, b] : llvm::zip(from->getOperands(), to->getOperands()))
      if (map.lookupOrNull(a) != b)
        return false;
    return true;
  }

  bool pair(Region &from, Region &to, Operation *fromOp, Operation *toOp) {
    if (from.getBlocks().size() != to.getBlocks().size())
      return differ(fromOp, toOp);
    for (auto [a, b] : llvm::zip(from, to)) {
      if (a.getNumArguments() != b.getNumArguments() ||
          a.getOperations().size() != b.getOperations().size())
        return differ(fromOp, toOp);
      map.map(a.getArguments(), b.getArguments());
      for (auto [x, y] : llvm::zip(a, b))
        if (!pair(&x, &y))
          return false;
    }
    return true;
  }

  bool differ(Operation *from, Operation *to) {
    diags
        .report(diag::QuantUnsupported, compass::placeOf(to->getLoc()),
                "for inputs of other shapes, the network has other layers, "
                "which have no statistics")
        .found(to->getName().getStringRef().str())
        .expected(from->getName().getStringRef().str())
        .hint(
            "quantize the network for each shape, with samples of that shape");
    return false;
  }

  IRMapping &map;
  yarrow::DiagnosticEngine &diags;
};

} // namespace

bool yarrow::pairNetworks(ModuleOp from, ModuleOp to, IRMapping &map,
                          yarrow::DiagnosticEngine &diags) {
  return NetworkPairing(map, diags).pair(from, to);
}
