//===- ExecutableTest.cpp - Reading executables, broken ones too ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/SimulatedDevice.h"
#include "support/diagnostics/Executables.h"
#include "test/unit/runtime/SmallExecutable.h"
#include <gtest/gtest.h>
#include <random>

using namespace yarrow;
using namespace yarrow::runtime;

static std::shared_ptr<const Executable> parse(const std::string &bytes,
                                               DiagnosticEngine &diags) {
  return Executable::parse(bytes, "small.bin", diags);
}

TEST(Executable, DescribesItself) {
  DiagnosticEngine diags;
  std::string bytes = SmallExecutable().build();
  auto model = parse(bytes, diags);
  ASSERT_TRUE(model);
  ASSERT_EQ(model->inputs().size(), 1u);
  ASSERT_EQ(model->outputs().size(), 1u);
  EXPECT_EQ(model->inputs()[0].name, "image");
  EXPECT_EQ(model->inputs()[0].shape, (std::vector<int64_t>{1, 16, 16}));
  EXPECT_EQ(dataTypeName(model->inputs()[0].type), "uint8");
  EXPECT_EQ(model->outputs()[0].sizeBytes, SmallExecutable::kOutputBytes);
  EXPECT_EQ(model->provenance().layers[1].name, "second");
  EXPECT_EQ(model->machine().name, "X2_1204");
}

TEST(Executable, RefusesWhatIsNotOurs) {
  DiagnosticEngine diags;
  SmallExecutable foreign;
  foreign.hasProvenance = false;
  EXPECT_FALSE(parse(foreign.build(), diags));
  ASSERT_EQ(diags.all().size(), 1u);
  EXPECT_EQ(diags.all()[0].id, diag::ExecutableForeign);

  SmallExecutable other;
  other.machineNumber = 243;
  DiagnosticEngine more;
  EXPECT_FALSE(parse(other.build(), more));
  EXPECT_FALSE(parse("", more));
  EXPECT_FALSE(parse("AIPU BIN", more));
  for (const Diagnostic &d : more.all())
    EXPECT_EQ(d.id, diag::ExecutableMalformed);
  EXPECT_EQ(more.all().size(), 3u);
}

TEST(Executable, EveryTruncationIsDiagnosed) {
  std::string whole = SmallExecutable().build();
  for (size_t size = 0; size < whole.size(); size += 3) {
    DiagnosticEngine diags;
    EXPECT_FALSE(parse(whole.substr(0, size), diags)) << size;
    EXPECT_TRUE(diags.hasErrors()) << size;
  }
}

// Of 125 of 400 such files the outputs were other ones, without a word.
TEST(Executable, EveryFlippedBitIsNoticed) {
  const std::string whole = SmallExecutable().build();
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] = char(bytes[bit / 8] ^ (1 << bit % 8));
    DiagnosticEngine diags;
    ASSERT_FALSE(parse(bytes, diags)) << bit;
    ASSERT_TRUE(diags.hasErrors()) << bit;
    DiagId id = diags.all()[0].id;
    // Flips in the magic number at the end leave a file without checksums.
    ASSERT_EQ(id, bit < (whole.size() - 8) * 8 ? diag::ExecutableDamaged
                                               : diag::ExecutableMalformed)
        << bit;
  }
}

TEST(Executable, TheDamagedPartIsNamed) {
  std::string bytes = SmallExecutable().build();
  bytes[bytes.find("image")] = 'I';
  DiagnosticEngine diags;
  EXPECT_FALSE(parse(bytes, diags));
  ASSERT_EQ(diags.all().size(), 1u);
  EXPECT_EQ(diags.all()[0].id, diag::ExecutableDamaged);
  // test/Seal.h has one part.
  EXPECT_NE(diags.all()[0].message.find("'file'"), std::string::npos);
  // Sealed again, it is another executable.
  EXPECT_TRUE(parse(sealed(bytes), diags));
}

TEST(Executable, OneWithoutChecksumsIsRefusedWithAHint) {
  SmallExecutable small;
  small.hasChecksums = false;
  DiagnosticEngine diags;
  EXPECT_FALSE(parse(small.build(), diags));
  ASSERT_EQ(diags.all().size(), 1u);
  EXPECT_EQ(diags.all()[0].id, diag::ExecutableMalformed);
  EXPECT_NE(diags.all()[0].hintText.find("build it again"), std::string::npos);
}

