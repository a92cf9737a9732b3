//===- FormDecider.cpp - Chooses the form of every layer ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/forms/FormDecider.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "support/Format.h"

#include <algorithm>

using namespace yarrow;
using namespace mlir;

FormDecider::FormDecider(std::vector<const LayerForm *> forms, bool isInteger,
                         const FormSearchTask &search, FormDecision &decision)
    : thought(std::move(forms)), isInteger(isInteger), task(search),
      decision(decision) {
  decision = {search.machine.name, search.settings, {"direct"}};
  for (const LayerForm *form : thought) {
    auto family = llvm::find_if(decision.families, [&](const FamilyUse &use) {
      return use.family == &form->family();
    });
    if (family == decision.families.end())
      family = decision.families.insert(family, {&form->family()});
    if (!form->isOn(search.machine))
      continue;
    used.push_back(form);
    family->forms.push_back(unsigned(decision.forms.size()));
    decision.forms.push_back(form->name());
  }
}

//===----------------------------------------------------------------------===//
// Layers and what they may be
//===----------------------------------------------------------------------===//

std::vector<Operation *> FormDecider::layersOf(ModuleOp module) const {
  std::vector<Operation *> layers;
  module.walk([&](compass::CompassOp layer) {
    Operation *op = layer;
    if (llvm::any_of(thought, [&](auto *form) { return form->concerns(op); }))
      layers.push_back(op);
  });
  return layers;
}

/// Why \p layer cannot have \p form; "" if it can.
std::string FormDecider::obstacle(const LayerForm &form, Operation *layer,
                                  const IsWanted &isWanted) const {
  if (form.isIn(layer))
    return form.family().given;
  if (!form.isCandidate(layer))
    return form.family().unsuitable;
  if (!isWanted(form, layer))
    return form.family().unwanted;
  return form.isOn(task.machine) ? "" : form.whyNotOn(task.machine, isInteger);
}

/// Adds \p layer to the numbers of its families.
void FormDecider::count(Operation *layer) {
  for (FamilyUse &use : decision.families) {
    bool isConcerned = false, isSuitable = false;
    for (const LayerForm *form : thought) {
      if (&form->family() != use.family || !form->concerns(layer))
        continue;
      isConcerned = true;
      isSuitable |= form->isIn(layer) || form->isCandidate(layer);
    }
    use.numLayers += isConcerned;
    use.numUnsuitable += isConcerned && !isSuitable;
  }
}

void FormDecider::addRows(ModuleOp network, const IsWanted &isWanted) {
  for (Operation *layer : layersOf(network)) {
    FormRow row;
    row.layer = compass::layerNameOf(layer).str();
    row.forms.resize(decision.forms.size());
    std::vector<uint8_t> forms;
    for (const LayerForm *form : thought) {
      if (!form->concerns(layer))
        continue;
      row.isFixed |= form->isIn(layer);
      row.isSuitable |= form->isIn(layer) || form->isCandidate(layer);
      std::string reason = obstacle(*form, layer, isWanted);
      if (reason.empty())
        forms.push_back(uint8_t(llvm::find(used, form) - used.begin() + 1));
      else if (row.reason.empty())
        row.reason = std::move(reason);
    }
    if (!forms.empty())
      row.reason.clear();
    allowed.push_back(std::move(forms));
    decision.rows.push_back(std::move(row));
    count(layer);
  }
}

bool FormDecider::hasCandidates() const {
  return llvm::any_of(allowed,
                      [](const auto &forms) { return !forms.empty(); });
}

bool FormDecider::isAllowed(std::size_t layer, uint8_t form) const {
  return llvm::is_contained(allowed[layer], form);
}

void FormDecider::forbid(std::size_t layer, uint8_t form,
                         const std::string &reason) {
  if (std::erase(allowed[layer], form) && allowed[layer].empty())
    decision.rows[layer].reason = reason;
}

void FormDecider::forbidDirect(ModuleOp network, uint8_t form) {
  const LayerForm &made = *used[form - 1];
  for (auto [number, layer] : llvm::enumerate(layersOf(network)))
    if (!made.isIn(layer))
      forbid(number, form, made.family().direct);
}

void FormDecider::setLosses(uint8_t form, const std::vector<FormLoss> &losses) {
  for (FormRow &row : decision.rows) {
    if (used[form - 1]->isExact())
      row.forms[form].sqnrDb = row.forms[0].sqnrDb;
    for (const FormLoss &loss : losses)
      if (row.layer == loss.layer) {
        row.forms[0].sqnrDb = loss.direct.sqnrDb();
        row.forms[form].sqnrDb = loss.changed.sqnrDb();
      }
  }
}

