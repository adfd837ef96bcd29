// Every seed of a fuzzer, among them all that it ever found, through the same function. For the rooms' seeds_test.cpp.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "tests/support/paths.h"

namespace fuzz {

// The seeds of tests/fuzz/seeds/`name`. The target aborts on what does not hold.
inline void replay(const std::string& name, void (*target)(std::string_view)) {
  int count = 0;
  for (const auto& seed : std::filesystem::directory_iterator(paths::tests() / "fuzz/seeds" / name)) {
    std::stringstream bytes;
    bytes << std::ifstream(seed.path(), std::ios::binary).rdbuf();
    SCOPED_TRACE(seed.path().string());
    target(bytes.str());
    ++count;
  }
  EXPECT_GT(count, 5);
}

}  // namespace fuzz
