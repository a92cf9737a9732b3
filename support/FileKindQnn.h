//===- FileKindQnn.h - Forms of QNN models by their first bytes -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Recognizes files with models for QNN and SNPE, for FileKind.h. Only the graph
// as JSON can be read; the others are recognized so that a user learns what to
// export instead.
//
//   if (isQnnGraph(text)) ...   // net.json
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_FILEKINDQNN_H
#define YARROW_SUPPORT_FILEKINDQNN_H

#include <cstddef>
#include <span>
#include <string_view>

namespace yarrow {

/// Whether \p text, which begins with an object of JSON, is the begin of a
/// graph that a QNN converter, or one who writes like it, has written.
bool isQnnGraph(std::string_view text);
/// A ZIP that has a model beside its parameters.
bool isQnnContainerZip(std::span<const std::byte> bytes);
/// The model, or the parameters, of such a ZIP alone.
bool isQnnContainerModel(std::string_view text);
bool isQnnContext(std::string_view text);
/// An ELF file that exports the function of QNN's model libraries.
bool isQnnLibrary(std::span<const std::byte> bytes);

} // namespace yarrow

#endif // YARROW_SUPPORT_FILEKINDQNN_H
