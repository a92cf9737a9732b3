//===- Comparison.cpp - A network's tensors against recorded ones ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/eval/Comparison.h"

#include "quantizer/calibrate/Calibrate.h"
#include "support/Format.h"
#include "support/TextTable.h"
#include "support/diagnostics/Measuring.h"
#include "llvm/ADT/STLExtras.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>

using namespace yarrow;
using Json = nlohmann::ordered_json;

Comparison::Comparison(const std::vector<NetworkTensor> &tensors,
                       std::vector<Recorded> recorded)
    : tensors(tensors), isWanted(tensors.size()) {
  for (Recorded &one : recorded) {
    isWanted[one.tensor] = true;
    entries.push_back({std::move(one), {}});
  }
}

void Comparison::add(std::size_t run, std::size_t tensor,
                     std::span<const std::byte> bytes) {
  const NetworkTensor &t = tensors[tensor];
  StoredValues computed{npyTypeOf(t.info.dtype), bytes,
                        t.info.dtype == compass::DType::BF16};
  std::vector<std::byte> buffer;
  auto it = llvm::lower_bound(entries, tensor,
                              [](const Entry &entry, std::size_t tensor) {
                                return entry.recorded.tensor < tensor;
                              });
  for (; it != entries.end() && it->recorded.tensor == tensor; ++it)
    if (run < it->recorded.runs)
      it->difference.add(run, computed, it->recorded.valuesOf(run, t, buffer));
}

const Comparison::Entry *Comparison::firstDifferent() const {
  for (const Entry &entry : entries)
    if (!entry.difference.isEqual())
      return &entry;
  return nullptr;
}

/// Integers have whole differences.
static std::string differenceText(const StoredDifference &d, bool isFloat) {
  if (!isFloat && std::isfinite(d.worst))
    return formatCount(uint64_t(d.worst));
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", d.worst);
  return text;
}

std::string Comparison::placeText(const Entry &entry) const {
  if (!entry.difference.first)
    return "";
  auto [sample, element] = *entry.difference.first;
  return (entry.recorded.runs > 1 ? formatCount(sample) + ": " : "") +
         indexText(element, tensors[entry.recorded.tensor].info.shape);
}

void Comparison::checkWorst(double most, DiagnosticEngine &diags) const {
  for (const Entry &entry : entries) {
    const StoredDifference &d = entry.difference;
    if (d.worst <= most)
      continue;
    const NetworkTensor &t = tensors[entry.recorded.tensor];
    diags
        .report(diag::ReferenceDiffers, {entry.recorded.array.name, 0, t.layer},
                "tensor " + entry.recorded.name +
                    " differs too much from the recorded one")
        .found(differenceText(d, t.info.isFloat()) + ", in " +
               formatCount(d.elements - d.equal) + " of " +
               formatCount(d.elements) + " elements, the first at " +
               placeText(entry))
        .expected("at most " + differenceText({.worst = most}, true));
  }
}

std::string Comparison::text(std::size_t width) const {
  TextTable table;
  table.column("tensor").shortened().column("layer").optional(1);
  table.number("elements").number("equal").number("off by 1");
  table.number("more").number("worst").column("first").optional(2);
  for (const Entry &entry : entries) {
    const NetworkTensor &t = tensors[entry.recorded.tensor];
    const StoredDifference &d = entry.difference;
    bool isFloat = t.info.isFloat();
    table.row({entry.recorded.name, t.layerType, formatCount(d.elements),
               formatCount(d.equal), isFloat ? "-" : formatCount(d.offByOne),
               formatCount(d.more), differenceText(d, isFloat),
               placeText(entry)});
  }
  const Entry *first = firstDifferent();
  if (!first)
    return table.str(width) + "\nall equal\n";
  const NetworkTensor &t = tensors[first->recorded.tensor];
  return table.str(width) + "\nfirst difference: " + first->recorded.name +
         " of layer " + t.layer + " (" + t.layerType + "), at " +
         placeText(*first) + "\n";
}

static Json placeJson(const StoredDifference &d,
                      llvm::ArrayRef<int64_t> shape) {
  if (!d.first)
    return {};
  std::vector<uint64_t> index(shape.size());
  uint64_t rest = d.first->element;
  for (std::size_t axis = shape.size(); axis-- > 0;
       rest /= uint64_t(shape[axis]))
    index[axis] = rest % uint64_t(shape[axis]);
  return {{"run", d.first->sample}, {"index", index}};
}

Json Comparison::json() const {
  Json list = Json::array();
  for (const Entry &entry : entries) {
    const NetworkTensor &t = tensors[entry.recorded.tensor];
    const StoredDifference &d = entry.difference;
    list.push_back(
        {{"name", entry.recorded.name},
         {"tensor", t.name},
         {"layer", t.layer},
         {"layer_type", t.layerType},
         {"type", compass::dtypeName(t.info.storedType()).str()},
         {"runs", entry.recorded.runs},
         {"elements", d.elements},
         {"equal", d.equal},
         {"off_by_one", t.info.isFloat() ? Json() : Json(d.offByOne)},
         {"more", d.more},
         {"worst", std::isfinite(d.worst) ? Json(d.worst) : Json()},
         {"first", placeJson(d, t.info.shape)}});
  }
  const Entry *first = firstDifferent();
  return {{"tensors", std::move(list)},
          {"first_different", first ? Json(first->recorded.name) : Json()}};
}
