//===- FormDecision.h - The form of every layer, and why ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the choice of forms came to: for every layer that a form concerns the
// figures of each form, the one that was chosen and the reason.
//
//   FormDecision decision;
//   auto network = quantizeInForms(origin, isWanted, search, diags, decision);
//   driver.say(decision.table(driver.tableWidth()));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_FORMS_FORMDECISION_H
#define YARROW_COMPILER_FORMS_FORMDECISION_H

#include "quantizer/math/Similarity.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow {

struct FormFamily;

enum class FormUse { Off, Auto, All };
/// The words of --winograd, in the order of FormUse.
inline constexpr const char *kFormUses[] = {"off", "auto", "all"};
/// \p word is one of them (asserted).
FormUse formUseOf(std::string_view word);

struct FormSettings {
  FormUse use = FormUse::Off;
  /// Decibels of SQNR that forms may cost a layer's result, and the network's
  /// outputs.
  double maxLossDb = 0, maxOutputLossDb = 0;
};

/// A layer in one form. What was not measured is not there.
struct FormFigures {
  /// Attributed by the report of a run (runtime/Report.h): of the network that
  /// was chosen, or of that with this form wherever it can be.
  std::optional<uint64_t> cycles;
  /// Of the layer's result to float, its input given.
  std::optional<double> sqnrDb;
  uint64_t weightBytes = 0;
};

/// A layer of the network.
struct FormRow {
  std::string layer;
  /// Is it a layer that some form is for?
  bool isSuitable = false;
  /// Has the IR given it in another form already?
  bool isFixed = false;
  std::vector<FormFigures> forms; ///< As FormDecision::forms.
  unsigned chosen = 0;
  std::string reason;
};

/// How many layers a family is about.
struct FamilyUse {
  const FormFamily *family;
  std::vector<unsigned> forms = {};             ///< In FormDecision::forms.
  std::size_t numLayers = 0, numUnsuitable = 0; ///< The latter among them.
};

/// A result of the network against float, on the same samples.
struct FormOutput {
  std::string tensor;
  Similarity direct, chosen;
};

struct FormDecision {
  std::string target;
  FormSettings settings;
  std::vector<std::string> forms;        ///< Names; the first is "direct".
  std::vector<FamilyUse> families = {};  ///< Of the forms that were thought of.
  std::vector<FormRow> rows = {};        ///< In the network's order.
  std::vector<FormOutput> outputs = {};  ///< Empty if they cannot change.
  uint64_t directCycles = 0, cycles = 0; ///< Of the network; 0 if not counted.

  /// No wider than \p width.
  std::string table(std::size_t width) const;
};

} // namespace yarrow

#endif // YARROW_COMPILER_FORMS_FORMDECISION_H
