//===- Generate.cpp - Programs from steps ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/differential/Classes.h"
#include "test/differential/Emitter.h"
#include "test/differential/State.h"
#include "test/differential/VectorShape.h"

#include <bit>
#include <cassert>
#include <cstring>

using namespace yarrow;
using namespace yarrow::differential;
using namespace yarrow::isa::tec;

template <class T> static void put(std::vector<uint8_t> &to, T value) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(&value);
  to.insert(to.end(), bytes, bytes + sizeof value);
}

static uint32_t cornerSingle(testing::Random &random) {
  switch (random.below(4)) {
  case 0: // zero, smallest, largest subnormal, smallest normal, one, largest,
          // infinity, quiet and signaling NaN; of either sign
    return random.of({0u, 1u, 0x7fffffu, 0x800000u, 0x3f800000u, 0x7f7fffffu,
                      0x7f800000u, 0x7fc00000u, 0x7f800001u, 0x7fc12345u,
                      0x3effffffu, 0x3f000000u, 0x4f000000u, 0x4f800000u}) |
           random.below(2) << 31;
  case 1: // near one another, so that sums cancel
    return 0x3f000000u + random.below(0x01800000) + (random.below(2) << 31);
  case 2: // halves: ties of conversions
    return std::bit_cast<uint32_t>(float(int32_t(random.below(64)) - 32) / 4);
  default:
    return uint32_t(random.next());
  }
}
static uint64_t cornerDouble(testing::Random &random) {
  uint64_t sign = uint64_t(random.below(2)) << 63;
  switch (random.below(5)) {
  case 0:
    return sign |
           random.of<uint64_t>(
               {0, 1, 0xfffffffffffff, uint64_t(1) << 52, 0x3ff0000000000000,
                0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000,
                0x7ff0000000000001, 0x7ff8000012345678, 0x3fdfffffffffffff,
                0x41dfffffffc00000, 0x41e0000000000000, 0x43e0000000000000});
  case 1:
    return sign | (0x3fe0000000000000 + (random.next() >> 11));
  case 2:
    return std::bit_cast<uint64_t>(double(int32_t(random.below(64)) - 32) / 4);
  case 3: // close to what a single holds
    return std::bit_cast<uint64_t>(
               double(std::bit_cast<float>(cornerSingle(random)))) +
           random.below(3) - 1;
  default:
    return random.next();
  }
}
static uint64_t cornerInteger(testing::Random &random) {
  switch (random.below(4)) {
  case 0:
    return random.of<uint64_t>({0, ~uint64_t(0), 0x8080808080808080,
                                0x7f7f7f7f7f7f7f7f, 0x8000800080008000,
                                0x7fff7fff7fff7fff, 0x8000000080000000,
                                0x7fffffff7fffffff, uint64_t(1) << 63,
                                ~uint64_t(0) >> 1, 0x0101010101010101, 1});
  case 1:
    return random.next() & 0x0f0f0f0f0f0f0f0f;
  default:
    return random.next();
  }
}

static std::vector<uint8_t> makePool(testing::Random &random) {
  std::vector<uint8_t> pool;
  auto fill = [&](Values kind, auto value) {
    assert(pool.size() == uint32_t(kind) * kPoolPartBytes);
    while (pool.size() < (uint32_t(kind) + 1) * kPoolPartBytes)
      put(pool, value());
  };
  fill(Values::Integer, [&] { return cornerInteger(random); });
  fill(Values::Single, [&] { return cornerSingle(random); });
  fill(Values::Double, [&] { return cornerDouble(random); });
  fill(Values::Boxed, [&] {
    uint64_t upper = random.oneIn(8) ? uint32_t(random.next()) : 0xffffffffu;
    return upper << 32 | cornerSingle(random);
  });
  fill(Values::Index8, [&] { return uint8_t(random.next()); });
  fill(Values::Index16, [&] { return uint16_t(random.below(2048)); });
  fill(Values::Index32, [&] { return random.below(4095) - 2047; });
  fill(Values::Mask, [&] {
    return random.oneIn(4) ? random.next() & random.next() & random.next()
                           : random.next();
  });
  return pool;
}

