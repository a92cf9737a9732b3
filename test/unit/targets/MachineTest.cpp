//===- MachineTest.cpp - Machine files, good and bad ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "isa/Machine.h"
#include "support/diagnostics/Files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cctype>

using namespace yarrow;
using ::testing::HasSubstr;

namespace {
std::optional<isa::Machine> parse(std::string_view text,
                                  DiagnosticEngine &diags) {
  return isa::parseMachine(text, "m.json", diags);
}

/// The only problem of a machine file.
std::string problemOf(std::string_view text) {
  DiagnosticEngine diags;
  EXPECT_FALSE(parse(text, diags)) << text;
  EXPECT_EQ(diags.all().size(), 1u) << text;
  if (diags.all().empty())
    return "";
  return diags.all()[0].str();
}
} // namespace

TEST(Targets, AreAllValidAndRoundTrip) {
  EXPECT_THAT(isa::builtinTargetNames(),
              ::testing::ElementsAre("X1_1204", "X2_1204", "X2_1204MP3",
                                     "X3P_1202", "X3P_1204", "X3P_1302",
                                     "X3P_1304", "X3P_1304MP2", "X3S_1304",
                                     "Z1_0701", "Z1_0904", "Z2_1104"));
  for (const std::string &name : isa::builtinTargetNames()) {
    SCOPED_TRACE(name);
    DiagnosticEngine diags;
    std::optional<isa::Machine> machine = isa::findTarget(name, diags);
    ASSERT_TRUE(machine) << diags.all()[0].str();
    EXPECT_EQ(machine->name, name);
    std::optional<isa::Machine> again = parse(machine->toJson(), diags);
    ASSERT_TRUE(again) << diags.all()[0].str();
    EXPECT_EQ(again->toJson(), machine->toJson());
  }
}

TEST(Targets, ReportADriverWhatItLooksFor) {
  DiagnosticEngine diags;
  // The public driver runs this one; of the others it knows the numbers.
  EXPECT_EQ(isa::findTarget("X2_1204", diags)->device.word(), 0x000504B4u);
  EXPECT_EQ(isa::findTarget("X2_1204MP3", diags)->device.word(), 0x000504B4u);
  EXPECT_EQ(isa::findTarget("X1_1204", diags)->device.word(), 0x000404B4u);
  EXPECT_EQ(isa::findTarget("Z2_1104", diags)->device.word(), 0x00020450u);
  EXPECT_EQ(isa::findTarget("Z1_0904", diags)->device.word(), 0x00010388u);
  EXPECT_EQ(isa::findTarget("Z1_0701", diags)->device.word(), 0x000102BDu);
  EXPECT_EQ(isa::findTarget("X3P_1304", diags)->device.word(), 0x10060518u);
  EXPECT_EQ(isa::findTarget("X3S_1304", diags)->device.word(), 0x20060518u);
}

TEST(Targets, HaveOneTensorEngineUnlessTheyPrintMore) {
  DiagnosticEngine diags;
  isa::Machine one = *isa::findTarget("X2_1204", diags);
  isa::Machine two = *isa::findTarget("X3P_1304", diags);
  EXPECT_EQ(one.tensorEngines, 1u);
  EXPECT_THAT(one.toJson(),
              ::testing::Not(::testing::HasSubstr("tensorEngines")));
  EXPECT_EQ(two.tensorEngines, 2u);
  EXPECT_THAT(two.toJson(), ::testing::HasSubstr("\"tensorEngines\": 2"));
  EXPECT_EQ(two.channelsOf(isa::Unit::TensorEngine), 2u);
  EXPECT_EQ(two.macsPerCycle(), 2 * one.macsPerCycle());
  // Each has its part of the SRAM's bandwidth.
  EXPECT_EQ(two.engineSramBytesPerCycle(), one.engineSramBytesPerCycle());
  EXPECT_FALSE(parse(R"({"name": "m", "base": "X3P_1304",
                         "sramBytesPerCycle": 1})",
                     diags));
}

