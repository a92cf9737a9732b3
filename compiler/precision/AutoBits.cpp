//===- AutoBits.cpp - 16 bits for the tensors that need them --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/precision/AutoBits.h"

#include "compiler/precision/LayerNoise.h"
#include "compiler/precision/PricedBits.h"
#include "quantizer/calibrate/SampleGroups.h"
#include "quantizer/metrics/SampledNetwork.h"
#include "support/Format.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace yarrow;
using namespace yarrow::compass;
using mlir::ModuleOp;

/// Networks that are quantized for a goal at most; each corrects the
/// expectation of the next.
static constexpr unsigned kMostNetworks = 4;
/// Of the price: less leaves room for a further try.
static constexpr double kSpent = 0.85;
/// Times what is left with all results at 16 bits: some may keep 8.
static constexpr double kNearly = 1.1;
/// Of the cycles with all results at 16 bits: more is as dear.
static constexpr double kNearlyAll = 0.85;
/// What rounding weights for the very choice of bits gains at most: measured
/// 0.2 to 4 dB, the more the more bits there are.
static constexpr double kOfRoundingDb = 3;
/// Networks that are tried between a price that is too low and one that is
/// enough, unless these are as near as that.
static constexpr unsigned kMostSteps = 3;
static constexpr double kNearStep = 1.1;
/// Of a goal: what is never enough.
static constexpr double kFarBelow = 8;
/// Ranges and weights are fitted to the samples of the calibration; others lose
/// so much more for one, by the square root of how many there are. Of the zoo's
/// networks, 12 pictures and 8 others: 2 to 7 dB, 4 in the middle.
static constexpr double kMarginOfOneDb = 14, kMostMarginDb = 5;

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
        beforeDb(finished.now.loss.leastDb()), bits(finished, task.cost) {}

  bool run();

private:
  /// Gives 16 bits to what does not leave the engine between two layers, as far
  /// as that costs nothing.
  void widenHidden();
  /// In the place of some that cost nearly as much: 16 bits have room for what
  /// no sample showed.
  void takeAllResults();
  void keepWide();
  /// What 16 bits in some places make of the network.
  struct Trial {
    FinishedNetwork network;
    AffordableBits found;
    bool isRounded; ///< For its very bits.
    bool isEnough;
    double leastDb() const { return network.loss.leastDb(); }
  };
  /// Looks for a network that keeps so many dB for the price, or comes near.
  std::optional<Trial> search(double leastDb, double price);
  /// Keeps the cheapest that has so many dB and is found within the price of a
  /// rescue.
  void rescue(double leastDb);
  /// Nullopt after errors.
  std::optional<Trial> tryChoice(const AffordableBits &found, double leastDb);
  void keepIfBetter(std::optional<Trial> trial);
  void keep(FinishedNetwork network, const AffordableBits &what);
  void reportMissed();
  void notify(const char *step, std::size_t done, std::size_t total) const {
    if (task.progress)
      task.progress(step, done, total);
  }

  /// What the goal is exceeded by, so that other samples keep it. False after
  /// errors.
  bool findMargin();
  bool isMet(const OutputLoss &loss, double leastDb) const {
    AccuracyGoal goal = task.goal;
    goal.leastDb = leastDb + marginDb;
    return meetsGoal(loss, finished.judge, goal);
  }

  const FinishedTask &finished;
  const AutoBitsTask &task;
  DiagnosticEngine &diags;
  std::vector<unsigned> hidden; ///< Layers whose results have 16 bits for free.
  /// With 16 bits for all results.
  std::optional<FinishedNetwork> wide;
  const double beforeDb;
  PricedBits bits;
  BitsProblem problem;
  double marginDb = 0;
  double spentPrice = 1; ///< Of the network that was kept.
};

} // namespace

/// "3 tensors", "1 tensor".
static std::string countText(std::size_t count, const char *what) {
  return formatCount(count) + " " + what + (count == 1 ? "" : "s");
}

void AutoBits::keep(FinishedNetwork network, const AffordableBits &found) {
  const auto &[choice, cycles] = found;
  std::string what;
  std::set<unsigned> wide(choice.results.begin(), choice.results.end());
  wide.insert(hidden.begin(), hidden.end());
  if (std::size_t tensors = wide.size())
    what = countText(tensors, "tensor");
  if (!choice.weights.empty())
    what += (what.empty() ? "weights of " : " and weights of ") +
            countText(choice.weights.size(), "layer");
  double more = 100 * (cycles / bits.narrowCycles() - 1);
  AppliedMethod step;
  step.name = what + " at 16 bits (" + (more >= 0 ? "+" : "") +
              formatFixed(more, 0) + " % cycles)";
  step.beforeDb = beforeDb;
  step.afterDb = network.loss.leastDb();
  step.isKept = true;
  network.applied = {std::move(step)};
  finished.now = std::move(network);
  spentPrice = cycles / bits.narrowCycles();
}

