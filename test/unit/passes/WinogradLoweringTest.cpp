//===- WinogradLoweringTest.cpp - Winograd layers on the tensor engine ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The simulated NPU gives the evaluator's bytes, and the layers run in the form
// that the machine and the layer allow.
//
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Compile.h"
#include "dialects/npu/Npu.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/lower/Lower.h"
#include "passes/winograd/ExactForm.h"
#include "runtime/SimulatedDevice.h"
#include "test/TemporaryFile.h"
#include "test/conformance/RunNpu.h"
#include "test/unit/passes/WinogradLayer.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace yarrow;
using kernels::DType;
using yarrow::testing::Epilogue;
using yarrow::testing::evaluate;
using yarrow::testing::Random;
using yarrow::testing::WinogradLayer;

namespace {

isa::Machine machineOf(const std::string &target) {
  yarrow::DiagnosticEngine diags;
  return isa::findTarget(target, diags).value();
}

/// A machine as a file that a compiler can be pointed to.
struct MachineFile {
  explicit MachineFile(const isa::Machine &machine) {
    std::ofstream(path()) << machine.toJson();
  }
  ~MachineFile() { std::filesystem::remove(path()); }
  std::string path() const { return file.path() + ".json"; }
  yarrow::testing::TemporaryFile file;
};

/// How a layer was lowered.
struct Commands {
  unsigned mode = 0, plain = 0, tec = 0;
  unsigned wide = 0; ///< with int16 weights
  bool operator==(const Commands &) const = default;
};
std::ostream &operator<<(std::ostream &os, const Commands &c) {
  return os << c.mode << " in the mode, " << c.plain << " without, " << c.tec
            << " on TECs; " << c.wide << " with int16 weights";
}

Commands lower(const WinogradLayer &layer, const isa::Machine &machine) {
  mlir::MLIRContext context;
  auto module = layer.parse(context);
  yarrow::DiagnosticEngine diags;
  Commands commands;
  EXPECT_TRUE(npu::lowerToNpu(*module, machine, {}, diags));
  module->walk([&](npu::ConvOp op) {
    bool isPlain = op.getWinograd() == isa::WinogradMode::None;
    ++(isPlain ? commands.plain : commands.mode);
    commands.wide += op.getWeightType() == isa::ElementType::I16;
  });
  module->walk([&](npu::KernelOp) { ++commands.tec; });
  return commands;
}

/// Two samples through the NPU and the evaluator, with and without
/// optimizations, functional and timed.
void expectSameBytes(const WinogradLayer &layer, const std::string &target,
                     Random &random) {
  for (bool optimize : {true, false}) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    auto module = layer.parse(context);
    ASSERT_TRUE(module) << layer.text();
    std::vector<std::vector<compass::TensorBytes>> inputs;
    conformance::SampleOutputs expected, functional, timed;
    for (int i = 0; i < 2; ++i) {
      inputs.push_back({layer.randomInput(random)});
      expected.push_back(evaluate(*module, inputs.back().front()));
    }
    yarrow::DiagnosticEngine diags;
    ASSERT_TRUE(conformance::compileAndRun(*module, {target, optimize}, inputs,
                                           functional, timed, diags))
        << target << "\n"
        << (diags.all().empty() ? "" : diags.all().front().str());
    EXPECT_TRUE(functional == expected) << target << "\n" << layer.text();
    EXPECT_TRUE(timed == expected) << target << "\n" << layer.text();
  }
}

/// The result and the cycles.
std::pair<compass::TensorBytes, uint64_t>
runTimed(mlir::ModuleOp module, const isa::Machine &machine,
         const std::vector<char> &input) {
  yarrow::DiagnosticEngine diags;
  yarrow::testing::TemporaryFile file;
  EXPECT_TRUE(compileNetwork(module, machine, {}, file.path(), diags));
  auto executable = runtime::Executable::open(file.path(), diags);
  auto session = runtime::simulatedSession(executable, {}, diags);
  session->device().countCycles(true);
  EXPECT_TRUE(session->setInput(0, std::as_bytes(std::span(input)), diags));
  EXPECT_TRUE(session->run(diags));
  auto bytes = session->output(0);
  const char *data = reinterpret_cast<const char *>(bytes.data());
  return {{data, data + bytes.size()}, session->device().counters().cycles};
}

WinogradLayer layerOf(uint32_t outputsY) {
  WinogradLayer layer;
  layer.outputsY = outputsY;
  return layer;
}

/// One that has to be cut where the SRAM is small, at sizes that do not divide.
WinogradLayer largeLayer(uint32_t outputsY, Random &random) {
  WinogradLayer layer = layerOf(outputsY);
  layer.height = 23, layer.width = 19, layer.channels = 48;
  layer.outputs = 80;
  layer.inType = DType::U8, layer.zp = -100;
  layer.fill(random, -127, 127, /*withTapShifts=*/true);
  return layer;
}

