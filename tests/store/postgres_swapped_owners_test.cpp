// A whole store over PostgreSQL whose tenants' views name the keys of another owner, as a mistake in the code above the
// engine would. What the engine checks by itself is left out: the database alone says whose rows they may touch.
#include <gtest/gtest.h>

#include "store/committer.h"
#include "store/postgres/commit_log.h"
#include "store/postgres/postgres_engine.h"
#include "store/versions.h"
#include "tests/store/fixture.h"
#include "tests/store/postgres_server.h"

namespace store_test {
namespace swapped_owners_test {

using store::Batch;
using store::Family;
using store::Scope;
using store::Snapshot;

constexpr std::int64_t ada = 1, bob = 2;

// Ada's key for Bob's, and Bob's for Ada's.
void swap_owner(std::string& key, std::size_t at) {
  const auto own = store::keys::owner(ada), other = store::keys::owner(bob);
  if (key.compare(at, own.size(), own) == 0)
    key.replace(at, own.size(), other);
  else if (key.compare(at, other.size(), other) == 0)
    key.replace(at, other.size(), own);
}

// Each call keeps its scope; the owners in its keys are swapped.
class SwappingEngine final : public store::Engine {
 public:
  explicit SwappingEngine(const store::EngineOptions& options)
      : families_(options.families),
        statements_(store::postgres::make_statements(options.families)),
        location_(PostgresServer::instance().location(options.folder, options.families)),
        pool_(location_.server),
        lease_(pool_, "swapped"),
        log_(pool_, lease_, versions_, families_, statements_),
        committer_(std::make_unique<store::Committer>(log_)) {
    auto reading = options;
    reading.read_only = true;
    reads_ = store::PostgresEngine::open(reading, location_);
  }
  ~SwappingEngine() override {
    committer_.reset();
    lease_.give_back(pool_);
  }

  std::optional<std::string> get(Scope scope, Family family, std::string_view key, const Snapshot* at) const override {
    return reads_->get(scope, family, swapped(scope, family, key), at);
  }
  std::vector<std::optional<std::string>> multi_get(Scope scope, Family family, std::span<const std::string> keys,
                                                    const Snapshot* at) const override {
    std::vector<std::string> others;
    for (const auto& key : keys) others.push_back(swapped(scope, family, key));
    return reads_->multi_get(scope, family, others, at);
  }
  std::vector<store::Found> lookup(Scope scope, Family index, const store::Range& entries, Family records,
                                   std::size_t limit) const override {
    return reads_->lookup(scope, index, swapped(scope, index, entries), records, limit);
  }
  void scan(Scope scope, Family family, const store::Range& range,
            const std::function<bool(std::string_view, std::string_view)>& visit, const Snapshot* at) const override {
    reads_->scan(scope, family, swapped(scope, family, range), visit, at);
  }
  store::CounterFields counter(Scope scope, Family family, std::string_view key, const Snapshot* at) const override {
    return reads_->counter(scope, family, swapped(scope, family, key), at);
  }
  store::Task<store::CommitResult> commit(Batch batch, store::Durability durability) override {
    return committer_->commit(swapped(std::move(batch)), durability);
  }
  store::CommitResult commit_blocking(Batch batch, store::Durability durability) override {
    return committer_->commit_blocking(swapped(std::move(batch)), durability);
  }

  std::unique_ptr<Snapshot> snapshot() const override { return reads_->snapshot(); }
  std::uint64_t version(Family family, std::string_view key) const override { return versions_.of(family, key); }
  store::Task<std::int64_t> next_number(Family, std::string) override { co_return 0; }
  std::int64_t next_number_blocking(Family, const std::string&) override { return 0; }
  std::optional<std::string> read_only_reason() const override { return {}; }
  void backup(const std::filesystem::path&) const override {}
  std::vector<store::Damage> verify_files() const override { return {}; }
  store::EngineStats stats() const override { return {}; }

 private:
  std::string swapped(Scope scope, Family family, std::string_view key) const {
    std::string other(key);
    constexpr std::size_t after_numbers = 2;  // of the table and the index
    if (scope.is_system()) return other;
    if (families_.at(family).has_owner) swap_owner(other, 0);
    if (families_.at(family).is_index && other.size() > after_numbers) swap_owner(other, after_numbers);
    return other;
  }
  store::Range swapped(Scope scope, Family family, store::Range range) const {
    const bool is_open = range.last.empty();
    range.first = swapped(scope, family, range.first);
    // The first key behind an owner's or an entry's begins with the next one: swapped, the range would be empty.
    range.last = is_open ? "" : store::keys::after_prefix(range.first);
    return range;
  }
  Batch swapped(Batch batch) const {
    const auto swap = [&](auto& item) {
      item.key = swapped(batch.scope, item.family, item.key);
      if (!batch.scope.is_system() && families_.at(item.family).is_index) swap_owner(item.value, 0);
    };
    for (auto& condition : batch.preconditions) swap(condition);
    for (auto& write : batch.writes) swap(write);
    return batch;
  }

