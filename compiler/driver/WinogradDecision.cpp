//===- WinogradDecision.cpp - Winograd or not, layer by layer, and why ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/WinogradDecision.h"
#include "compiler/driver/WinogradDecider.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/conv/Winograd.h"
#include "passes/winograd/ExactForm.h"
#include "quantizer/Metrics.h"
#include "quantizer/rules/Winograd.h"
#include "support/ThreadPool.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace yarrow;
using namespace mlir;

using isa::WinogradMode;

WinogradUse yarrow::winogradUseOf(std::string_view word) {
  const auto *it =
      std::find(std::begin(kWinogradUses), std::end(kWinogradUses), word);
  assert(it != std::end(kWinogradUses) && "options check their words");
  return WinogradUse(it - std::begin(kWinogradUses));
}

namespace {

/// A form with requantized weights, and the mode that computes it.
struct RequantizedForm {
  WinogradTransform transform;
  WinogradMode mode;
  const char *name;
};
/// The last one multiplies least.
constexpr RequantizedForm kRequantizedForms[] = {
    {WinogradTransform::F2_3, WinogradMode::F2_3, "F(2,3)"},
    {WinogradTransform::F2x2_3x3, WinogradMode::F2x2_3x3, "F(2x2,3x3)"}};

constexpr const char *kExactForm = "exact F(2x2,3x3)";

bool hasExactForm(const isa::Machine &machine) {
  return machine.hasWinograd(WinogradMode::F2x2_3x3, kExactWeightBits);
}

/// Options under which candidates are quantized in a form.
QuantizerOptions optionsFor(WinogradTransform transform,
                            const WinogradTask &task,
                            const WinogradDecider &decider) {
  QuantizerOptions options = task.options;
  for (auto [layer, conv] : llvm::enumerate(convolutionsOf(task.floatModule))) {
    if (!decider.isCandidate(layer))
      continue;
    auto id = unsigned(conv->getAttrOfType<IntegerAttr>(kLayerIdAttr).getInt());
    LayerOverride over;
    over.layerIds = {{id, id}};
    over.apply = [transform](LayerOptions &o) { o.winograd = transform; };
    options.overrides.push_back(std::move(over));
  }
  return options;
}

/// The network with candidates in the exact form, number \p form.
OwningOpRef<ModuleOp> makeExactForm(ModuleOp network, uint8_t form,
                                    WinogradDecider &decider) {
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(network->clone());
  llvm::DenseSet<Operation *> wanted;
  for (auto [layer, conv] : llvm::enumerate(convolutionsOf(*copy)))
    if (decider.isCandidate(layer))
      wanted.insert(conv);
  rewriteExactWinograd(*copy,
                       [&](Operation *op) { return wanted.contains(op); });
  decider.forbidDirect(*copy, form);
  decider.setExact(form);
  return copy;
}

/// The network's outputs on some samples: [sample][output][element].
using Signals = std::vector<std::vector<std::vector<float>>>;

std::optional<Signals> signalsOf(ModuleOp network,
                                 const std::vector<NpyView> &samples,
                                 yarrow::DiagnosticEngine &diags) {
  auto runner = NetworkRunner::create(network, samples, diags);
  if (!runner)
    return std::nullopt;
  Signals signals(std::min(kComparedSamples, runner->count()));
  parallelFor(signals.size(), [&](std::size_t sample) {
    signals[sample] = runner->outputsOf(sample);
  });
  return signals;
}

/// By output.
std::vector<Similarity> compare(const Signals &floating, const Signals &other) {
  std::vector<Similarity> similarities(floating.empty() ? 0
                                                        : floating[0].size());
  for (const auto &[reference, values] : llvm::zip_equal(floating, other))
    for (std::size_t output = 0; output < similarities.size(); ++output)
      similarities[output].add(reference[output], values[output]);
  return similarities;
}

/// Compares a choice's outputs with the direct network's, both against float.
/// Null after errors.
WinogradDecider::CompareOutputs
outputComparison(const WinogradTask &task, ModuleOp direct,
                 yarrow::DiagnosticEngine &diags) {
  auto floating = signalsOf(task.floatModule, task.samples, diags);
  auto integer = signalsOf(direct, task.samples, diags);
  if (!floating || !integer)
    return nullptr;
  std::vector<std::string> names;
  auto main = direct.lookupSymbol<func::FuncOp>("main");
  for (Value output : main.getBody().front().getTerminator()->getOperands())
    names.push_back(compass::tensorNameOf(output));
  std::vector<Similarity> before = compare(*floating, *integer);
  return [&task, &diags, names, before, floats = std::move(*floating)](
             ModuleOp chosen) -> std::optional<std::vector<WinogradOutput>> {
    auto signals = signalsOf(chosen, task.samples, diags);
    if (!signals)
      return std::nullopt;
    std::vector<Similarity> after = compare(floats, *signals);
    std::vector<WinogradOutput> outputs;
    for (const auto &[name, b, a] : llvm::zip_equal(names, before, after))
      outputs.push_back({name, b, a});
    return outputs;
  };
}

/// The network with candidates in form number \p form, and what they lose. Null
/// after errors.
OwningOpRef<ModuleOp> makeForm(const WinogradTask &task, ModuleOp direct,
                               uint8_t form, WinogradTransform transform,
                               WinogradDecider &decider,
                               yarrow::DiagnosticEngine &diags) {
  OwningOpRef<ModuleOp> network =
      quantizedCopy(task.floatModule, task.calibration,
                    optionsFor(transform, task, decider), diags);
  if (!network)
    return nullptr;
  decider.forbidDirect(*network, form);
  auto losses = measureWinogradLoss(task.floatModule, direct, *network,
                                    task.samples, kComparedSamples, diags);
  if (!losses)
    return nullptr;
  for (const WinogradLoss &loss : *losses)
    decider.setLoss(form, loss);
  return network;
}

/// Every form that the target computes, in the order of decision.forms. Empty
/// after errors.
std::vector<OwningOpRef<ModuleOp>> makeForms(const WinogradTask &task,
                                             OwningOpRef<ModuleOp> direct,
                                             const isa::Machine &machine,
                                             WinogradDecider &decider,
                                             yarrow::DiagnosticEngine &diags) {
  std::vector<OwningOpRef<ModuleOp>> networks;
  networks.push_back(std::move(direct));
  for (const RequantizedForm &form : kRequantizedForms) {
    if (!machine.hasWinograd(form.mode))
      continue;
    networks.push_back(makeForm(task, *networks[0], uint8_t(networks.size()),
                                form.transform, decider, diags));
    if (!networks.back())
      return {};
  }
  if (hasExactForm(machine))
    networks.push_back(
        makeExactForm(*networks[0], uint8_t(networks.size()), decider));
  return networks;
}

} // namespace

