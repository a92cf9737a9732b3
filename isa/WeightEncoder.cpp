//===- WeightEncoder.cpp - From weights to weight streams -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Bytes are taken in units; neighbouring units make a block where that is
// shorter than two. What a block takes is known from how often it has each
// byte.
//
//===----------------------------------------------------------------------===//
#include "isa/WeightStream.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace yarrow;
using namespace yarrow::isa;

namespace {

/// Long enough that a table is worth it, short enough to see what changes.
constexpr size_t kUnitBytes = 8192;

/// Lanes end with bits that nobody asks for, some 4 on average.
constexpr uint64_t kRestBits = 4 * kWeightLanes;

using Counts = std::array<uint32_t, 256>;

/// How often each byte is at even and at odd places of a block.
struct Histogram {
  Counts even{}, odd{};

  void add(std::span<const uint8_t> bytes) {
    for (size_t i = 0; i < bytes.size(); ++i)
      ++(i % 2 ? odd : even)[bytes[i]];
  }
  void add(const Histogram &other) {
    for (unsigned i = 0; i < 256; ++i)
      even[i] += other.even[i], odd[i] += other.odd[i];
  }
  Counts all() const {
    Counts sum = even;
    for (unsigned i = 0; i < 256; ++i)
      sum[i] += odd[i];
    return sum;
  }
};

using ClassCounts = std::array<uint64_t, kWeightClasses>;

/// A block's form, and the bits that it takes, header included.
struct Form {
  WeightBlock block;
  WeightCode code{};
  uint64_t bits = UINT64_MAX;
};

/// What a lane writes for a byte.
struct Symbol {
  uint16_t bits = 0;
  uint8_t count = 0;               ///< Of both steps.
  uint8_t firstCount = 0;          ///< Of the first one.
  uint8_t firstNeed = 0, need = 0; ///< What a lane wants to have at each.
};

/// A block being collected.
struct Collected {
  size_t begin = 0, end = 0;
  Histogram histogram;
  Form form;
};

class Encoder {
public:
  explicit Encoder(std::span<const uint8_t> bytes) : bytes(bytes) {}

  void addRange(size_t begin, size_t end);
  std::vector<uint8_t> stream;

private:
  void write(const Collected &block);
  void writeLanes(std::span<const uint8_t> part, const Form &form);

  std::span<const uint8_t> bytes;
};

} // namespace

/// By two queues: of classes, rarest first, and of what was joined, which comes
/// in order. Of two classes at least.
static WeightCode huffmanLengths(const ClassCounts &counts) {
  constexpr unsigned kNodes = 2 * kWeightClasses;
  uint64_t weights[kNodes];
  uint8_t classes[kWeightClasses], parents[kNodes];
  unsigned leaves = 0;
  for (unsigned i = 0; i < kWeightClasses; ++i)
    if (counts[i])
      classes[leaves++] = uint8_t(i);
  std::sort(classes, classes + leaves, [&](uint8_t a, uint8_t b) {
    return std::pair(counts[a], a) < std::pair(counts[b], b);
  });
  for (unsigned i = 0; i < leaves; ++i)
    weights[i] = counts[classes[i]];
  unsigned leaf = 0, joined = leaves, last = 2 * leaves - 2;
  for (unsigned node = leaves; node <= last; ++node) {
    weights[node] = 0;
    for (unsigned child = 0; child < 2; ++child) {
      bool isLeaf =
          leaf < leaves && (joined == node || weights[leaf] <= weights[joined]);
      unsigned taken = isLeaf ? leaf++ : joined++;
      weights[node] += weights[taken];
      parents[taken] = uint8_t(node);
    }
  }
  uint8_t depths[kNodes];
  depths[last] = 0;
  for (unsigned node = last; node-- > 0;)
    depths[node] = uint8_t(depths[parents[node]] + 1);
  WeightCode code{};
  for (unsigned i = 0; i < leaves; ++i)
    code[classes[i]] = depths[i];
  return code;
}

