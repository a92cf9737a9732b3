//===- PrecisionSearch.cpp - Bits for each layer at a price ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/precision/PrecisionSearch.h"

#include "compiler/precision/LayerPrices.h"
#include "compiler/precision/Mixtures.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Traits.h"
#include "dialects/compass/control/GraphCalls.h"
#include "dialects/compass/graph/Graphs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quantizer/metrics/Sensitivity.h"
#include "support/diagnostics/Quantizer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

using namespace yarrow;
using namespace yarrow::compass;
using mlir::ModuleOp;
using mlir::OwningOpRef;

/// Networks that are quantized and simulated for a budget at most; with a
/// correction after each, two or three are enough.
static constexpr unsigned kMostTries = 6;
/// Networks that are compiled to price layers; others are priced by what their
/// rows take in networks that are all of a precision.
static constexpr std::size_t kMostPriced = 64;
/// Values that are computed to see what layers do by themselves, where more
/// than the least samples are: a network is run again for each layer, from that
/// one on.
static constexpr double kMostStudiedValues = 4e9;
static constexpr std::size_t kLeastStudied = 2;
/// Mixtures that are told of.
static constexpr std::size_t kShownMixtures = 12;

namespace {

class Search {
public:
  Search(const PrecisionTask &task, DiagnosticEngine &diags)
      : task(task), diags(diags) {}

  std::optional<PrecisionPlan> run();

private:
  void listLayers();
  bool makeUniform();
  bool measureLayers();
  void addOptions(std::size_t precision, const LayerLosses &losses,
                  ModuleOp network);
  /// What a layer's rows take more with a precision, where all layers have it.
  int64_t expectedPrice(std::size_t layer, unsigned precision) const;
  /// Nullopt after errors.
  std::optional<int64_t> simulatedPrice(std::size_t layer, unsigned precision,
                                        const QuantizerOptions &base);
  /// False after errors.
  bool priceLayers();
  std::size_t studiedSamples() const;
  void makeMixtures();
  bool choose();
  bool chooseWithin(double budget, bool isPrice);
  bool chooseGoodEnough();

  /// Null after errors.
  OwningOpRef<ModuleOp> quantize(std::size_t mixture);
  std::optional<PrecisionFigures> measure(std::size_t mixture);
  /// Nullopt after errors.
  std::optional<bool> isGoodEnough(std::size_t mixture);
  PrecisionPlan::Prediction predict(std::size_t mixture) const;
  void take(std::size_t mixture, const PrecisionFigures &measured);
  std::optional<PrecisionFigures>
  figuresOf(ModuleOp network, DiagnosticEngine &problems,
            std::vector<runtime::LayerReport> *layers = nullptr);
  void notify(const char *step, std::size_t done, std::size_t total) const {
    if (task.progress)
      task.progress(step, done, total);
  }

  const PrecisionTask &task;
  DiagnosticEngine &diags;
  PrecisionPlan plan;
  std::vector<mlir::Operation *> floatLayers;  ///< By layer of the plan.
  std::vector<OwningOpRef<ModuleOp>> networks; ///< By precision of the plan.
  /// What their layers take.
  std::vector<std::vector<runtime::LayerReport>> reports;

  std::unique_ptr<OutputJudge> judge;
  Mixtures mixtures;
  /// All layers with the precision of fewest cycles, which prices are beyond.
  std::size_t cheapest = 0;
  int64_t cheapestCycles() const {
    return int64_t(plan.uniform[cheapest].cycles);
  }
};

} // namespace

