// What a fuzz target asserts.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

// Also prints the input.
inline void require(bool holds, const char* what, std::string_view input) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s: %.*s\n", what, static_cast<int>(input.size()), input.data());
  std::abort();
}

}  // namespace fuzz
