#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstdlib>
#include <map>

#include "appliance/models/call_handle.h"
#include "appliance/models/providers/openai_wire.h"
#include "appliance/models/providers/wire_json.h"
#include "appliance/models/routes.h"
#include "web/endpoint.h"
#include "web/event_text.h"

namespace models {

namespace json = boost::json;

namespace {

using Answer = web::Task<web::Result<web::Response>>;

const web::RateLimit rate{.group = "ai", .limit = 30, .message = "AI rate limit exceeded."};

// As a JSON number, for those who read one; the ledger never does.
double number(usage::Money amount) { return std::strtod(amount.to_string().c_str(), nullptr); }

std::string timestamp() { return web::iso8601(store::now()); }

struct ModelView {
  std::string id, name, provider, description;
  std::vector<std::string> tags;
  double inputCost = 0, outputCost = 0;  // US dollars for a million tokens
  std::int64_t contextWindow = 0;        // 0: not known
  bool available = false;
};
BOOST_DESCRIBE_STRUCT(ModelView, (),
                      (id, name, provider, description, tags, inputCost, outputCost, contextWindow, available))

struct ProviderModels {
  std::string provider;
  std::vector<ModelView> models;
  std::int64_t count = 0;
  std::string timestamp;
};
BOOST_DESCRIBE_STRUCT(ProviderModels, (), (provider, models, count, timestamp))

struct AllModels {
  std::vector<ModelView> models;
  std::int64_t count = 0;
  std::string timestamp;
};
BOOST_DESCRIBE_STRUCT(AllModels, (), (models, count, timestamp))

struct Selection {
  std::optional<web::Text<0, 100>> taskType;
};
BOOST_DESCRIBE_STRUCT(Selection, (), (taskType))

struct SelectedModel {
  std::string id, provider;
};
BOOST_DESCRIBE_STRUCT(SelectedModel, (), (id, provider))

struct Selected {
  SelectedModel model;
  std::string taskType, timestamp;
};
BOOST_DESCRIBE_STRUCT(Selected, (), (model, taskType, timestamp))

struct EstimateBody {
  web::Text<1, 200> model;
  web::Integer<0, 1'000'000'000> inputTokens, outputTokens;
};
BOOST_DESCRIBE_STRUCT(EstimateBody, (), (model, inputTokens, outputTokens))

struct Estimate {
  std::string model;
  std::int64_t inputTokens = 0, outputTokens = 0;
  double estimatedCost = 0;
  std::string currency = "USD", timestamp;
};
BOOST_DESCRIBE_STRUCT(Estimate, (), (model, inputTokens, outputTokens, estimatedCost, currency, timestamp))

// For the OpenAPI document; read by parse_chat.
struct ChatBody {
  web::List<json::object, 1, openai::max_messages> messages;
  std::optional<web::Text<0, 200>> model;
  std::optional<web::Text<0, 100>> taskType;
  std::optional<double> temperature, top_p;
  std::optional<web::Integer<1, 1'000'000>> max_tokens;
  std::optional<bool> stream;
};
BOOST_DESCRIBE_STRUCT(ChatBody, (), (messages, model, taskType, temperature, top_p, max_tokens, stream))

struct Reloaded {
  bool success = true;
  std::int64_t models = 0;
};
BOOST_DESCRIBE_STRUCT(Reloaded, (), (success, models))

ModelView view(const Listed& model) {
  ModelView view{.id = model.id,
                 .name = model.name,
                 .provider = model.provider,
                 .description = model.description,
                 .tags = model.tags,
                 .available = model.available};
  if (model.entry) {
    view.inputCost = number(model.entry->price.input);
    view.outputCost = number(model.entry->price.output);
    view.contextWindow = model.entry->context;
  }
  return view;
}

Answer health(ModelGateway& ai) {
  const auto now = Breaker::Clock::now();
  json::object providers, circuits;
  bool any = false, all = true;
  for (const auto name : provider_names) {
    const bool configured = ai.providers().find(name) != nullptr;
    const auto circuit = ai.providers().breaker(name).whole().state(now);
    providers[name] = configured && circuit != Circuit::open;
    if (!configured) continue;
    circuits[name] = boost::describe::enum_to_string(circuit, "");
    any = true;
    all = all && circuit == Circuit::closed;
  }
  co_return web::json(json::object{{"status", any && all ? "healthy" : "degraded"},
                                   {"providers", std::move(providers)},
                                   {"circuits", std::move(circuits)},
                                   {"timestamp", timestamp()}});
}

Answer list(ModelGateway& ai) {
  const auto models = co_await ai.models();
  AllModels answer{.timestamp = timestamp()};
  std::map<std::string, std::int64_t> counts;
  for (const auto& model : models) {
    answer.models.push_back(view(model));
    ++counts[model.provider];
  }
  answer.count = static_cast<std::int64_t>(answer.models.size());
  auto response = web::reply(answer);
  auto& body = std::get<std::string>(response.body);
  // The providers are fields beside these.
  body.pop_back();
  for (const auto& [provider, count] : counts) {
    body += ',';
    web::write_json(body, provider);
    body += ':';
    web::write_json(body, count);
  }
  body += '}';
  co_return response;
}

Answer list_of(ModelGateway& ai, web::Request& request) {
  ProviderModels answer{.provider = request.param("provider"), .timestamp = timestamp()};
  bool known = std::ranges::count(provider_names, answer.provider) > 0;
  const auto models = co_await ai.models();
  for (const auto& model : models) {
    // The router has everything of the catalogue.
    const bool routed = answer.provider == "openrouter" && model.entry;
    if (model.provider != answer.provider && !routed) continue;
    known = true;
    answer.models.push_back(view(model));
  }
  if (!known) co_return web::not_found("No such provider");
  answer.count = static_cast<std::int64_t>(answer.models.size());
  co_return web::reply(answer);
}

Answer select(ModelGateway& ai, web::Request& request, Selection wanted) {
  const auto task = wanted.taskType && !wanted.taskType->empty() ? std::string(*wanted.taskType) : "general";
  billing::Payer payer{.plan = billing::Plan::network};
  if (const auto plan = billing::plan_named(request.header("x-user-plan"))) payer.plan = *plan;
  const auto catalogue = ai.catalogues().current();
  ModelQuery query{.task = task};
  const auto chosen = co_await ai.router().choose(std::move(query), payer, *catalogue);
  if (!chosen) co_return web::not_found("No models are available");
  const auto& first = chosen->front();
  auto id = first.id;
  if (const auto local = ai.providers().local(); id.empty() && local)
    if (auto own = co_await local->choose_model({})) id = std::move(*own);
  const Selected answer{
      .model = {.id = id.empty() ? "default" : std::move(id), .provider = std::string(first.provider->name())},
      .taskType = task,
      .timestamp = timestamp()};
  co_return web::reply(answer);
}

Answer estimate(ModelGateway& ai, EstimateBody wanted) {
  Estimate answer{.model = wanted.model,
                  .inputTokens = wanted.inputTokens,
                  .outputTokens = wanted.outputTokens,
                  .timestamp = timestamp()};
  const auto models = co_await ai.models();
  const auto found = std::ranges::find(models, answer.model, &Listed::id);
  if (found == models.end()) co_return unknown_model(answer.model);
  if (found->entry) answer.estimatedCost = number(found->entry->price.of(answer.inputTokens, answer.outputTokens));
  co_return web::reply(answer);
}

// Nobody else speaks here: what tools say comes in at the door for OpenAI's clients.
std::optional<web::Error> wrong_role(const json::object& body) {
  constexpr std::array<std::string_view, 3> roles{"user", "assistant", "system"};
  const auto* messages = array_in(body, "messages");
  for (std::size_t i = 0; messages && i < messages->size(); ++i) {
    const auto* message = (*messages)[i].if_object();
    if (message && std::ranges::count(roles, string_in(*message, "role")) > 0) continue;
    return web::invalid("messages[" + std::to_string(i) + "].role must be one of: user, assistant, system");
  }
  return std::nullopt;
}

// The contract's body: the messages of the OpenAI form without tools, and fields of the same names.
web::Result<Ask> parse_chat(const web::Request& request) {
  const auto body = web::parse_body<json::object>(request);
  if (!body) return body.error();
  if (auto wrong = wrong_role(*body)) return std::move(*wrong);
  json::object form;
  for (const auto* name : {"messages", "model", "temperature", "top_p", "max_tokens", "stream"})
    if (const auto* value = body->if_contains(name)) form[name] = *value;
  auto parsed = openai::parse_request(form);
  if (!parsed) return parsed.error();
  Ask ask{.request = std::move(*parsed), .query = {}, .payer = {}};
  for (std::size_t i = 0; i < ask.request.messages.size(); ++i) {
    const auto where = "messages[" + std::to_string(i) + "]";
    const auto& message = ask.request.messages[i];
    if (!message.tool_calls.empty()) return web::invalid(where + ".tool_calls is not supported");
    if (message.content.find_first_not_of(" \t\r\n") == std::string::npos && message.parts.empty())
      return web::invalid(where + ".content must not be empty");
  }
  ask.query.model = ask.request.model;
  ask.query.task = "general";
  if (const auto* task = body->if_contains("taskType"); task && !task->is_null()) {
    const auto text = web::parse_value<web::Text<0, 100>>(*task, "taskType");
    if (!text) return text.error();
    if (!text->empty()) ask.query.task = *text;
  }
  return ask;
}

json::object to_wire(const ChatAnswer& answer) {
  return {{"id", answer.id},
          {"model", answer.model},
          {"provider", answer.provider},
          {"message", {{"role", "assistant"}, {"content", answer.message.content}}},
          {"usage", openai::usage_to_wire(answer.usage)},
          {"timestamp", timestamp()}};
}

web::Task<> send(CallHandle& flight, web::StreamWriter& writer) {
  for (;;) {
    const auto pieces = co_await flight.next();
    if (pieces.empty()) break;
    std::string events;
    for (const auto& piece : pieces) {
      const json::object delta{{"content", piece.text}};
      web::append_event(events, json::serialize(delta), "delta");
    }
    co_await writer.write(std::move(events));
  }
  const auto answer = co_await flight.answer();
  if (!answer) {
    json::object told{{"error", answer.error().message}, {"code", answer.error().code}};
    for (const auto& [name, value] : answer.error().extra) told[name] = value;
    co_await writer.event(json::serialize(told), "error");
    co_return;
  }
  co_await writer.event(json::serialize(to_wire(*answer)), "done");
}

// The contract has one status for a call that no provider could serve; `code` and the sentence say which way it failed.
web::Error as_contract_has_it(web::Error error) {
  using web::Kind;
  const bool of_a_provider = error.kind == Kind::bad_gateway || error.kind == Kind::timeout ||
                             (error.kind == Kind::unavailable && !error.code.empty());
  if (of_a_provider) error.kind = Kind::internal;
  return error;
}

Answer chat(ModelGateway& ai, web::Request& request) {
  auto payer = ai.policy().payer_of(request);
  if (!payer) co_return payer.error();
  auto ask = parse_chat(request);
  if (!ask) co_return ask.error();
  ask->payer = std::move(*payer);
  const bool stream = ask->request.stream;
  auto flight = co_await CallHandle::start(ai, std::move(*ask), stream);
  if (stream && co_await flight.begins()) {
    const auto shared = std::make_shared<CallHandle>(std::move(flight));
    auto response =
        web::server_sent_events([shared](web::StreamWriter& writer) -> web::Task<> { return send(*shared, writer); });
    response.set("X-Accel-Buffering", "no");
    co_return response;
  }
  const auto answer = co_await flight.answer();
  if (!answer) co_return as_contract_has_it(answer.error());
  co_return web::json(to_wire(*answer));
}

}  // namespace

std::vector<web::Route> api_routes(ModelGateway& ai, const agentbox::Guards& guards) {
  const auto& key = guards.internal_key;
  auto chat_endpoint = web::plain([&ai](web::Request& request) { return chat(ai, request); });
  chat_endpoint.body = web::schema_of<ChatBody>;
  chat_endpoint.description =
      "Headers: x-user-plan and x-billing-subscription-id; an administrator's x-user-email takes their place. Checked "
      "in this order: plan, subscription, body, model, quota and caps. Without a model, taskType chooses one. `usage` "
      "says `estimated: true` where the provider gave no counts. With stream: true the answer is server-sent events: "
      "`delta` ({content}) for each piece, then `done` with the whole answer, or `error`. When no provider could serve "
      "the call: 500, whose `code` says how the last one that was asked failed (unreachable, overloaded, timeout, "
      "bad_key, ...); 429 where it wants fewer calls; with `Retry-After` where it is known when to try again.";
  auto reload = [&ai](web::Request&) -> Answer {
    const auto read = ai.catalogues().reload();
    if (!read) co_return web::invalid("catalogue.json: " + read.error().message);
    const Reloaded answer{.models = static_cast<std::int64_t>((*read)->models().size())};
    co_return web::reply(answer);
  };
  return {
      {web::GET, "/api/ai/health", key, &rate, web::plain([&ai](web::Request&) { return health(ai); }),
       "Which providers are configured and up"},
      {web::GET, "/api/ai/models", key, &rate,
       web::plain([&ai](web::Request&) { return list(ai); })
           .describe(
               "`models`, `count`, and the count of each provider by its name. Costs are US dollars for a million "
               "tokens."),
       "All models: the catalogue's and the local server's"},
      {web::GET, "/api/ai/models/:provider", key, &rate,
       web::plain([&ai](web::Request& request) { return list_of(ai, request); }).returns<ProviderModels>(),
       "The models of one provider"},
      {web::POST, "/api/ai/models/select", key, &rate,
       web::body<Selection>([&ai](web::Request& request, Selection wanted) {
         return select(ai, request, std::move(wanted));
       }).returns<Selected>(),
       "The model for a kind of work"},
      {web::POST, "/api/ai/chat", key, &rate, std::move(chat_endpoint), "Ask a model"},
      {web::POST, "/api/ai/estimate-cost", key, &rate,
       web::body<EstimateBody>([&ai](web::Request&, EstimateBody wanted) {
         return estimate(ai, std::move(wanted));
       }).returns<Estimate>(),
       "What a call would cost"},
      {web::POST, "/api/admin/models/reload", key, nullptr, web::plain(reload).returns<Reloaded>(),
       "Read the model catalogue again"},
  };
}

}  // namespace models
