//===- Generators.h - The generators of yarrow-tblgen ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Each function writes one kind of output from all records of a kind; a record
// that contradicts itself is a fatal error at the record's line.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_ISA_TBLGEN_GENERATORS_H
#define YARROW_ISA_TBLGEN_GENERATORS_H

namespace llvm {
class RecordKeeper;
class raw_ostream;
} // namespace llvm

namespace yarrow::tblgen {
void emitDescriptors(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
void emitDescriptorDoc(const llvm::RecordKeeper &records,
                       llvm::raw_ostream &os);
void emitRuleClasses(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
void emitIrNames(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
void emitKeys(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
void emitTecInstDoc(llvm::raw_ostream &os);
void emitTecCustomDoc(llvm::raw_ostream &os);
void emitTecCsrDoc(llvm::raw_ostream &os);
} // namespace yarrow::tblgen

#endif // YARROW_ISA_TBLGEN_GENERATORS_H
