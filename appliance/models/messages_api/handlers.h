// Anthropic's API for agents and users' programs: POST /v1/messages and POST /v1/messages/count_tokens.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/models/openai_api/handlers.h"

namespace models::messages_api {

using openai_api::Services;

// Documents the body in OpenAPI, except for members of several forms (system, tool_choice, thinking, output_config);
// messages::parse_request reads it.
struct MessageBody {
  web::Text<1, 200> model;
  web::List<boost::json::object, 1, openai::max_messages> messages;
  web::Integer<1, 1'000'000> max_tokens;
  std::optional<web::List<boost::json::object, 0, openai::max_tools>> tools;
  std::optional<web::List<std::string, 0, 16>> stop_sequences;
  std::optional<double> temperature, top_p;
  std::optional<bool> stream;
};
BOOST_DESCRIBE_STRUCT(MessageBody, (), (model, messages, max_tokens, tools, stop_sequences, temperature, top_p, stream))

struct CountBody {
  web::Text<1, 200> model;
  web::List<boost::json::object, 1, openai::max_messages> messages;
  std::optional<web::List<boost::json::object, 0, openai::max_tools>> tools;
};
BOOST_DESCRIBE_STRUCT(CountBody, (), (model, messages, tools))

web::Answer create_message(const Services&, const web::Request&);
web::Answer count_tokens(const Services&, const web::Request&);

// The listener of these rows must use messages::error_forms(). The rows also answer under /v1/v1, for clients that are
// given the address of the box with /v1 and add the version themselves.
std::vector<web::Route> routes(const web::Guard&, const web::Bind<Services>&);

}  // namespace models::messages_api
