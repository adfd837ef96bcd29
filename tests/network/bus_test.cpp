// The bus on a real store, with recipients that do as the test says: order, patience, dead letters, and what a crash
// leaves.
#include "appliance/network/bus/bus.h"

#include <gmock/gmock.h>

#include <map>
#include <mutex>

#include "appliance/access/records.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/hosting/agents/records.h"
#include "appliance/network/bus/mailbox.h"
#include "tests/hosting/agent_fixture.h"

namespace bus_test {

using namespace std::chrono_literals;
using agent_tests::eventually;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr store::UserId owner = 0;  // the box's own agents need no account

class BusTest : public testing::Test {
 protected:
  BusTest() {
    options.first_pause = 2ms;
    options.longest_pause = 10ms;
    come_back();
    add_agent("ag_sender", {});
    add_agent("ag_other", {});
    add_agent("ag_hook", boost::json::object{{"webhookUrl", "http://hook.example/"}});
  }
  ~BusTest() override { crash(); }

  // One life of the box. Its end without stop() is a crash.
  struct Life {
    explicit Life(BusTest& test)
        : store(store::Store::open(test.store_options())),
          system(store->system()),
          deliveries(
              system, loop.io,
              [&test](const bus::Participant&, const bus::Message& message) {
                return test.receive(message.message_id);
              },
              [](const bus::Participant&, const bus::Message&) -> web::Task<std::optional<bus::DeliveryProblem>> {
                co_return std::nullopt;
              },
              test.options) {}
    ~Life() { loop.stop(); }
    agent_tests::Loop loop;
    std::unique_ptr<store::Store> store;
    store::System system;
    bus::DeliveryWorker deliveries;
    billing::Subscriptions subscriptions{system};
    bus::DailyLimit limit{subscriptions};
    bus::Bus bus{system, limit, deliveries};
    bus::Mailbox mailbox{system, deliveries};
  };

  void crash() {
    if (life) life->loop.stop();
    life.reset();
  }
  void come_back() {
    life = std::make_unique<Life>(*this);
    boost::asio::post(life->loop.io, [this] { life->deliveries.start(); });
  }

  web::Result<boost::json::object> try_send(std::string id, std::string from = "ag_sender",
                                            std::string to = "ag_hook") {
    bus::Outgoing message{
        .message_id = std::move(id), .from = std::move(from), .to = std::move(to), .action = "NOTE", .payload = {}};
    return life->loop.run(life->bus.send(std::move(message)));
  }
  void send(const std::string& id, const std::string& from = "ag_sender") {
    const auto accepted = try_send(id, from);
    ASSERT_TRUE(accepted) << accepted.error().message;
  }
  // The next attempts with this message fail; -1: permanently.
  void fail(const std::string& id, int times) {
    const std::scoped_lock lock(mutex_);
    failures_[id] = times;
  }
  std::vector<std::string> received() const {
    const std::scoped_lock lock(mutex_);
    return received_;
  }
  int attempts() const {
    const std::scoped_lock lock(mutex_);
    return attempts_;
  }
  bool receives(std::size_t count) {
    return eventually([&] { return received().size() == count; });
  }
  std::vector<bus::DeadLetter> dead_letters() { return life->mailbox.dead_letters(owner, {}, 100); }

  bus::DeliveryWorkerOptions options;
  std::unique_ptr<Life> life;

 private:
  store::Options store_options() const {
    store::Options wanted;
    wanted.folder = data_.path() / "store";
    wanted.master_key = std::string(32, 'k');
    wanted.tables = {store::describe(accounts::users),
                     store::describe(billing::subscriptions),
                     store::describe(billing::plan_periods),
                     store::describe(agents::records),
                     store::describe(bus::messages),
                     store::describe(bus::deliveries),
                     store::describe(bus::sent),
                     store::describe(bus::dead_letters)};
    return wanted;
  }
  void add_agent(std::string id, boost::json::object config) {
    agents::Agent agent;
    agent.owner = owner;
    agent.id = std::move(id);
    agent.subdomain = agent.id;
    agent.plan = "label";
    agent.config = std::move(config);
    auto change = life->system.change();
    change.insert(agents::records, agent);
    EXPECT_TRUE(change.commit_blocking().ok());
  }
  web::Task<std::optional<bus::DeliveryProblem>> receive(std::string id) {
    const std::scoped_lock lock(mutex_);
    ++attempts_;
    auto& left = failures_[id];
    if (left < 0) co_return bus::DeliveryProblem{.reason = "It is gone.", .is_final = true};
    if (left > 0) {
      --left;
      co_return bus::DeliveryProblem{.reason = "It is busy."};
    }
    received_.push_back(std::move(id));
    co_return std::nullopt;
  }

