//===- QuantizerOptions.cpp - How a network is quantized ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/options/QuantizerOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Regex.h"

namespace yarrow {

static bool matches(const LayerOverride &o, llvm::StringRef layerType,
                    llvm::StringRef name, unsigned layerId) {
  if (!o.layerTypes.empty() &&
      llvm::none_of(o.layerTypes, [&](const std::string &t) {
        return layerType.equals_insensitive(t);
      }))
    return false;
  if (!o.layerIds.empty() && llvm::none_of(o.layerIds, [&](auto &range) {
        return range.first <= layerId && layerId <= range.second;
      }))
    return false;
  if (o.nameRegex.empty())
    return true;
  // A regex that does not compile matches nothing.
  return llvm::Regex("^(" + o.nameRegex + ")$").match(name);
}

LayerOptions QuantizerOptions::forLayer(const std::string &layerType,
                                        const std::string &name,
                                        unsigned layerId) const {
  LayerOptions options = global;
  for (const LayerOverride &o : overrides)
    if (matches(o, layerType, name, layerId))
      o.apply(options);
  options.settle();
  return options;
}

void LayerOptions::settle() {
  if (!hasZeroPoints(activationBits) &&
      activationMethod.mode == RangeMode::Asymmetric)
    activationMethod.mode = RangeMode::SymmetricFull;
}

std::vector<OptionProblem> problemsOf(const LayerOptions &o) {
  std::vector<OptionProblem> problems;
  auto check = [&](bool isGood, const char *key, std::string found,
                   const char *expected) {
    if (!isGood)
      problems.push_back({key, std::move(found), expected});
  };
  auto checkNumber = [&](bool isGood, const char *key, unsigned found,
                         const char *expected) {
    check(isGood, key, std::to_string(found), expected);
  };
  check(
      !o.activationMethod.perChannel, "quantize_method_for_activation",
      o.activationMethod.str(),
      "per_tensor_symmetric_full_range, per_tensor_symmetric_restricted_range "
      "or per_tensor_asymmetric: activations have one scale per tensor");
  check(o.weightsOnly || !o.weightMethod.perBlock, "quantize_method_for_weight",
        o.weightMethod.str(),
        "per_tensor_ or per_channel_: blocks need integer weights of float "
        "layers, as with trigger_float_op = float16_act_int_wht!");
  check(o.weightsOnly || o.weightMethod.mode != RangeMode::Asymmetric,
        "quantize_method_for_weight", o.weightMethod.str(),
        "per_channel_symmetric_restricted_range or another symmetric one: the "
        "tensor engine has no zero point for weights");
  checkNumber(o.activationBits >= 4 && o.activationBits <= 16,
              "activation_bits", o.activationBits, "4 to 16");
  checkNumber(o.weightBits >= 2 && o.weightBits <= 16, "weight_bits",
              o.weightBits, "2 to 16");
  checkNumber(o.biasBits >= 16 && o.biasBits <= 48, "bias_bits", o.biasBits,
              "16 to 48");
  checkNumber(o.lutItemsInBits >= 2 && o.lutItemsInBits <= 16,
              "lut_items_in_bits", o.lutItemsInBits, "2 to 16");
  return problems;
}

} // namespace yarrow
