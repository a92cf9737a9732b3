//===- WinogradDecision.cpp - Winograd or not, layer by layer, and why ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/WinogradDecision.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/conv/ConvOps.h"
#include "passes/winograd/ExactForm.h"
#include "quantizer/Metrics.h"
#include "quantizer/WinogradLoss.h"
#include "quantizer/rules/Winograd.h"
#include "support/Format.h"

#include "mlir/IR/IRMapping.h"

using namespace yarrow;
using namespace mlir;

using isa::WinogradMode;

/// Layers are compared on this many samples; more hardly change the figures.
constexpr std::size_t kComparedSamples = 32;

namespace {

/// All convolutions, in an order that quantization keeps.
std::vector<Operation *> convolutionsOf(ModuleOp module) {
  std::vector<Operation *> convolutions;
  module.walk([&](compass::ConvolutionOp op) { convolutions.push_back(op); });
  return convolutions;
}

/// \p direct, of which some convolutions are as in \p winograd. Scales of
/// activations do not depend on the form of weights, so any choice fits
/// together. Weights are shared, not copied.
OwningOpRef<ModuleOp> mixed(ModuleOp direct, ModuleOp winograd,
                            const LayerSet &layers) {
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(direct->clone());
  std::vector<Operation *> to = convolutionsOf(*copy),
                           from = convolutionsOf(winograd);
  assert(to.size() == from.size() && "not the same network");
  for (unsigned n : layers) {
    assert(to[n]->getResultTypes() == from[n]->getResultTypes());
    to[n]->setAttrs(from[n]->getAttrDictionary());
  }
  return copy;
}

/// What both ways to a decision share: rows for all convolutions, the search,
/// and the reasons.
class Decider {
public:
  Decider(const WinogradSettings &settings, const isa::Machine &machine,
          const CompileOptions &options, Driver &driver,
          WinogradDecision &decision)
      : driver(driver), machine(machine), options(options), decision(decision) {
    decision.settings = settings;
    decision.target = machine.name;
    decision.isExact =
        machine.hasWinograd(WinogradMode::F2x2_3x3, kExactWeightBits);
  }

  /// Adds a row for \p conv; a candidate unless \p obstacle says why not.
  void addRow(Operation *conv, bool isSuitable, std::string obstacle) {
    WinogradRow row;
    row.isSuitable = isSuitable;
    if (!isSuitable)
      obstacle = "not a 3x3 window with stride, dilation and group 1";
    row.layer = compass::layerNameOf(conv).str();
    int64_t weights =
        cast<ElementsAttr>(conv->getAttr("weights")).getNumElements();
    row.directWeightBytes = uint64_t(weights);
    if (obstacle.empty() && !machine.hasWinograd(WinogradMode::F2x2_3x3))
      obstacle = machine.name + " has no Winograd mode";
    if (obstacle.empty()) {
      // 16 weights for 9, of two bytes in the exact form.
      row.winogradWeightBytes =
          uint64_t(weights) / 9 * 16 * (decision.isExact ? 2 : 1);
      candidates.insert(unsigned(decision.rows.size()));
    }
    row.reason = std::move(obstacle);
    names.push_back(row.layer);
    decision.rows.push_back(std::move(row));
  }

  bool hasCandidates() const { return !candidates.empty(); }
  const LayerSet &allCandidates() const { return candidates; }

  /// The quantizer leaves layers direct that cannot have the form.
  void dropDirect(ModuleOp quantized) {
    for (auto [n, conv] : llvm::enumerate(convolutionsOf(quantized)))
      if (!cast<compass::ConvolutionOp>(conv).getWithWinograd() &&
          candidates.erase(unsigned(n)))
        decision.rows[n].reason = "not of 8 bits, or sums of more than 32 bits";
  }

  void setLoss(const WinogradLoss &loss) {
    for (unsigned n : candidates)
      if (names[n] == loss.layer) {
        decision.rows[n].directSqnrDb = loss.direct.sqnrDb();
        decision.rows[n].winogradSqnrDb = loss.winograd.sqnrDb();
      }
  }

  /// Compares the outputs of a choice with those of the direct network.
  using CompareOutputs =
      std::function<std::optional<std::vector<WinogradOutput>>(ModuleOp)>;

