//===- ModelInteger.cpp - I, M and A, and the table of the model ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator_tec/suite/Model.h"

using namespace yarrow::reference;

const Semantics *yarrow::reference::findSemantics(const std::string &mnemonic) {
  static const SemanticsTable table = [] {
    SemanticsTable table;
    addInteger(table);
    addFloat(table);
    addSystem(table);
    addVectorInteger(table);
    addVectorFloat(table);
    addVectorReductions(table);
    addVectorMasks(table);
    addVectorPermutations(table);
    addVectorMemory(table);
    restrictVectorSources(table);
    return table;
  }();
  auto found = table.find(mnemonic);
  return found == table.end() ? nullptr : &found->second;
}

using Binary = uint32_t (*)(uint32_t, uint32_t);

static uint32_t divide(uint32_t a, uint32_t b) {
  if (b == 0)
    return ~0u;
  if (a == 0x80000000 && b == ~0u)
    return a;
  return uint32_t(int32_t(a) / int32_t(b));
}
static uint32_t remainder(uint32_t a, uint32_t b) {
  if (b == 0)
    return a;
  if (a == 0x80000000 && b == ~0u)
    return 0;
  return uint32_t(int32_t(a) % int32_t(b));
}

static void addArithmetic(SemanticsTable &table) {
  const std::map<std::string, Binary> operations = {
      {"add", [](uint32_t a, uint32_t b) { return a + b; }},
      {"sub", [](uint32_t a, uint32_t b) { return a - b; }},
      {"sll", [](uint32_t a, uint32_t b) { return a << (b & 31); }},
      {"srl", [](uint32_t a, uint32_t b) { return a >> (b & 31); }},
      {"sra",
       [](uint32_t a, uint32_t b) { return uint32_t(int32_t(a) >> (b & 31)); }},
      {"slt", [](uint32_t a,
                 uint32_t b) { return uint32_t(int32_t(a) < int32_t(b)); }},
      {"sltu", [](uint32_t a, uint32_t b) { return uint32_t(a < b); }},
      {"xor", [](uint32_t a, uint32_t b) { return a ^ b; }},
      {"or", [](uint32_t a, uint32_t b) { return a | b; }},
      {"and", [](uint32_t a, uint32_t b) { return a & b; }},
      {"mul", [](uint32_t a, uint32_t b) { return a * b; }},
      {"mulh",
       [](uint32_t a, uint32_t b) {
         return uint32_t(int64_t(int32_t(a)) * int64_t(int32_t(b)) >> 32);
       }},
      {"mulhsu",
       [](uint32_t a, uint32_t b) {
         return uint32_t(int64_t(int32_t(a)) * int64_t(b) >> 32);
       }},
      {"mulhu",
       [](uint32_t a, uint32_t b) {
         return uint32_t(uint64_t(a) * uint64_t(b) >> 32);
       }},
      {"div", divide},
      {"divu", [](uint32_t a, uint32_t b) { return b ? a / b : ~0u; }},
      {"rem", remainder},
      {"remu", [](uint32_t a, uint32_t b) { return b ? a % b : a; }},
  };
  for (const auto &[name, operation] : operations)
    table[name] = [operation = operation](State &s, uint32_t bits) {
      Word w{bits};
      setX(s, w.rd(), operation(s.x[w.rs1()], s.x[w.rs2()]));
      return next(s);
    };
  for (const char *name : {"add", "slt", "xor", "or", "and"})
    table[std::string(name) + "i"] =
        [operation = operations.at(name)](State &s, uint32_t bits) {
          Word w{bits};
          setX(s, w.rd(), operation(s.x[w.rs1()], uint32_t(w.immI())));
          return next(s);
        };
  table["sltiu"] = [](State &s, uint32_t bits) {
    Word w{bits};
    setX(s, w.rd(), s.x[w.rs1()] < uint32_t(w.immI()));
    return next(s);
  };
  for (const char *name : {"sll", "srl", "sra"})
    table[std::string(name) + "i"] =
        [operation = operations.at(name)](State &s, uint32_t bits) {
          Word w{bits};
          setX(s, w.rd(), operation(s.x[w.rs1()], w.rs2()));
          return next(s);
        };
  table["lui"] = [](State &s, uint32_t bits) {
    setX(s, Word{bits}.rd(), bits & 0xfffff000);
    return next(s);
  };
  table["auipc"] = [](State &s, uint32_t bits) {
    setX(s, Word{bits}.rd(), s.pc + (bits & 0xfffff000));
    return next(s);
  };
}

/// Jumps; a target that cannot be executed is the jump's fault, which then
/// writes nothing.
static Result jump(State &s, uint32_t target, unsigned link) {
  if (target % 4 != 0 || !s.memory->at(target, 4))
    return {Outcome::FetchFault, target};
  setX(s, link, s.pc + 4);
  s.pc = target;
  return {};
}