/// Of any size, type, padding and form.
WinogradLayer randomLayer(Random &random) {
  WinogradLayer layer = layerOf(1 + random.below(2));
  layer.setRandomShape(random, 36);
  layer.outputShift = random.below(3);
  layer.fill(random, -127, 127, random.oneIn(2));
  return layer;
}

} // namespace

TEST(WinogradLowering, RandomLayersInTheMode) {
  Random random(6);
  for (int i = 0; i < 30; ++i) {
    WinogradLayer layer = randomLayer(random);
    EXPECT_EQ(lower(layer, machineOf("X2_1204")),
              (Commands{.mode = layer.batch}))
        << layer.text();
    expectSameBytes(layer, random.of<const char *>({"X2_1204", "Z2_1104"}),
                    random);
  }
}

TEST(WinogradLowering, RandomLayersAsPhases) {
  Random random(7);
  for (int i = 0; i < 30; ++i) {
    WinogradLayer layer = randomLayer(random);
    layer.outputShift = 0; // else the phases' weights are not whole
    // The columns of a layer may be fewer than its phases.
    unsigned rows = std::min(layer.outputsY, layer.outHeight());
    unsigned columns = std::min(2u, layer.outWidth());
    Commands commands = lower(layer, machineOf("Z1_0701"));
    EXPECT_EQ(commands.plain, layer.batch * rows * columns) << layer.text();
    EXPECT_EQ(commands.mode + commands.tec, 0u) << layer.text();
    expectSameBytes(layer, random.of<const char *>({"Z1_0701", "Z1_0904"}),
                    random);
  }
}

// The engine adds a residual or looks results up in the same commands.
TEST(WinogradLowering, Epilogues) {
  Random random(15);
  for (uint32_t outputsY : {1u, 2u})
    for (Epilogue epilogue : {Epilogue::Residual, Epilogue::Table}) {
      WinogradLayer layer = layerOf(outputsY);
      layer.height = 7, layer.width = 9;
      layer.channels = layer.outputs = 20;
      layer.epilogue = epilogue;
      layer.inType = DType::U8, layer.zp = -7;
      layer.fill(random, -127, 127, /*withTapShifts=*/true);
      EXPECT_EQ(lower(layer, machineOf("X2_1204")), (Commands{.mode = 1}));
      EXPECT_EQ(lower(layer, machineOf("Z1_0701")),
                (Commands{.plain = 2 * outputsY, .wide = 2 * outputsY}));
      for (const char *target : {"X2_1204", "Z1_0701"})
        expectSameBytes(layer, target, random);
    }
}

// The reference tools' form with activations of 16 bits, which the mode does
// not take.
TEST(WinogradLowering, WideActivations) {
  Random random(8);
  WinogradLayer layer = layerOf(1);
  layer.inType = DType::I16;
  layer.fill(random);
  EXPECT_EQ(lower(layer, machineOf("X2_1204")),
            (Commands{.plain = 2, .wide = 2}));
  expectSameBytes(layer, "X2_1204", random);
}

// A part of a block of output lanes costs as much as the whole: tiles of
// channels are whole blocks, although those of fewer channels would leave room
// for more rows.
TEST(ConvLowering, WholeBlocksOfLanes) {
  Random random(16);
  isa::Machine machine = machineOf("Z1_0701");
  WinogradLayer layer;
  layer.isDirect = true;
  layer.height = layer.width = 28, layer.channels = layer.outputs = 128;
  layer.epilogue = Epilogue::Residual; // as a layer of its own
  layer.fill(random);
  mlir::MLIRContext context;
  auto module = layer.parse(context);
  yarrow::DiagnosticEngine diags;
  ASSERT_TRUE(
      npu::lowerToNpu(*module, machine, {.fuseResidual = false}, diags));
  module->walk([&](npu::ConvOp op) {
    EXPECT_EQ(op.getOutChannels() % machine.macArray.outputLanes, 0u);
  });
}

// Rows that do not divide: the tiles of both cuts have even numbers of rows.
TEST(WinogradLowering, CutByRowsAndChannels) {
  Random random(9);
  isa::Machine machine = machineOf("X2_1204");
  machine.sramBytes = 112 << 10; // of which 64 KB are the TECs' stacks
  MachineFile file(machine);
  for (uint32_t outputsY : {1u, 2u}) {
    WinogradLayer layer = largeLayer(outputsY, random);
    Commands commands = lower(layer, machine);
    EXPECT_GT(commands.mode, 4u);
    EXPECT_EQ(commands.plain + commands.tec, 0u);
    expectSameBytes(layer, file.path(), random);
  }
}

