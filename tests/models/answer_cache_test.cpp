#include "appliance/models/answer_cache.h"

#include <gtest/gtest.h>

#include "tests/support/scripted_server.h"
#include "tests/support/temporary_folder.h"

namespace answer_cache_test {

using namespace test_support;
using namespace std::chrono_literals;
using models::AnswerCache;

class AnswerCacheTest : public testing::Test {
 protected:
  static models::ChatAnswer answer(std::string text) {
    return {.model = "m", .message = {.role = models::Role::assistant, .content = std::move(text)}};
  }
  void switch_on(store::UserId user, std::chrono::minutes lifetime) {
    await([](AnswerCache& in, store::UserId whose, std::chrono::minutes time) -> web::Task<int> {
      co_await in.set_lifetime(whose, time);
      co_return 0;
    }(cache, user, lifetime));
  }
  TemporaryFolder folder;
  std::unique_ptr<store::Store> store = store::Store::open({.folder = folder.path() / "store",
                                                            .master_key = std::string(32, 'k'),
                                                            .tables = {store::describe(models::cache_wishes)}});
  AnswerCache cache{store->system(), 8'000};  // two of the answers below
  AnswerCache::Clock::time_point now = AnswerCache::Clock::now();
};

TEST_F(AnswerCacheTest, IsOffByDefault) {
  EXPECT_EQ(cache.lifetime(1), 0min);
  switch_on(1, 5min);
  switch_on(1, 7min);
  EXPECT_EQ(cache.lifetime(1), 7min);
  EXPECT_EQ(cache.lifetime(2), 0min);
}

TEST_F(AnswerCacheTest, KeyCoversTheUserAndEveryByteOfTheRequest) {
  models::ChatRequest request{.messages = {{.role = models::Role::user, .content = "Hello?"}}};
  const auto name = AnswerCache::key_of(1, request, {.model = "m"});
  EXPECT_EQ(AnswerCache::key_of(1, request, {.model = "m"}), name);
  EXPECT_NE(AnswerCache::key_of(2, request, {.model = "m"}), name);
  EXPECT_NE(AnswerCache::key_of(1, request, {.model = "n"}), name);
  EXPECT_NE(AnswerCache::key_of(1, request, {.model = "m", .task = "fast"}), name);
  EXPECT_NE(AnswerCache::key_of(1, request, {.model = "m", .provider = "google"}), name);
  request.temperature = 0.5;
  EXPECT_NE(AnswerCache::key_of(1, request, {.model = "m"}), name);
}

TEST_F(AnswerCacheTest, EvictsExpiredAndLeastRecentlyUsedAnswers) {
  cache.add("a", answer("one"), now);
  EXPECT_EQ(cache.find("a", 5min, now + 4min)->message.content, "one");
  EXPECT_FALSE(cache.find("a", 5min, now + 5min));
  EXPECT_FALSE(cache.find("a", 60min, now)) << "it is gone";

  cache.add("a", answer(std::string(3'500, 'x')), now);
  cache.add("b", answer(std::string(3'500, 'x')), now);
  ASSERT_TRUE(cache.find("a", 5min, now));
  cache.add("c", answer(std::string(3'500, 'x')), now);
  EXPECT_TRUE(cache.find("a", 5min, now));
  EXPECT_FALSE(cache.find("b", 5min, now));
  cache.add("d", answer(std::string(20'000, 'x')), now);
  EXPECT_FALSE(cache.find("d", 5min, now)) << "larger than all there is room for";
}

}  // namespace answer_cache_test
