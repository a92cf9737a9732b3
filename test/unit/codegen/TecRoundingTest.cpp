//===- TecRoundingTest.cpp - vssra and vnclip round as the host does ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/TecProgram.h"
#include "isa/Types.h"
#include "kernels/convert/Convert.h"
#include "kernels/registry/Registry.h"
#include "kernels/sequence/GateSums.h"
#include "test/Random.h"
#include "test/unit/codegen/TecSimulation.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::testing;

namespace {

constexpr uint32_t kRounded = 600;
constexpr uint32_t kRoundedOutput = 4 * kRounded; ///< Where the output begins.

template <typename Params>
TecStep stepOf(const char *symbol, const Params &params,
               std::vector<TecBuffer> buffers) {
  TecStep step{.symbol = symbol, .params = {}};
  step.params.resize(sizeof params);
  std::memcpy(step.params.data(), &params, sizeof params);
  step.buffers = std::move(buffers);
  return step;
}

TecProgram programOf(TecStep step) {
  TecProgramInput input{.steps = {std::move(step)}, .regionCount = 1};
  input.groups = {{.programs = {{{.numSteps = 1}}}}};
  input.groups[0].programs[0][0].finalWaits[unsigned(isa::Unit::Tec)] = 1;
  DiagnosticEngine diags;
  std::optional<TecProgram> program = buildTecProgram(input, diags);
  EXPECT_FALSE(diags.hasErrors());
  return std::move(*program);
}

TecProgram programOf(const CastParams &params) {
  return programOf(stepOf("yk_cast", params, {{0, 0}, {0, kRoundedOutput}}));
}

/// Ties of this shift, their neighbours, the ends of the type, and any.
std::vector<int32_t> cornersOf(int32_t shift, Random &random) {
  std::vector<int32_t> x;
  for (int64_t k = -40; k < 40; ++k)
    for (int64_t more : {-1, 0, 1}) {
      int64_t tie = (2 * k + 1) * (int64_t(1) << shift) / 2 + more;
      x.push_back(int32_t(tie));
    }
  for (int32_t end :
       {INT32_MIN, INT32_MIN + 1, -1, 0, 1, INT32_MAX - 1, INT32_MAX})
    x.push_back(end);
  while (x.size() < kRounded)
    x.push_back(int32_t(random.next()) >> random.below(32));
  return x;
}

/// The TEC's bytes of a cast of \p x against those of the host.
void expectSame(const CastParams &params, const std::vector<int32_t> &x) {
  TecProgram program = programOf(params);
  TecSimulation simulation({});
  std::memcpy(simulation.at(0), x.data(), 4 * kRounded);
  ASSERT_EQ(simulation.run(program.text, 1), "");
  std::vector<int32_t> expected(kRounded), found(kRounded);
  std::memcpy(found.data(), simulation.at(0) + kRoundedOutput, 4 * kRounded);
  void *buffers[] = {const_cast<int32_t *>(x.data()), expected.data()};
  lookupKernel("yk_cast")(&params, buffers, 0, 1);
  EXPECT_EQ(found, expected)
      << "scale " << params.scale << ", shift " << params.shift;
}

constexpr uint32_t kSsra = 0x2b, kNclip = 0x2f; ///< funct6

/// Whether an instruction of \p program has this funct6.
bool hasInstruction(const TecProgram &program, uint32_t funct6) {
  for (size_t at = isa::kTextHeaderBytes; at + 4 <= program.text.size();
       at += 4) {
    uint32_t word;
    std::memcpy(&word, program.text.data() + at, 4);
    uint32_t funct3 = word >> 12 & 7;
    if ((word & 0x7f) == 0x57 && (funct3 == 0 || funct3 == 3 || funct3 == 4) &&
        word >> 26 == funct6)
      return true;
  }
  return false;
}

bool hasRounding(const TecProgram &program) {
  return hasInstruction(program, kSsra) || hasInstruction(program, kNclip);
}

/// The TEC's sums, whose columns have \p shifts, against those of the host.
void expectSameSums(const std::vector<int32_t> &x,
                    const std::vector<int8_t> &shifts) {
  constexpr uint32_t kScales = 4 * kRounded, kShifts = 6 * kRounded,
                     kSums = 8 * kRounded;
  std::vector<uint16_t> scales(kRounded, 1);
  GateSumsParams params{.columns = kRounded};
  params.requant = {.outType = DType::I16, .perChannel = 1, .lo = -32768};
  params.requant.hi = 32767;
  TecProgram program = programOf(stepOf(
      "yk_gate_sums_int", params,
      {{0, 0}, {.isNull = true}, {0, kScales}, {0, kShifts}, {0, kSums}}));
  EXPECT_TRUE(hasRounding(program));
  TecSimulation simulation({});
  std::memcpy(simulation.at(0), x.data(), 4 * kRounded);
  std::memcpy(simulation.at(0) + kScales, scales.data(), 2 * kRounded);
  std::memcpy(simulation.at(0) + kShifts, shifts.data(), kRounded);
  ASSERT_EQ(simulation.run(program.text, 1), "");
  std::vector<int16_t> expected(kRounded), found(kRounded);
  std::memcpy(found.data(), simulation.at(0) + kSums, 2 * kRounded);
  void *buffers[] = {const_cast<int32_t *>(x.data()), nullptr, scales.data(),
                     const_cast<int8_t *>(shifts.data()), expected.data()};
  lookupKernel("yk_gate_sums_int")(&params, buffers, 0, 1);
  EXPECT_EQ(found, expected);
}

} // namespace