// What the file states twice must agree: `run` once took 98 KB of the heap for
// an output of 10 bytes.
TEST(Executable, ContradictionsAreRefused) {
  const std::pair<const char *, const char *> changes[] = {
      {R"("shape":[1,16,16])", R"("shape":[1,16,160])"},
      {R"("shape":[1,16,16])", R"("shape":[])"},
      {R"("shape":[1,16,16])", R"("shape":[-1,16,-16])"},
      {R"("shape":[1,16,16])", R"("shape":[4294967296,4294967296,256])"},
      {R"("shape":[1,16,16])", R"("shape":[0,16,16])"},
      {R"("shape":[1,320])", R"("shape":[320,320])"},
      {R"("type":"uint8")", R"("type":"int8")"},
      {R"("scale":1,)", R"("scale":2,)"},
      {R"("zero_point":0)", R"("zero_point":3)"},
      {R"("zero_point":0)", R"("zero_point":1e3)"},
      {R"("region":3)", R"("region":4)"},
      {R"("name":"image",)", ""},
      {R"("version":4)", R"("version":1)"},
      {R"("version":4)", R"("version":18446744073709551615)"},
      {R"("target":"X2_1204")", R"("target":"Z1_0701")"},
      {R"("layer":1}]])", R"("layer":2}]])"},
      {R"({"layer":0},{"layer":1}])", R"({"layer":0}])"},
      {R"({"layer":0},{"layer":1}])",
       R"({"layer":0},{"layer":0},{"layer":1}])"},
      {R"("queues":[[])", R"("queues":[[{"layer":0}])"},
      {R"("pc_end":68)", R"("pc_end":6800)"},
      {R"("constants","size":64)", R"("constants","size":65)"},
      {R"("workspace","size":4096)", R"("workspace","size":8192)"},
      {R"("offset":0,"size":320)", R"("offset":4194300,"size":320)"},
      {R"("macs":0)", R"("macs":-1)"},
      {R"("macs":0)", R"("macs":18446744073709551615)"},
      {R"("line":7)", R"("line":"7")"},
      {R"("variants":[])", ""},
      {R"("variants":[])", R"("variants":[{}])"},
      {R"("variants":[])",
       R"("variants":[{"inputs":[[1,16,16]],"outputs":[[1,320]],"first_layer":0}])"},
      {R"("variants":[])", R"("variants":[],"order":7)"},
      {R"("variants":[])", R"("variants":[],"order":"t11")"},
      {R"("variants":[])", R"("variants":[],"order":"112")"},
      {R"("variants":[])", R"("variants":[],"order":"t112x")"},
      {R"("out_bytes":320)",
       R"("out_bytes":320,"members":[1],"reads":[],"results":[])"},
      {R"("out_bytes":320)",
       R"("out_bytes":320,"members":[],"reads":[],"results":[{"name":"r"}])"},
      {R"("out_bytes":320)",
       R"("out_bytes":320,"members":["r"],"reads":[],"results":[],"attributes":[])"},
      {R"("out_bytes":320)",
       R"("out_bytes":320,"members":["r"],"reads":[],"results":[],"attributes":[7])"},
      {R"("out_bytes":320)",
       R"("out_bytes":320,"members":["r"],"reads":[],"results":[],"attributes":[[["k",7]]])"},
      {R"("weight_file":"")", R"("weight_file":"constants")"},
      {R"("weight_file":"")", R"("weight_file":"../constants")"},
  };
  for (auto [text, change] : changes) {
    SmallExecutable small;
    small.provenanceText = text;
    small.provenanceChange = change;
    DiagnosticEngine diags;
    EXPECT_FALSE(parse(small.build(), diags)) << text << " -> " << change;
    ASSERT_TRUE(diags.hasErrors()) << text << " -> " << change;
    EXPECT_EQ(diags.all()[0].id, diag::ExecutableMalformed) << change;
  }
}

