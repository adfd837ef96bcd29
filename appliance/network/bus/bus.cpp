#include "appliance/network/bus/bus.h"

#include "appliance/billing/usage/period.h"
#include "appliance/foundation/crypto/jcs.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/agents/owner_state.h"
#include "web/reply.h"

namespace bus {

namespace {

namespace json = boost::json;

constexpr std::int64_t messages_without_plan = 20;
constexpr std::size_t most_payload_bytes = 64 * 1024;

web::Error no_such_agent() { return web::not_found("No such agent"); }

store::CounterName counter_of(store::Time now) { return {"bus_messages/" + usage::Period::day(now).name()}; }

web::Error daily_limit_reached(std::int64_t limit, store::Time now) {
  web::Error error{.kind = web::Kind::too_many,
                   .message = "Your plan allows " + std::to_string(limit) + " agent messages a day.",
                   .code = {},
                   .detail = {},
                   .extra = {}};
  error.extra["limit"] = limit;
  error.extra["resetsAt"] = web::iso8601(usage::next_day(now));
  return error;
}

web::Result<std::string> digest_of(const Outgoing& message) {
  const auto payload = crypto::canonical_json(message.payload);
  if (!payload) return web::invalid("payload must not contain whole numbers that doubles cannot represent");
  if (payload->size() > most_payload_bytes) return web::invalid("payload must be at most 64 KB");
  const json::array parts{message.to, message.action, *payload};
  return crypto::sha256_hex(json::serialize(parts));
}

std::optional<billing::Plan> plan_of(const billing::Subscriptions& subscriptions, const Participant& sender) {
  if (sender.owner == 0) return billing::plan_named(sender.plan);
  const auto held = subscriptions.active(sender.owner);
  return held ? std::optional(held->plan) : std::nullopt;
}

}  // namespace

std::int64_t messages_a_day(std::optional<billing::Plan> plan) {
  return plan ? billing::limits(*plan).messages_per_day : messages_without_plan;
}

Action* Bus::action_of(std::string_view name) const {
  for (const auto& [prefix, action] : actions_)
    if (name.starts_with(prefix)) return action;
  return nullptr;
}

web::Task<web::Result<Effect>> Bus::effect_of(store::Change& change, const Outgoing& message,
                                              const Participant& sender) const {
  if (auto* action = action_of(message.action)) co_return co_await action->apply(change, message, sender);
  if (message.to.empty()) co_return web::invalid("to is required");
  Effect plain{.to = message.to, .context = {}};
  co_return plain;
}

std::optional<web::Result<json::object>> Bus::first_answer(store::UserId owner, const std::string& id,
                                                           const std::string& digest) const {
  auto row = system_.tenant(owner).get(sent, id);
  if (!row) return std::nullopt;
  if (row->value.digest != digest)
    return web::Result<json::object>(web::conflict("messageId was used for another message"));
  return web::Result<json::object>(std::move(row->value.context));
}

web::Task<web::Result<json::object>> Bus::send(Outgoing message) {
  const auto digest = digest_of(message);
  if (!digest) co_return digest.error();
  const auto id = sent_id(message.from, message.message_id);
  for (;;) {
    const auto sender = find_participant(system_, message.from);
    if (!sender) co_return no_such_agent();
    const auto owner = sender->value.owner;
    if (auto first = first_answer(owner, id, *digest)) co_return std::move(*first);
    const auto now = store::now();
    auto change = system_.change();
    if (const auto enabled = agents::require_enabled_owner(system_, owner, change); !enabled) co_return enabled.error();
    auto effect = co_await effect_of(change, message, sender->value);
    if (!effect) co_return effect.error();
    std::vector<std::string> lanes;
    if (!effect->to.empty()) {
      const auto recipient = find_participant(system_, effect->to);
      if (!recipient || !admits(recipient->value, sender->value)) co_return no_such_agent();
      change.require(participants, *recipient);  // its deletion removes its messages only once
      lanes = courier_.post(change, message, effect->context, recipient->value);
    }
    const Sent answer{.owner = owner, .id = id, .digest = *digest, .context = effect->context, .accepted_at = now};
    change.insert(sent, answer);
    const auto limit = messages_a_day(plan_of(subscriptions_, sender->value));
    const auto counter = counter_of(now);
    change.add(owner, counter, 1, limit);
    const auto outcome = co_await change.commit();
    if (outcome.kind == store::Outcome::Kind::over_bound) {
      if (outcome.index == counter.name) co_return daily_limit_reached(limit, now);
      co_return action_of(message.action)->over_bound(outcome, message);
    }
    if (!outcome.ok()) continue;
    courier_.wake(std::move(lanes));
    if (auto* action = action_of(message.action)) action->committed(*effect);
    co_return std::move(effect->context);
  }
}

}  // namespace bus
