#pragma once

#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <optional>

#include "appliance/models/openai_api/routes.h"
#include "appliance/models/providers/openai_wire.h"
#include "web/endpoint.h"
#include "web/fields.h"

namespace models::openai_api {

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

// Documents the body in OpenAPI, except `input`, which has several types; responses::parse_request reads it.
struct ResponseBody {
  std::optional<web::Text<0, 200>> model;
  std::optional<web::Prose<0, 1'000'000>> instructions;
  std::optional<web::List<boost::json::object, 0, openai::max_tools>> tools;
  std::optional<double> temperature, top_p;
  std::optional<web::Integer<1, 1'000'000>> max_output_tokens;
  std::optional<bool> stream;
};
BOOST_DESCRIBE_STRUCT(ResponseBody, (), (model, instructions, tools, temperature, top_p, max_output_tokens, stream))

// Documents the body in OpenAPI, except `input`, which has several types.
struct EmbeddingBody {
  web::Text<1, 200> model;
};
BOOST_DESCRIBE_STRUCT(EmbeddingBody, (), (model))

web::Answer complete_chat(const Services&, const web::Request&);
web::Answer create_response(const Services&, const web::Request&);
web::Answer create_embeddings(const Services&, const web::Request&);
web::Answer list_models(const Services&, const web::Request&);
web::Answer show_model(const Services&, const web::Request&);

}  // namespace models::openai_api