  /// Chooses among the candidates: a network with layers of \p direct and of
  /// \p winograd. \p compare is null if the outputs stay as they are. Null
  /// after errors.
  OwningOpRef<ModuleOp> choose(ModuleOp direct, ModuleOp winograd,
                               const CompareOutputs &compare) {
    auto build = [&](const LayerSet &layers) {
      return mixed(direct, winograd, layers);
    };
    bool isAuto = decision.settings.use == WinogradUse::Auto;
    auto line = driver.progress("winograd", 0);
    WinogradSearch search(build, machine, options, line.get(), driver.diags);
    LayerSet allowed = isAuto ? harmlessLayers() : candidates;
    while (true) {
      std::optional<LayerSet> chosen = allowed;
      if (isAuto)
        chosen = search.fastest(allowed, names);
      if (!chosen)
        return nullptr;
      OwningOpRef<ModuleOp> network = build(*chosen);
      if (compare) {
        auto outputs = compare(*network);
        if (!outputs)
          return nullptr;
        decision.outputs = std::move(*outputs);
        if (isAuto && outputLossDb() > decision.settings.maxOutputLossDb &&
            !chosen->empty()) {
          allowed.erase(mostHarmful(*chosen));
          continue;
        }
      }
      return explain(*chosen, allowed, search) ? std::move(network) : nullptr;
    }
  }

private:
  /// Fills the rows of the candidates. False after errors.
  bool explain(const LayerSet &chosen, const LayerSet &allowed,
               WinogradSearch &search) {
    const WinogradCycles *none = search.cyclesOf({});
    const WinogradCycles *all = search.cyclesOf(candidates);
    const WinogradCycles *best = search.cyclesOf(chosen);
    if (!none || !all || !best)
      return false;
    decision.directCycles = none->total;
    decision.cycles = best->total;
    for (unsigned n : candidates) {
      WinogradRow &row = decision.rows[n];
      row.isChosen = chosen.contains(n);
      row.directCycles = none->of(row.layer);
      row.winogradCycles = (row.isChosen ? best : all)->of(row.layer);
      if (decision.settings.use == WinogradUse::All) {
        row.reason = "wanted for all layers";
        continue;
      }
      if (!isHarmless(row)) {
        row.reason = "SQNR falls by " + formatFixed(lossOf(row), 1) +
                     " dB, more than " +
                     formatFixed(decision.settings.maxLossDb, 1);
        continue;
      }
      if (!allowed.contains(n)) {
        row.reason = "with it the outputs' SQNR falls by more than " +
                     formatFixed(decision.settings.maxOutputLossDb, 1) + " dB";
        continue;
      }
      LayerSet otherwise = chosen;
      if (!otherwise.erase(n))
        otherwise.insert(n);
      const WinogradCycles *other = search.cyclesOf(otherwise);
      if (!other)
        return false;
      // The search would have taken it if it were faster.
      row.reason = reasonOf(row, other->total - best->total);
    }
    return true;
  }

  /// \p moreCycles is what the network would take if this layer alone had the
  /// other form.
  static std::string reasonOf(const WinogradRow &row, uint64_t moreCycles) {
    if (row.isChosen)
      return "saves the network " + formatCount(moreCycles) + " cycles";
    std::string weights = ": weights of " +
                          formatBytes(row.winogradWeightBytes) +
                          " in place of " + formatBytes(row.directWeightBytes);
    if (moreCycles == 0)
      return "saves nothing, the network waits for DDR" + weights;
    return "costs the network " + formatCount(moreCycles) + " cycles" + weights;
  }

  bool isHarmless(const WinogradRow &row) const {
    return lossOf(row) <= decision.settings.maxLossDb;
  }
  static double lossOf(const WinogradRow &row) {
    // Two results without any noise are infinitely good.
    if (!row.directSqnrDb || *row.directSqnrDb == *row.winogradSqnrDb)
      return 0;
    return *row.directSqnrDb - *row.winogradSqnrDb;
  }

  /// What the output that suffers most loses.
  double outputLossDb() const {
    double loss = 0;
    for (const WinogradOutput &output : decision.outputs)
      loss = std::max(loss, output.direct.sqnrDb() - output.chosen.sqnrDb());
    return loss;
  }

  unsigned mostHarmful(const LayerSet &layers) const {
    return *std::max_element(
        layers.begin(), layers.end(), [&](unsigned a, unsigned b) {
          return lossOf(decision.rows[a]) < lossOf(decision.rows[b]);
        });
  }

  LayerSet harmlessLayers() const {
    LayerSet harmless;
    for (unsigned n : candidates)
      if (isHarmless(decision.rows[n]))
        harmless.insert(n);
    return harmless;
  }

