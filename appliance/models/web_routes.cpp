#include <boost/json.hpp>

#include "appliance/billing/usage/period.h"
#include "appliance/models/builtin/builtin.h"
#include "appliance/models/builtin/extract.h"
#include "appliance/models/call_handle.h"
#include "appliance/models/demo_visitors.h"
#include "appliance/models/providers/openai_wire.h"
#include "appliance/models/routes.h"
#include "web/blank.h"
#include "web/endpoint.h"
#include "web/log.h"
#include "web/rate_limit.h"
#include "web/utf8.h"

namespace models {

namespace json = boost::json;

namespace {

using Answer = web::Task<web::Result<web::Response>>;

const web::RateLimit demo_models_rate{.group = "demo-models", .limit = 60, .message = "Too many requests"};
const web::RateLimit demo_rate{.group = "demo-chat", .limit = 10, .message = "Too many requests"};
constexpr std::int64_t demo_answer_tokens = 1024;
constexpr std::size_t demo_entry_characters = 4000, demo_entries = 50;
constexpr std::size_t demo_characters = 16'000;           // of a conversation: of what is more the newest are asked
constexpr std::size_t demo_message_characters = 100'000;  // more is refused; of less the first 4000 are asked
constexpr const char* demo_agent = "demo-chat";

struct DemoModel {
  std::string id, name, provider;
};
BOOST_DESCRIBE_STRUCT(DemoModel, (), (id, name, provider))

struct DemoInfo {
  std::vector<DemoModel> models;
  std::string mode = "demo", message;
};
BOOST_DESCRIBE_STRUCT(DemoInfo, (), (models, mode, message))

// For the OpenAPI document; read by parse_demo.
struct DemoBody {
  web::Text<1, demo_message_characters> message;
  std::optional<web::Text<1, 200>> model;
  std::optional<web::Text<0, 100>> mode;
  std::optional<web::List<json::object, 0, 1000>> conversation;
};
BOOST_DESCRIBE_STRUCT(DemoBody, (), (message, model, mode, conversation))

struct CacheSetting {
  web::Integer<0, 10'080> minutes;
};
BOOST_DESCRIBE_STRUCT(CacheSetting, (), (minutes))

struct CacheView {
  bool enabled = false;
  std::int64_t minutes = 0;
};
BOOST_DESCRIBE_STRUCT(CacheView, (), (enabled, minutes))

struct RouterModel {
  std::string id, name, provider, description;
  std::int64_t contextWindow = 0;
  bool available = false, inPlan = false;
};
BOOST_DESCRIBE_STRUCT(RouterModel, (), (id, name, provider, description, contextWindow, available, inPlan))

struct RouterModels {
  std::vector<RouterModel> models;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(RouterModels, (), (models, count))

// The first `count` characters of UTF-8.
std::string first_characters(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size() && count > 0; --count) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  }
  return std::string(text.substr(0, at));
}

// The catalogue's demo models that are served here, else what this box has: its local or its builtin model.
std::vector<DemoModel> demo_models(ModelGateway& ai) {
  const auto catalogue = ai.catalogues().current();
  std::vector<DemoModel> models;
  for (const auto& id : catalogue->demo_models()) {
    const auto& model = *catalogue->find(id);
    if (ai.router().server_of(model, usage::demo_user))
      models.push_back({.id = model.id, .name = model.name, .provider = model.provider});
  }
  if (!models.empty()) return models;
  if (ai.providers().local()) return {{.id = "local", .name = "Local model", .provider = "local"}};
  if (ai.providers().find("builtin"))
    return {{.id = std::string(builtin_model), .name = "Builtin", .provider = "builtin"}};
  return {};
}

Answer demo_info(ModelGateway& ai) {
  const DemoInfo answer{.models = demo_models(ai),
                        .message = "Send {message} to talk to one of these models without an account."};
  co_return web::reply(answer);
}

web::Result<Ask> parse_demo(const web::Request& request, const std::vector<DemoModel>& models,
                            const std::string& preferred) {
  const auto body = web::parse_body<json::object>(request);
  if (!body) return body.error();
  const auto* message = body->if_contains("message");
  if (!message || message->is_null()) return web::invalid("Message required");
  const auto text = web::parse_value<web::Prose<0, demo_message_characters>>(*message, "message");
  if (!text) return text.error();
  if (web::is_blank(*text)) return web::invalid("Message required");
  if (const auto* mode = body->if_contains("mode"); mode && !mode->is_null()) {
    const auto named = web::parse_value<web::Text<0, 100>>(*mode, "mode");
    if (!named) return named.error();
  }
  Ask ask;
  if (const auto* conversation = body->if_contains("conversation"); conversation && !conversation->is_null()) {
    const auto entries = web::parse_value<web::List<json::object, 0, 1000>>(*conversation, "conversation");
    if (!entries) return entries.error();
    for (const auto& entry : *entries) {
      const auto* role = entry.if_contains("role");
      const auto* content = entry.if_contains("content");
      if (!role || *role != "user" || !content || !content->is_string() || content->get_string().empty()) continue;
      ask.request.messages.push_back(
          {.role = Role::user, .content = first_characters(content->get_string(), demo_entry_characters)});
    }
    auto& kept = ask.request.messages;
    auto first = kept.end();
    for (std::size_t left = demo_characters;
         first != kept.begin() && kept.end() - first < std::ptrdiff_t(demo_entries);) {
      const auto size = web::count_characters((first - 1)->content);
      if (size > left) break;
      left -= size;
      --first;
    }
    kept.erase(kept.begin(), first);
  }
  ask.request.messages.push_back({.role = Role::user, .content = first_characters(*text, demo_entry_characters)});
  ask.request.max_tokens = demo_answer_tokens;
  if (const auto* model = body->if_contains("model"); model && !model->is_null()) {
    const auto named = web::parse_value<web::Text<1, 200>>(*model, "model");
    if (!named) return named.error();
    if (std::ranges::find(models, std::string(*named), &DemoModel::id) == models.end())
      return web::invalid("model must be one of the demo's models");
    ask.query.model = *named;
  } else {
    const bool has_preferred = std::ranges::find(models, preferred, &DemoModel::id) != models.end();
    ask.query.model = has_preferred ? preferred : models.front().id;
  }
  return ask;
}

web::Error demo_used_up(store::Time now) {
  web::Error error{.kind = web::Kind::too_many, .message = "Too many requests"};
  error.extra["retryAfter"] = std::chrono::ceil<std::chrono::seconds>(usage::next_day(now) - now).count();
  return error;
}

Answer demo_chat(ModelGateway& ai, const agentbox::Settings& settings, DemoVisitors& visitors, web::Request& request) {
  const auto models = demo_models(ai);
  if (models.empty()) co_return web::unavailable("Demo unavailable — service not configured.");
  auto ask = parse_demo(request, models, ai.catalogues().current()->demo_default());
  if (!ask) co_return ask.error();
  ask->payer = {.user = usage::demo_user,
                .plan = billing::Plan::network,
                .is_admin = true,
                .agent = demo_agent,
                .key = {},
                .key_budget = {},
                .daily_tokens = settings.demo_daily_tokens};
  ask->query.is_agents = true;  // "local" is the name of whatever the local server has
  const auto visitor = web::rate_key(request.client_address);
  const auto most = most_tokens(ask->request) + demo_answer_tokens;
  const auto now = store::now();
  if (!visitors.admit(visitor, most, settings.demo_daily_tokens, now)) co_return demo_used_up(now);
  auto flight = co_await CallHandle::start(ai, std::move(*ask), false);
  const auto answer = co_await flight.answer();
  if (answer) visitors.give_back(visitor, most - answer->usage.input - answer->usage.output, now);
  if (!answer) {
    if (answer.error().kind == web::Kind::too_many) {
      web::Error limited = answer.error();
      limited.message = "Too many requests";
      co_return limited;
    }
    co_return web::internal("Failed to get response", answer.error().message);
  }
  co_return web::json(json::object{{"id", answer->id},
                                   {"model", answer->model},
                                   {"message", answer->message.content},
                                   {"usage", openai::usage_to_wire(answer->usage)},
                                   {"done", true}});
}

Answer show_cache(ModelGateway& ai, const web::Request& request) {
  const auto minutes = ai.cache().lifetime(request.caller.user_id).count();
  const CacheView answer{.enabled = minutes > 0, .minutes = minutes};
  co_return web::reply(answer);
}

Answer set_cache(ModelGateway& ai, web::Request& request, CacheSetting wanted) {
  co_await ai.cache().set_lifetime(request.caller.user_id, std::chrono::minutes(wanted.minutes.value));
  co_return co_await show_cache(ai, request);
}

Answer list_models(ModelGateway& ai, const web::Request& request) {
  web::Caller caller = request.caller;
  caller.credential.clear();  // a session is no key
  const auto payer = ai.policy().payer_of(caller);
  const auto catalogue = ai.catalogues().current();
  RouterModels answer;
  for (const auto& model : catalogue->models()) {
    answer.models.push_back({.id = model.id,
                             .name = model.name,
                             .provider = model.provider,
                             .description = model.description,
                             .contextWindow = model.context,
                             .available = ai.router().server_of(model, request.caller.user_id).has_value(),
                             .inPlan = payer && catalogue->allows(payer->plan, model.id)});
  }
  answer.count = static_cast<std::int64_t>(answer.models.size());
  co_return web::reply(answer);
}

}  // namespace

