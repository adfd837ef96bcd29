// What survives: kill -9 in the middle of writing, torn and flipped bytes, a full disk; and what is refused at open.
#include <algorithm>
#include <fstream>
#include <random>

#include "store/rocks/store_folder.h"
#include "tests/store/fixture.h"
#include "tests/store/writer.h"

namespace store_test {
namespace durability_test {

namespace fs = std::filesystem;

std::vector<fs::path> files_ending(const fs::path& folder, std::string_view ending) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().string().ends_with(ending)) found.push_back(entry.path());
  return found;
}

fs::path largest(const std::vector<fs::path>& files) {
  return *std::max_element(files.begin(), files.end(),
                           [](auto& a, auto& b) { return fs::file_size(a) < fs::file_size(b); });
}

// The largest log, ending where what was written to it does.
fs::path log_of(const fs::path& folder) {
  auto log = largest(files_ending(folder, ".log"));
  fs::resize_file(log, written_to(log).size());
  return log;
}

void flip_bit(const fs::path& file, std::uintmax_t at) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(at));
  const auto byte = static_cast<char>(stream.get() ^ 0x10);
  stream.seekp(static_cast<std::streamoff>(at));
  stream.put(byte);
}

std::string refusal(const fs::path& folder) {
  try {
    store::Store::open(options(folder));
  } catch (const store::Unavailable& error) {
    return error.what();
  }
  return {};
}

void write_notes(const fs::path& folder, int count) {
  const auto store = store::Store::open(options(folder));
  for (int at = 0; at < count; ++at) {
    auto change = store->system().change();
    const auto name = "note " + std::to_string(at);
    change.insert(notes, {.owner = 1, .id = name, .title = name, .tag = std::string(200, 'x')});
    ASSERT_TRUE(change.commit_blocking().ok());
  }
}

// 200 times: a writer is killed at a random moment; every write it acknowledged is there, and none is half there.
TEST(Durability, AcknowledgedWritesSurviveKillNine) {
  Folder folder;
  std::mt19937 random(7);
  std::vector<std::string> acknowledged;
  for (int cycle = 0; cycle < 200; ++cycle) {
    Writer writer("endless", folder.path());
    const auto wanted = static_cast<std::ptrdiff_t>(random() % 8);  // acknowledgements to see before the kill
    std::string text;
    while (std::count(text.begin(), text.end(), '\n') <= wanted && writer.read(text)) {
    }
    writer.kill_nine();
    while (writer.read(text)) {
    }
    ASSERT_EQ(writer.wait(), 128 + SIGKILL) << "the writer ended by itself";
    for (std::size_t from = 0, to; (to = text.find('\n', from)) != std::string::npos; from = to + 1)
      acknowledged.push_back(text.substr(from, to - from));
  }
  const auto store = store::Store::open(options(folder.path()));
  std::int64_t records = 0;
  store->system().each(notes, [&](const Note&) { return ++records > 0; });
  for (const auto& title : acknowledged)
    ASSERT_TRUE(store->system().find_unique(notes, "title", title)) << title << " was acknowledged and is gone";
  EXPECT_GE(acknowledged.size(), 200u);
  EXPECT_EQ(store->system().counter(1, {"notes"}), records) << "a write is half there";
  EXPECT_TRUE(store->verify().empty());
}

TEST(Durability, ATornTailThatWasNotReportedAsDurableIsDropped) {
  Folder folder;
  ASSERT_EQ(Writer("log", folder.path()).wait(), 0);
  const auto log = log_of(folder.path());
  fs::resize_file(log, fs::file_size(log) - 3);
  const auto store = store::Store::open(options(folder.path()));
  EXPECT_EQ(store->system().tenant(1).list(notes).size(), 19u);
  EXPECT_TRUE(store->verify().empty());
}

