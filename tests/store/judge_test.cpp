// Preconditions within one group: every batch is judged as if those accepted before it were written.
#include "store/judge.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace store_test {
namespace {

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
  std::int64_t read_counter(store::Family, std::string_view key) const override {
    const auto found = counters.find(std::string(key));
    return found == counters.end() ? 0 : found->second;
  }
  void append(const std::vector<const Batch*>&, bool) override {}
  void sync() override {}

  std::map<std::string, std::string> values;
  std::map<std::string, std::int64_t> counters;
};

Precondition absent(std::string key) {
  return {.kind = Precondition::Kind::absent, .family = 0, .key = std::move(key)};
}
Precondition equals(std::string key, std::string value) {
  return {.kind = Precondition::Kind::equals, .family = 0, .key = std::move(key), .value = std::move(value)};
}
Precondition at_most(std::string key, std::int64_t bound) {
  return {.kind = Precondition::Kind::at_most, .family = 0, .key = std::move(key), .bound = bound};
}
Write put(std::string key, std::string value) {
  return {.kind = Write::Kind::put, .family = 0, .key = std::move(key), .value = std::move(value)};
}
Write erase(std::string key) { return {.kind = Write::Kind::erase, .family = 0, .key = std::move(key)}; }
Write add(std::string key, std::int64_t delta) {
  return {.kind = Write::Kind::add, .family = 0, .key = std::move(key), .delta = delta};
}
Write raise(std::string key, std::int64_t to) {
  return {.kind = Write::Kind::raise, .family = 0, .key = std::move(key), .delta = to};
}

TEST(Judge, SeesWhatIsStored) {
  Stored stored;
  stored.values["a"] = "1";
  store::Judge judge(stored);
  EXPECT_EQ(judge.judge({{absent("b"), equals("a", "1")}, {}}), std::nullopt);
  EXPECT_EQ(judge.judge({{absent("b"), absent("a")}, {}}), 1u);
  EXPECT_EQ(judge.judge({{equals("a", "2")}, {}}), 0u);
  EXPECT_EQ(judge.judge({{equals("b", "")}, {}}), 0u);
}

TEST(Judge, SeesWhatEarlierBatchesOfTheGroupWrite) {
  const Stored stored;
  store::Judge judge(stored);
  const Batch first{{absent("k")}, {put("k", "1")}}, second{{absent("k")}, {put("k", "2")}},
      third{{equals("k", "1")}, {erase("k")}}, fourth{{absent("k")}, {}};
  EXPECT_EQ(judge.judge(first), std::nullopt);
  EXPECT_EQ(judge.judge(second), 0u);  // and its write does not count
  EXPECT_EQ(judge.judge(third), std::nullopt);
  EXPECT_EQ(judge.judge(fourth), std::nullopt);
}

TEST(Judge, ABatchDoesNotSeeItsOwnWritesButItsOwnAdditions) {
  Stored stored;
  stored.counters["n"] = 5;
  store::Judge judge(stored);
  const Batch own{{absent("k")}, {put("k", "1")}}, over{{at_most("n", 7)}, {add("n", 2), add("n", 1)}},
      within{{at_most("n", 7)}, {add("n", 2)}}, next{{at_most("n", 7)}, {add("n", 1)}},
      raised{{at_most("n", 9)}, {raise("n", 10)}};
  EXPECT_EQ(judge.judge(own), std::nullopt);
  EXPECT_EQ(judge.judge(over), 0u);
  EXPECT_EQ(judge.judge(within), std::nullopt);
  EXPECT_EQ(judge.judge(next), 0u);
  EXPECT_EQ(judge.judge(raised), 0u);
}

TEST(Judge, WhatCannotBeReadConcernsItsOwnBatchOnly) {
  const Stored stored;
  store::Judge judge(stored);
  EXPECT_THROW(judge.judge({{absent("damaged")}, {put("k", "1")}}), store::Corrupt);
  EXPECT_EQ(judge.judge({{absent("k")}, {}}), std::nullopt);
}

// Steps folded together do what they do one after the other, at the ends of the range too.
TEST(CounterStep, FoldsAnySequence) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    const auto start = static_cast<std::int64_t>(random() % 200) - 100;
    auto expected = start;
    store::CounterStep step;
    for (auto steps = random() % 6; steps > 0; --steps) {
      const auto number = static_cast<std::int64_t>(random() % 100) - 50;
      if (random() % 2) {
        step.add(number);
        expected += number;
      } else {
        step.raise(number);
        expected = std::max(expected, number);
      }
    }
    ASSERT_EQ(step.applied_to(start), expected);
  }
  store::CounterStep step;
  step.add(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(step.applied_to(1), std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace store_test