  const test_support::TemporaryFolder data_;
  mutable std::mutex mutex_;  // protects the rest
  std::map<std::string, int> failures_;
  std::vector<std::string> received_;
  int attempts_ = 0;
};

TEST_F(BusTest, DeliversInOrderAlsoAfterFailures) {
  fail("b", 3);
  for (const auto* id : {"a", "b", "c"}) send(id);
  ASSERT_TRUE(receives(3));
  EXPECT_THAT(received(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(attempts(), 6);
  EXPECT_THAT(dead_letters(), IsEmpty());
}

TEST_F(BusTest, DoesNotLetOneSenderHoldUpAnother) {
  fail("slow", 1'000'000);
  send("slow");
  send("behind");
  send("quick", "ag_other");
  ASSERT_TRUE(receives(1));
  EXPECT_THAT(received(), ElementsAre("quick"));
}

TEST_F(BusTest, GivesUpAfterItsPatienceAndGoesOn) {
  crash();
  options.patience = 30ms;
  come_back();
  fail("lost", 1'000'000);
  send("lost");
  send("next");
  ASSERT_TRUE(receives(1));
  EXPECT_THAT(received(), ElementsAre("next"));
  const auto letters = dead_letters();
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(letters[0].problem, "It is busy.");
  EXPECT_GT(letters[0].attempts, 1);
  // It can be delivered again, once.
  fail("lost", 0);
  EXPECT_TRUE(life->loop.run(life->mailbox.replay(owner, letters[0].id)));
  ASSERT_TRUE(receives(2));
  EXPECT_THAT(dead_letters(), IsEmpty());
  EXPECT_FALSE(life->loop.run(life->mailbox.replay(owner, letters[0].id)));
}

TEST_F(BusTest, MakesADeadLetterOfWhatIsRefusedForGood) {
  fail("unwanted", -1);
  send("unwanted");
  ASSERT_TRUE(eventually([&] { return dead_letters().size() == 1; }));
  EXPECT_EQ(attempts(), 1);
  EXPECT_TRUE(life->loop.run(life->mailbox.drop(owner, dead_letters()[0].id)));
  EXPECT_THAT(dead_letters(), IsEmpty());
}

TEST_F(BusTest, ContinuesAfterACrash) {
  fail("a", 1'000'000);
  for (const auto* id : {"a", "b", "c"}) send(id);
  ASSERT_TRUE(eventually([&] { return attempts() > 2; }));
  crash();
  fail("a", 0);
  come_back();
  ASSERT_TRUE(receives(3));
  EXPECT_THAT(received(), ElementsAre("a", "b", "c"));
  send("d");
  ASSERT_TRUE(receives(4));
}

TEST_F(BusTest, CountsAMessageOnce) {
  for (int n = 0; n < 3; ++n) send("a");
  send("a", "ag_other");  // ids are the senders' own
  ASSERT_TRUE(receives(2));
  EXPECT_EQ(life->mailbox.list(owner, "ag_hook", {}).value().size(), 2u);
  bus::Outgoing other{.message_id = "a", .from = "ag_sender", .to = "ag_hook", .action = "OTHER", .payload = {}};
  const auto refused = life->loop.run(life->bus.send(std::move(other)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, web::Kind::conflict);
}

TEST_F(BusTest, CountsUpToThePlansLimit) {
  for (int n = 0; n < 100; ++n) send("m" + std::to_string(n));
  const auto refused = try_send("m100");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, web::Kind::too_many);
  EXPECT_TRUE(refused.error().extra.contains("resetsAt"));
  EXPECT_TRUE(try_send("m0")) << "a repetition gets its answer";
}

TEST_F(BusTest, ForgetsARemovedAgentsMessages) {
  fail("a", 1'000'000);
  send("a");
  send("b");
  life->loop.run(life->mailbox.forget(owner, "ag_hook"));
  EXPECT_THAT(life->mailbox.list(owner, "ag_hook", {}).value(), IsEmpty());
  send("c");
  ASSERT_TRUE(receives(1));
  EXPECT_THAT(received(), ElementsAre("c"));
}

TEST_F(BusTest, KeepsUnreadMessagesUntilTheyAreRead) {
  for (const auto* id : {"a", "b", "c"}) send(id);
  const auto unread = life->mailbox.unread(owner, "ag_hook", 2);
  ASSERT_EQ(unread.size(), 2u);
  EXPECT_EQ(unread[0].message_id, "a");
  EXPECT_EQ(life->loop.run(life->mailbox.mark_read(owner, "ag_hook", {unread[0].number, unread[0].number, 7})), 1);
  EXPECT_EQ(life->mailbox.unread(owner, "ag_hook", 10).size(), 2u);
}

}  // namespace bus_test