std::vector<web::Route> web_routes(ModelGateway& ai, const agentbox::Settings& settings,
                                   const agentbox::Guards& guards) {
  const auto visitors = std::make_shared<DemoVisitors>();
  auto demo = web::plain(
      [&ai, &settings, visitors](web::Request& request) { return demo_chat(ai, settings, *visitors, request); });
  demo.body = web::schema_of<DemoBody>;
  demo.description =
      "Answers {id, model, message, usage, done: true}. Of `conversation` only entries of the role user are kept, each "
      "cut at 4000 characters, and of these the newest, 16,000 characters in all. 429 also for a visitor who has "
      "had a quarter of what the demo may use in a day (UTC).";
  return {
      {web::GET, "/api/demo/chat", guards.none, &demo_models_rate,
       web::plain([&ai](web::Request&) { return demo_info(ai); }).returns<DemoInfo>(), "The models of the demo"},
      {web::POST, "/api/demo/chat", guards.none, &demo_rate, std::move(demo), "Talk to a model without an account"},
      {web::GET, "/api/models", guards.session, nullptr,
       web::plain([&ai](web::Request& request) { return list_models(ai, request); }).returns<RouterModels>(),
       "The models of the multi-model router, and which of them one's plan has"},
      {web::GET, "/api/response-cache", guards.session, nullptr,
       web::plain([&ai](web::Request& request) { return show_cache(ai, request); }).returns<CacheView>(),
       "Whether models' answers to the same request are kept for one"},
      {web::PUT, "/api/response-cache", guards.session, nullptr,
       web::body<CacheSetting>(
           [&ai](web::Request& request, CacheSetting wanted) { return set_cache(ai, request, wanted); })
           .returns<CacheView>()
           .describe("For so many minutes a request that is the same in every byte gets the answer of the first, at no "
                     "cost; 0, the default, switches it off. Nobody else's requests are looked at."),
       "Keep models' answers"},
  };
}

}  // namespace models
