#pragma once

#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/models/demo/routes.h"
#include "web/endpoint.h"
#include "web/fields.h"

namespace models::demo {

inline constexpr std::size_t max_message_characters = 100'000;
inline constexpr std::size_t max_conversation_entries = 1000;

struct DemoInfo {
  std::vector<DemoModel> models;
  std::string mode = "demo", message;
};
BOOST_DESCRIBE_STRUCT(DemoInfo, (), (models, mode, message))

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

}  // namespace models::demo
