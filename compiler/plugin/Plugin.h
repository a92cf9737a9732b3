//===- Plugin.h - Operators without Yarrow's sources ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Loads what --plugin names: reads the record, compiles its C++ file, and adds
// operator and kernels to the tables of the process. Native code of the plugin
// runs in this process from then on. docs/plugins.md tells how one is written.
//
//   if (!loadPlugin("examples/plugin/swish_clip.yaml", diags)) ...
//   compass::findLayerType("SwishClip"); // its record
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PLUGIN_PLUGIN_H
#define YARROW_COMPILER_PLUGIN_PLUGIN_H

#include "support/Diagnostics.h"

#include <string>

namespace yarrow {

/// Before the models that need it are read, and not while another thread
/// compiles. A file that was loaded already is not loaded again. False after
/// errors, with nothing added.
bool loadPlugin(const std::string &path, DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_PLUGIN_PLUGIN_H