/// Layers whose numbers are a choice: what only moves has its input's, and
/// sub-graphs have those of their layers.
void Search::listLayers() {
  for (mlir::Operation &op :
       mainGraph(task.origin.network).getBody().front().without_terminator()) {
    auto id = op.getAttrOfType<mlir::IntegerAttr>(kLayerIdAttr);
    const OperatorRecord *record = recordOf(&op);
    if (!record || !id || op.hasTrait<trait::MovesOnly>() ||
        !calledGraphs(&op).empty() || op.getNumResults() == 0 ||
        !describe(op.getResult(0)).isFloat())
      continue;
    plan.layers.push_back(
        {id.getInt(),
         layerNameOf(&op).str(),
         record->layerType.str(),
         bool(tensorKey(&op, keys::weights)) && op.getNumOperands() != 0,
         {}});
    floatLayers.push_back(&op);
  }
}

/// Of 4 bits and less two weights lie in a byte.
static uint64_t weightBytesOf(mlir::Operation *op, unsigned bits) {
  mlir::ElementsAttr weights = tensorKey(op, keys::weights);
  auto view = weights ? viewConstant(weights) : std::nullopt;
  if (!view || op->getNumOperands() == 0)
    return 0;
  auto stored = uint64_t(view->bytes.size());
  return bits && bits <= 4 ? (stored + 1) / 2 : stored;
}

std::optional<PrecisionFigures>
Search::figuresOf(ModuleOp network, DiagnosticEngine &problems,
                  std::vector<runtime::LayerReport> *layers) {
  PrecisionFigures figures;
  std::optional<OutputLoss> loss = judge->judge(network, problems);
  std::optional<runtime::Report> cost = task.cost(network, problems);
  if (!loss || !cost)
    return std::nullopt;
  figures.loss = std::move(*loss);
  figures.cycles = cost->cycles;
  if (layers)
    *layers = std::move(cost->layers);
  return figures;
}

/// What went wrong first, in a line.
static std::string firstProblem(const DiagnosticEngine &problems) {
  for (const Diagnostic &d : problems.all())
    if (d.isError())
      return d.message;
  return "it cannot be compiled for the target";
}

bool Search::makeUniform() {
  std::vector<int64_t> ids;
  for (const PlannedLayer &layer : plan.layers)
    ids.push_back(layer.id);
  for (const Precision &precision : task.precisions) {
    notify("whole networks", plan.precisions.size(), task.precisions.size());
    QuantizerOptions options = task.origin.options;
    options.overrides.push_back(precision.overrideFor(ids));
    DiagnosticEngine problems;
    OwningOpRef<ModuleOp> network = quantizedCopy(
        task.origin.network, task.origin.calibration, options, problems);
    std::optional<PrecisionFigures> figures =
        network ? figuresOf(*network, problems, &reports.emplace_back())
                : std::nullopt;
    if (!figures) {
      reports.resize(plan.precisions.size());
      plan.impossible.push_back({precision.name, firstProblem(problems)});
      continue;
    }
    plan.precisions.push_back(precision);
    plan.uniform.push_back(std::move(*figures));
    networks.push_back(std::move(network));
  }
  if (!plan.precisions.empty())
    return true;
  Diagnostic &d = diags.report(
      diag::QuantUnsupported, {},
      "the network cannot be quantized with any of the precisions");
  d.found(plan.impossible.front().first + ": " +
          plan.impossible.front().second);
  return false;
}

void Search::addOptions(std::size_t number, const LayerLosses &losses,
                        ModuleOp network) {
  const Precision &precision = plan.precisions[number];

  llvm::StringMap<mlir::Operation *> makers;
  network.walk([&](mlir::Operation *op) {
    for (mlir::Value v : op->getResults())
      makers[tensorNameOf(v)] = op;
  });
  uint64_t bytes = 0;
  for (auto [layer, op] : llvm::zip_equal(plan.layers, floatLayers)) {
    mlir::Operation *maker = makers.lookup(tensorNameOf(op->getResult(0)));
    auto loss = losses.find(op);
    LayerPrecision option{unsigned(number),
                          loss == losses.end() ? 0 : loss->second.value()};
    if (maker && layer.hasWeights)
      option.weightBytes = weightBytesOf(maker, precision.weightBits);
    bytes += option.weightBytes;

    // Without weights, 4 bits are 8: that word is the one for it.
    auto same = llvm::find_if(layer.options, [&](const LayerPrecision &o) {
      return !layer.hasWeights &&
             plan.precisions[o.precision].isSameWithoutWeights(precision);
    });
    if (same == layer.options.end())
      layer.options.push_back(option);
    else if (precision.weightBits == precision.activationBits)
      *same = option;
  }
  plan.uniform[number].weightBytes = bytes;
}

