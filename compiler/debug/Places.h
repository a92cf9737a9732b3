//===- Places.h - What words of debugger commands name ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Layers, commands, tensors, registers and addresses by what a user calls them.
// Each function returns nothing, and says in \p problem why, if there is no
// such thing.
//
//   std::string problem;
//   auto layer = findLayer(executable, "/fc/Gemm", problem);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DEBUG_PLACES_H
#define YARROW_COMPILER_DEBUG_PLACES_H

#include "runtime/Stepper.h"

namespace yarrow {

/// By its name, or that of a layer that became part of it.
std::optional<std::size_t> findLayer(const runtime::Executable &executable,
                                     const std::string &name,
                                     std::string &problem);

/// "te 3", "load 0", "tec 2"; a number alone is of the tensor engine.
std::optional<runtime::CommandId>
findCommand(const runtime::Executable &executable,
            std::span<const std::string> words, std::string &problem);

/// A layer or "0x1f", as --break takes it.
std::optional<runtime::Breakpoint>
findBreak(const runtime::Executable &executable, const std::string &place,
          std::string &problem);

std::optional<std::size_t> findTensor(const runtime::RunTensors &tensors,
                                      const std::string &name,
                                      std::string &problem);

/// A register of \p tec: "a0", "x10", "f3", "pc", "vl"; not of a vector.
std::optional<uint64_t> findRegister(const runtime::Stepper &stepper,
                                     uint32_t tec, const std::string &name,
                                     std::string &problem);

/// A number, $REGISTER, &TENSOR, a region or a function; then +N or -N.
std::optional<uint32_t> findAddress(const runtime::Stepper &stepper,
                                    uint32_t tec, uint32_t core,
                                    const std::string &text,
                                    std::string &problem);

/// The function of the TECs' program.
std::optional<uint32_t> findFunction(const runtime::Stepper &stepper,
                                     const std::string &name);

/// "tensor engine command 3", "TEC step 2".
std::string commandName(runtime::CommandId command);
/// "0xe0000000"
std::string addressText(uint64_t address);

} // namespace yarrow

#endif // YARROW_COMPILER_DEBUG_PLACES_H
