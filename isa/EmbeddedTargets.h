//===- EmbeddedTargets.h - Machine files in the program ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The files of targets/ as EmbedTargets.cmake writes them into a source, for
// isa/Machine.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_ISA_EMBEDDEDTARGETS_H
#define YARROW_ISA_EMBEDDEDTARGETS_H

namespace yarrow::isa {

struct EmbeddedTarget {
  const char *name, *json;
};
/// In the order of names.
extern const EmbeddedTarget embeddedTargets[];
extern const unsigned numEmbeddedTargets;

} // namespace yarrow::isa

#endif // YARROW_ISA_EMBEDDEDTARGETS_H
