//===- Pointwise.cpp - Elementwise layers on the tensor engine ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/Pointwise.h"
#include "isa/CommandRules.h"
#include "isa/ElfLayout.h"
#include "passes/lower/choose/ConvTiling.h"
#include "passes/lower/commands/Lowering.h"
#include "passes/lower/commands/PointSlices.h"

#include <cstring>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

namespace {
/// Slices of one length: where they lie in SRAM, and their commands.
struct SliceCommands {
  PointSlice slice;
  std::vector<PointPart> parts;
};

/// Constants that commands of up to `channels` channels share.
struct PointConstants {
  std::vector<char> bytes;
  uint32_t bias = 0, slopes = 0;

  PointConstants(const Pointwise &f, uint64_t channels);
};
} // namespace

/// Weights, biases and slopes.
PointConstants::PointConstants(const Pointwise &f, uint64_t channels) {
  bias = uint32_t(llvm::alignTo(channels, isa::kConstantAlignBytes));
  slopes =
      uint32_t(llvm::alignTo(bias + 4 * channels, isa::kConstantAlignBytes));
  bytes.resize(slopes + 2 * f.slopes.size());
  std::fill_n(bytes.begin(), channels, char(f.weight));
  for (uint64_t i = 0; i < channels; ++i)
    std::memcpy(&bytes[bias + 4 * i], &f.bias, sizeof(f.bias));
  if (!f.slopes.empty())
    std::memcpy(&bytes[slopes], f.slopes.data(), 2 * f.slopes.size());
}

/// The commands of slices of so many elements; none if the engine or the DMA
/// engine has no such command.
static std::optional<SliceCommands> commandsOf(const Pointwise &f,
                                               const PointSlices &slices,
                                               uint64_t length,
                                               const isa::Machine &machine) {
  SliceCommands commands{slices.slice(length), {}};
  for (const SliceTensor *t :
       {&commands.slice.in, &commands.slice.other, &commands.slice.out})
    if (t->isCopied() && CopyCommands(t->copy, /*elementBytes=*/1).count() > 1)
      return std::nullopt;
  commands.parts =
      partsOf(commands.slice.axes, !f.slopes.empty(), machine.macArray);
  for (const PointPart &part : commands.parts)
    if (isa::refusalOf(commandOf(f, part)))
      return std::nullopt;
  return commands.parts.empty() ? std::nullopt : std::optional(commands);
}

namespace {
/// Emits the slices of one layer.
class PointEmitter {
public:
  PointEmitter(Lowering &lowering, const Pointwise &f, std::string name)
      : lowering(lowering), f(f), name(std::move(name)) {}

  /// A constant in SRAM, which calls of one layer share.
  Value load(Value constant, const std::string &what);
  /// Where a slice of \p t that begins at these bytes is in SRAM.
  Value stage(const Tensor &t, const SliceTensor &copy, uint32_t elementBytes,
              uint64_t &beginBytes, StringRef what);
  void emit(const SliceCommands &commands, std::array<Value, 3> buffers,
            std::array<uint64_t, 3> beginBytes, isa::WorkCost &work);

  Value weights, table;
  uint32_t biasOffset = 0, slopeOffset = 0;

private:
  Lowering &lowering;
  const Pointwise &f;
  std::string name;
};
} // namespace

Value PointEmitter::load(Value constant, const std::string &what) {
  if (Value kept = lowering.keepConstant(constant, what))
    return kept;
  return lowering.loadConstant(constant, what);
}

Value PointEmitter::stage(const Tensor &t, const SliceTensor &copy,
                          uint32_t elementBytes, uint64_t &beginBytes,
                          StringRef what) {
  if (!copy.isCopied())
    return t.buffer;
  Value buffer = lowering.newSram(copy.sizeBytes, (name + what).str());
  lowering.emitCopy(
      CopyCommands(copy.copy, elementBytes).command(0, int64_t(beginBytes), 0),
      t.buffer, buffer, isa::Unit::DmaLoad);
  beginBytes = 0;
  return buffer;
}

void PointEmitter::emit(const SliceCommands &commands,
                        std::array<Value, 3> buffers,
                        std::array<uint64_t, 3> beginBytes,
                        isa::WorkCost &work) {
  for (const PointPart &part : commands.parts) {
    isa::Conv d = commandOf(f, part);
    d.bias = biasOffset;
    d.input += uint32_t(beginBytes[0]), d.output += uint32_t(beginBytes[2]);
    SmallVector<FieldBuffer> fields = {{"input", buffers[0]},
                                       {"output", buffers[2]},
                                       {"weights", weights},
                                       {"bias", weights}};
    if (isa::hasSlopes(d)) {
      d.slopes = slopeOffset;
      fields.push_back({"slopes", weights});
    }
    if (d.hasLut) {
      d.lut = f.lutOffset;
      fields.push_back({"lut", table});
    }
    if (d.hasResidual) {
      d.residual += uint32_t(beginBytes[1]);
      fields.push_back({"residual", buffers[1]});
    }
    lowering.emit(d, fields);
    work.add(isa::Unit::TensorEngine, isa::costOf(d, lowering.getMachine()));
  }
}

