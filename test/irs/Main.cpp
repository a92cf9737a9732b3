//===- Main.cpp - yarrow-irs: check and round trip IRs --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// For every IR text below some folders: `yarrow check` finds nothing; text to
// MLIR to text keeps every key, value and constant; and MLIR printed, parsed
// and written again gives the same bytes of text and weights.
//
//   yarrow-irs ../shared/packs test/data/spec_examples
//
// An IR that comes without its weights file, or with a shorter one, is given
// whose bytes are 1: a table of zeros is refused.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/Execution.h"
#include "mlir/Parser/Parser.h"
#include "parser/compass/CompassReader.h"
#include "parser/compass/IrConstant.h"
#include "support/ThreadPool.h"
#include "test/TemporaryFile.h"
#include "test/irs/CompareIr.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace yarrow;
using namespace yarrow::testing;
namespace fs = std::filesystem;

namespace {

struct Arguments {
  std::vector<std::string> folders;
  std::string filter;
  unsigned jobs = 2;
};

/// The result of one IR: "" or what went wrong.
struct Result {
  std::string problem;
  size_t warnings = 0;
};

/// IR text begins with a header.
bool isIrText(const fs::path &path) {
  if (path.extension() != ".txt")
    return false;
  std::ifstream file(path);
  std::string begin(4096, '\0');
  file.read(begin.data(), std::streamsize(begin.size()));
  return begin.find("layer_number") != std::string::npos;
}

/// Bytes that the constants of the text reach.
uint64_t neededBytes(const std::string &txt) {
  DiagnosticEngine ignored;
  auto text = MappedFile::open(txt, ignored);
  auto document =
      text ? compass::parseIrText(text->text(), txt, ignored) : std::nullopt;
  uint64_t needed = 0;
  auto count = [&](const std::vector<compass::IrSection> &layers) {
    for (const compass::IrSection &layer : layers)
      for (const auto &c : compass::collectConstants(
               layer, /*binSizeBytes=*/uint64_t(1) << 40, txt, ignored))
        needed = std::max(needed, c.offsetBytes + c.sizeBytes);
  };
  if (document) {
    count(document->layers);
    for (const compass::IrSubgraph &graph : document->subgraphs)
      count(graph.layers);
  }
  return needed;
}

std::string textOf(const DiagnosticEngine &diags) {
  std::string text;
  for (const Diagnostic &d : diags.all())
    if (d.isError())
      text += d.str() + "\n";
  return text;
}

std::string contentOf(const std::string &path) {
  DiagnosticEngine ignored;
  auto file = MappedFile::open(path, ignored);
  return file ? std::string(file->text()) : "";
}

/// The first line in which what was written through MLIR text differs, or "".
std::string firstDifference(const std::string &direct,
                            const std::string &through) {
  if (direct == through)
    return "";
  std::istringstream a(direct), b(through);
  std::string x, y;
  while (std::getline(a, x) && std::getline(b, y) && x == y)
    ;
  return "written '" + x + "', but '" + y + "' through MLIR text";
}

/// Prints \p module with locations, which hold the layers' names, parses it in
/// another context and writes it to \p txt and \p bin.
std::string writeThroughMlir(mlir::ModuleOp module, const std::string &txt,
                             const std::string &bin) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, mlir::OpPrintingFlags().enableDebugInfo());
  mlir::DialectRegistry registry;
  compass::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto parsed = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!parsed)
    return "its MLIR text cannot be parsed";
  DiagnosticEngine diags;
  compass::writeCompassIr(*parsed, txt, bin, diags);
  return textOf(diags);
}

Result checkOne(const std::string &txt, const Arguments &args) {
  Result result;
  std::string bin = fs::path(txt).replace_extension(".bin").string();
  TemporaryFile filler;
  std::error_code error;
  uint64_t size = fs::file_size(bin, error);
  if (uint64_t needed = neededBytes(txt); error || size < needed) {
    bin = filler.path();
    // No zeros: a table of them is an error.
    std::ofstream(bin) << std::string(needed, '\1');
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  DiagnosticEngine diags;
  auto module = compass::readCompassIr(context, txt, bin, diags);
  for (const Diagnostic &d : diags.all())
    result.warnings += diagSeverity(d.id) == "warning";
  result.problem = textOf(diags);
  if (!module || !result.problem.empty())
    return result;

  // The header names the weights file, so both are written to one name.
  TemporaryFile folder;
  fs::create_directory(folder.path());
  auto in = [&](const char *sub, const char *name) {
    fs::create_directory(folder.path() + "/" + sub);
    return folder.path() + "/" + sub + "/" + name;
  };
  std::string txt1 = in("a", "w.txt"), bin1 = in("a", "w.bin");
  std::string txt2 = in("b", "w.txt"), bin2 = in("b", "w.bin");
  compass::writeCompassIr(*module, txt1, bin1, diags);
  auto before = readIrFiles(txt, bin, diags),
       after = readIrFiles(txt1, bin1, diags);
  result.problem = textOf(diags);
  if (result.problem.empty())
    result.problem = compareIr(*before, *after);
  if (result.problem.empty())
    result.problem = writeThroughMlir(*module, txt2, bin2);
  if (result.problem.empty())
    result.problem = firstDifference(contentOf(txt1), contentOf(txt2));
  if (result.problem.empty() && contentOf(bin1) != contentOf(bin2))
    result.problem = "MLIR printed, parsed and written has other weights";
  fs::remove_all(folder.path(), error);
  return result;
}

bool parse(int argc, char **argv, Arguments &args) {
  for (int i = 1; i < argc; ++i) {
    std::string flag = argv[i];
    if (flag == "--filter" && i + 1 < argc)
      args.filter = argv[++i];
    else if (flag == "--jobs" && i + 1 < argc)
      args.jobs = unsigned(std::max(1, std::atoi(argv[++i])));
    else if (flag.starts_with("--"))
      return false;
    else
      args.folders.push_back(flag);
  }
  return !args.folders.empty();
}

} // namespace

int main(int argc, char **argv) {
  Arguments args;
  if (!parse(argc, argv, args)) {
    std::cerr << "usage: yarrow-irs [--filter SUBSTRING] [--jobs N] "
                 "FOLDER...\n";
    return 2;
  }
  std::vector<std::string> paths;
  for (const std::string &folder : args.folders) {
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder, error), end; it != end;
         it.increment(error))
      if (it->path().string().find(args.filter) != std::string::npos &&
          isIrText(it->path()))
        paths.push_back(it->path().string());
  }
  if (paths.empty()) {
    std::cout << "skipped: no reference packs\n";
    return 77; // to ctest
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Result> results(paths.size());
  parallelFor(
      paths.size(), [&](size_t i) { results[i] = checkOne(paths[i], args); },
      args.jobs);
  size_t failed = 0, warnings = 0;
  for (size_t i = 0; i < paths.size(); ++i) {
    warnings += results[i].warnings;
    if (results[i].problem.empty())
      continue;
    ++failed;
    std::cout << "FAIL " << paths[i] << ": " << results[i].problem << "\n";
  }
  std::cout << paths.size() - failed << " of " << paths.size()
            << " IRs pass check and round trip, " << warnings << " warnings\n";
  return failed ? 1 : 0;
}
