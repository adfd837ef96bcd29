#include "appliance/models/queue/fair_queue.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace fair_queue_test {

using namespace std::chrono_literals;
using models::FairQueue, models::WaitClass;

const FairQueue::Clock::time_point begin{};

TEST(FairQueue, HasNoQueueWithoutALimit) {
  FairQueue queue;
  for (int i = 0; i < 100; ++i) {
    const auto id = queue.join(WaitClass::schedule, "ada", begin);
    EXPECT_EQ(queue.start_next(begin), id);
  }
  EXPECT_EQ(queue.running(), 100U);
}

TEST(FairQueue, ServesPeopleBeforeChannelsSwarmsAndSchedules) {
  FairQueue queue;
  queue.set_slots(1);
  const auto running = queue.join(WaitClass::schedule, "ada", begin);
  ASSERT_EQ(queue.start_next(begin), running);
  const auto schedule = queue.join(WaitClass::schedule, "ada", begin),
             swarm = queue.join(WaitClass::swarm, "ada", begin), channel = queue.join(WaitClass::channel, "ada", begin),
             person = queue.join(WaitClass::person, "ada", begin);
  EXPECT_EQ(queue.start_next(begin), std::nullopt) << "its slot is in use";
  EXPECT_EQ(queue.place_of(person, begin)->number, 1U);
  EXPECT_EQ(queue.place_of(schedule, begin)->number, 4U);
  auto last = running;
  for (const auto next : {person, channel, swarm, schedule}) {
    queue.leave(last, begin);
    EXPECT_EQ(queue.start_next(begin), next);
    last = next;
  }
}

TEST(FairQueue, AlternatesBetweenUsersOfAClass) {
  FairQueue queue;
  queue.set_slots(1);
  std::vector<std::string> order;
  std::map<FairQueue::Id, std::string> names;
  for (int i = 0; i < 4; ++i) names[queue.join(WaitClass::person, "ada", begin)] = "ada";
  for (int i = 0; i < 2; ++i) names[queue.join(WaitClass::person, "bob", begin)] = "bob";
  while (const auto id = queue.start_next(begin)) {
    order.push_back(names[*id]);
    queue.leave(*id, begin);
  }
  EXPECT_EQ(order, (std::vector<std::string>{"ada", "bob", "ada", "bob", "ada", "ada"}));
}

TEST(FairQueue, GivesUsersTurnsByTheirWeights) {
  FairQueue queue;
  queue.set_slots(1);
  std::map<FairQueue::Id, std::string> names;
  for (int i = 0; i < 40; ++i) {
    names[queue.join(WaitClass::person, "ada", begin, 3)] = "ada";
    names[queue.join(WaitClass::person, "bob", begin, 1)] = "bob";
  }
  std::map<std::string, int> served;
  for (int i = 0; i < 40; ++i) {
    const auto id = queue.start_next(begin);
    ASSERT_TRUE(id);
    ++served[names[*id]];
    queue.leave(*id, begin);
    EXPECT_LE(served["ada"], 3 * (served["bob"] + 1)) << "the turns are spread";
  }
  EXPECT_NEAR(served["ada"], 30, 1);
}

TEST(FairQueue, GivesUpThePlaceOfARequestThatLeaves) {
  FairQueue queue;
  queue.set_slots(1);
  const auto running = queue.join(WaitClass::person, "ada", begin);
  ASSERT_EQ(queue.start_next(begin), running);
  const auto first = queue.join(WaitClass::person, "ada", begin), second = queue.join(WaitClass::person, "ada", begin);
  queue.leave(first, begin);
  EXPECT_EQ(queue.place_of(first, begin), std::nullopt);
  EXPECT_EQ(queue.place_of(second, begin)->number, 1U);
}

