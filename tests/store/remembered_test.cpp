// Records that are remembered are never older than what was acknowledged.
#include "store/remembered.h"

#include <atomic>
#include <thread>

#include "tests/store/fixture.h"

namespace {

using namespace store_test;

using People = store::Remembered<Person, std::int64_t>;

class RememberedTest : public StoreTest {
 protected:
  void put(std::int64_t id, const std::string& email) {
    auto row = system().get(people, id);
    auto change = system().change();
    if (row) {
      row->value.email = email;
      change.update(people, *row);
    } else {
      change.insert(people, {.id = id, .email = email, .roles = {}});
    }
    ASSERT_TRUE(run(change.commit()).ok());
  }
  void erase(std::int64_t id) {
    auto change = system().change();
    change.erase(people, *system().get(people, id));
    ASSERT_TRUE(run(change.commit()).ok());
  }
};

TEST_F(RememberedTest, ARecordIsDecodedOnceUntilItIsWritten) {
  const People known(system(), people);
  put(1, "ada@example.org");
  const auto first = known.get(1);
  EXPECT_EQ(first->email, "ada@example.org");
  EXPECT_EQ(known.get(1), first);
  put(1, "ada@example.com");
  EXPECT_EQ(known.get(1)->email, "ada@example.com");
  EXPECT_EQ(first->email, "ada@example.org") << "whoever holds the old one keeps it";
}

TEST_F(RememberedTest, WhatIsGoneOrWasNeverThereIsNothing) {
  const People known(system(), people);
  EXPECT_EQ(known.get(1), nullptr);
  put(1, "ada@example.org");
  EXPECT_NE(known.get(1), nullptr);
  erase(1);
  EXPECT_EQ(known.get(1), nullptr);
}

TEST_F(RememberedTest, MoreThanItHoldsAreReadAgain) {
  const People known(system(), people);
  constexpr std::int64_t many = 20'000;
  auto change = system().change();
  for (std::int64_t id = 1; id <= many; ++id)
    change.insert(people, {.id = id, .email = std::to_string(id), .roles = {}});
  ASSERT_TRUE(run(change.commit()).ok());
  for (int round = 0; round < 2; ++round)
    for (std::int64_t id = 1; id <= many; ++id) ASSERT_EQ(known.get(id)->email, std::to_string(id));
}

TEST_F(RememberedTest, NoReaderSeesWhatWasTrueBeforeAnAcknowledgedWrite) {
  const People known(system(), people);
  put(1, "0");
  constexpr std::int64_t writes = 300;
  std::atomic<std::int64_t> acknowledged = 0;
  std::atomic<int> stale = 0;
  const auto read = [&] {
    while (acknowledged < writes) {
      const auto promised = acknowledged.load();
      if (std::stoll(known.get(1)->email) < promised) ++stale;
    }
  };
  {
    const std::jthread one(read), other(read);
    for (std::int64_t at = 1; at <= writes; ++at) {
      put(1, std::to_string(at));
      acknowledged = at;
    }
  }
  EXPECT_EQ(stale, 0);
}

TEST_F(RememberedTest, AUsersRecordsAreReadAgainWhenOneOfThemIsWritten) {
  const store::RememberedOwned<Note> known(system(), notes);
  const auto write = [&](store::UserId owner, const std::string& id, const std::string& title) {
    auto change = tenant(owner).change();
    if (auto row = tenant(owner).get(notes, id)) {
      row->value.title = title;
      change.update(notes, *row);
    } else {
      change.insert(notes, {.owner = owner, .id = id, .title = title});
    }
    ASSERT_TRUE(run(change.commit()).ok());
  };
  write(1, "n", "one");
  write(2, "n", "two");
  const auto first = known.get(1, "n");
  EXPECT_EQ(first->title, "one");
  EXPECT_EQ(known.get(1, "n"), first);
  EXPECT_EQ(known.get(2, "n")->title, "two") << "the same id of another owner is another record";
  EXPECT_EQ(known.get(1, "m"), nullptr);
  write(1, "n", "uno");
  EXPECT_EQ(known.get(1, "n")->title, "uno");
}

}  // namespace
