//===- BuildOptions.cpp - yarrow build on the command line ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Build.h"
#include "compiler/commands/CacheOption.h"
#include "compiler/commands/Commands.h"
#include "compiler/commands/DisabledPasses.h"
#include "compiler/commands/Numbers.h"
#include "compiler/commands/QuantizeFlags.h"

#include <CLI/CLI.hpp>

using namespace yarrow;

bool yarrow::buildAsConfigured(const std::string &config, Driver &driver) {
  BuildFlags flags;
  flags.config = config;
  flags.isBrief = true;
  return runBuild(flags, driver);
}

void yarrow::addBuildCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<BuildFlags>();
  CLI::App *command = app.add_subcommand(
      "build", "Quantize, compile, run and measure a model, or as a net.cfg "
               "says");
  command
      ->add_option(
          "config", flags->config,
          "Configuration file, or a model: ONNX, TFLite, QNN, or the text "
          "of an IR")
      ->required();
  addReadingOptions(*command, flags->reading);
  addResetOption(*command, flags->resetEvery);
  addShapeRangeOption(*command, flags->shapeRanges);
  command->add_option("-c,--calibration-data", flags->calibrationData,
                      "Instead of the configuration's calibration_data");
  command->add_option("--data", flags->data, "Instead of its data");
  command->add_option("--label", flags->label, "Instead of its label");
  command->add_option("-t,--target", flags->target, "Instead of its target");
  command->add_option("-o,--output-dir", flags->outputDir,
                      "Instead of its output_dir, also for outputs; of a model "
                      "alone a folder of its name is made");
  addPictureOptions(*command, flags->pictures);
  addFoldOption(*command, flags->pictures);
  addRecipeOption(*command, flags->recipe,
                  "Instead of its recipe; auto if a model is given.");
  command
      ->add_option(
          "--set", flags->settings,
          "Set a key as a line of the file would: --set weight_bits=4, "
          "--set GBuilder.profile=True")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option("--goal", flags->goal,
                   "SQNR in dB that every part of every output is to keep, "
                   "with 16 bits where they are needed: its goal")
      ->type_name("DB");
  command
      ->add_option("--price", flags->price,
                   "The most cycles that the goal may cost, by those of 8 "
                   "bits: its price")
      ->type_name("FACTOR");
  command
      ->add_option(
          "--gate", flags->gates,
          "Exit with 3 if an output is below: cosine=0.99, sqnr=30; compared "
          "with the float network on the data that are evaluated, or else on "
          "the calibration samples; may be repeated")
      ->type_name("FIGURE=LEAST")
      ->allow_extra_args(false);
  addThresholdOption(*command, flags->threshold);
  addDisabledPassesOption(*command, flags->disabledPasses);
  addCacheOption(*command, flags->cache);
  command
      ->add_option("--samples", flags->samples, "Evaluate only so many samples")
      ->check(wholeNumber(1));
  addPageOption(*command, flags->html);
  command->add_flag("--allow-unknown", flags->allowUnknown,
                    "Keys that are not known become a note");
  command->add_flag("--brief", flags->isBrief, "No tables of layers");
  addWinogradOption(*command, flags->winograd);
  addRoundingOption(*command, flags->given);
  addBudgetOption(*command, flags->budget);
  addOptimizeOptions(*command, flags->optimize, flags->dontOptimize);
  command->footer(
      std::string(
          "Example:\n"
          "  yarrow build net.onnx -c samples.npy\n"
          "makes the folder net with everything in it; without samples, "
          "inputs are drawn.\n"
          "  yarrow build net.cfg\n"
          "The file is an AIPUBuilder configuration ([Common], [Optimizer] or\n"
          "[AutoQuantizationTool], [GBuilder]) or one of the Compass "
          "Optimizer\n"
          "([Common] alone: only quantizes). mode = run simulates one input "
          "with\n"
          "cycles counted; with data and label, float, integer and NPU "
          "accuracy are\n"
          "measured. Everything is written to output_dir: <model>_o.txt and "
          ".bin,\n"
          "aipu.bin, report.json; trace.json with profile = True.\n"
          "  yarrow build net.cfg --html page.html\n"
          "shows all of it as one page (docs/page.md).\n\n") +
      kExitCodeHelp);
  command->callback(
      [flags, &driver] { driver.finish(runBuild(*flags, driver)); });
}
