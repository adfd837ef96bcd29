#include "appliance/identity/security_events/security_events.h"

#include <algorithm>
#include <map>

#include "appliance/foundation/reverse_paging.h"
#include "appliance/identity/identity_provider/identity_provider.h"
#include "store/erase_range.h"

namespace security_events {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::days kept{400};

enum class Action { end_sessions, disable, enable, revoke_tokens, note };

// RISC's events, and other names that some transmitters use for them.
const std::map<std::string, Action, std::less<>> actions{
    {"account-disabled", Action::end_sessions},
    {"account-enabled", Action::enable},
    {"sessions-revoked", Action::end_sessions},
    {"session-revoked", Action::end_sessions},
    {"tokens-revoked", Action::revoke_tokens},
    {"token-revoked", Action::revoke_tokens},
    {"account-credential-change-required", Action::note},
    {"verification", Action::note},
};

Action action_for(const Event& event) {
  if (event.type == "account-disabled" && event.reason == "hijacking") return Action::disable;
  const auto found = actions.find(event.type);
  return found == actions.end() ? Action::note : found->second;
}

}  // namespace

const std::vector<std::string>& supported_events() {
  static const std::vector<std::string> names{
      "account-disabled", "account-enabled", "sessions-revoked", "tokens-revoked", "account-credential-change-required",
      "verification"};
  return names;
}

SecurityEvents::SecurityEvents(store::System system, Transmitter transmitter, identities::Identities& identities,
                               accounts::Accounts& accounts, accounts::Sessions& sessions, audit::Audit& audit,
                               boost::asio::io_context& home)
    : system_(std::move(system)),
      transmitter_(std::move(transmitter)),
      keys_([issuer = transmitter_.issuer] { return locate_keys(issuer); }),
      identities_(identities),
      accounts_(accounts),
      sessions_(sessions),
      audit_(audit),
      worker_(home, "security events", 250ms, [this] { return work(); }) {}

web::Task<web::Result<bool>> SecurityEvents::receive(std::string_view token, Matching matching) {
  auto event = co_await verify(transmitter_, keys_, token);
  if (!event) co_return event.error();
  if (matching == Matching::by_email) {
    event->subject.clear();
    for (Event& each : event->events) each.subject.clear();
  }
  event->received_at = store::now();
  auto change = system_.change();
  change.insert(received, *event);
  const auto outcome = co_await change.commit();
  if (!outcome.ok() && !outcome.duplicate("id")) co_return web::internal("The event could not be stored");
  co_return outcome.ok();
}

std::vector<Received> SecurityEvents::list(const std::string& before, std::size_t limit) const {
  std::optional<Received> from;
  if (!before.empty()) {
    auto row = system_.get(received, before);
    if (!row) return {};
    from = std::move(row->value);
  }
  return agentbox::newest(system_, received, "received_at", &Received::received_at, from, limit);
}

void SecurityEvents::start() { worker_.start(); }
web::Task<> SecurityEvents::stop() { co_await worker_.stop(); }

web::Task<> SecurityEvents::work() {
  for (;;) {
    auto pending = system_.find(received, "progress", Progress::pending, std::size_t(-1));
    if (pending.empty()) co_return;
    std::ranges::stable_sort(pending, {}, &Received::received_at);  // enabling and disabling do not commute
    for (auto& event : pending) co_await act(std::move(event));
  }
}

// Idempotent: after a crash before the last line everything is repeated.
web::Task<> SecurityEvents::act(Received event) {
  std::vector<std::string> done;
  for (const Event& each : event.events) {
    const auto user = user_of(each);
    std::string what = "no matching account";
    if (user) what = co_await act(each, user->id);
    audit::Entry entry{.act = "security event " + each.type,
                       .outcome = what,
                       .user_id = user ? user->id : 0,
                       .subject = each.email.empty() ? each.subject : each.email,
                       .address = {}};
    co_await audit_.note(std::move(entry));
    done.push_back(each.type + ": " + what);
  }
  auto apply = [&](Received& edited) {
    edited.progress = Progress::done;
    edited.actions = done;
    edited.done_at = store::now();
  };
  co_await system_.modify(received, event.id, apply);
}

web::Task<std::string> SecurityEvents::act(const Event& event, store::UserId user) {
  const std::string kind = identity_provider::IdentityProvider::identity_id(transmitter_.issuer, "");
  const Action action = action_for(event);
  if (action == Action::note) co_return "noted";
  if (action == Action::enable) {
    co_await identities_.set_disabled(user, kind, false);
    co_return "sign-in by identity provider enabled";
  }
  if (action == Action::disable) co_await identities_.set_disabled(user, kind, true);
  if (action == Action::revoke_tokens) co_await identities_.forget_refresh_tokens(user);
  co_await sessions_.end_all(user);
  if (action == Action::disable) co_return "sign-in by identity provider disabled, sessions ended";
  if (action == Action::revoke_tokens) co_return "refresh tokens forgotten, sessions ended";
  co_return "sessions ended";
}

std::optional<accounts::User> SecurityEvents::user_of(const Event& event) const {
  if (!event.subject.empty()) {
    const auto identity =
        identities_.find(identity_provider::IdentityProvider::identity_id(transmitter_.issuer, event.subject));
    if (identity) return accounts_.find(identity->user_id);
  }
  return accounts_.find_by_email(event.email);
}

web::Task<> SecurityEvents::sweep(store::Time now) {
  return store::erase_range(system_, received, "received_at", store::Time{}, now - kept);
}

}  // namespace security_events
