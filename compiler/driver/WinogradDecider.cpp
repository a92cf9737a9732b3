//===- WinogradDecider.cpp - Chooses the form of every convolution --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/WinogradDecider.h"
#include "compiler/driver/CycleCount.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/conv/Winograd.h"
#include "support/Format.h"

#include <algorithm>

using namespace yarrow;
using namespace mlir;

std::vector<Operation *> yarrow::convolutionsOf(ModuleOp module) {
  std::vector<Operation *> convolutions;
  module.walk([&](compass::ConvolutionOp op) { convolutions.push_back(op); });
  return convolutions;
}

//===----------------------------------------------------------------------===//
// Layers and what they may be
//===----------------------------------------------------------------------===//

void WinogradDecider::addRow(Operation *conv, bool isSuitable,
                             std::string obstacle) {
  WinogradRow row;
  row.layer = compass::layerNameOf(conv).str();
  row.isSuitable = isSuitable;
  row.forms.resize(decision.forms.size());
  row.reason = isSuitable
                   ? std::move(obstacle)
                   : "not a 3x3 window with stride, dilation and group 1";
  std::vector<uint8_t> forms;
  for (std::size_t form = 1; form < decision.forms.size(); ++form)
    if (row.reason.empty())
      forms.push_back(uint8_t(form));
  allowed.push_back(std::move(forms));
  decision.rows.push_back(std::move(row));
}

bool WinogradDecider::hasCandidates() const {
  return std::any_of(allowed.begin(), allowed.end(),
                     [](const auto &forms) { return !forms.empty(); });
}

void WinogradDecider::forbid(std::size_t layer, uint8_t form,
                             const std::string &reason) {
  if (std::erase(allowed[layer], form) && allowed[layer].empty())
    decision.rows[layer].reason = reason;
}

void WinogradDecider::forbidDirect(ModuleOp network, uint8_t form) {
  for (auto [layer, conv] : llvm::enumerate(convolutionsOf(network)))
    if (!compass::isWinogradLayer(conv))
      forbid(layer, form, "not of 8 bits, or sums of more than 32 bits");
}

void WinogradDecider::setLoss(uint8_t form, const WinogradLoss &loss) {
  for (WinogradRow &row : decision.rows)
    if (row.layer == loss.layer) {
      row.forms[0].sqnrDb = loss.direct.sqnrDb();
      row.forms[form].sqnrDb = loss.winograd.sqnrDb();
    }
}

void WinogradDecider::setExact(uint8_t form) {
  for (WinogradRow &row : decision.rows)
    row.forms[form].sqnrDb = row.forms[0].sqnrDb;
}

//===----------------------------------------------------------------------===//
// Harm
//===----------------------------------------------------------------------===//

double WinogradDecider::lossOf(std::size_t layer, uint8_t form) const {
  const std::vector<WinogradFigures> &forms = decision.rows[layer].forms;
  std::optional<double> direct = forms[0].sqnrDb, other = forms[form].sqnrDb;
  // Two results without any noise are infinitely good.
  return direct && other && *direct != *other ? *direct - *other : 0;
}

