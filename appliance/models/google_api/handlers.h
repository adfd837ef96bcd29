// Google's API for agents and users' programs: POST /v1beta/models/<model>:generateContent, :streamGenerateContent and
// :countTokens, GET /v1beta/models and GET /v1beta/models/<model>.
#pragma once

#include <optional>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/models/openai_api/handlers.h"

namespace models::google_api {

using openai_api::Services;

// Documents the body in OpenAPI; generate::parse_request reads it.
struct GenerateBody {
  web::List<boost::json::object, 1, openai::max_messages> contents;
  std::optional<boost::json::object> systemInstruction;
  std::optional<web::List<boost::json::object, 0, openai::max_tools>> tools;
  std::optional<boost::json::object> toolConfig, generationConfig;
};
BOOST_DESCRIBE_STRUCT(GenerateBody, (), (contents, systemInstruction, tools, toolConfig, generationConfig))

// The method is the end of the path, after its last colon.
web::Answer call_model(const Services&, const web::Request&);
web::Answer list_models(const Services&, const web::Request&);
web::Answer show_model(const Services&, const web::Request&);

// The listener of these rows must use messages::error_forms(). Models are also called without `models/` in front, as
// the AI SDK does for names with a vendor, and under /v1, as Google's client for JavaScript does; what those that list
// models find there has OpenAI's form.
std::vector<web::Route> routes(const web::Guard&, const web::Bind<Services>&);

}  // namespace models::google_api
