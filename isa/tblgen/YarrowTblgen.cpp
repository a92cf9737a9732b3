//===- YarrowTblgen.cpp - Code and documents from Yarrow's records --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The generators of this project: descriptor structs (-gen-descriptors), the
// instruction-set manual (-gen-descriptor-doc), the tables of operators and
// their keys in IR text (-gen-ir-names), the keys as names that C++ uses
// (-gen-keys), and the tables of TEC instructions and
// registers (-gen-tec-..., made of .def records, whatever .td is read).
//
//===----------------------------------------------------------------------===//
#include "isa/tblgen/Generators.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/TableGen/Main.h"

using namespace llvm;

namespace {
enum class Action {
  Descriptors,
  DescriptorDoc,
  RuleClasses,
  IrNames,
  Keys,
  TecInstDoc,
  TecCustomDoc,
  TecCsrDoc
};
cl::opt<Action> action(
    cl::desc("what to generate"),
    cl::values(
        clEnumValN(Action::Descriptors, "gen-descriptors",
                   "descriptor structs"),
        clEnumValN(Action::DescriptorDoc, "gen-descriptor-doc", "ISA manual"),
        clEnumValN(Action::RuleClasses, "gen-rule-classes",
                   "names of the rule classes"),
        clEnumValN(Action::IrNames, "gen-ir-names", "IR text name table"),
        clEnumValN(Action::Keys, "gen-keys", "names of keys for C++"),
        clEnumValN(Action::TecInstDoc, "gen-tec-inst-doc",
                   "table of TEC instructions"),
        clEnumValN(Action::TecCustomDoc, "gen-tec-custom-doc",
                   "table of our own TEC instructions"),
        clEnumValN(Action::TecCsrDoc, "gen-tec-csr-doc", "table of CSRs")));

bool generate(raw_ostream &os, const RecordKeeper &records) {
  switch (action.getValue()) {
  case Action::Descriptors:
    yarrow::tblgen::emitDescriptors(records, os);
    break;
  case Action::DescriptorDoc:
    yarrow::tblgen::emitDescriptorDoc(records, os);
    break;
  case Action::RuleClasses:
    yarrow::tblgen::emitRuleClasses(records, os);
    break;
  case Action::IrNames:
    yarrow::tblgen::emitIrNames(records, os);
    break;
  case Action::Keys:
    yarrow::tblgen::emitKeys(records, os);
    break;
  case Action::TecInstDoc:
    yarrow::tblgen::emitTecInstDoc(os);
    break;
  case Action::TecCustomDoc:
    yarrow::tblgen::emitTecCustomDoc(os);
    break;
  case Action::TecCsrDoc:
    yarrow::tblgen::emitTecCsrDoc(os);
    break;
  }
  return false;
}
} // namespace

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv);
  return TableGenMain(argv[0], generate);
}
