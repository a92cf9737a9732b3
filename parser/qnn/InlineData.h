//===- InlineData.h - Values of tensors within JSON -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// "data" of a tensor, a list in a list for each axis or one list of all, as
// bytes, and back. Values of 4 bits have a byte each.
//
//   std::optional<std::vector<std::byte>> bytes =
//       readData("[[1, 2], [3, 4]]", tensor, problems);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_INLINEDATA_H
#define YARROW_PARSER_QNN_INLINEDATA_H

#include "parser/qnn/JsonProblems.h"
#include "parser/qnn/QnnModel.h"
#include <optional>

namespace yarrow::qnn {

/// \p source need not be valid JSON. Of a tensor without dims it may be the
/// value itself. Messages begin with \p subject.
std::optional<std::vector<std::byte>> readData(std::string_view source,
                                               const QnnTensor &tensor,
                                               const std::string &subject,
                                               JsonProblems &problems);

/// Nested as the tensor's dims are; of a tensor without dims the value itself.
void writeData(const QnnTensor &tensor, std::string &json);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_INLINEDATA_H
