//===- JsonWriter.h - Writing QNN graphs as JSON ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The form that the converters write: names in alphabetical order, enumerations
// as numbers, and values of static tensors in an archive next to the file
// (Weights.h), except those of parameters.
//
//   writeFile("net.json", qnn::jsonOf(model), diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_JSONWRITER_H
#define YARROW_PARSER_QNN_JSONWRITER_H

#include "parser/qnn/QnnModel.h"

namespace yarrow::qnn {

std::string jsonOf(const QnnModel &model);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_JSONWRITER_H
