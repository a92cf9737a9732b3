//===- VariantConsistency.cpp - Whether shapes agree ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/VariantConsistency.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::runtime;

std::optional<uint64_t> runtime::tensorBytes(const std::vector<int64_t> &shape,
                                             uint64_t elementBytes) {
  constexpr uint64_t kMost = uint64_t(1) << 32;
  uint64_t bytes = elementBytes;
  for (int64_t extent : shape) {
    if (extent < 0 || (extent > 0 && bytes > kMost / uint64_t(extent)))
      return std::nullopt;
    bytes *= uint64_t(extent);
  }
  return bytes;
}

/// Tensors of a variant, against the description that a driver has of them.
static bool fit(const std::vector<std::vector<int64_t>> &shapes,
                const std::vector<IoDescription> &tensors,
                const std::vector<ProvenanceTensor> &origins) {
  if (shapes.size() != tensors.size() || shapes.size() != origins.size())
    return false;
  for (size_t i = 0; i < shapes.size(); ++i) {
    auto bytes = tensorBytes(shapes[i], dataTypeBytes(tensors[i].type));
    if (shapes[i].size() != origins[i].shape.size() || !bytes ||
        *bytes > tensors[i].sizeBytes)
      return false;
  }
  return true;
}

static std::optional<Contradiction> ofVariant(const Executable &e,
                                              size_t index) {
  const Provenance &origin = e.provenance();
  const ProvenanceVariant &variant = e.variants()[index];
  std::string what = "variant " + std::to_string(index);
  if (!fit(variant.inputs, e.inputs(), origin.inputs) ||
      !fit(variant.outputs, e.outputs(), origin.outputs))
    return Contradiction{what + " has tensors that do not fit the buffers",
                         std::to_string(variant.inputs.size()) + " inputs, " +
                             std::to_string(variant.outputs.size()) +
                             " outputs",
                         "shapes of the inputs and outputs, none above those "
                         "of the buffers"};
  uint64_t least = index ? e.variants()[index - 1].firstLayer : 0;
  if (variant.firstLayer < least || variant.firstLayer > origin.layers.size())
    return Contradiction{what + " begins at a layer that is out of order",
                         std::to_string(variant.firstLayer),
                         "from " + std::to_string(least) + " to " +
                             std::to_string(origin.layers.size())};
  return std::nullopt;
}

/// Of all inputs, in words.
static uint32_t numLengths(const Executable &e) {
  uint32_t count = 0;
  for (const std::vector<int64_t> &shape : e.variants()[0].inputs)
    count += uint32_t(shape.size());
  return count;
}

static bool hasBounds(const Executable &e) {
  WordReader note(e.inputShapesNote());
  bool isSame = note.word() == 2 * e.inputs().size();
  for (size_t i = 0; i < e.inputs().size(); ++i)
    for (const ProvenanceVariant *bound :
         {&e.variants().front(), &e.variants().back()}) {
      isSame &= note.word() == bound->inputs[i].size();
      for (int64_t length : bound->inputs[i])
        isSame &= note.word() == uint32_t(length);
    }
  return isSame && note.ok() && note.remainingBytes() == 0;
}

static bool hasGlobals(const Executable &e) {
  WordReader note(e.globalParametersNote());
  uint32_t offset = note.word(), count = note.word();
  return e.globalParametersNote().size() ==
             sizeof(isa::GlobalParameters) + 4 * std::max(numLengths(e), 1u) &&
         offset == sizeof(isa::GlobalParameters) && count == numLengths(e);
}

std::optional<Contradiction>
runtime::contradictionOfVariants(const Executable &e) {
  auto sizes = std::to_string(e.inputShapesNote().size()) + " and " +
               std::to_string(e.globalParametersNote().size()) + " bytes";
  if (e.variants().empty()) {
    if (e.inputShapesNote().empty() && e.globalParametersNote().empty())
      return std::nullopt;
    return Contradiction{"notes \"inputshapeconstraint\" and \"globalparam\" "
                         "exist without variants",
                         sizes, "none"};
  }
  for (size_t i = 0; i < e.variants().size(); ++i)
    if (auto wrong = ofVariant(e, i))
      return wrong;
  if (!hasBounds(e))
    return Contradiction{
        "the bounds in note \"inputshapeconstraint\" do not match the variants",
        sizes, "the shapes of the first and of the last variant"};
  if (!hasGlobals(e))
    return Contradiction{"note \"globalparam\" has no space for the lengths of "
                         "the inputs after two words",
                         sizes, std::to_string(numLengths(e)) + " lengths"};
  return std::nullopt;
}
