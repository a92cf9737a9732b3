//===- SuiteTest.cpp - Every instruction against the model ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Each vector record over element widths, LMUL, masks, lengths and rounding
// modes, each scalar record over random operands; on the handlers for any host
// and on those of this one. YARROW_TEC_SUITE_ROUNDS=n does all n times with
// other operands.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator_tec/suite/Machines.h"
#include "test/unit/simulator_tec/suite/Vector.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>

using namespace yarrow;
using namespace yarrow::reference;

static unsigned rounds() {
  const char *text = std::getenv("YARROW_TEC_SUITE_ROUNDS");
  return text ? unsigned(std::max(1, std::atoi(text))) : 1;
}

namespace {
class Suite {
public:
  uint64_t cases = 0, legalCases = 0;
  unsigned failures = 0;

  Suite() {
    model.ddr.resize(kDdrBytes);
    model.sram.resize(kSramBytes);
  }

  /// Executes the cases and compares after each.
  void run(std::vector<Case> batch, Random &random) {
    for (uint32_t k = kDataAddress; k < kDdrBytes; k += 8)
      fill(model.ddr, k, random.bits());
    for (uint32_t k = 0; k < kSramBytes; k += 8)
      fill(model.sram, k, random.bits());
    std::vector<uint32_t> text = textOf(batch);
    std::memcpy(&model.ddr[kDriverAddress], text.data(), kTextBytes);
    for (Machine &machine : machines)
      machine.begin(model);
    for (unsigned k = 0; k < batch.size(); ++k)
      runCase(batch[k], slotAddress(k));
    model.written.clear();
    for (Machine &machine : machines)
      if (!machine.sameMemory(model))
        fail(batch.back(), "memory differs that was not written\n", 0);
  }

private:
  ModelMemory model;
  Machine machines[2] = {Machine({.anyHost = true}), Machine({})};

  static void fill(std::vector<uint8_t> &memory, uint32_t at, uint64_t bits) {
    std::memcpy(&memory[at], &bits, 8);
  }

  void runCase(Case &c, uint32_t slot) {
    State state = c.state;
    state.x[31] = slot;
    state.memory = &model;
    model.written.clear();
    // The driver's vector registers come from memory.
    std::memcpy(&model.ddr[kRegisterAddress], state.v, sizeof state.v);
    for (Machine &machine : machines)
      machine.execute(state, slot);
    state.pc = slot;
    if (c.prefix != 0x00000013)
      (*findSemantics("lr.w"))(state, c.prefix);
    state.pc = slot + 4;
    Result result = (*findSemantics(c.record->mnemonic))(state, c.word);
    for (unsigned k = 0; k < 2; ++k) {
      std::string text = machines[k].compare(state, result);
      if (!text.empty())
        fail(c, text, k);
    }
    ++cases;
    legalCases += result.outcome != Outcome::Illegal;
  }

  void fail(const Case &c, const std::string &text, unsigned machine) {
    if (++failures > 60)
      return;
    char line[200];
    std::snprintf(line, sizeof line,
                  " %08x, vtype %x, vl %u, vstart %u, frm %u, vxrm %u, %s\n",
                  c.word, c.state.vtype, c.state.vl, c.state.vstart,
                  c.state.frm, c.state.vxrm,
                  machine == 0 ? "any host" : "this host");
    ADD_FAILURE() << c.record->mnemonic << line << text;
  }
};

/// Makes and runs cases of one record in batches.
class Batches {
public:
  Batches(Suite &suite, const Record &record, Random &random)
      : suite(suite), record(record), random(random) {
    uint32_t major = record.match & 0x7f;
    // What jumps may go anywhere in the text, which then holds only its case.
    size = major == 0x63 || major == 0x67 || major == 0x6f ? 1 : kSlots;
  }
  /// Nothing is tested by faults alone.
  ~Batches() {
    flush();
    bool neverLegal = record.mnemonic == "ecall" || record.mnemonic == "ebreak";
    EXPECT_TRUE(hasLegal || neverLegal) << record.mnemonic;
  }
  void add(const Settings &settings) {
    uint32_t pc = slotAddress(unsigned(batch.size())) + 4;
    batch.push_back(makeCase(record, settings, pc, random));
    if (batch.size() == size)
      flush();
  }

private:
  void flush() {
    uint64_t before = suite.legalCases;
    if (!batch.empty())
      suite.run(std::move(batch), random);
    batch.clear();
    hasLegal = hasLegal || suite.legalCases != before;
  }