TEST(Durability, AFlippedBitInTheLogIsReportedWithWhatToDo) {
  Folder folder;
  ASSERT_EQ(Writer("log", folder.path()).wait(), 0);
  const auto log = log_of(folder.path());
  flip_bit(log, fs::file_size(log) / 2);
  const auto sentence = refusal(folder.path());
  EXPECT_NE(sentence.find("is damaged"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("agentbox restore"), std::string::npos) << sentence;
}

// What a power cut leaves: the file has its length, the last sectors were never written.
TEST(Durability, AnUnwrittenTailIsDropped) {
  Folder folder;
  ASSERT_EQ(Writer("log", folder.path()).wait(), 0);
  const auto log = log_of(folder.path());
  const auto size = fs::file_size(log);
  fs::resize_file(log, size - 100);
  fs::resize_file(log, size + 4096);
  const auto store = store::Store::open(options(folder.path()));
  EXPECT_EQ(store->system().tenant(1).list(notes).size(), 19u);
  EXPECT_TRUE(store->verify().empty());
}

// What kill -9 leaves: behind the last write is the room that was made for more.
TEST(Durability, PreallocatedZerosAreNotReported) {
  Folder folder;
  ASSERT_EQ(Writer("log", folder.path()).wait(), 0);
  const auto log = log_of(folder.path());
  const auto size = fs::file_size(log);
  fs::resize_file(log, size + (1u << 20));
  std::vector<std::string> reported;
  auto reporting = options(folder.path());
  reporting.on_trouble = [&](const std::string& sentence) { reported.push_back(sentence); };
  auto to_read = reporting;
  to_read.read_only = true;
  {
    const auto store = store::Store::open(to_read);
    EXPECT_EQ(store->system().tenant(1).list(notes).size(), 20u);
    EXPECT_TRUE(store->verify().empty());
  }
  flip_bit(log, size - 2);
  EXPECT_NE(refusal(folder.path()).find("is damaged"), std::string::npos) << "in the last write";
  flip_bit(log, size - 2);
  const auto store = store::Store::open(reporting);
  EXPECT_EQ(store->system().tenant(1).list(notes).size(), 20u);
  EXPECT_TRUE(reported.empty()) << reported[0];
}

// What a power cut leaves where the file system had written the later pages and not the earlier ones.
void unwrite(const fs::path& file, std::streamoff from, std::size_t size) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(from);
  stream << std::string(size, '\0');
}

TEST(Durability, AHoleInWhatWasNeverSyncedIsTornFromThereOn) {
  Folder folder;
  ASSERT_EQ(Writer("unsynced", folder.path()).wait(), 0);
  unwrite(log_of(folder.path()), 4096, 2048);
  std::vector<std::string> reported;
  auto torn = options(folder.path());
  torn.on_trouble = [&](const std::string& sentence) { reported.push_back(sentence); };
  const auto store = store::Store::open(torn);
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_NE(reported[0].find("is not whole"), std::string::npos) << reported[0];
  const auto kept = store->system().tenant(1).list(notes).size();
  EXPECT_GT(kept, 3u);
  EXPECT_LT(kept, 20u);
  EXPECT_EQ(store->system().counter(1, {"notes"}), static_cast<std::int64_t>(kept));
  EXPECT_TRUE(store->verify().empty());
}

TEST(Durability, AHoleInWhatWasSyncedIsReported) {
  Folder folder;
  ASSERT_EQ(Writer("log", folder.path()).wait(), 0);
  unwrite(log_of(folder.path()), 4096, 2048);
  EXPECT_NE(refusal(folder.path()).find("is damaged"), std::string::npos);
}

// Two logs, as when RocksDB has begun another one: the first lacks its last bytes, or its last write, the second
// holds what came then.
void split_log(const fs::path& folder, bool whole_write_too) {
  const auto log = log_of(folder);
  const auto bytes = written_to(log);
  std::size_t middle = 0, last = 0;
  while (middle < bytes.size() / 2) {
    last = middle;
    middle += 7 + static_cast<unsigned char>(bytes[middle + 4]) + 256u * static_cast<unsigned char>(bytes[middle + 5]);
  }
  std::ofstream(folder / "000900.log", std::ios::binary) << bytes.substr(middle);
  fs::resize_file(log, whole_write_too ? last : middle - 10);
}

TEST(Durability, ALogBehindOneThatLacksWhatWasNeverSyncedIsDropped) {
  for (const bool whole_write_too : {false, true}) {
    Folder folder;
    ASSERT_EQ(Writer("unsynced", folder.path()).wait(), 0);
    split_log(folder.path(), whole_write_too);
    std::vector<std::string> reported;
    auto torn = options(folder.path());
    torn.on_trouble = [&](const std::string& sentence) { reported.push_back(sentence); };
    auto to_read = options(folder.path());
    to_read.read_only = true;
    EXPECT_THROW(store::Store::open(to_read), store::Unavailable);
    std::size_t kept = 0;
    {
      const auto store = store::Store::open(torn);
      EXPECT_EQ(reported.size(), 2u);
      kept = store->system().tenant(1).list(notes).size();
      EXPECT_GT(kept, 3u);
      EXPECT_LT(kept, 12u);
      EXPECT_EQ(store->system().counter(1, {"notes"}), static_cast<std::int64_t>(kept));
      EXPECT_TRUE(store->verify().empty());
    }
    EXPECT_EQ(store::Store::open(torn)->system().tenant(1).list(notes).size(), kept);
    EXPECT_EQ(reported.size(), 2u);
    EXPECT_EQ(store::Store::open(to_read)->system().tenant(1).list(notes).size(), kept);
  }
}

