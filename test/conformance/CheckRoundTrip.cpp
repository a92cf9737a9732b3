//===- CheckRoundTrip.cpp - Reading an IR and writing it back -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What was written must say what was read: every key of every layer, known to
// an operator or not, with an equal value, and every constant with the same
// bytes. Where a constant lies in the weights file may change.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/CompassReader.h"
#include "parser/compass/IrConstant.h"
#include "parser/compass/IrDocument.h"
#include "support/MappedFile.h"
#include "test/conformance/Stages.h"
#include "test/conformance/TemporaryFile.h"
#include <cstring>
#include <map>

using namespace yarrow;
using namespace yarrow::conformance;
using compass::IrSection;

namespace {

struct File {
  std::shared_ptr<const MappedFile> text, bin;
  std::optional<compass::IrDocument> document;
};

File readFile(const std::string &txt, const std::string &bin,
              DiagnosticEngine &diags) {
  File file;
  file.text = MappedFile::open(txt, diags);
  file.bin = MappedFile::open(bin, diags);
  if (file.text)
    file.document = compass::parseIrText(file.text->text(), txt, diags);
  return file;
}

/// The same number, the same word, or lists of such.
bool sameValue(const compass::IrValue &a, const compass::IrValue &b) {
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

/// What the writer decides anew.
bool isRewritten(const std::string &key) {
  return key == "layer_id" || key == "layer_number" || key == "model_bin" ||
         key.ends_with("_offset");
}

std::string compareSections(const IrSection &before, const IrSection &after) {
  for (const compass::IrEntry &entry : before.entries) {
    if (isRewritten(entry.key))
      continue;
    const compass::IrEntry *found = after.find(entry.key);
    if (!found)
      return "key " + entry.key + " is lost";
    if (!sameValue(entry.value, found->value))
      return "key " + entry.key + " was " + entry.value.str() + ", is " +
             found->value.str();
  }
  return "";
}

std::string compareConstants(const IrSection &before, const File &beforeFile,
                             const IrSection &after, const File &afterFile) {
  DiagnosticEngine diags;
  std::map<std::string, std::span<const std::byte>> bytes;
  for (const auto &c : compass::collectConstants(
           after, afterFile.bin->bytes().size(), "written", diags))
    bytes[c.name] = afterFile.bin->bytes().subspan(c.offsetBytes, c.sizeBytes);
  for (const auto &c : compass::collectConstants(
           before, beforeFile.bin->bytes().size(), "read", diags)) {
    auto data = beforeFile.bin->bytes().subspan(c.offsetBytes, c.sizeBytes);
    auto found = bytes.find(c.name);
    if (found == bytes.end() || found->second.size() != data.size() ||
        (!data.empty() &&
         std::memcmp(found->second.data(), data.data(), data.size())))
      return "constant " + c.name + " differs";
  }
  return diags.hasErrors() ? diags.all().front().str() : "";
}

Outcome roundTrip(const Pack &pack, const char *stem) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Outcome outcome;
  auto module = readPack(context, pack, stem, outcome);
  if (!module)
    return outcome;
  DiagnosticEngine diags;
  TemporaryFile txt, bin;
  if (!compass::writeCompassIr(*module, txt.path(), bin.path(), diags))
    return outcomeOf(diags);
  File before = readFile(pack.dir + "/" + stem + ".txt",
                         pack.dir + "/" + stem + ".bin", diags);
  File after = readFile(txt.path(), bin.path(), diags);
  if (!before.document || !after.document)
    return outcomeOf(diags);
  std::string difference =
      compareSections(before.document->header, after.document->header);
  if (before.document->layers.size() != after.document->layers.size())
    difference = "the number of layers changed";
  std::map<std::string, const IrSection *> written;
  for (const IrSection &layer : after.document->layers)
    written[layer.find("layer_top")->value.str()] = &layer;
  for (const IrSection &layer : before.document->layers) {
    if (!difference.empty())
      break;
    const IrSection *found = written[layer.find("layer_top")->value.str()];
    difference = !found ? "the layer is lost" : compareSections(layer, *found);
    if (difference.empty())
      difference = compareConstants(layer, before, *found, after);
    if (!difference.empty())
      difference = "layer " + layer.layerName() + ": " + difference;
  }
  if (!difference.empty())
    return Outcome::fail(std::string(stem) + ".txt: " + difference);
  return outcome;
}

} // namespace

Outcome conformance::checkRoundTrip(const Pack &pack, const Options &) {
  Outcome integer = roundTrip(pack, "int"), floating = roundTrip(pack, "float");
  if (integer.kind == Outcome::Failed || floating.kind == Outcome::Skipped)
    return integer;
  return floating;
}
