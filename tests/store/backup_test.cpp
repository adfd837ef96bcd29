// Backup, restore, verify; and that nothing sealed is clear anywhere on disk.
#include <fstream>
#include <sstream>

#include "store/rocks_engine.h"
#include "tests/store/fixture.h"

namespace store_test {
namespace {

namespace fs = std::filesystem;

std::string every_byte_below(const fs::path& folder) {
  std::ostringstream all;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) all << std::ifstream(entry.path(), std::ios::binary).rdbuf();
  return all.str();
}

TEST_F(StoreTest, ABackupIsTakenOnlineAndRestoredElsewhere) {
  ASSERT_TRUE(insert({.owner = 1, .id = "a", .title = "before"}).ok());
  store_->backup(folder_.path("backup"));
  ASSERT_TRUE(insert({.owner = 1, .id = "b", .title = "between"}).ok());
  store_->backup(folder_.path("backup"));
  ASSERT_TRUE(insert({.owner = 1, .id = "c", .title = "after"}).ok());

  store::Store::restore(folder_.path("backup"), folder_.path("restored"));
  const auto restored = store::Store::open(options(folder_.path("restored")));
  EXPECT_EQ(restored->system().tenant(1).list(notes).size(), 2u);
  EXPECT_TRUE(restored->verify().empty());
  EXPECT_THROW(store::Store::restore(folder_.path("backup"), folder_.path()), store::Unavailable);
  EXPECT_THROW(store::Store::restore(folder_.path("nothing"), folder_.path("elsewhere")), store::Unavailable);
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

// Whoever can write to the disk must not be able to hand one record's secret to another.
TEST_F(StoreTest, SealedTextMovedToAnotherRecordDoesNotOpen) {
  ASSERT_TRUE(insert({.owner = 1, .id = "a", .title = "Tea", .secret = {"hers"}}).ok());
  close();
  {
    const auto engine =
        store::RocksEngine::open(folder_.path(), {"meta", "index", "counters", "notes", "people"}, false);
    auto stolen = engine->get(3, store::keys::owned(1, "a"));
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

TEST_F(StoreTest, VerifyFindsACounterThatHoldsNoFigures) {
  ASSERT_TRUE(insert({.owner = 1, .id = "a", .title = "Tea"}).ok());
  close();
  {
    const auto engine =
        store::RocksEngine::open(folder_.path(), {"meta", "index", "counters", "notes", "people"}, false);
    store::Batch batch;
    batch.writes.push_back(
        {.kind = store::Write::Kind::put, .family = 2, .key = store::keys::owned(1, "spent"), .value = "no figures"});
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
    const auto engine =
        store::RocksEngine::open(folder_.path(), {"meta", "index", "counters", "notes", "people"}, false);
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

}  // namespace
}  // namespace store_test
