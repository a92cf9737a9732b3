//===- KeyCheck.cpp - Keys that an operator does not have -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/KeyCheck.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/graph/ModelNames.h"
#include "dialects/compass/network/Extensions.h"
#include "support/FileName.h"
#include "support/diagnostics/Ir.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;

namespace {

constexpr llvm::StringLiteral kConstantSuffixes[] = {"_type", "_offset",
                                                     "_size", "_shape"};

struct HeaderKey {
  llvm::StringLiteral name;
  Need need;
  llvm::StringLiteral doc;
};
constexpr HeaderKey kHeaderKeys[] = {
#define HEADER_KEY(NAME, NEED, TEXT) {NAME, Need::NEED, TEXT},
#include "parser/compass/HeaderKeys.def"
};

/// weights_offset -> weights; "" if the key has none of the suffixes.
llvm::StringRef baseOf(llvm::StringRef key) {
  for (llvm::StringRef suffix : kConstantSuffixes)
    if (key.ends_with(suffix))
      return key.drop_back(suffix.size());
  return "";
}

bool isInfoKey(llvm::StringRef key) {
  auto isInfo = [](llvm::StringRef name) {
    return llvm::any_of(infoKeys(),
                        [&](const InfoKeyRecord &r) { return r.name == name; });
  };
  llvm::StringRef base = baseOf(key);
  // D_cos, D_mse ...: debugging values of the Optimizer.
  return key.starts_with("D_") || isInfo(key) ||
         (!base.empty() && isInfo(base));
}

/// Tensors lie as their shapes say, batch first and channels last. In blocks of
/// channels the same file would be another network.
void checkLayout(const IrSection &layer, const IrEntry &entry,
                 const std::string &fileName, yarrow::DiagnosticEngine &diags) {
  auto words = entry.value.asWordList();
  if (!words)
    words = {entry.value.str()};
  for (const std::string &word : *words) {
    llvm::StringRef layout = word;
    if (layout.equals_insensitive("NHWC") || layout.equals_insensitive("Flat"))
      continue;
    diags
        .report(diag::IrUnsupported,
                {fileName, entry.line, layer.layerName(), word},
                "this tensor layout is not supported")
        .found(word)
        .expected("NHWC, the order of the axes in layer_top_shape")
        .hint("if layer_top_shape already has this order, remove the key");
  }
}

/// Scales and zero points of weights and biases state what the constants mean;
/// integer layers compute with scale and shift. What cannot be one was meant
/// for another key, or is damaged.
void checkInfoKey(const IrSection &layer, const IrEntry &entry,
                  const std::string &fileName,
                  yarrow::DiagnosticEngine &diags) {
  llvm::StringRef key = entry.key;
  bool isScale = key.ends_with("_scale");
  bool isZeroPoint = key.ends_with("_zp");
  bool isRange = key.ends_with("_range");
  bool isFlag = key == "is_perf_mode" || key == "unquantifiable";
  if (key == "layer_top_datalayout" || key == "layer_top_layout")
    return checkLayout(layer, entry, fileName, diags);
  bool ok = true;
  const char *expected = "";
  if (isScale) {
    auto scales = entry.value.asFloatList();
    ok = scales && !scales->empty() && llvm::all_of(*scales, [](double s) {
           return s > 0 && std::isfinite(s);
         });
    expected = "a positive finite number, or one for each output channel";
  } else if (isZeroPoint) {
    auto zeroPoints = entry.value.asIntList();
    ok =
        zeroPoints && !zeroPoints->empty() &&
        llvm::all_of(*zeroPoints, [](int64_t z) { return llvm::isInt<32>(z); });
    expected = "an integer of 32 bits, or one for each output channel";
  } else if (isRange) {
    auto ranges = entry.value.asNestedFloatList();
    ok = ranges && !ranges->empty() &&
         llvm::all_of(*ranges, [](const std::vector<double> &r) {
           return r.size() == 2 && r[0] <= r[1] && std::isfinite(r[0]) &&
                  std::isfinite(r[1]);
         });
    expected = "a pair [least,most], or one for each output channel";
  } else if (isFlag) {
    ok = entry.value.asBool().has_value();
    expected = "true or false";
  }
  if (!ok)
    diags
        .report(diag::IrBadValue, {fileName, entry.line, layer.layerName()},
                "the key " + entry.key + " has a wrong value")
        .found(entry.value.str())
        .expected(expected);
}

/// Whether \p name says what the integers of a constant or a conversion mean:
/// negative_slope_scale, quantize_zp.
bool statesMeaning(const OperatorRecord &record, llvm::StringRef name) {
  if (const KeyRecord *key = record.findKey(name))
    return key->kind != KeyKind::Tensor;
  for (llvm::StringRef suffix : {"_scale", "_zp", "_range"})
    if (llvm::StringRef base = name; base.consume_back(suffix))
      return record.findKey(base);
  return false;
}

/// What quantization says of a layer's results; read apart from the record.
bool describesTops(llvm::StringRef key) {
  return key == "layer_top_scale" || key == "layer_top_zp" ||
         key == "layer_top_range";
}

} // namespace

