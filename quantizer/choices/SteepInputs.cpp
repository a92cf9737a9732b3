//===- SteepInputs.cpp - 16 bits for what steep functions read ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/choices/SteepInputs.h"

#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Traits.h"
#include "dialects/compass/graph/Graphs.h"
#include "kernels/activation/Activation.h"
#include "kernels/activation/UnaryFn.h"
#include "kernels/arithmetic/Eltwise.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quantizer/calibrate/TensorValues.h"
#include "quantizer/choices/NetworkSlice.h"
#include "quantizer/choices/TableItems.h"
#include "quantizer/math/Similarity.h"
#include "quantizer/metrics/SampledNetwork.h"
#include "quantizer/rules/TensorParams.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Regex.h"

#include <algorithm>
#include <cmath>
#include <deque>

using namespace yarrow;
using namespace yarrow::compass;

/// A function's result below this needs more bits before it. Several tensors
/// are rounded before it: what all of them leave together is 30 dB and more.
static constexpr double kUsableDb = 35;
/// The same where more bits cost products: of a layer with weights.
static constexpr double kUsableOfProductsDb = 30;
static constexpr unsigned kMoreBits = 16;
static constexpr unsigned kMoreBiasBits = 48; // of sums of their products
/// What more bits must bring.
static constexpr double kGainDb = 3;
/// Below this with 16 bits, a function that spans decades of its input, floats
/// are what is left.
static constexpr double kHopelessDb = 25;
/// The same where an output of the network has no more by that rounding alone:
/// small magnitudes of a spectrum, say, may be all that a network hears. With
/// what else is rounded, 30 dB are left.
static constexpr double kHopelessOutputDb = 33;
/// Results with more do not need to be followed to the outputs.
static constexpr double kHarmlessDb = 45;

namespace {

/// What one rounding does to a function.
struct Effect {
  Similarity before, after; ///< The function's result, with 8 and 16 bits.
  std::vector<Similarity> outputs; ///< Of the network, with 16 bits.

  bool isUsable(double usableDb) const { return !(before.sqnrDb() < usableDb); }
  bool mends() const { return after.sqnrDb() > before.sqnrDb() + kGainDb; }
  bool isHopeless() const {
    return after.sqnrDb() < kHopelessDb ||
           llvm::any_of(
               outputs,
               [](const Similarity &output) {
                 return output.sqnrDb() < kHopelessOutputDb;
               });
  }
};

class SteepSearch {
public:
  explicit SteepSearch(const SteepTask &task) : task(task) {}

  bool create(DiagnosticEngine &diags);
  std::vector<AdaptedLayer> find();

private:
  LayerOptions optionsFor(mlir::Value v) const;
  llvm::SmallVector<mlir::Value> steepOperands(mlir::Operation *op) const;
  std::vector<float> rounded(mlir::Value v, std::span<const float> values,
                             unsigned bits) const;
  std::optional<Effect> effectOf(mlir::Value v, mlir::Operation *function);
  bool addOutputs(mlir::Value y, std::span<const float> values,
                  const TensorsOfRun &kept, Effect &effect) const;
  void follow(mlir::Value input, mlir::Operation *function,
              const Effect &effect);
  AdaptedLayer &adapt(mlir::Operation *layer, mlir::Operation *function,
                      double beforeDb);
  LinearParams paramsFor(mlir::Value v, unsigned bits) const;
  unsigned bitsOf(mlir::Value v) const;
  void chooseTable(mlir::Operation *function);

  const SteepTask &task;
  SampledNetwork network;
  std::deque<TensorsOfRun> runs; // they cannot be copied
  NetworkSlices slices;
  llvm::MapVector<mlir::Operation *, AdaptedLayer> raised;
};

} // namespace

/// The maker of the integers that \p v has: others only move them.
static mlir::Value originOf(mlir::Value v) {
  while (mlir::Operation *op = v.getDefiningOp()) {
    if (!op->hasTrait<trait::MovesOnly>() || op->getNumOperands() != 1)
      break;
    v = op->getOperand(0);
  }
  return v;
}

LayerOptions SteepSearch::optionsFor(mlir::Value v) const {
  return optionsOf(originOf(v).getDefiningOp(), task.options);
}

static bool isFloat(mlir::Value v) { return describe(v).dtype == DType::F32; }

/// Functions whose slope is no bound for errors: it has none, or is large
/// beside the values. Those of activations (sigmoid and its kin) pass errors on
/// as they are, or less.
static bool isSteep(kernels::UnaryFn f) {
  using kernels::UnaryFn;
  switch (f) {
  case UnaryFn::Exp:
  case UnaryFn::Log:
  case UnaryFn::Sqrt:
  case UnaryFn::Rsqrt:
  case UnaryFn::Reciprocal:
  case UnaryFn::Pow:
  case UnaryFn::Sine:
  case UnaryFn::Cosine:
  case UnaryFn::Tan:
  case UnaryFn::Sinh:
  case UnaryFn::Cosh:
  case UnaryFn::Asin:
  case UnaryFn::Acos:
  case UnaryFn::Acosh:
  case UnaryFn::Atanh:
    return true;
  default:
    return false;
  }
}

