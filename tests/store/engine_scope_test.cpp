// The Engine contract: scopes, lookups by index, and two engines on one database.
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "tests/store/engine_contract.h"

namespace store_test {
namespace engine_contract_test {

// Owners 1 and 2 with a record "a" each, its entry in an index, and a counter; and a record of the box with its entry.
class EngineScope : public EngineContract {
 protected:
  static std::string key(std::int64_t owner, std::string_view id = "a") { return store::keys::owned(owner, id); }
  static std::string entry(std::int64_t owner, char table = owned_number) {
    return store::keys::index_entry(static_cast<std::uint8_t>(table), 1, {}, "same") + key(owner);
  }
  void SetUp() override {
    for (const std::int64_t owner : {1, 2}) {
      put(key(owner), "of " + std::to_string(owner), owned);
      put(entry(owner), key(owner), entries);
      Batch counted;
      counted.writes.push_back(
          {.kind = Write::Kind::add, .family = sums_by_owner, .key = key(owner, "n"), .fields = {owner * 10}});
      ASSERT_EQ(commit(std::move(counted)), std::nullopt);
    }
    put(key(1), "of the box", boxes);
    put(entry(1, boxes_number), key(1), entries);
  }
  void expect_refused(Batch batch, std::int64_t owner) {
    batch.scope = store::Scope::tenant(owner);
    EXPECT_THROW(engine_->commit_blocking(batch), store::OutOfScope);
    EXPECT_THROW(run(engine_->commit(std::move(batch))), store::OutOfScope);
  }
  static store::Range all_of(char table) {
    std::string prefix(1, table);
    return {.first = prefix, .last = store::keys::after_prefix(prefix)};
  }

  const store::Scope one_ = store::Scope::tenant(1), all_ = store::Scope::system();
};

TEST_P(EngineScope, ReadsReachTheRecordsOfTheirScopeOnly) {
  const auto count = [&](store::Scope scope, store::Family family) {
    int found = 0;
    engine_->scan(scope, family, {}, [&](auto, auto) { return ++found > 0; });
    return found;
  };
  for (const auto* const at : {static_cast<store::Snapshot*>(nullptr), engine_->snapshot().release()}) {
    const std::unique_ptr<const store::Snapshot> keep(at);
    EXPECT_EQ(engine_->get(one_, owned, key(1), at), "of 1");
    EXPECT_EQ(engine_->get(one_, owned, key(2), at), std::nullopt) << "the key is another owner's";
    EXPECT_EQ(engine_->get(one_, boxes, key(1), at), std::nullopt) << "the table is the box's";
    EXPECT_EQ(engine_->get(one_, owned, "short", at), std::nullopt);
    EXPECT_EQ(engine_->get(one_, entries, entry(1), at), key(1));
    EXPECT_EQ(engine_->get(one_, entries, entry(2), at), std::nullopt);
    EXPECT_EQ(engine_->get(one_, entries, entry(1, boxes_number), at), std::nullopt);
    EXPECT_EQ(engine_->get(all_, owned, key(2), at), "of 2");
    EXPECT_EQ(list(engine_->counter(one_, sums_by_owner, key(1, "n"), at)), List{10});
    EXPECT_EQ(list(engine_->counter(one_, sums_by_owner, key(2, "n"), at)), List());
    const std::vector<std::string> keys{key(2), key(1)};
    const std::vector<std::optional<std::string>> own{std::nullopt, "of 1"};
    EXPECT_EQ(engine_->multi_get(one_, owned, keys, at), own);
  }
  for (const auto family : {owned, sums_by_owner, entries}) EXPECT_EQ(count(one_, family), 1);
  EXPECT_EQ(count(one_, boxes), 0);
  EXPECT_EQ(count(all_, entries), 3);
}

TEST_P(EngineScope, ALookupReturnsTheRecordsThatItsEntriesName) {
  const auto keys = [&](store::Scope scope, std::size_t limit) {
    std::vector<std::string> found;
    for (auto& record : engine_->lookup(scope, entries, all_of(owned_number), owned, limit)) {
      EXPECT_EQ(record.value, "of " + std::to_string(store::keys::owner_in(record.key)));
      found.push_back(std::move(record.key));
    }
    return found;
  };
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys(all_, 9), (Keys{key(1), key(2)}));
  EXPECT_EQ(keys(all_, 1), Keys{key(1)});
  EXPECT_EQ(keys(all_, 0), Keys());
  EXPECT_EQ(keys(store::Scope::tenant(2), 1), Keys{key(2)}) << "entries of others do not count";
  EXPECT_EQ(keys(store::Scope::tenant(3), 9), Keys());

