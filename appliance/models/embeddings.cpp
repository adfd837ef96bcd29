// ModelGateway::embed and pass.
#include <algorithm>
#include <boost/json.hpp>
#include <cmath>

#include "appliance/models/admission.h"
#include "appliance/models/model_gateway.h"
#include "appliance/models/providers/wire_json.h"
#include "appliance/models/scoped_count.h"
#include "web/json.h"

namespace models {

namespace {

// The input tokens that an answer in the embeddings form reports.
std::optional<std::int64_t> prompt_tokens_in(const std::string& body) {
  boost::system::error_code error;
  const auto value = boost::json::parse(body, error);
  const auto* object = error ? nullptr : value.if_object();
  const auto* usage = object ? web::object_member(*object, "usage") : nullptr;
  return usage ? token_count_in(*usage, "prompt_tokens") : std::nullopt;
}

// An answer in another form, such as a page of a proxy, must not reach the client as a success.
Outcome<std::string> require_embeddings(Outcome<std::string> answer, const std::string& provider) {
  if (!answer) return answer;
  boost::system::error_code error;
  const auto value = boost::json::parse(*answer, error);
  const auto* object = error ? nullptr : value.if_object();
  if (object && web::array_member(*object, "data")) return answer;
  return Failure{.fault = Fault::bad_answer,
                 .message = "The model provider '" + provider + "' sent an answer without embeddings."};
}

// What was used, as far as the answer reports it: the tokens, the seconds of a transcription, the images. The rest as
// in `most`, whose units the request determines.
MediaUse used_by(const PassedAnswer& answer, MediaUse most, bool& reports_tokens) {
  auto used = most;
  used.input_tokens = used.output_tokens = used.sound_tokens = 0;
  reports_tokens = false;
  if (!answer.content_type.starts_with("application/json")) return used;
  boost::system::error_code error;
  const auto value = boost::json::parse(answer.body, error);
  const auto* object = error ? nullptr : value.if_object();
  if (!object) return used;
  if (const auto* images = web::array_member(*object, "data"); images && most.images > 0)
    used.images = static_cast<std::int64_t>(images->size());
  const auto* usage = web::object_member(*object, "usage");
  for (const auto* seconds : {usage ? usage->if_contains("seconds") : nullptr, object->if_contains("duration")}) {
    boost::system::error_code not_a_number;
    const auto reported = seconds && most.seconds > 0 ? seconds->to_number<double>(not_a_number) : -1;
    if (not_a_number || !(reported >= 0 && reported < 1e7)) continue;
    used.seconds = static_cast<std::int64_t>(std::ceil(reported));
    break;
  }
  const auto input = usage ? token_count_in(*usage, "input_tokens") : std::nullopt;
  if (!input) return used;
  reports_tokens = true;
  used.input_tokens = *input;
  used.output_tokens = optional_token_count_in(*usage, "output_tokens").value_or(0);
  if (const auto* details = web::object_member(*usage, "input_token_details"))
    used.sound_tokens = std::min(*input, optional_token_count_in(*details, "audio_tokens").value_or(0));
  return used;
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
  auto passed = co_await candidate->provider->embeddings(std::move(body));
  const auto answer = require_embeddings(std::move(passed), std::string(candidate->provider->name()));
  const auto outcome = answer ? Outcome<ChatAnswer>(usage_of(*answer, model, attempt.call.input_tokens))
                              : Outcome<ChatAnswer>(answer.error());
  admission.report(outcome);
  co_await meter_.settle(attempt, attempt.request, outcome);
  if (!answer) co_return to_error(answer.error());
  co_return *answer;
}

web::Task<web::Result<PassedAnswer>> ModelGateway::pass(std::string model, PassedRequest request, MediaUse most,
                                                        billing::Payer payer) {
  const ScopedCount counted(calls_in_progress_);
  const auto catalogue = catalogues_.current();
  auto candidate = co_await router_.embedder(model, payer, *catalogue);
  if (!candidate) co_return candidate.error();
  const ModelCall call{.request = {}, .query = {}, .payer = std::move(payer)};
  auto attempt = prepare(*candidate, call, nullptr);
  attempt.call.input_tokens = most.input_tokens;
  attempt.request.max_tokens = 0;
  attempt.has_default_limit = false;
  attempt.media = catalogue->find_media(model);
  if (attempt.media) {
    most.output_tokens *= attempt.media->max_output;
    attempt.request.max_tokens = most.output_tokens;
    attempt.media_use = most;
    attempt.call.priced = true;
    if (!candidate->is_free()) attempt.limits = attempt.bounds.limits;
  }
  if (!attempt.has_price() && attempt.bounds.has_money()) co_return no_price(model);
  auto& breaker = providers_.breaker(candidate->provider->name());
  Admission admission(candidate->own_key ? nullptr : &breaker, model, ProviderBreaker::Reason::last_resort);
  if (!admission) co_return to_error(circuit_open(*candidate, model, breaker));
  if (const auto exceeded = co_await meter_.reserve(attempt))
    co_return policy_.refusal(attempt.bounds, *exceeded, attempt.call);
  attempt.started = Attempt::Clock::now();
  auto origin = attempt.request.origin;
  auto answer = co_await candidate->provider->pass(std::move(request), std::move(origin));
  ChatAnswer metered{.model = model};
  if (answer) {
    bool reports_tokens = false;
    const auto used = used_by(*answer, most, reports_tokens);
    metered.usage = {.input = used.input_tokens, .output = used.output_tokens, .estimated = !reports_tokens};
    // A provider that charges for tokens and reports none: the most that they can be.
    const bool is_unknown = attempt.media && attempt.media->input && !reports_tokens;
    attempt.media_use = is_unknown ? most : used;
    if (attempt.media && !attempt.media->input) metered.usage.estimated = false;
  } else if (!answer.error().may_be_billed) {
    attempt.media_use = {};
  }
  const auto outcome = answer ? Outcome<ChatAnswer>(std::move(metered)) : Outcome<ChatAnswer>(answer.error());
  admission.report(outcome);
  co_await meter_.settle(attempt, attempt.request, outcome);
  if (!answer) co_return to_error(answer.error());
  co_return std::move(*answer);
}

}  // namespace models
