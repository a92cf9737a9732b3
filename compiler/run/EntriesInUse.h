//===- EntriesInUse.h - How much of its capacity an output uses -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The sizes of some results depend on the data: the boxes that NMS keeps, the
// places that are not zero. Their shape is a capacity, and another output tells
// how many of its entries are in use.
//
//   EntriesInUse used(executable);
//   used.add(outputs);            // of every sample
//   used.text(0);                 // "3 to 17 entries in use"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_RUN_ENTRIESINUSE_H
#define YARROW_COMPILER_RUN_ENTRIESINUSE_H

#include "compiler/run/IoBytes.h"
#include "runtime/Executable.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace yarrow {

class EntriesInUse {
public:
  explicit EntriesInUse(const runtime::Executable &executable);

  /// The stored outputs of one sample.
  void add(const IoBytes &outputs);

  /// Of an output by its index; "" where all entries are always in use.
  std::string text(std::size_t output) const;
  /// Objects of `tensor`, `least`, `most` and `counted_by`; null if there are
  /// none.
  nlohmann::ordered_json json() const;

private:
  struct Range {
    int64_t least, most;
  };

  const runtime::Executable &executable;
  /// By output.
  std::vector<std::optional<Range>> ranges;
};

} // namespace yarrow

#endif // YARROW_COMPILER_RUN_ENTRIESINUSE_H
