//===- AutoBits.cpp - 16 bits for the tensors that need them --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/precision/AutoBits.h"

#include "compiler/precision/BitsChoice.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Traits.h"
#include "dialects/compass/control/GraphCalls.h"
#include "dialects/compass/graph/Graphs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quantizer/Quantizer.h"
#include "quantizer/metrics/Sensitivity.h"
#include "support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;
using mlir::ModuleOp;

/// Networks that are quantized for a goal at most; each corrects the
/// expectation of the next.
static constexpr unsigned kMostNetworks = 4;
/// Layers that are run again, over all samples that sensitivity is measured on:
/// few samples of a deep network tell as much as many of a flat one.
static constexpr std::size_t kStudiedLayers = 240, kMostStudied = 4;
/// Below the first an output is useless however fast it is: to get to the
/// second so many times the cycles may be spent, whatever the price.
static constexpr double kUselessDb = 12, kUsefulDb = 20, kRescuePrice = 4;
/// Other samples lose a little more than those of the calibration.
static constexpr double kMarginDb = 1.5;

bool yarrow::meetsGoal(const OutputLoss &loss, const OutputJudge &judge,
                       const AccuracyGoal &goal) {
  double least = loss.leastDb();
  return least >= goal.leastDb ||
         (judge.areClasses() && loss.agreement() >= goal.agreement &&
          least >= AccuracyGoal::kLeastClassDb);
}

namespace {

class AutoBits {
public:
  AutoBits(const FinishedTask &finished, const AutoBitsTask &task,
           DiagnosticEngine &diags)
      : finished(finished), task(task), diags(diags),
        given(finished.now.options), givenDb(finished.now.loss.leastDb()) {}

  bool run();

private:
  void listLayers();
  bool measureLayers();
  /// False where the network cannot be compiled, or not in 16 bits.
  bool priceLayers();
  QuantizerOptions optionsFor(const std::vector<unsigned> &layers) const;
  /// Looks for a network that keeps \p leastDb for \p price.
  void attempt(double leastDb, double price);
  void keep(FinishedNetwork network, double cycles, std::size_t tensors);
  void tell(const char *step, std::size_t done, std::size_t total) const {
    if (task.progress)
      task.progress(step, done, total);
  }

  const FinishedTask &finished;
  const AutoBitsTask &task;
  DiagnosticEngine &diags;
  const QuantizerOptions given; ///< Of the network with 8 bits.
  const double givenDb;
  std::vector<mlir::Operation *> layers;
  BitsProblem problem;
  double narrowCycles = 0;
};

} // namespace

/// Layers whose bits are a choice: what only moves has its input's.
void AutoBits::listLayers() {
  for (mlir::Operation &op :
       mainGraph(finished.network).getBody().front().without_terminator())
    if (recordOf(&op) && op.hasAttr(kLayerIdAttr) && hasErrorOfItsOwn(&op) &&
        calledGraphs(&op).empty() && op.getNumResults() != 0 &&
        describe(op.getResult(0)).isFloat())
      layers.push_back(&op);
}

/// Whether \p value is a result of the network, also behind moves.
static bool isOutput(mlir::Value value) {
  return llvm::any_of(value.getUsers(), [](mlir::Operation *user) {
    return llvm::isa<mlir::func::ReturnOp>(user) ||
           (user->hasTrait<trait::MovesOnly>() &&
            llvm::any_of(user->getResults(), isOutput));
  });
}

bool AutoBits::measureLayers() {
  std::size_t samples = std::clamp<std::size_t>(
      kStudiedLayers / std::max<std::size_t>(1, layers.size()), 1,
      kMostStudied);
  SensitivityTask study{finished.network,
                        {*finished.now.quantized},
                        finished.judge,
                        finished.samples,
                        samples};
  study.progress = [&](std::size_t done, std::size_t total) {
    tell("layers by themselves", done, total);
  };
  auto losses = measureSensitivity(study, diags);
  if (!losses)
    return false;
  for (mlir::Operation *layer : layers) {
    BitsLayer entry;
    entry.isOutput = llvm::any_of(layer->getResults(), isOutput);
    entry.noise.resize(finished.now.loss.parts.size());
    auto found = losses->front().find(layer);
    if (found != losses->front().end()) {
      const LayerLoss &loss = found->second;
      for (auto [noise, part] : llvm::zip(entry.noise, loss.parts))
        if (part.signalSquares > 0)
          noise = part.noiseSquares / part.signalSquares;
      // A layer without weights has no other error than that of its result.
      bool hasWeights = bool(tensorKey(layer, "weights"));
      entry.removable =
          !hasWeights || loss.ownSquares == 0
              ? 1
              : std::min(1.0, loss.storedSquares / loss.ownSquares);
    }
    problem.layers.push_back(std::move(entry));
  }
  for (const Similarity &part : finished.now.loss.parts)
    problem.measured.push_back(
        part.signalSquares > 0 ? part.noiseSquares / part.signalSquares : 0);
  return true;
}

/// The rows of what reads \p value, also behind moves; one that reads it twice
/// is one.
static void addTouched(mlir::Value value,
                       const llvm::DenseMap<mlir::Operation *, unsigned> &rows,
                       llvm::SmallSetVector<unsigned, 8> &touched) {
  for (mlir::Operation *user : value.getUsers()) {
    auto row = rows.find(user);
    bool isNew = row != rows.end() && touched.insert(row->second);
    if (isNew && user->hasTrait<trait::MovesOnly>())
      for (mlir::Value result : user->getResults())
        addTouched(result, rows, touched);
  }
}

