#include "appliance/models/attempt.h"

#include <algorithm>

namespace models {

namespace {

// The server chooses a model for a request without one, and its answer has the name.
std::string shown_model(const Candidate& candidate) {
  if (!candidate.id.empty()) return candidate.id;
  return candidate.name_there.empty() ? "default" : candidate.name_there;
}

}  // namespace

void FirstTokenTimer::text(std::string_view piece) {
  mark();
  target_->text(piece);
}

void FirstTokenTimer::call(std::size_t index, std::string_view id, std::string_view name, std::string_view arguments) {
  mark();
  target_->call(index, id, name, arguments);
}

void FirstTokenTimer::mark() {
  if (!first_) first_ = Clock::now();
}

usage::Money Attempt::cost_of(const TokenUsage& used) const {
  if (!candidate.model || candidate.is_free()) return {};
  return candidate.model->price.of(used.input, used.output, used.cached);
}

Attempt make_attempt(const Candidate& candidate, const ModelCall& call, Listener* listener,
                     std::int64_t default_max_tokens) {
  Attempt attempt{.candidate = candidate, .request = call.request, .first_token = FirstTokenTimer(listener)};
  attempt.request.model = candidate.name_there;
  attempt.request.asker.user = call.payer.user;
  attempt.request.asker.agent = call.payer.agent;
  if (!attempt.request.max_tokens) {
    attempt.request.max_tokens =
        candidate.model ? std::min(default_max_tokens, candidate.model->max_output) : default_max_tokens;
    attempt.has_default_limit = true;
  }
  attempt.call = {.user_id = call.payer.user,
                  .at = store::now(),
                  .agent = call.payer.agent,
                  .key = call.payer.key,
                  .provider = std::string(candidate.provider->name()),
                  .model = shown_model(candidate),
                  .input_tokens = most_tokens(call.request),
                  .estimated = true,
                  .priced = attempt.has_price(),
                  .own_key = candidate.own_key,
                  .outcome = "interrupted"};
  return attempt;
}

web::Error no_price(const std::string& model) {
  return {.kind = web::Kind::forbidden,
          .message = "The catalogue has no price for " + model + ", so a cap on money rules it out",
          .code = "MODEL_RESTRICTED"};
}

}  // namespace models