void WinogradDecider::forbidHarmful() {
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
double WinogradDecider::outputLossDb() const {
  double loss = 0;
  for (const WinogradOutput &output : decision.outputs)
    loss = std::max(loss, output.direct.sqnrDb() - output.chosen.sqnrDb());
  return loss;
}

void WinogradDecider::forbidMostHarmful(const FormChoice &choice) {
  std::size_t worst = choice.size();
  for (std::size_t layer = 0; layer < choice.size(); ++layer)
    if (choice[layer] &&
        (worst == choice.size() ||
         lossOf(layer, choice[layer]) > lossOf(worst, choice[worst])))
      worst = layer;
  assert(worst < choice.size() && "nothing is chosen");
  forbid(worst, choice[worst],
         "with it the outputs' SQNR falls by more than " +
             formatFixed(decision.settings.maxOutputLossDb, 1) + " dB");
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// A network in which each convolution is as in that of its form. Scales of
/// activations do not depend on the form of weights, so any choice fits
/// together. Weights are shared, not copied.
static OwningOpRef<ModuleOp> mixed(const std::vector<ModuleOp> &networks,
                                   const FormChoice &choice) {
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(networks[0]->clone());
  std::vector<Operation *> to = convolutionsOf(*copy);
  for (std::size_t form = 1; form < networks.size(); ++form) {
    std::vector<Operation *> from = convolutionsOf(networks[form]);
    assert(to.size() == from.size() && "not the same network");
    for (std::size_t layer = 0; layer < choice.size(); ++layer)
      if (choice[layer] == form) {
        assert(to[layer]->getResultTypes() == from[layer]->getResultTypes());
        to[layer]->setAttrs(from[layer]->getAttrDictionary());
      }
  }
  return copy;
}

FormChoice WinogradDecider::everywhere(uint8_t form) const {
  FormChoice choice(allowed.size());
  for (std::size_t layer = 0; layer < allowed.size(); ++layer)
    if (llvm::is_contained(allowed[layer], form))
      choice[layer] = form;
  return choice;
}

std::optional<NetworkCycles> WinogradDecider::measure(ModuleOp network) const {
  std::optional<runtime::Report> report =
      countCycles(network, machine, options, driver.diags);
  if (!report)
    return std::nullopt;
  NetworkCycles cycles{report->cycles, {}};
  for (const WinogradRow &row : decision.rows) {
    uint64_t sum = 0;
    for (const runtime::LayerReport &layer : report->layers)
      // "conv + add": the residual add is computed with its convolution.
      if (layer.name == row.layer || layer.name.starts_with(row.layer + " + "))
        sum += layer.cycles;
    cycles.layers.push_back(sum);
  }
  return cycles;
}

std::optional<FormChoice> WinogradDecider::search(WinogradSearch &search) {
  if (decision.settings.use == WinogradUse::Auto)
    return search.fastest(allowed);
  // The last form multiplies least, and loses nothing if it is exact.
  FormChoice choice(allowed.size());
  for (std::size_t layer = 0; layer < allowed.size(); ++layer)
    if (isCandidate(layer))
      choice[layer] = allowed[layer].back();
  return choice;
}

static uint64_t weightBytesOf(Operation *conv) {
  return compass::viewConstant(compass::tensorKey(conv, "weights"))
      ->bytes.size();
}

/// Before any form is forbidden, so that the table has the cycles of all.
bool WinogradDecider::fillFigures(const std::vector<ModuleOp> &networks,
                                  WinogradSearch &search) {
  for (std::size_t form = 0; form < networks.size(); ++form) {
    const NetworkCycles *cycles = search.cyclesOf(everywhere(uint8_t(form)));
    if (!cycles)
      return false;
    std::vector<Operation *> convolutions = convolutionsOf(networks[form]);
    for (std::size_t layer = 0; layer < allowed.size(); ++layer)
      if (form == 0 ? isCandidate(layer)
                    : llvm::is_contained(allowed[layer], form)) {
        WinogradFigures &figures = decision.rows[layer].forms[form];
        figures.weightBytes = weightBytesOf(convolutions[layer]);
        figures.cycles = cycles->layers[layer];
      }
  }
  return true;
}

OwningOpRef<ModuleOp>
WinogradDecider::choose(const std::vector<ModuleOp> &networks,
                        const CompareOutputs &compare) {
  auto line = driver.progress("winograd", 0);
  WinogradSearch search([&](const FormChoice &choice) {
    auto cycles = measure(*mixed(networks, choice));
    if (cycles)
      line->advance(1, formatCount(cycles->total) + " cycles");
    return cycles;
  });
  bool isAuto = decision.settings.use == WinogradUse::Auto;
  if (!fillFigures(networks, search))
    return nullptr;
  if (isAuto)
    forbidHarmful();
  while (true) {
    std::optional<FormChoice> chosen = this->search(search);
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

bool WinogradDecider::explain(const FormChoice &chosen,
                              WinogradSearch &search) {
  const NetworkCycles *direct = search.cyclesOf(FormChoice(chosen.size()));
  const NetworkCycles *best = search.cyclesOf(chosen);
  if (!direct || !best)
    return false;
  decision.directCycles = direct->total;
  decision.cycles = best->total;
  for (std::size_t layer = 0; layer < chosen.size(); ++layer) {
    WinogradRow &row = decision.rows[layer];
    row.chosen = chosen[layer];
    if (row.chosen)
      row.forms[row.chosen].cycles = best->layers[layer];
    if (isCandidate(layer) && !giveReason(layer, chosen, search))
      return false;
  }
  return true;
}

/// The network as it would be if this layer alone had another form was tried by
/// the search, and was not faster.
bool WinogradDecider::giveReason(std::size_t layer, const FormChoice &chosen,
                                 WinogradSearch &search) {
  WinogradRow &row = decision.rows[layer];
  if (decision.settings.use == WinogradUse::All) {
    row.reason = "wanted for all layers";
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
             : std::string("saves nothing, the network waits for DDR");
    row.reason = decision.forms[form] + " " + costs + ": weights of " +
                 formatBytes(row.forms[form].weightBytes) + " in place of " +
                 formatBytes(row.forms[0].weightBytes);
  }
  return true;
}