  Driver &driver;
  const isa::Machine &machine;
  const CompileOptions &options;
  WinogradDecision &decision;
  LayerSet candidates;
  std::vector<std::string> names; ///< Of all rows.
};

/// The float network in integers, with some layers in the requantized form.
OwningOpRef<ModuleOp> quantizedCopy(const WinogradTask &task,
                                    const LayerSet &layers,
                                    yarrow::DiagnosticEngine &diags) {
  QuantizerOptions options = task.options;
  std::vector<Operation *> convolutions = convolutionsOf(task.floatModule);
  for (unsigned n : layers) {
    auto id = convolutions[n]->getAttrOfType<IntegerAttr>(kLayerIdAttr);
    LayerOverride over;
    over.layerIds = {{unsigned(id.getInt()), unsigned(id.getInt())}};
    over.apply = [](LayerOptions &o) {
      o.winograd = WinogradTransform::F2x2_3x3;
    };
    options.overrides.push_back(std::move(over));
  }
  IRMapping map;
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(task.floatModule->clone(map));
  if (!quantizeModule(*copy, task.calibration.forCopy(map), options, diags))
    return nullptr;
  return copy;
}

/// The outputs of \p chosen beside those of the direct network, both against
/// float.
std::optional<std::vector<WinogradOutput>>
compareOutputs(const WinogradTask &task,
               const std::vector<TensorMetric> &direct, ModuleOp chosen,
               yarrow::DiagnosticEngine &diags) {
  auto metrics = compareNetworks(task.floatModule, chosen, task.samples,
                                 kComparedSamples, diags);
  if (!metrics)
    return std::nullopt;
  std::vector<WinogradOutput> outputs;
  for (const auto &[before, after] : llvm::zip_equal(direct, *metrics))
    if (after.isOutput && after.similarity.count)
      outputs.push_back({after.tensor, before.similarity, after.similarity});
  return outputs;
}

OwningOpRef<ModuleOp> exactCopy(ModuleOp network, const LayerSet &layers) {
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(network->clone());
  std::vector<Operation *> convolutions = convolutionsOf(*copy);
  llvm::DenseSet<Operation *> wanted;
  for (unsigned n : layers)
    wanted.insert(convolutions[n]);
  rewriteExactWinograd(*copy,
                       [&](Operation *op) { return wanted.contains(op); });
  return copy;
}

} // namespace

OwningOpRef<ModuleOp> yarrow::quantizeWithWinograd(
    const WinogradTask &task, const WinogradSettings &settings,
    const isa::Machine &machine, const CompileOptions &options, Driver &driver,
    WinogradDecision &decision) {
  Decider decider(settings, machine, options, driver, decision);
  for (Operation *conv : convolutionsOf(task.floatModule))
    decider.addRow(conv, isWinogradCandidate(conv),
                   task.isWanted(conv) ? "" : "with_winograd is false");
  OwningOpRef<ModuleOp> direct = quantizedCopy(task, {}, driver.diags);
  if (!direct || !decider.hasCandidates())
    return direct;
  if (decision.isExact) {
    auto all = exactCopy(*direct, decider.allCandidates());
    return decider.choose(*direct, *all, nullptr);
  }
  auto all = quantizedCopy(task, decider.allCandidates(), driver.diags);
  if (!all)
    return nullptr;
  decider.dropDirect(*all);
  auto losses =
      measureWinogradLoss(task.floatModule, *direct, *all, task.samples,
                          kComparedSamples, driver.diags);
  auto metrics = compareNetworks(task.floatModule, *direct, task.samples,
                                 kComparedSamples, driver.diags);
  if (!losses || !metrics)
    return nullptr;
  for (const WinogradLoss &loss : *losses)
    decider.setLoss(loss);
  return decider.choose(*direct, *all, [&](ModuleOp chosen) {
    return compareOutputs(task, *metrics, chosen, driver.diags);
  });
}

bool yarrow::applyExactWinograd(OwningOpRef<ModuleOp> &network,
                                const WinogradSettings &settings,
                                const isa::Machine &machine,
                                const CompileOptions &options, Driver &driver,
                                WinogradDecision &decision) {
  Decider decider(settings, machine, options, driver, decision);
  for (Operation *conv : convolutionsOf(*network)) {
    std::string obstacle;
    if (!decision.isExact)
      obstacle = "the weights are integers already, and " + machine.name +
                 " cannot multiply the exact form's " +
                 std::to_string(kExactWeightBits) + " bits";
    decider.addRow(conv, isExactWinogradCandidate(conv), std::move(obstacle));
  }
  if (!decider.hasCandidates())
    return true;
  OwningOpRef<ModuleOp> all = exactCopy(*network, decider.allCandidates());
  network = decider.choose(*network, *all, nullptr);
  return bool(network);
}
