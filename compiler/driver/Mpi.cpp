//===- Mpi.cpp - The processes that mpirun has started --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/Mpi.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#ifdef YARROW_HAS_MPI
#include <mpi.h>
#endif

using namespace yarrow;

/// Open MPI and MPICH name the number of processes so.
std::size_t MpiSession::processes() {
  for (const char *name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char *text = std::getenv(name))
      return std::max<std::size_t>(1, std::strtoull(text, nullptr, 10));
  return 1;
}

#ifdef YARROW_HAS_MPI

class MpiSession::Processes : public Ranks {
public:
  Processes() {
    // Only the main thread calls MPI.
    int level = 0, rank = 0, size = 1;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ownRank = std::size_t(rank);
    numRanks = std::size_t(size);
  }
  ~Processes() override { MPI_Finalize(); }

  std::size_t rank() const override { return ownRank; }
  std::size_t count() const override { return numRanks; }

  bool exchange(const std::string &own,
                std::vector<std::string> &parts) override {
    std::vector<int64_t> sizes = exchangeSizes(int64_t(own.size()));
    if (sizes.empty())
      return false;
    parts.assign(numRanks, "");
    for (std::size_t r = 0; r < numRanks; ++r) {
      parts[r].resize(std::size_t(sizes[r]));
      if (r == ownRank)
        parts[r] = own;
      // MPI counts in int.
      constexpr std::size_t most = std::size_t(1) << 30;
      for (std::size_t at = 0; at < parts[r].size(); at += most)
        MPI_Bcast(parts[r].data() + at,
                  int(std::min(most, parts[r].size() - at)), MPI_BYTE, int(r),
                  MPI_COMM_WORLD);
    }
    return true;
  }

  bool finish() {
    if (hasEnded)
      return false;
    constexpr int64_t ended = -1;
    std::vector<int64_t> sizes(numRanks);
    MPI_Allgather(&ended, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T,
                  MPI_COMM_WORLD);
    hasEnded = true;
    return std::ranges::all_of(sizes, [](int64_t s) { return s == ended; });
  }

private:
  /// Empty if one of the processes has ended; nobody waits for anybody then.
  std::vector<int64_t> exchangeSizes(int64_t own) {
    if (hasEnded)
      return {};
    std::vector<int64_t> sizes(numRanks);
    MPI_Allgather(&own, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T,
                  MPI_COMM_WORLD);
    hasEnded = std::ranges::any_of(sizes, [](int64_t s) { return s < 0; });
    return hasEnded ? std::vector<int64_t>() : sizes;
  }

  std::size_t ownRank = 0, numRanks = 1;
  bool hasEnded = false;
};

bool MpiSession::isAvailable() { return true; }

#else

/// Never made.
class MpiSession::Processes : public Ranks {
public:
  std::size_t rank() const override { return 0; }
  std::size_t count() const override { return 1; }
  bool exchange(const std::string &, std::vector<std::string> &) override {
    return false;
  }
  bool finish() { return false; }
};

bool MpiSession::isAvailable() { return false; }

#endif

MpiSession::MpiSession() : all(std::make_unique<Processes>()) {}
MpiSession::~MpiSession() = default;

std::unique_ptr<MpiSession> MpiSession::start() {
  if (!isAvailable() || processes() < 2)
    return nullptr;
  return std::unique_ptr<MpiSession>(new MpiSession());
}

Ranks &MpiSession::ranks() { return *all; }

bool MpiSession::finish() { return all->finish(); }
