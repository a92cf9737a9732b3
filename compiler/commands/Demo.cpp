//===- Demo.cpp - yarrow demo ---------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The program carries examples/digits with it, so that an installed package
// shows what it does without a network, a data set or the repository.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "compiler/work/NewFolders.h"
#include "compiler/work/Preflight.h"
#include "support/AtomicFile.h"
#include "support/EmbedFile.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <string_view>

using namespace yarrow;

#define EMBED(SYMBOL, FILE)                                                    \
  YARROW_EMBED_FILE(yarrow_demo_##SYMBOL, YARROW_DEMO_FOLDER "/" FILE)

#define DEMO_FILES(FILE)                                                       \
  FILE(network, "digits.txt")                                                  \
  FILE(weights, "digits.bin")                                                  \
  FILE(configuration, "net.cfg")                                               \
  FILE(calibration, "calibration.npy")                                         \
  FILE(images, "heldout.npy")                                                  \
  FILE(labels, "heldout_label.npy")                                            \
  FILE(picture, "picture.py")

DEMO_FILES(EMBED)
#undef EMBED

namespace {
struct DemoFile {
  const char *name;
  std::string_view bytes;
};
} // namespace

static const DemoFile demoFiles[] = {
#define ENTRY(SYMBOL, FILE)                                                    \
  {FILE,                                                                       \
   {yarrow_demo_##SYMBOL,                                                      \
    std::size_t(yarrow_demo_##SYMBOL##_end - yarrow_demo_##SYMBOL)}},
    DEMO_FILES(ENTRY)
#undef ENTRY
};

/// All files, or none.
static bool writeDemo(const std::string &folder, DiagnosticEngine &diags) {
  if (!makeFolder(folder, diags))
    return false;
  std::vector<std::unique_ptr<AtomicFile>> files;
  std::vector<AtomicFile *> all;
  for (const DemoFile &file : demoFiles) {
    std::string path = (std::filesystem::path(folder) / file.name).string();
    files.push_back(std::make_unique<AtomicFile>(path, diags));
    files.back()->append(file.bytes);
    all.push_back(files.back().get());
  }
  return commitTogether(all);
}

static bool demo(const std::string &folder, Driver &driver) {
  std::error_code error;
  if (std::filesystem::exists(folder, error) &&
      !std::filesystem::is_empty(folder, error)) {
    driver.usageError("the folder " + folder + " is not empty",
                      "`yarrow demo other-folder` uses another one");
    return false;
  }
  if (!writeDemo(folder, driver.diags))
    return false;
  std::string config = (std::filesystem::path(folder) / "net.cfg").string();
  driver.printLine("A network that recognizes handwritten digits is in " +
                   folder +
                   ", with 128 images for calibration and 360 for measuring.\n"
                   "$ yarrow build " +
                   config + "\n");
  if (!buildAsConfigured(config, driver))
    return false;
  driver.printLine(
      "\nNext steps:\n"
      "  yarrow inspect " +
      folder +
      "/out/aipu.bin --layers      show what is in the executable\n"
      "  yarrow diagnose " +
      folder + "/digits.txt -w " + folder + "/digits.bin -c " + folder +
      "/calibration.npy --html page.html\n"
      "  yarrow --help                            list all commands\n");
  return true;
}

void yarrow::addDemoCommand(CLI::App &app, Driver &driver) {
  auto folder = std::make_shared<std::string>("yarrow-demo");
  CLI::App *command = app.add_subcommand(
      "demo", "Write a small network and its data, and build it");
  command
      ->add_option("folder", *folder,
                   "Folder to write to; it must be new or empty")
      ->capture_default_str();
  command->footer(kExitCodeHelp);
  command->callback(
      [folder, &driver] { driver.finish(demo(*folder, driver)); });
}
