//===- UnaryFunctions.cpp - Which function a layer computes ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/activation/ActivationOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::UnaryArgs;
using kernels::UnaryFn;

namespace {
struct ActivationRecord {
  StringLiteral method;
  UnaryFn fn;
  StringLiteral alpha, beta, gamma; // keys; empty: no such parameter
};
constexpr ActivationRecord activations[] = {
#define ACTIVATION(WORD, NAME, ALPHA, BETA, GAMMA)                             \
  {WORD, UnaryFn::NAME, ALPHA, BETA, GAMMA},
#include "dialects/compass/activation/UnaryFunctions.def"
};
} // namespace

/// Reads "key" or "key=default" of UnaryFunctions.def.
static LogicalResult readArgument(Operation *op, StringRef parameter,
                                  float &value) {
  auto [key, fallback] = parameter.split('=');
  if (key.empty())
    return success();
  double number = 0;
  if (auto found = numberOf(op->getAttr(key)))
    number = *found;
  else if (fallback.empty() || fallback.getAsDouble(number))
    return missingKey(op, key);
  value = float(number);
  return success();
}

static FailureOr<UnaryFn> activationFunction(ActivationOp op, UnaryArgs &args) {
  std::string method = wordKey(op, "method", "RELU");
  const auto *record =
      llvm::find_if(activations, [&](const ActivationRecord &r) {
        return r.method == method;
      });
  if (record == std::end(activations))
    return layerError(op, diag::OpUnsupported, "method",
                      "method " + method +
                          " is not supported yet as a function of one value");
  if (failed(readArgument(op, record->alpha, args.alpha)) ||
      failed(readArgument(op, record->beta, args.beta)) ||
      failed(readArgument(op, record->gamma, args.gamma)))
    return failure();
  if (record->fn == UnaryFn::HardSigmoid) {
    // Writers leave the limits out when they are 0 and 1.
    args.clipMin = float(numberOf(op->getAttr("clip_min")).value_or(0.0));
    args.clipMax = float(numberOf(op->getAttr("clip_max")).value_or(1.0));
  }
  if (record->fn != UnaryFn::GeluErf)
    return record->fn;
  std::string approximate = wordKey(op, "approximate", "NONE");
  if (approximate != "NONE" && approximate != "TANH")
    return layerError(op, diag::OpBadAttribute, "approximate",
                      "the key approximate has a wrong value")
        .found(approximate)
        .expected("NONE or TANH");
  return approximate == "TANH" ? UnaryFn::GeluTanh : UnaryFn::GeluErf;
}

static FailureOr<UnaryFn> powFunction(PowOp op, UnaryArgs &args) {
  if (!op.getExponent())
    return missingKey(op, "exponent");
  args.alpha = float(op.getExponent()->convertToDouble());
  return UnaryFn::Pow;
}

FailureOr<UnaryFn> compass::unaryFunctionOf(Operation *op, UnaryArgs &args) {
  using Result = FailureOr<UnaryFn>;
  return llvm::TypeSwitch<Operation *, Result>(op)
#define UNARY_LAYER(NAME)                                                      \
  .Case<NAME##Op>([](auto) -> Result { return UnaryFn::NAME; })
#include "dialects/compass/activation/UnaryFunctions.def"
#include "support/diagnostics/Operators.h"
      .Case<AbsOp>([](auto) -> Result { return UnaryFn::Abs; })
      .Case<NegativeOp>([](auto) -> Result { return UnaryFn::Negative; })
      .Case<SignOp>([](auto) -> Result { return UnaryFn::Sign; })
      .Case<PowOp>([&](PowOp pow) { return powFunction(pow, args); })
      .Case<ActivationOp>(
          [&](ActivationOp act) { return activationFunction(act, args); })
      .Default([](Operation *other) -> Result {
        return other->emitOpError("is no function of one value");
      });
}
