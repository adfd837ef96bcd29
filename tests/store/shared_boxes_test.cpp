// Leases and evictions of several boxes on one database, and the fence.
#include "tests/store/shared_boxes.h"

#include <barrier>
#include <set>

namespace store_test {
namespace shared_boxes_test {

TEST_F(SharedBoxes, ABoxIsAloneUnlessAllShare) {
  auto alone = open_alone("a");
  EXPECT_NE(refusal([&] { join("b"); }).find("a database serves one box"), std::string::npos);
  EXPECT_EQ(alone->boxes().take("scheduler")->epoch, 0) << "a box that is alone holds every lease";
  EXPECT_TRUE(alone->commit_blocking({{held({"scheduler", 0})}, {put_of("a", "1")}}).ok());
  alone.reset();
  auto first = join("a"), second = join("b");
  EXPECT_NE(refusal([&] { open_alone("c"); }).find("a database serves one box"), std::string::npos);
  EXPECT_LT(first->epoch(), second->epoch());
  const auto boxes = second->boxes().list();
  ASSERT_EQ(boxes.size(), 2u);
  EXPECT_EQ(boxes[0].epoch, second->epoch()) << "this one first";
  EXPECT_EQ(boxes[1].address, "a");
  EXPECT_TRUE(boxes[1].is_live);
  const auto last = second->epoch();
  first.reset();
  second.reset();
  alone = open_alone("c");
  EXPECT_TRUE(alone->commit_blocking({{}, {put_of("a", "2")}}).ok());
  alone.reset();
  EXPECT_GT(join("a")->epoch(), last + 1) << "an epoch is never used again";
}

TEST_F(SharedBoxes, ABoxThatWasThoughtDeadCommitsNothingInEitherMode) {
  const auto alone = open_alone("a");
  sql("UPDATE agentbox._lease SET until = '-infinity'");
  const auto sharing = join("b");
  EXPECT_THROW(alone->commit_blocking({{}, {put_of("a", "1")}}), Unavailable);
  sharing->is_paused = true;
  std::this_thread::sleep_for(lease_length + 200ms);
  const auto next = open_alone("c");
  EXPECT_NE(refusal([&] { sharing->put("a", "2"); }).find("evicted"), std::string::npos);
  EXPECT_EQ(number("SELECT count(*) FROM agentbox._boxes WHERE NOT is_recovered"), 0)
      << "a box that is alone recovers everything at its start";
  EXPECT_TRUE(next->commit_blocking({{absent("a")}, {put_of("a", "3")}}).ok());
}

TEST_F(SharedBoxes, AServerWithoutAStandbyIsRefused) {
  const store::Sharing sharing{.address = "a", .version = "1"};
  const auto sentence =
      refusal([&] { store::PostgresEngine::open({.families = families, .sharing = sharing}, location("a")); });
  EXPECT_NE(sentence.find("no synchronous standby"), std::string::npos) << sentence;
  EXPECT_THROW(store::rocks_engine.open({.folder = folder_.path("r"), .families = families, .sharing = sharing}),
               Unavailable);
}

TEST_F(SharedBoxes, AStandbyThatStopsCostsNoBoxItsLease) {
  location("a");  // the database
  const PostgresServer::Standby standby(PostgresServer::instance());
  std::atomic<bool> is_paused{false};
  const store::Sharing sharing{.address = "a", .version = "1", .lease = lease_length, .is_paused = &is_paused};
  const auto engine = store::PostgresEngine::open({.families = families, .sharing = sharing}, location("a"));
  const auto put = [&](std::string value) { return engine->commit_blocking({{}, {put_of("a", std::move(value))}}); };
  ASSERT_TRUE(put("1").ok());
  standby.pause();
  std::atomic<bool> is_done = false;
  std::jthread waiting([&] { is_done = put("2").ok(); });
  std::this_thread::sleep_for(lease_length + 500ms);
  EXPECT_FALSE(is_done) << "it is not on the standby";
  EXPECT_GT(engine->boxes().holds_until(), Clock::now());
  EXPECT_TRUE(engine->boxes().list().front().is_live);
  standby.resume();
  waiting.join();
  EXPECT_TRUE(is_done);
}

TEST_F(SharedBoxes, ABoxWhoseLeaseHasRunOutCommitsNothingUntilItIsRenewed) {
  const auto box = join("a");
  ASSERT_TRUE(box->put("a", "1"));
  box->is_paused = true;
  std::this_thread::sleep_for(lease_length + 200ms);
  EXPECT_LT(box->boxes().holds_until(), Clock::now());
  EXPECT_TRUE(box->engine->read_only_reason());
  EXPECT_NE(refusal([&] { box->put("a", "2"); }).find("has run out"), std::string::npos);
  EXPECT_NE(refusal([&] { box->put("b", "2", {absent("b")}); }).find("has run out"), std::string::npos);
  EXPECT_THROW(box->engine->next_number_blocking(counters, "n"), Unavailable);
  EXPECT_THROW(box->boxes().take("scheduler"), Unavailable);
  EXPECT_EQ(box->at("a"), "1");
  box->is_paused = false;
  EXPECT_TRUE(becomes([&] { return box->put("a", "3"); })) << "no other box has evicted it";
  EXPECT_FALSE(box->engine->read_only_reason());
}

TEST_F(SharedBoxes, AnEvictedBoxCommitsNothingAnyMore) {
  const auto paused = join("a"), other = join("b");
  const auto epoch = paused->epoch();
  ASSERT_TRUE(paused->put("a", "1"));
  paused->is_paused = true;
  ASSERT_TRUE(becomes([&] { return other->recovers(epoch); }));
  ASSERT_TRUE(other->put("a", "2"));
  EXPECT_NE(refusal([&] { paused->put("a", "3"); }).find("evicted"), std::string::npos);
  EXPECT_THROW(paused->put("b", "3", {absent("b")}), Unavailable);
  EXPECT_EQ(other->at("a"), "2");
  EXPECT_EQ(other->at("b"), std::nullopt);
  paused->is_paused = false;
  std::this_thread::sleep_for(200ms);
  EXPECT_THROW(paused->put("a", "3"), Unavailable) << "also once it runs again";
  ASSERT_TRUE(paused->engine->read_only_reason());
  EXPECT_NE(paused->engine->read_only_reason()->find("evicted"), std::string::npos);
  EXPECT_EQ(number("SELECT count(*) FROM agentbox._changes WHERE epoch = " + std::to_string(epoch)), 1);
}

TEST_F(SharedBoxes, ABoxThatStopsInATransactionHoldsOthersForTwoSeconds) {
  const auto stopped = join("a"), other = join("b");
  ASSERT_TRUE(other->put("a", "1"));
  auto transaction = PostgresServer::instance().as_role("agentbox_system", location("admin"));
  const auto run = [&](const std::string& text) {
    const Statement statement{"", text};
    transaction->run(Call{&statement}, Clock::now() + 10s);
  };
  run("BEGIN");
  run("SELECT agentbox._hold(" + std::to_string(stopped->epoch()) + ", 0)");
  run("UPDATE agentbox.things SET value = '0'");
  const auto start = Clock::now();
  EXPECT_TRUE(other->put("a", "2", {{.kind = Precondition::Kind::equals, .family = things, .key = "a", .value = "1"}}));
  EXPECT_LT(Clock::now() - start, 5s);
  EXPECT_THROW(run("COMMIT"), store::postgres::Lost);
  EXPECT_EQ(other->at("a"), "2");
}

TEST_F(SharedBoxes, OneBoxEvictsADeadOneAndRecoversWhatItLeft) {
  auto dead = join("a"), second = join("b"), third = join("c");
  const auto epoch = dead->epoch();
  dead->is_paused = true;
  ASSERT_TRUE(becomes([&] { return second->recovers(epoch) || third->recovers(epoch); }));
  EXPECT_NE(second->recovers(epoch), third->recovers(epoch)) << "one of the two";
  auto& evictor = second->recovers(epoch) ? second : third;
  auto& heir = second->recovers(epoch) ? third : second;
  const auto evicted_by = [&] {
    return number("SELECT evicted_by FROM agentbox._boxes WHERE epoch = " + std::to_string(epoch));
  };
  EXPECT_EQ(evicted_by(), evictor->epoch());
  heir->boxes().recovered(epoch);
  EXPECT_TRUE(evictor->recovers(epoch)) << "that is not the other one's to say";

  // The evictor dies before it has recovered anything.
  const auto evictors = evictor->epoch();
  evictor->is_paused = true;
  ASSERT_TRUE(becomes([&] { return heir->recovers(epoch) && heir->recovers(evictors); }));
  EXPECT_EQ(evicted_by(), evictors) << "it stays recorded";
  for (const auto done : {epoch, evictors}) heir->boxes().recovered(done);
  EXPECT_TRUE(heir->boxes().dead().empty());
  auto fourth = join("d");
  std::this_thread::sleep_for(lease_length);
  EXPECT_TRUE(fourth->boxes().dead().empty());
  EXPECT_TRUE(heir->boxes().dead().empty());
}

TEST_F(SharedBoxes, ManyBoxesAreEvictedOnceEach) {
  std::vector<std::unique_ptr<TestBox>> dead, live;
  for (int number = 0; number < 6; ++number) dead.push_back(join("dead" + std::to_string(number)));
  for (int number = 0; number < 3; ++number) live.push_back(join("live" + std::to_string(number)));
  for (const auto& box : dead) box->is_paused = true;
  std::multiset<std::int64_t> evicted;
  ASSERT_TRUE(becomes([&] {
    evicted.clear();
    for (const auto& box : live)
      for (const auto& [epoch, host, address, version, is_live] : box->boxes().dead()) evicted.insert(epoch);
    return evicted.size() >= dead.size();
  }));
  for (const auto& box : dead) EXPECT_EQ(evicted.count(box->epoch()), 1u);
  EXPECT_EQ(evicted.size(), dead.size());
}

TEST_F(SharedBoxes, RacingEvictionsTakeEachDeadBoxOnce) {
  std::vector<std::unique_ptr<TestBox>> live;
  for (const auto* name : {"a", "b", "c"}) live.push_back(join(name, 10s));
  constexpr int rounds = 30, dead_each = 20;
  std::vector<std::set<std::int64_t>> evicted(live.size());
  for (int round = 0; round < rounds; ++round) {
    sql("INSERT INTO agentbox._boxes (epoch, box, host, address, version, until) SELECT -n, 'dead', '', '', '', "
        "clock_timestamp() - interval '1 second' FROM generate_series(" +
        std::to_string(round * dead_each + 1) + ", " + std::to_string((round + 1) * dead_each) + ") n");
    std::barrier start(static_cast<std::ptrdiff_t>(live.size()));
    std::vector<std::jthread> threads;
    for (std::size_t box = 0; box < live.size(); ++box)
      threads.emplace_back([&, box] {
        const auto epoch = std::to_string(live[box]->epoch());
        auto connection = PostgresServer::instance().as_role("agentbox_system", location("admin"));
        const Statement evict{"", "SELECT agentbox._evict(" + epoch + ", 1)"};
        start.arrive_and_wait();
        connection->run(Call{&evict}, Clock::now() + 10s);
        for (const auto& dead : live[box]->boxes().dead()) evicted[box].insert(dead.epoch);
      });
  }
  std::size_t sum = 0;
  std::set<std::int64_t> all;
  for (const auto& of_box : evicted) {
    sum += of_box.size();
    all.insert(of_box.begin(), of_box.end());
  }
  EXPECT_EQ(all.size(), std::size_t{rounds * dead_each});
  EXPECT_EQ(sum, all.size()) << "no two boxes recover the same one";
}

TEST_F(SharedBoxes, ABoxThatStartsAgainLeavesItsFormerEpochToRecovery) {
  auto first = join("a");
  const auto epoch = first->epoch();
  first.reset();  // it has left
  first = join("a");
  ASSERT_TRUE(becomes([&] { return first->recovers(epoch); }));
}

TEST_F(SharedBoxes, AnOutageLongerThanALeaseKillsNoBox) {
  const auto first = join("a"), second = join("b");
  ASSERT_TRUE(first->put("a", "1"));
  auto& server = PostgresServer::instance();
  server.kill();
  std::this_thread::sleep_for(lease_length + 500ms);
  server.start();
  EXPECT_TRUE(becomes([&] { return first->put("a", "2"); }));
  EXPECT_TRUE(becomes([&] { return second->put("a", "3"); }));
  std::this_thread::sleep_for(lease_length);
  EXPECT_EQ(first->boxes().list().size(), 2u);
  EXPECT_TRUE(first->put("a", "4"));
  EXPECT_TRUE(second->put("a", "5"));
}

TEST_F(SharedBoxes, ANamedLeaseIsOfOneBox) {
  auto first = join("a"), second = join("b");
  const auto chain = first->boxes().take("chain/1");
  ASSERT_TRUE(chain);
  EXPECT_EQ(first->boxes().take("chain/1")->epoch, chain->epoch) << "it has it already";
  EXPECT_FALSE(second->boxes().take("chain/1"));
  EXPECT_TRUE(second->boxes().take("box")) << "no name is another lease's";
  EXPECT_TRUE(first->put("sent", "1", {held(*chain)}));
  EXPECT_FALSE(second->put("sent", "2", {held(*chain)}));
  EXPECT_FALSE(first->put("sent", "2", {held({"chain/2", 1})})) << "it was never taken";

  first->boxes().give_back(*chain);
  const auto next = second->boxes().take("chain/1");
  ASSERT_TRUE(next);
  EXPECT_GT(next->epoch, chain->epoch);
  EXPECT_FALSE(first->put("sent", "2", {held(*chain)}));
  first->boxes().give_back(*chain);
  EXPECT_TRUE(second->put("sent", "3", {held(*next)})) << "what was given back is not given back twice";

  second->is_paused = true;
  std::optional<store::NamedLease> taken;
  ASSERT_TRUE(becomes([&] {
    taken = first->boxes().take("chain/1");
    return taken.has_value();
  }));
  EXPECT_GT(taken->epoch, next->epoch);
  EXPECT_TRUE(first->recovers(second->epoch())) << "not before its holder was evicted";
  EXPECT_THROW(second->put("sent", "4", {held(*next)}), Unavailable);
  EXPECT_EQ(first->at("sent"), "3");
}

TEST_F(SharedBoxes, RacingBoxesTakeANamedLeaseOnce) {
  std::vector<std::unique_ptr<TestBox>> boxes;
  for (const auto* name : {"a", "b", "c"}) boxes.push_back(join(name, 10s));
  for (int round = 0; round < 20; ++round) {
    const auto name = "job" + std::to_string(round);
    std::atomic<int> taken = 0;
    {
      std::vector<std::jthread> threads;
      for (const auto& box : boxes)
        threads.emplace_back([&] {
          if (box->boxes().take(name)) ++taken;
        });
    }
    EXPECT_EQ(taken, 1);
  }
}

TEST_F(SharedBoxes, OldChangesAndBoxesAreErased) {
  auto first = join("a"), second = join("b");
  const auto epoch = second->epoch();
  for (int round = 0; round < 10; ++round) ASSERT_TRUE(first->put("a", std::to_string(round)));
  ASSERT_TRUE(second->put("b", "1"));
  const auto changes = [&](std::int64_t of) {
    return number("SELECT count(*) FROM agentbox._changes WHERE epoch = " + std::to_string(of));
  };
  EXPECT_EQ(changes(first->epoch()), 10);
  sql("UPDATE agentbox._changes SET at = at - interval '2 minutes'");
  ASSERT_TRUE(becomes([&] { return changes(first->epoch()) == 1; })) << "the newest says what was committed";
  EXPECT_TRUE(first->put("a", "next"));
  second.reset();
  ASSERT_TRUE(becomes([&] { return first->recovers(epoch); }));
  sql("UPDATE agentbox._boxes SET evicted_at = evicted_at - interval '2 hours'");
  std::this_thread::sleep_for(lease_length / 2);
  EXPECT_EQ(changes(epoch), 1) << "it is not recovered yet";
  first->boxes().recovered(epoch);
  ASSERT_TRUE(becomes([&] { return changes(epoch) == 0; }));
  EXPECT_EQ(number("SELECT count(*) FROM agentbox._boxes"), 1);
}

}  // namespace shared_boxes_test
}  // namespace store_test
