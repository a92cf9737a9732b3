//===- Encodings.h - Encodings of QNN as quantizations ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// QNN has real = (stored + offset) * scale; the import graph has
// real = scale * (stored - zero point).
//
//   tensor->quantization = quantizationOf(said, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_ENCODINGS_H
#define YARROW_PARSER_QNN_ENCODINGS_H

#include "parser/graph/Quantization.h"
#include "parser/qnn/QnnModel.h"
#include <optional>

namespace yarrow::qnn {

/// Of a tensor of fixed point; nullopt after reporting what no layer has
/// (E1044).
std::optional<graph::Quantization> quantizationOf(const QnnTensor &tensor,
                                                  DiagnosticEngine &diags);

/// The other way round.
Encoding encodingOf(const graph::Quantization &quantization);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_ENCODINGS_H
