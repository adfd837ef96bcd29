// A log cut anywhere is torn, a log with any one bit changed is damaged, and neither is taken for the other.
#include "store/rocks/log_check.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <random>
#include <thread>

#include "store/rocks/crc32c.h"
#include "tests/store/fixture.h"
#include "tests/store/writer.h"

namespace store_test {
namespace log_check_test {

namespace fs = std::filesystem;
using store::LogState;

// Writes as RocksDB does: see the layout in log_check.h.
std::string log_of(const std::vector<std::string>& writes) {
  constexpr std::size_t block = 32'768, header = 7;
  std::string log;
  const auto append = [&log](unsigned char type, std::string_view payload) {
    std::string covered(1, static_cast<char>(type));
    covered.append(payload);
    const auto crc = store::crc32c(covered);
    const auto masked = (crc >> 15 | crc << 17) + 0xa282ead8u;
    for (int shift = 0; shift < 32; shift += 8) log.push_back(static_cast<char>(masked >> shift));
    log.push_back(static_cast<char>(payload.size()));
    log.push_back(static_cast<char>(payload.size() >> 8));
    log.append(covered);
  };
  for (std::string_view rest : writes) {
    for (bool begins = true;; begins = false) {
      auto left = block - log.size() % block;
      if (left < header) {
        log.append(left, '\0');
        left = block;
      }
      const auto part = rest.substr(0, left - header);
      rest.remove_prefix(part.size());
      append(begins ? (rest.empty() ? 1 : 2) : (rest.empty() ? 4 : 3), part);
      if (rest.empty()) break;
    }
  }
  return log;
}

class LogCheck : public testing::Test {
 protected:
  LogState check(const std::string& bytes) {
    fs::remove(file_);  // a file of its own each time: truncating one waits for the disk
    std::ofstream(file_, std::ios::binary) << bytes;
    return store::check_log(file_);
  }
  void SetUp() override {
    fs::create_directories(folder_.path());
    file_ = folder_.path() / "000001.log";
  }
  Folder folder_;
  fs::path file_;
};

// The payload of a write of one record.
std::string write(store::Sequence number, store::Sequence on_disk, std::size_t size) {
  std::string payload(8, '\0');
  payload[0] = static_cast<char>(number);
  payload.append("\1\0\0\0\3\10", 6).append(store::on_disk_mark(on_disk));
  return payload.append(size - payload.size(), 'x');
}

const std::vector<std::string> small_writes{std::string(60, 'a'), std::string(3, 'b'), std::string(120, 'c')};
// The second fills its block but for fewer bytes than a header, the third spans three blocks.
const std::vector<std::string> large_writes{std::string(20'000, 'a'), std::string(12'751, 'b'),
                                            std::string(80'000, 'c'), std::string(900, 'd')};

TEST_F(LogCheck, AWholeLogIsWhole) {
  EXPECT_EQ(check("").kind, LogState::Kind::whole);
  EXPECT_EQ(check(log_of(small_writes)).kind, LogState::Kind::whole);
  EXPECT_EQ(check(log_of(large_writes)).kind, LogState::Kind::whole);
}

TEST_F(LogCheck, ALogEndsWhereOnlyZerosFollow) {
  for (const auto& writes : {std::vector<std::string>(), small_writes, large_writes})
    for (const std::size_t zeros : {0, 1, 6, 7, 15, 16, 511, 512, 4'096, 100'000}) {
      const auto log = log_of(writes);
      const auto state = check(log + std::string(zeros, '\0'));
      ASSERT_EQ(state.kind, LogState::Kind::whole) << zeros << " " << state.what;
      ASSERT_GE(state.end, log.size()) << zeros;
      ASSERT_LT(state.end, log.size() + 7) << "but for the rest of a block " << zeros;
    }
}

TEST_F(LogCheck, ALogWhoseZerosAreGivenBackMeanwhileIsWhole) {
  const auto log = log_of(large_writes);
  std::ofstream(file_, std::ios::binary) << log;
  std::atomic<bool> going = true;
  std::jthread writer([&] {
    while (going) {
      fs::resize_file(file_, log.size() + 300'000);
      fs::resize_file(file_, log.size());
    }
  });
  for (int round = 0; round < 300; ++round) {
    LogState state;
    EXPECT_NO_THROW(state = store::check_log(file_));
    EXPECT_EQ(state.kind, LogState::Kind::whole) << state.at << " " << state.what;
  }
  going = false;
}

TEST_F(LogCheck, ALogCutAnywhereIsTornAtTheWriteItEndsIn) {
  const auto log = log_of(small_writes);
  const std::size_t ends[] = {0, 67, 77, log.size()};
  for (const std::size_t zeros : {0, 16, 5'000}) {
    for (std::size_t size = 0; size <= log.size(); ++size) {
      const auto state = check(log.substr(0, size) + std::string(zeros, '\0'));
      const auto end = *std::prev(std::upper_bound(std::begin(ends), std::end(ends), size));
      ASSERT_EQ(state.kind, end == size ? LogState::Kind::whole : LogState::Kind::torn) << size << " " << state.what;
      ASSERT_EQ(state.at, end == size ? 0 : end) << size;
      ASSERT_LE(state.end, size) << "zeros are not counted";
    }
  }
  const auto large = log_of(large_writes);
  std::mt19937 random(6);
  for (int round = 0; round < 60; ++round) {
    const auto state = check(large.substr(0, random() % large.size()));
    ASSERT_NE(state.kind, LogState::Kind::damaged) << state.at << " " << state.what;
  }
}

// Space that was given to the file while the write had not reached it yet.
TEST_F(LogCheck, ALogWithAnUnwrittenEndIsTorn) {
  const auto log = log_of(large_writes);
  const auto last_begins = log.size() - 907;
  for (const auto written : {last_begins + 3, last_begins + 7, last_begins + 200}) {
    auto unwritten = log.substr(0, written);
    unwritten.resize(log.size() + 3000);
    const auto state = check(unwritten);
    EXPECT_EQ(state.kind, LogState::Kind::torn) << written << " " << state.what;
    EXPECT_EQ(state.at, last_begins);
  }
  auto hole = log_of({std::string(100, 'a'), std::string(70'000, 'b')});
  hole.replace(40'960, 4'096, 4'096, '\0');
  const auto state = check(hole);
  EXPECT_EQ(state.kind, LogState::Kind::torn) << state.what;
  EXPECT_EQ(state.at, 107u);
}

TEST_F(LogCheck, AWriteThatNoMarkCoversIsTornThoughAnotherFollows) {
  for (const std::size_t size : {1'200, 4'000, 70'000}) {
    for (store::Sequence on_disk = 9; on_disk < 14; ++on_disk) {
      const std::vector<std::string> writes{write(10, 9, 600), write(11, 9, size), write(12, 9, 600),
                                            write(13, on_disk, 600)};
      auto log = log_of(writes);
      const std::size_t begins = 607, end = log_of({writes[0], writes[1]}).size();
      log.replace(1'024, end / 512 * 512 - 1'024, end / 512 * 512 - 1'024, '\0');
      const auto state = check(log);
      EXPECT_EQ(state.kind, on_disk < 11 ? LogState::Kind::torn : LogState::Kind::damaged) << size << " " << on_disk;
      if (on_disk < 11) {
        EXPECT_EQ(state.at, begins);
      }
      EXPECT_EQ(state.next, 11u);
      EXPECT_EQ(state.on_disk, on_disk);
    }
  }
}

// The sector that a write begins in still holds what was synced before, and zeros; what is behind it arrived.
TEST_F(LogCheck, AWriteWhoseFirstSectorAloneIsMissingIsTorn) {
  for (const std::size_t left : {2, 3, 6, 7, 30, 324})
    for (const bool ends_with_its_sector : {false, true})
      for (const bool is_followed : {false, true}) {
        if (ends_with_its_sector && (left < 30 || !is_followed)) continue;
        const auto begins = 1'024 - left;
        std::vector<std::string> writes{write(10, 9, begins - 7)};
        writes.push_back(write(11, 9, ends_with_its_sector ? left - 7 : left + 300));
        if (is_followed) writes.push_back(write(12, 9, 300));
        auto log = log_of(writes);
        log.replace(begins, left, left, '\0');
        const auto state = check(log);
        EXPECT_EQ(state.kind, LogState::Kind::torn) << left << ends_with_its_sector << is_followed << state.what;
        EXPECT_EQ(state.at, begins);
      }
}

// Part of a sector cannot be missing.
TEST_F(LogCheck, AWriteThatIsZeroBetweenTwoOthersOfItsSectorIsDamage) {
  auto log = log_of({write(10, 9, 600), write(11, 9, 60), write(12, 9, 300)});
  log.replace(607, 67, 67, '\0');
  EXPECT_EQ(check(log).kind, LogState::Kind::damaged);
}

// The head of the second one crosses the end of its block.
TEST_F(LogCheck, AMarkThatIsCutInTwoIsNoMark) {
  for (std::size_t left = 8; left < 40; ++left) {
    const std::vector<std::string> writes{write(10, 9, 600), write(11, 9, 32'768 - 614 - left), write(12, 9, 600)};
    auto log = log_of(writes);
    log.replace(1'024, 1'024, 1'024, '\0');
    EXPECT_EQ(check(log).kind, LogState::Kind::torn) << left;
  }
}

// The sectors of the write are there, and one of them is not what was written.
TEST_F(LogCheck, AChangedBitIsDamageWhateverIsSaidToBeOnDisk) {
  const auto log = log_of({write(10, 9, 600), write(11, 9, 1'500), write(12, 9, 600)});
  for (std::size_t byte = 607; byte < 607 + 1'507; byte += 3) {
    auto changed = log;
    changed[byte] = static_cast<char>(changed[byte] ^ 4);
    ASSERT_EQ(check(changed).kind, LogState::Kind::damaged) << byte;
  }
}

TEST_F(LogCheck, WithoutMarksAllMayHaveBeenOnDisk) {
  auto log = log_of({std::string(600, 'a'), std::string(4'000, 'b'), std::string(600, 'c')});
  log.replace(1'024, 1'024, 1'024, '\0');
  EXPECT_EQ(check(log).kind, LogState::Kind::damaged);
}

TEST_F(LogCheck, EveryChangedBitIsDamage) {
  const auto changed_in = [](std::string log, std::size_t bit) {
    log[bit / 8] = static_cast<char>(log[bit / 8] ^ 1 << bit % 8);
    return log;
  };
  for (const std::size_t zeros : {0, 5'000}) {
    const std::string behind(zeros, '\0');
    const auto log = log_of(small_writes);
    for (std::size_t bit = 0; bit < 8 * log.size(); ++bit)
      ASSERT_EQ(check(changed_in(log, bit) + behind).kind, LogState::Kind::damaged)
          << "bit " << bit % 8 << " of byte " << bit / 8 << " before zeros: " << zeros;
    const auto large = log_of(large_writes);
    std::mt19937 random(7);
    for (int round = 0; round < 100; ++round) {
      const auto bit = random() % (8 * large.size());
      ASSERT_EQ(check(changed_in(large, bit) + behind).kind, LogState::Kind::damaged)
          << "bit " << bit % 8 << " of byte " << bit / 8 << " before zeros: " << zeros;
    }
  }
}

TEST_F(LogCheck, AMissingPartOfAWriteIsDamage) {
  auto log = log_of(large_writes);
  log.erase(32'768, 32'768);
  EXPECT_EQ(check(log).kind, LogState::Kind::damaged);
}

// The same on what RocksDB really writes.
TEST_F(LogCheck, ReadsRealLogs) {
  ASSERT_EQ(Writer("log", folder_.path("real")).wait(), 0);
  std::string bytes;
  for (const auto& entry : fs::directory_iterator(folder_.path("real"))) {
    if (entry.path().extension() != ".log") continue;
    EXPECT_EQ(store::check_log(entry.path()).kind, LogState::Kind::whole);
    auto written = written_to(entry.path());
    if (written.size() > bytes.size()) bytes = std::move(written);
  }
  ASSERT_GT(bytes.size(), 1000u);
  std::mt19937 random(8);
  for (int round = 0; round < 200; ++round) {
    const auto bit = random() % (8 * bytes.size());
    auto changed = bytes;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
    ASSERT_EQ(check(changed).kind, LogState::Kind::damaged) << "bit " << bit % 8 << " of byte " << bit / 8;
    ASSERT_NE(check(bytes.substr(0, random() % bytes.size())).kind, LogState::Kind::damaged);
  }
}

}  // namespace log_check_test
}  // namespace store_test
