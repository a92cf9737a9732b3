//===- TrialCommands.cpp - Commands that are only planned -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/schedule/TrialCommands.h"
#include "dialects/npu/FieldRegions.h"

#include <cstring>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

unsigned TrialCommands::numberOf(Value buffer) {
  return numbers.try_emplace(buffer.getDefiningOp(), unsigned(numbers.size()))
      .first->second;
}

void TrialCommands::addText(StringRef text) {
  addWord(text.size());
  for (size_t i = 0; i < text.size(); i += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, text.data() + i,
                std::min(sizeof(word), text.size() - i));
    addWord(word);
  }
}

static BufferOp bufferOf(const isa::AddressField &field,
                         ArrayRef<FieldBuffer> buffers) {
  const FieldBuffer *found = llvm::find_if(buffers, [&](const FieldBuffer &b) {
    return b.field == StringRef(field.name.data(), field.name.size());
  });
  return found != buffers.end() && found->buffer
             ? found->buffer.getDefiningOp<BufferOp>()
             : BufferOp();
}

void TrialCommands::add(int64_t layer, Unit unit,
                        const isa::AnyDescriptor &descriptor,
                        ArrayRef<FieldBuffer> buffers) {
  TrialCommand command;
  command.unit = unit;
  addWord(uint64_t(command.kind));
  addWord(uint64_t(layer));
  addWord(uint64_t(unit));
  addWord(descriptor.index());
  std::visit(
      [&](auto d) {
        using D = decltype(d);
        SmallVector<BufferOp> byField;
        for (const isa::AddressField &field : D::kAddressFields) {
          BufferOp buffer = byField.emplace_back(bufferOf(field, buffers));
          addWord(buffer ? numberOf(buffer) + 1 : 0);
        }
        d.forEachMember(
            [&](auto, auto &member) { addWord(uint64_t(int64_t(member))); });
        d.forEachAccess([&](const isa::FieldAccess &a) {
          if (BufferOp buffer = byField[a.field])
            command.touched.push_back(
                {buffer, uint64_t(int64_t(a.offset) + a.extent.begin),
                 a.extent.sizeBytes(), a.isWrite});
        });
        setRegions(d, [&](unsigned i) { return byField[i]; });
        command.descriptor = d;
      },
      descriptor);
  all.push_back(std::move(command));
}

void TrialCommands::addKernel(int64_t layer, const TrialKernel &kernel) {
  TrialCommand command;
  command.unit = Unit::Tec;
  addWord(uint64_t(command.kind));
  addWord(uint64_t(layer));
  addWord(uint64_t(Unit::Tec));
  addText(kernel.symbol);
  addText({kernel.params.data(), kernel.params.size()});
  addWord(kernel.roles.size());
  unsigned next = 0;
  for (int64_t role : kernel.roles) {
    addWord(uint64_t(role));
    if (role == RoleNull)
      continue;
    Access access = kernel.buffers[next++];
    addWord(numberOf(access.buffer));
    addWord(access.offsetBytes);
    addWord(access.sizeBytes);
    access.isWrite = false;
    if (role & RoleRead)
      command.touched.push_back(access);
    access.isWrite = true;
    if (role & RoleWrite)
      command.touched.push_back(access);
  }
  all.push_back(std::move(command));
}

void TrialCommands::beginControl(int64_t layer, TrialCommand::Kind kind,
                                 const Access &flag) {
  TrialCommand command;
  command.kind = kind;
  addWord(uint64_t(kind));
  addWord(uint64_t(layer));
  if (kind != TrialCommand::Kind::Cores) {
    addWord(numberOf(flag.buffer));
    addWord(flag.offsetBytes);
    addWord(flag.sizeBytes);
    command.touched.push_back(flag);
  }
  all.push_back(std::move(command));
}

void TrialCommands::endBlock(bool isLast) {
  TrialCommand command;
  command.kind = TrialCommand::Kind::End;
  command.isLast = isLast;
  addWord(uint64_t(command.kind));
  addWord(isLast);
  all.push_back(std::move(command));
}

TrialCommands::Contents TrialCommands::contents(func::FuncOp func) const {
  Contents result{words, {}};
  // In the order of the function, which places in memory depend on.
  for (auto buffer : func.getOps<BufferOp>()) {
    auto number = numbers.find(buffer);
    if (number == numbers.end())
      continue;
    result.words.push_back(number->second);
    result.words.push_back(uint64_t(buffer.getRegion()));
    result.words.push_back(uint64_t(buffer.getSizeBytes()));
    for (Attribute part : {Attribute(buffer.getBufferNameAttr()),
                           Attribute(buffer.getDataAttr())})
      result.constants.push_back(uint64_t(part.getAsOpaquePointer()));
  }
  return result;
}
