//===- Mpi.h - The processes that mpirun has started ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Ranks (support/Ranks.h) over MPI. A program that was started without mpirun
// is alone and never initialises MPI; one that was built without MPI and is
// started by mpirun says so.
//
//   std::unique_ptr<MpiSession> session = MpiSession::start();
//   driver.ranks = session ? session->ranks() : nullptr;
//   ...
//   if (session && !session->finish()) // not all have come to the end
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DRIVER_MPI_H
#define YARROW_COMPILER_DRIVER_MPI_H

#include "support/Ranks.h"

#include <memory>

namespace yarrow {

class MpiSession {
public:
  /// How many processes the environment says there are; 1 without mpirun.
  static std::size_t processes();
  /// Whether the program was built with MPI.
  static bool isAvailable();

  /// Null if there is one process, or if MPI is not available.
  static std::unique_ptr<MpiSession> start();
  ~MpiSession();
  Ranks &ranks();
  /// Waits for the others. False if one of them is elsewhere: it is told that
  /// this one has ended.
  bool finish();

private:
  class Processes;
  MpiSession();
  std::unique_ptr<Processes> all;
};

} // namespace yarrow

#endif // YARROW_COMPILER_DRIVER_MPI_H
