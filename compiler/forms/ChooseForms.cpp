//===- ChooseForms.cpp - The form of every layer of a network -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/forms/ChooseForms.h"
#include "compiler/forms/FormDecider.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/graph/Graphs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quantizer/metrics/Metrics.h"
#include "support/ThreadPool.h"

#include <algorithm>

using namespace yarrow;
using namespace mlir;

FormUse yarrow::formUseOf(std::string_view word) {
  const auto *it = std::find(std::begin(kFormUses), std::end(kFormUses), word);
  assert(it != std::end(kFormUses) && "options check their words");
  return FormUse(it - std::begin(kFormUses));
}

namespace {

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
FormDecider::CompareOutputs outputComparison(const FloatOrigin &origin,
                                             ModuleOp direct,
                                             yarrow::DiagnosticEngine &diags) {
  auto floating = signalsOf(origin.network, origin.samples, diags);
  auto integer = signalsOf(direct, origin.samples, diags);
  if (!floating || !integer)
    return nullptr;
  std::vector<std::string> names;
  for (Value output : compass::graphOutputs(compass::mainGraph(direct)))
    names.push_back(compass::tensorNameOf(output));
  std::vector<Similarity> before = compare(*floating, *integer);
  return [&origin, &diags, names, before, floats = std::move(*floating)](
             ModuleOp chosen) -> std::optional<std::vector<FormOutput>> {
    auto signals = signalsOf(chosen, origin.samples, diags);
    if (!signals)
      return std::nullopt;
    std::vector<Similarity> after = compare(floats, *signals);
    std::vector<FormOutput> outputs;
    for (const auto &[name, b, a] : llvm::zip_equal(names, before, after))
      outputs.push_back({name, b, a});
    return outputs;
  };
}

/// The layers that \p form is made for.
std::vector<FormLayer> layersFor(uint8_t form, const FormInput &input,
                                 const FormDecider &decider) {
  std::vector<Operation *> direct = decider.layersOf(input.direct), floating;
  if (input.origin)
    floating = decider.layersOf(input.origin->network);
  std::vector<FormLayer> layers;
  for (std::size_t layer = 0; layer < direct.size(); ++layer)
    if (decider.isAllowed(layer, form))
      layers.push_back(
          {direct[layer], floating.empty() ? nullptr : floating[layer]});
  return layers;
}

/// The network in each form, the direct one first. Those of other forms belong
/// to \p owners. Empty after errors.
std::vector<ModuleOp> makeForms(const FormInput &input, FormDecider &decider,
                                std::vector<OwningOpRef<ModuleOp>> &owners,
                                yarrow::DiagnosticEngine &diags) {
  std::vector<ModuleOp> networks = {input.direct};
  for (const LayerForm *form : decider.forms()) {
    auto number = uint8_t(networks.size());
    owners.push_back(
        form->apply(input, layersFor(number, input, decider), diags));
    if (!owners.back())
      return {};
    networks.push_back(*owners.back());
    decider.forbidDirect(networks.back(), number);
    auto losses = form->loss(input, networks.back(), diags);
    if (!losses)
      return {};
    decider.setLosses(number, *losses);
  }
  return networks;
}

} // namespace

OwningOpRef<ModuleOp> yarrow::quantizeInForms(
    const FloatOrigin &origin,
    const std::function<bool(const LayerForm &, Operation *)> &isWanted,
    const FormSearchTask &search, yarrow::DiagnosticEngine &diags,
    FormDecision &decision) {
  FormDecider decider({layerForms().begin(), layerForms().end()},
                      /*isInteger=*/false, search, decision);
  decider.addRows(origin.network, isWanted);
  OwningOpRef<ModuleOp> direct =
      quantizedCopy(origin.network, origin.calibration, origin.options, diags);
  if (!direct || !decider.hasCandidates())
    return direct;
  auto compareOutputs = outputComparison(origin, *direct, diags);
  std::vector<OwningOpRef<ModuleOp>> owners;
  std::vector<ModuleOp> networks =
      makeForms({*direct, &origin}, decider, owners, diags);
  if (!compareOutputs || networks.empty())
    return nullptr;
  return decider.choose(networks, compareOutputs);
}

bool yarrow::chooseExactForms(OwningOpRef<ModuleOp> &network,
                              const FormSearchTask &search,
                              yarrow::DiagnosticEngine &diags,
                              FormDecision &decision) {
  std::vector<const LayerForm *> exact;
  llvm::copy_if(layerForms(), std::back_inserter(exact),
                [](const LayerForm *form) { return form->isExact(); });
  FormDecider decider(std::move(exact), /*isInteger=*/true, search, decision);
  decider.addRows(*network, [](auto &, auto *) { return true; });
  if (!decider.hasCandidates())
    return true;
  std::vector<OwningOpRef<ModuleOp>> owners;
  std::vector<ModuleOp> networks =
      makeForms({*network, nullptr}, decider, owners, diags);
  if (networks.empty())
    return false;
  network = decider.choose(networks, nullptr);
  return bool(network);
}
