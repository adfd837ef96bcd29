// An agent in a pack (packing/), besides the header:
//
//   agent.json            ExportedAgent
//   schedules.json        ExportedSchedule, an array
//   conversations.json    ExportedConversation, an array; the owner's first one is not among them
//   messages-00001.jsonl  ExportedMessage, a line each, oldest first, at most a thousand in a file
//   workspace/            its files, with its memory
#pragma once

#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/agents/records.h"
#include "appliance/hosting/chat/conversations.h"
#include "appliance/hosting/schedule/tasks.h"

namespace agent_transfer {

inline constexpr std::string_view agent_name = "agent.json", schedules_name = "schedules.json",
                                  conversations_name = "conversations.json";
inline constexpr std::string_view messages_prefix = "messages-";
inline constexpr std::size_t messages_per_file = 1'000;

struct ExportedAgent {
  std::string id, name, model, plan, tier;
  boost::json::object config;        // with a mask for each secret
  std::vector<std::string> secrets;  // where they are: JSON pointers
};
BOOST_DESCRIBE_STRUCT(ExportedAgent, (), (id, name, model, plan, tier, config, secrets))

struct ExportedSchedule {
  std::string name, cronSchedule, timezone, prompt;
  std::optional<std::string> description;
  bool enabled = true;
  schedule::CatchUp catchUp = schedule::CatchUp::once;
  schedule::Overlap overlap = schedule::Overlap::skip;
};
BOOST_DESCRIBE_STRUCT(ExportedSchedule, (),
                      (name, cronSchedule, timezone, prompt, description, enabled, catchUp, overlap))

struct ExportedConversation {
  std::string id;
  chat::Channel channel = chat::Channel::console;
  chat::Audience audience = chat::Audience::owner;
  std::string peer, title;
  bool isArchived = false, isPinned = false;
  store::Time createdAt{}, lastAt{};
};
BOOST_DESCRIBE_STRUCT(ExportedConversation, (),
                      (id, channel, audience, peer, title, isArchived, isPinned, createdAt, lastAt))

struct ExportedMessage {
  chat::Role role = chat::Role::user;
  std::string content, model;
  chat::Delivery delivery = chat::Delivery::sent;
  std::string failure;
  bool isStopped = false;
  store::Time createdAt{};
  std::string conversation;  // empty: the owner's first one
};
BOOST_DESCRIBE_STRUCT(ExportedMessage, (),
                      (role, content, model, delivery, failure, isStopped, createdAt, conversation))

ExportedAgent carried(const agents::Agent&);
ExportedSchedule carried(const schedule::Task&);
ExportedMessage carried(const chat::Message&);
ExportedConversation carried(const chat::Conversation&);

// Of what a pack holds, which anybody may have written. Throw agentbox::UsageError.
ExportedAgent read_agent(std::string_view text);
std::vector<ExportedSchedule> read_schedules(std::string_view text);
std::vector<ExportedConversation> read_conversations(std::string_view text);
std::vector<ExportedMessage> read_messages(std::string_view lines);

}  // namespace agent_transfer
