// ModelGateway::embed.
#include <boost/json.hpp>

#include "appliance/models/admission.h"
#include "appliance/models/model_gateway.h"
#include "appliance/models/providers/wire_json.h"
#include "appliance/models/scoped_count.h"

namespace models {

namespace {

// The input tokens that an answer in the embeddings form reports.
std::optional<std::int64_t> prompt_tokens_in(const std::string& body) {
  boost::system::error_code error;
  const auto value = boost::json::parse(body, error);
  const auto* object = error ? nullptr : value.if_object();
  const auto* usage = object ? object_in(*object, "usage") : nullptr;
  return usage ? token_count_in(*usage, "prompt_tokens") : std::nullopt;
}

// An answer without text: for the meter. Input that the provider does not report is estimated at four bytes a token.
ChatAnswer usage_of(const std::string& body, const std::string& model, std::int64_t input_bytes) {
  const auto input = prompt_tokens_in(body);
  ChatAnswer answer{.model = model};
  answer.usage = {.input = input.value_or(input_bytes / 4), .estimated = !input};
  return answer;
}

}  // namespace

web::Task<web::Result<std::string>> ModelGateway::embed(std::string model, std::string body, billing::Payer payer) {
  const ScopedCount counted(calls_in_progress_);
  const auto catalogue = catalogues_.current();
  auto candidate = co_await router_.embedder(model, payer, *catalogue);
  if (!candidate) co_return candidate.error();
  const ModelCall call{.request = {}, .query = {}, .payer = std::move(payer)};
  auto attempt = prepare(*candidate, call, nullptr);
  attempt.call.input_tokens = static_cast<std::int64_t>(body.size());
  attempt.request.max_tokens = 0;
  attempt.has_default_limit = false;
  if (!attempt.has_price() && attempt.bounds.has_money()) co_return no_price(model);
  auto& breaker = providers_.breaker(candidate->provider->name());
  Admission admission(candidate->own_key ? nullptr : &breaker, model, ProviderBreaker::Reason::last_resort);
  if (!admission) co_return to_error(circuit_open(*candidate, model, breaker));
  if (const auto exceeded = co_await meter_.reserve(attempt))
    co_return policy_.refusal(attempt.bounds, *exceeded, attempt.call);
  attempt.started = Attempt::Clock::now();
  const auto answer = co_await candidate->provider->embeddings(std::move(body));
  const auto outcome = answer ? Outcome<ChatAnswer>(usage_of(*answer, model, attempt.call.input_tokens))
                              : Outcome<ChatAnswer>(answer.error());
  admission.report(outcome);
  co_await meter_.settle(attempt, outcome);
  if (!answer) co_return to_error(answer.error());
  co_return *answer;
}

}  // namespace models