TEST(Targets, AreWhatTheirNamesPrint) {
  // Two digits of log2 of the MACs per cycle, two of TECs, "MP" and cores.
  for (const std::string &name : isa::builtinTargetNames()) {
    SCOPED_TRACE(name);
    DiagnosticEngine diags;
    isa::Machine machine = *isa::findTarget(name, diags);
    std::string digits = name.substr(name.find('_') + 1);
    EXPECT_EQ(std::countr_zero(machine.macsPerCycle()),
              std::stoi(digits.substr(0, 2)));
    EXPECT_EQ(machine.tecs, unsigned(std::stoi(digits.substr(2, 2))));
    size_t cores = digits.find("MP");
    EXPECT_EQ(machine.cores,
              cores == std::string::npos
                  ? 1u
                  : unsigned(std::stoi(digits.substr(cores + 2))));
  }
}

TEST(Targets, BuffersAreAsTheHeaderPromises) {
  for (const std::string &name : isa::builtinTargetNames()) {
    SCOPED_TRACE(name);
    DiagnosticEngine diags;
    isa::Machine m = *isa::findTarget(name, diags);
    const isa::MacArray &array = m.macArray;
    unsigned inputBytes = array.inputLanes * array.pixels;
    unsigned weightBytes = array.inputLanes * array.outputLanes;
    EXPECT_LE(inputBytes * 2, m.engineSramBytesPerCycle());
    EXPECT_GE(inputBytes + weightBytes, m.engineSramBytesPerCycle());
    unsigned steps = m.weightBufferBytes / weightBytes;
    unsigned workCycles =
        steps * (m.accumulatorPixels(isa::ElementType::I8) / array.pixels);
    unsigned fillCycles = m.weightBufferBytes * 2 / m.engineSramBytesPerCycle();
    EXPECT_GE(workCycles, 16 * fillCycles);
  }
}

TEST(Targets, UnknownNameGetsASuggestion) {
  DiagnosticEngine diags;
  EXPECT_FALSE(isa::findTarget("X2_1240", diags));
  EXPECT_THAT(diags.all()[0].str(),
              ::testing::AllOf(HasSubstr("error E0505: there is no target"),
                               HasSubstr("Z1_0904"),
                               HasSubstr("did you mean 'X2_1204'?")));
  EXPECT_FALSE(isa::findTarget("/nonexistent/m.json", diags));
  EXPECT_EQ(diags.all()[1].id, diag::FileUnreadable);
}

TEST(MachineFile, BaseFillsWhatIsMissing) {
  DiagnosticEngine diags;
  std::optional<isa::Machine> machine = parse(
      R"({"name": "big", "base": "X2_1204", "sramBytes": 8388608, // twice
          "tec": {"divideCycles": 30}})",
      diags);
  ASSERT_TRUE(machine) << diags.all()[0].str();
  EXPECT_EQ(machine->name, "big");
  EXPECT_EQ(machine->sramBytes, 8388608u);
  EXPECT_EQ(machine->tec.divideCycles, 30u);
  EXPECT_EQ(machine->macArray.pixels, 16u);
  EXPECT_TRUE(diags.all().empty());
}

TEST(MachineFile, NothingIsReadFromAName) {
  DiagnosticEngine diags;
  // A chip that says it is another one is still what its file says.
  auto machine = parse(R"({"name": "Z1_0701", "base": "X2_1204"})", diags);
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->device.word(), 0x000504B4u);
  machine = parse(R"({"name": "mine", "base": "X2_1204",
                      "device": {"version": 6, "configuration": 1304}})",
                  diags);
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->device.word(), 0x00060518u);
  EXPECT_THAT(problemOf(R"({"name":"a","base":"X2_1204",
                            "device":{"version":16}})"),
              HasSubstr("an integer from 0 to 15"));
}