static void addJumps(SemanticsTable &table) {
  using Relation = bool (*)(uint32_t, uint32_t);
  const std::pair<const char *, Relation> branches[] = {
      {"beq", [](uint32_t a, uint32_t b) { return a == b; }},
      {"bne", [](uint32_t a, uint32_t b) { return a != b; }},
      {"blt", [](uint32_t a, uint32_t b) { return int32_t(a) < int32_t(b); }},
      {"bge", [](uint32_t a, uint32_t b) { return int32_t(a) >= int32_t(b); }},
      {"bltu", [](uint32_t a, uint32_t b) { return a < b; }},
      {"bgeu", [](uint32_t a, uint32_t b) { return a >= b; }},
  };
  for (auto [name, relation] : branches)
    table[name] = [relation](State &s, uint32_t bits) {
      Word w{bits};
      if (!relation(s.x[w.rs1()], s.x[w.rs2()]))
        return next(s);
      return jump(s, s.pc + uint32_t(w.immB()), 0);
    };
  table["jal"] = [](State &s, uint32_t bits) {
    Word w{bits};
    return jump(s, s.pc + uint32_t(w.immJ()), w.rd());
  };
  table["jalr"] = [](State &s, uint32_t bits) {
    Word w{bits};
    return jump(s, (s.x[w.rs1()] + uint32_t(w.immI())) & ~1u, w.rd());
  };
}

static void addMemory(SemanticsTable &table) {
  struct Width {
    const char *name;
    unsigned bytes;
    bool isSigned;
  };
  for (Width width :
       {Width{"lb", 1, true}, Width{"lh", 2, true}, Width{"lw", 4, true},
        Width{"lbu", 1, false}, Width{"lhu", 2, false}})
    table[width.name] = [width](State &s, uint32_t bits) -> Result {
      Word w{bits};
      uint32_t address = s.x[w.rs1()] + uint32_t(w.immI()), value = 0;
      if (!s.memory->read(address, &value, width.bytes))
        return {Outcome::MemoryFault, address};
      if (width.isSigned)
        value = uint32_t(signExtend(value, width.bytes * 8));
      setX(s, w.rd(), value);
      return next(s);
    };
  for (Width width :
       {Width{"sb", 1, false}, Width{"sh", 2, false}, Width{"sw", 4, false}})
    table[width.name] = [width](State &s, uint32_t bits) -> Result {
      Word w{bits};
      uint32_t address = s.x[w.rs1()] + uint32_t(w.immS());
      if (!s.memory->write(address, &s.x[w.rs2()], width.bytes))
        return {Outcome::MemoryFault, address};
      return next(s);
    };
}

static void addAtomics(SemanticsTable &table) {
  auto faults = [](const State &s, uint32_t address) {
    return address % 4 != 0 || !s.memory->at(address, 4);
  };
  table["lr.w"] = [faults](State &s, uint32_t bits) -> Result {
    Word w{bits};
    uint32_t address = s.x[w.rs1()], value;
    if (faults(s, address))
      return {Outcome::MemoryFault, address};
    s.memory->read(address, &value, 4);
    s.reserved = true;
    s.reservedAddress = address;
    setX(s, w.rd(), value);
    return next(s);
  };
  table["sc.w"] = [faults](State &s, uint32_t bits) -> Result {
    Word w{bits};
    uint32_t address = s.x[w.rs1()];
    if (faults(s, address))
      return {Outcome::MemoryFault, address};
    bool succeeds = s.reserved && s.reservedAddress == address;
    if (succeeds)
      s.memory->write(address, &s.x[w.rs2()], 4);
    s.reserved = false;
    setX(s, w.rd(), !succeeds);
    return next(s);
  };
  const std::pair<const char *, Binary> operations[] = {
      {"swap", [](uint32_t, uint32_t b) { return b; }},
      {"add", [](uint32_t a, uint32_t b) { return a + b; }},
      {"xor", [](uint32_t a, uint32_t b) { return a ^ b; }},
      {"and", [](uint32_t a, uint32_t b) { return a & b; }},
      {"or", [](uint32_t a, uint32_t b) { return a | b; }},
      {"min",
       [](uint32_t a, uint32_t b) { return int32_t(a) < int32_t(b) ? a : b; }},
      {"max",
       [](uint32_t a, uint32_t b) { return int32_t(a) > int32_t(b) ? a : b; }},
      {"minu", [](uint32_t a, uint32_t b) { return a < b ? a : b; }},
      {"maxu", [](uint32_t a, uint32_t b) { return a > b ? a : b; }},
  };
  for (auto [name, operation] : operations)
    table[std::string("amo") + name + ".w"] =
        [faults, operation](State &s, uint32_t bits) -> Result {
      Word w{bits};
      uint32_t address = s.x[w.rs1()], old;
      if (faults(s, address))
        return {Outcome::MemoryFault, address};
      s.memory->read(address, &old, 4);
      uint32_t fresh = operation(old, s.x[w.rs2()]);
      s.memory->write(address, &fresh, 4);
      setX(s, w.rd(), old);
      return next(s);
    };
}

void yarrow::reference::addInteger(SemanticsTable &table) {
  addArithmetic(table);
  addJumps(table);
  addMemory(table);
  addAtomics(table);
}