  EXPECT_EQ(engine_->find_one(all_, entries, entry(2), owned)->value, "of 2");
  EXPECT_EQ(engine_->find_one(one_, entries, entry(1), owned)->key, key(1));
  EXPECT_FALSE(engine_->find_one(one_, entries, entry(2), owned));
  EXPECT_FALSE(engine_->find_one(all_, entries, "none", owned));
  put(entry(4), key(4), entries);
  EXPECT_THROW(engine_->lookup(all_, entries, all_of(owned_number), owned, 9), store::Corrupt);
}

TEST_P(EngineScope, ABatchWritesWithinItsScopeOnly) {
  Batch good{{{.kind = Precondition::Kind::equals, .family = owned, .key = key(1), .value = "of 1"},
              {.kind = Precondition::Kind::absent, .family = entries, .key = "a unique value of all owners"}},
             {put_of(key(1), "new", owned),
              put_of(entry(1, owned_number), key(1), entries),
              {.kind = Write::Kind::add, .family = sums_by_owner, .key = key(1, "n"), .fields = {1}}},
             one_};
  EXPECT_EQ(commit(good), std::nullopt);
  EXPECT_EQ(engine_->get(one_, owned, key(1)), "new");

  expect_refused({{}, {put_of(key(1), "x", owned), put_of(key(2), "x", owned)}}, 1);
  expect_refused({{}, {{.kind = Write::Kind::erase, .family = owned, .key = key(2)}}}, 1);
  expect_refused({{}, {put_of(key(1), "x", boxes)}}, 1);
  expect_refused({{}, {put_of("entry", key(2), entries)}}, 1);
  expect_refused({{}, {{.kind = Write::Kind::erase, .family = entries, .key = entry(2), .value = key(2)}}}, 1);
  expect_refused({{}, {{.kind = Write::Kind::add, .family = sums_by_owner, .key = key(2, "n"), .fields = {1}}}}, 1);
  expect_refused({{{.kind = Precondition::Kind::equals, .family = owned, .key = key(2), .value = "of 2"}}, {}}, 1);
  expect_refused({{{.kind = Precondition::Kind::absent, .family = owned, .key = key(2)}}, {}}, 1);
  EXPECT_EQ(engine_->get(all_, owned, key(1)), "new");
  EXPECT_EQ(engine_->get(all_, owned, key(2)), "of 2");
  EXPECT_EQ(list(engine_->counter(all_, sums_by_owner, key(2, "n"))), List{20});
}

// Two engines on one database.
class TwoWriters : public EngineContract {
 protected:
  void SetUp() override {
    if (GetParam().is_shared) {
      other_ = open(folder_.path());
      return;
    }
    EXPECT_THROW(open(folder_.path()), store::Unavailable) << "an engine that is not shared refuses the second one";
    GTEST_SKIP() << "not shared";
  }
  std::optional<std::size_t> commit_other(Batch batch) { return other_->commit_blocking(std::move(batch)).failed; }
  std::unique_ptr<store::Engine> other_;
};

TEST_P(TwoWriters, NumbersRise) {
  std::int64_t last = 0;
  for (int round = 0; round < 5; ++round)
    for (auto* engine : {engine_.get(), other_.get()}) {
      const auto number = engine->next_number_blocking(counters, "moments");
      EXPECT_GT(number, last);
      last = number;
    }
}

TEST_P(TwoWriters, NoUpdateIsLost) {
  put("a", "1");
  const auto version = other_->version(things, "a");
  ASSERT_EQ(other_->get(store::Scope::system(), things, "a"), "1");
  put("a", "2");
  EXPECT_EQ(commit_other({{equals("a", "1", version)}, {put_of("a", "3")}}), 0u) << "the version is a hint";
  EXPECT_EQ(at("a"), "2");
  EXPECT_EQ(commit_other({{absent("a")}, {put_of("a", "3")}}), 0u);
  for (const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
       other_->version(things, "a") == version && std::chrono::steady_clock::now() < deadline;)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_NE(other_->version(things, "a"), version) << "or caches would keep the former value";
}

TEST_P(TwoWriters, OneOfThemTakesAFreeKeyAndNoBoundIsPassed) {
  std::atomic<int> taken = 0, counted = 0;
  {
    std::vector<std::jthread> threads;
    for (auto* engine : {engine_.get(), other_.get()})
      threads.emplace_back([&, engine] {
        for (int round = 0; round < 50; ++round) {
          const auto name = "k" + std::to_string(round);
          if (engine->commit_blocking({{absent(name)}, {put_of(name, "1")}}).ok()) ++taken;
          if (engine->commit_blocking({{at_most("n", 60)}, {add_of("n", {1})}}).ok()) ++counted;
        }
      });
  }
  EXPECT_EQ(taken, 50);
  EXPECT_EQ(counted, 60);
  EXPECT_EQ(sums("n"), List{60});
}

INSTANTIATE_TEST_SUITE_P(Engines, EngineScope, every_engine, name_of_kind);
INSTANTIATE_TEST_SUITE_P(Engines, TwoWriters, every_engine, name_of_kind);

}  // namespace engine_contract_test
}  // namespace store_test
