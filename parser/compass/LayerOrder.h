//===- LayerOrder.h - Layers in the order of their data ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The format does not promise that a layer comes after the layers whose tensors
// it reads.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_COMPASS_LAYERORDER_H
#define YARROW_PARSER_COMPASS_LAYERORDER_H

#include "parser/compass/IrDocument.h"
#include "support/Diagnostics.h"

namespace yarrow::compass {

/// Layers in file order, but each after those that write what it reads. Reports
/// tensors with two producers and cycles; the layers of a cycle come in some
/// order.
std::vector<const IrSection *>
topologicalOrder(const std::vector<IrSection> &layers,
                 const std::string &fileName, DiagnosticEngine &diags);

} // namespace yarrow::compass

#endif // YARROW_PARSER_COMPASS_LAYERORDER_H
