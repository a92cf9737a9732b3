//===- LayerTops.cpp - The results of a layer of IR text ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/LayerTops.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/Tensors.h"
#include "support/diagnostics/Ir.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

bool compass::isPossibleShape(ArrayRef<int64_t> shape) {
  constexpr int64_t kMostElements = int64_t(1) << 40;
  int64_t elements = 1;
  for (int64_t d : shape) {
    if (d < 0 || d > INT32_MAX || (d && elements > kMostElements / d))
      return false;
    elements *= d ? d : 1;
  }
  return shape.size() <= 8;
}

namespace {

using Range = std::pair<double, double>;
/// A value for each tensor that has one.
template <typename T> using PerTensor = std::vector<std::optional<T>>;

/// Reads one layer's tops; reports what is wrong and goes on where that makes
/// sense.
class TopsReader {
public:
  TopsReader(MLIRContext *context, const IrSection &layer, bool isCompat,
             const std::string &file, yarrow::DiagnosticEngine &diags)
      : context(context), layer(layer), isCompat(isCompat), file(file),
        diags(diags) {}

  std::optional<LayerTops> read() {
    if (!findKeys() || !readLists() || !checkCounts() || !checkNumbers() ||
        !checkNeeds())
      return std::nullopt;
    LayerTops tops;
    tops.names = *names;
    for (size_t i = 0; i < names->size(); ++i)
      tops.types.push_back(tensorType(i));
    return ok ? std::optional(std::move(tops)) : std::nullopt;
  }

private:
  bool findKeys();
  bool readLists();
  bool checkCounts();
  bool checkNumbers();
  bool checkNeeds();
  Type tensorType(size_t i);
  Type quantized(size_t i, StoredType stored);
  Type stepped(size_t i, StoredType stored);
  std::string expectedMeaning(StoredType stored) const;
  int64_t zeroPoint(size_t i) const { return zps ? (*zps)[i].value_or(0) : 0; }
  bool isNone(const IrValue &value) const {
    return isCompat && StringRef(value.spelling).equals_insensitive("none");
  }

  template <typename T, typename Reader>
  std::optional<PerTensor<T>> numbersOf(const IrEntry *entry, Reader read,
                                        const char *expected);
  std::optional<Range> rangeOf(const IrValue &value);

  yarrow::Diagnostic &report(DiagId id, const IrEntry *entry,
                             std::string message) {
    ok &= id->code[0] != 'E';
    return diags.report(
        id, {file, entry ? entry->line : layer.line, layer.layerName()},
        std::move(message));
  }
  void bad(const IrEntry *entry, const std::string &expected) {
    report(diag::IrBadValue, entry,
           "the key " + entry->key + " has a wrong value")
        .found(entry->value.str())
        .expected(expected);
  }