/// The operands that \p op is steep in: what a function of one value reads, the
/// divisor of a quotient, both operands of a power.
llvm::SmallVector<mlir::Value>
SteepSearch::steepOperands(mlir::Operation *op) const {
  if (!recordOf(op) || op->getNumResults() != 1 || op->getNumOperands() == 0 ||
      !isFloat(op->getResult(0)))
    return {};
  LayerOptions options = optionsOf(op, task.options);
  if (!(options.raisesBits || options.fitsTables) || options.floatType)
    return {};
  auto program = programOf(op);
  const KernelCall *call = succeeded(program) ? program->single() : nullptr;
  if (!call)
    return {};
  if (call->is<kernels::UnaryFloat>())
    return isSteep(call->paramsOf<kernels::UnaryFloat>().fn)
               ? llvm::SmallVector<mlir::Value>(op->getOperands())
               : llvm::SmallVector<mlir::Value>();
  if (!call->is<kernels::EltwiseFloat>())
    return {};
  kernels::BinaryOp f = call->paramsOf<kernels::EltwiseFloat>().op;
  if (f == kernels::BinaryOp::Div && op->getNumOperands() == 2)
    return {op->getOperand(1)};
  if (f == kernels::BinaryOp::Pow)
    return op->getOperands();
  return {};
}

bool SteepSearch::create(DiagnosticEngine &diags) {
  mlir::Block &body = mainGraph(task.network).getBody().front();
  if (llvm::none_of(body, [&](mlir::Operation &op) {
        return !steepOperands(&op).empty();
      }))
    return false;
  // All tensors of a run are in memory: of large networks few runs are.
  constexpr std::size_t kMostRuns = 16, kFewRuns = 4, kMuchBytes = 64 << 20;
  if (!network.create(task.network, task.samples, diags))
    return false;
  std::size_t count = std::min(kMostRuns, network.samples->count()), bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i == 1 && bytes * count > kMuchBytes)
      count = std::min(count, kFewRuns);
    TensorsOfRun &kept = runs.emplace_back();
    std::vector<TensorBytes> outputs;
    EvaluationStop stop =
        network.run(network.samples->spread(i, count), outputs,
                    [&](mlir::Value v, TensorBytesRef tensor) {
                      if (v.getParentBlock() != &body)
                        return;
                      kept[v] = AlignedBuffer::copyOf(tensor);
                      bytes += tensor.size();
                    });
    if (stop) {
      stop.report(diags);
      return false;
    }
  }
  return !runs.empty();
}

LinearParams SteepSearch::paramsFor(mlir::Value v, unsigned bits) const {
  LayerOptions options = optionsFor(v);
  options.activationBits = bits;
  options.settle();
  bool isSymmetric = options.activationMethod.mode != RangeMode::Asymmetric;
  return activationParams(
      task.calibration.range(originOf(v), bits, isSymmetric), options);
}

std::vector<float> SteepSearch::rounded(mlir::Value v,
                                        std::span<const float> values,
                                        unsigned bits) const {
  LinearParams p = paramsFor(v, bits);
  std::vector<float> result(values.begin(), values.end());
  for (float &x : result)
    x = dequantizeValue(quantizeValue(x, p), p.scale, p.zp);
  return result;
}

/// Compares the network's outputs with those that it has where \p y is
/// \p values.
bool SteepSearch::addOutputs(mlir::Value y, std::span<const float> values,
                             const TensorsOfRun &kept, Effect &effect) const {
  llvm::ArrayRef<mlir::Value> outputs = network.evaluator->outputs();
  effect.outputs.resize(outputs.size());
  std::vector<char> bytes = storedValues(describe(y), values);
  std::vector<TensorBytes> found;
  if (network.evaluator->rerun(kept, {{y, bytes}}, found))
    return false;
  for (auto [v, other, similarity] :
       llvm::zip_equal(outputs, found, effect.outputs)) {
    auto own = kept.find(v);
    if (!describe(v).isFloat() || own == kept.end())
      continue;
    similarity.add(FloatValues(v, own->second.ref()).get(),
                   FloatValues(v, other).get());
  }
  return true;
}

