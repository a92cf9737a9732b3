//===- IrConstant.h - Tensors a layer keeps in the weights file -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Any X for which a layer has X_type, X_offset, X_size and X_shape is a
// constant named X, whatever the operator: weights, biases, scale, lut, and
// those of plug-ins. Lists describe several tensors, X_0, X_1 and so on.
//
//   weights_type=int8
//   weights_offset=0          {"weights", "int8", {16,3,3,3}, 0, 432}
//   weights_size=432
//   weights_shape=[16,3,3,3]
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_COMPASS_IRCONSTANT_H
#define YARROW_PARSER_COMPASS_IRCONSTANT_H

#include "parser/compass/IrDocument.h"

#include <cstdint>
#include <string>
#include <vector>

namespace yarrow::compass {

struct IrConstant {
  std::string name;
  std::string type; ///< Of ElementTypes.def, never a synonym.
  std::vector<std::int64_t> shape;
  std::uint64_t offsetBytes = 0;
  std::uint64_t sizeBytes = 0;
  unsigned line = 0;     ///< Of X_offset.
  bool fromList = false; ///< The name is X_0, X_1, ... of a list X.
};

/// The constants of a layer in the order of their X_offset keys. Every one that
/// is returned lies within \p binSizeBytes and has the size of its shape and
/// type; the others are reported, so an error means some are left out.
std::vector<IrConstant> collectConstants(const IrSection &section,
                                         std::uint64_t binSizeBytes,
                                         const std::string &fileName,
                                         DiagnosticEngine &diags);

/// Appends X_type, X_offset, X_size and X_shape as the Optimizer orders them.
void appendConstant(IrSection &section, const IrConstant &constant);

} // namespace yarrow::compass

#endif // YARROW_PARSER_COMPASS_IRCONSTANT_H
