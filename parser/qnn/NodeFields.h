//===- NodeFields.h - Nodes of a QNN graph as JSON --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A node is an object "name": {"type": "Conv2d", "input_names": [...],
// "scalar_params": {...}, "tensor_params": {...}, ...}.
//
//   QnnNode node = readNode(value, problems);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_NODEFIELDS_H
#define YARROW_PARSER_QNN_NODEFIELDS_H

#include "parser/qnn/JsonFields.h"

namespace yarrow::qnn {

/// The best that can be made of it; what is wrong is reported.
QnnNode readNode(const JsonValue &member, JsonProblems &problems);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_NODEFIELDS_H