  Suite &suite;
  const Record &record;
  Random &random;
  size_t size;
  bool hasLegal = false;
  std::vector<Case> batch;
};

class InstructionSuite : public ::testing::Test {
protected:
  Suite suite;
  void report(const char *what, unsigned instructions) {
    std::cout << what << ": " << instructions << " instructions, "
              << suite.cases << " cases, " << suite.legalCases << " legal\n";
    RecordProperty("instructions", int(instructions));
    RecordProperty("cases", int(suite.cases));
  }
};
} // namespace

TEST_F(InstructionSuite, HasModelOfEveryRecord) {
  for (const Record &record : records())
    EXPECT_TRUE(findSemantics(record.mnemonic)) << record.mnemonic;
}

TEST_F(InstructionSuite, ScalarInstructions) {
  unsigned instructions = 0;
  Random random(1);
  for (const Record &record : records()) {
    if (record.isVector || !findSemantics(record.mnemonic))
      continue;
    ++instructions;
    Batches batches(suite, record, random);
    bool isFloat = record.mnemonic[0] == 'f';
    for (unsigned k = 0; k < (isFloat ? 1500 : 250) * rounds(); ++k) {
      Settings settings{.vtype = 0xc0 | random.below(4) << 3,
                        .vl = random.below(5),
                        .frm = uint8_t(random.below(k % 16 ? 5 : 8)),
                        .vxrm = uint8_t(random.below(4))};
      batches.add(settings);
    }
  }
  report("Scalar", instructions);
}

/// Rounding modes that an instruction depends on, as frm << 2 | vxrm.
static std::vector<unsigned> roundingModes(const std::string &mnemonic) {
  if (mnemonic[1] == 'f' || mnemonic.substr(0, 3) == "vmf")
    return {0, 1 << 2, 2 << 2, 3 << 2, 4 << 2};
  for (const char *prefix : {"vaadd", "vasub", "vsmul", "vssr", "vnclip"})
    if (mnemonic.rfind(prefix, 0) == 0)
      return {0, 1, 2, 3};
  return {0};
}

static void addVectorCases(Batches &batches, const Record &record,
                           uint32_t vtype, Random &random) {
  VType type(vtype);
  unsigned vlmax = type.isLegal ? type.vlmax() : 0;
  const uint32_t lengths[] = {0, std::min(1u, vlmax),
                              vlmax ? 1 + random.below(vlmax) : 0, vlmax};
  for (unsigned mode : roundingModes(record.mnemonic))
    for (bool masked : {false, true})
      for (uint32_t vl : lengths) {
        // Tail and mask policy; both are undisturbed.
        Settings settings{.vtype = vtype | random.below(4) << 6,
                          .vl = vl,
                          .masked = masked,
                          .frm = uint8_t(mode >> 2),
                          .vxrm = uint8_t(mode & 3)};
        if (random.oneIn(10))
          settings.vstart = random.below(vlmax + 2) % kVlenBits;
        if (random.oneIn(100))
          settings.frm = uint8_t(5 + random.below(3));
        batches.add(settings);
      }
}

TEST_F(InstructionSuite, VectorInstructions) {
  unsigned instructions = 0;
  Random random(2);
  for (const Record &record : records()) {
    if (!record.isVector || !findSemantics(record.mnemonic))
      continue;
    ++instructions;
    Batches batches(suite, record, random);
    for (unsigned round = 0; round < rounds(); ++round)
      for (uint32_t vtype = 0; vtype < 64; ++vtype) {
        if (VType(vtype).isLegal)
          addVectorCases(batches, record, vtype, random);
        else if (random.oneIn(8)) // any instruction that needs vtype is illegal
          batches.add({.vtype = 1u << 31, .masked = random.oneIn(2)});
      }
  }
  report("Vector", instructions);
}
