//===- CompareIr.cpp - Whether two IRs say the same -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/irs/CompareIr.h"
#include "parser/compass/IrConstant.h"
#include "parser/compass/KeyCheck.h"
#include <algorithm>
#include <cstring>
#include <map>

using namespace yarrow;
using namespace yarrow::testing;
using compass::IrSection;

std::optional<IrFiles> testing::readIrFiles(const std::string &txt,
                                            const std::string &bin,
                                            DiagnosticEngine &diags) {
  IrFiles files;
  files.text = MappedFile::open(txt, diags);
  files.bin = MappedFile::open(bin, diags);
  if (!files.text || !files.bin)
    return std::nullopt;
  auto document = compass::parseIrText(files.text->text(), txt, diags);
  if (!document)
    return std::nullopt;
  files.document = std::move(*document);
  return files;
}

namespace {

/// The same number, the same word, or lists of such.
bool sameValue(const compass::IrValue &a, const compass::IrValue &b) {
  // One list in a list may be written as the list.
  if (a.isList() && a.items.size() == 1 && a.items[0].isList() && b.isList() &&
      !b.items.empty() && !b.items[0].isList())
    return sameValue(a.items[0], b);
  // So may a list of one where the operator takes one or several.
  if (a.isList() && a.items.size() == 1 && !b.isList())
    return sameValue(a.items[0], b);
  if (a.isList() != b.isList())
    return a.isNone() && b.isNone();
  if (a.isList()) {
    if (a.items.size() != b.items.size())
      return false;
    for (size_t i = 0; i < a.items.size(); ++i)
      if (!sameValue(a.items[i], b.items[i]))
        return false;
    return true;
  }
  if (auto x = a.asFloat(), y = b.asFloat(); x && y)
    return *x == *y;
  auto x = a.asBool(), y = b.asBool();
  return x && y ? *x == *y : a.str() == b.str();
}

/// Scales are of float32 and may have been printed with fewer digits.
bool sameScales(const compass::IrValue &a, const compass::IrValue &b) {
  auto x = a.asFloatList(), y = b.asFloatList();
  return x && y &&
         std::equal(x->begin(), x->end(), y->begin(), y->end(),
                    [](double p, double q) { return float(p) == float(q); });
}

/// What the writer decides anew.
bool isRewritten(const std::string &key) {
  return key == "layer_id" || key == "layer_number" || key == "model_bin" ||
         key.ends_with("_offset");
}

bool isOfType(const IrSection &layer, std::string_view type) {
  const compass::IrEntry *entry = layer.find("layer_type");
  return entry && entry->value.str() == type;
}

/// The one table of DecodeBox, which is read as those that the tools write.
bool isCutApart(const IrSection &layer, std::string_view key) {
  return key.starts_with("weights") && isOfType(layer, "DecodeBox");
}

std::string compareSections(const IrSection &before, const IrSection &after) {
  const compass::OperatorRecord *record = nullptr;
  if (const compass::IrEntry *type = before.find("layer_type"))
    record = compass::findLayerType(type->value.str());
  for (const compass::IrEntry &entry : before.entries) {
    if (isRewritten(entry.key) || isCutApart(before, entry.key))
      continue;
    // Another spelling of a key or a type is written as the record has it.
    if (record && entry.key == "layer_type") {
      const compass::IrEntry *found = after.find(entry.key);
      if (!found || found->value.str() != record->layerType)
        return "the layer_type changed";
      continue;
    }
    std::string key =
        record ? compass::meantKey(*record, entry.key) : entry.key;
    const compass::IrEntry *found = after.find(key);
    const compass::KeyRecord *known = record ? record->findKey(key) : nullptr;
    if (!found && known && !known->defaultText.empty() && !known->of.empty() &&
        (entry.value.isEmpty() ||
         sameValue(entry.value, compass::IrValue::scalar(known->defaultText))))
      continue; // a key of another method at its default is not written
    if (!found)
      return "key " + entry.key + " is lost";
    bool isSame =
        sameValue(entry.value, found->value) ||
        (key == "layer_top_scale" && sameScales(entry.value, found->value));
    if (!isSame)
      return "key " + entry.key + " was " + entry.value.str() + ", is " +
             found->value.str();
  }
  return "";
}

std::string compareConstants(const IrSection &before, const IrFiles &beforeFile,
                             const IrSection &after, const IrFiles &afterFile) {
  DiagnosticEngine diags;
  std::map<std::string, std::span<const std::byte>> bytes;
  for (const auto &c : compass::collectConstants(
           after, afterFile.bin->bytes().size(), "written", diags))
    bytes[c.name] = afterFile.bin->bytes().subspan(c.offsetBytes, c.sizeBytes);
  for (const auto &c : compass::collectConstants(
           before, beforeFile.bin->bytes().size(), "read", diags)) {
    auto data = beforeFile.bin->bytes().subspan(c.offsetBytes, c.sizeBytes);
    if (isCutApart(before, c.name)) {
      std::vector<std::byte> joined;
      for (const char *part : {"xcenter", "ycenter", "ha", "wa", "ty_lut",
                               "tx_lut", "th_lut", "tw_lut"})
        joined.insert(joined.end(), bytes[part].begin(), bytes[part].end());
      if (!std::ranges::equal(joined, data))
        return "constant " + c.name + " is not the tables that are written";
      continue;
    }
    auto found = bytes.find(c.name);
    if (found == bytes.end() || found->second.size() != data.size() ||
        (!data.empty() &&
         std::memcmp(found->second.data(), data.data(), data.size()) != 0))
      return "constant " + c.name + " differs";
  }
  return diags.hasErrors() ? diags.all().front().str() : "";
}

/// Graphs by header and layers; constants of all lie in one file.
std::string compareGraphs(const IrSection &headerBefore,
                          const std::vector<IrSection> &layersBefore,
                          const IrFiles &before, const IrSection &headerAfter,
                          const std::vector<IrSection> &layersAfter,
                          const IrFiles &after) {
  std::string difference = compareSections(headerBefore, headerAfter);
  if (!difference.empty())
    return difference;
  if (layersBefore.size() != layersAfter.size())
    return "the number of layers changed";
  std::map<std::string, const IrSection *> written;
  for (const IrSection &layer : layersAfter)
    written[layer.find("layer_top")->value.str()] = &layer;
  for (const IrSection &layer : layersBefore) {
    const IrSection *found = written[layer.find("layer_top")->value.str()];
    difference = !found ? "the layer is lost" : compareSections(layer, *found);
    if (difference.empty())
      difference = compareConstants(layer, before, *found, after);
    if (!difference.empty())
      return "layer " + layer.layerName() + ": " + difference;
  }
  return "";
}

} // namespace

std::string testing::compareIr(const IrFiles &before, const IrFiles &after) {
  const compass::IrDocument &a = before.document, &b = after.document;
  std::string difference =
      compareGraphs(a.header, a.layers, before, b.header, b.layers, after);
  if (!difference.empty())
    return difference;
  if (a.subgraphs.size() != b.subgraphs.size())
    return "the number of sub-graphs changed";
  for (size_t i = 0; i < a.subgraphs.size(); ++i) {
    difference =
        compareGraphs(a.subgraphs[i].header, a.subgraphs[i].layers, before,
                      b.subgraphs[i].header, b.subgraphs[i].layers, after);
    if (!difference.empty())
      return "sub-graph " + std::to_string(i) + ": " + difference;
  }
  return "";
}