TEST(MachineFile, EveryProblemIsReportedAtOnce) {
  DiagnosticEngine diags;
  EXPECT_FALSE(parse(R"({
    "name": "a b",
    "base": "X2_1205",
    "sramByte": 1,
    "clockMhz": 0,
    "pixels": 4,
    "macArray": {"inputLanes": 12, "pixel": 4},
    "tec": 5
  })",
                     diags));
  ASSERT_EQ(diags.numErrors(), 8u);
  std::string all;
  for (const Diagnostic &diagnostic : diags.all())
    all += diagnostic.str() + "\n";
  for (const char *part :
       {"m.json:2: error E0505: the machine's name is not valid",
        "m.json:3: error E0505: the base is not a built-in target",
        "m.json:4: error E0505: the key 'sramByte' is not part of a machine\n"
        "  hint: did you mean 'sramBytes'?",
        "m.json:5: error E0505: the value of 'clockMhz' is not valid\n"
        "  found: 0\n  expected: an integer from 1 to 10000",
        "m.json:6: error E0505: the key 'pixels' is not part of a machine\n"
        "  hint: it belongs at 'macArray.pixels'",
        "expected: a power of two from 1 to 256",
        "hint: did you mean 'macArray.pixels'?", "expected: an object {...}"})
    EXPECT_THAT(all, HasSubstr(part));
}

TEST(MachineFile, RefusesValuesOfTheWrongKind) {
  for (const char *value : {"-1", "1.5", "\"4\"", "null", "[1]", "{}", "true",
                            "4294967297", "99999999999999999999999", "5"})
    EXPECT_THAT(
        problemOf(std::string(R"({"name":"a","base":"X2_1204","tecs":)") +
                  value + "}"),
        HasSubstr("expected: an integer from 1 to 4"));
}

TEST(MachineFile, RefusesWhatIsIncomplete) {
  EXPECT_THAT(
      problemOf("{\"name\": \"a\", \"cores\": 1}"),
      ::testing::AllOf(HasSubstr("expected: also device.version, "
                                 "device.configuration, tecs, clockMhz"),
                       HasSubstr("dma.storeChannels"),
                       HasSubstr("\"base\": \"X2_1204\"")));
  EXPECT_THAT(problemOf(R"({"base": "X2_1204"})"), HasSubstr("has no name"));
  EXPECT_THAT(problemOf("[]"), HasSubstr("is a JSON object"));
  EXPECT_THAT(problemOf("{"), HasSubstr("E0106"));
}

TEST(MachineFile, RefusesBuffersThatCannotFeedTheArray) {
  DiagnosticEngine diags;
  EXPECT_FALSE(parse(R"({"name": "a", "base": "X2_1204", "sramBytes": 131073,
                         "weightBufferBytes": 511, "accumulatorBytes": 2047})",
                     diags));
  EXPECT_EQ(diags.numErrors(), 3u);
}

TEST(MachineFile, RefusesAnSramThatTheStacksFill) {
  EXPECT_THAT(problemOf(R"({"name":"a","base":"X2_1204","sramBytes":65536})"),
              HasSubstr("the TECs' stacks"));
}

// The program loads the address of the stacks with one `lui`.
TEST(MachineFile, RefusesAnSramThatDoesNotEndAtAPage) {
  EXPECT_THAT(problemOf(R"({"name":"a","base":"X2_1204","sramBytes":1049600})"),
              HasSubstr("expected: a multiple of 4096 bytes"));
  DiagnosticEngine diags;
  EXPECT_TRUE(
      parse(R"({"name":"a","base":"X2_1204","sramBytes":1052672})", diags));
}

//===----------------------------------------------------------------------===//
// The Winograd unit
//===----------------------------------------------------------------------===//

