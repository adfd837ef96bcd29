#include "appliance/network/bus/bus.h"

#include "appliance/foundation/crypto/jcs.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/agents/owner_state.h"

namespace bus {

namespace {

namespace json = boost::json;

constexpr std::size_t max_payload_bytes = 64 * 1024;

web::Error no_such_agent() { return web::not_found("No such agent"); }

web::Result<std::string> digest_of(const Outgoing& message) {
  const auto payload = crypto::canonical_json(message.payload);
  if (!payload) return web::invalid("payload must not contain whole numbers that doubles cannot represent");
  if (payload->size() > max_payload_bytes) return web::invalid("payload must be at most 64 KB");
  const json::array parts{message.to, message.action, *payload};
  return crypto::sha256_hex(json::serialize(parts));
}

}  // namespace

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
    bool is_among_own = false;
    if (!effect->to.empty()) {
      const auto recipient = find_participant(system_, effect->to);
      if (!recipient || !admits(recipient->value, sender->value)) co_return no_such_agent();
      change.require(participants, *recipient);  // its deletion removes its messages only once
      is_among_own = recipient->value.owner == owner;
      lanes = worker_.post(change, message, effect->context, recipient->value);
    }
    const Sent answer{.owner = owner, .id = id, .digest = *digest, .context = effect->context, .accepted_at = now};
    change.insert(sent, answer);
    const auto charge = limit_.add(change, owner, sender->value.plan);
    const auto outcome = co_await change.commit();
    if (charge.exceeds(outcome)) co_return charge.error();
    if (outcome.kind == store::Outcome::Kind::over_bound)
      co_return action_of(message.action)->over_bound(outcome, message);
    if (!outcome.ok()) continue;
    worker_.wake(std::move(lanes));
    if (is_among_own && accepted_) accepted_(owner, message.from, effect->to);
    if (auto* action = action_of(message.action)) action->committed(*effect);
    co_return std::move(effect->context);
  }
}

}  // namespace bus
