#pragma once

#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/models/demo/demo.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace models::demo {

// What the rows depend on; all of it must outlive them.
struct Services {
  Demo& demo;
};

inline constexpr std::size_t max_message_characters = 100'000;
inline constexpr std::size_t max_conversation_entries = 1000;

// What of a conversation is sent to the model.
struct ConversationLimits {
  std::int64_t entries = 50;               // the newest
  std::int64_t charactersPerEntry = 4000;  // of each its first
  std::int64_t characters = 16'000;        // of all of them
  std::int64_t answerTokens = answer_tokens;
};
BOOST_DESCRIBE_STRUCT(ConversationLimits, (), (entries, charactersPerEntry, characters, answerTokens))
inline constexpr ConversationLimits conversation_limits;

struct DemoInfo {
  std::vector<DemoModel> models;
  std::string mode = "demo", message;
  ConversationLimits limits;
};
BOOST_DESCRIBE_STRUCT(DemoInfo, (), (models, mode, message, limits))

// How much of a request's conversation the model was sent.
struct UsedConversation {
  std::int64_t given = 0;  // entries of the role user
  std::int64_t used = 0;   // of these
  std::int64_t cut = 0;    // of those used and the message: longer than charactersPerEntry
};

// Documents the body in OpenAPI; the handler reads its fields itself.
struct DemoBody {
  web::Text<1, max_message_characters> message;
  std::optional<web::Text<1, 200>> model;
  std::optional<web::Text<0, 100>> mode;
  std::optional<web::List<boost::json::object, 0, max_conversation_entries>> conversation;
};
BOOST_DESCRIBE_STRUCT(DemoBody, (), (message, model, mode, conversation))

web::Answer show_demo(const Services&, const web::Request&);
web::Answer chat(const Services&, const web::Request&);

// /api/demo/chat.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace models::demo