TEST(FairQueue, ExpectsWhatEarlierRequestsTook) {
  FairQueue queue;
  queue.set_slots(2);
  auto now = begin;
  for (int i = 0; i < 50; ++i) {
    const auto id = queue.join(WaitClass::person, "ada", now);
    ASSERT_EQ(queue.start_next(now), id);
    now += 30s;
    queue.leave(id, now);
  }
  for (int i = 0; i < 2; ++i) {
    queue.join(WaitClass::person, "ada", now);
    ASSERT_TRUE(queue.start_next(now));
  }
  const auto next = queue.join(WaitClass::person, "ada", now);
  queue.join(WaitClass::person, "ada", now);
  const auto third = queue.join(WaitClass::person, "ada", now);
  EXPECT_NEAR(static_cast<double>(queue.place_of(next, now)->expected.count()), 30, 1);
  EXPECT_NEAR(static_cast<double>(queue.place_of(third, now)->expected.count()), 60, 2);
}

// A day of a server that people alone keep busy: they come faster than it answers, while swarms and schedules wait. The
// bound of FairQueue holds for each request, and each user of a class gets a share by weight.
TEST(FairQueue, StarvesNothingWhileItIsOverloaded) {
  constexpr auto service = 5s;
  constexpr std::size_t slots = 2, people = 20;
  const std::string heavy = "person 0";  // asks from two programs at a time
  FairQueue queue;
  queue.set_slots(slots);
  std::mt19937 random(1);
  struct Request {
    FairQueue::Clock::time_point joined;
    WaitClass wait_class;
    std::size_t before;  // those that waited or ran when it joined
    std::string user;
  };
  std::map<FairQueue::Id, Request> requests;
  std::deque<std::pair<FairQueue::Clock::time_point, FairQueue::Id>> ends;
  std::map<std::string, int> served;
  std::map<std::string, int> outstanding;
  int low_served = 0;
  for (auto now = begin; now < begin + 24h; now += 1s) {
    const auto join = [&](WaitClass wait_class, const std::string& user) {
      const auto before = queue.waiting() + queue.running();
      const auto weight = user == heavy ? 2U : 1U;
      requests[queue.join(wait_class, user, now, weight)] = {now, wait_class, before, user};
    };
    // Every person asks again as soon as there is an answer.
    for (std::size_t person = 0; person < people; ++person) {
      const auto name = "person " + std::to_string(person);
      for (const int most = name == heavy ? 2 : 1; outstanding[name] < most; ++outstanding[name])
        join(WaitClass::person, name);
    }
    if (random() % 120 == 0) join(WaitClass::schedule, "schedule " + std::to_string(random() % 3));
    if (random() % 120 == 0) join(WaitClass::swarm, "swarm " + std::to_string(random() % 3));
    while (!ends.empty() && ends.front().first <= now) {
      queue.leave(ends.front().second, now);
      --outstanding[requests[ends.front().second].user];
      ends.pop_front();
    }
    while (const auto id = queue.start_next(now)) {
      const auto& request = requests[*id];
      const auto rounds = static_cast<int>(request.before / slots + 2);
      ASSERT_LE(now - request.joined, 3 * FairQueue::aging + rounds * service) << static_cast<int>(request.wait_class);
      if (request.wait_class == WaitClass::person) {
        ++served[request.user];
      } else {
        ++low_served;
      }
      ends.emplace_back(now + service, *id);
    }
  }
  EXPECT_GT(low_served, 1'000) << "the low classes are served, too";
  int least = served.rbegin()->second, most = least;
  for (const auto& [user, count] : served) {
    if (user == heavy) continue;
    least = std::min(least, count);
    most = std::max(most, count);
  }
  EXPECT_EQ(served.size(), people);
  EXPECT_LE(most - least, most / 20) << "each gets the same share";
  EXPECT_NEAR(served[heavy], 2 * least, least / 10) << "and a user of weight 2 twice as much";
}

TEST(FairQueue, NamesThePlaceInAComment) {
  const models::FairQueue::Place place{.number = 2, .expected = 20s};
  EXPECT_EQ(models::to_comment(place), "queued 2, about 20 s");
  const auto read = models::parse_place("queued 2, about 20 s");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->number, 2u);
  EXPECT_EQ(read->expected, 20s);
  for (const auto* other : {"", "waiting", "queued", "queued -1, about 2 s", "queued 1", "queued 1, about x s",
                            "queued 1, about 2 s more", "queued 99999999999999999999, about 1 s"})
    EXPECT_FALSE(models::parse_place(other)) << other;
}

}  // namespace fair_queue_test