PlainConstants Lowering::plainConstants(const Pointwise &f, uint64_t channels,
                                        StringRef name) {
  for (const PlainConstants &known : knownPlain)
    if (known.weight == f.weight && known.bias == f.bias &&
        known.channels >= channels)
      return known;
  channels = std::max(channels, leastPlainChannels);
  PointConstants constants(f, channels);
  PlainConstants plain{f.weight, f.bias, channels, constants.bias, {}};
  Value constant = newConstant(constants.bytes, name);
  plain.loaded = keepConstant(constant, name);
  if (plain.loaded)
    knownPlain.push_back(plain);
  else
    plain.loaded = loadConstant(constant, name);
  return plain;
}

bool Lowering::emitPointwise(const Step &step, const Pointwise &f,
                             const Tensor &in, const Tensor &other,
                             const Tensor &out,
                             llvm::function_ref<Value(StringRef)> lut) {
  if (!options.fuseResidual)
    return false;
  PointSlices slices(f, in.inSram, other.inSram, out.inSram);
  // Constants of every channel that a command may have, which are few bytes
  // beside its elements, and the table.
  SmallVector<PointAxis, 4> joined = joinedAxes(f.axes, !f.slopes.empty());
  uint64_t channels = std::max<uint64_t>(
      machine.macArray.inputLanes, joined.empty() ? 1 : joined.back().size);
  uint64_t constantBytes =
      std::min<uint64_t>(8 * channels, 1 << 16) + 2 * isa::kBufferAlignBytes;
  if (f.stage.hasLut)
    constantBytes += uint64_t(f.outBytes()) << f.stage.lutLog2Items;
  uint64_t freeBytes = freeSramBytes();
  if (constantBytes > freeBytes || !slices.fit(freeBytes - constantBytes))
    return false;
  auto commands = commandsOf(f, slices, slices.length(), machine);
  uint64_t rest = slices.cut().size % slices.length();
  auto last = rest != 0 ? commandsOf(f, slices, rest, machine) : commands;
  if (!commands || !last)
    return false;
  uint64_t most = 1;
  for (const SliceCommands &some : {*commands, *last})
    for (const PointPart &part : some.parts)
      most = std::max(most, part.channels.size);
  PointConstants constants(f, most);
  if (constants.bytes.size() > constantBytes)
    return false;

  std::string name = compass::layerNameOf(step.op).str();
  std::string table = name + ".lut";
  PointEmitter emitter(*this, f, name);
  if (f.slopes.empty()) {
    PlainConstants plain = plainConstants(f, most, name + ".ones");
    emitter.weights = plain.loaded;
    emitter.biasOffset = plain.biasOffset;
  } else {
    std::string ones = name + ".ones";
    emitter.weights = emitter.load(newConstant(constants.bytes, ones), ones);
    emitter.biasOffset = constants.bias;
    emitter.slopeOffset = constants.slopes;
  }
  if (f.stage.hasLut)
    emitter.table = emitter.load(lut(table), table);
  isa::WorkCost work;
  Value sharedOther;
  for (uint64_t i = 0; i < slices.count(); ++i) {
    uint64_t begin = i * slices.length();
    bool isLast = i + 1 == slices.count();
    const PointSlice &slice = (isLast ? *last : *commands).slice;
    auto firstByte = [&](const Tensor &t, int64_t step, uint32_t bytes) {
      return t.offsetBytes + begin * uint64_t(step) * bytes;
    };
    uint64_t inAt = firstByte(in, slices.cut().in, f.inBytes());
    uint64_t otherAt = 0;
    uint64_t outAt = firstByte(out, slices.cut().out, f.outBytes());
    Value inBuffer = emitter.stage(in, slice.in, f.inBytes(), inAt, ".input");
    if (f.stage.hasResidual) {
      otherAt = firstByte(other, slices.cut().other, f.otherBytes());
      bool isShared = slice.other.isCopied() && slices.cut().other == 0;
      // What all slices read is loaded once.
      if (!sharedOther || !isShared)
        sharedOther = emitter.stage(other, slice.other, f.otherBytes(), otherAt,
                                    ".other");
      else
        otherAt = 0;
    }
    uint64_t homeAt = outAt;
    Value outBuffer = out.buffer;
    if (slice.out.isCopied()) {
      outBuffer = newSram(slice.out.sizeBytes, name + ".output");
      outAt = 0;
    }
    emitter.emit(isLast ? *last : *commands, {inBuffer, sharedOther, outBuffer},
                 {inAt, otherAt, outAt}, work);
    if (slice.out.isCopied())
      emitCopy(CopyCommands(slice.out.copy, f.outBytes())
                   .command(0, 0, int64_t(homeAt)),
               outBuffer, out.buffer, isa::Unit::DmaStore);
  }
  if (isTrial())
    return true;
  ConvTiling whole;
  whole.rows = uint32_t(commands->parts[0].rows.size);
  whole.channels = uint32_t(most);
  tilings.push_back(tilingAttr(whole, work, currentLayer(),
                               /*isWholeLayer=*/false, builder));
  return true;
}
