//===- Plugin.cpp - Operators without Yarrow's sources --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/plugin/Plugin.h"

#include "compiler/plugin/KernelCompiler.h"
#include "dialects/compass/AddOperator.h"
#include "support/Digest.h"
#include "support/MemoryFile.h"
#include "support/diagnostics/Plugins.h"

#include <cassert>
#include <deque>
#include <dlfcn.h>
#include <set>

using namespace yarrow;
using namespace yarrow::compass;

namespace {

/// What the records of its kernels point to; for the life of the process.
struct LoadedKernels {
  std::vector<char> bitcode;
  std::string digest;
  std::vector<kernels::BufferInfo> floatBuffers, intBuffers;
};

} // namespace

static std::vector<kernels::BufferInfo> buffersOf(const PluginOperator &plugin,
                                                  kernels::DTypeSet types) {
  std::vector<kernels::BufferInfo> buffers;
  for (const TensorRecord &t : plugin.inputs)
    buffers.push_back({.name = t.name, .types = types});
  for (const TensorRecord &t : plugin.outputs)
    buffers.push_back({.name = t.name, .isOutput = true, .types = types});
  return buffers;
}

/// The shared object in this process, or null. It is never unloaded.
static void *openLibrary(const std::vector<char> &bytes,
                         const PluginRecord &record, DiagnosticEngine &diags) {
  // Open from then on: the loader knows libraries by their names, and this
  // one's is the number of the open file.
  static std::deque<MemoryFile> files;
  MemoryFile &file = files.emplace_back("yarrow-plugin");
  void *library = nullptr;
  if (file && file.write({bytes.data(), bytes.size()}))
    library = dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    diags
        .report(diag::PluginSource, {record.source},
                "the compiled kernels cannot be loaded")
        .found(reason ? reason : "no memory for them");
  }
  return library;
}

static bool load(const std::string &path, DiagnosticEngine &diags) {
  std::optional<PluginRecord> record = readPluginRecord(path, diags);
  if (!record)
    return false;
  if (pluginOperators().size() == kMostAddedOperators) {
    diags.report(diag::PluginRecord, {path}, "too many plugins")
        .expected("up to " + std::to_string(kMostAddedOperators));
    return false;
  }
  auto compiled = compileKernels(*record, diags);
  if (!compiled ||
      !checkBitcode(*record->plugin, compiled->bitcode, record->source, diags))
    return false;
  void *library = openLibrary(compiled->host, *record, diags);
  if (!library)
    return false;

  PluginOperator &plugin = *record->plugin;
  // Owned by the table of kernels, which only grows.
  auto &loaded = *new LoadedKernels{std::move(compiled->bitcode), "",
                                    buffersOf(plugin, plugin.floatTypes),
                                    buffersOf(plugin, plugin.intTypes)};
  loaded.digest = digestText(
      digestOf(std::string_view(loaded.bitcode.data(), loaded.bitcode.size())));
  auto add = [&](const std::string &symbol,
                 const std::vector<kernels::BufferInfo> &buffers)
      -> const kernels::KernelInfo * {
    if (symbol.empty())
      return nullptr;
    auto function =
        reinterpret_cast<kernels::KernelFn>(dlsym(library, symbol.c_str()));
    assert(function && "the bitcode of the same file has it");
    std::string_view name = plugin.texts.emplace_back(symbol);
    kernels::addPluginKernel({{name, function, plugin.paramsBytes(), buffers},
                              loaded.bitcode,
                              loaded.digest});
    return kernels::findKernel(name);
  };
  plugin.floatKernel = add(plugin.floatSymbol, loaded.floatBuffers);
  plugin.intKernel = add(plugin.intSymbol, loaded.intBuffers);
  return addPluginOperator(std::move(record->plugin));
}

bool yarrow::loadPlugin(const std::string &path, DiagnosticEngine &diags) {
  static std::set<std::string> loaded;
  if (loaded.contains(path))
    return true;
  if (!load(path, diags))
    return false;
  loaded.insert(path);
  return true;
}