// Tiles of rows that see nothing but padding.
TEST(ConvLowering, RowsOfPadding) {
  Random random(17);
  for (const char *target : {"X2_1204", "Z1_0904"}) {
    isa::Machine machine = machineOf(target);
    machine.sramBytes = 112 << 10;
    MachineFile file(machine);
    for (bool isDirect : {true, false}) {
      WinogradLayer layer = layerOf(2);
      layer.isDirect = isDirect;
      layer.height = 4, layer.width = 30, layer.channels = 3;
      layer.outputs = 20;
      layer.padTop = layer.padBottom = 60;
      layer.inType = DType::U8, layer.zp = -9;
      layer.fill(random);
      Commands commands = lower(layer, machine);
      EXPECT_GE(commands.mode + commands.plain, 4u);
      expectSameBytes(layer, file.path(), random);
    }
  }
}

TEST(WinogradLowering, PhasesCutByRowsAndChannels) {
  Random random(10);
  isa::Machine machine = machineOf("Z1_0904");
  machine.sramBytes = 112 << 10;
  MachineFile file(machine);
  WinogradLayer layer = largeLayer(2, random);
  Commands commands = lower(layer, machine);
  EXPECT_GT(commands.plain, 16u);
  EXPECT_EQ(commands.mode + commands.tec, 0u);
  expectSameBytes(layer, file.path(), random);
}

// The weights of four phases of a block of lanes, 8 * 9 * 256 * 2 bytes each,
// do not fit twice: those of one phase are loaded at a time, and no lane idles.
TEST(WinogradLowering, PhaseByPhase) {
  Random random(19);
  isa::Machine machine = machineOf("Z1_0701");
  WinogradLayer layer = layerOf(2);
  layer.channels = 256, layer.outputs = 24;
  layer.fill(random);
  mlir::MLIRContext context;
  auto module = layer.parse(context);
  yarrow::DiagnosticEngine diags;
  ASSERT_TRUE(npu::lowerToNpu(*module, machine, {}, diags));
  module->walk([&](npu::ConvOp op) {
    EXPECT_EQ(op.getOutChannels() % machine.macArray.outputLanes, 0u);
    EXPECT_EQ(op.getWeights(), 0u) << "the first weights of their blob";
  });
  expectSameBytes(layer, "Z1_0701", random);
}

namespace {
/// A direct layer's exact form.
WinogradLayer exactLayer(Random &random) {
  WinogradLayer layer = layerOf(2);
  layer.isWide = true;
  layer.outputShift = 2;
  layer.inType = DType::U8, layer.zp = -3;
  layer.fill(random);
  // (2G) g (2G)^T of random g, and of the one with the largest result.
  const int h[4][3] = {{2, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 2}};
  for (uint32_t o = 0; o < layer.outputs; ++o)
    for (uint32_t c = 0; c < layer.channels; ++c) {
      int g[3][3];
      for (auto &row : g)
        for (int &value : row)
          value = o == 0 ? 127 : int(random.below(255)) - 127;
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
          int sum = 0;
          for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l)
              sum += h[i][k] * g[k][l] * h[j][l];
          layer.weights[((o * 4 + i) * 4 + j) * layer.channels + c] = sum;
        }
    }
  return layer;
}
} // namespace

// Weights of 12 bits need multipliers that take them; elsewhere the layer is
// the direct convolution that it came from, with int8 weights.
TEST(WinogradLowering, ExactForm) {
  Random random(11);
  WinogradLayer layer = exactLayer(random);
  EXPECT_EQ(lower(layer, machineOf("X2_1204")), (Commands{.plain = 1}));
  expectSameBytes(layer, "X2_1204", random);
  isa::Machine machine = machineOf("X2_1204");
  machine.winograd.weightBits = 12;
  MachineFile file(machine);
  EXPECT_EQ(lower(layer, machine), (Commands{.mode = 1, .wide = 1}));
  expectSameBytes(layer, file.path(), random);
  machine.winograd.weightBits = 11; // one too few for the largest
  EXPECT_EQ(lower(layer, machine), (Commands{.plain = 1}));
}

// A direct layer in its exact form: the same bytes in fewer cycles.
TEST(WinogradLowering, ExactFormOfADirectLayer) {
  Random random(18);
  isa::Machine machine = machineOf("X2_1204");
  machine.winograd.weightBits = kExactWeightBits;
  WinogradLayer layer;
  layer.isDirect = true;
  layer.height = layer.width = 28, layer.channels = layer.outputs = 64;
  layer.inType = DType::U8, layer.zp = -20;
  layer.fill(random, -128, 127);
  std::vector<char> input = layer.randomInput(random);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto direct = layer.parse(context), exact = layer.parse(context);
  EXPECT_EQ(rewriteExactWinograd(*exact, [](auto) { return true; }), 1u);
  auto [directBytes, directCycles] = runTimed(*direct, machine, input);
  auto [exactBytes, exactCycles] = runTimed(*exact, machine, input);
  EXPECT_TRUE(directBytes == evaluate(*direct, input).front());
  EXPECT_TRUE(exactBytes == directBytes);
  EXPECT_LT(exactCycles, directCycles);
}

