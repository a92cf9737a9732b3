//===- FormSearchTask.h - How forms are chosen ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// By which settings, for which machine, and what a network costs there.
//
//   FormSearchTask search{settings, machine, simulatedCost(machine, {},
//   diags)};
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_FORMS_FORMSEARCHTASK_H
#define YARROW_COMPILER_FORMS_FORMSEARCHTASK_H

#include "compiler/forms/Form.h"
#include "compiler/forms/FormDecision.h"
#include <functional>

namespace yarrow {

/// How forms are chosen.
struct FormSearchTask {
  FormSettings settings;
  const isa::Machine &machine;
  FormCost cost;
  /// Called for each network that was tried, with its cycles.
  std::function<void(uint64_t cycles)> onTrial = {};
};

} // namespace yarrow

#endif // YARROW_COMPILER_FORMS_FORMSEARCHTASK_H
