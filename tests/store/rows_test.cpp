// Rows over an engine that is written to between two reads, and sequences over one that fails.
#include "store/rows.h"

#include <gtest/gtest.h>

#include "store/seal.h"
#include "store/sequences.h"
#include "tests/store/fixture.h"

namespace store_test {
namespace rows_test {

// Holds nothing.
class EmptyEngine : public store::Engine {
 public:
  std::optional<std::string> get(store::Scope, store::Family, std::string_view, const store::Snapshot*) const override {
    return {};
  }
  std::vector<std::optional<std::string>> multi_get(store::Scope, store::Family, std::span<const std::string> keys,
                                                    const store::Snapshot*) const override {
    return std::vector<std::optional<std::string>>(keys.size());
  }
  std::unique_ptr<store::Snapshot> snapshot() const override { return nullptr; }
  void scan(store::Scope, store::Family, const store::Range&,
            const std::function<bool(std::string_view, std::string_view)>&, const store::Snapshot*) const override {}
  store::CounterFields counter(store::Scope, store::Family, std::string_view, const store::Snapshot*) const override {
    return {};
  }
  std::uint64_t version(store::Family, std::string_view) const override { return 0; }
  store::Task<store::CommitResult> commit(store::Batch, store::Durability) override { co_return store::CommitResult(); }
  store::CommitResult commit_blocking(store::Batch, store::Durability) override { return {}; }
  store::Task<std::int64_t> next_number(store::Family, std::string) override { co_return 0; }
  std::int64_t next_number_blocking(store::Family, const std::string&) override { return 0; }
  std::optional<std::string> read_only_reason() const override { return {}; }
  void backup(const std::filesystem::path&) const override {}
  std::vector<store::Damage> verify_files() const override { return {}; }
  store::EngineStats stats() const override { return {}; }
};

// Holds a note, and an entry for the title "Tea" in the index. Reads without a snapshot return the note `between`;
// reads on a snapshot return `at_once`.
class MovingEngine final : public EmptyEngine {
 public:
  MovingEngine(const store::Sealer& sealer, const Note& between, const Note& at_once)
      : between_(store::encode(between, place(sealer))), at_once_(store::encode(at_once, place(sealer))) {}

  std::optional<std::string> get(store::Scope, store::Family family, std::string_view,
                                 const store::Snapshot* at) const override {
    if (family == store::Rows::index_family()) return key_;
    return at ? at_once_ : between_;
  }
  std::unique_ptr<store::Snapshot> snapshot() const override { return std::make_unique<store::Snapshot>(); }

 private:
  store::Place place(const store::Sealer& sealer) const { return {&sealer, notes.name.number, key_}; }

  const std::string key_ = store::keys::owned(1, "a");
  const std::string between_, at_once_;
};

TEST(Rows, ASequenceThatCannotBeReadDoesNotBeginAnew) {
  store::Sequences sequences;
  EXPECT_THROW(sequences.next("users", []() -> std::int64_t { throw store::Corrupt("the disk is away"); }),
               store::Corrupt);
  EXPECT_EQ(sequences.next("users", [] { return 41; }), 42);
  EXPECT_EQ(sequences.next("users", [] { return 7; }), 43) << "it is read once";
}

TEST(Rows, AUniqueValueThatMovesAwayAndBackIsFound) {
  const store::Sealer sealer(std::string(32, 'k'));
  const Note tea{.owner = 1, .id = "a", .title = "Tea"}, other{.owner = 1, .id = "a", .title = "Other"};
  const auto found_in = [&](MovingEngine engine) {
    return store::Rows(engine, sealer, store::TableRegister({store::describe(notes)}))
        .find_unique<Note>(notes, "title", tea.title);
  };
  EXPECT_EQ(found_in({sealer, tea, tea})->value, tea);
  EXPECT_EQ(found_in({sealer, other, tea})->value, tea);
  EXPECT_THROW(found_in({sealer, other, other}), store::Corrupt) << "the index is damaged";
}

}  // namespace rows_test
}  // namespace store_test
