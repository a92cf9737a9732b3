//===- CompassLayerReader.cpp - One layer of IR text as an op -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/CompassLayerReader.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/ZeroPoints.h"
#include "parser/compass/IrConstant.h"
#include "parser/compass/KeyCheck.h"
#include "support/diagnostics/Ir.h"
#include "llvm/ADT/StringSet.h"

#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static Place placeAt(const std::string &file, const IrSection &layer,
                     unsigned line) {
  return {file, line ? line : layer.line, layer.layerName()};
}

std::vector<std::string> compass::bottomNames(const IrSection &layer) {
  const IrEntry *entry = layer.find("layer_bottom");
  if (!entry || entry->value.isNone())
    return {};
  return entry->value.asWordList().value_or(std::vector<std::string>());
}

std::vector<std::string> compass::topNames(const IrSection &layer) {
  const IrEntry *entry = layer.find("layer_top");
  auto names = entry ? entry->value.asWordList() : std::nullopt;
  return names.value_or(std::vector<std::string>());
}

/// A list of integers, or of decimals that are whole, as the reference writes
/// some multipliers ("237.0").
static std::optional<std::vector<int64_t>> wholeNumbers(const IrValue &value) {
  constexpr double kExact = int64_t(1) << 53; // doubles are integers up to here
  if (auto integers = value.asIntList())
    return integers;
  auto numbers = value.asFloatList();
  if (!numbers)
    return std::nullopt;
  std::vector<int64_t> whole;
  for (double number : *numbers) {
    if (!(std::abs(number) < kExact) || number != std::trunc(number))
      return std::nullopt;
    whole.push_back(int64_t(number));
  }
  return whole;
}

/// An integer or a decimal, whichever was written; null if it is neither.
static Attribute numberAttr(Builder &b, const IrValue &value) {
  if (value.kind == IrValue::Kind::Int)
    return b.getI64IntegerAttr(value.intValue);
  auto v = value.asFloat();
  return v ? Attribute(b.getF64FloatAttr(*v)) : Attribute();
}

/// The attribute of a key, or null if the value does not fit the key's kind.
static Attribute attributeOf(Builder &b, KeyKind kind, const IrValue &value) {
  switch (kind) {
  case KeyKind::Int: {
    auto list = wholeNumbers(value); // [2] stands for 2
    return list && list->size() == 1
               ? Attribute(b.getI64IntegerAttr(list->front()))
               : Attribute();
  }
  case KeyKind::Float: {
    auto v = value.asFloat();
    return v ? Attribute(b.getF64FloatAttr(*v)) : Attribute();
  }
  case KeyKind::Bool: {
    auto v = value.asBool();
    return v ? Attribute(b.getBoolAttr(*v)) : Attribute();
  }
  case KeyKind::Word: {
    auto v = value.asWord();
    return v ? Attribute(b.getStringAttr(*v)) : Attribute();
  }
  case KeyKind::Number:
    return numberAttr(b, value);
  case KeyKind::Ints:
  case KeyKind::IntList: {
    auto v = wholeNumbers(value);
    // The definition's examples write [[1,2]] for [1,2] now and then.
    if (auto rows = v ? std::nullopt : value.asNestedIntList();
        rows && rows->size() == 1)
      v = rows->front();
    return v ? Attribute(b.getDenseI64ArrayAttr(*v)) : Attribute();
  }
  case KeyKind::FloatList: {
    auto v = value.asFloatList();
    return v ? Attribute(b.getDenseF64ArrayAttr(*v)) : Attribute();
  }
  case KeyKind::NumberList: {
    if (!value.asFloatList())
      return {};
    if (!value.isList()) // a scalar stands for a list of one
      return b.getArrayAttr({numberAttr(b, value)});
    SmallVector<Attribute> numbers;
    for (const IrValue &item : value.items)
      numbers.push_back(numberAttr(b, item));
    return b.getArrayAttr(numbers);
  }
  case KeyKind::NestedFloats: {
    auto v = value.asNestedFloatList();
    if (!v)
      return {};
    SmallVector<Attribute> rows;
    for (auto &row : *v)
      rows.push_back(b.getDenseF64ArrayAttr(row));
    return b.getArrayAttr(rows);
  }
  case KeyKind::Nested: {
    auto v = value.asNestedIntList();
    if (!v)
      return {};
    SmallVector<Attribute> rows;
    for (auto &row : *v)
      rows.push_back(b.getDenseI64ArrayAttr(row));
    return b.getArrayAttr(rows);
  }
  case KeyKind::Words:
  case KeyKind::WordList: {
    auto v = value.asWordList();
    if (!v)
      return {};
    SmallVector<StringRef> words(v->begin(), v->end());
    return b.getStrArrayAttr(words);
  }
  case KeyKind::Symbol: {
    auto v = value.asWord();
    return v ? Attribute(FlatSymbolRefAttr::get(b.getContext(), *v))
             : Attribute();
  }
  case KeyKind::Tensor:
    return {};
  }
  return {};
}

