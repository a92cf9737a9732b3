//===- Problems.cpp - What does not hold ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/Problems.h"

#include "support/Format.h"
#include "support/diagnostics/Proofs.h"

using namespace yarrow;
using namespace yarrow::prove;

void Problems::report(DiagId id, int64_t layer, const std::string &message,
                      const std::string &found, const std::string &expected) {
  ++total;
  if (++ofKind[id->code] > kMostOfAKind)
    return;
  Place place{e.name()};
  const auto &layers = e.provenance().layers;
  if (layer >= 0 && size_t(layer) < layers.size())
    place.layer = layers[size_t(layer)].name;
  Diagnostic &d = diags.report(id, place, message);
  if (!found.empty())
    d.found(found);
  if (!expected.empty())
    d.expected(expected);
}

void Problems::finish() {
  for (auto [code, count] : ofKind)
    if (count > kMostOfAKind)
      diags.report(diag::ProofMore, {e.name()},
                   formatCount(count - kMostOfAKind) + " more of " +
                       std::string(code));
}