/// Few samples of a large network tell as much as many of a small one.
std::size_t Search::studiedSamples() const {
  double values = 1;
  for (mlir::Operation &op :
       mainGraph(task.origin.network).getBody().front().without_terminator())
    for (mlir::Value v : op.getResults())
      values += double(describe(v).numElements());
  double runs = double(plan.layers.size() * networks.size()) / 2;
  auto most = std::size_t(kMostStudiedValues / (values * std::max(1.0, runs)));
  return std::min(task.sensitivitySamples, std::max(most, kLeastStudied));
}

bool Search::measureLayers() {
  std::vector<ModuleOp> modules;
  for (OwningOpRef<ModuleOp> &network : networks)
    modules.push_back(*network);
  SensitivityTask sensitivity{task.origin.network, modules, *judge, task.data,
                              studiedSamples()};
  notify("layers alone", 0, sensitivity.maxSamples);
  sensitivity.progress = [&](std::size_t done, std::size_t total) {
    notify("layers alone", done, total);
  };
  auto losses = measureSensitivity(sensitivity, diags);
  if (!losses)
    return false;
  for (std::size_t i = 0; i < modules.size(); ++i)
    addOptions(i, (*losses)[i], modules[i]);
  networks.clear(); // They are not needed again.
  return true;
}

int64_t Search::expectedPrice(std::size_t layer, unsigned precision) const {
  llvm::StringSet<> dearer;
  for (mlir::Operation *op : dearerWith(floatLayers[layer]))
    dearer.insert(layerNameOf(op));
  return int64_t(cyclesOfLayers(reports[precision], dearer)) -
         int64_t(cyclesOfLayers(reports[cheapest], dearer));
}

std::optional<int64_t> Search::simulatedPrice(std::size_t layer,
                                              unsigned precision,
                                              const QuantizerOptions &base) {
  QuantizerOptions options = base;
  options.overrides.push_back(
      plan.precisions[precision].overrideFor({plan.layers[layer].id}));
  OwningOpRef<ModuleOp> network = quantizedCopy(
      task.origin.network, task.origin.calibration, options, diags);
  std::optional<runtime::Report> report =
      network ? task.cost(*network, diags) : std::nullopt;
  if (!report)
    return std::nullopt;
  return int64_t(report->cycles) - cheapestCycles();
}

/// Bits of a layer are also those of its readers' inputs, and what the engine
/// computes in one pass may take two: the price of a layer is what the network
/// takes longer with it. Where there are many, those are simulated that are
/// expected to count most.
bool Search::priceLayers() {
  for (std::size_t p = 1; p < plan.precisions.size(); ++p)
    if (plan.uniform[p].cycles < plan.uniform[cheapest].cycles)
      cheapest = p;
  std::vector<int64_t> ids;
  for (const PlannedLayer &layer : plan.layers)
    ids.push_back(layer.id);
  QuantizerOptions base = task.origin.options;
  base.overrides.push_back(plan.precisions[cheapest].overrideFor(ids));
  struct Open {
    std::size_t layer;
    LayerPrecision *option;
  };
  std::vector<Open> open;
  for (auto [number, layer] : llvm::enumerate(plan.layers))
    for (LayerPrecision &option : layer.options) {
      const Precision &precision = plan.precisions[option.precision];
      if (option.precision == cheapest ||
          (!layer.hasWeights &&
           precision.isSameWithoutWeights(plan.precisions[cheapest])))
        continue;
      option.cycles = expectedPrice(number, option.precision);
      open.push_back({number, &option});
    }
  llvm::stable_sort(open, [](const Open &a, const Open &b) {
    return std::abs(a.option->cycles) > std::abs(b.option->cycles);
  });
  open.resize(std::min(open.size(), kMostPriced));
  for (auto [done, one] : llvm::enumerate(open)) {
    notify("prices of layers", done, open.size());
    std::optional<int64_t> price =
        simulatedPrice(one.layer, one.option->precision, base);
    if (!price)
      return false;
    one.option->cycles = *price;
  }
  return true;
}