/// Code lengths by Huffman's method, at most kMostCodeBits each; of two classes
/// at least, so that the code is complete.
static WeightCode codeOf(ClassCounts counts) {
  if (std::count_if(counts.begin(), counts.end(),
                    [](uint64_t n) { return n != 0; }) < 2)
    for (unsigned i = 0; i < 2; ++i)
      counts[i] = std::max<uint64_t>(counts[i], 1);
  for (;;) {
    WeightCode code = huffmanLengths(counts);
    if (*std::max_element(code.begin(), code.end()) <= kMostCodeBits)
      return code;
    // Rare classes become less rare.
    uint64_t total = std::accumulate(counts.begin(), counts.end(), uint64_t(0));
    for (uint64_t &count : counts)
      if (count)
        count += total / 256 + 1;
  }
}

static uint64_t codeBits(const ClassCounts &counts, const WeightCode &code) {
  uint64_t bits = 8 * (kWeightHeaderBytes + kWeightTableBytes) + kRestBits;
  for (unsigned i = 0; i < kWeightClasses; ++i)
    bits += counts[i] * code[i];
  return bits;
}

static unsigned classOf(uint8_t folded, unsigned lowBits) {
  return std::min<unsigned>(folded >> lowBits, kEscapeClass);
}

/// The byte that values are near: that of signed weights, or of unsigned ones.
static uint8_t centerOf(const Counts &counts) {
  uint64_t far[2] = {};
  for (unsigned i = 0; i < 256; ++i)
    for (unsigned half = 0; half < 2; ++half)
      far[half] += uint64_t(counts[i]) * foldSign(uint8_t(i - 128 * half));
  return far[1] < far[0] ? 128 : 0;
}

/// Keeps the best number of low bits in \p best; \p plainBits take the bytes
/// that are not coded.
static void tryBytes(const Counts &counts, WeightBlock block,
                     uint64_t plainBits, Form &best) {
  block.center = centerOf(counts);
  Counts folded{};
  for (unsigned i = 0; i < 256; ++i)
    folded[foldSign(uint8_t(i - block.center))] += counts[i];
  // Three classes or more within the mean, and one choice beside it.
  uint64_t total = 0, sum = 0;
  for (unsigned i = 0; i < 256; ++i)
    total += folded[i], sum += uint64_t(folded[i]) * i;
  unsigned most = 0;
  while (most < kMostLowBits && sum > (total * 3) << most)
    ++most;
  for (unsigned lowBits = most ? most - 1 : 0; lowBits <= most; ++lowBits) {
    ClassCounts classes{};
    for (unsigned i = 0; i < 256; ++i)
      classes[classOf(uint8_t(i), lowBits)] += folded[i];
    WeightCode code = codeOf(classes);
    uint64_t bits = plainBits + codeBits(classes, code);
    for (unsigned i = 0; i < kWeightClasses; ++i)
      bits += classes[i] * (i == kEscapeClass ? 8 : lowBits);
    block.lowBits = uint8_t(lowBits);
    if (bits < best.bits)
      best = {block, code, bits};
  }
}

static void tryNibbles(const Counts &counts, WeightBlock block, Form &best) {
  ClassCounts classes{};
  for (unsigned i = 0; i < 256; ++i) {
    classes[i & 15] += counts[i];
    classes[i >> 4] += counts[i];
  }
  WeightCode code = codeOf(classes);
  uint64_t bits = codeBits(classes, code);
  if (bits < best.bits)
    best = {block, code, bits};
}

