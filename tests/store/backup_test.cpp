// Backup, restore, verify; and that nothing sealed is clear anywhere on disk.
#include <atomic>
#include <fstream>
#include <sstream>
#include <thread>

#include "store/rocks/rocks_engine.h"
#include "tests/store/fixture.h"

namespace store_test {
namespace backup_test {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& file) {
  std::ostringstream all;
  all << std::ifstream(file, std::ios::binary).rdbuf();
  return all.str();
}

// With the families of options().
std::unique_ptr<store::Engine> engine_in(const fs::path& folder) {
  return store::rocks_engine.open(
      {.folder = folder, .families = store::TableRegister(options(folder).tables).families()});
}

std::string every_byte_below(const fs::path& folder) {
  std::string all;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) all += bytes_of(entry.path());
  return all;
}

TEST_F(StoreTest, ABackupIsTakenOnlineAndRestoredElsewhere) {
  ASSERT_TRUE(insert({.owner = 1, .id = "a", .title = "before"}).ok());
  fs::create_directories(folder_.path("backup"));
  store_->backup(folder_.path("backup"));
  ASSERT_TRUE(insert({.owner = 1, .id = "b", .title = "between"}).ok());
  store_->backup(folder_.path("backup"));
  EXPECT_EQ(fs::status(folder_.path("backup")).permissions(), fs::perms::owner_all);
  ASSERT_TRUE(insert({.owner = 1, .id = "c", .title = "after"}).ok());

  store::Store::restore(folder_.path("backup"), folder_.path("restored"));
  const auto restored = store::Store::open(options(folder_.path("restored")));
  EXPECT_EQ(restored->system().tenant(1).list(notes).size(), 2u);
  EXPECT_TRUE(restored->verify().empty());
  EXPECT_THROW(store::Store::restore(folder_.path("backup"), folder_.path()), store::Unavailable);
  EXPECT_THROW(store::Store::restore(folder_.path("nothing"), folder_.path("elsewhere")), store::Unavailable);
}

// The copy of a log that is in use ends where the log ended when the copy began.
TEST_F(StoreTest, ABackupTakenBesideWritesIsWhole) {
  std::atomic<int> written = 0;
  std::jthread writer([&](const std::stop_token& stop) {
    for (int n = 0; !stop.stop_requested(); ++n) {
      const auto id = std::to_string(n);
      ASSERT_TRUE(insert({.owner = 1, .id = id, .title = id, .tag = std::string(20'000, 'x')}).ok());
      written = n + 1;
    }
  });
  for (int round = 0; round < 5; ++round) {
    for (const int before = written; written < before + 100;) std::this_thread::yield();
    const auto backup = folder_.path("backup" + std::to_string(round));
    const auto restored = folder_.path("restored" + std::to_string(round));
    const auto known = static_cast<std::size_t>(written);
    store_->backup(backup);
    store::Store::restore(backup, restored);
    for (const auto& entry : fs::directory_iterator(restored)) {
      if (entry.path().extension() != ".log") continue;
      const auto bytes = bytes_of(entry.path());
      EXPECT_TRUE(bytes.empty() || bytes.back() != '\0') << entry.path();
    }
    auto reporting = options(restored);
    std::vector<std::string> reported;
    reporting.on_trouble = [&](const std::string& sentence) { reported.push_back(sentence); };
    const auto store = store::Store::open(reporting);
    EXPECT_EQ(reported, std::vector<std::string>());
    EXPECT_GE(store->system().tenant(1).list(notes, {.limit = 1'000'000}).size(), known);
    EXPECT_TRUE(store->verify().empty());
  }
}

TEST_F(StoreTest, SealedFieldsAreClearNowhere) {
  ASSERT_TRUE(insert({.owner = 1, .id = "a", .title = "Tea", .secret = {"canary-4711"}}).ok());
  store_->backup(folder_.path("backup"));
  reopen();
  EXPECT_EQ(tenant(1).get(notes, "a")->value.secret.clear, "canary-4711");
  close();
  EXPECT_EQ(every_byte_below(folder_.path()).find("canary-4711"), std::string::npos);
  EXPECT_EQ(every_byte_below(folder_.path("backup")).find("canary-4711"), std::string::npos);
}

// Write access to the disk must not be enough to move one record's secret to another.
TEST_F(StoreTest, SealedTextMovedToAnotherRecordDoesNotOpen) {
  ASSERT_TRUE(insert({.owner = 1, .id = "a", .title = "Tea", .secret = {"hers"}}).ok());
  close();
  {
    const auto engine = engine_in(folder_.path());
    auto stolen = engine->get(store::Scope::system(), 3, store::keys::owned(1, "a"));
    ASSERT_TRUE(stolen);
    store::Batch batch;
    batch.writes.push_back(
        {.kind = store::Write::Kind::put, .family = 3, .key = store::keys::owned(2, "x"), .value = *stolen});
    ASSERT_TRUE(engine->commit_blocking(std::move(batch)).ok());
  }
  open();
  EXPECT_THROW(tenant(2).get(notes, "x"), store::Corrupt);
  EXPECT_FALSE(store_->verify().empty());
}

TEST_F(StoreTest, VerifyFindsACounterThatIsMalformed) {
  ASSERT_TRUE(insert({.owner = 1, .id = "a", .title = "Tea"}).ok());
  close();
  {
    const auto engine = engine_in(folder_.path());
    store::Batch batch;
    batch.writes.push_back(
        {.kind = store::Write::Kind::put, .family = 2, .key = store::keys::owned(1, "spent"), .value = "malformed"});
    ASSERT_TRUE(engine->commit_blocking(std::move(batch)).ok());
  }
  open();
  const auto findings = store_->verify();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].where.find("counters"), std::string::npos) << findings[0].where;
  EXPECT_THROW(tenant(1).counter({"spent"}), store::Corrupt);
  EXPECT_TRUE(tenant(1).get(notes, "a"));
}

TEST_F(StoreTest, VerifyFindsWhatDisagrees) {
  ASSERT_TRUE(insert({.owner = 1, .id = "a", .title = "Tea"}).ok());
  ASSERT_TRUE(insert({.owner = 1, .id = "b", .title = "Milk"}).ok());
  EXPECT_TRUE(store_->verify().empty());
  close();
  {
    const auto engine = engine_in(folder_.path());
    store::Batch batch;
    batch.writes.push_back(
        {.kind = store::Write::Kind::erase, .family = 1, .key = store::keys::index_entry(200, 1, {}, "Tea")});
    batch.writes.push_back({.kind = store::Write::Kind::erase, .family = 3, .key = store::keys::owned(1, "b")});
    ASSERT_TRUE(engine->commit_blocking(std::move(batch)).ok());
  }
  open();
  std::string said;
  for (const auto& finding : store_->verify()) said += finding.what + "\n";
  EXPECT_NE(said.find("no entry in one of its indexes"), std::string::npos) << said;
  EXPECT_NE(said.find("names a record that is not there"), std::string::npos) << said;
}

}  // namespace backup_test
}  // namespace store_test
