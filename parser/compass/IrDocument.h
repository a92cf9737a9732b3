//===- IrDocument.h - Compass IR text as sections of key=value --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The syntax of Compass IR text, without its meaning: a header, layers, and the
// sub-graphs of control flow, each a list of key=value entries in file order.
// Nothing is lost: parse and write reproduce the files of the reference parser
// and optimizer byte for byte.
//
//   model_name=net            doc.header.find("model_name")->value.asWord()
//   layer_number=2
//
//   layer_id=0                doc.layers[0]
//   layer_name=in
//   ...
//
// Tolerated, because files in the wild have it: blanks around = , [ ], quoted
// items, a key repeated with the same value (which is warned of), missing or
// additional blank lines between layers, CR LF line ends.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_COMPASS_IRDOCUMENT_H
#define YARROW_PARSER_COMPASS_IRDOCUMENT_H

#include "parser/compass/IrValue.h"
#include "support/Diagnostics.h"

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow::compass {

struct IrEntry {
  std::string key;
  IrValue value;
  unsigned line = 0; ///< 1-based; 0 for an entry that was not read.
};

/// A header or a layer.
struct IrSection {
  std::vector<IrEntry> entries;
  unsigned line = 0; ///< Of the first entry.

  const IrEntry *find(std::string_view key) const;
  IrEntry *find(std::string_view key);
  /// The layer_name, or "".
  std::string layerName() const;
  /// Appends without looking for an entry of that key.
  void append(std::string key, IrValue value);
  /// Replaces the value of \p key, or appends it.
  void set(std::string_view key, IrValue value);
};

/// A graph that an If or Loop layer calls. Its header begins with
/// subgraph_name; its layers share the weights file of the main graph.
struct IrSubgraph {
  IrSection header;
  std::vector<IrSection> layers;
};

struct IrDocument {
  std::string fileName;
  IrSection header; ///< Empty if the file begins with a layer.
  std::vector<IrSection> layers;
  std::vector<IrSubgraph> subgraphs;
  /// Line feeds after the last entry: the Optimizer writes 2, the parser 3.
  unsigned endLineFeeds = 2;

  bool hasSubgraphs() const { return !subgraphs.empty(); }
};

/// Reads IR text. Reports every problem of the file (the first 50) under
/// \p fileName, and answers nullopt if there was an error.
std::optional<IrDocument> parseIrText(std::string_view text,
                                      std::string fileName,
                                      DiagnosticEngine &diags);

/// Writes in canonical form: no blanks, one blank line between sections.
void writeIrText(const IrDocument &document, std::ostream &os);
std::string irText(const IrDocument &document);

} // namespace yarrow::compass

#endif // YARROW_PARSER_COMPASS_IRDOCUMENT_H