/// What \p v, rounded alone, makes of \p function. Nullopt if it is not before
/// it, or has the more bits already.
std::optional<Effect> SteepSearch::effectOf(mlir::Value v,
                                            mlir::Operation *function) {
  mlir::Operation *maker = originOf(v).getDefiningOp();
  LayerOptions options = optionsFor(v);
  if (!maker || !isFloat(v) || options.floatType ||
      options.activationBits >= kMoreBits || options.keepIntegers ||
      task.calibration.encodingOf(originOf(v)))
    return std::nullopt;
  std::vector<mlir::Operation *> between = slices.find(v, function);
  if (between.empty())
    return std::nullopt;
  mlir::Value y = function->getResult(0);
  FloatRange limits = task.calibration.extrema(y);
  Effect effect;
  std::vector<std::vector<float>> results; // with the more bits, by run
  for (const TensorsOfRun &kept : runs) {
    auto own = kept.find(v), whole = kept.find(y);
    if (own == kept.end() || whole == kept.end())
      return std::nullopt;
    FloatValues values(v, own->second.ref()), wanted(y, whole->second.ref());
    for (unsigned bits : {options.activationBits, kMoreBits}) {
      std::vector<float> changed = rounded(v, values.get(), bits);
      std::vector<char> bytes = storedValues(describe(v), changed);
      auto made = slices.run(between, kept, v, bytes);
      if (!made)
        return std::nullopt;
      FloatValues computed(y, *made);
      // What leaves the range is limited to it, as tables and results are.
      std::vector<float> limited(computed.get().begin(), computed.get().end());
      for (float &x : limited)
        x = x > limits.max ? limits.max : x >= limits.min ? x : limits.min;
      (bits == kMoreBits ? effect.after : effect.before)
          .add(wanted.get(), limited);
      if (bits == kMoreBits)
        results.push_back(std::move(limited));
    }
  }
  if (effect.after.sqnrDb() < kHarmlessDb)
    for (auto [kept, values] : llvm::zip_equal(runs, results))
      if (!addOutputs(y, values, kept, effect))
        return std::nullopt;
  return effect;
}

AdaptedLayer &SteepSearch::adapt(mlir::Operation *layer,
                                 mlir::Operation *function, double beforeDb) {
  AdaptedLayer &one = raised[layer];
  if (!one.layer)
    one = {.layer = layer, .function = function, .beforeDb = beforeDb};
  return one;
}

static bool hasProducts(mlir::Operation *op) {
  return op->hasTrait<trait::Linear>() || tensorKey(op, keys::weights);
}

/// Whether \p op may be computed in floats for a function behind it: what the
/// engine does for less is left to it.
static bool canBeFloat(mlir::Operation *op) {
  return op->getNumOperands() > 0 && !hasProducts(op) &&
         (op->hasTrait<trait::Elementwise>() ||
          recordOf(op)->layerType == "Reduce");
}

/// Adapts the maker of \p input, which \p reader reads, and those before it
/// that need it, by what rounding them does to \p function.
void SteepSearch::follow(mlir::Value input, mlir::Operation *function,
                         const Effect &effect) {
  struct Open {
    mlir::Value input;
    mlir::Operation *reader;
    Effect effect;
  };
  double beforeDb = effect.before.sqnrDb();
  std::vector<Open> open = {{input, function, effect}};
  llvm::DenseSet<mlir::Value> seen;
  while (!open.empty()) {
    Open one = open.back();
    open.pop_back();
    mlir::Operation *maker = originOf(one.input).getDefiningOp();
    if (!seen.insert(one.input).second)
      continue;
    // What a layer of floats reads is not rounded for less than it could be.
    auto reader = raised.find(one.reader);
    bool readsFloat = reader != raised.end() && reader->second.isFloat;
    bool isFloat =
        canBeFloat(maker) &&
        (one.effect.isHopeless() ||
         (readsFloat && !(one.effect.after.sqnrDb() > kUsableDb + kGainDb)));
    if (!isFloat && !one.effect.mends())
      continue;
    AdaptedLayer &adapted = adapt(maker, function, beforeDb);
    adapted.isFloat |= isFloat;
    adapted.hasMoreBits |= !isFloat;
    if (isFloat)
      adapt(one.reader, function, beforeDb).isFloat = true;
    double usable = hasProducts(maker) ? kUsableOfProductsDb : kUsableDb;
    for (mlir::Value operand : maker->getOperands()) {
      std::optional<Effect> of = effectOf(operand, function);
      if (!of || of->isUsable(usable))
        continue;
      // Weights of 8 bits leave no less noise than such inputs.
      if (hasProducts(maker))
        adapt(maker, function, beforeDb).hasMoreWeightBits = true;
      open.push_back({operand, maker, *of});
    }
  }
}

/// With what was raised.
unsigned SteepSearch::bitsOf(mlir::Value v) const {
  auto it = raised.find(originOf(v).getDefiningOp());
  return it != raised.end() && it->second.hasMoreBits
             ? kMoreBits
             : optionsFor(v).activationBits;
}

