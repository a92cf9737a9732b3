//===- Operators.cpp - What operators are called in IR text ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reads the Compass_Op records of dialects/compass. The table that
// -gen-ir-names writes drives the IR reader, the IR writer and the quantizer's
// choice of rule; -gen-operator-doc writes docs/operators.md.
//
//===----------------------------------------------------------------------===//
#include "isa/tblgen/Generators.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TableGen/Record.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace llvm;

void yarrow::tblgen::emitIrNames(const RecordKeeper &records, raw_ostream &os) {
  emitSourceFileHeader("Compass IR names", os, records);
  os << "#ifdef RULE\n";
  for (const Record *r : records.getAllDerivedDefinitions("Rule"))
    os << formatv("RULE({0})\n", r->getName());
  os << "#undef RULE\n#endif\n#ifdef OPERATOR\n";
  for (const Record *r : records.getAllDerivedDefinitions("Compass_Op")) {
    os << formatv("OPERATOR(\"compass.{0}\", \"{1}\", {2})\n",
                  r->getValueAsString("opName"), r->getValueAsString("irType"),
                  r->getValueAsDef("rule")->getName());
    for (const Record *k : r->getValueAsListOfDefs("keys"))
      os << formatv("  KEY(\"{0}\", {1}, {2})\n", k->getValueAsString("name"),
                    k->getValueAsString("kind"),
                    k->getValueAsBit("intOnly") ? "true" : "false");
    os << "OPERATOR_END()\n";
  }
  os << "#undef OPERATOR\n#undef KEY\n#undef OPERATOR_END\n#endif\n";
}

void yarrow::tblgen::emitOperatorDoc(const RecordKeeper &records,
                                     raw_ostream &os) {
  os << "# Operators\n\nGenerated from the records in dialects/compass; do not "
        "edit.\n\n";
  for (const Record *r : records.getAllDerivedDefinitions("Compass_Op")) {
    os << formatv("## {0}\n\n{1}. Quantization rule: {2}.\n\n| key | kind | "
                  "meaning |\n|---|---|---|\n",
                  r->getValueAsString("irType"), r->getValueAsString("summary"),
                  r->getValueAsDef("rule")->getValueAsString("doc"));
    for (const Record *k : r->getValueAsListOfDefs("keys"))
      os << formatv("| `{0}` | {1}{2} | {3} |\n", k->getValueAsString("name"),
                    k->getValueAsString("kind"),
                    k->getValueAsBit("intOnly") ? ", int IR" : "",
                    k->getValueAsString("doc"));
    os << "\n";
  }
}
