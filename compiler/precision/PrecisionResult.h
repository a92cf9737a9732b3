//===- PrecisionResult.h - A plan as settings, table and report -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a search for mixed precision has found, in the forms in which it is
// used: keys of a configuration, the JSON of opt_config, which the Compass
// Optimizer reads as well, a table, and a part of a report (docs/report.md).
//
//   for (const auto &[key, value] : plannedSettings(plan, given))
//     std::cout << key << " = " << value << "\n";
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PRECISION_PRECISIONRESULT_H
#define YARROW_COMPILER_PRECISION_PRECISIONRESULT_H

#include "compiler/config/SettingEdits.h"
#include "compiler/precision/PrecisionSearch.h"

#include <nlohmann/json.hpp>

#include <string>

namespace yarrow {

/// The keys of \p given that change, with their whole values.
Settings plannedSettings(const PrecisionPlan &plan, const Settings &given);

/// {layer name: {attribute: value}}, for every layer of the plan; \p given are
/// the options that it was searched with.
nlohmann::ordered_json optConfigJson(const PrecisionPlan &plan,
                                     const QuantizerOptions &given);

/// \p isWhole: all layers, not only those that differ from most.
std::string precisionText(const PrecisionPlan &plan, bool isWhole,
                          std::size_t width);

nlohmann::ordered_json precisionJson(const PrecisionPlan &plan,
                                     const Settings &settings);

} // namespace yarrow

#endif // YARROW_COMPILER_PRECISION_PRECISIONRESULT_H