// What pages draw; a file from before them has nothing of it.
TEST(Executable, ReportsWhatLayersReadAndMake) {
  DiagnosticEngine diags;
  auto before = parse(SmallExecutable().build(), diags);
  ASSERT_TRUE(before);
  EXPECT_TRUE(before->provenance().order.empty());
  EXPECT_TRUE(before->provenance().layers[0].results.empty());
  EXPECT_TRUE(before->provenance().layers[0].attributes.empty());
  SmallExecutable small;
  small.provenanceText = R"("out_bytes":320})";
  small.provenanceChange =
      R"("out_bytes":320,"members":["a","b"],"reads":["image"],"results":[)"
      R"({"name":"r","type":"int8","shape":[2,3],"scale":0.5,"zero_point":-7}],)"
      R"("attributes":[[["kernel_x","3"],["method","MAX"]],[]]})";
  std::string bytes = small.build();
  auto model = parse(bytes, diags);
  ASSERT_TRUE(model);
  const ProvenanceLayer &layer = model->provenance().layers[0];
  EXPECT_EQ(layer.members, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(layer.reads, std::vector<std::string>{"image"});
  using Keys = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(layer.attributes,
            (std::vector<Keys>{{{"kernel_x", "3"}, {"method", "MAX"}}, {}}));
  ASSERT_EQ(layer.results.size(), 1u);
  EXPECT_EQ(layer.results[0].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(layer.results[0].scale, 0.5);
  EXPECT_EQ(layer.results[0].zeroPoint, -7);
  small.provenanceText = R"("variants":[])";
  small.provenanceChange = R"("variants":[],"order":"t112-")";
  bytes = small.build();
  model = parse(bytes, diags);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->provenance().order, "t112-");
}

TEST(Executable, ReadsRangesOfWholeNumbers) {
  auto rangeOf = [](const std::string &range) {
    DiagnosticEngine diags;
    SmallExecutable small;
    small.provenanceText = R"("region":3)";
    small.provenanceChange = R"("region":3,"range":)" + range;
    std::string bytes = small.build();
    auto model = parse(bytes, diags);
    EXPECT_TRUE(model) << range;
    return model ? model->inputs()[0].range : std::nullopt;
  };
  EXPECT_EQ(rangeOf("[-3,250]"), (std::pair<int64_t, int64_t>(-3, 250)));
  for (const char *none : {"[\"-3\",250]", "[-3,\"250\"]", "[-3]", "250"})
    EXPECT_FALSE(rangeOf(none)) << none;
}

// Whatever is in the file: a diagnostic, a fault, or a result; no crash.
TEST(Executable, MutationsNeverCrash) {
  const std::string whole = SmallExecutable().build();
  std::mt19937 random(11);
  unsigned opened = 0, ran = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string bytes = whole;
    for (unsigned i = 0, n = 1 + random() % 4; i < n; ++i) {
      size_t at = random() % bytes.size();
      // Mostly the structures: they are at both ends of the file.
      switch (random() % 4) {
      case 0:
        bytes[at] = char(random());
        break;
      case 1:
        bytes[at] = char(bytes[at] ^ (1 << random() % 8));
        break;
      case 2:
        bytes[at] = char(0xff);
        break;
      default: {
        uint32_t word = random() % 2 ? 0xfffffffcu : uint32_t(random());
        at &= ~size_t(3);
        std::memcpy(&bytes[at], &word, std::min<size_t>(4, bytes.size() - at));
      }
      }
    }
    DiagnosticEngine diags;
    bytes = sealed(std::move(bytes));
    auto model = parse(bytes, diags);
    if (!model) {
      ASSERT_TRUE(diags.hasErrors());
      continue;
    }
    ++opened;
    SimulationOptions options;
    options.budget = 20000;
    auto session = simulatedSession(model, options, diags);
    if (!session)
      continue;
    for (size_t i = 0; i < model->inputs().size(); ++i) {
      uint64_t sizeBytes = model->inputs()[i].sizeBytes;
      if (sizeBytes <= 1 << 16) // others are left without a value
        session->setInput(i, std::vector<std::byte>(sizeBytes), diags);
    }
    ran += session->run(diags);
  }
  EXPECT_GT(opened, 100u);
  EXPECT_GT(ran, 50u);
}
