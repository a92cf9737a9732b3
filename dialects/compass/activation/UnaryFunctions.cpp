//===- UnaryFunctions.cpp - Which function a layer computes ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/activation/ActivationOps.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::UnaryArgs;
using kernels::UnaryFn;

namespace {
/// A parameter of a function: the key that holds it, if it has one, and its
/// value where the key is absent.
struct Parameter {
  std::optional<NumericKey> key;
  std::optional<double> fallback;
};
constexpr Parameter orElse(NumericKey key, double fallback) {
  return {key, fallback};
}

struct ActivationRecord {
  StringLiteral method;
  UnaryFn fn;
  Parameter alpha, beta, gamma;
};
constexpr ActivationRecord activations[] = {
#define ACTIVATION(WORD, NAME, ALPHA, BETA, GAMMA)                             \
  {WORD, UnaryFn::NAME, ALPHA, BETA, GAMMA},
#include "dialects/compass/activation/UnaryFunctions.def"
};
} // namespace

static LogicalResult readArgument(Operation *op, const Parameter &parameter,
                                  float &value) {
  if (!parameter.key)
    return success();
  auto number = numberOf(op->getAttr(*parameter.key));
  if (!number)
    number = parameter.fallback;
  if (!number)
    return missingKey(op, *parameter.key);
  value = float(*number);
  return success();
}

static FailureOr<UnaryFn> activationFunction(ActivationOp op, UnaryArgs &args) {
  std::string method = wordKey(op, keys::method, "RELU");
  const auto *record =
      llvm::find_if(activations, [&](const ActivationRecord &r) {
        return r.method == method;
      });
  if (record == std::end(activations))
    return layerError(op, diag::OpUnsupported, keys::method,
                      "method " + method +
                          " is not supported yet as a function of one value");
  if (failed(readArgument(op, record->alpha, args.alpha)) ||
      failed(readArgument(op, record->beta, args.beta)) ||
      failed(readArgument(op, record->gamma, args.gamma)))
    return failure();
  if (record->fn == UnaryFn::HardSigmoid) {
    // Writers leave the limits out when they are 0 and 1.
    args.clipMin = float(numberOf(op->getAttr(keys::clip_min)).value_or(0.0));
    args.clipMax = float(numberOf(op->getAttr(keys::clip_max)).value_or(1.0));
  }
  if (record->fn != UnaryFn::GeluErf)
    return record->fn;
  std::string approximate = wordKey(op, keys::approximate, "NONE");
  if (approximate != "NONE" && approximate != "TANH")
    return layerError(op, diag::OpBadAttribute, keys::approximate,
                      "the key approximate has a wrong value")
        .found(approximate)
        .expected("NONE or TANH");
  return approximate == "TANH" ? UnaryFn::GeluTanh : UnaryFn::GeluErf;
}

static FailureOr<UnaryFn> powFunction(PowOp op, UnaryArgs &args) {
  if (!op.getExponent())
    return missingKey(op, keys::exponent);
  args.alpha = float(op.getExponent()->convertToDouble());
  return UnaryFn::Pow;
}

FailureOr<UnaryFn> compass::unaryFunctionOf(Operation *op, UnaryArgs &args) {
  using Result = FailureOr<UnaryFn>;
  return llvm::TypeSwitch<Operation *, Result>(op)
#define UNARY_LAYER(NAME)                                                      \
  .Case<NAME##Op>([](auto) -> Result { return UnaryFn::NAME; })
#include "dialects/compass/activation/UnaryFunctions.def"
      .Case<AbsOp>([](auto) -> Result { return UnaryFn::Abs; })
      .Case<NegativeOp>([](auto) -> Result { return UnaryFn::Negative; })
      .Case<SignOp>([](auto) -> Result { return UnaryFn::Sign; })
      .Case<PowOp>([&](PowOp pow) { return powFunction(pow, args); })
      .Case<ActivationOp>(
          [&](ActivationOp act) { return activationFunction(act, args); })
      .Default([](Operation *other) -> Result {
        return other->emitOpError("is not a function of one value");
      });
}