  MLIRContext *context;
  const IrSection &layer;
  bool isCompat;
  const std::string &file;
  yarrow::DiagnosticEngine &diags;
  bool ok = true;
  const IrEntry *top, *shape, *type, *scale, *zp, *range;
  std::optional<std::vector<std::string>> names, types;
  std::optional<std::vector<std::vector<int64_t>>> shapes;
  std::optional<PerTensor<double>> scales;
  std::optional<PerTensor<int64_t>> zps;
  std::vector<IrValue> pairs; ///< The items of range.
  PerTensor<Range> ranges;
};

bool TopsReader::findKeys() {
  auto require = [&](const char *key) -> const IrEntry * {
    const IrEntry *entry = layer.find(key);
    if (!entry)
      report(diag::IrMissingKey, nullptr,
             "the layer has no key " + std::string(key));
    return entry;
  };
  top = require("layer_top");
  shape = require("layer_top_shape");
  type = require("layer_top_type");
  scale = layer.find("layer_top_scale");
  zp = layer.find("layer_top_zp");
  range = layer.find("layer_top_range");
  return ok;
}

/// A number for each tensor. The Parser writes NONE for one that has none.
template <typename T, typename Reader>
std::optional<PerTensor<T>>
TopsReader::numbersOf(const IrEntry *entry, Reader read, const char *expected) {
  if (!entry)
    return std::nullopt;
  PerTensor<T> numbers;
  for (const IrValue &item : entry->value.isScalar() ? std::vector{entry->value}
                                                     : entry->value.items) {
    std::optional<T> number = read(item);
    if (!number && !isNone(item)) {
      bad(entry, expected);
      return std::nullopt;
    }
    numbers.push_back(number);
  }
  return numbers;
}

std::optional<Range> TopsReader::rangeOf(const IrValue &value) {
  auto pair = value.isList() ? value.asFloatList() : std::nullopt;
  if (!pair || pair->size() != 2 || !((*pair)[0] <= (*pair)[1]) ||
      !std::isfinite((*pair)[0]) || !std::isfinite((*pair)[1]))
    return std::nullopt;
  return Range((*pair)[0], (*pair)[1]);
}

bool TopsReader::readLists() {
  names = top->value.asWordList();
  shapes = shape->value.asNestedIntList();
  types = type->value.asWordList();
  if (!names)
    bad(top, "a list of tensor names");
  if (!shapes)
    bad(shape, "a list of shapes such as [[1,32,32,3]]");
  if (!types)
    bad(type, "a list of element types such as [int8]");
  scales = numbersOf<double>(
      scale, [](const IrValue &v) { return v.asFloat(); },
      "one scale per tensor (scales per channel are not supported yet)");
  zps = numbersOf<int64_t>(
      zp, [](const IrValue &v) { return v.asInt(); }, "one integer per tensor");
  if (range && !isCompat && !range->value.asNestedFloatList())
    bad(range, "one pair per tensor, such as [[-128,127]]");
  // One pair without a list around it stands for a list of it.
  if (range)
    pairs = range->value.asFloatList() ? std::vector{range->value}
                                       : range->value.items;
  return ok;
}

bool TopsReader::checkCounts() {
  auto check = [&](const IrEntry *entry, size_t count) {
    if (entry && count != names->size())
      report(diag::IrShapeMismatch, entry,
             "the lists that describe layer_top differ in length")
          .found(std::to_string(names->size()) + " names, " +
                 std::to_string(count) + " in " + entry->key)
          .expected("one entry per tensor in each list");
  };
  check(shape, shapes->size());
  check(type, types->size());
  check(scale, scales ? scales->size() : 0);
  check(zp, zps ? zps->size() : 0);
  check(range, pairs.size());
  return ok;
}

bool TopsReader::checkNumbers() {
  if (scales)
    for (std::optional<double> s : *scales)
      if (s && (!(*s > 0) || !std::isfinite(float(*s)) ||
                (isCompat && float(*s) == 0)))
        bad(scale, "positive finite numbers");
  for (const IrValue &pair : pairs) {
    std::optional<Range> read = rangeOf(pair);
    if (!read && !isNone(pair))
      bad(range, isCompat ? "one pair [least,most] of real numbers per tensor, "
                            "such as [[-1.0,0.99]]"
                          : "one pair [least,most] per tensor, such as "
                            "[[-128,127]]");
    ranges.push_back(read);
  }
  return ok;
}

/// Scale and zero point need each other, where there are integers.
bool TopsReader::checkNeeds() {
  bool hasIntegers = llvm::any_of(*types, [](const std::string &word) {
    auto stored = parseType(word);
    return stored && !dtypeIsFloat(stored->dtype);
  });
  bool isShifted =
      zps && llvm::any_of(*zps, [](auto z) { return z.value_or(0) != 0; });
  if (isShifted && !scale && hasIntegers) {
    // Without a scale the tensor's type has no place for it.
    report(diag::IrMissingKey, zp,
           "the layer has layer_top_zp but no layer_top_scale")
        .expected("layer_top_scale=[...], one scale per tensor");
    return false;
  }
  if (scale && !zp && hasIntegers)
    report(diag::IrDefaultAssumed, scale,
           "the layer has layer_top_scale but no layer_top_zp; zero is assumed")
        .expected("layer_top_zp=[...], one zero point per tensor");
  if (zp && !scale)
    report(diag::IrDefaultAssumed, zp,
           "the layer has layer_top_zp but no layer_top_scale; its results are "
           "read as plain integers")
        .expected("layer_top_scale=[...], one scale per tensor");
  return true;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Null after errors.
Type TopsReader::tensorType(size_t i) {
  auto stored = parseType((*types)[i]);
  if (!stored) {
    report(diag::IrUnsupported, type,
           "element type " + (*types)[i] + " is not supported yet")
        .expected("int8, uint8, int16, uint16, int32, uint32, int64, uint64, "
                  "bool, aligned_int4, aligned_uint4, aligned_int12, "
                  "aligned_uint12, float32, float16, bfloat16 or float64");
    return {};
  }
  if (!isPossibleShape((*shapes)[i])) {
    report(diag::IrBadValue, shape,
           "tensor " + (*names)[i] + " has an impossible shape")
        .found(shape->value.str())
        .expected("up to 8 axes, up to 2^40 elements");
    return {};
  }
  bool hasNoScale = stored->dtype == DType::Bool || stored->dtype == DType::I64;
  Type plain = plainType(context, (*shapes)[i], *stored);
  if (!scales || !(*scales)[i] || dtypeIsFloat(stored->dtype))
    return plain;
  if (Type type = isCompat ? stepped(i, *stored) : quantized(i, *stored))
    return type;
  if (!hasNoScale)
    report(diag::IrOutOfType, scale,
           "tensor " + (*names)[i] +
               " has a scale, zero point or range that its type cannot have")
        .found("scale " + formatFloat(*(*scales)[i]) + ", zero point " +
               std::to_string(zeroPoint(i)) + " of " + (*types)[i])
        .expected(expectedMeaning(*stored));
  return plain;
}

std::string TopsReader::expectedMeaning(StoredType stored) const {
  auto [least, most] = dtypeRange(stored);
  if (isCompat)
    return "a positive scale, and a zero point that is a value of the type, " +
           std::to_string(least) + " to " + std::to_string(most);
  return "a positive scale, and a zero point from " +
         std::to_string(-int64_t(mostZeroPoint(stored))) + " to " +
         std::to_string(mostZeroPoint(stored));
}

/// In integer IR the range is one of stored integers, and part of the type.
Type TopsReader::quantized(size_t i, StoredType stored) {
  std::optional<std::pair<int64_t, int64_t>> bounds;
  if (range) {
    auto [lo, hi] = dtypeRange(stored);
    auto [least, most] = *ranges[i];
    if (least >= double(lo) && most <= double(hi) && least < most)
      bounds = {int64_t(least), int64_t(most)};
    else
      report(diag::IrOutOfType, range,
             "the range of tensor " + (*names)[i] +
                 " is not valid for its type")
          .found("[" + formatFloat(least) + "," + formatFloat(most) + "] of " +
                 (*types)[i])
          .expected("within [" + std::to_string(lo) + "," + std::to_string(hi) +
                    "]");
  }
  return quantizedType(context, (*shapes)[i], stored, float(*(*scales)[i]),
                       zeroPoint(i), bounds);
}

Type TopsReader::stepped(size_t i, StoredType stored) {
  return steppedType(context, (*shapes)[i], stored, *(*scales)[i],
                     zeroPoint(i));
}

} // namespace

std::optional<LayerTops>
compass::readTops(MLIRContext *context, const IrSection &layer, bool isCompat,
                  const std::string &file, yarrow::DiagnosticEngine &diags) {
  return TopsReader(context, layer, isCompat, file, diags).read();
}
