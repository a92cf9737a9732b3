//===- YarrowTblgen.cpp - Code and documents from Yarrow's records --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The generators of this project: descriptor structs (-gen-descriptors), the
// instruction-set manual (-gen-descriptor-doc), the names and kinds that
// operators and their keys have in IR text (-gen-ir-names), and the operator
// table of the documentation (-gen-operator-doc).
//
//===----------------------------------------------------------------------===//
#include "isa/tblgen/Generators.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/TableGen/Main.h"

using namespace llvm;

namespace {
enum class Action { Descriptors, DescriptorDoc, IrNames, OperatorDoc };
cl::opt<Action> action(
    cl::desc("what to generate"),
    cl::values(
        clEnumValN(Action::Descriptors, "gen-descriptors",
                   "descriptor structs"),
        clEnumValN(Action::DescriptorDoc, "gen-descriptor-doc", "ISA manual"),
        clEnumValN(Action::IrNames, "gen-ir-names", "IR text name table"),
        clEnumValN(Action::OperatorDoc, "gen-operator-doc", "operator table")));

bool generate(raw_ostream &os, const RecordKeeper &records) {
  switch (action) {
  case Action::Descriptors:
    yarrow::tblgen::emitDescriptors(records, os);
    break;
  case Action::DescriptorDoc:
    yarrow::tblgen::emitDescriptorDoc(records, os);
    break;
  case Action::IrNames:
    yarrow::tblgen::emitIrNames(records, os);
    break;
  case Action::OperatorDoc:
    yarrow::tblgen::emitOperatorDoc(records, os);
    break;
  }
  return false;
}
} // namespace

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv);
  return TableGenMain(argv[0], generate);
}
