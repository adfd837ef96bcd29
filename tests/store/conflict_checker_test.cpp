// Preconditions within one group: every batch is checked as if those accepted before it were written.
#include "store/conflict_checker.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "tests/store/counter_fields_list.h"

namespace store_test {
namespace conflict_checker_test {

using store::Batch;
using store::Precondition;
using store::Write;

class Stored final : public store::Committer::Log {
 public:
  std::optional<std::string> read(store::Family, std::string_view key) const override {
    if (key == "damaged") throw store::Corrupt("a block does not match its checksum");
    const auto found = values.find(std::string(key));
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
  store::CounterFields read_counter(store::Family, std::string_view key) const override {
    if (key == "damaged") throw store::Corrupt("a block does not match its checksum");
    const auto found = counters.find(std::string(key));
    return found == counters.end() ? store::CounterFields() : found->second;
  }
  std::uint64_t version(store::Family, std::string_view) const override { return current; }
  bool append(const std::vector<const Batch*>&, const std::vector<store::Committer::Counted>&, Append) override {
    return true;
  }
  void sync() override {}
  bool holds(std::string_view lease, std::int64_t epoch) const override { return lease == "leader" && epoch == 3; }

  std::map<std::string, std::string> values;
  std::map<std::string, store::CounterFields> counters;
  std::uint64_t current = 0;
};

Precondition absent(std::string key) {
  return {.kind = Precondition::Kind::absent, .family = 0, .key = std::move(key)};
}
Precondition equals(std::string key, std::string value) {
  return {.kind = Precondition::Kind::equals, .family = 0, .key = std::move(key), .value = std::move(value)};
}
Precondition at_most(std::string key, std::int64_t bound, std::size_t field = 0) {
  return {.kind = Precondition::Kind::at_most, .family = 0, .key = std::move(key), .field = field, .bound = bound};
}
Write put(std::string key, std::string value) {
  return {.kind = Write::Kind::put, .family = 0, .key = std::move(key), .value = std::move(value)};
}
Write erase(std::string key) { return {.kind = Write::Kind::erase, .family = 0, .key = std::move(key)}; }
Write add(std::string key, store::CounterFields deltas) {
  return {.kind = Write::Kind::add, .family = 0, .key = std::move(key), .fields = deltas};
}
Write raise(std::string key, std::int64_t to) {
  return {.kind = Write::Kind::raise, .family = 0, .key = std::move(key), .fields = {to}};
}

TEST(ConflictChecker, ReadsStoredValues) {
  Stored stored;
  stored.values["a"] = "1";
  store::ConflictChecker checker(stored);
  EXPECT_EQ(checker.check({{absent("b"), equals("a", "1")}, {}}), std::nullopt);
  EXPECT_EQ(checker.check({{absent("b"), absent("a")}, {}}), 1u);
  EXPECT_EQ(checker.check({{equals("a", "2")}, {}}), 0u);
  EXPECT_EQ(checker.check({{equals("b", "")}, {}}), 0u);
}

// A value that was read at the current version is not read again; writes of the group are compared all the same.
TEST(ConflictChecker, AValueReadAtTheCurrentVersionIsNotReadAgain) {
  Stored stored;
  stored.values["a"] = "1";
  stored.current = 7;
  store::ConflictChecker checker(stored);
  const auto read_at = [](std::uint64_t version, std::string key, std::string value) {
    auto wanted = equals(std::move(key), std::move(value));
    wanted.version = version;
    return wanted;
  };
  EXPECT_EQ(checker.check({{read_at(7, "damaged", "1")}, {}}), std::nullopt) << "not read";
  EXPECT_EQ(checker.check({{read_at(6, "a", "1")}, {}}), std::nullopt) << "written since, but to the same value";
  EXPECT_EQ(checker.check({{read_at(6, "a", "0")}, {}}), 0u);
  const Batch first{{read_at(7, "a", "1")}, {put("a", "2")}}, second{{read_at(7, "a", "1")}, {put("a", "3")}};
  EXPECT_EQ(checker.check(first), std::nullopt);
  EXPECT_EQ(checker.check(second), 0u);
}

TEST(ConflictChecker, AppliesEarlierBatchesOfTheGroup) {
  const Stored stored;
  store::ConflictChecker checker(stored);
  const Batch first{{absent("k")}, {put("k", "1")}}, second{{absent("k")}, {put("k", "2")}},
      third{{equals("k", "1")}, {erase("k")}}, fourth{{absent("k")}, {}};
  EXPECT_EQ(checker.check(first), std::nullopt);
  EXPECT_EQ(checker.check(second), 0u);  // and its write is not applied
  EXPECT_EQ(checker.check(third), std::nullopt);
  EXPECT_EQ(checker.check(fourth), std::nullopt);
}

TEST(ConflictChecker, ABatchSeesItsOwnAdditionsButNotItsOwnWrites) {
  Stored stored;
  stored.counters["n"] = {5};
  store::ConflictChecker checker(stored);
  const Batch own{{absent("k")}, {put("k", "1")}}, over{{at_most("n", 7)}, {add("n", {2}), add("n", {1})}},
      within{{at_most("n", 7)}, {add("n", {2})}}, next{{at_most("n", 7)}, {add("n", {1})}},
      raised{{at_most("n", 9)}, {raise("n", 10)}};
  EXPECT_EQ(checker.check(own), std::nullopt);
  EXPECT_EQ(checker.check(over), 0u);
  EXPECT_EQ(checker.check(within), std::nullopt);
  EXPECT_EQ(checker.check(next), 0u);
  EXPECT_EQ(checker.check(raised), 0u);
}

TEST(ConflictChecker, AFailedReadAffectsItsOwnBatchOnly) {
  const Stored stored;
  store::ConflictChecker checker(stored);
  EXPECT_THROW(checker.check({{absent("damaged")}, {put("k", "1")}}), store::Corrupt);
  const Batch counting{{}, {put("k", "1"), add("n", {1}), add("damaged", {1})}};
  EXPECT_THROW(checker.check(counting), store::Corrupt);
  EXPECT_EQ(checker.check({{absent("k"), at_most("n", 0)}, {}}), std::nullopt);
}

TEST(ConflictChecker, BoundsEachFieldOfATallySeparately) {
  Stored stored;
  stored.counters["t"] = {10, 1};
  store::ConflictChecker checker(stored);
  const Batch wide{{at_most("t", 12), at_most("t", 5, 2)}, {add("t", {2, -4, 5})}},
      over{{at_most("t", 100), at_most("t", 5, 2)}, {add("t", {1, 0, 1})}}, beyond{{at_most("t", 0, 7)}, {}};
  EXPECT_EQ(checker.check(wide), std::nullopt);
  EXPECT_EQ(checker.check(over), 1u);
  EXPECT_EQ(checker.check(beyond), std::nullopt) << "a field that does not exist is 0";
  const auto counted = checker.counted();
  ASSERT_EQ(counted.size(), 1u);
  EXPECT_EQ(counted[0].key, "t");
  EXPECT_EQ(list(counted[0].fields), (List{12, -3, 5}));
}

TEST(ConflictChecker, KnowsLeasesAndSumsAfterEachBatch) {
  const auto held = [](std::string name, std::int64_t epoch) {
    return Precondition{.kind = Precondition::Kind::held, .family = 0, .key = std::move(name), .bound = epoch};
  };
  Stored stored;
  stored.counters["n"] = {7};
  store::ConflictChecker checker(stored);
  const Batch first{{held("leader", 3)}, {add("n", {1})}}, second{{}, {add("n", {2})}};
  EXPECT_EQ(checker.check(first), std::nullopt);
  EXPECT_EQ(checker.sum(first.writes.front()), 8);
  EXPECT_EQ(checker.check(second), std::nullopt);
  EXPECT_EQ(checker.sum(second.writes.front()), 10);
  EXPECT_EQ(checker.check({{held("leader", 2)}, {}}), 0u);
  EXPECT_EQ(checker.check({{held("scheduler", 3)}, {}}), 0u);
}

TEST(CounterFields, AreAddedAndRaisedSeparately) {
  store::CounterFields fields{1, 2};
  fields.add({0, 3, 4});
  fields.raise({5, 1});
  EXPECT_EQ(list(fields), (List{5, 5, 4}));
  EXPECT_EQ(fields[3], 0);
  fields.add({std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()});
  EXPECT_EQ(fields[0], std::numeric_limits<std::int64_t>::max()) << "sums stop at the ends of the range";
  fields.add({0, std::numeric_limits<std::int64_t>::min()});
  EXPECT_EQ(fields[1], std::numeric_limits<std::int64_t>::min());
}

}  // namespace conflict_checker_test
}  // namespace store_test
