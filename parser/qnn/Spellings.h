//===- Spellings.h - Nodes as converters spell them -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Converters have their own names for some operators, and texts in addition to
// the parameters of the definitions (Spellings.def). Here these nodes become
// nodes of the definitions, so that later steps see no others.
//
//   {type "Pool", pool_type "PoolAvg2d", packageName "qti.aisw", stride ...}
//   is {type "PoolAvg2d", stride ...}
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_SPELLINGS_H
#define YARROW_PARSER_QNN_SPELLINGS_H

#include "parser/qnn/QnnModel.h"
#include <optional>

namespace yarrow::qnn {

/// \p node as the definitions spell it. A type that neither they nor the
/// converters have is left as it is. nullopt after errors (E1041).
std::optional<QnnNode> inDefinitions(const QnnNode &node,
                                     DiagnosticEngine &diags);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_SPELLINGS_H
