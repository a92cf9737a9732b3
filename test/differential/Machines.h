//===- Machines.h - Where random programs run -------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// This simulator in this process, and qemu-riscv32 as a program of its own.
//
//   Outcome ours = runOnTec(program, {});
//   Outcome theirs = runOnProgram(program, qemuCommand("qemu-riscv32"));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_DIFFERENTIAL_MACHINES_H
#define YARROW_TEST_DIFFERENTIAL_MACHINES_H

#include "simulator/tec/Tec.h"
#include "test/differential/Program.h"
#include <optional>

namespace yarrow::differential {

Outcome runOnTec(const Program &program, sim::TecOptions options);

/// Runs \p command with the name of an ELF file after it.
Outcome runOnProgram(const Program &program, const std::string &command);

/// QEMU with the vector length of a TEC.
std::string qemuCommand(const std::string &qemu);

/// The path of \p name, if it is a program; looked for in PATH.
std::optional<std::string> findProgram(const std::string &name);

} // namespace yarrow::differential

#endif // YARROW_TEST_DIFFERENTIAL_MACHINES_H