TEST(Durability, ALogBehindOneThatLostWhatWasSyncedIsReported) {
  for (const bool whole_write_too : {false, true}) {
    Folder folder;
    ASSERT_EQ(Writer("log", folder.path()).wait(), 0);
    split_log(folder.path(), whole_write_too);
    EXPECT_EQ(store::damaged_logs(folder.path()).size(), 1u) << "verify of a running store reports it, too";
    EXPECT_NE(refusal(folder.path()).find("is damaged"), std::string::npos) << whole_write_too;
  }
}

// The length of the last record says more than the file holds: to RocksDB alone this looks like a torn write.
TEST(Durability, AFlippedLengthOfTheLastRecordIsReported) {
  Folder folder;
  ASSERT_EQ(Writer("log", folder.path()).wait(), 0);
  const auto log = log_of(folder.path());
  const auto bytes = written_to(log);
  std::size_t last = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    last = at;
    at += 7 + static_cast<unsigned char>(bytes[at + 4]) + 256u * static_cast<unsigned char>(bytes[at + 5]);
  }
  flip_bit(log, last + 5);
  EXPECT_NE(refusal(folder.path()).find("is damaged"), std::string::npos);
}

TEST(Durability, AStoreWhoseMakingWasCutOffIsMadeAgain) {
  Folder folder;
  write_notes(folder.path(), 1);
  std::ofstream(folder.path() / "agentbox.making");  // as if the box had been killed before the end
  for (const auto& manifest : fs::directory_iterator(folder.path()))
    if (manifest.path().filename().string().starts_with("MANIFEST")) fs::resize_file(manifest.path(), 10);
  const auto store = store::Store::open(options(folder.path()));
  EXPECT_TRUE(store->system().tenant(1).list(notes).empty());
  EXPECT_FALSE(fs::exists(folder.path() / "agentbox.making"));
}

TEST(Durability, AMissingCurrentFileIsNotTakenForAnEmptyFolder) {
  Folder folder;
  write_notes(folder.path(), 1);
  fs::rename(folder.path() / "CURRENT", folder.path() / "away");
  EXPECT_NE(refusal(folder.path()).find("CURRENT is missing"), std::string::npos);
  fs::rename(folder.path() / "away", folder.path() / "CURRENT");
  EXPECT_EQ(store::Store::open(options(folder.path()))->system().tenant(1).list(notes).size(), 1u);
}

TEST(Durability, AFlippedBitInATableFileIsReportedAndNeverReadAsData) {
  Folder folder;
  write_notes(folder.path(), 200);
  const auto table = largest(files_ending(folder.path(), ".sst"));
  flip_bit(table, fs::file_size(table) / 3);
  std::string said = refusal(folder.path());
  if (said.empty()) {
    const auto store = store::Store::open(options(folder.path()));
    const auto findings = store->verify();
    ASSERT_FALSE(findings.empty());
    said = findings.front().what;
  }
  EXPECT_TRUE(said.find("checksum") != std::string::npos || said.find("damaged") != std::string::npos) << said;
}

TEST(Durability, ADamagedStoreIsNeitherWrittenToNorBackedUp) {
  Folder folder;
  write_notes(folder.path("store"), 200);
  std::vector<std::string> reported;
  auto damaged = options(folder.path("store"));
  damaged.on_trouble = [&](const std::string& sentence) { reported.push_back(sentence); };
  {
    const auto store = store::Store::open(options(folder.path("store")));
    store->backup(folder.path("before"));
  }
  const auto table = largest(files_ending(folder.path("store"), ".sst"));
  flip_bit(table, fs::file_size(table) / 3);
  const auto store = store::Store::open(damaged);
  EXPECT_THROW(store->backup(folder.path("after")), store::Unavailable);
  EXPECT_TRUE(reported.empty());
  EXPECT_THROW(store->system().each(notes, [](const Note&) { return true; }), store::Corrupt);
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_NE(reported[0].find("agentbox restore"), std::string::npos) << reported[0];
  EXPECT_EQ(store->read_only_reason(), reported[0]);
  auto change = store->system().change();
  change.insert(notes, {.owner = 1, .id = "late", .title = "late"});
  EXPECT_THROW(change.commit_blocking(), store::Unavailable);
  store::Store::restore(folder.path("before"), folder.path("restored"));
  EXPECT_TRUE(store::Store::open(options(folder.path("restored")))->verify().empty());
}

