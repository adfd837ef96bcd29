#pragma once

#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/models/model_gateway.h"
#include "appliance/models/openai_api/recent_items.h"
#include "appliance/models/providers/openai_wire.h"
#include "appliance/models/providers/responses_wire.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace models::openai_api {

// What the rows depend on; all of it must outlive them.
struct Services {
  ModelGateway& gateway;
  // The provider that an agent's calls prefer (ModelQuery::provider).
  std::function<std::string(std::string_view agent)> provider_of;
  std::shared_ptr<RecentItems> recent_items = std::make_shared<RecentItems>();
};

// Documents the body in OpenAPI; openai::parse_request reads it.
struct CompletionBody {
  std::optional<web::Text<0, 200>> model;
  web::List<boost::json::object, 1, openai::max_messages> messages;
  std::optional<web::List<boost::json::object, 0, openai::max_tools>> tools;
  std::optional<double> temperature, top_p;
  std::optional<web::Integer<1, 1'000'000>> max_tokens;
  std::optional<bool> stream;
  std::optional<std::int64_t> seed;
  std::optional<web::Integer<1, 4>> n;
};
BOOST_DESCRIBE_STRUCT(CompletionBody, (), (model, messages, tools, temperature, top_p, max_tokens, stream, seed, n))

// A text, or a list: of items of a conversation, or of texts or tokens.
using Input = std::variant<std::string, boost::json::array>;

// Documents the body in OpenAPI; responses::parse_request reads it.
struct ResponseBody {
  std::optional<web::Text<0, 200>> model;
  Input input;
  std::optional<web::Prose<0, responses::max_instructions>> instructions;
  std::optional<web::List<boost::json::object, 0, openai::max_tools>> tools;
  std::optional<double> temperature, top_p;
  std::optional<web::Integer<1, 1'000'000>> max_output_tokens;
  std::optional<bool> stream;
};
BOOST_DESCRIBE_STRUCT(ResponseBody, (),
                      (model, input, instructions, tools, temperature, top_p, max_output_tokens, stream))

// Documents the body in OpenAPI.
struct EmbeddingBody {
  web::Text<1, 200> model;
  Input input;
};
BOOST_DESCRIBE_STRUCT(EmbeddingBody, (), (model, input))

// The available models that the caller may use.
web::Task<web::Result<std::vector<ListedModel>>> usable_models(ModelGateway&, web::Caller);
// One of them. not_found: there is none of this id.
web::Task<web::Result<ListedModel>> usable_model(ModelGateway&, web::Caller, std::string id);

web::Answer complete_chat(const Services&, const web::Request&);
web::Answer create_response(const Services&, const web::Request&);
web::Answer create_embeddings(const Services&, const web::Request&);
web::Answer list_models(const Services&, const web::Request&);
web::Answer show_model(const Services&, const web::Request&);

// The API for agents and for OpenAI's clients: POST /v1/chat/completions, POST /v1/embeddings and GET /v1/models, also
// without /v1. Its listener must use messages::error_forms().
std::vector<web::Route> routes(const web::Guard&, const web::Bind<Services>&);
// The same and those of messages_api, google_api and media_api, for agents' tokens and users' API keys, on the web and
// on the backend.
std::vector<web::Route> caller_routes(const agentbox::Guards&, const web::Bind<Services>&);
// caller_routes and what the console uses of them.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace models::openai_api
