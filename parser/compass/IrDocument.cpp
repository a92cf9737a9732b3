//===- IrDocument.cpp - Compass IR text as sections of key=value ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Access to sections, and the writer. The reader is IrTextParser.cpp.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/IrDocument.h"

#include <ostream>
#include <utility>

using namespace yarrow::compass;

const IrEntry *IrSection::find(std::string_view key) const {
  for (const IrEntry &entry : entries)
    if (entry.key == key)
      return &entry;
  return nullptr;
}

IrEntry *IrSection::find(std::string_view key) {
  return const_cast<IrEntry *>(std::as_const(*this).find(key));
}

std::string IrSection::layerName() const {
  const IrEntry *entry = find("layer_name");
  return entry ? entry->value.str() : std::string();
}

void IrSection::append(std::string key, IrValue value) {
  entries.push_back({std::move(key), std::move(value), 0});
}

void IrSection::set(std::string_view key, IrValue value) {
  if (IrEntry *entry = find(key))
    entry->value = std::move(value);
  else
    append(std::string(key), std::move(value));
}

static void appendSection(const IrSection &section, std::string &text) {
  if (section.entries.empty())
    return;
  if (!text.empty())
    text += '\n'; // The blank line between sections.
  for (const IrEntry &entry : section.entries) {
    text += entry.key;
    text += '=';
    entry.value.appendTo(text);
    text += '\n';
  }
}

std::string yarrow::compass::irText(const IrDocument &document) {
  std::string text;
  appendSection(document.header, text);
  for (const IrSection &layer : document.layers)
    appendSection(layer, text);
  for (const IrSubgraph &subgraph : document.subgraphs) {
    appendSection(subgraph.header, text);
    for (const IrSection &layer : subgraph.layers)
      appendSection(layer, text);
  }
  // The last entry has written one line feed of its own.
  for (unsigned i = 1; !text.empty() && i < document.endLineFeeds; ++i)
    text += '\n';
  return text;
}

void yarrow::compass::writeIrText(const IrDocument &document,
                                  std::ostream &os) {
  os << irText(document);
}