static Form formOf(const Histogram &histogram, size_t sizeBytes) {
  auto ofKind = [&](WeightBlockKind kind) {
    return WeightBlock{.kind = kind, .sizeBytes = uint32_t(sizeBytes)};
  };
  Counts counts = histogram.all();
  if (*std::max_element(counts.begin(), counts.end()) == sizeBytes)
    return {ofKind(WeightBlockKind::Repeat), {}, 8 * kWeightHeaderBytes + 8};
  Form best{ofKind(WeightBlockKind::Plain),
            {},
            8 * (kWeightHeaderBytes + uint64_t(sizeBytes))};
  tryBytes(counts, ofKind(WeightBlockKind::Bytes), 0, best);
  tryBytes(histogram.odd, ofKind(WeightBlockKind::Pairs),
           8 * uint64_t((sizeBytes + 1) / 2), best);
  tryNibbles(counts, ofKind(WeightBlockKind::Nibbles), best);
  return best;
}

/// What neither of two can be coded in, both together cannot.
static Form joinedForm(const Collected &a, const Collected &b,
                       const Histogram &both) {
  size_t sizeBytes = b.end - a.begin;
  if (a.form.block.kind == WeightBlockKind::Plain &&
      b.form.block.kind == WeightBlockKind::Plain)
    return {{.sizeBytes = uint32_t(sizeBytes)},
            {},
            a.form.bits + b.form.bits - 8 * kWeightHeaderBytes};
  return formOf(both, sizeBytes);
}

/// The codes of all classes, highest bit first.
static std::array<uint16_t, kWeightClasses> codesOf(const WeightCode &code) {
  std::array<uint16_t, kWeightClasses> codes{};
  uint16_t next = 0;
  for (unsigned bits = 1; bits <= kMostCodeBits; ++bits, next <<= 1)
    for (unsigned i = 0; i < kWeightClasses; ++i)
      if (code[i] == bits)
        codes[i] = next++;
  return codes;
}

/// For every byte, at even places and at odd ones.
static std::array<std::array<Symbol, 256>, 2> symbolsOf(const Form &form) {
  const WeightBlock &block = form.block;
  std::array<uint16_t, kWeightClasses> codes = codesOf(form.code);
  std::array<std::array<Symbol, 256>, 2> symbols{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    Symbol &s = symbols[1][byte];
    s.firstNeed = kMostCodeBits;
    if (block.kind == WeightBlockKind::Nibbles) {
      unsigned low = byte & 15, high = byte >> 4;
      s.firstCount = form.code[low];
      s.count = s.firstCount + form.code[high];
      s.bits = uint16_t(codes[low] << form.code[high] | codes[high]);
      s.need = kMostCodeBits;
    } else {
      uint8_t folded = foldSign(uint8_t(byte - block.center));
      unsigned index = classOf(folded, block.lowBits);
      unsigned rest = index == kEscapeClass ? 8 : block.lowBits;
      s.firstCount = form.code[index];
      s.count = uint8_t(s.firstCount + rest);
      s.bits = uint16_t(codes[index] << rest | (folded & ((1u << rest) - 1)));
      s.need = uint8_t(rest);
    }
    symbols[0][byte] = block.kind == WeightBlockKind::Pairs
                           ? Symbol{uint16_t(byte), 8, 0, 0, 8}
                           : s;
  }
  return symbols;
}

