// Cached records are never older than the last acknowledged write.
#include <atomic>
#include <thread>

#include "tests/store/fixture.h"

namespace versioned_cache_test {

using namespace store_test;

class CacheTest : public StoreTest {
 protected:
  std::shared_ptr<const Person> cached(std::int64_t id) { return system().cached(people, id); }
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

TEST_F(CacheTest, ARecordIsDecodedOnceUntilItIsWritten) {
  put(1, "ada@example.org");
  const auto first = cached(1);
  EXPECT_EQ(first->email, "ada@example.org");
  EXPECT_EQ(cached(1), first);
  put(1, "ada@example.com");
  EXPECT_EQ(cached(1)->email, "ada@example.com");
  EXPECT_EQ(first->email, "ada@example.org") << "old values stay valid for those that hold them";
}

TEST_F(CacheTest, MissingAndErasedRecordsAreNull) {
  EXPECT_EQ(cached(1), nullptr);
  put(1, "ada@example.org");
  EXPECT_NE(cached(1), nullptr);
  erase(1);
  EXPECT_EQ(cached(1), nullptr);
}

TEST_F(CacheTest, RecordsBeyondItsCapacityAreReadAgain) {
  constexpr std::int64_t many = 20'000;
  auto change = system().change();
  for (std::int64_t id = 1; id <= many; ++id)
    change.insert(people, {.id = id, .email = std::to_string(id), .roles = {}});
  ASSERT_TRUE(run(change.commit()).ok());
  for (int round = 0; round < 2; ++round)
    for (std::int64_t id = 1; id <= many; ++id) ASSERT_EQ(cached(id)->email, std::to_string(id));
}

TEST_F(CacheTest, NoReaderGetsAValueFromBeforeAnAcknowledgedWrite) {
  put(1, "0");
  constexpr std::int64_t writes = 300;
  std::atomic<std::int64_t> acknowledged = 0;
  std::atomic<int> stale = 0;
  const auto read = [&] {
    while (acknowledged < writes) {
      const auto promised = acknowledged.load();
      if (std::stoll(cached(1)->email) < promised) ++stale;
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

TEST_F(CacheTest, AUsersRecordsAreReadAgainWhenOneOfThemIsWritten) {
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
  const auto first = tenant(1).cached(notes, "n");
  EXPECT_EQ(first->title, "one");
  EXPECT_EQ(tenant(1).cached(notes, "n"), first);
  EXPECT_EQ(tenant(2).cached(notes, "n")->title, "two") << "the same id of another owner is another record";
  EXPECT_EQ(tenant(1).cached(notes, "m"), nullptr);
  write(1, "n", "uno");
  EXPECT_EQ(tenant(1).cached(notes, "n")->title, "uno");
}

// The rows of people under another record type.
struct Address {
  std::int64_t id = 0;
  std::string email;
};
BOOST_DESCRIBE_STRUCT(Address, (), (id, email))
inline const store::Global<Address, std::int64_t> addresses{people.name, &Address::id, {}};

TEST_F(CacheTest, ATableIsNotCachedAsAnotherType) {
  put(1, "ada@example.org");
  EXPECT_EQ(system().get(addresses, 1)->value.email, "ada@example.org");
  EXPECT_THROW(system().cached(addresses, 1), std::logic_error);
}

}  // namespace versioned_cache_test
