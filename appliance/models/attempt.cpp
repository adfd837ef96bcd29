#include "appliance/models/attempt.h"

#include <algorithm>

#include "appliance/models/fit.h"

namespace models {

namespace {

// The server chooses a model for a request without one, and its answer has the name.
std::string shown_model(const Candidate& candidate) {
  if (!candidate.id.empty()) return candidate.id;
  return candidate.name_there.empty() ? "default" : candidate.name_there;
}

}  // namespace

void ReceivedAnswer::text(std::string_view piece) {
  mark();
  counted_.add(piece);
  if (target_) target_->text(piece);
}

void ReceivedAnswer::call(std::size_t index, std::string_view id, std::string_view name, std::string_view arguments) {
  mark();
  counted_.add(name);
  counted_.add(arguments);
  if (target_) target_->call(index, id, name, arguments);
}

void ReceivedAnswer::other(const AnswerPiece& piece) {
  mark();
  counted_.add(piece.name);
  counted_.add(piece.arguments);
  counted_.add(piece.reasoning.text);
  counted_.add(piece.refusal);
  if (!target_) return;
  auto named = piece;
  if (named.block) named.reasoning.provider = provider_;
  if (!named.signature.empty()) named.signed_by = provider_;
  target_->other(named);
}

void ReceivedAnswer::usage(const TokenUsage& reported) {
  reported_ = reported;
  is_report_current_ = true;
}

void ReceivedAnswer::mark() {
  if (!first_) first_ = Clock::now();
  is_report_current_ = false;
}

TokenUsage ReceivedAnswer::used(std::int64_t prompt) const {
  if (!reported_) return {.input = prompt, .output = counted_.count(), .estimated = true};
  auto used = *reported_;
  if (is_report_current_) return used;
  used.output = std::max(used.output, counted_.count());
  used.estimated = true;
  return used;
}

usage::Money Attempt::cost_of(const TokenUsage& used) const {
  if (candidate.is_free()) return {};
  if (media) return media->cost_of(media_use);
  if (!candidate.model) return {};
  return candidate.model->price.of(used.input, used.output, used.cached, used.cache_written);
}

Attempt make_attempt(const Candidate& candidate, const ModelCall& call, Listener* listener,
                     std::int64_t default_max_tokens) {
  Attempt attempt{.candidate = candidate,
                  .request = call.request,
                  .received = ReceivedAnswer(listener, candidate.provider->name())};
  attempt.request.model = candidate.name_there;
  if (candidate.model) adapt(attempt.request, *candidate.model);
  attempt.request.origin.user = call.payer.user;
  attempt.request.origin.agent = call.payer.agent;
  attempt.is_streamed = listener || candidate.is_free();
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
                  .input_tokens = max_prompt_tokens(call.request),
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
