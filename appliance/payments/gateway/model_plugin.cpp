// models: a model call without an account. It costs the plugin's price and, at the catalogue's prices, the most tokens
// that the call can use: what x402's scheme `exact` charges has to be known before.
#include <algorithm>

#include "appliance/billing/usage/records.h"
#include "appliance/models/model_gateway.h"
#include "appliance/models/providers/openai_wire.h"
#include "appliance/payments/gateway/plugins.h"

namespace gateway {

namespace json = boost::json;

namespace {

constexpr std::int64_t default_answer_tokens = 1'024, most_answer_tokens = 16'384;

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
usage::Money most_cost(const std::vector<models::Candidate>& candidates, const models::ChatRequest& request) {
  usage::Money most;
  for (const auto& candidate : candidates)
    if (candidate.model != nullptr && !candidate.is_free())
      most = std::max(most, candidate.model->price.of(models::most_tokens(request), *request.max_tokens));
  return most;
}

// To its end also if the buyer hangs up meanwhile, and it is paid for: the provider sends its bill all the same.
web::Task<web::Result<json::value>> complete(models::ModelGateway& gateway, models::ModelCall call) {
  const auto answer = co_await gateway.complete(std::move(call));
  if (!answer) co_return answer.error();
  co_return json::value(models::openai::to_wire(*answer));
}

}  // namespace

web::Task<web::Result<Sale>> Plugins::prepare_call(json::object input) {
  auto request = models::openai::parse_request(json::value(std::move(input)));
  if (!request) co_return web::invalid("input." + request.error().message);
  if (request->stream) co_return web::invalid("input.stream is not supported: the answer comes as a whole");
  request->max_tokens = request->max_tokens.value_or(default_answer_tokens);
  if (*request->max_tokens > most_answer_tokens)
    co_return web::invalid("input.max_tokens must be at most " + std::to_string(most_answer_tokens));

  models::ModelCall call{.request = std::move(*request), .query = {}, .payer = payer()};
  call.query.model = call.request.model;
  const auto catalogue = models_.catalogues().current();
  const auto candidates = co_await models_.router().choose(call.query, call.payer, *catalogue);
  if (!candidates) co_return candidates.error();
  const auto has_no_price = [](const models::Candidate& one) { return one.model == nullptr && !one.is_free(); };
  if (std::ranges::any_of(*candidates, has_no_price))
    co_return web::unavailable("This model has no price, so it is not sold: name another in input.model",
                               "a model that the catalogue does not have");
  const auto price = prices_.models + usdc_of(most_cost(*candidates, call.request));
  co_return Sale{.plugin = {},
                 .action = {},
                 .description = "A model call of at most " + std::to_string(*call.request.max_tokens) + " tokens",
                 .price = price,
                 .url = {},
                 .digest = {},
                 .deliver = [this, call] { return complete(models_, call); }};
}

}  // namespace gateway