static const char *describeKind(KeyKind kind) {
  switch (kind) {
  case KeyKind::Int:
    return "an integer";
  case KeyKind::Float:
  case KeyKind::Number:
    return "a number";
  case KeyKind::Bool:
    return "true or false";
  case KeyKind::Word:
    return "a word";
  case KeyKind::Ints:
    return "an integer or a list of integers";
  case KeyKind::IntList:
    return "a list of integers";
  case KeyKind::Nested:
    return "a list of lists of integers";
  case KeyKind::FloatList:
  case KeyKind::NumberList:
    return "a list of numbers";
  case KeyKind::NestedFloats:
    return "a list of lists of numbers";
  case KeyKind::Words:
    return "a word or a list of words";
  case KeyKind::WordList:
    return "a list of words";
  case KeyKind::Symbol:
    return "the name of a sub-graph";
  case KeyKind::Tensor:
    return "a constant: _type, _shape, _offset, _size";
  }
  return "";
}

/// Whether the value is one of the ways to leave a key open (nothing, [],
/// None), and the operator does without the key. A key that decides what the
/// layer computes must say it, or stand nowhere: what was lost would be a
/// default.
static bool statesNothing(const KeyRecord &key, const IrValue &value) {
  if (key.need != Need::Optional)
    return false;
  if (value.isNone())
    return value.isEmpty() ||
           (key.kind != KeyKind::IntList && key.kind != KeyKind::Nested);
  return StringRef(value.str()).lower() == "none" && key.kind != KeyKind::Word;
}

/// Reports numbers in the text that are not finite. An infinity is legal as a
/// bound and as what fills a tensor: neither is multiplied.
static void checkNumbers(const KeyRecord &key, const IrEntry &entry,
                         Place place, yarrow::DiagnosticEngine &diags) {
  bool mayBeInfinite =
      llvm::is_contained({"clip_min", "clip_max", "constant_value"}, key.name);
  bool isBad = false;
  auto look = [&](auto &&self, const IrValue &value) -> void {
    for (const IrValue &item : value.items)
      self(self, item);
    auto number =
        value.kind == IrValue::Kind::Float ? value.asFloat() : std::nullopt;
    isBad |= number && (std::isnan(*number) ||
                        (!mayBeInfinite && !std::isfinite(*number)));
  };
  bool isNumeric = key.kind == KeyKind::Float || key.kind == KeyKind::Number ||
                   key.kind == KeyKind::FloatList ||
                   key.kind == KeyKind::NestedFloats;
  if (isNumeric)
    look(look, entry.value);
  if (isBad)
    diags
        .report(diag::IrNotANumber, std::move(place),
                "the key " + entry.key + " is not a finite number")
        .found(entry.value.str())
        .expected("finite numbers");
}

/// Keys that hold what the tensors' types say; the rest of a float tensor's is
/// information only, as is the range of real numbers of a stored one.
static SmallVector<StringRef> keysOfTypes(const IrSection &layer,
                                          bool isCompat) {
  const IrEntry *type = layer.find("layer_top_type");
  auto types = type ? type->value.asWordList() : std::nullopt;
  auto stored =
      types && !types->empty() ? parseType(types->front()) : std::nullopt;
  const IrEntry *scale = layer.find("layer_top_scale");
  if (!stored || dtypeIsFloat(stored->dtype) || stored->dtype == DType::Bool ||
      stored->dtype == DType::I64 || !scale || !scale->value.asFloatList())
    return {};
  SmallVector<StringRef> keys{"layer_top_scale", "layer_top_zp"};
  if (!isCompat)
    keys.push_back("layer_top_range");
  return keys;
}

