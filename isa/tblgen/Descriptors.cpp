//===- Descriptors.cpp - Structs and manual of engine commands ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "isa/tblgen/Generators.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"
#include "llvm/TableGen/TableGenBackend.h"
#include <map>

using namespace llvm;

namespace {
constexpr int kHeaderWords = 5; // isa/Descriptors.h: kHeaderWords

struct PlacedField {
  StringRef name, doc, kind, cppType;
  int word, lsb, width;
  bool zeroIsUnused;
  bool isReserved() const { return name == "_"; }
  bool isSigned() const { return kind == "int"; }
  std::string type() const {
    return kind == "enum"   ? cppType.str()
           : kind == "flag" ? "bool"
           : isSigned()     ? "int32_t"
                            : "uint32_t";
  }
};

/// Packs a record's fields into words and rejects one that straddles.
std::vector<PlacedField> placeFields(const Record *record, int &numWords) {
  std::vector<PlacedField> placed;
  int bit = kHeaderWords * 32;
  for (const Record *f : record->getValueAsListOfDefs("fields")) {
    int width = f->getValueAsInt("width");
    if (bit / 32 != (bit + width - 1) / 32)
      PrintFatalError(record->getLoc(), Twine(record->getName()) + ": field " +
                                            f->getValueAsString("name") +
                                            " straddles two words");
    placed.push_back({f->getValueAsString("name"), f->getValueAsString("doc"),
                      f->getValueAsString("kind"),
                      f->getValueAsString("cppType"), bit / 32, bit % 32, width,
                      f->getValueAsBit("zeroIsUnused")});
    bit += width;
  }
  if (bit % 32)
    PrintFatalError(record->getLoc(),
                    Twine(record->getName()) + ": the last word is not full");
  numWords = bit / 32;
  if (numWords > 255)
    PrintFatalError(record->getLoc(), "more than 255 words");
  return placed;
}

std::vector<const Record *> descriptorsOf(const RecordKeeper &records) {
  auto all = records.getAllDerivedDefinitions("Descriptor");
  std::map<int64_t, const Record *> byOpcode;
  for (const Record *r : all)
    if (auto [it, isNew] = byOpcode.insert({r->getValueAsInt("opcode"), r});
        !isNew)
      PrintFatalError(r->getLoc(), Twine(r->getName()) + " and " +
                                       it->second->getName() +
                                       " share an opcode");
  std::vector<const Record *> ordered;
  ordered.reserve(byOpcode.size());
  for (auto &[opcode, r] : byOpcode)
    ordered.push_back(r);
  return ordered;
}

uint64_t maskOf(int width) { return (uint64_t(1) << width) - 1; }

/// How a field's value prints; see forEachField().
std::string spellingOf(const PlacedField &f) {
  if (f.kind != "enum")
    return "std::string_view()";
  std::string spelling = ("name(" + f.name + ")").str();
  return f.zeroIsUnused ? (f.name + " == " + f.cppType +
                           "{} ? std::string_view() : " + spelling)
                              .str()
                        : spelling;
}

bool isAddress(const Record *field) {
  StringRef kind = field->getValueAsString("kind");
  return kind == "sram" || kind == "ddr";
}

/// A value for each address field, such as where the host finds it.
void emitPerAddress(const Record *r, raw_ostream &os) {
  std::vector<StringRef> names;
  for (const Record *f : r->getValueAsListOfDefs("fields"))
    if (isAddress(f))
      names.push_back(f->getValueAsString("name"));
  os << "  /// A value for each of kAddressFields, in their order.\n"
        "  template <typename T> struct PerAddress {\n";
  for (StringRef name : names)
    os << formatv("    T {0}{{};\n", name);
  os << "    T &operator[](unsigned index) {\n      switch (index) {\n";
  for (auto [i, name] : enumerate(ArrayRef(names).drop_back()))
    os << formatv("      case {0}: return {1};\n", i, name);
  os << formatv("      default: return {0};\n      }\n    }\n  };\n",
                names.back());
}

void emitStruct(const Record *r, raw_ostream &os) {
  int numWords = 0;
  auto fields = placeFields(r, numWords);
  os << formatv("/// {0}.\nstruct {1} {{\n", r->getValueAsString("summary"),
                r->getName())
     << formatv("  static constexpr uint8_t kOpcode = {0:x};\n",
                r->getValueAsInt("opcode"))
     << formatv("  static constexpr uint32_t kNumWords = {0};\n", numWords)
     << formatv("  /// Without the last words that may be missing.\n"
                "  static constexpr uint32_t kLeastWords = {0};\n",
                numWords - r->getValueAsInt("optionalWords"))
     << formatv("  static constexpr std::string_view kMnemonic = \"{0}\";\n",
                r->getValueAsString("mnemonic"))
     << formatv("  static constexpr Engine kEngine = Engine::{0};\n",
                r->getValueAsDef("engine")->getValueAsString("name"))
     << "  /// The fields that are addresses, in order.\n"
        "  static constexpr AddressField kAddressFields[] = {";
  for (const Record *f : r->getValueAsListOfDefs("fields"))
    if (isAddress(f))
      os << formatv("{{\"{0}\", \"{1}\"}, ", f->getValueAsString("name"),
                    f->getValueAsString("region"));
  os << "};\n  Waits waits{};\n";
  for (const PlacedField &f : fields)
    if (!f.isReserved())
      os << formatv("  {0} {1}{{}; ///< {2}.\n", f.type(), f.name, f.doc);
  emitPerAddress(r, os);
  os << formatv("  bool operator==(const {0} &) const = default;\n",
                r->getName())
     << "  /// Appends the descriptor's words; asserts that every field fits.\n"
     << "  void encode(std::vector<uint32_t> &words) const;\n"
     << formatv("  static std::optional<{0}> decode(std::span<const uint32_t> "
                "words);\n",
                r->getName())
     << "  /// fn(FieldAccess) for all that the command reads and writes.\n"
        "  template <typename Fn> void forEachAccess(Fn fn) const;\n"
     << "  /// fn(name, value, spelling): the spelling is empty unless the "
        "field\n"
        "  /// is an enumeration that is in use.\n"
        "  template <typename Fn> void forEachField(Fn fn) const {\n";
  for (const PlacedField &f : fields)
    if (!f.isReserved())
      os << formatv("    fn(\"{0}\", int64_t({0}), {1});\n", f.name,
                    spellingOf(f));
  os << "  }\n"
     << "  /// fn(name, member reference), to fill a descriptor by field "
        "name.\n"
        "  template <typename Fn> void forEachMember(Fn fn) {\n";
  for (const PlacedField &f : fields)
    if (!f.isReserved())
      os << formatv("    fn(\"{0}\", {0});\n", f.name);
  os << "  }\n};\n\n";
}

/// What a command reads and writes, from the uses of its address fields.
void emitAccesses(const Record *r, raw_ostream &os) {
  os << formatv("template <typename Fn> void {0}::forEachAccess(Fn fn) const "
                "{{\n",
                r->getName());
  unsigned index = 0;
  for (const Record *f : r->getValueAsListOfDefs("fields")) {
    if (!isAddress(f))
      continue;
    StringRef name = f->getValueAsString("name");
    StringRef region = f->getValueAsString("region");
    for (const Record *use : f->getValueAsListOfDefs("uses"))
      os << formatv(
          "  if ({0})\n    fn(FieldAccess{{{5}, {2}, {1}, {3}, {4}});\n",
          use->getValueAsString("when"), name,
          region.empty() ? "kSramRegion" : region,
          use->getValueAsString("extent"),
          use->getValueAsBit("isWrite") ? "true" : "false", index);
    ++index;
  }
  os << "}\n\n";
}

void emitCode(const Record *r, raw_ostream &os) {
  int numWords = 0;
  auto fields = placeFields(r, numWords);
  os << formatv("void {0}::encode(std::vector<uint32_t> &out) const {{\n",
                r->getName())
     << "  uint32_t words[kNumWords] = {};\n"
     << "  for (unsigned i = 0; i < kNumCounters; ++i)\n    words[1 + i] = "
        "waits[i];\n";
  for (const PlacedField &f : fields) {
    if (f.isReserved())
      continue;
    if (f.width < 32) {
      if (f.isSigned())
        os << formatv("  assert({0} >= -{1} && {0} < {1});\n", f.name,
                      uint64_t(1) << (f.width - 1));
      else if (f.kind != "flag")
        os << formatv("  assert(uint32_t({0}) <= {1}u);\n", f.name,
                      maskOf(f.width));
    }
    os << formatv("  words[{0}] |= (uint32_t({1}) & {2:x}u) << {3};\n", f.word,
                  f.name, maskOf(f.width), f.lsb);
  }
  os << "  uint32_t count = kNumWords;\n"
        "  while (count > kLeastWords && words[count - 1] == 0)\n"
        "    --count;\n"
        "  words[0] = kOpcode | count << 8;\n"
        "  out.insert(out.end(), words, words + count);\n}\n"
     << formatv("std::optional<{0}> {0}::decode(std::span<const uint32_t> "
                "given) {{\n",
                r->getName())
     << formatv("  uint32_t count = given.empty() ? 0 : given[0] >> 8;\n"
                "  if (count < kLeastWords || count > kNumWords || "
                "given.size() < count ||\n"
                "      given[0] != (kOpcode | count << 8))\n"
                "    return std::nullopt;\n"
                "  uint32_t words[kNumWords] = {{};\n"
                "  std::copy_n(given.begin(), count, words);\n  {0} d;\n",
                r->getName())
     << "  for (unsigned i = 0; i < kNumCounters; ++i)\n    d.waits[i] = "
        "words[1 + i];\n";
  for (const PlacedField &f : fields) {
    if (f.isReserved())
      os << formatv(
          "  if (words[{0}] >> {1} & {2:x}u)\n    return std::nullopt;\n",
          f.word, f.lsb, maskOf(f.width));
    else if (f.isSigned())
      os << formatv("  d.{0} = int32_t(words[{1}] << {2}) >> {3};\n", f.name,
                    f.word, 32 - f.lsb - f.width, 32 - f.width);
    else
      os << formatv("  d.{0} = {1}(words[{2}] >> {3} & {4:x}u);\n", f.name,
                    f.type(), f.word, f.lsb, maskOf(f.width));
  }
  os << "  return d;\n}\n\n";
}
} // namespace