TEST(TecRounding, TiesAndEndsOfEveryShift) {
  Random random(7);
  for (int32_t shift = 0; shift <= 46; shift += shift < 4 ? 1 : 3) {
    for (int32_t scale : {1, 65535}) {
      // All bits of the result, or what 8 and 16 bits hold.
      CastParams params{.count = kRounded,
                        .inType = DType::I32,
                        .outType = DType::I32,
                        .mode = CastMode::Requantize,
                        .scale = scale,
                        .shift = shift,
                        .lo = INT32_MIN,
                        .hi = INT32_MAX};
      if (scale > 1)
        params.zp = 5, params.lo = -32768, params.hi = 32767;
      std::vector<int32_t> x = cornersOf(shift < 31 ? shift : 30, random);
      expectSame(params, x);
      params.outType = DType::U8, params.lo = 3, params.hi = 255;
      expectSame(params, x);
      params.outType = DType::I8, params.lo = -128, params.hi = 100;
      expectSame(params, x);
    }
  }
}

TEST(TecRounding, ShiftsOfEachLane) {
  Random random(8);
  std::vector<int8_t> shifts(kRounded);
  for (int8_t &shift : shifts)
    shift = int8_t(random.below(random.oneIn(9) ? 100 : 33));
  for (int32_t shift : {0, 1, 2, 7, 15, 30})
    expectSameSums(cornersOf(shift, random), shifts);
  for (size_t k = 0; k < kRounded; ++k)
    shifts[k] = int8_t(k % 20);
  for (int32_t shift : {1, 2, 3, 4, 8, 12})
    expectSameSums(cornersOf(shift, random), shifts);
}

TEST(TecRounding, IsOneInstruction) {
  CastParams params{.count = kRounded,
                    .inType = DType::I32,
                    .outType = DType::I8,
                    .mode = CastMode::Requantize,
                    .scale = 200,
                    .shift = 9};
  // Limits and the lower bits are those of the narrow type.
  EXPECT_TRUE(hasInstruction(programOf(params), kNclip));
  EXPECT_FALSE(hasInstruction(programOf(params), kSsra));
  params.mode = CastMode::Wrap;
  EXPECT_FALSE(hasRounding(programOf(params)));
}
