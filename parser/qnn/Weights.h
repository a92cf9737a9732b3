//===- Weights.h - The archive of a QNN graph's weights ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A tar archive with a member NAME.raw for each static tensor: its elements,
// little-endian, row by row. Members without a tensor are not read, and nothing
// is copied: values are views of the file.
//
//   qnn::readWeights(model, "net.bin", diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_WEIGHTS_H
#define YARROW_PARSER_QNN_WEIGHTS_H

#include "parser/qnn/QnnModel.h"
#include "support/MappedFile.h"

namespace yarrow::qnn {

/// Gives the static tensors of \p model that have no value the one of the
/// archive at \p path. Reports what is damaged, missing or has a wrong size
/// (E1043).
bool readWeights(QnnModel &model, const std::string &path,
                 DiagnosticEngine &diags);
/// The same of a file that is open, or stands for one.
bool readWeights(QnnModel &model, const std::shared_ptr<const MappedFile> &file,
                 DiagnosticEngine &diags);

/// Gives those that still have none values that depend on their names alone
/// (W1046).
void makeUpWeights(QnnModel &model, DiagnosticEngine &diags);

/// The archive of the static tensors of \p model; the same bytes for the same
/// model.
bool writeWeights(const QnnModel &model, const std::string &path,
                  DiagnosticEngine &diags);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_WEIGHTS_H
