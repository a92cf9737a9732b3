//===- Operators.cpp - What operators are called in IR text ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reads the Compass_Record records of dialects/compass. -gen-ir-names writes
// them as the constant tables of dialects/compass/Records.cpp, which drive the
// IR reader and writer, the verifier, the quantizer's choice of rule and
// `yarrow ops`; -gen-keys writes the names of dialects/compass/Keys.h.
//
//===----------------------------------------------------------------------===//
#include "isa/tblgen/Generators.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"
#include "llvm/TableGen/TableGenBackend.h"
#include <map>
#include <set>

using namespace llvm;

namespace {

/// A string literal; record texts may span lines.
std::string quoted(StringRef text) {
  std::string literal = "\"";
  bool first = true;
  for (StringRef line : split(text.trim(), '\n')) {
    literal += first ? "" : " ";
    first = false;
    for (char c : line.trim()) {
      if (c == '"' || c == '\\')
        literal += '\\';
      literal += c;
    }
  }
  return literal + "\"";
}

/// Writes one constant array per list of an operator and remembers its name.
class TableWriter {
public:
  TableWriter(const RecordKeeper &records, raw_ostream &os)
      : records(records), os(os) {}
  void write();

private:
  /// Writes `static constexpr TYPE kN[] = {...}`; "{}" for an empty list.
  std::string array(StringRef type, ArrayRef<std::string> elements);
  std::string words(ArrayRef<StringRef> list);
  std::string keys(const Record *op);
  std::string tensors(const Record *op, StringRef field);
  std::string methods(const Record *op);
  std::string pairs(const Record *op, StringRef field, StringRef first,
                    StringRef second);
  std::string defaultOf(const Record *key);
  std::string familyOf(const Record *op);

