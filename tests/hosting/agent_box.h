// The part of a box that hosts agents, over a real store and the stand-in agent, for tests of crashes and restarts.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "appliance/access/events.h"
#include "appliance/access/keys.h"
#include "appliance/access/records.h"
#include "appliance/billing/subscriptions/storage_upgrades.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/agents/agents.h"
#include "appliance/hosting/channels/records.h"
#include "appliance/hosting/chat/chat.h"
#include "appliance/hosting/gate/records.h"
#include "appliance/hosting/storage_watch/usage_history.h"
#include "tests/hosting/agent_fixture.h"
#include "tests/hosting/flaky_engine.h"
#include "tests/support/paths.h"

namespace agent_tests {

// A run of the box. Destroying it is a crash: nothing is flushed or awaited. Call stop() first for an orderly shutdown.
class AgentBox {
 public:
  AgentBox(const std::filesystem::path& data, const agentbox::Settings& run_settings,
           const agents::BoxAddresses& addresses, std::chrono::milliseconds ready_deadline, bool engine_is_away = false)
      : settings(run_settings), store(store::Store::open(options(data))) {
    runtime::ProcessOptions process;
    process.binary = paths::program("stand_in_agent");
    process.folder = data / "agents";
    engine = std::make_unique<FlakyEngine>(std::make_unique<runtime::ProcessEngine>(process, pool.at(0), files));
    engine->is_away = engine_is_away;
    agents::AgentDependencies dependencies;
    dependencies.rotated = [this](const audit::Actor&, const agents::Agent& agent) -> web::Task<> {
      rotated.push_back(agent.id);
      co_return;
    };
    agents = std::make_unique<agents::Agents>(store->system(), *engine, subscriptions, settings, pool, files, events,
                                              std::move(dependencies), ready_deadline);
    chat = std::make_unique<chat::Chat>(store->system(), agents->directory, chat::ExchangeHooks{}, false,
                                        std::chrono::seconds(10));
    events.agent_removed.subscribe(
        [this](store::UserId user, std::string agent) { return chat->forget(user, std::move(agent)); });
    agents->set_addresses(addresses);
    pool.start();
    run(agents->start());
  }
  ~AgentBox() {
    pool.stop();
    files.join();
  }

  template <class T>
  T run(web::Task<T> task) {
    return boost::asio::co_spawn(pool.at(1), std::move(task), boost::asio::use_future).get();
  }
  store::System system() { return store->system(); }

  agentbox::Settings settings;
  web::IoPool pool{2};
  boost::asio::thread_pool files{2};
  std::unique_ptr<store::Store> store;
  billing::Subscriptions subscriptions{store->system()};
  std::unique_ptr<FlakyEngine> engine;
  agentbox::Events events;
  std::vector<std::string> rotated;  // ids of agents whose token was replaced by request
  std::unique_ptr<agents::Agents> agents;
  std::unique_ptr<chat::Chat> chat;

 private:
  static store::Options options(const std::filesystem::path& data) {
    store::Options wanted;
    wanted.folder = data / "store";
    wanted.master_key = std::string(32, 'k');
    wanted.tables = {store::describe(accounts::users),       store::describe(accounts::sessions),
                     store::describe(keys::api_keys),        store::describe(billing::subscriptions),
                     store::describe(billing::plan_periods), store::describe(billing::storage_upgrades),
                     store::describe(agents::records),       store::describe(agents::jobs),
                     store::describe(chat::messages),        store::describe(chat::conversations),
                     store::describe(watchdog::watches),     store::describe(usage_history::table),
                     store::describe(channels::table),       store::describe(gate::plan_rules)};
    return wanted;
  }
};

// A box with two users: `owner` with the plan `network`, `stranger` without a plan.
class AgentBoxTest : public testing::Test {
 protected:
  AgentBoxTest() {
    settings.data = data.path();
    settings.agent_port_first = free_port();
    settings.agent_port_last = std::uint16_t(std::min(settings.agent_port_first + 200, 65'535));
    open();
    for (auto* user : {&owner, &stranger}) {
      user->user_id = box->system().next_id_blocking("users");
      accounts::User account;
      account.id = user->user_id;
      account.email = std::to_string(user->user_id) + "@example.org";
      account.referral_code = std::to_string(user->user_id);
      auto change = box->system().change();
      change.insert(accounts::users, account);
      EXPECT_TRUE(change.commit_blocking().ok());
      begin_session(*user);
    }
    EXPECT_TRUE(box->run(box->subscriptions.deploy(owner.user_id, billing::Plan::network)));
  }
  ~AgentBoxTest() override {
    if (!box) open();
    std::vector<agents::Agent> left;
    box->system().each(agents::records, [&](const agents::Agent& agent) {
      left.push_back(agent);
      return true;
    });
    for (auto& agent : left) {
      if (agent.name.starts_with("stubborn")) static_cast<void>(box->run(box->engine->stop(agent.id, {})));
      static_cast<void>(box->run(box->agents->lifecycle.remove(agent.owner, agent.id)));
    }
    box->run(box->agents->stop());
  }

  void open() {
    box = std::make_unique<AgentBox>(data.path(), settings, addresses, ready_deadline, is_engine_away_at_start);
  }
  void crash_and_come_back() {
    box.reset();
    open();
  }

  void begin_session(web::Caller& caller) {
    const accounts::Session session{.id = crypto::random_hex(32),
                                    .user_id = caller.user_id,
                                    .created_at = store::now(),
                                    .expires_at = store::now() + std::chrono::hours(1)};
    caller.credential = session.id;
    auto change = box->system().change();
    change.insert(accounts::sessions, session);
    EXPECT_TRUE(change.commit_blocking().ok());
  }

  web::Result<agents::Agent> try_provision(const web::Caller& caller, std::string name,
                                           std::string tier = "enterprise") {
    agents::NewAgent spec;
    spec.name = std::move(name);
    spec.tier = std::move(tier);
    return box->run(box->agents->provisioning.provision(caller, std::move(spec)));
  }
  agents::Agent provision(std::string name) {
    auto made = try_provision(owner, std::move(name));
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    return made ? *made : agents::Agent{};
  }
  agents::Agent now(const agents::Agent& agent) {
    return box->agents->directory.find(agent.owner, agent.id).value_or(agents::Agent{});
  }
  // Waits until the agent has this status.
  agents::Agent when(const agents::Agent& agent, agents::Status status) {
    EXPECT_TRUE(eventually([&] { return now(agent).status == status; })) << now(agent).status_reason;
    return now(agent);
  }
  agents::Agent running(std::string name) { return when(provision(std::move(name)), agents::Status::running); }
  runtime::Instance instance(const agents::Agent& agent) { return box->run(box->engine->inspect(agent.id)).value(); }
  std::size_t jobs_left() {
    std::size_t count = 0;
    box->system().each(agents::jobs, [&](const agents::Job&) { return ++count; });
    return count;
  }

  TemporaryFolder data;
  agentbox::Settings settings;
  agents::BoxAddresses addresses{.web = "http://127.0.0.1:3000", .backend = "http://127.0.0.1:3001", .summarizer = ""};
  std::chrono::milliseconds ready_deadline{15'000};
  bool is_engine_away_at_start = false;
  web::Caller owner, stranger;
  std::unique_ptr<AgentBox> box;
};

}  // namespace agent_tests
