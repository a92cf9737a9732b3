//===- Diff.cpp - yarrow diff ---------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "compiler/compare/CycleDiff.h"
#include "compiler/compare/NetworkDiff.h"
#include "compiler/model/Models.h"
#include "compiler/page/Page.h"
#include "compiler/session/Network.h"
#include "support/AtomicFile.h"
#include "support/FileKind.h"
#include "support/Format.h"
#include "support/MappedFile.h"
#include "support/TextTable.h"

#include <CLI/CLI.hpp>

using namespace yarrow;

namespace {
struct DiffFlags {
  std::string before, after, html;
};

enum class DiffKind { Networks, Runs };
} // namespace

/// Nullopt if the file cannot be read.
static std::optional<DiffKind> kindOf(const std::string &paths,
                                      yarrow::DiagnosticEngine &diags) {
  auto file = MappedFile::open(splitModelPaths(paths).first, diags);
  if (!file)
    return std::nullopt;
  FileKind kind = fileKindOf(file->bytes());
  bool isRun = kind == FileKind::Elf ||
               (kind == FileKind::Json && !isForeignModel(file->path()));
  return isRun ? DiffKind::Runs : DiffKind::Networks;
}

/// "net.txt,net.bin", or a model of another format; null after errors.
static std::shared_ptr<const session::Network> read(const std::string &paths,
                                                    Driver &driver) {
  auto [txt, bin] = splitModelPaths(paths);
  session::ModelSource source{txt, bin};
  source.use = session::LoadFor::Inspection;
  return session::load(source, driver.call());
}

static bool diffOfNetworks(const DiffFlags &flags, Driver &driver) {
  auto first = read(flags.before, driver), second = read(flags.after, driver);
  if (!first || !second)
    return false;
  mlir::ModuleOp before = first->module(), after = second->module();
  std::vector<LayerChange> changes = diffNetworks(before, after);
  driver.printNewDiagnostics();
  driver.printLine(formatCount(numLayers(before)) + " and " +
                   formatCount(numLayers(after)) + " layers, " +
                   (changes.empty() ? "all equal"
                                    : formatCount(changes.size()) + " differ") +
                   "\n");
  TextTable table;
  table.column("layer").shortened().column("type").optional(1);
  table.column("change").wrapped();
  for (const LayerChange &change : changes)
    table.row({change.layer, change.type, change.text});
  if (!changes.empty())
    driver.printLine(table.str(driver.tableWidth()));
  driver.passCode = changes.empty() ? ExitOk : ExitCheck;
  return true;
}

static bool writePage(const DiffFlags &flags, Driver &driver) {
  std::vector<PageBuild> builds;
  for (const std::string &path : {flags.before, flags.after}) {
    std::optional<PageBuild> build = readPageBuild(path, driver.diags);
    if (!build)
      return false;
    builds.push_back(std::move(*build));
  }
  return writeFile(flags.html, pageHtml(builds), driver.diags);
}

static bool diffOfRuns(const DiffFlags &flags, Driver &driver) {
  auto before = figuresOf(flags.before, driver.diags),
       after = figuresOf(flags.after, driver.diags);
  if (!before || !after)
    return false;
  driver.printNewDiagnostics();
  driver.printLine(cycleTable(*before, *after, driver.tableWidth()));
  driver.passCode = areEqual(*before, *after) ? ExitOk : ExitCheck;
  return flags.html.empty() || writePage(flags, driver);
}

/// Whether there can be a page, and a file for it.
static bool planPage(const DiffFlags &flags, DiffKind kind, Driver &driver) {
  if (kind == DiffKind::Networks) {
    driver.usageError(
        "--html shows runs, and these are networks, not executables",
        "build both, and compare their executables or reports");
    return false;
  }
  driver.files.reads({flags.before, flags.after});
  driver.files.writes(flags.html);
  return driver.files.check(driver.diags) &&
         driver.files.canBeWritten(driver.diags);
}

static bool diff(const DiffFlags &flags, Driver &driver) {
  auto before = kindOf(flags.before, driver.diags),
       after = kindOf(flags.after, driver.diags);
  if (!before || !after)
    return false;
  if (*before != *after) {
    driver.usageError("a network can only be compared with a network",
                      "`yarrow eval --int net.txt --exe aipu.bin` compares the "
                      "results of a network and an executable");
    return false;
  }
  if (!flags.html.empty() && !planPage(flags, *before, driver))
    return false;
  return *before == DiffKind::Networks ? diffOfNetworks(flags, driver)
                                       : diffOfRuns(flags, driver);
}

void yarrow::addDiffCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<DiffFlags>();
  CLI::App *command = app.add_subcommand(
      "diff",
      "List what changed from one network, executable or report to another");
  command
      ->add_option("before", flags->before,
                   "An IR (net.txt,net.bin) or model, an executable, or a "
                   "report with cycles")
      ->required();
  command->add_option("after", flags->after, "A second one of the same kind")
      ->required();
  addPageOption(*command, flags->html);
  command->footer(
      std::string(
          "Networks are compared layer by layer: types, shapes, scales, "
          "parameters, weights.\n"
          "Executables are run once, with zeros, and compared by the cycles "
          "of their layers,\n"
          "as reports are. The largest change comes first. Exit code 3: they "
          "differ.\n"
          "Example:\n"
          "  yarrow diff old_o.txt new_o.txt\n"
          "  yarrow diff old.bin new.bin\n"
          "  yarrow diff old/report.json new/report.json --html "
          "page.html\n\n") +
      kExitCodeHelp);
  command->callback([flags, &driver] { driver.finish(diff(*flags, driver)); });
}
