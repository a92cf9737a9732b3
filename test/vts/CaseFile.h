//===- CaseFile.h - Recorded cases of NNAPI ---------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reads files of recorded cases: one JSON object a line, the bytes of larger
// operands in the file of the same name with the ending .bin. A case is a
// model, the values of its inputs, and what its outputs must be.
//
//   auto file = CaseFile::open("V1_2.jsonl", diags);
//   for (std::size_t i = 0; i < file->count(); ++i)
//     if (auto c = file->read(i, diags))
//       use(*c->model);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_VTS_CASEFILE_H
#define YARROW_TEST_VTS_CASEFILE_H

#include "api/nnapi/run/Value.h"
#include "parser/nnapi/NnModel.h"
#include "support/Diagnostics.h"
#include "support/MappedFile.h"
#include <optional>
#include <string_view>

namespace yarrow::vts {

/// What an output must be.
struct Expected {
  nnapi::OperandType type = nnapi::OperandType::TENSOR_FLOAT32;
  nnapi::Value value;
  /// |actual - value| <= absolute + relative * |value|.
  double absolute = 0, relative = 0;
  bool isIgnored = false; ///< Lengths alone count.
};

struct Case {
  std::string name, spec;
  int level = 0; ///< The feature level that it is for.
  bool expectsFailure = false;
  /// Outputs are drawn by chance: how far their distribution may be off.
  std::optional<double> multinomialTolerance = {};
  std::shared_ptr<nnapi::NnModel> model;
  std::vector<nnapi::Value> inputs;
  std::vector<Expected> outputs;

  /// The operation that it is about: control flow, or else the last one.
  std::string operation() const;
};

class CaseFile {
public:
  /// Null after errors.
  static std::shared_ptr<const CaseFile> open(const std::string &path,
                                              DiagnosticEngine &diags);
  std::size_t count() const { return lines.size(); }
  /// May be called from several threads. Nullopt after errors.
  std::optional<Case> read(std::size_t i, DiagnosticEngine &diags) const;
  const std::string &path() const { return text->path(); }

private:
  std::shared_ptr<const MappedFile> text, bytes;
  std::vector<std::string_view> lines;
};

} // namespace yarrow::vts

#endif // YARROW_TEST_VTS_CASEFILE_H
