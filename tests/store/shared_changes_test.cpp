// What several boxes on one database see of each other's changes, and that their counts are exact.
#include <array>
#include <iostream>
#include <set>

#include "tests/store/shared_boxes.h"

namespace store_test {
namespace shared_boxes_test {

class SharedChanges : public SharedBoxes {};

TEST_F(SharedChanges, NumbersOfTwoBoxesAreUnique) {
  const std::vector<std::unique_ptr<TestBox>> boxes = [&] {
    std::vector<std::unique_ptr<TestBox>> all;
    all.push_back(join("a", 10s));
    all.push_back(join("b", 10s));
    return all;
  }();
  constexpr int threads_each = 25, numbers_each = 200;
  std::vector<std::vector<std::int64_t>> found(2 * threads_each);
  const auto start = Clock::now();
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < found.size(); ++thread)
      threads.emplace_back([&, thread] {
        for (int round = 0; round < numbers_each; ++round)
          found[thread].push_back(boxes[thread % 2]->engine->next_number_blocking(counters, "users"));
      });
  }
  std::set<std::int64_t> all;
  for (const auto& numbers : found) {
    EXPECT_TRUE(std::ranges::is_sorted(numbers));
    all.insert(numbers.begin(), numbers.end());
  }
  EXPECT_EQ(all.size(), 10'000u);
  EXPECT_EQ(*all.rbegin(), 10'000) << "and none is left out";
  std::cout << "10,000 numbers by two boxes: " << milliseconds_since(start) << " ms\n";
}

TEST_F(SharedChanges, ACapHoldsUnderTwoWritersAndFaults) {
  const auto first = join("a", 10s), second = join("b", 10s);
  auto& server = PostgresServer::instance();
  const auto cut_connections = [&] {
    const Statement cut{"", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'box'"};
    Connection(server.administrator("postgres"), 10s, Clock::now() + 10s).run(Call{&cut}, Clock::now() + 10s);
  };
  constexpr std::int64_t cap = 10'000;
  std::atomic<std::int64_t> accepted = 0, unknown = 0, refused = 0;
  int faults = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 8; ++thread)
      threads.emplace_back([&, thread](const std::stop_token& ends) {
        auto& engine = *(thread % 2 ? first : second)->engine;
        while (!ends.stop_requested() && refused == 0) try {
            Batch batch{{{.kind = Precondition::Kind::at_most, .family = counters, .key = "spent", .bound = cap}},
                        {add_of("spent", 1)}};
            const auto durability = thread < 4 ? Durability::durable : Durability::prompt;
            ++(engine.commit_blocking(std::move(batch), durability).ok() ? accepted : refused);
          } catch (const Unavailable&) {
            ++unknown;
            std::this_thread::sleep_for(5ms);
          }
      });
    for (; refused == 0 && faults < 300; ++faults) {
      std::this_thread::sleep_for(30ms);
      cut_connections();
      if (faults % 10 != 9) continue;
      server.kill();
      server.start();
    }
  }
  List sum;
  ASSERT_TRUE(becomes([&] {
    sum = first->sum("spent");
    return true;
  }));
  EXPECT_GT(refused, 0);
  EXPECT_EQ(sum, List{cap}) << "it was reached, and not passed";
  EXPECT_LE(accepted, cap);
  EXPECT_LE(cap - accepted, unknown) << "what was acknowledged is there";
  std::cout << faults << " faults, accepted " << accepted << ", not known to the caller " << unknown << "\n";
}

TEST_F(SharedChanges, ConditionsOnWhatIsNotThereExcludeEachOther) {
  const auto first = join("a", 10s), second = join("b", 10s);
  for (int round = 0; round < 5; ++round) {
    const auto left = "left" + std::to_string(round), right = "right" + std::to_string(round);
    bool took_left = false, took_right = false;
    {
      std::jthread other([&] { took_left = first->put(left, "1", {absent(right)}); });
      took_right = second->put(right, "1", {absent(left)});
    }
    EXPECT_NE(took_left, took_right) << "each requires that the other one is not there";
    EXPECT_EQ(first->at(left).has_value(), took_left);
    EXPECT_EQ(first->at(right).has_value(), took_right);
  }
  EXPECT_EQ(number("SELECT count(*) FROM agentbox.things WHERE value = ''"), 0);
}

TEST_F(SharedChanges, OtherBoxesSeeAWriteSoon) {
  const auto writer = join("a", 10s), reader = join("b", 10s);
  const auto part = store::keys::owner(7);
  std::vector<double> delays;
  for (int round = 0; round < 40; ++round) {
    const auto version = [&] { return reader->engine->version(owned, part); };
    const auto before = version(), other = reader->engine->version(owned, store::keys::owner(8));
    ASSERT_EQ(before, version()) << "the caches are on";
    Batch batch{{}, {{.kind = Write::Kind::put, .family = owned, .key = part + "a", .value = "1"}}};
    batch.scope = store::Scope::tenant(7);
    ASSERT_TRUE(writer->engine->commit_blocking(std::move(batch)).ok());
    const auto start = Clock::now();
    ASSERT_TRUE(becomes([&] { return version() != before; }));
    delays.push_back(milliseconds_since(start));
    EXPECT_EQ(reader->engine->version(owned, store::keys::owner(8)), other) << "the rest stays cached";
    std::this_thread::sleep_for(std::chrono::milliseconds(round));
  }
  std::ranges::sort(delays);
  EXPECT_LT(delays[delays.size() / 2], 1'000);
  std::cout << "a write is seen by the other box after " << delays[delays.size() / 2] << " ms (median), "
            << delays.back() << " ms at most\n";
}

TEST_F(SharedChanges, ABoxThatDoesNotLookTrustsNoVersion) {
  const auto box = join("a", 10s);
  const auto version = [&] { return box->engine->version(things, "a"); };
  EXPECT_EQ(version(), version());
  box->is_paused = true;
  std::this_thread::sleep_for(1'100ms);
  EXPECT_NE(version(), version());
  box->is_paused = false;
  EXPECT_TRUE(becomes([&] { return version() == version(); }));
}

TEST_F(SharedChanges, ManyChangesAtOnceAreSeen) {
  const auto writer = join("a", 10s), reader = join("b", 10s);
  const auto before = reader->engine->version(things, "none of them");
  const auto position = reader->engine->position();
  Batch batch;
  for (int number = 0; number < 5'000; ++number) batch.writes.push_back(put_of("k" + std::to_string(number), "1"));
  ASSERT_TRUE(writer->engine->commit_blocking(std::move(batch)).ok());
  EXPECT_TRUE(becomes([&] { return reader->engine->version(things, "none of them") != before; }))
      << "too many parts stand for everything";
  EXPECT_GE(reader->engine->position() - position, 5'000u);
}

TEST_F(SharedChanges, PositionsCountWhatOthersWrite) {
  const auto writer = join("a", 10s), reader = join("b", 10s);
  ASSERT_TRUE(writer->put("a", "1"));
  const auto before = reader->engine->position();
  const auto snapshot = reader->engine->snapshot();
  EXPECT_EQ(reader->engine->position(snapshot.get()), before);
  ASSERT_TRUE(writer->put("a", "2"));
  EXPECT_EQ(reader->engine->position(), before + 1) << "at once, without waiting for the feed";
  ASSERT_TRUE(reader->put("a", "3"));
  EXPECT_EQ(reader->engine->position(), before + 2);
}

TEST_F(SharedChanges, AChangeReachesEveryBoxBeforeTheCallReturns) {
  const auto first = join("a"), second = join("b"), third = join("c");
  std::vector<double> delays;
  for (int round = 0; round < 20; ++round) {
    const auto versions = [&] {
      return std::pair(second->engine->version(things, "key"), third->engine->version(things, "key"));
    };
    const auto before = versions();
    ASSERT_TRUE(first->put("key", std::to_string(round)));
    const auto start = Clock::now();
    if (round % 2)
      first->boxes().reach_everywhere_blocking();
    else
      run([](store::Boxes& boxes) -> store::Task<bool> {
        co_await boxes.reach_everywhere();
        co_return true;
      }(first->boxes()));
    delays.push_back(milliseconds_since(start));
    const auto after = versions();
    EXPECT_NE(after.first, before.first);
    EXPECT_NE(after.second, before.second);
  }
  std::ranges::sort(delays);
  std::cout << "a change has reached three boxes after " << delays[10] << " ms (median), " << delays.back()
            << " ms at most\n";

  third->is_paused = true;
  std::this_thread::sleep_for(100ms);  // the last look of its own is over
  ASSERT_TRUE(first->put("key", "last"));
  const auto before = third->engine->version(things, "key");
  const auto start = Clock::now();
  first->boxes().reach_everywhere_blocking();
  const auto waited = Clock::now() - start;
  EXPECT_GT(waited, 500ms) << "for the end of the lease of the one that does not look";
  EXPECT_LT(waited, lease_length * 3 / 2);
  EXPECT_NE(third->engine->version(things, "key"), before);
  EXPECT_NE(third->engine->version(things, "key"), third->engine->version(things, "key")) << "its caches are off";
  std::cout << "with one that is dead after " << milliseconds_since(start) << " ms\n";
}

class SharedStores : public SharedBoxes {
 protected:
  std::unique_ptr<store::Store> open(const std::string& name, std::vector<store::Migration> migrations = {}) const {
    auto wanted = options(folder_.path());
    wanted.engine = &shared_postgres_test_engine;
    wanted.sharing.emplace(store::Sharing{.address = name, .version = "1", .may_lose = true});
    wanted.migrations = std::move(migrations);
    return store::Store::open(std::move(wanted));
  }
};

TEST_F(SharedStores, ANewerSchemaWaitsForTheOtherBoxesToStop) {
  auto first = open("a"), second = open("b");
  first.reset();
  const store::Migration step{.to = 2, .what = "nothing", .run = {}};
  EXPECT_NE(refusal([&] { open("a", {step}); }).find("stop them first"), std::string::npos);
  second.reset();
  EXPECT_EQ(refusal([&] { open("a", {step}); }), "none");
}

TEST_F(SharedStores, CachedRecordsFollowOtherBoxes) {
  const auto first = open("a"), second = open("b");
  const auto mine = first->system().tenant(1), same = second->system().tenant(1);
  auto change = mine.change();
  change.insert(notes, {.owner = 1, .id = "a", .title = "Tea"});
  ASSERT_TRUE(change.commit_blocking().ok());
  ASSERT_TRUE(becomes([&] { return same.cached(notes, "a") != nullptr; }));
  EXPECT_EQ(same.cached(notes, "a")->rank, 0);
  ASSERT_TRUE(run(mine.modify(notes, "a", [](Note& note) { note.rank = 1; })));
  first->boxes().reach_everywhere_blocking();
  EXPECT_EQ(same.cached(notes, "a")->rank, 1);
  auto both = std::array{first->system(), second->system()};
  {
    std::vector<std::jthread> threads;
    for (auto& system : both)
      threads.emplace_back([&system] {
        for (int round = 0; round < 50; ++round)
          run(system.tenant(1).modify(notes, "a", [](Note& note) { ++note.rank; }));
      });
  }
  EXPECT_EQ(mine.get(notes, "a")->value.rank, 101) << "no update is lost";
  auto taken = same.change();
  taken.insert(notes, {.owner = 1, .id = "b", .title = "Tea"});
  EXPECT_TRUE(taken.commit_blocking().duplicate("title"));
  EXPECT_TRUE(first->verify().empty());

  const auto jobs = first->boxes().take("leader");
  ASSERT_TRUE(jobs);
  auto led = mine.change();
  led.require(*jobs);
  led.insert(notes, {.owner = 1, .id = "c", .title = "Led"});
  EXPECT_TRUE(led.commit_blocking().ok());
  auto usurped = same.change();
  usurped.require(*jobs);
  usurped.insert(notes, {.owner = 1, .id = "d", .title = "Usurped"});
  EXPECT_THROW(usurped.commit_blocking(), Unavailable);
}

}  // namespace shared_boxes_test
}  // namespace store_test
