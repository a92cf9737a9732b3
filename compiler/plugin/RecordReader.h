//===- RecordReader.h - The YAML record of a plugin -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reads the record that docs/plugins.md describes, with LLVM's YAML parser, and
// checks everything that does not need its C++ file. Every problem of the text
// is reported (E1101) with its line.
//
//   std::optional<PluginRecord> record = readPluginRecord("clip.yaml", diags);
//   record->plugin->record.layerType; // "SwishClip"
//   record->source;                   // "clip.cpp", beside the record
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PLUGIN_RECORDREADER_H
#define YARROW_COMPILER_PLUGIN_RECORDREADER_H

#include "dialects/compass/custom/PluginOperator.h"
#include "support/Diagnostics.h"

namespace yarrow {

struct PluginRecord {
  /// Without kernels: they are known by their symbols alone.
  std::unique_ptr<compass::PluginOperator> plugin;
  std::string source; ///< The C++ file, as to be opened.
};

std::optional<PluginRecord> readPluginRecord(const std::string &path,
                                             DiagnosticEngine &diags);
/// The same of \p text; \p path is for messages and for `source`.
std::optional<PluginRecord> parsePluginRecord(llvm::StringRef text,
                                              const std::string &path,
                                              DiagnosticEngine &diags);

/// What a kernel of \p plugin includes: its keys as a struct, its parameters as
/// a class named like the layer type.
std::string kernelHeader(const compass::PluginOperator &plugin);

} // namespace yarrow

#endif // YARROW_COMPILER_PLUGIN_RECORDREADER_H
