// Through the engine: counted families have hash memtables.
#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "store/rocks/rocks_engine.h"
#include "tests/store/fixture.h"

namespace hash_memtable_test {

using Entries = std::vector<std::pair<std::string, std::string>>;

class HashMemtable : public testing::Test {
 protected:
  static constexpr store::Family counters = 0;

  void put(std::string key, std::string value) {
    write({.kind = store::Write::Kind::put, .family = counters, .key = std::move(key), .value = std::move(value)});
  }
  void erase(std::string key) { write({.kind = store::Write::Kind::erase, .family = counters, .key = std::move(key)}); }
  std::string at(std::string_view key, const store::Snapshot* snapshot = nullptr) const {
    return engine_->get(store::Scope::system(), counters, key, snapshot).value_or("none");
  }
  Entries scan(const store::Range& range, const store::Snapshot* snapshot = nullptr) const {
    Entries found;
    engine_->scan(
        store::Scope::system(), counters, range,
        [&](std::string_view key, std::string_view value) {
          found.emplace_back(key, value);
          return true;
        },
        snapshot);
    return found;
  }
  std::unique_ptr<store::Snapshot> now() const { return engine_->snapshot(); }
  // What is in memory goes to a file, and is read from there.
  void restart() {
    engine_.reset();
    engine_ = open();
  }

 private:
  std::unique_ptr<store::Engine> open() const {
    return store::rocks_engine.open({.folder = folder_.path(), .families = {{"counters", store::Access::counted}}});
  }
  void write(store::Write write) {
    store::Batch batch;
    batch.writes.push_back(std::move(write));
    ASSERT_TRUE(engine_->commit_blocking(std::move(batch), store::Durability::relaxed).ok());
  }

  store_test::Folder folder_;
  std::unique_ptr<store::Engine> engine_ = open();
};

TEST_F(HashMemtable, FindsWhatWasWrittenLast) {
  EXPECT_EQ(at("a"), "none");
  put("a", "1");
  put("ab", "2");
  put("a", "3");
  EXPECT_EQ(at("a"), "3");
  EXPECT_EQ(at("ab"), "2");
  EXPECT_EQ(at("b"), "none");
  erase("a");
  EXPECT_EQ(at("a"), "none");
  put("a", "4");
  EXPECT_EQ(at("a"), "4");
}

TEST_F(HashMemtable, ASnapshotSeesWhatWasThere) {
  put("kept", "1");
  put("erased", "1");
  const auto before = now();
  put("kept", "2");
  erase("erased");
  const auto between = now();
  put("kept", "3");
  put("new", "3");
  EXPECT_EQ(scan({}, before.get()), (Entries{{"erased", "1"}, {"kept", "1"}}));
  EXPECT_EQ(scan({}, between.get()), (Entries{{"kept", "2"}}));
  EXPECT_EQ(at("kept", before.get()), "1");
  EXPECT_EQ(at("erased", before.get()), "1");
  EXPECT_EQ(at("kept", between.get()), "2");
  EXPECT_EQ(at("new", between.get()), "none");
  EXPECT_EQ(scan({}), (Entries{{"kept", "3"}, {"new", "3"}}));
}

TEST_F(HashMemtable, ScansAnyRangeInTheOrderOfBytes) {
  const std::string zero("\0", 1), high("\xff");
  for (const auto& key : {std::string("b"), high, std::string("a"), "a" + zero, zero, "a" + high}) put(key, "x");
  const auto keys = [&](const store::Range& range) {
    std::vector<std::string> found;
    for (const auto& entry : scan(range)) found.push_back(entry.first);
    return found;
  };
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys({}), (Keys{zero, "a", "a" + zero, "a" + high, "b", high}));
  EXPECT_EQ(keys({.first = "a", .last = "b"}), (Keys{"a", "a" + zero, "a" + high}));
  EXPECT_EQ(keys({.first = "a", .last = "b", .reverse = true}), (Keys{"a" + high, "a" + zero, "a"}));
  EXPECT_EQ(keys({.first = "aa", .last = "aa"}), Keys{});
  EXPECT_EQ(keys({.first = "b", .reverse = true}), (Keys{high, "b"}));
}

TEST_F(HashMemtable, HoldsWhatAMapWouldHoldAlsoAfterRestarts) {
  std::mt19937 random(7);
  std::map<std::string, std::string> expected;
  const auto key_of = [](unsigned number) { return std::string(8, '\0') + "key " + std::to_string(number % 500); };
  for (int round = 0; round < 3; ++round) {
    for (int step = 0; step < 3'000; ++step) {
      const auto key = key_of(random());
      if (random() % 4 == 0) {
        erase(key);
        expected.erase(key);
      } else {
        put(key, expected[key] = std::to_string(random()));
      }
    }
    EXPECT_EQ(scan({}), Entries(expected.begin(), expected.end()));
    EXPECT_EQ(scan({.reverse = true}), Entries(expected.rbegin(), expected.rend()));
    for (int range = 0; range < 20; ++range) {
      auto first = key_of(random()), last = key_of(random());
      if (last < first) std::swap(first, last);
      const auto from = expected.lower_bound(first), to = expected.lower_bound(last);
      EXPECT_EQ(scan({.first = first, .last = last}), Entries(from, to));
      Entries backwards(from, to);
      std::ranges::reverse(backwards);
      EXPECT_EQ(scan({.first = first, .last = last, .reverse = true}), backwards);
    }
    restart();
    EXPECT_EQ(scan({}), Entries(expected.begin(), expected.end()));
    for (const auto& [key, value] : expected) ASSERT_EQ(at(key), value);
  }
}

TEST_F(HashMemtable, ReadersBesideTheWriterSeeEachKeyGoForward) {
  constexpr int keys = 40, turns = 60;
  std::atomic<bool> done{false};
  const auto follow = [&](int number) {
    const auto key = "key " + std::to_string(number);
    int last = 0;
    while (!done) {
      const auto value = at(key);
      const int seen = value == "none" ? 0 : std::stoi(value);
      ASSERT_GE(seen, last);
      last = seen;
    }
  };
  std::thread first(follow, 1), second(follow, 2);
  std::thread scanner([&] {
    std::size_t last = 0;
    while (!done) {
      const auto seen = scan({}).size();
      ASSERT_GE(seen, last);
      last = seen;
    }
  });
  for (int turn = 1; turn <= turns; ++turn)
    for (int number = 0; number < keys; ++number) put("key " + std::to_string(number), std::to_string(turn));
  done = true;
  for (auto* reader : {&first, &second, &scanner}) reader->join();
  EXPECT_EQ(scan({}).size(), keys);
  EXPECT_EQ(at("key 1"), std::to_string(turns));
}

}  // namespace hash_memtable_test
