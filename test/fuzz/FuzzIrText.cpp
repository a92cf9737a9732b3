//===- FuzzIrText.cpp - Broken Compass IR text ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Whatever the bytes: no crash and no hang; an input is either refused with an
// error, or what is written of it reads as the same.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/IrConstant.h"
#include "test/fuzz/Fuzz.h"

using namespace yarrow;
using namespace yarrow::compass;
using fuzz::require;

static void readAllForms(const IrValue &value) {
  value.asInt();
  value.asUInt64();
  value.asFloat();
  value.asBool();
  value.asWord();
  value.asIntList();
  value.asBoolList();
  value.asWordList();
  value.asNestedIntList();
  value.asNestedFloatList();
}

static void readLayer(const IrSection &layer) {
  for (const IrEntry &entry : layer.entries)
    readAllForms(entry.value);
  constexpr std::uint64_t binSizeBytes = 1000;
  DiagnosticEngine diags;
  for (const IrConstant &constant :
       collectConstants(layer, binSizeBytes, "fuzz", diags))
    require(constant.offsetBytes + constant.sizeBytes <= binSizeBytes,
            "a constant lies within the file");
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  DiagnosticEngine diags;
  std::optional<IrDocument> document = parseIrText(text, "fuzz", diags);
  require(document.has_value() == !diags.hasErrors(),
          "a document exactly if there is no error");
  if (!document) {
    for (const Diagnostic &diag : diags.all())
      diag.str();
    return 0;
  }
  ++fuzz::numAccepted;
  for (const IrSection &layer : document->layers)
    readLayer(layer);
  std::string written = irText(*document);
  std::optional<IrDocument> again = parseIrText(written, "fuzz", diags);
  require(again.has_value(), "what is written can be read");
  require(irText(*again) == written, "writing is stable");
  require(again->layers.size() == document->layers.size() &&
              again->subgraphs.size() == document->subgraphs.size(),
          "what is written has the same sections");
  return 0;
}