static void setAllRegisters(Emitter &e) {
  for (unsigned k = 0; k < 32; k += 8) {
    e.loadImmediate(kTemp, e.poolAddress(Values::Integer, 256, 8));
    e.emit(InstId::vl8re8_v, {.d = k, .s = kTemp});
  }
  for (unsigned k = 0; k < 32; ++k) {
    Values kind = e.random.oneIn(2) ? Values::Double : Values::Boxed;
    e.loadImmediate(kTemp, e.poolAddress(kind, 8, 8));
    e.emit(InstId::fld, {.d = k, .s = kTemp});
  }
  for (unsigned k = 1; k < kFreeRegs; ++k)
    e.loadImmediate(k, e.cornerInteger());
  e.loadImmediate(kTemp2, 0);
  e.loadImmediate(kLogTop, kLogAddress);
}

static void systemCall(Emitter &e, uint32_t number) {
  e.loadImmediate(17, number);
  e.emit(InstId::ecall, {});
}

/// write(1, from, bytes); the length is in x12.
static void writeOut(Emitter &e, uint32_t from) {
  e.loadImmediate(10, 1);
  e.loadImmediate(11, from);
  systemCall(e, 64);
}

static void saveState(Emitter &e) {
  e.loadImmediate(kTemp, kStateAddress);
  for (unsigned k = 0; k < 32; ++k)
    if (k != kTemp)
      e.emit(InstId::sw, {.s = kTemp, .t = k, .imm = int32_t(4 * k)});
  for (unsigned k = 0; k < std::size(kSavedCsrs); ++k) {
    e.emit(InstId::csrrs, {.d = kTemp2, .imm = int32_t(kSavedCsrs[k].number)});
    e.emit(InstId::sw,
           {.s = kTemp, .t = kTemp2, .imm = int32_t(kStateOfCsrs + 4 * k)});
  }
  for (unsigned k = 0; k < 32; ++k)
    e.emit(InstId::fsd,
           {.s = kTemp, .t = k, .imm = int32_t(kStateOfF + 8 * k)});
  e.emit(InstId::csrrwi, {.imm = 0x008}); // vstart = 0
  e.emit(InstId::addi, {.d = kTemp, .s = kTemp, .imm = kStateOfV});
  for (unsigned k = 0; k < 32; k += 8) {
    e.emit(InstId::vs8r_v, {.d = k, .s = kTemp});
    e.emit(InstId::addi, {.d = kTemp, .s = kTemp, .imm = 256});
  }
}

Program differential::generate(const InstClass &instClass, uint64_t seed,
                               unsigned steps) {
  Emitter e(seed);
  e.usesVstart = instClass.usesVstart;
  e.program.pool = makePool(e.random);
  e.program.iterations = 2;
  setAllRegisters(e);
  e.loadImmediate(kCounter, e.program.iterations);
  const uint32_t loop = e.pc();
  for (unsigned k = 0; k < steps; ++k) {
    InstId id = e.random.of(instClass.records);
    e.begin(id);
    isVector(id) ? vectorStep(e, id) : scalarStep(e, id);
  }
  // The loop may be longer than a branch reaches.
  e.emit(InstId::addi, {.d = kCounter, .s = kCounter, .imm = -1});
  e.emit(InstId::beq, {.s = kCounter, .imm = 8});
  e.emit(InstId::jal, {.imm = int32_t(loop - e.pc())});
  assert(e.program.iterations * e.program.logBytesPerIteration() <= kLogBytes);

  saveState(e);
  e.loadImmediate(kTemp, kLogAddress);
  e.emit(InstId::sub, {.d = 12, .s = kLogTop, .t = kTemp});
  writeOut(e, kLogAddress);
  e.loadImmediate(12, kDataEnd - kStateAddress);
  writeOut(e, kStateAddress);
  e.loadImmediate(10, 0);
  systemCall(e, 93); // exit
  return std::move(e.program);
}