/// Adds the price that is expected to be enough, if there is one.
void AutoBits::reportMissed() {
  std::vector<AppliedMethod> &applied = finished.now.applied;
  if (applied.empty())
    applied.push_back({"16 bits for the price", beforeDb, beforeDb});
  problem.takesWeights = true;
  problem.target = std::pow(10, -(task.goal.leastDb + marginDb) / 10);
  // What few wide results did not take away, all of them do.
  if (!problem.measuredWide.empty())
    problem.excess.clear();
  std::optional<double> cycles = cyclesForTarget(problem);
  // Where the expectation was wrong, the next step up.
  double price =
      cycles ? std::max(1 + *cycles / bits.narrowCycles(), task.price) : 0;
  // What a rescue spent did not give it.
  if (spentPrice > task.price && price <= spentPrice)
    cycles = std::nullopt;
  std::string goal = formatFixed(task.goal.leastDb, 0) + " dB";
  // These samples have it; the margin for others is missing.
  if (meetsGoal(finished.now.loss, finished.judge, task.goal))
    goal += " on other samples";
  applied.back().note =
      cycles ? "--price " + formatFixed(std::floor(10 * price + 1) / 10, 1) +
                   " is expected to give " + goal
             : "no price is expected to give " + goal;
}

void AutoBits::widenHidden() {
  std::optional<AffordableBits> free = bits.chooseFree(problem);
  if (!free)
    return;
  DiagnosticEngine problems;
  std::optional<FinishedNetwork> trial =
      finished.round(bits.optionsFor(free->choice), problems);
  if (!trial || trial->loss.overallDb() < finished.now.loss.overallDb())
    return;
  problem.measured = noiseOfParts(trial->loss);
  for (unsigned i : free->choice.results)
    problem.layers[i].takeResult();
  hidden = free->choice.results;
  bits.widen(free->choice);
  keep(std::move(*trial), {{}, free->cycles});
}

std::optional<AutoBits::Trial> AutoBits::search(double leastDb, double price) {
  problem.target = std::pow(10, -(leastDb + marginDb) / 10);
  // No more than what is left is asked of results alone.
  if (!problem.takesWeights)
    for (double noise : problem.measuredWide)
      problem.target = std::max(problem.target, kNearly * noise);
  problem.budget = (price - 1) * bits.narrowCycles();
  problem.priceFactor = 1;
  std::optional<Trial> best;
  BitsChoice before;
  for (unsigned n = 0; n < kMostNetworks; ++n) {
    notify("bits", n, kMostNetworks);
    std::optional<AffordableBits> found = bits.chooseAffordable(problem);
    if (!found || found->choice.isSameAs(before))
      break;
    before = found->choice;
    std::optional<Trial> trial = tryChoice(*found, leastDb);
    if (!trial)
      break;
    bool isEnough = trial->isEnough;
    problem.correct(found->choice, trial->network.loss);
    if (!best || trial->leastDb() > best->leastDb())
      best = std::move(*trial);
    // Where the price is spent, further tries find nothing better.
    bool hasRoom =
        found->cycles - bits.narrowCycles() < kSpent * problem.budget;
    if (isEnough || (!found->choice.isEnough && !hasRoom))
      break;
  }
  return best;
}

void AutoBits::rescue(double leastDb) {
  double highest = task.rescuePrice * bits.narrowCycles(),
         most = bits.wideCycles();
  std::optional<Trial> best;
  if (!wide || !isMet(wide->loss, leastDb) || most > highest) {
    best = search(leastDb, task.rescuePrice);
    if (!best || !best->isEnough)
      return keepIfBetter(std::move(best));
    most = best->found.cycles;
  }
  // Less may do: between the price that was not enough and what that took.
  double tooLittle = task.price * bits.narrowCycles();
  problem.takesWeights = true;
  for (unsigned n = 0; n < kMostSteps && most > kNearStep * tooLittle; ++n) {
    double between = std::sqrt(tooLittle * most);
    problem.budget = between - bits.narrowCycles();
    problem.priceFactor = 1;
    // Nothing of the budget is to be left.
    problem.target = std::pow(10, -(leastDb + marginDb) / 10) / kFarBelow;
    std::optional<AffordableBits> found = bits.chooseAffordable(problem);
    std::optional<Trial> trial =
        found ? tryChoice(*found, leastDb) : std::nullopt;
    if (trial && trial->isEnough)
      most = found->cycles, best = std::move(trial);
    else
      tooLittle = between;
  }
  if (best)
    keepIfBetter(std::move(best));
  else
    keepWide();
}

