//===- TensorFields.h - Tensors of a QNN graph as JSON ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A tensor is an object "name": {"data_type": 1032, "dims": [...], ...}, in the
// graph or as a parameter of a node.
//
//   QnnTensor tensor = readTensor(value, TensorUse::Parameter, problems);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_TENSORFIELDS_H
#define YARROW_PARSER_QNN_TENSORFIELDS_H

#include "parser/qnn/JsonFields.h"

namespace yarrow::qnn {

enum class TensorUse { OfGraph, Parameter };

/// The best that can be made of it; what is wrong is reported.
QnnTensor readTensor(const JsonValue &member, TensorUse use,
                     JsonProblems &problems);

/// "quant_params" of a tensor of type \p type.
Encoding readEncoding(const JsonValue &member, const DataTypeEntry &type,
                      const std::string &subject, JsonProblems &problems);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_TENSORFIELDS_H
