// The program's pages are released after the start and read again on demand.
#include "appliance/box/resident_memory.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace resident_memory_test {

// Resident pages of files, in KB.
long resident_of_files() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long amount = 0;
    if (word == "RssFile:" && status >> amount) return amount;
  }
  return -1;
}

TEST(ResidentMemory, ProgramPagesAreReleasedAndReadAgain) {
  const auto before = resident_of_files();
  agentbox::give_back_program_pages();
  const auto after = resident_of_files();
  EXPECT_GT(after, 0);
  EXPECT_LT(after, before);
  EXPECT_THROW(static_cast<void>(std::stoi("no number")), std::invalid_argument) << "code and tables are read again";
}

}  // namespace resident_memory_test
