//===- Precision.cpp - The numbers that a layer computes in ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/precision/Precision.h"

#include <algorithm>
#include <charconv>

using namespace yarrow;

/// Of a table for a result of 16 bits; what the Compass Optimizer's search
/// gives such layers.
static constexpr unsigned kWideTableBits = 10;

static constexpr std::pair<std::string_view, ElementType> kFloats[] = {
    {"float16", ElementType::F16},
    {"bfloat16", ElementType::BF16},
    {"float32", ElementType::F32}};

std::optional<Precision> Precision::parse(std::string_view name) {
  Precision p;
  p.name = std::string(name);
  if (name == "given")
    return p;
  for (auto [word, type] : kFloats)
    if (name == word) {
      p.floatType = type;
      return p;
    }
  auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), p.weightBits);
  if (error != std::errc() || end != name.data() + name.size() ||
      p.weightBits < 4 || p.weightBits > 16)
    return std::nullopt;
  p.activationBits = std::max(p.weightBits, 8u);
  return p;
}

void Precision::applyTo(LayerOptions &options) const {
  if (floatType) {
    options.floatType = floatType;
    options.floatReason = "a search of precisions chose " + name;
  }
  if (!activationBits)
    return;
  options.weightBits = weightBits;
  options.activationBits = activationBits;
  if (activationBits > 8)
    options.lutItemsInBits = std::max(options.lutItemsInBits, kWideTableBits);
}

LayerOverride Precision::overrideFor(const std::vector<int64_t> &ids) const {
  LayerOverride over;
  for (int64_t id : ids)
    over.layerIds.push_back({unsigned(id), unsigned(id)});
  over.apply = [own = *this](LayerOptions &options) { own.applyTo(options); };
  return over;
}

std::map<std::string, std::string> Precision::settings() const {
  if (floatType)
    return {{"trigger_float_op", name + "_preferred!"}};
  if (!activationBits)
    return {};
  std::map<std::string, std::string> keys = {
      {"weight_bits", std::to_string(weightBits)},
      {"activation_bits", std::to_string(activationBits)}};
  if (activationBits > 8)
    keys["lut_items_in_bits"] = std::to_string(kWideTableBits);
  return keys;
}
