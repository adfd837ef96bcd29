// An agent in a pack (packing/), besides the header:
//
//   agent.json            CarriedAgent
//   schedules.json        CarriedSchedule, an array
//   messages-00001.jsonl  CarriedMessage, a line each, oldest first, at most a thousand in a file
//   workspace/            its files, with its memory
#pragma once

#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/agents/records.h"
#include "appliance/hosting/chat/records.h"
#include "appliance/hosting/schedule/tasks.h"

namespace agent_transfer {

inline constexpr std::string_view agent_name = "agent.json", schedules_name = "schedules.json";
inline constexpr std::string_view messages_prefix = "messages-", workspace_name = "workspace";
inline constexpr std::size_t messages_per_file = 1'000;

struct CarriedAgent {
  std::string id, name, model, plan, tier;
  boost::json::object config;        // with a mask for each secret
  std::vector<std::string> secrets;  // where they are: JSON pointers
};
BOOST_DESCRIBE_STRUCT(CarriedAgent, (), (id, name, model, plan, tier, config, secrets))

struct CarriedSchedule {
  std::string name, cronSchedule, timezone, prompt;
  std::optional<std::string> description;
  bool enabled = true;
  schedule::CatchUp catchUp = schedule::CatchUp::once;
  schedule::Overlap overlap = schedule::Overlap::skip;
};
BOOST_DESCRIBE_STRUCT(CarriedSchedule, (),
                      (name, cronSchedule, timezone, prompt, description, enabled, catchUp, overlap))

struct CarriedMessage {
  chat::Role role = chat::Role::user;
  std::string content, model;
  chat::Delivery delivery = chat::Delivery::sent;
  std::string failure;
  bool isStopped = false;
  store::Time createdAt{};
};
BOOST_DESCRIBE_STRUCT(CarriedMessage, (), (role, content, model, delivery, failure, isStopped, createdAt))

CarriedAgent carried(const agents::Agent&);
CarriedSchedule carried(const schedule::Task&);
CarriedMessage carried(const chat::Message&);

// Of what a pack holds, which anybody may have written. Throw agentbox::UsageError.
CarriedAgent read_agent(std::string_view text);
std::vector<CarriedSchedule> read_schedules(std::string_view text);
std::vector<CarriedMessage> read_messages(std::string_view lines);

}  // namespace agent_transfer