void Search::makeMixtures() {
  std::vector<std::vector<MixtureChoice>> choices;
  for (const PlannedLayer &layer : plan.layers) {
    choices.emplace_back();
    for (const LayerPrecision &option : layer.options)
      choices.back().push_back(
          {int64_t(plan.isPriceBytes ? option.weightBytes : option.cycles),
           option.loss});
  }
  mixtures = Mixtures::of(choices);
}

PrecisionPlan::Prediction Search::predict(std::size_t mixture) const {
  std::vector<unsigned> choices = mixtures.choices(mixture);
  PrecisionPlan::Prediction prediction;
  int64_t cycles = cheapestCycles();
  for (auto [layer, choice] : llvm::zip_equal(plan.layers, choices)) {
    const LayerPrecision &option = layer.options[choice];
    prediction.loss += option.loss;
    cycles += option.cycles;
    prediction.weightBytes += option.weightBytes;
  }
  prediction.cycles = uint64_t(std::max<int64_t>(cycles, 0));

  return prediction;
}

OwningOpRef<ModuleOp> Search::quantize(std::size_t mixture) {
  notify("mixtures", plan.numMeasured++, 0);
  PrecisionPlan mixed;
  mixed.precisions = plan.precisions;
  mixed.layers = plan.layers;
  std::vector<unsigned> choices = mixtures.choices(mixture);
  for (auto [layer, choice] : llvm::zip_equal(mixed.layers, choices))
    layer.chosen = choice;
  return quantizedCopy(task.origin.network, task.origin.calibration,
                       mixed.quantizerOptions(task.origin.options), diags);
}

std::optional<PrecisionFigures> Search::measure(std::size_t mixture) {
  OwningOpRef<ModuleOp> network = quantize(mixture);
  auto figures = network ? figuresOf(*network, diags) : std::nullopt;
  if (figures)
    figures->weightBytes = predict(mixture).weightBytes;
  return figures;
}

std::optional<bool> Search::isGoodEnough(std::size_t mixture) {
  OwningOpRef<ModuleOp> network = quantize(mixture);
  return network ? task.goal.isGoodEnough(*network) : std::nullopt;
}

void Search::take(std::size_t mixture, const PrecisionFigures &measured) {
  std::vector<unsigned> choices = mixtures.choices(mixture);
  for (auto [layer, choice] : llvm::zip_equal(plan.layers, choices))
    layer.chosen = choice;
  plan.predicted = predict(mixture);
  plan.measured = measured;
}

