#include <array>
#include <boost/json.hpp>

#include "appliance/foundation/crypto/random.h"
#include "appliance/models/call_handle.h"
#include "appliance/models/providers/openai_chunks.h"
#include "appliance/models/providers/openai_stream.h"
#include "appliance/models/providers/openai_wire.h"
#include "appliance/models/routes.h"
#include "web/endpoint.h"
#include "web/event_text.h"

namespace models {

namespace json = boost::json;

namespace {

using Answer = web::Task<web::Result<web::Response>>;

// For the OpenAPI document only: the body is read by openai::parse_request.
struct CompletionBody {
  std::optional<web::Text<0, 200>> model;
  web::List<json::object, 1, openai::max_messages> messages;
  std::optional<web::List<json::object, 0, openai::max_tools>> tools;
  std::optional<double> temperature, top_p;
  std::optional<web::Integer<1, 1'000'000>> max_tokens;
  std::optional<bool> stream;
  std::optional<std::int64_t> seed;
};
BOOST_DESCRIBE_STRUCT(CompletionBody, (), (model, messages, tools, temperature, top_p, max_tokens, stream, seed))

// For the OpenAPI document; read by parse_embedding, since `input` is of several types.
struct EmbeddingBody {
  web::Text<1, 200> model;
};
BOOST_DESCRIBE_STRUCT(EmbeddingBody, (), (model))

// A text, tokens, or a list of either; as many as OpenAI takes.
bool is_input(const json::value& input) {
  constexpr std::size_t most = 2048;
  const auto is_one = [](const json::value& each) {
    if (const auto* text = each.if_string()) return !text->empty();
    if (const auto* tokens = each.if_array()) return !tokens->empty();
    return each.is_int64();
  };
  const auto* list = input.if_array();
  if (!list) return input.is_string() && is_one(input);
  return !list->empty() && list->size() <= most && std::ranges::all_of(*list, is_one);
}

struct Embedding {
  std::string model, body;
};

// What goes on are the fields of OpenAI's form: a router would take others for orders, at the box's cost.
web::Result<Embedding> parse_embedding(const web::Request& request) {
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
  return Embedding{.model = std::string(std::move(*name)), .body = json::serialize(kept)};
}

web::Result<ChatRequest> parse(const web::Request& request) {
  auto body = web::parse_body<json::object>(request);
  if (!body) return body.error();
  return openai::parse_request(json::value(std::move(*body)));
}

web::Task<> send(CallHandle& flight, bool include_usage, web::StreamWriter& writer) {
  const openai::Chunks chunks("chatcmpl-" + crypto::random_id(24), flight.serving());
  const auto opening = chunks.opening();
  co_await writer.event(opening);
  for (;;) {
    const auto pieces = co_await flight.next();
    if (pieces.empty()) break;
    std::string events;
    for (const auto& piece : pieces) web::append_event(events, chunks.piece(piece));
    co_await writer.write(std::move(events));
  }
  const auto answer = co_await flight.answer();
  if (!answer) {
    const auto told = json::serialize(openai::error_body(answer.error()));
    co_await writer.event(told);
    co_return;
  }
  const auto end = chunks.end(answer->finish);
  co_await writer.event(end);
  if (include_usage) {
    const auto usage = chunks.usage(answer->usage);
    co_await writer.event(usage);
  }
  co_await writer.event("[DONE]");
}

web::Response streamed(CallHandle flight, bool include_usage) {
  const auto shared = std::make_shared<CallHandle>(std::move(flight));
  auto response = web::server_sent_events([shared, include_usage](web::StreamWriter& writer) -> web::Task<> {
    return send(*shared, include_usage, writer);
  });
  response.set("X-Accel-Buffering", "no");
  return response;
}

web::Response whole(const ChatAnswer& answer) {
  std::array<unsigned char, 4096> room;  // the tree is written once and given up as a whole
  json::monotonic_resource memory(room.data(), room.size());
  return web::json(openai::to_wire(answer, &memory));
}

Answer complete(ModelGateway& ai, const ProviderOf& provider_of, web::Request& request) {
  auto parsed = parse(request);
  if (!parsed) co_return parsed.error();
  auto payer = ai.policy().payer_of(request.caller);
  if (!payer) co_return payer.error();
  const bool stream = parsed->stream, include_usage = parsed->include_usage;
  Ask ask{.request = std::move(*parsed), .query = {}, .payer = std::move(*payer)};
  const auto& agent = request.caller.agent;
  ask.query = {.model = ask.request.model,
               .task = {},
               .provider = agent.empty() ? std::string() : provider_of(agent),
               .is_agents = !agent.empty()};
  auto flight = co_await CallHandle::start(ai, std::move(ask), stream);
  if (stream) {
    const bool begun = co_await flight.begins();
    // What fails before it begins is an error like any other.
    if (begun) co_return streamed(std::move(flight), include_usage);
  }
  const auto answer = co_await flight.answer();
  if (!answer) co_return answer.error();
  if (stream) co_return streamed(std::move(flight), include_usage);
  co_return whole(*answer);
}

Answer embed(ModelGateway& ai, web::Request& request) {
  auto asked = parse_embedding(request);
  if (!asked) co_return asked.error();
  const auto payer = ai.policy().payer_of(request.caller);
  if (!payer) co_return payer.error();
  const auto answer = co_await ai.embed(std::move(asked->model), std::move(asked->body), *payer);
  if (!answer) co_return answer.error();
  web::Response response;
  response.body = *answer;
  co_return response;
}

// The models the caller can ask here.
web::Task<web::Result<std::vector<Listed>>> listed_for(ModelGateway& ai, web::Caller caller) {
  const auto payer = ai.policy().payer_of(caller);
  if (!payer) co_return payer.error();
  auto models = co_await ai.models();
  std::erase_if(models, [&](const Listed& model) {
    const bool in_plan = !model.entry || model.catalogue->allows(payer->plan, model.entry->id);
    return !model.available || !in_plan;
  });
  co_return models;
}

json::object to_wire(const Listed& model) {
  return {{"id", model.id}, {"object", "model"}, {"created", 0}, {"owned_by", model.provider}};
}

Answer list(ModelGateway& ai, web::Request& request) {
  const auto models = co_await listed_for(ai, request.caller);
  if (!models) co_return models.error();
  json::array data;
  for (const auto& model : *models) data.push_back(to_wire(model));
  co_return web::json(json::object{{"object", "list"}, {"data", std::move(data)}});
}

Answer retrieve(ModelGateway& ai, web::Request& request) {
  const auto models = co_await listed_for(ai, request.caller);
  if (!models) co_return models.error();
  const auto& id = request.param("model");
  const auto found = std::ranges::find(*models, id, &Listed::id);
  if (found != models->end()) co_return web::json(to_wire(*found));
  auto unknown = unknown_model(id);
  unknown.kind = web::Kind::not_found;
  unknown.message += ", or not one of your plan's";
  co_return unknown;
}

}  // namespace

web::Guard model_guard(const agentbox::Guards& guards) {
  return {.name = "agent token or API key",
          .scheme = "bearer",
          .admit = [&guards](const web::Request& request) -> web::Result<web::Caller> {
            // Both are tried: an agent's token may begin like a key by chance.
            const auto bearer = request.bearer();
            const bool is_like_key = bearer && bearer->starts_with("sk_");
            auto caller = (is_like_key ? guards.user_key : guards.agent_token).admit(request);
            return caller ? std::move(caller) : (is_like_key ? guards.agent_token : guards.user_key).admit(request);
          },
          .forbids = true};
}

std::vector<web::Route> openai_routes(ModelGateway& ai, const web::Guard& guard, ProviderOf provider_of) {
  auto completions = web::plain([&ai, provider_of = std::move(provider_of)](web::Request& request) {
    return complete(ai, provider_of, request);
  });
  completions.body = web::schema_of<CompletionBody>;
  completions.description =
      "The OpenAI chat-completions form: tools, tool_choice, parallel_tool_calls, images, response_format, stop, seed, "
      "penalties and logit_bias reach the model, or are refused by name where its provider has no such thing. With "
      "stream: true the answer is server-sent events. With an API key the key's user's plan, quota and caps hold; an "
      "agent goes on its owner's.";
  auto embeddings = web::plain([&ai](web::Request& request) { return embed(ai, request); });
  embeddings.body = web::schema_of<EmbeddingBody>;
  embeddings.description =
      "The OpenAI embeddings form ({model, input, ...}), passed through: to the local server when it lists the model, "
      "else to OpenAI or the "
      "router, with one's own key where one has brought it.";
  auto models = web::plain([&ai](web::Request& request) { return list(ai, request); });
  auto model = web::plain([&ai](web::Request& request) { return retrieve(ai, request); });
  model.description = "The model's id may come with its slash as it is or encoded.";
  for (auto* endpoint : {&completions, &embeddings, &models, &model}) endpoint->problem = openai::error_schema;
  return {
      {web::POST, "/v1/chat/completions", guard, nullptr, std::move(completions), "Ask a model"},
      {web::POST, "/v1/embeddings", guard, nullptr, std::move(embeddings), "Embed texts"},
      {web::GET, "/v1/models", guard, nullptr, std::move(models), "The models one can ask here"},
      {web::GET, "/v1/models/:model+", guard, nullptr, std::move(model), "One model that one can ask here"},
  };
}

}  // namespace models