static void takeBetter(std::optional<FinishedNetwork> &best,
                       std::optional<FinishedNetwork> other) {
  if (other && (!best || other->loss.leastDb() > best->loss.leastDb()))
    best = std::move(other);
}

void AutoBits::keepIfBetter(std::optional<Trial> trial) {
  if (!trial)
    return;
  DiagnosticEngine problems;
  std::optional<FinishedNetwork> best = std::move(trial->network);
  if (!trial->isRounded)
    takeBetter(best, finished.round(best->options, problems));
  if (best->loss.leastDb() > finished.now.loss.leastDb())
    keep(std::move(*best), trial->found);
}

std::optional<AutoBits::Trial> AutoBits::tryChoice(const AffordableBits &found,
                                                   double leastDb) {
  DiagnosticEngine problems;
  QuantizerOptions options = bits.optionsFor(found.choice);
  std::optional<FinishedNetwork> best;
  // As few or as all wide results let weights be rounded.
  takeBetter(best, finished.tryOptions(options, finished.now, problems));
  if (wide)
    takeBetter(best, finished.tryOptions(options, *wide, problems));
  if (!best)
    return std::nullopt;
  // Where it is not nearly enough, its own rounding would not change that.
  bool isRounded = isMet(best->loss, leastDb - kOfRoundingDb);
  if (isRounded)
    takeBetter(best, finished.round(options, problems));
  bool isEnough = isMet(best->loss, leastDb);
  return Trial{std::move(*best), found, isRounded, isEnough};
}

void AutoBits::takeAllResults() {
  double cycles = bits.wideCycles();
  if (wide && wide->loss.leastDb() > finished.now.loss.leastDb() &&
      cycles <= task.rescuePrice * bits.narrowCycles() &&
      spentPrice * bits.narrowCycles() > kNearlyAll * cycles)
    keepWide();
}

void AutoBits::keepWide() {
  keep(std::move(*wide), {bits.allResults(), bits.wideCycles()});
  wide.reset();
}

bool AutoBits::findMargin() {
  constexpr std::size_t kSome = 64;
  SampledNetwork network;
  if (!network.create(finished.network, finished.samples, diags))
    return false;
  std::size_t count = network.samples->count(), some = std::min(kSome, count);
  std::size_t different = countGroups(
      groupSamples(network.evaluator->inputs(), *network.samples, some));
  double samples =
      double(different) * double(count) / double(std::max(some, 1ul));
  marginDb = std::min(kMostMarginDb,
                      kMarginOfOneDb / std::sqrt(std::max(1.0, samples)));
  return true;
}

bool AutoBits::run() {
  if (!findMargin())
    return false;
  if (isMet(finished.now.loss, task.goal.leastDb))
    return true;
  auto noise = measureLayerNoise(
      finished, bits.layers(),
      [&](std::size_t done, std::size_t total) {
        notify("layers alone", done, total);
      },
      diags);
  if (!noise)
    return false;
  problem.layers = std::move(*noise);
  problem.measured = noiseOfParts(finished.now.loss);
  if (!bits.findPrices(problem, [&](std::size_t done, std::size_t total) {
        notify("price", done, total);
      }))
    return true;
  widenHidden();
  if (isMet(finished.now.loss, task.goal.leastDb))
    return true;
  // What results and weights lose together says how the shares of both that
  // layers have by themselves are to be taken.
  DiagnosticEngine problems;
  wide = finished.round(bits.optionsFor(bits.allResults()), problems);
  if (wide)
    problem.measuredWide = noiseOfParts(wide->loss);
  keepIfBetter(search(task.goal.leastDb, task.price));
  // What is of use may be within the price where the goal is not, and a choice
  // for the one is another than for the other.
  double useful = std::min(AutoBitsTask::kUsefulDb, task.goal.leastDb);
  if (!isMet(finished.now.loss, useful))
    keepIfBetter(search(useful, task.price));
  // Better dearer than of no use.
  if (task.rescuePrice > task.price && !isMet(finished.now.loss, useful)) {
    problem.takesWeights = !wide || wide->loss.leastDb() < useful;
    rescue(useful);
    takeAllResults();
  }
  if (!isMet(finished.now.loss, task.goal.leastDb))
    reportMissed();
  return true;
}

bool yarrow::chooseBits(const FinishedTask &finished, const AutoBitsTask &task,
                        DiagnosticEngine &diags) {
  return AutoBits(finished, task, diags).run();
}