/// Looks for the best mixture whose measured price or loss is within
/// \p budget. What was measured corrects the prediction for the next.
bool Search::chooseWithin(double budget, bool isPrice) {
  auto find = [&](double target) {
    return isPrice && !plan.isPriceBytes
               ? mixtures.withinPrice(int64_t(target) - cheapestCycles())
           : isPrice ? mixtures.withinPrice(int64_t(target))
                     : mixtures.withinLoss(target);
  };
  auto figure = [&](const PrecisionFigures &f) {
    return !isPrice            ? f.loss.value()
           : plan.isPriceBytes ? double(f.weightBytes)
                               : double(f.cycles);
  };
  double target = budget;
  std::vector<std::size_t> tried;
  for (unsigned n = 0; n < kMostTries; ++n) {
    std::size_t mixture = find(target);
    if (llvm::is_contained(tried, mixture))
      break;
    tried.push_back(mixture);
    std::optional<PrecisionFigures> measured = measure(mixture);
    if (!measured)
      return false;
    double found = figure(*measured);
    bool isWithin = found <= budget;
    // What the budget is spent on; of those beyond it, the nearest.
    auto rank = [&](const PrecisionFigures &f, bool isMet) {
      return !isMet ? figure(f) : isPrice ? f.loss.value() : double(f.cycles);
    };
    bool isBetter = n == 0 || (isWithin != plan.isMet
                                   ? isWithin
                                   : rank(*measured, isWithin) <
                                         rank(plan.measured, plan.isMet));
    if (isBetter) {
      take(mixture, *measured);
      plan.isMet = isWithin;
    }
    double predicted =
        isPrice
            ? figure(
                  {{}, predict(mixture).cycles, predict(mixture).weightBytes})
            : predict(mixture).loss;
    // Loss is off by a factor, cycles by what layers cost one another.
    target = isPrice     ? budget + (predicted - found)
             : found > 0 ? budget * predicted / found
                         : budget;
  }
  return true;
}

/// Losses fall along the mixtures, and what is measured with them, nearly: the
/// cheapest that is good enough is found by halving.
bool Search::chooseGoodEnough() {
  std::size_t low = 0, high = mixtures.size() - 1;
  std::optional<bool> isGood = isGoodEnough(high);
  plan.isMet = isGood.value_or(false);
  while (isGood && plan.isMet && low < high) {
    std::size_t middle = low + (high - low) / 2;
    isGood = isGoodEnough(middle);
    if (isGood && *isGood)
      high = middle;
    else
      low = middle + 1;
  }
  std::optional<PrecisionFigures> measured =
      isGood ? measure(high) : std::nullopt;
  if (measured)
    take(high, *measured);
  return measured.has_value();
}

bool Search::choose() {
  const PrecisionGoal &goal = task.goal;
  if (goal.isGoodEnough)
    return chooseGoodEnough();
  if (goal.maxLoss)
    return chooseWithin(*goal.maxLoss, /*isPrice=*/false);
  if (goal.maxWeightBytes)
    return chooseWithin(double(*goal.maxWeightBytes), /*isPrice=*/true);
  if (goal.maxCycles)
    return chooseWithin(double(*goal.maxCycles), /*isPrice=*/true);
  DiagnosticEngine problems;
  OwningOpRef<ModuleOp> given =
      quantizedCopy(task.origin.network, task.origin.calibration,
                    task.origin.options, problems);
  std::optional<runtime::Report> report =
      given ? task.cost(*given, problems) : std::nullopt;
  double cycles =
      report ? double(report->cycles) : double(plan.uniform.front().cycles);
  return chooseWithin(std::floor(cycles * goal.maxCyclesRatio.value_or(1.1)),
                      /*isPrice=*/true);
}

std::optional<PrecisionPlan> Search::run() {
  plan.isPriceBytes = task.goal.maxWeightBytes.has_value();
  listLayers();
  judge = OutputJudge::create(task.origin.network, task.data, task.maxSamples,
                              diags);
  if (!judge || !makeUniform() || !measureLayers() || !priceLayers())
    return std::nullopt;
  makeMixtures();
  if (!choose())
    return std::nullopt;
  std::size_t shown = std::min(kShownMixtures, mixtures.size());
  for (std::size_t i = 0; i < shown; ++i)
    plan.front.push_back(
        predict(shown == 1 ? 0 : i * (mixtures.size() - 1) / (shown - 1)));
  return std::move(plan);
}

std::optional<PrecisionPlan> yarrow::searchPrecision(const PrecisionTask &task,
                                                     DiagnosticEngine &diags) {
  return Search(task, diags).run();
}
