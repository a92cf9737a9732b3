//===- RecurrentFunctions.cpp - Activations of recurrent layers -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/sequence/RecurrentFunctions.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "support/diagnostics/Operators.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::UnaryFn;

namespace {

/// A word of `activations`, and what its parameters are without the keys.
struct KnownFunction {
  StringRef word;
  UnaryFn fn;
  bool hasAlpha = false, hasBeta = false;
  float alpha = 0, beta = 0;
};

constexpr float kUnbounded = __builtin_huge_valf();

/// Defaults are those of ONNX, where these layers come from.
constexpr KnownFunction kFunctions[] = {
    {"SIGMOID", UnaryFn::Sigmoid},
    {"TANH", UnaryFn::Tanh},
    {"RELU", UnaryFn::Relu},
    {"LEAKYRELU", UnaryFn::LeakyRelu, true, false, 0.01f},
    {"THRESHOLDEDRELU", UnaryFn::ThresholdedRelu, true, false, 1.0f},
    {"HARDSIGMOID", UnaryFn::HardSigmoid, true, true, 0.2f, 0.5f},
    {"ELU", UnaryFn::Elu, true, false, 1.0f},
    {"SOFTSIGN", UnaryFn::Softsign},
    {"SOFTPLUS", UnaryFn::Softplus},
    // alpha * x + beta, as a HARDSIGMOID without bounds.
    {"AFFINE", UnaryFn::HardSigmoid, true, true, 1.0f, 0.0f},
    {"CLIP", UnaryFn::Clip},
};

/// The values of activation_alpha or activation_beta, function by function. A
/// list has one for each activation, or one for each that has the parameter.
class Parameters {
public:
  Parameters(Operation *op, StringRef key, size_t functions)
      : op(op), key(key), functions(functions) {
    if (auto list = op->getAttrOfType<DenseF64ArrayAttr>(key))
      values = list.asArrayRef();
  }

  /// That of activation \p index, which has one if \p has.
  float take(size_t index, bool has, float absent) {
    if (!has || values.empty())
      return absent;
    size_t at = values.size() == functions ? index : taken;
    ++taken;
    return at < values.size() ? float(values[at]) : absent;
  }
  LogicalResult check() const {
    if (values.empty() || values.size() == functions || values.size() == taken)
      return success();
    return layerError(op, diag::OpBadAttribute, key,
                      "the key " + key + " has a wrong number of values")
        .found(Twine(values.size()))
        .expected(Twine(functions) + ", one for each activation, or " +
                  Twine(taken) + ", one for each that has the parameter");
  }

private:
  Operation *op;
  StringRef key;
  size_t functions, taken = 0;
  ArrayRef<double> values;
};

} // namespace

FailureOr<SmallVector<RecurrentFunction>>
compass::recurrentFunctions(Operation *op, unsigned count) {
  SmallVector<StringRef> words(count, "TANH");
  words[0] = "SIGMOID";
  if (auto given = op->getAttrOfType<ArrayAttr>(keys::activations))
    for (auto [word, attr] : llvm::zip(words, given))
      word = cast<StringAttr>(attr).getValue();
  Parameters alpha(op, "activation_alpha", count),
      beta(op, "activation_beta", count);
  SmallVector<RecurrentFunction> functions;
  for (auto [i, word] : llvm::enumerate(words)) {
    const KnownFunction *known = llvm::find_if(
        kFunctions, [&](const KnownFunction &f) { return f.word == word; });
    assert(known != std::end(kFunctions) && "a word that the record has");
    RecurrentFunction f{known->fn, {}};
    f.args.alpha = alpha.take(i, known->hasAlpha, known->alpha);
    f.args.beta = beta.take(i, known->hasBeta, known->beta);
    if (word == "AFFINE")
      f.args.clipMin = -kUnbounded, f.args.clipMax = kUnbounded;
    // Here x = alpha passes, in the layer THRESHOLDEDRELU it does not.
    if (word == "THRESHOLDEDRELU")
      f.args.alpha = std::nextafterf(f.args.alpha, -kUnbounded);
    if (word == "CLIP") {
      auto lo = numberOf(op->getAttr(keys::clip_min)),
           hi = numberOf(op->getAttr(keys::clip_max));
      f.args.alpha = lo ? float(*lo) : -kUnbounded;
      f.args.beta = hi ? float(*hi) : kUnbounded;
    }
    functions.push_back(f);
  }
  if (failed(alpha.check()) || failed(beta.check()))
    return failure();
  return functions;
}
