#include "appliance/models/openai_api/handlers.h"

#include <algorithm>

#include "web/routes/reply.h"

namespace models::openai_api {

namespace json = boost::json;

namespace {

// A text, tokens, or a list of either, of up to the length that OpenAI accepts.
bool is_input(const json::value& input) {
  constexpr std::size_t max_inputs = 2048;
  const auto is_element = [](const json::value& each) {
    if (const auto* text = each.if_string()) return !text->empty();
    if (const auto* tokens = each.if_array()) return !tokens->empty();
    return each.is_int64();
  };
  const auto* list = input.if_array();
  if (!list) return input.is_string() && is_element(input);
  return !list->empty() && list->size() <= max_inputs && std::ranges::all_of(*list, is_element);
}

struct EmbeddingRequest {
  std::string model, body;
};

// Only the fields of OpenAI's form are passed on: a router might act on others, at the box's cost.
web::Result<EmbeddingRequest> parse_embedding(const web::Request& request) {
  auto body = web::parse_body<json::object>(request);
  if (!body) return body.error();
  const auto* model = body->if_contains("model");
  if (!model) return web::invalid("model is required");
  auto name = web::parse_value<web::Text<1, 200>>(*model, "model");
  if (!name) return name.error();
  const auto* input = body->if_contains("input");
  if (!input) return web::invalid("input is required");
  if (!is_input(*input))
    return web::invalid("input must be a text, or an array of 1 to 2048 texts or tokens, none of them empty");
  json::object kept;
  for (const char* field : {"model", "input", "dimensions", "encoding_format", "user"})
    if (auto* value = body->if_contains(field)) kept[field] = std::move(*value);
  return EmbeddingRequest{.model = std::string(std::move(*name)), .body = json::serialize(kept)};
}

json::object to_wire(const ListedModel& model) {
  json::object wire{{"id", model.id}, {"object", "model"}, {"created", 0}, {"owned_by", model.provider}};
  // As OpenRouter names them.
  if (!model.entry && model.context > 0) wire["context_length"] = model.context;
  if (!model.entry) return wire;
  const auto& entry = *model.entry;
  if (entry.context > 0) wire["context_length"] = entry.context;
  json::array sees;
  sees.emplace_back("text");
  if (entry.sees()) sees.emplace_back("image");
  wire["architecture"] = json::object{{"input_modalities", std::move(sees)}};
  wire["top_provider"] = json::object{{"max_completion_tokens", entry.max_output}};
  if (entry.efforts) wire["reasoning_efforts"] = json::array(entry.efforts->begin(), entry.efforts->end());
  return wire;
}

}  // namespace

web::Task<web::Result<std::vector<ListedModel>>> usable_models(ModelGateway& gateway, web::Caller caller) {
  const auto payer = gateway.policy().payer_of(caller);
  if (!payer) co_return payer.error();
  auto models = co_await gateway.models();
  std::erase_if(models, [&](const ListedModel& model) {
    const bool in_plan = !model.entry || model.catalogue->allows(payer->plan, model.entry->id);
    return !model.available || !in_plan || !may_use(*payer, model.id);
  });
  co_return models;
}

web::Task<web::Result<ListedModel>> usable_model(ModelGateway& gateway, web::Caller caller, std::string id) {
  auto models = co_await usable_models(gateway, std::move(caller));
  if (!models) co_return models.error();
  const auto found = std::ranges::find(*models, id, &ListedModel::id);
  if (found != models->end()) {
    found->context = co_await gateway.context_of(*found);
    co_return std::move(*found);
  }
  auto unknown = unknown_model(id);
  unknown.kind = web::Kind::not_found;
  unknown.message += ", or not one of your plan's";
  co_return unknown;
}

web::Answer create_embeddings(const Services& services, const web::Request& request) {
  auto body = parse_embedding(request);
  if (!body) co_return body.error();
  const auto payer = services.gateway.policy().payer_of(request.caller, request.header(turn_header));
  if (!payer) co_return payer.error();
  const auto answer = co_await services.gateway.embed(std::move(body->model), std::move(body->body), *payer);
  if (!answer) co_return answer.error();
  web::Response response;
  response.body = *answer;
  co_return response;
}

web::Answer list_models(const Services& services, const web::Request& request) {
  const auto models = co_await usable_models(services.gateway, request.caller);
  if (!models) co_return models.error();
  json::array data;
  for (const auto& model : *models) data.push_back(to_wire(model));
  co_return web::json(json::object{{"object", "list"}, {"data", std::move(data)}});
}

web::Answer show_model(const Services& services, const web::Request& request) {
  const auto model = co_await usable_model(services.gateway, request.caller, request.param("model"));
  if (!model) co_return model.error();
  co_return web::json(to_wire(*model));
}

}  // namespace models::openai_api