  const std::vector<store::FamilySpec> families_;
  const std::vector<store::postgres::FamilyStatements> statements_;
  const store::postgres::Location location_;
  store::postgres::Pool pool_;
  store::postgres::BoxLease lease_;
  store::Versions versions_;
  store::postgres::CommitLog log_;
  std::unique_ptr<store::Committer> committer_;
  std::unique_ptr<store::PostgresEngine> reads_;
};

const store::EngineKind swapping_engine{.open = [](store::EngineOptions options) -> std::unique_ptr<store::Engine> {
                                          return std::make_unique<SwappingEngine>(options);
                                        },
                                        .restore = store::postgres_engine.restore};

Note note_of(std::int64_t owner, const std::string& id, const std::string& title) {
  return {.owner = owner, .id = id, .title = title, .tag = "same", .secret = {}};
}
constexpr store::CounterName sum{"sum"};

class SwappedOwners : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_postgres()) GTEST_SKIP() << "Debian's package postgresql is not installed";
    const auto store = open(postgres_test_engine);
    for (const auto owner : {ada, bob}) {
      auto change = store->system().tenant(owner).change();
      change.insert(notes, note_of(owner, "a", "of " + std::to_string(owner)));
      change.add(owner, sum, 10 * owner);
      ASSERT_TRUE(change.commit_blocking().ok());
    }
  }
  std::unique_ptr<store::Store> open(const store::EngineKind& kind) const {
    auto chosen = options(folder_.path());
    chosen.engine = &kind;
    return store::Store::open(std::move(chosen));
  }
  // Nothing of the two has changed.
  void expect_untouched() const {
    const auto store = open(postgres_test_engine);
    for (const auto owner : {ada, bob}) {
      const auto tenant = store->system().tenant(owner);
      EXPECT_EQ(tenant.list(notes), std::vector{note_of(owner, "a", "of " + std::to_string(owner))});
      EXPECT_EQ(tenant.counter(sum), 10 * owner);
    }
    EXPECT_TRUE(store->verify().empty());
  }

  Folder folder_;
};

TEST_F(SwappedOwners, ReadNothing) {
  const auto store = open(swapping_engine);
  for (const auto owner : {ada, bob}) {
    const auto tenant = store->system().tenant(owner);
    EXPECT_FALSE(tenant.get(notes, "a"));
    EXPECT_EQ(tenant.cached(notes, "a"), nullptr);
    EXPECT_TRUE(tenant.list(notes).empty());
    EXPECT_TRUE(tenant.find(notes, "tag", std::string("same")).empty());
    EXPECT_EQ(tenant.counter(sum), 0);
    EXPECT_TRUE(store->system().get(notes, owner, "a")) << "the box itself reads all";
  }
}

TEST_F(SwappedOwners, WriteNothing) {
  {
    const auto store = open(swapping_engine);
    for (const auto owner : {ada, bob}) {
      const auto tenant = store->system().tenant(owner);
      const auto refuses = [&](const auto& fill) {
        auto change = tenant.change();
        fill(change);
        EXPECT_THROW(change.commit_blocking(), store::OutOfScope);
      };
      refuses([&](store::Change& change) { change.insert(notes, note_of(owner, "b", "new")); });
      refuses([&](store::Change& change) { change.insert_new(notes, note_of(owner, "a", "over the other's")); });
      refuses([&](store::Change& change) { change.add(owner, sum, 1); });
    }
  }
  expect_untouched();
}

TEST_F(SwappedOwners, FailAlone) {
  {
    const auto store = open(swapping_engine);
    std::vector<std::jthread> threads;
    for (int writer = 0; writer < 8; ++writer)
      threads.emplace_back([&store, writer] {
        for (int round = 0; round < 20; ++round) {
          const auto id = std::to_string(writer) + "-" + std::to_string(round);
          const auto owner = writer == 0 ? ada : 100 + writer;  // whose keys stay as they are
          auto change = store->system().tenant(owner).change();
          change.insert(notes, note_of(owner, id, id));
          if (owner == ada)
            EXPECT_THROW(change.commit_blocking(), store::OutOfScope);
          else
            EXPECT_TRUE(change.commit_blocking().ok());
        }
      });
  }
  expect_untouched();
  const auto store = open(postgres_test_engine);
  for (int writer = 1; writer < 8; ++writer) EXPECT_EQ(store->system().tenant(100 + writer).list(notes).size(), 20u);
}

}  // namespace swapped_owners_test
}  // namespace store_test
