//===- KernelCompiler.cpp - The C++ file of a plugin ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/plugin/KernelCompiler.h"

#include "support/BuildCache.h"
#include "support/CodeFile.h"
#include "support/diagnostics/Plugins.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>
#include <fstream>

using namespace yarrow;
using llvm::SmallString;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static const char *const kHostFlags[] = {
#include "kernels/HostFlags.inc"
};
static const char *const kTecFlags[] = {
#include "kernels/TecFlags.inc"
};

namespace {

/// A folder that is removed with all that is in it.
class TemporaryFolder {
public:
  TemporaryFolder() {
    exists = !fs::createUniqueDirectory("yarrow-plugin", folder);
  }
  ~TemporaryFolder() {
    if (exists)
      fs::remove_directories(folder);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  explicit operator bool() const { return exists; }
  std::string file(StringRef name) const {
    return (folder.str() + "/" + name).str();
  }
  std::string name() const { return folder.str().str(); }

private:
  SmallString<128> folder;
  bool exists = false;
};

std::optional<std::string> contents(const std::string &name) {
  auto buffer = llvm::MemoryBuffer::getFile(name);
  return buffer ? std::optional((*buffer)->getBuffer().str()) : std::nullopt;
}

/// One run of the compiler; false if it fails.
bool run(const std::string &program, const std::vector<std::string> &arguments,
         const std::string &output, const std::string &errors) {
  std::vector<StringRef> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(output),
                                          StringRef(errors)};
  return llvm::sys::ExecuteAndWait(program, words, std::nullopt, redirects) ==
         0;
}

class KernelCompiler {
public:
  KernelCompiler(const PluginRecord &record, DiagnosticEngine &diags)
      : record(record), diags(diags) {}

  std::optional<CompiledKernels> compile();

private:
  Diagnostic &problem(Place place, std::string message) {
    return diags.report(diag::PluginSource, std::move(place),
                        std::move(message));
  }
  bool findClang();
  bool findHeaders();
  std::vector<std::string> flags(llvm::ArrayRef<const char *> of) const;
  std::optional<std::string> make(std::vector<std::string> arguments);
  void reportErrors(StringRef text);

  const PluginRecord &record;
  DiagnosticEngine &diags;
  TemporaryFolder folder;
  std::string clang, version, headers;
};

} // namespace

bool KernelCompiler::findClang() {
  const std::string major = std::to_string(LLVM_VERSION_MAJOR);
  std::string found;
  for (const std::string &name : {"clang++-" + major, std::string("clang++")}) {
    auto program = llvm::sys::findProgramByName(name);
    if (!program)
      continue;
    std::string text = folder.file("version");
    run(*program, {"--version"}, text, folder.file("errors"));
    version = contents(text).value_or("");
    StringRef line = StringRef(version).split('\n').first;
    if (line.contains("clang version " + major + ".")) {
      clang = *program;
      return true;
    }
    found = *program + (line.empty() ? "" : ": " + line.str());
  }
  problem({record.source}, "no clang for compiling kernels was found")
      .found(found.empty() ? "no clang++" : found)
      .expected("clang++ of version " + major)
      .hint("on Debian: apt install clang-" + major);
  return false;
}

/// Those of an installed Yarrow, or of the sources that it was built in.
bool KernelCompiler::findHeaders() {
  auto code = codeFile(reinterpret_cast<const void *>(&compileKernels));
  SmallString<256> at(path::parent_path(code.value_or("")));
  for (; !at.empty(); at = SmallString<256>(path::parent_path(at)))
    for (StringRef below : {"include/yarrow", "."}) {
      SmallString<256> root(at);
      path::append(root, below);
      if (!fs::exists(llvm::Twine(root) + "/kernels/custom/Custom.h"))
        continue;
      path::remove_dots(root, /*remove_dot_dot=*/true);
      headers = root.str().str();
      return true;
    }
  problem({record.source}, "the headers of kernels are not installed")
      .expected("include/yarrow/kernels/custom/Custom.h next to Yarrow")
      .hint("on Debian: apt install libyarrow-dev");
  return false;
}

