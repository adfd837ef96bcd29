// Every seed of the fuzzers, among them all that a fuzzer ever found, through the same functions.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/fuzz/summarizer_targets.h"

namespace {

void run(const std::string& name, void (*target)(std::string_view)) {
  int count = 0;
  for (const auto& seed : std::filesystem::directory_iterator(std::filesystem::path(FUZZ_SEEDS) / name)) {
    std::stringstream bytes;
    bytes << std::ifstream(seed.path(), std::ios::binary).rdbuf();
    SCOPED_TRACE(seed.path().string());
    target(bytes.str());
    ++count;
  }
  EXPECT_GT(count, 5);
}

TEST(Seeds, Pages) { run("page", fuzz::page); }
TEST(Seeds, Charsets) { run("charset", fuzz::charset); }
TEST(Seeds, Urls) { run("url", fuzz::url); }

}  // namespace