  const RecordKeeper &records;
  raw_ostream &os;
  unsigned arrays = 0;
};

std::string TableWriter::array(StringRef type, ArrayRef<std::string> elements) {
  if (elements.empty())
    return "{}";
  std::string name = formatv("k{0}", arrays++);
  os << "static constexpr " << type << " " << name << "[] = {\n";
  for (const std::string &e : elements)
    os << "  " << e << ",\n";
  os << "};\n";
  return name;
}

std::string TableWriter::words(ArrayRef<StringRef> list) {
  std::vector<std::string> literals;
  for (StringRef w : list)
    literals.push_back(quoted(w));
  return array("llvm::StringRef", literals);
}

/// The default as IR text spells it; empty for an optional attribute.
std::string TableWriter::defaultOf(const Record *key) {
  const Record *attr = key->getValueAsDef("attr");
  if (!attr->isSubClassOf("DefaultValuedAttr") &&
      !attr->isSubClassOf("DefaultValuedOptionalAttr"))
    return "";
  StringRef value = attr->getValueAsString("defaultValue");
  value.consume_front("\"");
  value.consume_back("\"");
  return value.str();
}

/// "pool" for a record of dialects/compass/pool/PoolOps.td.
std::string TableWriter::familyOf(const Record *op) {
  SMLoc loc = op->getLoc().front();
  unsigned buffer = SrcMgr.FindBufferContainingLoc(loc);
  return sys::path::filename(
             sys::path::parent_path(
                 SrcMgr.getMemoryBuffer(buffer)->getBufferIdentifier()))
      .str();
}

std::string TableWriter::keys(const Record *op) {
  std::vector<std::string> elements;
  for (const Record *k : op->getValueAsListOfDefs("keys")) {
    std::string of = words(k->getValueAsListOfStrings("of"));
    std::string allowed = words(k->getValueAsListOfStrings("words"));
    std::vector<int64_t> bounds = k->getValueAsListOfInts("bounds");
    if (!bounds.empty() && bounds.size() != 2)
      PrintFatalError(op, "bounds of " + k->getValueAsString("name") +
                              " are not [least, most]");
    elements.push_back(formatv(
        "{{{0}, KeyKind::{1}, Need::{2}, IrKind::{3}, {4}, {5}, {6}, {7}, {8}, "
        "{9}, {10}, {11}}",
        quoted(k->getValueAsString("name")), k->getValueAsString("kind"),
        k->getValueAsString("need"), k->getValueAsString("ir"),
        quoted(k->getValueAsString("selector")), of, allowed,
        bounds.empty() ? "INT64_MIN" : std::to_string(bounds[0]),
        bounds.empty() ? "INT64_MAX" : std::to_string(bounds[1]),
        quoted(defaultOf(k)), quoted(k->getValueAsString("doc")),
        k->isSubClassOf("MethodKey") ? "true" : "false"));
  }
  return array("KeyRecord", elements);
}

std::string TableWriter::tensors(const Record *op, StringRef field) {
  std::vector<std::string> elements;
  for (const Record *t : op->getValueAsListOfDefs(field))
    elements.push_back(
        formatv("{{{0}, {1}, {2}, TensorClass::{3}, {4}, {5}, {6}}",
                quoted(t->getValueAsString("name")),
                quoted(t->getValueAsString("shape")),
                quoted(t->getValueAsString("doc")), t->getValueAsString("type"),
                t->getValueAsBit("optional") ? "true" : "false",
                t->getValueAsBit("variadic") ? "true" : "false",
                quoted(t->getValueAsString("countedBy"))));
  return array("TensorRecord", elements);
}

std::string TableWriter::methods(const Record *op) {
  std::vector<std::string> elements;
  for (const Record *m : op->getValueAsListOfDefs("methods")) {
    StringRef own = m->getValueAsString("computedIn");
    elements.push_back(formatv(
        "{{{0}, {1}, ComputedIn::{2}}", quoted(m->getValueAsString("name")),
        quoted(m->getValueAsString("formula")),
        own.empty() ? op->getValueAsString("computedIn") : own));
  }
  return array("MethodRecord", elements);
}

std::string TableWriter::pairs(const Record *op, StringRef field,
                               StringRef first, StringRef second) {
  std::vector<std::string> elements;
  for (const Record *r : op->getValueAsListOfDefs(field))
    elements.push_back(formatv("{{{0}, {1}}",
                               quoted(r->getValueAsString(first)),
                               quoted(r->getValueAsString(second))));
  return array("TextPair", elements);
}

void TableWriter::write() {
  std::vector<std::string> rules;
  for (const Record *r : records.getAllDerivedDefinitions("Rule")) {
    rules.push_back(formatv("{{\"{0}\", {1}}", r->getName(),
                            quoted(r->getValueAsString("doc"))));
  }
  os << "static constexpr RuleRecord kRules[] = {\n";
  for (const std::string &r : rules)
    os << "  " << r << ",\n";
  os << "};\nstatic constexpr InfoKeyRecord kInfoKeys[] = {\n";
  for (const Record *r : records.getAllDerivedDefinitions("InfoKey"))
    os << formatv("  {{{0}, {1}},\n", quoted(r->getValueAsString("name")),
                  quoted(r->getValueAsString("doc")));
  os << "};\n";

  std::vector<std::string> operators;
  for (const Record *r : records.getAllDerivedDefinitions("Compass_Record")) {
    std::string keyList = keys(r), in = tensors(r, "tensorsIn"),
                out = tensors(r, "tensorsOut"), choices = methods(r),
                spellings = words(r->getValueAsListOfStrings("spellings")),
                variants = pairs(r, "keyVariants", "printed", "meant"),
                readings = pairs(r, "resolved", "question", "reading"),
                axes = words(r->getValueAsListOfStrings("axisKeys")),
                perAxis = words(r->getValueAsListOfStrings("perAxisKeys")),
                needs = words(r->getValueAsListOfStrings("integerNeeds")),
                floats = words(r->getValueAsListOfStrings("floatKernels")),
                integers = words(r->getValueAsListOfStrings("intKernels"));
    operators.push_back(formatv(
        "{{\"compass.{0}\", {1}, \"{16}\", RuleClass::{2}, {3}, {4}, {5}, {6}, "
        "{7}, {8}, {9}, {10}, {11}, {12}, {13}, ComputedIn::{14}, {15}, {23}, "
        "{17}, {18}, {19}, Multipliers::{20}, ResultTypes::{21}, {22}, "
        "{24}}",
        r->getValueAsString("opName"), quoted(r->getValueAsString("irType")),
        r->getValueAsDef("rule")->getName(),
        quoted(r->getValueAsString("summary")),
        quoted(r->getValueAsString("formula")),
        quoted(r->getValueAsString("description")),
        quoted(r->getValueAsString("source")), keyList, in, out, choices,
        spellings, variants, readings, r->getValueAsString("computedIn"),
        floats, familyOf(r), axes, perAxis, needs,
        r->getValueAsString("multipliers"), r->getValueAsString("resultTypes"),
        quoted(r->getValueAsString("perResultKey")), integers,
        quoted(r->getValueAsString("extension"))));
  }
  os << "static constexpr OperatorRecord kOperators[] = {\n";
  for (const std::string &o : operators)
    os << "  " << o << ",\n";
  os << "};\n";
}

} // namespace

void yarrow::tblgen::emitRuleClasses(const RecordKeeper &records,
                                     raw_ostream &os) {
  emitSourceFileHeader("Rule classes", os, records);
  for (const Record *r : records.getAllDerivedDefinitions("Rule"))
    os << formatv("RULE({0}, {1})\n", r->getName(),
                  r->getValueAsString("function"));
  os << "#undef RULE\n";
}

void yarrow::tblgen::emitKeys(const RecordKeeper &records, raw_ostream &os) {
  emitSourceFileHeader("Keys of layers", os, records);
  // Operators may give one name several kinds: `axis` is an Int of most, and a
  // list of some.
  std::map<StringRef, std::set<StringRef>> kindsOf;
  for (const Record *r : records.getAllDerivedDefinitions("Compass_Record"))
    for (const Record *key : r->getValueAsListOfDefs("keys"))
      kindsOf[key->getValueAsString("name")].insert(
          key->getValueAsString("kind"));
  for (const auto &[name, kinds] : kindsOf) {
    std::string list;
    for (StringRef kind : kinds)
      list += (list.empty() ? "KeyKind::" : ", KeyKind::") + kind.str();
    os << formatv("inline constexpr Key<{0}> {1}(\"{1}\");\n", list, name);
  }
}

void yarrow::tblgen::emitIrNames(const RecordKeeper &records, raw_ostream &os) {
  emitSourceFileHeader("Compass IR names", os, records);
  TableWriter(records, os).write();
}
