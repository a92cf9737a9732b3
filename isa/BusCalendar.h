//===- BusCalendar.h - A shared bus and when it is taken --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The DDR bus serves one requester at a time at its full rate. Clocks of
// channels and TECs can be ahead of each other, so a request gets the free time
// from its own start on, in parts if necessary. No cycle is used twice: traffic
// never exceeds the bandwidth.
//
//   BusCalendar bus;
//   uint64_t end = bus.reserve(/*from=*/100, /*cycles=*/40);   // 140
//   end = bus.reserve(/*from=*/90, /*cycles=*/20);             // 150: 90..100,
//   140..150
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_ISA_BUSCALENDAR_H
#define YARROW_ISA_BUSCALENDAR_H

#include <cstdint>
#include <map>

namespace yarrow::isa {

class BusCalendar {
public:
  /// Takes \p cycles free cycles at or after \p from; returns the end of the
  /// last one (\p from if there are none).
  uint64_t reserve(uint64_t from, uint64_t cycles);
  uint64_t takenCycles() const { return taken; }
  /// Drops what ends before \p cycle: no request will come from before it.
  void forgetBefore(uint64_t cycle);

private:
  std::map<uint64_t, uint64_t> busy; ///< Start to end; never touching.
  uint64_t taken = 0;
};

} // namespace yarrow::isa

#endif // YARROW_ISA_BUSCALENDAR_H