TEST(WinogradUnit, IsInTheTargetsWhoseAccumulatorsHoldItsSums) {
  using isa::WinogradMode;
  for (const std::string &name : isa::builtinTargetNames()) {
    SCOPED_TRACE(name);
    DiagnosticEngine diags;
    isa::Machine m = *isa::findTarget(name, diags);
    bool isLarge = m.macsPerCycle() >= 2048;
    for (WinogradMode mode : {WinogradMode::F2_3, WinogradMode::F2x2_3x3})
      EXPECT_EQ(m.hasWinograd(mode), isLarge);
    EXPECT_FALSE(m.hasWinograd(WinogradMode::F2x2_3x3, 12));
  }
}

TEST(WinogradUnit, WidthsDecideWhatItDoes) {
  using isa::WinogradMode;
  auto machineOf = [](const std::string &winograd) {
    DiagnosticEngine diags;
    auto machine = parse(
        R"({"name":"a","base":"X2_1204","winograd":)" + winograd + "}", diags);
    EXPECT_TRUE(machine) << winograd;
    return machine.value_or(isa::Machine());
  };
  isa::Machine exact = machineOf(R"({"weightBits": 12})");
  EXPECT_TRUE(exact.hasWinograd(WinogradMode::F2x2_3x3, 12));
  EXPECT_FALSE(exact.hasWinograd(WinogradMode::F2x2_3x3, 13));
  EXPECT_EQ(exact.winograd.tileBufferBytes, 8192u);
  isa::Machine row = machineOf(R"({"inputBits": 9})");
  EXPECT_TRUE(row.hasWinograd(WinogradMode::F2_3));
  EXPECT_FALSE(row.hasWinograd(WinogradMode::F2x2_3x3));
  for (const char *none : {R"({"inputBits": 8})", R"({"weightBits": 7})"})
    EXPECT_FALSE(machineOf(none).hasWinograd(WinogradMode::F2_3));
}

TEST(WinogradUnit, IsLeftOutAsAWholeOrNotAtAll) {
  DiagnosticEngine diags;
  std::string text = isa::findTarget("X2_1204", diags)->toJson();
  size_t begin = text.find(",\n  \"winograd\"");
  ASSERT_NE(begin, std::string::npos);
  std::string rest = text.substr(0, begin);
  std::optional<isa::Machine> without = parse(rest + "}", diags);
  ASSERT_TRUE(without) << diags.all()[0].str();
  EXPECT_FALSE(without->hasWinograd(isa::WinogradMode::F2_3));
  EXPECT_EQ(without->winograd.tileBufferBytes, 0u);
  EXPECT_TRUE(parse(without->toJson(), diags));
  EXPECT_THAT(
      problemOf(rest + R"(, "winograd": {"inputBits": 10, "weightBits": 8}})"),
      HasSubstr(
          "expected: also winograd.tileBufferBytes, winograd.transformCycles"));
  EXPECT_THAT(problemOf(R"({"name":"a","base":"X2_1204",
                            "winograd": {"weightBits": 17}})"),
              HasSubstr("expected: an integer from 0 to 16"));
}

TEST(WinogradUnit, NeedsRoomForTilesAndSums) {
  EXPECT_THAT(problemOf(R"({"name":"a","base":"X2_1204",
                            "winograd": {"tileBufferBytes": 8191}})"),
              HasSubstr("at least 16 taps * inputLanes * pixels * 2 bytes = "
                        "8192"));
  EXPECT_THAT(
      problemOf(R"({"name":"a","base":"X2_1204","accumulatorBytes": 16383})"),
      ::testing::AllOf(HasSubstr("the accumulators do not hold the sums"),
                       HasSubstr("16 taps * outputLanes * pixels * 4 bytes = "
                                 "16384")));
  // F(2,3) alone has 12 taps.
  DiagnosticEngine diags;
  EXPECT_TRUE(parse(R"({"name":"a","base":"X2_1204","accumulatorBytes": 12288,
                        "winograd": {"inputBits": 9, "tileBufferBytes": 6144}})",
                    diags));
  EXPECT_TRUE(parse(R"({"name":"a","base":"X2_1204","accumulatorBytes": 4096,
                        "winograd": {"inputBits": 0}})",
                    diags));
}