//===----------------------------------------------------------------------===//
// Harm
//===----------------------------------------------------------------------===//

double FormDecider::lossOf(std::size_t layer, uint8_t form) const {
  const std::vector<FormFigures> &forms = decision.rows[layer].forms;
  std::optional<double> direct = forms[0].sqnrDb, other = forms[form].sqnrDb;
  // Two results without any noise are infinitely good.
  return direct && other && *direct != *other ? *direct - *other : 0;
}

void FormDecider::forbidHarmful() {
  double most = decision.settings.maxLossDb;
  for (std::size_t layer = 0; layer < allowed.size(); ++layer) {
    std::vector<uint8_t> forms = allowed[layer];
    // The least harmful one last: the reason is about it.
    std::stable_sort(forms.begin(), forms.end(), [&](uint8_t a, uint8_t b) {
      return lossOf(layer, a) > lossOf(layer, b);
    });
    for (uint8_t form : forms)
      if (double loss = lossOf(layer, form); loss > most)
        forbid(layer, form,
               "SQNR falls by " + formatFixed(loss, 1) + " dB, more than " +
                   formatFixed(most, 1));
  }
}

/// What the output that suffers most loses.
double FormDecider::outputLossDb() const {
  double loss = 0;
  for (const FormOutput &output : decision.outputs)
    loss = std::max(loss, output.direct.sqnrDb() - output.chosen.sqnrDb());
  return loss;
}

