// Typed tables: what goes in comes out, indexes follow, owners stay apart; compared with std::map under random
// operations.
#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "store/transact.h"
#include "tests/store/counter_fields_list.h"
#include "tests/store/fixture.h"

namespace store_test {
namespace tables_test {

using store::Outcome;

// A tenant has no way to name another owner's record.
template <class View>
concept NamesAnOwner = requires(View view) {
  view.get(notes, std::int64_t(2), "id");
};
static_assert(!NamesAnOwner<store::Tenant>);
static_assert(NamesAnOwner<store::System>);
template <class View>
concept SeesEverything = requires(View view) {
  view.each(notes, [](const Note&) { return true; });
};
static_assert(!SeesEverything<store::Tenant>);

TEST_F(StoreTest, ARecordComesBackAsItWasWritten) {
  const Note note{.owner = 1,
                  .id = "a",
                  .title = "Tea",
                  .tag = "home",
                  .rank = -7,
                  .mood = Mood::busy,
                  .due = store::Time(std::chrono::milliseconds(1'700'000'000'123)),
                  .secret = {"s3cret"}};
  ASSERT_TRUE(insert(note).ok());
  reopen();
  const auto row = tenant(1).get(notes, "a");
  ASSERT_TRUE(row);
  EXPECT_EQ(row->value, note);
  EXPECT_EQ(row->stored.find("s3cret"), std::string::npos);
}

TEST_F(StoreTest, AnotherOwnersRecordIsNotThere) {
  ASSERT_TRUE(insert({.owner = 1, .id = "a", .title = "Tea", .tag = "home"}).ok());
  EXPECT_FALSE(tenant(2).get(notes, "a"));
  EXPECT_TRUE(tenant(2).list(notes).empty());
  EXPECT_TRUE(tenant(2).find(notes, "tag", std::string("home")).empty());
  EXPECT_EQ(tenant(1).find(notes, "tag", std::string("home")).size(), 1u);
  auto change = tenant(2).change();
  EXPECT_THROW(change.insert(notes, {.owner = 1, .id = "b"}), std::logic_error);
  EXPECT_THROW(change.insert(people, {.id = 5}), std::logic_error);
  EXPECT_THROW(change.add(1, {"n"}, 1), std::logic_error);
}

TEST_F(StoreTest, UniqueValuesAreTakenAndGivenBack) {
  ASSERT_TRUE(insert({.owner = 1, .id = "a", .title = "Tea"}).ok());
  EXPECT_TRUE(insert({.owner = 1, .id = "a", .title = "Other"}).duplicate("id"));
  EXPECT_TRUE(insert({.owner = 2, .id = "x", .title = "Tea"}).duplicate("title"));
  EXPECT_FALSE(tenant(2).get(notes, "x"));

  auto row = tenant(1).get(notes, "a");
  auto change = tenant(1).change();
  change.erase(notes, *row);
  ASSERT_TRUE(change.commit_blocking().ok());
  EXPECT_TRUE(insert({.owner = 2, .id = "x", .title = "Tea"}).ok());
  EXPECT_EQ(system().find_unique(notes, "title", std::string("Tea"))->value.owner, 2);
}

TEST_F(StoreTest, WhatIsInsertedAsNewTakesItsIdAndItsUniqueValues) {
  const auto insert_new = [&](const Note& note) {
    auto change = tenant(note.owner).change();
    change.insert_new(notes, note);
    return run(change.commit());
  };
  ASSERT_TRUE(insert_new({.owner = 1, .id = "a", .title = "Tea", .tag = "home"}).ok());
  EXPECT_TRUE(insert_new({.owner = 1, .id = "b", .title = "Tea"}).duplicate("title"));
  EXPECT_TRUE(insert({.owner = 1, .id = "a", .title = "Milk"}).duplicate("id"));
  EXPECT_EQ(tenant(1).find(notes, "tag", std::string("home")).size(), 1u);
}

TEST_F(StoreTest, OneChangeCannotTakeAUniqueValueTwice) {
  auto change = tenant(1).change();
  change.insert(notes, {.owner = 1, .id = "a", .title = "Tea"});
  change.insert(notes, {.owner = 1, .id = "b", .title = "Tea"});
  EXPECT_TRUE(change.commit_blocking().duplicate("title"));
  auto again = tenant(1).change();
  again.insert(notes, {.owner = 1, .id = "a", .title = "Tea"});
  again.insert(notes, {.owner = 1, .id = "a", .title = "Milk"});
  EXPECT_TRUE(run(again.commit()).duplicate("id"));
  EXPECT_TRUE(tenant(1).list(notes).empty());
}

TEST_F(StoreTest, AVersionMovesWithEveryChangeOfItsOwner) {
  const auto before = tenant(1).version(notes);
  ASSERT_TRUE(insert({.owner = 1, .id = "a", .title = "Tea"}).ok());
  const auto after = tenant(1).version(notes);
  EXPECT_NE(after, before);
  EXPECT_TRUE(insert({.owner = 1, .id = "a", .title = "Milk"}).duplicate("id"));
  EXPECT_EQ(tenant(1).version(notes), after);
}

TEST_F(StoreTest, AValueCachedByVersionIsNeverOlderThanAnAcknowledgedWrite) {
  ASSERT_TRUE(insert({.owner = 1, .id = "a", .title = "Tea"}).ok());
  std::atomic<std::int64_t> acknowledged = 0;
  const std::jthread writer([&] {
    for (std::int64_t rank = 1; rank <= 300; ++rank) {
      run(tenant(1).modify(notes, "a", [&](Note& note) { note.rank = rank; }));
      acknowledged = rank;
    }
  });
  std::optional<std::uint64_t> cached_at;
  std::int64_t cached = 0;
  while (acknowledged < 300) {
    const auto promised = acknowledged.load();
    const auto version = tenant(1).version(notes);
    if (cached_at != version) {
      cached = tenant(1).get(notes, "a")->value.rank;
      cached_at = version;
    }
    ASSERT_GE(cached, promised);
  }
}

TEST_F(StoreTest, AnUpdateOfAStaleRowIsRefused) {
  ASSERT_TRUE(insert({.owner = 1, .id = "a", .title = "Tea"}).ok());
  auto first = tenant(1).get(notes, "a"), second = tenant(1).get(notes, "a");
  first->value.rank = 1;
  second->value.rank = 2;
  auto one = tenant(1).change(), two = tenant(1).change();
  one.update(notes, *first);
  two.update(notes, *second);
  EXPECT_TRUE(one.commit_blocking().ok());
  EXPECT_EQ(two.commit_blocking().kind, Outcome::Kind::stale);
  EXPECT_EQ(tenant(1).get(notes, "a")->value.rank, 1);
}

// The same family as a newer binary declares it: one member more.
struct ColouredNote {
  std::int64_t owner = 0;
  std::string id, title, colour;
};
BOOST_DESCRIBE_STRUCT(ColouredNote, (), (owner, id, title, colour))
const store::Owned<ColouredNote> coloured_notes{notes.name,
                                                &ColouredNote::owner,
                                                &ColouredNote::id,
                                                {store::unique<ColouredNote>(1, "title", &ColouredNote::title)}};

TEST_F(StoreTest, FieldsThisBinaryDoesNotKnowSurviveAnUpdate) {
  auto newer = tenant(1).change();
  newer.insert(coloured_notes, {.owner = 1, .id = "a", .title = "Tea", .colour = "green"});
  ASSERT_TRUE(newer.commit_blocking().ok());
  ASSERT_TRUE(run(tenant(1).modify(notes, "a", [](Note& note) { note.rank = 9; })));
  EXPECT_EQ(tenant(1).get(coloured_notes, "a")->value.colour, "green");
  EXPECT_EQ(tenant(1).get(notes, "a")->value.rank, 9);
}

TEST_F(StoreTest, ModifyRetriesUntilItsEditHolds) {
  ASSERT_TRUE(insert({.owner = 1, .id = "a", .title = "Tea"}).ok());
  constexpr int writers = 4, rounds = 50;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < writers; ++writer)
    threads.emplace_back([&] {
      for (int round = 0; round < rounds; ++round) run(tenant(1).modify(notes, "a", [](Note& note) { ++note.rank; }));
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(tenant(1).get(notes, "a")->value.rank, writers * rounds);
  EXPECT_FALSE(run(tenant(1).modify(notes, "nobody", [](Note&) {})));
}

// Several records in one change, although others change them at the same time.
TEST_F(StoreTest, ATransactionRunsAgainUntilNothingChangedMeanwhile) {
  ASSERT_TRUE(insert({.owner = 1, .id = "a", .title = "A"}).ok());
  ASSERT_TRUE(insert({.owner = 1, .id = "b", .title = "B"}).ok());
  constexpr int threads = 4, rounds = 25;
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < threads; ++i)
      writers.emplace_back([this] {
        const auto add_to_both = [this](store::Change& change) {
          for (const auto* id : {"a", "b"}) {
            auto row = tenant(1).get(notes, id);
            ++row->value.rank;
            change.update(notes, *row);
          }
          return true;
        };
        for (int round = 0; round < rounds; ++round) EXPECT_TRUE(run(store::transact(tenant(1), add_to_both)));
      });
  }
  EXPECT_EQ(tenant(1).get(notes, "a")->value.rank, threads * rounds);
  EXPECT_EQ(tenant(1).get(notes, "b")->value.rank, threads * rounds);
}

TEST_F(StoreTest, ATransactionThatDeclinesWritesNothing) {
  ASSERT_TRUE(insert({.owner = 1, .id = "a", .title = "A"}).ok());
  const auto erase_and_decline = [this](store::Change& change) -> std::optional<std::string> {
    change.erase(notes, *tenant(1).get(notes, "a"));
    return std::nullopt;
  };
  EXPECT_FALSE(run(store::transact(tenant(1), erase_and_decline)));
  EXPECT_TRUE(tenant(1).get(notes, "a"));
}

TEST_F(StoreTest, ATransactionAsksWhatARefusedChangeMeans) {
  const store::CounterName count{"count"};
  const auto add = [&](store::Change& change) -> std::optional<std::string> {
    change.add(1, count, 2, 1);
    return "added";
  };
  EXPECT_THROW(run(store::transact(tenant(1), add)), std::logic_error);
  const auto refused = [](const Outcome& outcome) -> std::optional<std::optional<std::string>> {
    return outcome.kind == Outcome::Kind::over_bound ? std::optional(std::optional<std::string>("full")) : std::nullopt;
  };
  EXPECT_EQ(run(store::transact(tenant(1), add, refused)), "full");
  EXPECT_EQ(tenant(1).counter(count), 0);
}

TEST_F(StoreTest, TwoWritersRaceForOneUniqueKeyAndOneWins) {
  for (int round = 0; round < 50; ++round) {
    const auto title = "race " + std::to_string(round);
    std::array<Outcome, 2> outcomes;
    std::vector<std::thread> threads;
    for (int writer = 0; writer < 2; ++writer)
      threads.emplace_back([&, writer] {
        outcomes[static_cast<std::size_t>(writer)] = insert({.owner = writer + 1, .id = title, .title = title});
      });
    for (auto& thread : threads) thread.join();
    EXPECT_NE(outcomes[0].ok(), outcomes[1].ok());
    EXPECT_TRUE(outcomes[0].duplicate("title") || outcomes[1].duplicate("title"));
  }
  EXPECT_TRUE(store_->verify().empty());
}

TEST_F(StoreTest, PagesFollowOneAnother) {
  for (int at = 0; at < 25; ++at) {
    const auto id = std::string(1, static_cast<char>('a' + at));
    ASSERT_TRUE(insert({.owner = 1, .id = id, .title = id}).ok());
  }
  std::string seen;
  for (std::string after;;) {
    const auto page = tenant(1).list(notes, {.limit = 10, .after = after});
    for (const auto& note : page) seen += note.id;
    if (page.size() < 10) break;
    after = page.back().id;
  }
  EXPECT_EQ(seen, "abcdefghijklmnopqrstuvwxy");
  const auto newest = tenant(1).list(notes, {.limit = 2, .after = "c", .newest_first = true});
  ASSERT_EQ(newest.size(), 2u);
  EXPECT_EQ(newest[0].id + newest[1].id, "ba");
}

TEST_F(StoreTest, RangesOrderNumbersAndTimes) {
  const std::vector<std::int64_t> ranks{-300, -1, 0, 1, 255, 256, 70'000};
  for (const auto rank : ranks)
    ASSERT_TRUE(insert({.owner = 1, .id = std::to_string(rank), .title = std::to_string(rank), .rank = rank}).ok());
  const auto found = system().find_range(notes, "rank", std::int64_t(-1), std::int64_t(256));
  std::vector<std::int64_t> got;
  for (const auto& note : found) got.push_back(note.rank);
  EXPECT_EQ(got, (std::vector<std::int64_t>{-1, 0, 1, 255}));
}

TEST_F(StoreTest, CountersAddUpAndRespectTheirBound) {
  auto first = tenant(1).change();
  first.add(1, {"agents"}, 2, 3);
  EXPECT_TRUE(first.commit_blocking().ok());
  auto second = tenant(1).change();
  second.add(1, {"agents"}, 2, 3);
  const auto outcome = second.commit_blocking();
  EXPECT_EQ(outcome.kind, Outcome::Kind::over_bound);
  EXPECT_EQ(outcome.index, "agents");
  reopen();
  EXPECT_EQ(tenant(1).counter({"agents"}), 2);
  EXPECT_EQ(tenant(2).counter({"agents"}), 0);
  const auto add = [&](std::int64_t delta) {
    auto change = tenant(1).change();
    change.add(1, {"agents"}, delta, 3);
    return change.commit_blocking().ok();
  };
  EXPECT_TRUE(add(1));
  EXPECT_FALSE(add(1));
  EXPECT_TRUE(add(-5));
  EXPECT_EQ(tenant(1).counter({"agents"}), -2);
  reopen();
  EXPECT_TRUE(add(5));
  EXPECT_EQ(tenant(1).counter({"agents"}), 3);
}

TEST_F(StoreTest, ATallyKeepsItsFieldsAndRespectsTheirBounds) {
  const store::CounterName used{"used/2026-11"};
  const auto add = [&](const store::CounterFields& deltas) {
    auto change = tenant(1).change();
    change.add(1, used, deltas, {{.most = 10, .field = 0}, {.most = 3, .field = 1}});
    return change.commit_blocking();
  };
  EXPECT_TRUE(add({4, 1}).ok());
  EXPECT_TRUE(add({4, 1, 7}).ok());
  const auto outcome = add({1, 2, 1});
  EXPECT_EQ(outcome.kind, Outcome::Kind::over_bound);
  EXPECT_EQ(outcome.index, used.name);
  EXPECT_EQ(outcome.field, 1u);
  reopen();
  EXPECT_EQ(list(tenant(1).tally(used)), (List{8, 2, 7}));
  EXPECT_TRUE(add({2, 1, -7}).ok());
  EXPECT_EQ(list(system().tally(1, used)), (List{10, 3, 0}));
  EXPECT_EQ(list(tenant(2).tally(used)), List());
}

TEST_F(StoreTest, IdsAreNeverHandedOutTwice) {
  const auto first = system().next_id_blocking("users");
  reopen();
  const auto second = run(system().next_id("users"));
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 2);
}

// Random inserts, updates, erases and reopens agree with a std::map, indexes included.
TEST_F(StoreTest, BehavesLikeAMapUnderRandomOperations) {
  std::mt19937 random(20261121);
  const auto pick = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  std::map<std::pair<std::int64_t, std::string>, Note> model;
  const auto title_taken = [&](const std::string& title, const Note* but) {
    for (const auto& [key, note] : model)
      if (note.title == title && (!but || key != std::pair(but->owner, but->id))) return true;
    return false;
  };
  for (int step = 0; step < 3000; ++step) {
    Note note{.owner = 1 + pick(3),
              .id = "n" + std::to_string(pick(20)),
              .title = "t" + std::to_string(pick(40)),
              .tag = pick(4) == 0 ? "" : "g" + std::to_string(pick(3)),
              .rank = pick(5) - 2};
    if (pick(3) == 0) note.due = store::Time(std::chrono::milliseconds(pick(10)));
    const auto key = std::pair(note.owner, note.id);
    const auto row = tenant(note.owner).get(notes, note.id);
    ASSERT_EQ(row.has_value(), model.contains(key));
    if (row) {
      ASSERT_EQ(row->value, model.at(key));
    }
    switch (pick(3)) {
      case 0: {
        const auto outcome = insert(note);
        const bool free = !model.contains(key) && !title_taken(note.title, nullptr);
        ASSERT_EQ(outcome.ok(), free);
        if (free) model[key] = note;
        break;
      }
      case 1: {
        if (!row) break;
        store::Row<Note> edited{note, row->stored};
        auto change = tenant(note.owner).change();
        change.update(notes, edited);
        const bool free = !title_taken(note.title, &note);
        ASSERT_EQ(change.commit_blocking().ok(), free);
        if (free) model[key] = note;
        break;
      }
      default: {
        if (!row) break;
        auto change = tenant(note.owner).change();
        change.erase(notes, *row);
        ASSERT_TRUE(change.commit_blocking().ok());
        model.erase(key);
      }
    }
    if (step % 500 == 499) {
      reopen();
      ASSERT_TRUE(store_->verify().empty());
      for (std::int64_t owner = 1; owner <= 3; ++owner) {
        for (int tag = 0; tag < 3; ++tag) {
          const auto name = "g" + std::to_string(tag);
          const auto count = std::count_if(model.begin(), model.end(), [&](const auto& entry) {
            return entry.first.first == owner && entry.second.tag == name;
          });
          ASSERT_EQ(static_cast<std::ptrdiff_t>(tenant(owner).find(notes, "tag", name).size()), count);
        }
      }
    }
  }
}

}  // namespace tables_test
}  // namespace store_test
