//===- IrConstant.cpp - Tensors a layer keeps in the weights file ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/IrConstant.h"

#include "parser/compass/IrElementType.h"
#include "support/diagnostics/Ir.h"

#include <unordered_map>

using namespace yarrow;
using namespace yarrow::compass;

namespace {

/// The four entries of a constant X.
struct Group {
  std::string name;
  const IrEntry *type, *offset, *size, *shape;
};

class Collector {
public:
  Collector(const IrSection &section, std::uint64_t binSizeBytes,
            const std::string &fileName, DiagnosticEngine &diags)
      : section(section), binSizeBytes(binSizeBytes), fileName(fileName),
        layer(section.layerName()), diags(diags) {
    for (const IrEntry &entry : section.entries)
      entryOfKey.try_emplace(entry.key, &entry);
  }

  std::vector<IrConstant> collect() {
    constexpr std::string_view suffix = "_offset";
    for (const IrEntry &entry : section.entries) {
      std::string_view key = entry.key;
      if (key.size() <= suffix.size() || !key.ends_with(suffix))
        continue;
      key.remove_suffix(suffix.size());
      collectGroup(entry, std::string(key));
    }
    return std::move(constants);
  }

private:
  const IrEntry *find(const std::string &key) const {
    auto found = entryOfKey.find(key);
    return found == entryOfKey.end() ? nullptr : found->second;
  }

  Diagnostic &report(DiagId id, const IrEntry &entry, std::string message) {
    return diags.report(id, {fileName, entry.line, layer}, std::move(message));
  }

  void collectGroup(const IrEntry &offset, const std::string &name) {
    Group group{name, find(name + "_type"), &offset, find(name + "_size"),
                find(name + "_shape")};
    // An operator may have a parameter that merely ends in _offset. With a
    // size, or with both others, it is a constant that misses something.
    if (!group.size && !(group.type && group.shape))
      return;
    for (auto [entry, suffix] :
         {std::pair{group.type, "_type"}, std::pair{group.size, "_size"},
          std::pair{group.shape, "_shape"}})
      if (!entry)
        report(diag::IrMissingKey, offset,
               "the constant " + name + " has no " + name + suffix);
    if (!group.type || !group.size || !group.shape)
      return;
    if (offset.value.isList())
      collectList(group);
    else
      collectOne(group);
  }

  void collectOne(const Group &group) {
    std::optional<std::vector<std::int64_t>> shape =
        group.shape->value.asIntList();
    if (!shape)
      return badValue(*group.shape, "a list of dimensions");
    add(group, group.name, group.type->value, group.offset->value,
        group.size->value, std::move(*shape));
  }

  void collectList(const Group &group) {
    auto shapes = group.shape->value.asNestedIntList();
    if (!shapes)
      return badValue(*group.shape, "a list of shapes");
    std::size_t count = group.offset->value.items.size();
    for (const IrEntry *entry : {group.type, group.size})
      if (!entry->value.isList() || entry->value.items.size() != count)
        return badValue(*entry, "a list of " + std::to_string(count) + ", as " +
                                    group.offset->key + " has");
    if (shapes->size() != count)
      return badValue(*group.shape, std::to_string(count) + " shapes, as " +
                                        group.offset->key + " has offsets");
    for (std::size_t i = 0; i != count; ++i)
      add(group, group.name + "_" + std::to_string(i),
          group.type->value.items[i], group.offset->value.items[i],
          group.size->value.items[i], std::move((*shapes)[i]), true);
  }

  void badValue(const IrEntry &entry, std::string expected) {
    constexpr std::size_t maxShown = 80;
    std::string text = entry.value.str();
    if (text.size() > maxShown)
      text = text.substr(0, maxShown) + "...";
    report(diag::IrBadValue, entry,
           "the key " + entry.key + " has a wrong value")
        .found(text)
        .expected(std::move(expected));
  }

  void add(const Group &group, std::string name, const IrValue &typeValue,
           const IrValue &offsetValue, const IrValue &sizeValue,
           std::vector<std::int64_t> shape, bool fromList = false) {
    const IrElementType *type =
        typeValue.isScalar() ? findElementType(typeValue.spelling) : nullptr;
    std::optional<std::uint64_t> offset = offsetValue.asUInt64();
    std::optional<std::uint64_t> size = sizeValue.asUInt64();
    if (!type)
      unknownType(*group.type, typeValue);
    if (!offset)
      badValue(*group.offset, "a number of bytes");
    if (!size)
      badValue(*group.size, "a number of bytes");
    if (!type || !offset || !size || !checkSize(group, *type, shape, *size) ||
        !checkRange(group, name, *offset, *size))
      return;
    constants.push_back({std::move(name), std::string(type->word),
                         std::move(shape), *offset, *size, group.offset->line,
                         fromList});
  }

  void unknownType(const IrEntry &entry, const IrValue &value) {
    std::string word = value.str();
    report(diag::IrBadValue, entry, entry.key + " is not a known element type")
        .found(word)
        .suggest(word, elementTypeWords());
  }

  bool checkSize(const Group &group, const IrElementType &type,
                 const std::vector<std::int64_t> &shape, std::uint64_t size) {
    std::uint64_t expected = type.bytes;
    bool overflows = false;
    for (std::int64_t dim : shape) {
      if (dim < 0) {
        badValue(*group.shape, "lengths of 0 or more");
        return false;
      }
      overflows |= __builtin_mul_overflow(
          expected, static_cast<std::uint64_t>(dim), &expected);
    }
    if (!overflows && expected == size)
      return true;
    report(diag::IrBinaryRange, *group.size,
           group.size->key + " does not match the shape and the type")
        .found(std::to_string(size))
        .expected(overflows ? std::string("a size below 2^64")
                            : std::to_string(expected) + " (" +
                                  group.shape->value.str() + " of " +
                                  std::string(type.word) + ")");
    return false;
  }

  bool checkRange(const Group &group, const std::string &name,
                  std::uint64_t offset, std::uint64_t size) {
    if (offset <= binSizeBytes && size <= binSizeBytes - offset)
      return true;
    report(diag::IrBinaryRange, *group.offset,
           "the constant " + name +
               " extends beyond the end of the weights file")
        .found(std::to_string(size) + " bytes at offset " +
               std::to_string(offset))
        .expected("within the " + std::to_string(binSizeBytes) +
                  " bytes of the file")
        .hint("check that text and weights file come from the same run");
    return false;
  }

  const IrSection &section;
  std::uint64_t binSizeBytes;
  const std::string &fileName;
  std::string layer;
  DiagnosticEngine &diags;
  std::unordered_map<std::string_view, const IrEntry *> entryOfKey;
  std::vector<IrConstant> constants;
};

} // namespace

std::vector<IrConstant> yarrow::compass::collectConstants(
    const IrSection &section, std::uint64_t binSizeBytes,
    const std::string &fileName, DiagnosticEngine &diags) {
  return Collector(section, binSizeBytes, fileName, diags).collect();
}

void yarrow::compass::appendConstant(IrSection &section,
                                     const IrConstant &constant) {
  section.append(constant.name + "_type", IrValue::word(constant.type));
  section.append(constant.name + "_offset",
                 IrValue::unsignedInteger(constant.offsetBytes));
  section.append(constant.name + "_size",
                 IrValue::unsignedInteger(constant.sizeBytes));
  section.append(constant.name + "_shape", IrValue::intList(constant.shape));
}
