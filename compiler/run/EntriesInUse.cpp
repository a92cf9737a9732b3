//===- EntriesInUse.cpp - How much of its capacity an output uses ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/run/EntriesInUse.h"

#include "compiler/run/IoFiles.h"
#include "support/Format.h"

#include <algorithm>
#include <cmath>

namespace yarrow {

EntriesInUse::EntriesInUse(const runtime::Executable &executable)
    : executable(executable), ranges(executable.outputs().size()) {}

/// The sum of a tensor of counts, one for each image or class.
static int64_t total(const std::vector<char> &stored,
                     const IoDescription &tensor) {
  double sum = 0;
  for (float count : dequantize(stored, tensor))
    sum += double(count);
  return std::llround(sum);
}

void EntriesInUse::add(const IoBytes &outputs) {
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    int64_t by = executable.provenance().outputs[k].countedBy;
    if (by < 0)
      continue;
    auto counter = std::size_t(by);
    int64_t count = total(outputs[counter], executable.outputs()[counter]);
    Range &range = ranges[k] ? *ranges[k] : ranges[k].emplace(count, count);
    range = {std::min(range.least, count), std::max(range.most, count)};
  }
}

std::string EntriesInUse::text(std::size_t output) const {
  const std::optional<Range> &range = ranges[output];
  if (!range)
    return "";
  std::string least =
      range->least == range->most ? "" : std::to_string(range->least) + " to ";
  return least + std::to_string(range->most) +
         (range->most == 1 ? " entry in use" : " entries in use");
}

nlohmann::ordered_json EntriesInUse::json() const {
  nlohmann::ordered_json list;
  const std::vector<IoDescription> &outputs = executable.outputs();
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    if (!ranges[k])
      continue;
    auto by = std::size_t(executable.provenance().outputs[k].countedBy);
    list.push_back({{"tensor", outputs[k].name},
                    {"least", ranges[k]->least},
                    {"most", ranges[k]->most},
                    {"counted_by", outputs[by].name}});
  }
  return list;
}

} // namespace yarrow
