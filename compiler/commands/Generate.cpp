//===- Generate.cpp - yarrow generate -------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A language model makes a text, token by token.
//
//===----------------------------------------------------------------------===//
#include "compiler/generate/Generate.h"
#include "compiler/commands/Commands.h"
#include "compiler/commands/Numbers.h"
#include "compiler/generate/LanguageModel.h"
#include "compiler/model/Models.h"
#include "compiler/session/Compile.h"
#include "simulator/device/Device.h"
#include "support/Format.h"

#include <CLI/CLI.hpp>

#include <tuple>

using namespace yarrow;

namespace {
struct GenerateFlags {
  std::string model, integer, executable, prompt;
  std::vector<std::int32_t> promptTokens;
  uint64_t budget = sim::kDefaultBudget;
  GenerateOptions options;
  bool showsTokens = false;
};
} // namespace

/// "X2_1204 at 1000 MHz: 12,345 cycles and 67,890 bytes ..."
static std::string costsText(const StepCosts &costs) {
  uint64_t cycles = costs.cycles / std::max<std::size_t>(costs.steps, 1);
  double perSecond = cycles ? costs.clockMhz * 1e6 / double(cycles) : 0;
  return costs.target + " at " + std::to_string(costs.clockMhz) +
         " MHz: " + formatCount(cycles) + " cycles and " +
         formatCount(costs.busBytes) + " bytes over the bus for a token, " +
         formatCount(uint64_t(perSecond)) + " tokens a second";
}

/// The network that was given, or the file's in floats with a cache for
/// \p positions. Null after errors.
static std::unique_ptr<TokenModel> openModel(const GenerateFlags &flags,
                                             const TextVocabulary &words,
                                             std::size_t positions,
                                             Driver &driver) {
  if (!flags.executable.empty()) {
    auto executable = session::Executable::open(flags.executable, driver.diags);
    return executable ? openExecutable(executable->program(), flags.budget,
                                       driver.diags)
                      : nullptr;
  }
  std::shared_ptr<const session::Network> network;
  if (flags.integer.empty()) {
    network = loadInFloats(words, positions, driver.call());
  } else {
    session::ModelSource source;
    source.use = session::LoadFor::Execution;
    std::tie(source.path, source.weights) = splitModelPaths(flags.integer);
    network = session::load(source, driver.call());
  }
  return network ? openNetwork(std::move(network), driver.diags) : nullptr;
}

/// False after errors.
static bool make(const GenerateFlags &flags, const TextVocabulary &words,
                 const std::vector<std::int32_t> &prompt, TokenModel &model,
                 Driver &driver) {
  Generation text(model, words.tokenizer, flags.options);
  if (!fits(words, model, driver.diags))
    return false;
  if (!flags.showsTokens)
    driver.print(flags.prompt);
  if (!text.begin(prompt, driver.diags))
    return false;
  while (auto token = text.next(driver.diags))
    driver.print(flags.showsTokens ? std::to_string(*token) + "\n"
                                   : words.tokenizer.textOf(*token));
  if (driver.diags.hasErrors())
    return false;
  if (!flags.showsTokens)
    driver.print("\n");
  driver.printLine("\n" + formatCount(text.numMade()) + " tokens after " +
                   formatCount(prompt.size()) + " of the prompt\n");
  if (auto costs = model.costs())
    driver.printLine(costsText(*costs) + "\n");
  return true;
}

static bool generateText(const GenerateFlags &flags, Driver &driver) {
  driver.files.reads({flags.model, flags.executable});
  if (!flags.integer.empty())
    driver.files.reads(splitModelPaths(flags.integer).first);
  if (!driver.files.check(driver.diags))
    return false;
  if (!flags.integer.empty() && !flags.executable.empty()) {
    driver.usageError("one network makes a text", "give --int or --exe");
    return false;
  }
  auto words = readTextVocabulary(flags.model, driver.diags);
  if (!words)
    return false;
  std::vector<std::int32_t> prompt = flags.promptTokens.empty()
                                         ? words->tokenizer.encode(flags.prompt)
                                         : flags.promptTokens;
  // A longer prompt than the model's context is refused with the cache.
  std::size_t positions =
      prompt.size() + std::min(flags.options.count, words->numPositions);
  auto model = openModel(flags, *words, positions, driver);
  return model && make(flags, *words, prompt, *model, driver);
}

static void addSampling(CLI::App &command, GenerateFlags &flags) {
  command
      .add_option("--temperature", flags.options.sampler.temperature,
                  "Draw tokens with their probabilities at this temperature; "
                  "0: take the most likely token")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  command
      .add_option("--top-k", flags.options.sampler.topK,
                  "Draw from the K most likely tokens; 0: from all")
      ->check(wholeNumber())
      ->capture_default_str();
  command
      .add_option("--seed", flags.options.sampler.seed,
                  "Draw other tokens: the same seed draws the same ones")
      ->check(wholeNumber())
      ->capture_default_str();
}

void yarrow::addGenerateCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<GenerateFlags>();
  CLI::App *command = app.add_subcommand(
      "generate", "Make a text with a language model, token by token");
  command
      ->add_option("model", flags->model,
                   "GGUF model: its vocabulary, and without --int or --exe its "
                   "network in floats")
      ->required();
  command->add_option("-p,--prompt", flags->prompt, "Begin the text with this");
  command
      ->add_option("--prompt-tokens", flags->promptTokens,
                   "Begin with these tokens instead: 1,403,407")
      ->delimiter(',')
      ->type_name("TOKENS");
  command
      ->add_option("-n,--count", flags->options.count,
                   "Make at most so many tokens")
      ->check(wholeNumber(1))
      ->capture_default_str();
  command->add_option("--int", flags->integer,
                      "Evaluate this IR of the network: net_o.txt,net_o.bin");
  command->add_option(
      "--exe", flags->executable,
      "Run this executable of the network, and count cycles and bytes");
  addSampling(*command, *flags);
  command->add_flag("--tokens", flags->showsTokens,
                    "Print the numbers of the tokens, one a line");
  addBudgetOption(*command, flags->budget);
  command->footer(
      std::string("Example:\n"
                  "  yarrow generate story.gguf -p 'Once upon a time' -n 100\n"
                  "  yarrow build story.gguf -c tokens.npy -o out\n"
                  "  yarrow generate story.gguf --exe out/aipu.bin -p 'Once "
                  "upon a time'\n"
                  "The text ends at the model's own end, after N tokens, or "
                  "where the cache is full\n"
                  "(docs/language_models.md).\n\n") +
      kExitCodeHelp);
  command->callback(
      [flags, &driver] { driver.finish(generateText(*flags, driver)); });
}
