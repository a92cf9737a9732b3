//===- FormOptions.cpp - What commands say of the forms of layers ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/quantize/FormOptions.h"
#include "compiler/forms/CycleCount.h"
#include "support/Format.h"

using namespace yarrow;

FormSearchTask yarrow::formSearch(const FormSettings &settings,
                                  const isa::Machine &machine,
                                  const CompileOptions &compile,
                                  const Work &work) {
  FormSearchTask search{settings, machine,
                        simulatedCost(machine, compile, work.diags)};
  search.onTrial =
      [step = std::shared_ptr(work.begin("winograd"))](uint64_t cycles) {
        step->advance(1, formatCount(cycles) + " cycles");
      };
  return search;
}

decltype(CompileOptions::chooseForms)
yarrow::exactForms(const FormSettings &settings, const isa::Machine &machine,
                   CompileOptions trial, Work work,
                   std::function<void(const FormDecision &)> notify) {
  if (settings.use == FormUse::Off)
    return {};
  return [settings, &machine, trial = std::move(trial), work = std::move(work),
          notify =
              std::move(notify)](mlir::OwningOpRef<mlir::ModuleOp> &network) {
    FormDecision decision;
    if (!chooseExactForms(network, formSearch(settings, machine, trial, work),
                          work.diags, decision))
      return false;
    if (notify)
      notify(decision);
    return true;
  };
}
