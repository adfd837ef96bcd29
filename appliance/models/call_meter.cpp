#include "appliance/models/call_meter.h"

#include <algorithm>
#include <limits>
#include <set>

#include "web/utf8.h"

namespace models {

namespace {

constexpr std::int64_t shortest_answer = 16;  // tokens; a call with less room is refused
constexpr std::size_t tool_name_bytes = 64;

std::int64_t milliseconds(Attempt::Clock::duration time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

std::vector<std::string> tools_of(const ChatAnswer& answer) {
  std::set<std::string> names;
  for (const auto& call : answer.message.tool_calls)
    names.insert(std::string(web::utf8_prefix(call.name, tool_name_bytes)));
  return {names.begin(), names.end()};
}

void set_usage(usage::Call& used, const Attempt& attempt, const TokenUsage& usage) {
  used.input_tokens = usage.input;
  used.output_tokens = usage.output;
  used.cached_tokens = usage.cached;
  used.reasoning_tokens = usage.reasoning;
  used.estimated = usage.estimated;
  used.cost = attempt.cost_of(usage).units();
}

void add_answer(usage::Call& used, const Attempt& attempt, const ChatAnswer& answer) {
  used.outcome = "ok";
  if (!answer.model.empty() && !attempt.candidate.model) used.model = answer.model;
  set_usage(used, attempt, answer.usage);
  used.tools = tools_of(answer);
}

// A failure whose usage is unknown keeps the reserved maximum.
void add_failure(usage::Call& used, const Attempt& attempt, const ChatRequest& request, const Failure& failure) {
  used.outcome = to_string(failure.fault);
  if (!failure.may_be_billed) return set_usage(used, attempt, {});
  const bool has_box_hung_up = failure.fault == Fault::cancelled || failure.fault == Fault::timeout;
  if (!attempt.is_streamed || (has_box_hung_up && attempt.is_billed_after_disconnect)) return;
  const auto prompt = std::min(counted_tokens(request), used.input_tokens);
  auto passed = attempt.received.used(prompt);
  if (passed.estimated) passed.output = std::min(passed.output, used.output_tokens);
  set_usage(used, attempt, passed);
}

}  // namespace

std::int64_t CallMeter::room_within(const usage::Limit& limit, const Attempt& attempt) const {
  const auto left = limit.most - ledger_.spent(attempt.call.user_id, limit);
  if (limit.field != usage::TallyField::cost) return left - attempt.call.input_tokens;
  const auto token_cost = attempt.cost_of({.output = 1}).units();
  const auto for_answer = left - attempt.cost_of({.input = attempt.call.input_tokens}).units();
  if (token_cost > 0) return for_answer / token_cost;
  return for_answer >= 0 ? std::numeric_limits<std::int64_t>::max() : 0;
}

// Half of the room that is left, so that concurrent calls find some, too; all of it when there is little.
std::int64_t CallMeter::shortened_answer(const Attempt& attempt, std::int64_t max_tokens) const {
  auto room = max_tokens;
  for (const auto& limit : attempt.limits) room = std::min(room, room_within(limit, attempt));
  return room >= 32 * shortest_answer ? room / 2 : room;
}

// Models without a price, such as those of the local server, are the plan's only.
bool CallMeter::move_to_credits(Attempt& attempt, const usage::Limit& exceeded) {
  if (attempt.call.cost == 0) return false;
  auto limits = attempt.bounds.paid_by_credits(exceeded);
  if (!limits) return false;
  attempt.limits = std::move(*limits);
  attempt.is_on_credits = true;
  return true;
}

web::Task<std::optional<usage::Limit>> CallMeter::reserve(Attempt& attempt) {
  auto& call = attempt.call;
  for (;;) {
    const TokenUsage most{.input = call.input_tokens,
                          .output = *attempt.request.max_tokens,
                          .cache_written = attempt.request.is_cached ? call.input_tokens : 0};
    call.output_tokens = most.output;
    call.cost = attempt.cost_of(most).units();
    call.credits = attempt.is_on_credits ? call.cost : 0;
    auto reserved = co_await ledger_.reserve(call, attempt.limits);
    if (auto* reservation = std::get_if<usage::Reservation>(&reserved)) {
      attempt.reservation = std::move(*reservation);
      co_return std::nullopt;
    }
    const auto exceeded = attempt.limits[std::get<std::size_t>(reserved)];
    if (move_to_credits(attempt, exceeded)) continue;
    if (attempt.is_shortened || !attempt.has_default_limit) co_return exceeded;
    const auto room = shortened_answer(attempt, most.output);
    if (room < shortest_answer || room >= most.output) co_return exceeded;
    attempt.request.max_tokens = room;
    attempt.is_shortened = true;
  }
}

web::Task<> CallMeter::settle(Attempt& attempt, const ChatRequest& request, const Outcome<ChatAnswer>& outcome) {
  auto used = attempt.call;
  used.latency_ms = milliseconds(Attempt::Clock::now() - attempt.started);
  if (const auto& first = attempt.received.first(); first && attempt.received.has_target())
    used.first_token_ms = std::max<std::int64_t>(1, milliseconds(*first - attempt.started));
  if (outcome) {
    add_answer(used, attempt, *outcome);
  } else {
    add_failure(used, attempt, request, outcome.error());
  }
  // What a provider answers beyond the limit it was given is not charged to the user's credits.
  used.credits = std::min(used.cost, attempt.call.credits);
  co_await ledger_.settle(std::move(used), std::move(*attempt.reservation));
}

web::Task<> CallMeter::record_cached(const billing::Payer& payer, const ChatAnswer& answer) {
  usage::Call call{.user_id = payer.user,
                   .at = store::now(),
                   .agent = payer.agent,
                   .key = payer.key,
                   .provider = "cache",
                   .model = answer.model,
                   .priced = true,
                   .outcome = "ok"};
  co_await ledger_.record(std::move(call));
}

}  // namespace models