void FormDecider::forbidMostHarmful(const FormChoice &choice) {
  std::size_t worst = choice.size();
  for (std::size_t layer = 0; layer < choice.size(); ++layer)
    if (choice[layer] &&
        (worst == choice.size() ||
         lossOf(layer, choice[layer]) > lossOf(worst, choice[worst])))
      worst = layer;
  assert(worst < choice.size() && "nothing is chosen");
  forbid(worst, choice[worst],
         "with it, the outputs' SQNR falls by more than " +
             formatFixed(decision.settings.maxOutputLossDb, 1) + " dB");
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// A network in which each layer is as in that of its form. Scales of
/// activations do not depend on the form of weights, so any choice fits
/// together. Weights are shared, not copied.
OwningOpRef<ModuleOp> FormDecider::mixed(const std::vector<ModuleOp> &networks,
                                         const FormChoice &choice) const {
  ModuleOp direct = networks[0];
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(direct->clone());
  std::vector<Operation *> to = layersOf(*copy);
  for (std::size_t form = 1; form < networks.size(); ++form) {
    std::vector<Operation *> from = layersOf(networks[form]);
    assert(to.size() == from.size() && "not the same network");
    for (std::size_t layer = 0; layer < choice.size(); ++layer)
      if (choice[layer] == form) {
        assert(to[layer]->getResultTypes() == from[layer]->getResultTypes());
        to[layer]->setAttrs(from[layer]->getAttrDictionary());
      }
  }
  return copy;
}

FormChoice FormDecider::everywhere(uint8_t form) const {
  FormChoice choice(allowed.size());
  for (std::size_t layer = 0; layer < allowed.size(); ++layer)
    if (isAllowed(layer, form))
      choice[layer] = form;
  return choice;
}

std::optional<NetworkCycles> FormDecider::measure(ModuleOp network) const {
  std::optional<runtime::Report> report = task.cost(network);
  if (!report)
    return std::nullopt;
  NetworkCycles cycles{report->cycles, {}};
  for (const FormRow &row : decision.rows) {
    uint64_t sum = 0;
    for (const runtime::LayerReport &layer : report->layers)
      // "conv + add": the residual add is computed with its convolution.
      if (layer.name == row.layer || layer.name.starts_with(row.layer + " + "))
        sum += layer.cycles;
    cycles.layers.push_back(sum);
  }
  return cycles;
}

std::optional<FormChoice> FormDecider::find(FormSearch &search) const {
  if (decision.settings.use == FormUse::Auto)
    return search.fastest(allowed);
  // The last form multiplies least, and loses nothing if it is exact.
  FormChoice choice(allowed.size());
  for (std::size_t layer = 0; layer < allowed.size(); ++layer)
    if (!allowed[layer].empty())
      choice[layer] = allowed[layer].back();
  return choice;
}

static uint64_t weightBytesOf(Operation *layer) {
  ElementsAttr weights = compass::tensorKey(layer, compass::keys::weights);
  return weights ? compass::viewConstant(weights)->bytes.size() : 0;
}

/// Before any form is forbidden, so that the table has the cycles of all.
bool FormDecider::fillFigures(const std::vector<ModuleOp> &networks,
                              FormSearch &search) {
  for (std::size_t form = 0; form < networks.size(); ++form) {
    const NetworkCycles *cycles = search.cyclesOf(everywhere(uint8_t(form)));
    if (!cycles)
      return false;
    std::vector<Operation *> layers = layersOf(networks[form]);
    for (std::size_t layer = 0; layer < allowed.size(); ++layer)
      if (form == 0 ? !allowed[layer].empty()
                    : isAllowed(layer, uint8_t(form))) {
        FormFigures &figures = decision.rows[layer].forms[form];
        figures.weightBytes = weightBytesOf(layers[layer]);
        figures.cycles = cycles->layers[layer];
      }
  }
  return true;
}

OwningOpRef<ModuleOp> FormDecider::choose(const std::vector<ModuleOp> &networks,
                                          const CompareOutputs &compare) {
  FormSearch search([&](const FormChoice &choice) {
    auto cycles = measure(*mixed(networks, choice));
    if (cycles && task.onTrial)
      task.onTrial(cycles->total);
    return cycles;
  });
  bool isAuto = decision.settings.use == FormUse::Auto;
  if (!fillFigures(networks, search))
    return nullptr;
  if (isAuto)
    forbidHarmful();
  while (true) {
    std::optional<FormChoice> chosen = find(search);
    if (!chosen)
      return nullptr;
    OwningOpRef<ModuleOp> network = mixed(networks, *chosen);
    if (compare) {
      auto outputs = compare(*network);
      if (!outputs)
        return nullptr;
      decision.outputs = std::move(*outputs);
      bool isDirect = *chosen == FormChoice(chosen->size());
      if (isAuto && !isDirect &&
          outputLossDb() > decision.settings.maxOutputLossDb) {
        forbidMostHarmful(*chosen);
        continue;
      }
    }
    return explain(*chosen, search) ? std::move(network) : nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Why
//===----------------------------------------------------------------------===//

bool FormDecider::explain(const FormChoice &chosen, FormSearch &search) {
  const NetworkCycles *direct = search.cyclesOf(FormChoice(chosen.size()));
  const NetworkCycles *best = search.cyclesOf(chosen);
  if (!direct || !best)
    return false;
  decision.directCycles = direct->total;
  decision.cycles = best->total;
  for (std::size_t layer = 0; layer < chosen.size(); ++layer) {
    FormRow &row = decision.rows[layer];
    row.chosen = chosen[layer];
    if (row.chosen)
      row.forms[row.chosen].cycles = best->layers[layer];
    if (!allowed[layer].empty() && !giveReason(layer, chosen, search))
      return false;
  }
  return true;
}

/// The network as it would be if this layer alone had another form was tried by
/// the search, and was not faster.
bool FormDecider::giveReason(std::size_t layer, const FormChoice &chosen,
                             FormSearch &search) {
  FormRow &row = decision.rows[layer];
  if (decision.settings.use == FormUse::All) {
    row.reason = "asked for in all layers";
    return true;
  }
  const NetworkCycles *best = search.cyclesOf(chosen);
  FormChoice other = chosen;
  if (chosen[layer]) {
    other[layer] = 0;
    const NetworkCycles *direct = search.cyclesOf(other);
    if (!best || !direct)
      return false;
    assert(direct->total >= best->total && "not the end of a climb");
    row.reason = "saves the network " +
                 formatCount(direct->total - best->total) + " cycles";
    return true;
  }
  // The form that costs least.
  uint64_t least = UINT64_MAX;
  for (uint8_t form : allowed[layer]) {
    other[layer] = form;
    const NetworkCycles *changed = search.cyclesOf(other);
    if (!best || !changed)
      return false;
    assert(changed->total >= best->total && "not the end of a climb");
    uint64_t more = changed->total - best->total;
    if (more >= least)
      continue;
    least = more;
    std::string costs =
        more ? "costs the network " + formatCount(more) + " cycles"
             : std::string("saves nothing: the network waits for DDR");
    row.reason = decision.forms[form] + " " + costs + ": weights of " +
                 formatBytes(row.forms[form].weightBytes) + " instead of " +
                 formatBytes(row.forms[0].weightBytes);
  }
  return true;
}