void yarrow::tblgen::emitDescriptors(const RecordKeeper &records,
                                     raw_ostream &os) {
  emitSourceFileHeader("NPU descriptors", os, records);
  auto descriptors = descriptorsOf(records);
  os << "#ifdef GET_DESCRIPTOR_STRUCTS\n#undef GET_DESCRIPTOR_STRUCTS\n";
  for (const Record *r : descriptors)
    emitStruct(r, os);
  os << "using AnyDescriptor = std::variant<";
  for (size_t i = 0; i < descriptors.size(); ++i)
    os << (i ? ", " : "") << descriptors[i]->getName();
  os << ">;\n#endif\n\n#ifdef GET_DESCRIPTOR_ACCESSES\n#undef "
        "GET_DESCRIPTOR_ACCESSES\n";
  for (const Record *r : descriptors)
    emitAccesses(r, os);
  os << "#endif\n\n#ifdef GET_DESCRIPTOR_DEFINITIONS\n#undef "
        "GET_DESCRIPTOR_DEFINITIONS\n";
  for (const Record *r : descriptors)
    emitCode(r, os);
  os << "static std::optional<AnyDescriptor> decodeByOpcode(std::span<const "
        "uint32_t> words) {\n"
        "  switch (words[0] & 0xff) {\n";
  for (const Record *r : descriptors)
    os << formatv("  case {0}::kOpcode:\n    if (auto d = "
                  "{0}::decode(words))\n      return *d;\n"
                  "    break;\n",
                  r->getName());
  os << "  }\n  return std::nullopt;\n}\n#endif\n";
}

void yarrow::tblgen::emitDescriptorDoc(const RecordKeeper &records,
                                       raw_ostream &os) {
  for (const Record *r : descriptorsOf(records)) {
    int numWords = 0;
    auto fields = placeFields(r, numWords);
    std::string words = std::to_string(numWords);
    if (int64_t optional = r->getValueAsInt("optionalWords"))
      words = std::to_string(numWords - optional) + " to " + words;
    os << formatv("## `{0}` (opcode {1:x}, {2} words)\n\n{3}.\n{4}\n",
                  r->getValueAsString("mnemonic"), r->getValueAsInt("opcode"),
                  words, r->getValueAsString("summary"),
                  r->getValueAsString("description"))
       << "| word | bits | field | meaning |\n|---|---|---|---|\n";
    for (const PlacedField &f : fields)
      os << formatv("| {0} | {1}:{2} | {3} | {4} |\n", f.word,
                    f.lsb + f.width - 1, f.lsb,
                    f.isReserved() ? StringRef("-") : f.name, f.doc);
    os << "\n";
  }
}