std::vector<std::string> compass::absentKeys(const OperatorRecord &record,
                                             const IrSection &layer) {
  std::vector<std::string> absent;
  auto add = [&](std::string name) {
    if (!layer.find(name))
      absent.push_back(std::move(name));
  };
  for (const char *key :
       {"layer_bottom", "layer_bottom_shape", "layer_bottom_type",
        "layer_top_scale", "layer_top_zp", "layer_top_range", "layer_id",
        "layer_name"})
    add(key);
  for (const KeyRecord &key : record.keys) {
    if (key.kind == KeyKind::Tensor) {
      for (llvm::StringRef suffix : kConstantSuffixes)
        add(key.name.str() + suffix.str());
      continue;
    }
    add(key.name.str());
    if (key.name.ends_with("_value"))
      add(key.name.drop_back(6).str() + "_type");
  }
  return absent;
}

std::string compass::meantKey(const OperatorRecord &record,
                              const std::string &key) {
  for (const TextPair &variant : record.keyVariants)
    if (variant.first == key)
      return variant.second.str();
  return key;
}

void compass::checkUnknownKey(const OperatorRecord &record,
                              const IrSection &layer, const IrEntry &entry,
                              const std::vector<std::string> &absent,
                              bool isCompat, const std::string &fileName,
                              yarrow::DiagnosticEngine &diags) {
  llvm::StringRef key = entry.key;
  Place place{fileName, entry.line, layer.layerName(), entry.key};
  // D_dynamic_shape is a value for debugging, not the shape of a constant.
  llvm::StringRef base = key.starts_with("D_") ? "" : baseOf(key);
  // What is wrong with a whole group has been said (IrConstant.h).
  if (!base.empty() && layer.find(base.str() + "_offset") &&
      layer.find(base.str() + "_size"))
    return;
  const KeyRecord *owner = base.empty() ? nullptr : record.findKey(base);
  bool isConstant =
      (owner && owner->kind == KeyKind::Tensor) || isInfoKey(base);
  if (isConstant && !key.ends_with("_type")) {
    diags
        .report(diag::IrMissingKey, place,
                "the constant " + base.str() + " has no " + base.str() +
                    "_offset")
        .expected("_type, _offset, _size and _shape together");
    return;
  }
  if (key.ends_with("_type") &&
      (record.findKey(base.str() + "_value") || record.findKey(base)))
    return;
  if (isInfoKey(key) || (isCompat && statesMeaning(record, key)))
    return checkInfoKey(layer, entry, fileName, diags);
  if (describesTops(key) || describesTops(base))
    return;
  if (std::string near = nearestName(entry.key, absent); !near.empty()) {
    diags
        .report(diag::IrMisspeltKey, place,
                "the key " + entry.key + " is not a key of " +
                    record.layerType.str() + ", and the layer has no " + near)
        .found(entry.key)
        .expected(near)
        .hint(didYouMean(near));
    return;
  }
  diags
      .report(diag::IrUnknownKey, place,
              "the key " + entry.key + " is not a key of " +
                  record.layerType.str() + "; it is kept and has no effect")
      .found(entry.key + "=" + entry.value.str())
      .hint("`yarrow ops " + record.layerType.str() + "` lists the keys");
}