TEST(Durability, ATornLogIsReportedAndAMissingOneRefused) {
  Folder folder;
  {
    Writer writer("hold", folder.path("store"));
    std::string said;
    ASSERT_TRUE(writer.read(said));
    writer.kill_nine();
    writer.wait();
  }
  const auto log = log_of(folder.path("store"));
  ASSERT_GT(fs::file_size(log), 100u);
  fs::resize_file(log, fs::file_size(log) - 5);
  std::vector<std::string> reported;
  auto torn = options(folder.path("store"));
  torn.on_trouble = [&](const std::string& sentence) { reported.push_back(sentence); };
  store::Store::open(torn)->backup(folder.path("backup"));
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_NE(reported[0].find("is not whole"), std::string::npos) << reported[0];

  for (const auto& file : files_ending(folder.path("store"), ".log")) fs::remove(file);
  const auto sentence = refusal(folder.path("store"));
  EXPECT_NE(sentence.find("write-ahead log"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("agentbox restore"), std::string::npos) << sentence;

  store::Store::restore(folder.path("backup"), folder.path("restored"));
  EXPECT_EQ(refusal(folder.path("restored")), "");
  for (const auto& file : files_ending(folder.path("restored"), ".log")) fs::remove(file);
  EXPECT_NE(refusal(folder.path("restored")).find("write-ahead log"), std::string::npos);
}

TEST(Durability, AFullDiskIsAnErrorAndReadsGoOn) {
  Folder folder;
  EXPECT_EQ(Writer("full", folder.path()).wait(), 0);
}

TEST(Durability, AStartOnAFullDiskIsRefusedAndLeavesTheStoreWhole) {
  Folder folder;
  EXPECT_EQ(Writer("log", folder.path()).wait(), 0);
  EXPECT_EQ(Writer("started", folder.path()).wait(), 0);
  const auto store = store::Store::open(options(folder.path()));
  EXPECT_EQ(store->system().tenant(1).list(notes).size(), 20u);
}

TEST(Opening, ANewerSchemaIsRefused) {
  Folder folder;
  auto newer = options(folder.path());
  newer.migrations = {{.to = 7, .what = "from the future", .run = [](const store::System&) {}}};
  store::Store::open(std::move(newer));
  const auto sentence = refusal(folder.path());
  EXPECT_NE(sentence.find("schema 7"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("newer"), std::string::npos) << sentence;
}

TEST(Opening, ASecondProcessIsRefused) {
  Folder folder;
  {
    Writer first("hold", folder.path());
    std::string said;
    ASSERT_TRUE(first.read(said));
    const auto sentence = refusal(folder.path());
    EXPECT_NE(sentence.find("in use by another agentbox"), std::string::npos) << sentence;
  }
  EXPECT_TRUE(refusal(folder.path()).empty());
}

TEST(Opening, AnotherMasterKeyIsRefused) {
  Folder folder;
  store::Store::open(options(folder.path()));
  auto other = options(folder.path());
  other.master_key = std::string(32, 'z');
  EXPECT_THROW(
      {
        try {
          store::Store::open(std::move(other));
        } catch (const store::Unavailable& error) {
          EXPECT_NE(std::string(error.what()).find("master key"), std::string::npos) << error.what();
          throw;
        }
      },
      store::Unavailable);
}

// Version 1 kept no index on the e-mail; version 2 does.
TEST(Opening, AMigrationBringsAnOldFolderUp) {
  Folder folder;
  const store::Global<Person, std::int64_t> people_v1{people.name, &Person::id, {}};
  {
    const auto store = store::Store::open(options(folder.path()));
    for (std::int64_t id = 1; id <= 20; ++id) {
      auto change = store->system().change();
      change.insert(people_v1, {.id = id, .email = "p" + std::to_string(id) + "@example.org", .roles = {"reader"}});
      ASSERT_TRUE(change.commit_blocking().ok());
    }
    EXPECT_FALSE(store->system().find_unique(people, "email", std::string("p7@example.org")));
  }
  int runs = 0;
  for (int start = 0; start < 2; ++start) {
    auto upgraded = options(folder.path());
    upgraded.migrations = {{.to = 2, .what = "find people by e-mail", .run = [&](const store::System& system) {
                              ++runs;
                              system.reindex_blocking(people);
                            }}};
    const auto store = store::Store::open(std::move(upgraded));
    EXPECT_EQ(store->system().find_unique(people, "email", std::string("p7@example.org"))->value.id, 7);
    EXPECT_TRUE(store->verify().empty());
  }
  EXPECT_EQ(runs, 1);
}

}  // namespace durability_test
}  // namespace store_test