/// Adds the lists that the layer gives by their parts, as the definition names
/// some: sample_x and sample_y for sample=[y,x]. Their keys are \p consumed.
static void readParts(OperationState &state, const OperatorRecord &record,
                      const IrSection &layer, llvm::StringSet<> &consumed) {
  Builder b(state.getContext());
  for (const KeyRecord &key : record.keys) {
    bool isList = key.kind == KeyKind::IntList ||
                  key.kind == KeyKind::FloatList ||
                  key.kind == KeyKind::NumberList;
    std::string name = key.name.str();
    const IrEntry *x = layer.find(name + "_x"), *y = layer.find(name + "_y");
    if (!isList || !x || !y || layer.find(name) ||
        record.findKey(name + "_x") || record.findKey(name + "_y"))
      continue;
    IrValue list = IrValue::list({y->value, x->value});
    if (Attribute attr = attributeOf(b, key.kind, list)) {
      state.addAttribute(key.name, attr);
      consumed.insert(x->key);
      consumed.insert(y->key);
    }
  }
}

bool compass::readAttributes(OperationState &state,
                             const OperatorRecord &record,
                             const IrSection &layer, const std::string &file,
                             const std::shared_ptr<const MappedFile> &bin,
                             bool isCompat, std::vector<ConstantRange> &ranges,
                             yarrow::DiagnosticEngine &diags) {
  MLIRContext *context = state.getContext();
  Builder b(context);
  llvm::StringSet<> consumed;
  for (const char *key :
       {"layer_id", "layer_name", "layer_type", "layer_bottom",
        "layer_bottom_shape", "layer_bottom_type", "layer_top",
        "layer_top_shape", "layer_top_type"})
    consumed.insert(key);
  for (StringRef key : keysOfTypes(layer, isCompat))
    consumed.insert(key);
  readParts(state, record, layer, consumed);

  size_t errorsBefore = diags.numErrors();
  std::span<const std::byte> bytes =
      bin ? bin->bytes() : std::span<const std::byte>();
  SmallVector<NamedAttribute> extraConstants;
  for (const IrConstant &c :
       collectConstants(layer, bytes.size(), file, diags)) {
    for (const char *suffix : {"_type", "_offset", "_size", "_shape"})
      consumed.insert(c.name + suffix);
    ranges.push_back({c.name, &layer, c.offsetBytes, c.sizeBytes, c.line});
    auto elementType = parseType(c.type);
    if (!elementType || c.fromList) {
      diags.report(diag::IrUnsupported, placeAt(file, layer, c.line),
                   "constant " + c.name + " of type " + c.type +
                       " is not supported yet");
      continue;
    }
    ArrayRef<char> data(reinterpret_cast<const char *>(bytes.data()) +
                            c.offsetBytes,
                        c.sizeBytes);
    std::string resource = layer.layerName() + "." + c.name;
    ElementsAttr attr =
        makeAliasConstant(context, resource, c.shape, *elementType, data, bin);
    std::string meant = meantKey(record, c.name);
    const KeyRecord *key = record.findKey(meant);
    if (key && key->kind == KeyKind::Tensor)
      state.addAttribute(meant, attr);
    else {
      checkUnknownConstant(record, layer, c.name, c.line, isCompat, file,
                           diags);
      extraConstants.push_back(b.getNamedAttr(c.name, attr));
    }
  }

  checkValueTypes(layer, file, diags);
  SmallVector<Attribute> extraKeys;
  std::optional<std::vector<std::string>> absent; // few layers need it
  for (const IrEntry &entry : layer.entries) {
    if (consumed.contains(entry.key))
      continue;
    std::string meant = meantKey(record, entry.key);
    const KeyRecord *key = record.findKey(meant);
    if (!key || key->kind == KeyKind::Tensor) {
      if (meant == entry.key) {
        if (!absent)
          absent = absentKeys(record, layer);
        checkUnknownKey(record, layer, entry, *absent, isCompat, file, diags);
      }
      extraKeys.push_back(b.getStrArrayAttr({meant, entry.value.str()}));
      continue;
    }
    if (statesNothing(*key, entry.value))
      continue;
    if (Attribute attr = attributeOf(b, key->kind, entry.value)) {
      checkNumbers(*key, entry, placeAt(file, layer, entry.line), diags);
      state.addAttribute(meant, attr);
      continue;
    }
    diags
        .report(diag::IrBadValue, placeAt(file, layer, entry.line),
                entry.value.isEmpty()
                    ? "the key " + entry.key + " has no value"
                    : "the key " + entry.key + " has a wrong value")
        .found(entry.value.str())
        .expected(describeKind(key->kind));
  }
  if (!extraKeys.empty())
    state.addAttribute(kExtraKeysAttr, b.getArrayAttr(extraKeys));
  if (!extraConstants.empty())
    state.addAttribute(kExtraConstantsAttr,
                       b.getDictionaryAttr(extraConstants));
  return diags.numErrors() == errorsBefore;
}