void compass::checkUnknownConstant(const OperatorRecord &record,
                                   const IrSection &layer,
                                   const std::string &name, unsigned line,
                                   bool isCompat, const std::string &fileName,
                                   yarrow::DiagnosticEngine &diags) {
  if (isInfoKey(name) || (isCompat && statesMeaning(record, name)))
    return;
  std::vector<std::string> absent;
  for (const KeyRecord &key : record.keys)
    if (key.kind == KeyKind::Tensor && !layer.find(key.name.str() + "_offset"))
      absent.push_back(key.name.str());
  Place place{fileName, line, layer.layerName(), name + "_offset"};
  std::string near = nearestName(name, absent);
  if (near.empty())
    diags
        .report(diag::IrUnknownKey, place,
                "the constant " + name + " is not a constant of " +
                    record.layerType.str() + "; it is kept and has no effect")
        .hint("`yarrow ops " + record.layerType.str() + "` lists them");
  else
    diags
        .report(diag::IrMisspeltKey, place,
                "the constant " + name + " is not a constant of " +
                    record.layerType.str() + ", and the layer has no " + near)
        .found(name)
        .expected(near)
        .hint(didYouMean(near));
}

/// The Optimizer gives RegionFuse's box scales the type of its score scales,
/// and Gemm of 16 bits multipliers beyond the type that it says.
static bool hasWrongTypeFromOptimizer(const IrSection &layer,
                                      const IrEntry &entry) {
  const IrEntry *type = layer.find("layer_type");
  std::string layerType = type ? type->value.str() : "";
  return (entry.key == "box_scale_value" && layerType == "RegionFuse") ||
         (entry.key == "scale_value" && layerType == "Gemm");
}

void compass::checkValueTypes(const IrSection &layer,
                              const std::string &fileName,
                              yarrow::DiagnosticEngine &diags) {
  for (const IrEntry &entry : layer.entries) {
    llvm::StringRef key = entry.key;
    if (!key.consume_back("_value") || hasWrongTypeFromOptimizer(layer, entry))
      continue;
    const IrEntry *type = layer.find(key.str() + "_type");
    auto types = type ? type->value.asWordList() : std::nullopt;
    auto values = entry.value.asIntList();
    if (!types || types->empty() || !values)
      continue;
    for (size_t i = 0; i < values->size(); ++i) {
      // A shorter list of types goes on with its last one.
      const std::string &name = (*types)[std::min(i, types->size() - 1)];
      auto stored = parseType(name);
      if (!stored) {
        diags
            .report(diag::IrBadValue,
                    {fileName, type->line, layer.layerName(), name},
                    "the key " + type->key + " does not name an element type")
            .found(name)
            .expected("an element type such as uint8 or int16");
        break;
      }
      if (dtypeIsFloat(stored->dtype))
        continue;
      auto [least, most] = dtypeRange(*stored);
      int64_t value = (*values)[i];
      if (value >= least && value <= most)
        continue;
      diags
          .report(
              diag::IrOutOfType,
              {fileName, entry.line, layer.layerName(), std::to_string(value)},
              "a value of " + entry.key + " does not fit its type " + name)
          .found(std::to_string(value))
          .expected(std::to_string(least) + " to " + std::to_string(most));
    }
  }
}

/// Extensions that a later Yarrow may have: what layers mean is not known then.
static void checkExtensions(const IrEntry &entry, const std::string &fileName,
                            yarrow::DiagnosticEngine &diags) {
  auto names = entry.value.asWordList();
  if (!names) {
    diags
        .report(diag::IrBadValue, {fileName, entry.line},
                "the key " + entry.key + " of the header has a wrong value")
        .found(entry.value.str())
        .expected("a list of names");
    return;
  }
  std::vector<std::string> known;
  for (const Extension &extension : extensions())
    known.push_back(extension.name.str());
  for (const std::string &name : *names)
    if (!llvm::is_contained(known, name))
      diags
          .report(diag::IrUnsupported, {fileName, entry.line, "", name},
                  "the file uses an extension that this version of Yarrow does "
                  "not have")
          .found(name)
          .expected(llvm::join(known, ", "))
          .hint(didYouMean(nearestName(name, known)));
}

