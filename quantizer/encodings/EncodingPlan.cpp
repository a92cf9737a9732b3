//===- EncodingPlan.cpp - An encodings file and the network it is for -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/encodings/EncodingPlan.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/MovedNames.h"
#include "dialects/compass/Records.h"
#include "quantizer/rules/SharedScale.h"
#include "support/NameList.h"
#include "support/diagnostics/Quantizer.h"
#include "support/diagnostics/Settings.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Regex.h"

using namespace yarrow::compass;

namespace yarrow {

/// More bits have neither weights nor activations.
static constexpr unsigned kMostBits = 16;

namespace {

/// What a file says of the settings of a layer.
struct LayerSettings {
  std::optional<TensorEncoding> result, weights;
  bool isPerChannel = false;
  unsigned floatBits = 0;
};

class Planner {
public:
  Planner(const Encodings &encodings, const EncodingNames &names,
          mlir::ModuleOp cleaned, DiagnosticEngine &diags);

  std::unique_ptr<EncodingPlan> plan(QuantizerOptions &options);

private:
  void addActivation(const Encoding &encoding);
  void addParameter(const Encoding &encoding);
  void addTensor(const Encoding &encoding, mlir::Value value);
  void addConstant(const Encoding &encoding, const LayerConstant &constant);
  void addWeights(const Encoding &encoding, mlir::Operation *layer,
                  mlir::ElementsAttr weights);
  /// Tensors that layers pass on have the scale of what these get.
  void shareScales();
  void listMissing();
  void changeOptions(QuantizerOptions &options) const;
  void dropMethods(QuantizerOptions &options) const;
  bool reportProblems();

  /// What has become of a tensor of the network as it was read; null if it is
  /// inside of a layer.
  mlir::Value cleanedValue(mlir::Value original) const;
  mlir::Operation *cleanedLayer(mlir::Operation *original) const;

