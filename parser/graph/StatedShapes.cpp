//===- StatedShapes.cpp - Shapes that a file states -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/StatedShapes.h"
#include "parser/graph/Emitter.h"
#include "support/diagnostics/Import.h"
#include <algorithm>
#include <set>

using namespace yarrow;
using namespace yarrow::graph;

bool graph::dependsOnValues(std::string_view op, std::string_view domain) {
  constexpr std::string_view kOperators[] = {"Compress", "If", "Loop",
                                             "NonMaxSuppression", "NonZero"};
  return domain.empty() &&
         std::ranges::find(kOperators, op) != std::end(kOperators);
}

bool graph::isControl(std::string_view op, std::string_view domain) {
  return domain.empty() && (op == "If" || op == "Loop");
}

static bool fits(const Shape &shape, const Shape &stated) {
  // Layers have no scalars.
  if (shape.size() <= 1 && stated.size() <= 1 && numElements(shape) == 1)
    return stated.empty() || stated[0] < 0 || stated[0] == 1;
  return std::ranges::equal(
      shape, stated, [](int64_t a, int64_t b) { return b < 0 || a == b; });
}

bool graph::checkStatedShapes(const Graph &graph, DiagnosticEngine &diags) {
  std::set<const Tensor *> open;
  bool ok = true;
  for (const auto &node : graph.nodes) {
    bool isOpen = dependsOnValues(node->op, node->domain) ||
                  std::ranges::any_of(readBy(*node), [&](const Tensor *t) {
                    return open.contains(t);
                  });
    for (const Tensor *output : node->outputs) {
      if (!output)
        continue;
      if (isOpen)
        open.insert(output);
      if (isOpen || !output->shape || output->declaredShape.empty() ||
          fits(*output->shape, output->declaredShape))
        continue;
      diags
          .report(diag::ImportBadNode, {graph.file + ": " + node->describe()},
                  "the result " + output->name +
                      " does not have the shape that the file states")
          .found(shapeText(output->declaredShape))
          .expected(shapeText(*output->shape))
          .hint(
              "correct the shape in the model's outputs or value_info; an edit "
              "may have left it out of date");
      ok = false;
    }
  }
  return ok;
}