/// Gives the table of a function of one value more items where the samples ask
/// for them.
void SteepSearch::chooseTable(mlir::Operation *function) {
  LayerOptions options = optionsOf(function, task.options);
  auto program = programOf(function);
  const KernelCall *call = succeeded(program) ? program->single() : nullptr;
  auto known = raised.find(function);
  if (!call || !call->is<kernels::UnaryFloat>() || !options.fitsTables ||
      (known != raised.end() && known->second.isFloat))
    return;
  mlir::Value x = function->getOperand(0), y = function->getResult(0);
  if (originOf(x).getDefiningOp() == nullptr || !isFloat(x))
    return;
  auto f = call->paramsOf<kernels::UnaryFloat>();
  std::vector<float> values;
  for (const TensorsOfRun &kept : runs)
    if (auto it = kept.find(x); it != kept.end()) {
      FloatValues seen(x, it->second.ref());
      // As many as tell; from all over the tensor.
      std::size_t stride = std::max<std::size_t>(1, seen.get().size() / 4096);
      for (std::size_t i = 0; i < seen.get().size(); i += stride)
        values.push_back(seen.get()[i]);
    }
  unsigned most = mostItemsInBitsFor(
      {[f](double v) { return kernels::unaryValue(f.fn, v, f.args); },
       paramsFor(x, bitsOf(x)), paramsFor(y, bitsOf(y)), values,
       options.lutItemsInBits, options.mostTableItemsInBits});
  if (most == options.mostTableItemsInBits)
    return;
  adapt(function, function, /*beforeDb=*/0).mostTableItemsInBits = most;
}

std::vector<AdaptedLayer> SteepSearch::find() {
  for (mlir::Operation &op :
       mainGraph(task.network).getBody().front().without_terminator()) {
    llvm::SmallVector<mlir::Value> operands = steepOperands(&op);
    if (operands.empty())
      continue;
    if (optionsOf(&op, task.options).raisesBits)
      for (mlir::Value operand : operands)
        if (std::optional<Effect> effect = effectOf(operand, &op);
            effect && !effect->isUsable(kUsableDb))
          follow(operand, &op, *effect);
    chooseTable(&op);
  }
  std::vector<AdaptedLayer> found;
  for (auto &[layer, one] : raised)
    found.push_back(one);
  llvm::sort(found, [](const AdaptedLayer &a, const AdaptedLayer &b) {
    return a.layer != b.layer && a.layer->isBeforeInBlock(b.layer);
  });
  return found;
}

std::vector<AdaptedLayer> yarrow::findSteepInputs(const SteepTask &task,
                                                  DiagnosticEngine &diags) {
  mlir::ModuleOp network = task.network;
  DiagnosticForwarder forward(network.getContext(), diags, diag::OpUnsupported);
  SteepSearch search(task);
  return search.create(diags) ? search.find() : std::vector<AdaptedLayer>();
}

std::vector<LayerOverride>
yarrow::overridesOf(const std::vector<AdaptedLayer> &layers) {
  std::vector<LayerOverride> overrides;
  for (const AdaptedLayer &one : layers) {
    LayerOverride over;
    if (auto id = one.layer->getAttrOfType<mlir::IntegerAttr>(kLayerIdAttr))
      over.layerIds = {{unsigned(id.getInt()), unsigned(id.getInt())}};
    else
      over.nameRegex = llvm::Regex::escape(layerNameOf(one.layer));
    std::string reason = "adapt_to_functions, as 16 bits are not enough for " +
                         layerNameOf(one.function).str();
    over.apply = [one, reason](LayerOptions &o) {
      if (one.mostTableItemsInBits)
        o.mostTableItemsInBits = one.mostTableItemsInBits;
      if (one.isFloat)
        o.floatType = ElementType::F32, o.floatReason = reason;
      if (!one.hasMoreBits)
        return;
      o.activationBits = kMoreBits;
      o.biasBits = std::max(o.biasBits, kMoreBiasBits);
      o.biasEffectiveBits = std::max(o.biasEffectiveBits, kMoreBiasBits);
      if (one.hasMoreWeightBits)
        o.weightBits = std::max(o.weightBits, kMoreBits);
    };
    overrides.push_back(std::move(over));
  }
  return overrides;
}

void yarrow::chooseSteepInputs(mlir::ModuleOp network,
                               const Calibration &calibration,
                               const std::vector<NpyView> &samples,
                               QuantizerOptions &options,
                               DiagnosticEngine &diags) {
  if (samples.empty())
    return;
  std::vector<LayerOverride> chosen = overridesOf(
      findSteepInputs({network, calibration, options, samples}, diags));
  options.overrides.insert(options.overrides.end(), chosen.begin(),
                           chosen.end());
}
