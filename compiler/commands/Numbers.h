//===- Numbers.h - Numbers that options take --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the parser of the command line would say of a number is either the
// largest double in full or nothing: it reads -3 as an unsigned number.
//
//   command.add_option("--samples", flags->samples)->check(wholeNumber(1));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_NUMBERS_H
#define YARROW_COMPILER_COMMANDS_NUMBERS_H

#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdint>
#include <string>

namespace yarrow {

/// From \p least, 0 or 1, to all that 64 bits hold.
inline CLI::Validator wholeNumber(uint64_t least = 0) {
  return CLI::Validator(
      [least](std::string &text) -> std::string {
        uint64_t value = 0;
        const char *end = text.data() + text.size();
        auto [stop, error] = std::from_chars(text.data(), end, value);
        if (!text.empty() && error == std::errc() && stop == end &&
            value >= least)
          return "";
        return text + " is not a whole number from " + std::to_string(least) +
               (error == std::errc::result_out_of_range ? " that 64 bits hold"
                                                        : "");
      },
      least ? "POSITIVE" : "NONNEGATIVE");
}

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_NUMBERS_H
