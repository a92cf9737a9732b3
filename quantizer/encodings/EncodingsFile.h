//===- EncodingsFile.h - Encodings of AIMET as they are written -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// AIMET and tools like it write beside a float model how each of its tensors
// becomes integers: (q + offset) * scale for q from 0 to 2^bits - 1. Versions
// up to 0.6.1 have an object of lists by tensor, version 1.0.0 lists of
// objects; both are read into the same form.
//
//   std::optional<Encodings> encodings = readEncodings("net.encodings", diags);
//   for (const Encoding &e : encodings->activations)
//     use(e.name, e.channels[0]);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_ENCODINGS_ENCODINGSFILE_H
#define YARROW_QUANTIZER_ENCODINGS_ENCODINGSFILE_H

#include "quantizer/math/TensorEncoding.h"
#include "support/Diagnostics.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow {

/// Of one tensor of the model.
struct Encoding {
  std::string name;
  /// One of the whole tensor, or one for each output channel; none of floats.
  std::vector<TensorEncoding> channels = {};
  unsigned floatBits = 0; ///< Of a tensor that stays in floats.

  bool isFloat() const { return floatBits != 0; }
};

/// Names are unique in each of the lists.
struct Encodings {
  std::string path;
  std::vector<Encoding> activations, parameters;
  /// Scales that a model has of some of its tensors, not a file beside it: the
  /// others are nobody's fault, and methods may choose their ranges.
  bool isModels = false;
};

/// Nullopt after EncodingsFile, of all problems, and what JSON files may have.
std::optional<Encodings> readEncodings(const std::string &path,
                                       DiagnosticEngine &diags);
/// The same of text in memory; \p path stands in messages.
std::optional<Encodings> parseEncodings(std::string_view text,
                                        const std::string &path,
                                        DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_QUANTIZER_ENCODINGS_ENCODINGSFILE_H
