//===- VectorMemory.cpp - Vector loads and stores of the model ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Elements upwards, fields of a segment in order; an access outside of memory
// leaves vstart at its element.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator_tec/suite/Vector.h"

using namespace yarrow::reference;

namespace {
using AddressOf = std::function<uint32_t(const State &before, unsigned k)>;

struct Access {
  bool stores;
  unsigned fields;
  int eew;            ///< Of the data.
  unsigned registers; ///< From one field to the next.
  unsigned elements;
  bool masked;
  bool firstOnly = false;
};
} // namespace

static Result transfer(State &s, Word w, const Access &access,
                       const AddressOf &addressOf) {
  State before = s;
  unsigned bytes = unsigned(access.eew) / 8;
  for (unsigned k = s.vstart; k < access.elements; ++k) {
    if (access.masked && !maskBit(before, 0, k))
      continue;
    for (unsigned field = 0; field < access.fields; ++field) {
      uint32_t address = addressOf(before, k) + field * bytes;
      unsigned reg = w.rd() + field * access.registers;
      uint64_t value = access.stores ? getElement(s, reg, k, access.eew) : 0;
      bool done = access.stores ? s.memory->write(address, &value, bytes)
                                : s.memory->read(address, &value, bytes);
      if (!done && access.firstOnly && k != 0) {
        s.vl = k;
        return vectorNext(s);
      }
      if (!done) {
        s.vstart = k;
        return {Outcome::MemoryFault, address};
      }
      if (!access.stores)
        setElement(s, reg, k, access.eew, value);
    }
  }
  return vectorNext(s);
}

/// EEW of the width field.
static int encodedWidth(Word w) {
  return w.funct3() == 0 ? 8 : 8 << (w.funct3() - 4);
}

/// What loads and stores through groups have in common; false if illegal.
static bool legalGroups(const State &s, Word w, bool stores, const Group &data,
                        unsigned fields) {
  return data.isLegal() && fields * data.registers() <= 8 &&
         w.rd() + fields * data.registers() <= 32 &&
         (stores || w.vm() || w.rd() != 0) && VType(s.vtype).isLegal;
}

static Result unitStride(State &s, Word w, bool stores, bool firstOnly) {
  VType type(s.vtype);
  if (!type.isLegal)
    return illegal();
  Group data = groupOf(type, w.rd(), encodedWidth(w));
  unsigned fields = w.nf();
  if (!legalGroups(s, w, stores, data, fields))
    return illegal();
  uint32_t base = s.x[w.rs1()], segmentBytes = fields * unsigned(data.eew) / 8;
  Access access{stores, fields,  data.eew, data.registers(),
                s.vl,   !w.vm(), firstOnly};
  return transfer(s, w, access, [=](const State &, unsigned k) {
    return base + k * segmentBytes;
  });
}

static Result strided(State &s, Word w, bool stores) {
  VType type(s.vtype);
  if (!type.isLegal)
    return illegal();
  Group data = groupOf(type, w.rd(), encodedWidth(w));
  if (!legalGroups(s, w, stores, data, w.nf()))
    return illegal();
  uint32_t base = s.x[w.rs1()], stride = s.x[w.rs2()];
  Access access{stores, w.nf(), data.eew, data.registers(), s.vl, !w.vm()};
  return transfer(s, w, access,
                  [=](const State &, unsigned k) { return base + k * stride; });
}

static Result indexed(State &s, Word w, bool stores) {
  VType type(s.vtype);
  if (!type.isLegal)
    return illegal();
  Group data = groupOf(type, w.rd(), type.sew);
  Group index = groupOf(type, w.rs2(), encodedWidth(w));
  unsigned fields = w.nf();
  if (!index.isLegal() || !legalGroups(s, w, stores, data, fields))
    return illegal();
  // V 5.2; segments may not overlap their indices at all (V 7.8.3).
  Group all = data;
  bool overlap =
      all.reg < index.end() && index.reg < all.reg + fields * data.registers();
  if (!stores && (fields > 1 ? overlap : !mayOverlap(data, index)))
    return illegal();
  uint32_t base = s.x[w.rs1()];
  Access access{stores, fields, type.sew, data.registers(), s.vl, !w.vm()};
  return transfer(s, w, access, [=](const State &before, unsigned k) {
    return base + uint32_t(getElement(before, w.rs2(), k, index.eew));
  });
}

/// vlm.v and vsm.v: vl bits.
static Result maskOnly(State &s, Word w, bool stores) {
  if (!VType(s.vtype).isLegal)
    return illegal();
  uint32_t base = s.x[w.rs1()];
  Access access{stores, 1, 8, 1, (s.vl + 7) / 8, false};
  return transfer(s, w, access,
                  [=](const State &, unsigned k) { return base + k; });
}
static Result whole(State &s, Word w, bool stores) {
  unsigned registers = w.nf();
  int eew = encodedWidth(w);
  if (w.rd() % registers)
    return illegal();
  uint32_t base = s.x[w.rs1()];
  Access access{stores, 1, eew, 1, registers * kVlenBits / unsigned(eew),
                false};
  return transfer(s, w, access, [=](const State &, unsigned k) {
    return base + k * unsigned(eew) / 8;
  });
}

void yarrow::reference::addVectorMemory(SemanticsTable &table) {
  auto unit = [](bool stores, bool firstOnly) {
    return [=](State &s, uint32_t bits) {
      return unitStride(s, Word{bits}, stores, firstOnly);
    };
  };
  auto stride = [](bool stores) {
    return
        [=](State &s, uint32_t bits) { return strided(s, Word{bits}, stores); };
  };
  auto index = [](bool stores) {
    return
        [=](State &s, uint32_t bits) { return indexed(s, Word{bits}, stores); };
  };
  for (unsigned fields = 1; fields <= 8; ++fields) {
    std::string seg = fields == 1 ? "" : "seg" + std::to_string(fields);
    for (const char *eew : {"8", "16", "32", "64"}) {
      std::string e = seg + "e" + eew;
      table["vl" + e + ".v"] = unit(false, false);
      table["vl" + e + "ff.v"] = unit(false, true);
      table["vs" + e + ".v"] = unit(true, false);
      table["vls" + e + ".v"] = stride(false);
      table["vss" + e + ".v"] = stride(true);
    }
    for (const char *eew : {"8", "16", "32"}) { // no 64 on rv32 (V 18.3)
      // Without seg it is vluxei8, with it vluxseg2ei8.
      for (const char *order : {"ux", "ox"}) {
        std::string e = order + seg + "ei" + eew + ".v";
        table["vl" + e] = index(false);
        table["vs" + e] = index(true);
      }
    }
  }
  for (bool stores : {false, true})
    table[stores ? "vsm.v" : "vlm.v"] = [stores](State &s, uint32_t bits) {
      return maskOnly(s, Word{bits}, stores);
    };
  for (const char *registers : {"1", "2", "4", "8"}) {
    for (const char *eew : {"8", "16", "32", "64"})
      table[std::string("vl") + registers + "re" + eew + ".v"] =
          [](State &s, uint32_t bits) { return whole(s, Word{bits}, false); };
    table[std::string("vs") + registers + "r.v"] = [](State &s, uint32_t bits) {
      return whole(s, Word{bits}, true);
    };
  }
}