/// The value of a header key that is there.
static void checkHeaderValue(const IrEntry &entry, const std::string &fileName,
                             yarrow::DiagnosticEngine &diags) {
  auto bad = [&](const std::string &expected) {
    diags
        .report(diag::IrBadValue, {fileName, entry.line},
                "the key " + entry.key + " of the header has a wrong value")
        .found(entry.value.str())
        .expected(expected);
  };
  auto isOneOf = [&](std::initializer_list<llvm::StringRef> words) {
    return llvm::is_contained(words,
                              llvm::StringRef(entry.value.str()).lower());
  };
  if (entry.key == "model_name") {
    if (std::string_view why = whyNoFileName(entry.value.str());
        entry.value.isList() || !why.empty())
      bad("a name that can be part of a file name" +
          (why.empty() ? "" : "; " + std::string(why)));
  } else if (entry.key == "layer_number") {
    if (!entry.value.asInt())
      bad("the number of layers");
  } else if (entry.key == "compat_quantized_model") {
    if (!entry.value.asBool())
      bad("true or false");
  } else if (entry.key == "compat_rounding") {
    if (!isOneOf({"exact"}))
      bad("EXACT");
  } else if (entry.key == kSourcePrecisionKey) {
    if (!isOneOf({"float32"}))
      bad("float32");
  } else if (entry.key == "precision") {
    if (!isOneOf({"float", "int", "mixture", "float32", "float16", "bfloat16",
                  "int8", "int16"}))
      bad("float32 or int8, or float, int or mixture");
  } else if (entry.key == kExtensionsKey) {
    checkExtensions(entry, fileName, diags);
  } else if (entry.key == "input_tensors" || entry.key == "output_tensors" ||
             entry.key == kModelInputsKey || entry.key == kModelOutputsKey) {
    if (!entry.value.isNone() && !entry.value.asWordList())
      bad("a list of tensor names");
  }
}

void compass::checkHeaderKeys(const IrSection &header,
                              const std::string &fileName,
                              yarrow::DiagnosticEngine &diags) {
  std::vector<std::string> absent;
  for (const HeaderKey &key : kHeaderKeys)
    if (!header.find(key.name.str()))
      absent.push_back(key.name.str());
  std::vector<std::string> misspelt;
  for (const IrEntry &entry : header.entries) {
    checkHeaderValue(entry, fileName, diags);
    if (entry.key == "subgraph_name" ||
        llvm::any_of(kHeaderKeys,
                     [&](const HeaderKey &k) { return k.name == entry.key; }))
      continue;
    Place place{fileName, entry.line, "", entry.key};
    std::string near = nearestName(entry.key, absent);
    if (near.empty()) {
      diags.report(
          diag::IrUnknownKey, place,
          "the key " + entry.key +
              " is not a key of the header; it is kept and has no effect");
      continue;
    }
    misspelt.push_back(near);
    diags
        .report(diag::IrMisspeltKey, place,
                "the key " + entry.key +
                    " is not a key of the header, and the header has no " +
                    near)
        .found(entry.key)
        .expected(near)
        .hint(didYouMean(near));
  }
  // A sub-graph has a name of its own kind.
  bool isSubgraph = header.find("subgraph_name");
  for (const HeaderKey &key : kHeaderKeys) {
    if (isSubgraph && key.name == "model_name")
      continue;
    if (key.need == Need::Optional || header.find(key.name.str()) ||
        llvm::is_contained(misspelt, key.name.str()))
      continue;
    Place place{fileName, header.line, ""};
    if (key.need == Need::Required)
      diags
          .report(diag::IrMissingKey, place,
                  "the header has no key " + key.name.str())
          .expected(key.name.str() + ": " + key.doc.str());
    else
      diags.report(diag::IrDefaultAssumed, place,
                   "the header has no key " + key.name.str() + " (" +
                       key.doc.str() + ")");
  }
}