/// First the bits of every lane, then their bytes in the order in which a
/// decoder asks for them.
void Encoder::writeLanes(std::span<const uint8_t> part, const Form &form) {
  auto symbols = symbolsOf(form);
  size_t laneBytes = 2 * (part.size() / kWeightLanes + 1) + 2;
  std::vector<uint8_t> bits(laneBytes * kWeightLanes);
  for (unsigned lane = 0; lane < kWeightLanes; ++lane) {
    uint8_t *to = bits.data() + lane * laneBytes;
    uint32_t waiting = 0;
    unsigned count = 0;
    for (size_t i = lane; i < part.size(); i += kWeightLanes) {
      const Symbol &s = symbols[lane % 2][part[i]];
      waiting = waiting << s.count | s.bits;
      for (count += s.count; count >= 8; count -= 8)
        *to++ = uint8_t(waiting >> (count - 8));
    }
    if (count)
      *to = uint8_t(waiting << (8 - count));
  }
  std::array<const uint8_t *, kWeightLanes> next;
  std::array<uint8_t, kWeightLanes> held{};
  for (unsigned lane = 0; lane < kWeightLanes; ++lane)
    next[lane] = bits.data() + lane * laneBytes;
  size_t begin = stream.size();
  stream.resize(begin + bits.size());
  uint8_t *to = stream.data() + begin;
  auto step = [&](size_t lane, unsigned need, unsigned count) {
    unsigned isShort = held[lane] < need;
    *to = *next[lane];
    to += isShort;
    next[lane] += isShort;
    held[lane] += uint8_t(8 * isShort - count);
  };
  for (size_t i = 0; i < part.size(); i += kWeightRoundBytes) {
    size_t end = std::min(part.size(), i + kWeightRoundBytes);
    for (size_t j = i; j < end; ++j) {
      const Symbol &s = symbols[j % 2][part[j]];
      step(j % kWeightLanes, s.firstNeed, s.firstCount);
    }
    for (size_t j = i; j < end; ++j) {
      const Symbol &s = symbols[j % 2][part[j]];
      step(j % kWeightLanes, s.need, s.count - s.firstCount);
    }
  }
  stream.resize(size_t(to - stream.data()));
}

void Encoder::write(const Collected &block) {
  const Form &form = block.form;
  const WeightBlock &header = form.block;
  std::span<const uint8_t> part =
      bytes.subspan(block.begin, block.end - block.begin);
  size_t begin = stream.size();
  auto writeHeader = [&](const WeightBlock &b) {
    stream.push_back(uint8_t(unsigned(b.kind) | b.lowBits << 3));
    stream.push_back(b.center);
    stream.push_back(uint8_t(b.sizeBytes - 1));
    stream.push_back(uint8_t((b.sizeBytes - 1) >> 8));
  };
  writeHeader(header);
  if (header.kind == WeightBlockKind::Repeat) {
    stream.push_back(part[0]);
    return;
  }
  if (header.isCoded()) {
    for (unsigned i = 0; i < kWeightClasses; i += 2)
      stream.push_back(uint8_t(form.code[i] | form.code[i + 1] << 4));
    writeLanes(part, form);
    if (stream.size() - begin <= kWeightHeaderBytes + part.size())
      return;
    // The lanes' rests were more than expected.
    stream.resize(begin);
    writeHeader({.sizeBytes = header.sizeBytes});
  }
  stream.insert(stream.end(), part.begin(), part.end());
}

void Encoder::addRange(size_t begin, size_t end) {
  Collected block;
  for (size_t at = begin; at < end;) {
    Collected unit{at, std::min(end, at + kUnitBytes), {}, {}};
    unit.histogram.add(bytes.subspan(at, unit.end - at));
    unit.form = formOf(unit.histogram, unit.end - at);
    at = unit.end;
    if (block.end != 0 && unit.end - block.begin <= kMostWeightBlockBytes) {
      Histogram both = block.histogram;
      both.add(unit.histogram);
      Form joined = joinedForm(block, unit, both);
      if (joined.bits <= block.form.bits + unit.form.bits) {
        block.end = unit.end;
        block.histogram = both;
        block.form = joined;
        continue;
      }
    }
    if (block.end != 0)
      write(block);
    block = unit;
  }
  if (block.end != 0)
    write(block);
}

std::vector<uint8_t> isa::encodeWeights(std::span<const uint8_t> bytes,
                                        std::span<const uint64_t> cuts) {
  Encoder encoder(bytes);
  size_t begin = 0;
  for (uint64_t cut : cuts)
    if (cut > begin && cut < bytes.size()) {
      encoder.addRange(begin, cut);
      begin = cut;
    }
  encoder.addRange(begin, bytes.size());
  return std::move(encoder.stream);
}