std::vector<std::string>
KernelCompiler::flags(llvm::ArrayRef<const char *> of) const {
  std::vector<std::string> all(of.begin(), of.end());
  std::string beside = path::parent_path(record.source).str();
  // The same bytes wherever the files lie.
  for (const std::string &more :
       {"-I" + headers, "-I" + folder.name(),
        "-ffile-prefix-map=" + folder.name() + "=",
        "-ffile-prefix-map=" + headers + "=",
        "-ffile-prefix-map=" + (beside.empty() ? "./" : beside + "/") + "=",
        std::string("-w"), std::string("-fno-color-diagnostics"),
        std::string("-fno-caret-diagnostics"), std::string("-ferror-limit=20"),
        std::string("-xc++")})
    all.push_back(more);
  return all;
}

/// clang's own words, each error at its place.
void KernelCompiler::reportErrors(StringRef text) {
  size_t before = diags.numErrors();
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    auto [at, message] = line.split(" error: ");
    if (message.empty())
      continue;
    at.consume_back(" fatal");
    llvm::SmallVector<StringRef> parts; // file:line:column:
    at.split(parts, ':');
    unsigned number = 0, column = 0;
    size_t last = parts.size();
    Place place{record.source};
    if (last >= 4 && !parts[last - 3].getAsInteger(10, number) &&
        !parts[last - 2].getAsInteger(10, column))
      place = {parts[0].str(), number, "", "", column};
    problem(place, "clang: " + message.str());
  }
  if (diags.numErrors() == before)
    problem({record.source}, "clang failed")
        .found(text.trim().take_back(400).str());
}

/// What clang makes, or nullopt with its errors told.
std::optional<std::string>
KernelCompiler::make(std::vector<std::string> arguments) {
  std::string output = folder.file("output"), errors = folder.file("errors");
  for (const std::string &last : {record.source, std::string("-o"), output})
    arguments.push_back(last);
  if (run(clang, arguments, "", errors))
    if (auto made = contents(output))
      return made;
  reportErrors(contents(errors).value_or(""));
  return std::nullopt;
}

/// The user's folder for what can be made again, or "".
static std::string cacheFolder() {
  SmallString<128> name;
  if (const char *cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    name = cache;
  else if (const char *home = std::getenv("HOME"); home && *home)
    path::append(name, home, ".cache");
  else
    return "";
  path::append(name, "yarrow");
  return fs::create_directories(name) ? "" : name.str().str();
}

std::optional<CompiledKernels> KernelCompiler::compile() {
  if (!folder) {
    problem({record.source}, "there is no folder for temporary files")
        .expected("a writable folder in TMPDIR");
    return std::nullopt;
  }
  if (!fs::exists(record.source)) {
    problem({record.plugin->file, record.plugin->line},
            "the record's C++ file does not exist")
        .found(record.source)
        .expected("source: a file, relative to the record's folder");
    return std::nullopt;
  }
  if (!findClang() || !findHeaders())
    return std::nullopt;
  std::ofstream(folder.file(record.plugin->record.layerType.str() + ".h"))
      << kernelHeader(*record.plugin);

  CompiledKernels kernels;
  struct Part {
    const char *name;
    llvm::ArrayRef<const char *> flags;
    std::vector<std::string> how;
    std::vector<char> &made;
  } parts[] = {
      {"host", kHostFlags, {"-shared", "-fPIC", "-nostdlib"}, kernels.host},
      {"tec", kTecFlags, {"-emit-llvm", "-c"}, kernels.bitcode}};
  BuildCache cache(cacheFolder(), "plugin");
  for (Part &part : parts) {
    std::vector<std::string> base = flags(part.flags), preprocess = base;
    preprocess.insert(preprocess.end(), {"-E", "-P"});
    auto text = make(preprocess);
    if (!text)
      return std::nullopt;
    std::string key = std::string(part.name) + "\n" + version +
                      llvm::join(part.flags, " ") + "\n" + *text;
    if (auto found = cache.find(key)) {
      part.made = std::move(*found);
      continue;
    }
    base.insert(base.end(), part.how.begin(), part.how.end());
    auto made = make(base);
    if (!made)
      return std::nullopt;
    part.made.assign(made->begin(), made->end());
    cache.store(key, part.made);
  }
  return kernels;
}

std::optional<CompiledKernels>
yarrow::compileKernels(const PluginRecord &record, DiagnosticEngine &diags) {
  return KernelCompiler(record, diags).compile();
}