// Sums that may leave 32 bits: 15 bits of tap shift on top of the products. The
// weights of the phases have more than 16 bits as well, so TECs compute it.
TEST(WinogradLowering, SumsThatMayNotFit) {
  Random random(12);
  WinogradLayer layer = layerOf(2);
  layer.fill(random, -127, 127, /*withTapShifts=*/true);
  layer.tapShifts.assign(layer.tapShifts.size(), 15);
  EXPECT_EQ(lower(layer, machineOf("X2_1204")), (Commands{.tec = 1}));
  expectSameBytes(layer, "X2_1204", random);
}

// The bound is that of the actual weights. With F(2,3) tap 1 of a row has |V|
// of at most 256: shifted by 15, a weight of w gives up to w * 2^23, and three
// rows of weights 127, 127 and 1 give 255 * 2^23.
TEST(WinogradLowering, LargestSumsThatFit) {
  Random random(13);
  isa::Machine machine = machineOf("X2_1204");
  WinogradLayer layer = layerOf(1);
  layer.channels = 1, layer.outputs = 1;
  layer.fill(random, 0, 0, /*withTapShifts=*/true);
  layer.tapShifts.assign(layer.tapShifts.size(), 15);
  layer.weights[1] = layer.weights[4 + 1] = 127, layer.weights[8 + 1] = 1;
  layer.biases = {INT32_MAX - 255 * (1 << 23)};
  EXPECT_EQ(lower(layer, machine), (Commands{.mode = 1}));
  expectSameBytes(layer, "X2_1204", random);
  ++layer.biases[0];
  EXPECT_EQ(lower(layer, machine).mode, 0u);
  layer.biases = {0};
  EXPECT_EQ(lower(layer, machine).mode, 1u);
  layer.weights[8 + 1] = 2; // 2^31
  EXPECT_EQ(lower(layer, machine).mode, 0u);
}

// A tap in a corner of a tile is in one of its results alone, the first or the
// last of a row or column: |V| is at most 255 with F(2,3), 510 with
// F(2x2,3x3). The limit holds for each result, and for each channel.
TEST(WinogradLowering, EachOutputHasItsLimit) {
  Random random(20);
  isa::Machine machine = machineOf("X2_1204");
  for (uint32_t outputsY : {1u, 2u})
    for (uint32_t row : {0u, outputsY == 1 ? 2u : 3u})
      for (uint32_t column : {0u, 3u})
        for (uint32_t channel : {0u, 1u, 2u}) {
          WinogradLayer layer = layerOf(outputsY);
          layer.channels = 1, layer.outputs = 3;
          layer.fill(random, 0, 0);
          uint32_t tile = layer.tileY() * layer.tileX();
          layer.weights[channel * tile + row * 4 + column] = -100;
          layer.biases.assign(3, 0);
          int32_t most = INT32_MAX - 100 * (outputsY == 1 ? 255 : 510);
          for (int32_t sign : {1, -1}) {
            layer.biases[channel] = sign * most;
            EXPECT_EQ(lower(layer, machine), (Commands{.mode = 1}))
                << layer.text();
            layer.biases[channel] = sign * (most + 1);
            EXPECT_EQ(lower(layer, machine).mode, 0u) << layer.text();
          }
          // Of a channel without weights there is no sum.
          layer.biases[channel] = 0;
          layer.biases[(channel + 1) % 3] = most + 1;
          EXPECT_EQ(lower(layer, machine).mode, 1u) << layer.text();
        }
}

// F(4x4,3x3) has no mode; rows of a window other than 3 neither.
TEST(WinogradLowering, OtherForms) {
  Random random(14);
  WinogradLayer large;
  large.outputsY = large.outputsX = 4;
  large.height = 9, large.width = 7;
  large.fill(random, -20, 20);
  EXPECT_EQ(lower(large, machineOf("X2_1204")),
            (Commands{.plain = 16, .wide = 16}));
  expectSameBytes(large, "X2_1204", random);
  WinogradLayer flat = layerOf(1);
  flat.kernelY = 1;
  flat.fill(random);
  EXPECT_EQ(lower(flat, machineOf("X2_1204")),
            (Commands{.plain = 2, .wide = 2}));
  expectSameBytes(flat, "X2_1204", random);
}