OwningOpRef<ModuleOp> yarrow::quantizeWithWinograd(
    const WinogradTask &task, const WinogradSettings &settings,
    const isa::Machine &machine, const CompileOptions &options, Driver &driver,
    WinogradDecision &decision) {
  decision = {machine.name, settings, {"direct"}};
  for (const RequantizedForm &form : kRequantizedForms)
    if (machine.hasWinograd(form.mode))
      decision.forms.push_back(form.name);
  if (hasExactForm(machine))
    decision.forms.push_back(kExactForm);
  WinogradDecider decider(machine, options, driver, decision);
  for (Operation *conv : convolutionsOf(task.floatModule))
    decider.addRow(conv, isWinogradCandidate(conv),
                   !task.isWanted(conv) ? "with_winograd is false"
                   : decision.forms.size() == 1
                       ? machine.name + " has no Winograd mode"
                       : "");
  OwningOpRef<ModuleOp> direct = quantizedCopy(
      task.floatModule, task.calibration, task.options, driver.diags);
  if (!direct || !decider.hasCandidates())
    return direct;
  auto compareOutputs = outputComparison(task, *direct, driver.diags);
  auto networks =
      makeForms(task, std::move(direct), machine, decider, driver.diags);
  if (!compareOutputs || networks.empty())
    return nullptr;
  std::vector<ModuleOp> forms;
  forms.reserve(networks.size());
  for (OwningOpRef<ModuleOp> &network : networks)
    forms.push_back(*network);
  return decider.choose(forms, compareOutputs);
}

bool yarrow::applyExactWinograd(OwningOpRef<ModuleOp> &network,
                                const WinogradSettings &settings,
                                const isa::Machine &machine,
                                const CompileOptions &options, Driver &driver,
                                WinogradDecision &decision) {
  decision = {machine.name, settings, {"direct"}};
  std::string obstacle;
  if (hasExactForm(machine))
    decision.forms.push_back(kExactForm);
  else
    obstacle = "the weights are integers already, and " + machine.name +
               " cannot multiply the exact form's " +
               std::to_string(kExactWeightBits) + " bits";
  WinogradDecider decider(machine, options, driver, decision);
  for (Operation *conv : convolutionsOf(*network)) {
    bool isGiven = compass::isWinogradLayer(conv);
    decider.addRow(conv, isGiven || isExactWinogradCandidate(conv),
                   isGiven ? "the IR has it in Winograd's form" : obstacle);
    decision.rows.back().isGiven = isGiven;
  }
  if (!decider.hasCandidates())
    return true;
  OwningOpRef<ModuleOp> exact = makeExactForm(*network, 1, decider);
  network = decider.choose({*network, *exact}, nullptr);
  return bool(network);
}
