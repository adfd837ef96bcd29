// The Engine contract, over every engine.
#include "tests/store/engine_contract.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

namespace store_test {
namespace engine_contract_test {

TEST_P(EngineContract, ReadsReturnTheNewestValue) {
  EXPECT_EQ(at("a"), "none");
  put("a", "1");
  EXPECT_EQ(at("a"), "1");
  put("a", "2");
  put("b", "");
  EXPECT_EQ(at("a"), "2");
  EXPECT_EQ(at("b"), "") << "an empty value is a value";
  erase("a");
  erase("never there");
  EXPECT_EQ(at("a"), "none");
}

TEST_P(EngineContract, MultiReadsKeepTheOrderOfTheirKeys) {
  put("a", "1");
  put("b", "2");
  const std::vector<std::string> keys{"b", "none", "a", "b"};
  const std::vector<std::optional<std::string>> before{"2", std::nullopt, "1", "2"}, after{"2", "new", "1", "2"};
  const auto snapshot = engine_->snapshot();
  put("none", "new");
  EXPECT_EQ(engine_->multi_get(store::Scope::system(), things, keys, snapshot.get()), before);
  EXPECT_EQ(engine_->multi_get(store::Scope::system(), things, keys), after);
  EXPECT_TRUE(engine_->multi_get(store::Scope::system(), things, {}).empty());
}

TEST_P(EngineContract, FamiliesAreSeparateWhateverTheirAccess) {
  for (const auto family : {things, people_family, history, pending}) put("a", std::to_string(family), family);
  for (const auto family : {things, people_family, history, pending}) {
    EXPECT_EQ(engine_->get(store::Scope::system(), family, "a"), std::to_string(family));
    EXPECT_EQ(scan({}, nullptr, 10, family), (Entries{{"a", std::to_string(family)}}));
  }
}

TEST_P(EngineContract, ScansGoByUnsignedBytes) {
  const std::string zero("a\0", 2), high("\xff");
  for (const auto& key : {high, std::string("b"), zero, std::string("a"), std::string("aa")}) put(key, "v");
  const auto keys = [&](const store::Range& range) {
    std::vector<std::string> found;
    for (const auto& [key, value] : scan(range)) found.push_back(key);
    return found;
  };
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys({}), (Keys{"a", zero, "aa", "b", high}));
  EXPECT_EQ(keys({.first = zero, .last = "b"}), (Keys{zero, "aa"})) << "the first inclusive, the last exclusive";
  EXPECT_EQ(keys({.first = "aa", .reverse = true}), (Keys{high, "b", "aa"}));
  EXPECT_EQ(keys({.first = "a", .last = "b", .reverse = true}), (Keys{"aa", zero, "a"}));
  EXPECT_EQ(keys({.first = "c", .last = "d"}), Keys());
}

TEST_P(EngineContract, AScanEndsWhenItsVisitorSaysSo) {
  for (const auto* key : {"a", "b", "c"}) put(key, key);
  EXPECT_EQ(scan({}, nullptr, 2), (Entries{{"a", "a"}, {"b", "b"}}));
  EXPECT_EQ(scan({.reverse = true}, nullptr, 1), (Entries{{"c", "c"}}));
}

TEST_P(EngineContract, ASnapshotStaysAsItWas) {
  put("a", "1");
  put("b", "1");
  ASSERT_EQ(commit({{}, {add_of("n", {1, 2})}}), std::nullopt);
  const auto snapshot = engine_->snapshot();
  put("a", "2");
  erase("b");
  put("c", "2");
  ASSERT_EQ(commit({{}, {add_of("n", {1})}}), std::nullopt);
  EXPECT_EQ(scan({}, snapshot.get()), (Entries{{"a", "1"}, {"b", "1"}}));
  EXPECT_EQ(at("a", snapshot.get()), "1");
  EXPECT_EQ(at("c", snapshot.get()), "none");
  EXPECT_EQ(sums("n", snapshot.get()), (List{1, 2}));
  EXPECT_EQ(scan({}), (Entries{{"a", "2"}, {"c", "2"}}));
  EXPECT_EQ(sums("n"), (List{2, 2}));
}

TEST_P(EngineContract, ACommitNeedsAllOfItsPreconditions) {
  put("a", "1");
  EXPECT_EQ(commit({{absent("b"), equals("a", "1")}, {put_of("b", "1")}}), std::nullopt);
  EXPECT_EQ(commit({{equals("a", "1"), absent("b")}, {put_of("a", "2"), put_of("c", "2")}}), 1u);
  EXPECT_EQ(commit({{equals("a", "0"), absent("b")}, {put_of("a", "2")}}), 0u) << "the first that does not hold";
  EXPECT_EQ(commit({{equals("none", "")}, {}}), 0u) << "an absent key does not equal the empty value";
  EXPECT_EQ(at("a"), "1");
  EXPECT_EQ(at("c"), "none") << "all or nothing";
}

TEST_P(EngineContract, PreconditionsAreAboutTheStateBeforeTheBatch) {
  EXPECT_EQ(commit({{absent("a")}, {put_of("a", "1")}}), std::nullopt);
  EXPECT_EQ(commit({{equals("a", "1")}, {put_of("a", "2"), put_of("a", "3")}}), std::nullopt);
  EXPECT_EQ(at("a"), "3") << "writes take effect in their order";
}

TEST_P(EngineContract, ARecordReadAtAVersionIsUnchangedUntilItIsWritten) {
  put("a", "1");
  const auto version = engine_->version(things, "a");
  EXPECT_EQ(commit({{equals("a", "1", version)}, {put_of("a", "2")}}), std::nullopt);
  EXPECT_NE(engine_->version(things, "a"), version);
  EXPECT_EQ(commit({{equals("a", "1", version)}, {put_of("a", "3")}}), 0u);
  EXPECT_EQ(commit({{equals("a", "2", version)}, {put_of("a", "3")}}), std::nullopt) << "then the values count";
}

TEST_P(EngineContract, AVersionIsOfAllKeysWithTheSameFirstEightBytes) {
  const auto part = store::keys::owner(7);
  const auto version = [&] { return engine_->version(things, part); };
  auto before = version();
  put(part + "a", "1");
  EXPECT_NE(version(), std::exchange(before, version()));
  erase(part + "a");
  EXPECT_NE(version(), std::exchange(before, version()));
  const auto of_counters = engine_->version(counters, part);
  ASSERT_EQ(commit({{}, {add_of(part + "n", {1})}}), std::nullopt);
  EXPECT_NE(engine_->version(counters, part), of_counters);
}

TEST_P(EngineContract, CountersAreAddedToAndRaisedFieldByField) {
  EXPECT_EQ(sums("n"), List());
  ASSERT_EQ(commit({{}, {add_of("n", {1, -2}), add_of("n", {4})}}), std::nullopt);
  EXPECT_EQ(sums("n"), (List{5, -2}));
  ASSERT_EQ(commit({{}, {raise_of("n", {3, 0, 7})}}), std::nullopt);
  EXPECT_EQ(sums("n"), (List{5, 0, 7}));
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  ASSERT_EQ(commit({{}, {add_of("n", {most})}}), std::nullopt);
  EXPECT_EQ(sums("n"), (List{most, 0, 7})) << "sums stop at the ends of the range";
}

TEST_P(EngineContract, ABoundIncludesTheBatchsOwnAdditions) {
  ASSERT_EQ(commit({{}, {add_of("n", {5, 1})}}), std::nullopt);
  EXPECT_EQ(commit({{at_most("n", 7)}, {add_of("n", {2}), add_of("n", {1})}}), 0u);
  EXPECT_EQ(commit({{at_most("n", 7), at_most("n", 1, 1)}, {add_of("n", {2, 1})}}), 1u) << "each field by itself";
  EXPECT_EQ(commit({{at_most("n", 7), at_most("n", 2, 1)}, {add_of("n", {2, 1})}}), std::nullopt);
  EXPECT_EQ(commit({{at_most("n", 7)}, {raise_of("n", {8})}}), 0u);
  EXPECT_EQ(commit({{at_most("n", 0, 9), at_most("never there", 0)}, {}}), std::nullopt) << "0 where there is none";
  EXPECT_EQ(sums("n"), (List{7, 2}));
}

TEST_P(EngineContract, EveryDurabilityIsReadableOnceItReturns) {
  using enum store::Durability;
  for (const auto durability : {durable, prompt, relaxed}) {
    const auto value = std::to_string(static_cast<int>(durability));
    EXPECT_TRUE(engine_->commit_blocking({{}, {put_of("blocking", value)}}, durability).ok());
    EXPECT_EQ(at("blocking"), value);
    EXPECT_TRUE(run(engine_->commit({{}, {put_of("coroutine", value)}}, durability)).ok());
    EXPECT_EQ(at("coroutine"), value);
  }
  EXPECT_EQ(run(engine_->commit({{absent("coroutine")}, {}})).failed, 0u);
}

TEST_P(EngineContract, NoBoundIsPassedByCommitsSideBySide) {
  std::atomic<int> accepted = 0;
  {
    std::vector<std::jthread> threads;
    for (int number = 0; number < 4; ++number)
      threads.emplace_back([&] {
        for (int round = 0; round < 50; ++round)
          if (!commit({{at_most("n", 120)}, {add_of("n", {1})}})) ++accepted;
      });
  }
  EXPECT_EQ(accepted, 120);
  EXPECT_EQ(sums("n"), List{120});
  const auto stats = engine_->stats();
  EXPECT_EQ(stats.commits, 120u);
  EXPECT_EQ(stats.conflicts, 80u);
  EXPECT_GE(stats.groups, 1u);
  EXPECT_LE(stats.groups, stats.commits);
}

TEST_P(EngineContract, ABackupIsRestoredIntoAnEmptyFolderOnly) {
  put("a", "1");
  ASSERT_EQ(commit({{}, {add_of("n", {3, 4})}}), std::nullopt);
  const auto& kind = GetParam().has_backups ? *GetParam().engine : store::rocks_engine;
  engine_->backup(folder_.path("backup"));
  put("a", "2");
  engine_->backup(folder_.path("backup"));
  put("a", "3");
  const auto restore = [&](const char* from, const char* to) { kind.restore(folder_.path(from), folder_.path(to)); };
  restore("backup", "restored");
  EXPECT_THROW(restore("backup", "restored"), store::Unavailable);
  EXPECT_THROW(restore("nothing", "elsewhere"), store::Unavailable);
  EXPECT_TRUE(engine_->verify_files().empty());
  EXPECT_EQ(at("a"), "3");

  engine_ = open_as(kind, folder_.path("restored"));
  EXPECT_EQ(at("a"), "2") << "of the newest backup";
  EXPECT_EQ(sums("n"), (List{3, 4}));
  EXPECT_TRUE(engine_->verify_files().empty());
  engine_.reset();
  engine_ = open_as(kind, folder_.path("restored"), true);
  EXPECT_EQ(at("a"), "2");
  EXPECT_TRUE(engine_->read_only_reason());
  EXPECT_THROW(engine_->commit_blocking({{}, {put_of("a", "4")}}), store::Unavailable);
}

// The typed store knows its engine by the contract alone.
TEST_P(EngineContract, AStoreWorksOverIt) {
  auto wanted = options(folder_.path("typed"));
  wanted.engine = GetParam().engine;
  const auto store = store::Store::open(std::move(wanted));
  const auto tenant = store->system().tenant(1);
  auto change = tenant.change();
  change.insert(notes, {.owner = 1, .id = "a", .title = "Tea", .tag = "green", .secret = {"canary"}});
  change.add(1, {"notes"}, 1, 1);
  ASSERT_TRUE(run(change.commit()).ok());
  auto second = tenant.change();
  second.insert(notes, {.owner = 1, .id = "b", .title = "Tea"});
  EXPECT_TRUE(run(second.commit()).duplicate("title"));
  EXPECT_EQ(tenant.cached(notes, "a")->secret.clear, "canary");
  EXPECT_EQ(run(tenant.modify(notes, "a", [](Note& note) { note.rank = 3; }))->rank, 3);
  EXPECT_EQ(tenant.cached(notes, "a")->rank, 3);
  EXPECT_EQ(tenant.find(notes, "tag", std::string("green")).size(), 1u);
  EXPECT_EQ(store->system().find_unique(notes, "title", std::string("Tea"))->value.id, "a");
  EXPECT_EQ(tenant.counter({"notes"}), 1);
  EXPECT_EQ(run(store->system().next_id("people")), 1);
  EXPECT_TRUE(store->verify().empty());
}

TEST_P(EngineContract, NumbersAreHandedOutOnce) {
  std::vector<std::vector<std::int64_t>> found(4);
  {
    std::vector<std::jthread> threads;
    for (auto& numbers : found)
      threads.emplace_back([&] {
        for (int round = 0; round < 25; ++round) numbers.push_back(engine_->next_number_blocking(counters, "users"));
      });
  }
  std::set<std::int64_t> all;
  for (const auto& numbers : found) {
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
    all.insert(numbers.begin(), numbers.end());
  }
  EXPECT_EQ(all.size(), 100u);
  EXPECT_EQ(*all.begin(), 1);
  EXPECT_EQ(run(engine_->next_number(counters, "users")), 101);
  EXPECT_EQ(run(engine_->next_number(counters, "others")), 1);
}

INSTANTIATE_TEST_SUITE_P(Engines, EngineContract, every_engine, name_of_kind);

}  // namespace engine_contract_test
}  // namespace store_test
