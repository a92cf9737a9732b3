//===- QdqIntegers.h - Integers of a network and of its model ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An integer network that was exported as a model and imported again has other
// multipliers: of 31 bits, where its own have 8 or 15. Each layer is run on the
// integers that the network itself computes, so that a difference does not grow
// behind it.
//
//   Outcome o = compareIntegers(pack, *module, *imported, names, diags);
//   o.text; // "products: 12 of 290000 differ, at most by 1; ..."
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_CONFORMANCE_QDQINTEGERS_H
#define YARROW_TEST_CONFORMANCE_QDQINTEGERS_H

#include "parser/graph/ImportedTensor.h"
#include "test/conformance/Stages.h"

namespace yarrow::conformance {

/// On the first sample of \p pack, if there is one. Fails if layers with
/// weights differ by more than a step, or in more than 0.2 % of their elements.
Outcome compareIntegers(const Pack &pack, mlir::ModuleOp original,
                        mlir::ModuleOp imported,
                        const std::vector<graph::ImportedTensor> &names,
                        DiagnosticEngine &diags);

} // namespace yarrow::conformance

#endif // YARROW_TEST_CONFORMANCE_QDQINTEGERS_H