bool AutoBits::priceLayers() {
  // Moves have a price as well.
  llvm::DenseMap<mlir::Operation *, unsigned> rows;
  std::vector<std::string> names;
  for (mlir::Operation &op :
       mainGraph(finished.network).getBody().front().without_terminator())
    if (recordOf(&op)) {
      rows[&op] = unsigned(names.size());
      names.push_back(layerNameOf(&op).str());
    }
  std::vector<unsigned> all;
  for (unsigned i = 0; i < layers.size(); ++i)
    all.push_back(i);
  tell("price", 0, 2);
  DiagnosticEngine problems;
  std::optional<runtime::Report> narrow =
      task.cost(*finished.now.quantized, problems);
  tell("price", 1, 2);
  auto wideNetwork = quantizedCopy(finished.network, finished.calibration,
                                   optionsFor(all), problems);
  std::optional<runtime::Report> wide =
      narrow && wideNetwork ? task.cost(*wideNetwork, problems) : std::nullopt;
  tell("price", 2, 2);
  if (!narrow || !wide)
    return false;
  narrowCycles = double(narrow->cycles);
  problem.leastPrice = narrowCycles / 2000;
  llvm::StringMap<double> more;
  for (const runtime::LayerReport &layer : wide->layers)
    more[layer.name] += double(layer.cycles);
  for (const runtime::LayerReport &layer : narrow->layers)
    more[layer.name] -= double(layer.cycles);
  for (const std::string &name : names)
    problem.prices.push_back(std::max(0.0, more.lookup(name)));
  for (auto [entry, op] : llvm::zip_equal(problem.layers, layers)) {
    llvm::SmallSetVector<unsigned, 8> touched;
    touched.insert(rows.lookup(op));
    for (mlir::Value result : op->getResults())
      addTouched(result, rows, touched);
    entry.touched.assign(touched.begin(), touched.end());
  }
  return true;
}

QuantizerOptions
AutoBits::optionsFor(const std::vector<unsigned> &chosen) const {
  QuantizerOptions options = given;
  LayerOverride over;
  for (unsigned i : chosen) {
    auto id = unsigned(
        layers[i]->getAttrOfType<mlir::IntegerAttr>(kLayerIdAttr).getInt());
    over.layerIds.push_back({id, id});
  }
  over.apply = [](LayerOptions &o) {
    o.activationBits = std::max(o.activationBits, 16u);
    o.widensConcat = true;
    o.settle();
  };
  if (!chosen.empty())
    options.overrides.push_back(std::move(over));
  return options;
}

void AutoBits::keep(FinishedNetwork network, double cycles,
                    std::size_t tensors) {
  AppliedMethod bits;
  bits.name = formatCount(tensors) + (tensors == 1 ? " tensor" : " tensors") +
              " at 16 bits (" + (cycles >= narrowCycles ? "+" : "") +
              formatFixed(100 * (cycles / narrowCycles - 1), 0) + " % cycles)";
  bits.beforeDb = givenDb;
  bits.afterDb = network.loss.leastDb();
  bits.isKept = true;
  network.applied = {std::move(bits)};
  finished.now = std::move(network);
}

void AutoBits::attempt(double leastDb, double price) {
  problem.target = std::pow(10, -(leastDb + kMarginDb) / 10);
  problem.budget = (price - 1) * narrowCycles;
  problem.excess.clear();
  AccuracyGoal goal = task.goal;
  goal.leastDb = leastDb;
  std::optional<FinishedNetwork> best;
  double bestCycles = 0;
  std::size_t bestTensors = 0;
  std::vector<unsigned> before;
  for (unsigned n = 0; n < kMostNetworks; ++n) {
    tell("bits", n, kMostNetworks);
    BitsChoice choice = chooseLayers(problem);
    if (choice.layers.empty() || choice.layers == before)
      break;
    before = choice.layers;
    DiagnosticEngine problems;
    std::optional<FinishedNetwork> trial =
        finished.tryOptions(optionsFor(choice.layers), problems);
    std::optional<runtime::Report> report =
        trial ? task.cost(*trial->quantized, problems) : std::nullopt;
    if (!report)
      break;
    auto cycles = double(report->cycles);
    double found = trial->loss.leastDb(),
           least = best ? best->loss.leastDb() : finished.now.loss.leastDb();
    bool isMet = meetsGoal(trial->loss, finished.judge, goal);
    bool isDear = cycles > narrowCycles * price;
    if (isDear)
      problem.priceFactor *=
          std::max(1.1, (cycles - narrowCycles) / std::max(1.0, choice.price));
    else
      problem.correct(choice, trial->loss);
    if (!isDear && found > least) {
      best = std::move(*trial);
      bestCycles = cycles, bestTensors = choice.layers.size();
    }
    // Where the price is spent, further tries find nothing better.
    if (!isDear && (isMet || !choice.isEnough))
      break;
  }
  if (best)
    keep(std::move(*best), bestCycles, bestTensors);
}

bool AutoBits::run() {
  if (meetsGoal(finished.now.loss, finished.judge, task.goal))
    return true;
  listLayers();
  if (!measureLayers())
    return false;
  if (!priceLayers())
    return true;
  attempt(task.goal.leastDb, task.price);
  if (finished.now.loss.leastDb() < std::min(kUselessDb, task.goal.leastDb) &&
      task.price < kRescuePrice)
    attempt(std::min(kUsefulDb, task.goal.leastDb), kRescuePrice);
  return true;
}

bool yarrow::chooseBits(const FinishedTask &finished, const AutoBitsTask &task,
                        DiagnosticEngine &diags) {
  return AutoBits(finished, task, diags).run();
}
