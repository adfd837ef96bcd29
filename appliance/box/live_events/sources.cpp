#include "appliance/box/live_events/sources.h"

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/billing/spending/cap_policy.h"
#include "appliance/billing/spending/caps.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/billing/usage/records.h"
#include "appliance/hosting/agents/records.h"
#include "appliance/hosting/chat/records.h"
#include "appliance/hosting/schedule/records.h"
#include "appliance/network/bus/records.h"
#include "appliance/payments/transfers/records.h"
#include "appliance/runtime/watchdog/records.h"
#include "web/routes/reply.h"

namespace live_events {

namespace {

using store::System;
using store::UserId;

template <class E>
std::string word(E value) {
  return boost::describe::enum_to_string(value, "");
}

boost::json::value time_of(const std::optional<store::Time>& time) {
  if (!time) return nullptr;
  return boost::json::value(web::iso8601(*time));
}

std::string text_of(const boost::json::object& state) { return boost::json::serialize(state); }

const store::Page everything{.limit = std::size_t(-1)};

// What an event about a record has.
template <class R>
using StateOf = std::function<boost::json::object(const R&)>;

// The source of one table.
template <class R>
Source of_table(std::string event, System system, const store::Owned<R>& table,
                std::type_identity_t<StateOf<R>> state) {
  return {.event = std::move(event),
          .version = [system, &table](UserId user) { return system.tenant(user).version(table); },
          .read =
              [system, &table, state = std::move(state)](UserId user) {
                States states;
                for (const auto& record : system.tenant(user).list(table, everything)) {
                  const auto object = state(record);
                  std::string id(object.at("id").as_string());
                  states.emplace(std::move(id), text_of(object));
                }
                return states;
              }};
}

Source agents_of(const System& system) {
  return of_table("agent", system, agents::summaries, [](const agents::AgentSummary& agent) {
    return boost::json::object{{"id", agent.id},
                               {"name", agent.name},
                               {"model", agent.model},
                               {"status", word(agent.status)},
                               {"updatedAt", web::iso8601(agent.updated_at)}};
  });
}

Source health_of(const System& system) {
  return of_table("health", system, watchdog::watches, [](const watchdog::Watch& watch) {
    return boost::json::object{
        {"id", watch.id}, {"state", word(watch.state)}, {"crashes", watch.crashes}, {"repairs", watch.repairs}};
  });
}

// A scheduled prompt with its newest run.
Source schedule_of(const System& system) {
  return {.event = "run",
          .version =
              [system](UserId user) {
                const auto tenant = system.tenant(user);
                return tenant.version(schedule::tasks) + tenant.version(schedule::runs);
              },
          .read =
              [system](UserId user) {
                States states;
                const auto tenant = system.tenant(user);
                for (const auto& task : tenant.list(schedule::tasks, everything)) {
                  const auto run =
                      task.runs > 0 ? tenant.get(schedule::runs, schedule::run_id(task.id, task.runs)) : std::nullopt;
                  const boost::json::object state{
                      {"id", task.id},
                      {"agentId", task.agent},
                      {"name", task.name},
                      {"run", task.runs},
                      {"outcome", run ? boost::json::value(word(run->value.outcome)) : nullptr},
                      {"nextRun", time_of(task.next_run)},
                      {"updatedAt", web::iso8601(task.updated_at)}};
                  states.emplace(task.id, text_of(state));
                }
                return states;
              }};
}

// The newest message of each conversation.
Source messages_of(const System& system) {
  return {.event = "message",
          .version = [system](UserId user) { return system.tenant(user).version(chat::messages); },
          .read =
              [system](UserId user) {
                States states;
                const auto tenant = system.tenant(user);
                for (const auto& agent : tenant.list(agents::summaries, everything)) {
                  const store::Page newest{.limit = 1, .after = agent.id + ".~", .newest_first = true};
                  const auto found = tenant.list(chat::messages, newest);
                  if (found.empty() || found.front().agent != agent.id) continue;
                  const auto& message = found.front();
                  states.emplace(agent.id, text_of({{"id", agent.id},
                                                    {"messageId", message.id},
                                                    {"role", word(message.role)},
                                                    {"delivery", word(message.delivery)}}));
                }
                return states;
              }};
}

// How much of a cap is used, in whole tenths, so that not every call is an event.
std::int64_t percent_of(const billing::Cap& cap, const billing::CapUse& use) {
  const auto tenths = [](std::int64_t used, std::int64_t most) {
    if (most <= 0 || used >= most) return std::int64_t(10);
    return std::int64_t(10.0 * double(used) / double(most));
  };
  std::int64_t most = 0;
  if (cap.tokens && use.tokens) most = std::max(most, tenths(*use.tokens, *cap.tokens));
  if (cap.cost && use.cost) most = std::max(most, tenths(use.cost->units(), *cap.cost));
  return 10 * most;
}

Source caps_of(const System& system, const billing::CapPolicy& policy) {
  return {.event = "cap",
          .version =
              [system](UserId user) {
                const auto tenant = system.tenant(user);
                return tenant.version(billing::caps) + system.tenant(0).version(billing::caps) +
                       tenant.version(usage::calls);
              },
          .read =
              [&policy](UserId user) {
                States states;
                for (const auto& cap : policy.caps_of_user(user)) {
                  const auto use = policy.use_of(cap, user);
                  const auto percent = percent_of(cap, use);
                  states.emplace(cap.id, text_of({{"id", cap.id},
                                                  {"scope", word(cap.scope)},
                                                  {"target", cap.target},
                                                  {"period", word(cap.period)},
                                                  {"usedPercent", percent},
                                                  {"reached", percent >= 100},
                                                  {"updatedAt", web::iso8601(cap.updated_at)}}));
                }
                return states;
              }};
}

Source payments_of(const System& system) {
  return of_table("payment", system, transfers::transfers_table, [](const transfers::Transfer& transfer) {
    return boost::json::object{{"id", transfer.id}, {"wallet", transfer.wallet}, {"state", word(transfer.status)}};
  });
}

Source dead_letters_of(const System& system) {
  return of_table("dead_letter", system, bus::dead_letters, [](const bus::DeadLetter& letter) {
    return boost::json::object{{"id", letter.id}};
  });
}

Source plan_of(const System& system) {
  return of_table("plan", system, billing::subscriptions, [](const billing::Subscription& subscription) {
    return boost::json::object{
        {"id", subscription.id}, {"plan", word(subscription.plan)}, {"status", subscription.status}};
  });
}

}  // namespace

std::vector<Source> sources_of(const System& system, const billing::CapPolicy& caps) {
  return {agents_of(system),     health_of(system),   schedule_of(system),     messages_of(system),
          caps_of(system, caps), payments_of(system), dead_letters_of(system), plan_of(system)};
}

}  // namespace live_events
