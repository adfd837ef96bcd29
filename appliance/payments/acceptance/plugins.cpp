#include "appliance/payments/acceptance/plugins.h"

#include <algorithm>

#include "appliance/billing/usage/records.h"
#include "appliance/models/model_gateway.h"
#include "appliance/models/providers/openai_wire.h"
#include "web/client/fetch.h"
#include "web/client/fetch_url.h"
#include "web/routes/fields.h"

namespace gateway {

namespace json = boost::json;

namespace {

// Each plugin but skills has one action, which may be left out.
std::string_view action_of(Plugin plugin) {
  switch (plugin) {
    case Plugin::summarize:
      return "summarize";
    case Plugin::extract:
      return "extract";
    case Plugin::models:
      return "chat";
    case Plugin::skills:
      break;
  }
  return {};
}

constexpr std::chrono::seconds page_time{20};  // the summarizer gives a page 10 s
constexpr std::size_t answer_bytes = 4u << 20;

BOOST_DEFINE_ENUM_CLASS(Format, markdown, text)

struct PageInput {
  web::Text<1, 2'000> url;
  std::optional<Format> format;
};
BOOST_DESCRIBE_STRUCT(PageInput, (), (url, format))

web::Task<web::Result<json::value>> ask(std::string route, std::string page) {
  web::FetchRequest request{
      .url = std::move(route), .method = "POST", .body = json::serialize(json::object{{"url", page}})};
  request.headers.emplace_back("Content-Type", "application/json");
  request.reach = web::Reach::own;
  request.timeout = page_time;
  request.max_bytes = answer_bytes;
  const auto response = co_await web::fetch(std::move(request));
  if (!response)
    co_return web::Error{.kind = response.error().kind,
                         .message = "The summarizer gave no answer for this page.",
                         .detail = response.error().message};
  auto answer = web::parse_json(response->body, "The answer");
  if (!answer || !answer->is_object())
    co_return web::Error{.kind = web::Kind::bad_gateway, .message = "The summarizer sent no JSON object."};
  if (response->status == 200) co_return std::move(*answer);
  const auto* message = answer->get_object().if_contains("error");
  const std::string reason = message != nullptr && message->is_string() ? std::string(message->get_string())
                                                                        : "status " + std::to_string(response->status);
  const bool is_busy = response->status == 429 || response->status == 503;
  co_return web::Error{.kind = is_busy ? web::Kind::unavailable : web::Kind::bad_gateway,
                       .message = "The page could not be read: " + reason + "."};
}

constexpr std::int64_t default_answer_tokens = 1'024, max_answer_tokens = 16'384;

billing::Payer payer() {
  return {.user = usage::gateway_user,
          .plan = billing::Plan::network,
          .is_admin = true,
          .agent = {},
          .key = {},
          .key_budget = {},
          .daily_tokens = {},
          .daily_cost = {}};
}

// Rounded up to the smallest unit.
payments::Usdc usdc_of(usage::Money cost) {
  constexpr std::int64_t units_of_micro = 1'000'000;  // Money counts 10^-12, USDC 10^-6
  return payments::Usdc::of_micro((cost.units() + units_of_micro - 1) / units_of_micro);
}

// Of the dearest model that may answer.
usage::Money max_cost(const std::vector<models::Candidate>& candidates, const models::ChatRequest& request) {
  usage::Money most;
  for (const auto& candidate : candidates)
    if (candidate.model != nullptr && !candidate.is_free())
      most = std::max(most, candidate.model->price.of(models::max_prompt_tokens(request), *request.max_tokens));
  return most;
}

// To its end also if the buyer hangs up meanwhile, and it is paid for: the provider sends its bill all the same.
web::Task<web::Result<json::value>> complete(models::ModelGateway& gateway, models::ModelCall call) {
  const auto answer = co_await gateway.complete(std::move(call));
  if (!answer) co_return answer.error();
  co_return json::value(models::openai::to_wire(*answer));
}

}  // namespace

web::Task<web::Result<Sale>> Plugins::prepare_skill(std::string skill, boost::json::object inputs) {
  if (skill.empty()) co_return web::invalid("action must name a skill");
  co_return co_await prepare_skill_(std::move(skill), std::move(inputs));
}

web::Task<web::Result<Sale>> Plugins::prepare_only(Plugin plugin, std::string action, boost::json::object input) {
  const auto only = action_of(plugin);
  if (!action.empty() && action != only) co_return web::invalid("action must be " + std::string(only));
  if (plugin == Plugin::models) co_return co_await prepare_call(std::move(input));
  co_return prepare_page(plugin, input);
}

web::Task<web::Result<Sale>> Plugins::prepare(Plugin plugin, std::string action, boost::json::object input) {
  web::Result<Sale> sale = web::invalid("plugin");
  if (plugin == Plugin::skills)
    sale = co_await prepare_skill(action, std::move(input));
  else
    sale = co_await prepare_only(plugin, action, std::move(input));
  if (!sale) co_return sale.error();
  sale->plugin = boost::describe::enum_to_string(plugin, "");
  sale->action = plugin == Plugin::skills ? action : std::string(action_of(plugin));
  co_return std::move(*sale);
}

web::Result<Sale> Plugins::prepare_page(Plugin plugin, const json::object& input) const {
  auto page = web::parse_value<PageInput>(json::value(input), "input");
  if (!page) return page.error();
  if (const auto url = web::parse_fetch_url(page->url); !url)
    return web::invalid("input.url must be an http or https address: " + url.error().message);
  const bool is_summary = plugin == Plugin::summarize;
  if (page->format && !is_summary) return web::invalid("input.format is for the plugin summarize only");
  std::string path = is_summary ? "/api/summarize" : "/api/extract";
  if (page->format) path += std::string("?format=") + boost::describe::enum_to_string(*page->format, "");
  auto deliver = [base = summarizer_url_, path, url = std::string(page->url)] { return ask(base() + path, url); };
  return Sale{.plugin = {},
              .action = {},
              .description = is_summary ? "The summary of a web page" : "The links, images and data of a web page",
              .price = is_summary ? prices_.summarize : prices_.extract,
              .url = {},
              .digest = {},
              .deliver = std::move(deliver)};
}

web::Task<web::Result<Sale>> Plugins::prepare_call(json::object input) {
  auto request = models::openai::parse_request(json::value(std::move(input)));
  if (!request) co_return web::invalid("input." + request.error().message);
  if (request->stream) co_return web::invalid("input.stream is not supported: the answer comes as a whole");
  request->max_tokens = request->max_tokens.value_or(default_answer_tokens);
  if (*request->max_tokens > max_answer_tokens)
    co_return web::invalid("input.max_tokens must be at most " + std::to_string(max_answer_tokens));

  models::ModelCall call{.request = std::move(*request), .query = {}, .payer = payer()};
  call.query.model = call.request.model;
  const auto catalogue = models_.catalogues().current();
  const auto candidates = co_await models_.router().choose(call.query, call.payer, *catalogue);
  if (!candidates) co_return candidates.error();
  const auto has_no_price = [](const models::Candidate& one) { return one.model == nullptr && !one.is_free(); };
  if (std::ranges::any_of(*candidates, has_no_price))
    co_return web::unavailable("This model has no price, so it is not sold: name another in input.model",
                               "a model that the catalogue does not have");
  const auto price = prices_.models + usdc_of(max_cost(*candidates, call.request));
  co_return Sale{.plugin = {},
                 .action = {},
                 .description = "A model call of at most " + std::to_string(*call.request.max_tokens) + " tokens",
                 .price = price,
                 .url = {},
                 .digest = {},
                 .deliver = [this, call] { return complete(models_, call); }};
}

}  // namespace gateway
