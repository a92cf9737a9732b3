//===- Data.h - Data for the inputs of a network ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Arrays in memory or files of them, for inputs by name or in order.
//
//   Data data{{{"x", view}}};
//   auto arrays = bindArrays(data, {names, shapes}, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_SESSION_DATA_H
#define YARROW_COMPILER_SESSION_DATA_H

#include "compiler/data/DataSet.h"
#include "support/Diagnostics.h"
#include "support/Npy.h"

#include <optional>
#include <string>
#include <vector>

namespace yarrow::session {

struct DataPart {
  std::string input; ///< That of the model or of the IR; "": in order.
  std::optional<NpyView> array = {};
  /// In the place of an array: paths of arrays or pictures, "a.npy,b.npy".
  std::string files = {};
};

struct Data {
  std::vector<DataPart> parts = {};
  PictureOptions pictures = {};
};

/// What data are for.
struct DataTarget {
  std::vector<InputName> inputs;
  std::vector<std::vector<int64_t>> shapes = {}; ///< Of these.
};

/// One array for each input. All of them are named, or none. Nullopt after
/// errors.
std::optional<std::vector<NpyView>>
bindArrays(const Data &data, const DataTarget &target, DiagnosticEngine &diags);

} // namespace yarrow::session

#endif // YARROW_COMPILER_SESSION_DATA_H