  const Encodings &encodings;
  const EncodingNames &names;
  mlir::ModuleOp cleaned;
  DiagnosticEngine &diags;
  std::unique_ptr<EncodingPlan> result = std::make_unique<EncodingPlan>();
  llvm::StringMap<mlir::Value> values;
  llvm::DenseMap<int64_t, mlir::Operation *> byId;
  llvm::MapVector<mlir::Value, TensorEncoding> given;
  llvm::MapVector<mlir::Operation *, LayerSettings> settings;
  /// Names of encodings that no layer can have.
  std::vector<std::string> wide, manyScales, asymmetric, otherChannels;
};

} // namespace

static std::optional<int64_t> layerId(mlir::Operation *op) {
  auto id = op->getAttrOfType<mlir::IntegerAttr>(kLayerIdAttr);
  return id ? std::optional(id.getInt()) : std::nullopt;
}

static bool isConstantLayer(mlir::Operation *op) {
  return op->getNumOperands() == 0 && tensorKey(op, keys::weights);
}

Planner::Planner(const Encodings &encodings, const EncodingNames &names,
                 mlir::ModuleOp cleaned, DiagnosticEngine &diags)
    : encodings(encodings), names(names), cleaned(cleaned), diags(diags) {
  result->path = encodings.path;
  result->isModels = encodings.isModels;
  result->inFile = encodings.activations.size() + encodings.parameters.size();
  cleaned.walk([&](mlir::Operation *op) {
    if (!recordOf(op))
      return;
    for (mlir::Value value : op->getResults())
      values.try_emplace(tensorNameOf(value), value);
    if (auto id = layerId(op))
      byId[*id] = op;
  });
}

mlir::Operation *Planner::cleanedLayer(mlir::Operation *original) const {
  auto id = layerId(original);
  return id ? byId.lookup(*id) : nullptr;
}

//===----------------------------------------------------------------------===//
// From names to values
//===----------------------------------------------------------------------===//

void Planner::addTensor(const Encoding &encoding, mlir::Value value) {
  std::string tensor = tensorNameOf(value);
  if (encoding.isFloat()) {
    settings[value.getDefiningOp()].floatBits = encoding.floatBits;
    result->tensors.push_back({encoding.name, tensor, std::nullopt});
    return;
  }
  if (encoding.channels.size() > 1) {
    manyScales.push_back(encoding.name);
    return;
  }
  const TensorEncoding &one = encoding.channels.front();
  if (one.bits > kMostBits) {
    wide.push_back(encoding.name);
    return;
  }
  result->tensors.push_back({encoding.name, tensor, one});
  given.insert({value, one});
}

/// By its name, in either order of the axes.
static mlir::Value lookUp(const llvm::StringMap<mlir::Value> &values,
                          mlir::Value original) {
  std::string name = tensorNameOf(original);
  // A layer may have moved past several.
  for (unsigned moves = 0; moves < 4; ++moves, name += kBeforeTranspose.str())
    if (mlir::Value cleaned = values.lookup(name))
      return cleaned;
  return {};
}

mlir::Value Planner::cleanedValue(mlir::Value original) const {
  // What a layer passes on is the same tensor before and behind it, as in both
  // orders of the axes. Clean-up may leave either.
  for (mlir::Value value = original; value;) {
    if (mlir::Value cleaned = lookUp(values, value))
      return cleaned;
    auto at = mlir::dyn_cast<mlir::OpResult>(value);
    auto from =
        at ? sharedOperand(at.getOwner(), at.getResultNumber()) : std::nullopt;
    value = from ? at.getOwner()->getOperand(*from) : mlir::Value();
  }
  for (mlir::Operation *user : original.getUsers())
    if (user->hasTrait<trait::MovesOnly>() && user->getNumOperands() == 1 &&
        user->getNumResults() == 1)
      if (mlir::Value cleaned = lookUp(values, user->getResult(0)))
        return cleaned;
  return {};
}

void Planner::addActivation(const Encoding &encoding) {
  llvm::SmallVector<mlir::Value> tensors;
  if (mlir::Value tensor = names.tensor(encoding.name))
    tensors.push_back(tensor);
  // Files may list constants that layers read among what layers make.
  for (const LayerConstant &constant : names.constantsOf(encoding.name))
    if (isConstantLayer(constant.layer))
      tensors.push_back(constant.layer->getResult(0));
  if (tensors.empty())
    result->unknown.push_back(encoding.name);
  for (mlir::Value tensor : tensors)
    if (mlir::Value value = cleanedValue(tensor))
      addTensor(encoding, value);
    else
      result->inner.push_back(encoding.name);
}

void Planner::addWeights(const Encoding &encoding, mlir::Operation *layer,
                         mlir::ElementsAttr weights) {
  int64_t filters = weights.getShapedType().getDimSize(0);
  const std::vector<TensorEncoding> &channels = encoding.channels;
  if (llvm::any_of(channels, [](const auto &c) { return c.bits > kMostBits; }))
    wide.push_back(encoding.name);
  else if (llvm::any_of(channels,
                        [](const auto &c) { return !c.isSymmetric(); }))
    asymmetric.push_back(encoding.name);
  else if (channels.size() != 1 && int64_t(channels.size()) != filters)
    otherChannels.push_back(encoding.name + ": " +
                            formatCount(channels.size()) + " scales for " +
                            formatCount(uint64_t(filters)) + " channels");
  else {
    result->weights.push_back(
        {encoding.name, layerNameOf(layer).str(), channels});
    result->layers.emplace_back(layer, channels);
    LayerSettings &own = settings[layer];
    own.weights = channels.front();
    own.isPerChannel = channels.size() > 1;
  }
}

void Planner::addConstant(const Encoding &encoding,
                          const LayerConstant &constant) {
  auto change = [&](const std::string &why) {
    result->changed.push_back(encoding.name + ": " + why);
  };
  mlir::Operation *layer = cleanedLayer(constant.layer);
  if (isConstantLayer(constant.layer)) {
    mlir::Value value = cleanedValue(constant.layer->getResult(0));
    if (value && encoding.channels.size() > 1)
      change("an operand can have only one scale");
    else if (value)
      addTensor(encoding, value);
    else
      result->inner.push_back(encoding.name);
  } else if (constant.key == "biases") {
    ++result->biases;
  } else if (!layer) {
    result->inner.push_back(encoding.name);
  } else if (constant.key != "weights" || !layer->hasTrait<trait::Linear>()) {
    change("the layer has its own scale for its " + constant.key);
  } else if (tensorKey(layer, keys::weights) !=
             tensorKey(constant.layer, keys::weights)) {
    change("another layer is folded into the weights");
  } else if (encoding.isFloat()) {
    change("the file leaves the weights in floats");
  } else {
    addWeights(encoding, layer, tensorKey(layer, keys::weights));
  }
}

void Planner::addParameter(const Encoding &encoding) {
  llvm::ArrayRef<LayerConstant> constants = names.constantsOf(encoding.name);
  for (const LayerConstant &constant : constants)
    addConstant(encoding, constant);
  if (!constants.empty())
    return;
  // By the name of what a Constant layer makes.
  mlir::Value tensor = names.tensor(encoding.name);
  if (!tensor)
    result->unknown.push_back(encoding.name);
  else if (mlir::Value value = cleanedValue(tensor))
    addTensor(encoding, value);
  else
    result->inner.push_back(encoding.name);
}

void Planner::shareScales() {
  auto named = given.takeVector();
  for (const auto &[value, encoding] : named)
    given.insert({value, encoding});
  for (const auto &[value, encoding] : named) {
    mlir::Value from = value;
    while (true) {
      auto at = mlir::cast<mlir::OpResult>(from);
      auto operand = sharedOperand(at.getOwner(), at.getResultNumber());
      if (!operand)
        break;
      from = at.getOwner()->getOperand(*operand);
      bool isResult = mlir::isa<mlir::OpResult>(from);
      if (!isResult || !describe(from).isFloat() ||
          !given.insert({from, encoding}).second)
        break;
    }
  }
  for (const auto &[value, encoding] : given) {
    auto at = mlir::cast<mlir::OpResult>(value);
    if (!sharedOperand(at.getOwner(), at.getResultNumber()))
      settings[at.getOwner()].result = encoding;
    result->values.emplace_back(value, encoding);
  }
}

void Planner::listMissing() {
  cleaned.walk([&](mlir::Operation *op) {
    if (!recordOf(op) || isConstantLayer(op))
      return;
    const LayerSettings known = settings.lookup(op);
    for (mlir::OpResult value : op->getResults())
      if (describe(value).isFloat() && !given.contains(value) &&
          !known.floatBits && !sharedOperand(op, value.getResultNumber()))
        result->missingTensors.push_back(names.nameOf(tensorNameOf(value)));
    if (op->hasTrait<trait::Linear>() && tensorKey(op, keys::weights) &&
        !known.weights)
      result->missingWeights.push_back(layerNameOf(op).str());
  });
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static void applySettings(const LayerSettings &own, LayerOptions &options) {
  if (own.floatBits) {
    options.floatType =
        own.floatBits == 16 ? ElementType::F16 : ElementType::F32;
    options.floatReason = "the encodings ask for it";
  }
  if (own.result) {
    options.activationBits = own.result->bits;
    options.activationMethod.mode = modeOf(*own.result);
  }
  if (own.weights) {
    options.weightBits = own.weights->bits;
    options.weightMethod.mode = modeOf(*own.weights);
    options.weightMethod.perChannel = own.isPerChannel;
  }
}

void Planner::changeOptions(QuantizerOptions &options) const {
  for (const auto &[op, own] : settings) {
    LayerOverride over;
    if (auto id = layerId(op))
      over.layerIds = {{unsigned(*id), unsigned(*id)}};
    else
      over.nameRegex = llvm::Regex::escape(layerNameOf(op));
    over.apply = [own](LayerOptions &o) { applySettings(own, o); };
    options.overrides.push_back(std::move(over));
  }
}

/// Methods that change the float network change its ranges. Those of a recipe
/// are for ranges and rounding that nobody has chosen yet.
void Planner::dropMethods(QuantizerOptions &options) const {
  llvm::erase_if(options.methods, [&](const GlobalMethod &method) {
    bool changesNetwork = method.record->stage == GlobalMethod::Stage::Network;
    if (changesNetwork && method.isAsked)
      diags
          .report(diag::ConfigNotApplied, {encodings.path},
                  std::string(method.record->name) +
                      " is not applied: it would change the network that the "
                      "encodings belong to")
          .hint("use methods for ranges, which change what the encodings lack, "
                "or for rounding, which change only integers");
    return changesNetwork || (!method.isAsked && !encodings.isModels);
  });
}

bool Planner::reportProblems() {
  std::size_t before = diags.numErrors();
  auto report = [&](const std::vector<std::string> &which,
                    const std::string &message, const std::string &expected) {
    if (!which.empty())
      diags.report(diag::EncodingsFile, {encodings.path}, message)
          .found(nameList(which))
          .expected(expected);
  };
  report(wide, "encodings have more bits than tensors can have",
         "4 to 16 bits");
  report(manyScales, "activations have several scales",
         "one scale for each tensor that is not a constant");
  report(asymmetric, "weights have a zero point",
         "is_symmetric, with the offset " +
             std::to_string(integerMin(8, true)) +
             " for 8 bits: the tensor engine has no zero point for weights");
  report(otherChannels, "weights have scales for other channels",
         "one scale, or one for each output channel");
  return diags.numErrors() == before;
}

std::unique_ptr<EncodingPlan> Planner::plan(QuantizerOptions &options) {
  for (const Encoding &encoding : encodings.activations)
    addActivation(encoding);
  for (const Encoding &encoding : encodings.parameters)
    addParameter(encoding);
  if (!reportProblems())
    return nullptr;
  shareScales();
  listMissing();
  changeOptions(options);
  dropMethods(options);
  if (!result->unknown.empty())
    result->nearest = nearestName(result->unknown.front(), names.all());
  return std::move(result);
}

std::unique_ptr<EncodingPlan> planEncodings(const Encodings &encodings,
                                            const EncodingNames &names,
                                            mlir::ModuleOp cleaned,
                                            QuantizerOptions &options,
                                            DiagnosticEngine &diags) {
  return Planner(encodings, names, cleaned, diags).plan(options);
}

void applyEncodings(const EncodingPlan &plan, Calibration &calibration) {
  for (const auto &[value, encoding] : plan.values)
    calibration.setEncoding(value, encoding);
  for (const auto &[op, channels] : plan.layers)
    calibration.setWeightEncodings(op, channels);
}

} // namespace yarrow
