#include "appliance/identity/second_factor/passkeys.h"

#include <algorithm>

#include "appliance/access/epochs.h"
#include "appliance/foundation/crypto/base64url.h"
#include "appliance/foundation/crypto/cose.h"
#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/trusted_time.h"
#include "appliance/identity/second_factor/recovery_codes.h"

namespace second_factor {

namespace {

constexpr std::size_t random_id_length = 20;
constexpr std::int64_t timeout = std::chrono::milliseconds(challenge_lifetime).count();

web::Error used_challenge() { return web::invalid("clientDataJSON has a challenge that was used already"); }

}  // namespace

webauthn::RelyingParty Passkeys::party() const {
  return {.id = site_.domain(), .is_origin = [this](std::string_view origin) { return site_.is_ours(origin); }};
}

// Reveals nothing about the user to a finder of the authenticator.
std::string Passkeys::user_handle(store::UserId user) const {
  return crypto::hmac_sha256(key_, "user handle:" + std::to_string(user));
}

std::vector<Descriptor> Passkeys::descriptors(store::UserId user) const {
  std::vector<Descriptor> known;
  for (auto& passkey : list(user))
    known.push_back({.id = std::move(passkey.credential_id), .transports = std::move(passkey.transports)});
  return known;
}

std::optional<web::Error> Passkeys::refuse_origin(std::string_view origin) const {
  const std::string works_at = site_.passkey_origin();
  if (works_at.empty())
    return web::unavailable("Passkeys need a domain name, and this box is known by an IP address: set BASE_URL");
  if (origin.empty() || agentbox::origin_of(origin) == works_at) return std::nullopt;
  web::Error refused = web::conflict("Passkeys work at " + works_at + " only: open the console there");
  refused.code = "PASSKEY_ADDRESS";
  refused.extra["url"] = works_at;
  return refused;
}

web::Result<CreationOptions> Passkeys::creation_options(const accounts::User& user) const {
  if (auto refused = refuse_origin({})) return std::move(*refused);
  const std::string domain = site_.domain();
  CreationOptions options{
      .rp = {.id = domain, .name = domain},
      .user = {.id = crypto::to_base64url(user_handle(user.id)), .name = user.email, .displayName = user.name},
      .challenge = crypto::to_base64url(challenges_.issue(Purpose::add, user.id, agentbox::trusted_now())),
      .pubKeyCredParams = {},
      .timeout = timeout,
      .excludeCredentials = descriptors(user.id)};
  for (const std::int64_t algorithm : crypto::cose_algorithms) options.pubKeyCredParams.push_back({.alg = algorithm});
  return options;
}

std::optional<RequestOptions> Passkeys::request_options(store::UserId user, Purpose purpose) const {
  auto known = descriptors(user);
  const std::string domain = site_.domain();
  if (known.empty() || domain.empty()) return std::nullopt;
  return RequestOptions{.challenge = crypto::to_base64url(challenges_.issue(purpose, user, agentbox::trusted_now())),
                        .rpId = domain,
                        .timeout = timeout,
                        .allowCredentials = std::move(known)};
}

web::Task<web::Result<Passkeys::Added>> Passkeys::add(web::Caller caller, std::string name, webauthn::Created created) {
  const store::UserId user = caller.user_id;
  const auto now = agentbox::trusted_now();
  const webauthn::IsChallenge is_ours = [&](std::string_view challenge) {
    return challenges_.valid_until(challenge, Purpose::add, user, now).has_value();
  };
  auto verified = webauthn::verify_registration(created, party(), is_ours);
  if (!verified) co_return verified.error();
  const bool is_first_use = co_await challenges_.use(verified->challenge, Purpose::add, user, now);
  if (!is_first_use) co_return used_challenge();

  Added added{.passkey = {.user_id = user,
                          .id = "pk_" + crypto::random_id(random_id_length),
                          .name = std::move(name),
                          .credential_id = crypto::to_base64url(verified->id),
                          .public_key = crypto::to_base64url(verified->public_key),
                          .sign_count = verified->sign_count,
                          .created_at = now,
                          .last_used_at = std::nullopt},
              .recovery_codes = {}};
  if (created.response.transports)
    added.passkey.transports.assign(created.response.transports->begin(), created.response.transports->end());
  for (;;) {
    auto change = system_.change();
    const auto session = accounts::advance_credential_epoch(system_, caller, change);
    if (!session) co_return session.error();
    auto row = system_.get(factors, user);
    Factor factor = row ? row->value : Factor{.user_id = user, .created_at = now};
    if (factor.passkeys >= passkeys_per_user)
      co_return web::Error{
          .kind = web::Kind::too_many,
          .message = "There are " + std::to_string(passkeys_per_user) + " passkeys already: remove one first"};
    ++factor.passkeys;
    added.recovery_codes = generate_codes_if_none(factor);
    change.insert(passkeys, added.passkey);
    if (row) {
      row->value = factor;
      change.update(factors, *row);
    } else {
      change.insert(factors, factor);
    }
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return added;
    if (outcome.duplicate("credential")) co_return web::conflict("This passkey is registered already");
  }
}

std::vector<Passkey> Passkeys::list(store::UserId user) const {
  auto found = system_.tenant(user).list(passkeys, store::Page{.limit = passkeys_per_user});
  std::ranges::stable_sort(found, {}, &Passkey::created_at);
  return found;
}

web::Task<web::Result<Passkey>> Passkeys::rename(store::UserId user, std::string id, std::string name) {
  const auto apply = [&](Passkey& passkey) { passkey.name = name; };
  auto renamed = co_await system_.tenant(user).modify(passkeys, std::move(id), apply);
  if (!renamed) co_return web::not_found("No such passkey");
  co_return std::move(*renamed);
}

web::Task<web::Result<void>> Passkeys::remove(store::UserId user, std::string id) {
  for (;;) {
    auto factor = system_.get(factors, user);
    const auto row = system_.tenant(user).get(passkeys, id);
    if (!row || !factor) co_return web::not_found("No such passkey");
    auto change = system_.change();
    change.erase(passkeys, *row);
    --factor->value.passkeys;
    if (factor->value.is_on())
      change.update(factors, *factor);
    else
      change.erase(factors, *factor);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return web::Result<void>();
  }
}

std::optional<store::Row<Passkey>> Passkeys::find_credential(store::UserId user, std::string_view credential_id) const {
  auto found = system_.find_unique(passkeys, "credential", std::string(credential_id));
  if (!found || found->value.user_id != user) return std::nullopt;
  return found;
}

web::Task<web::Result<void>> Passkeys::check(store::UserId user, webauthn::Asserted given, Purpose purpose) {
  const auto now = agentbox::trusted_now();
  // A replay is reported as such, and not as the wrong counter that it has, too.
  bool is_spent = false, is_replayed = false;
  const webauthn::IsChallenge is_ours = [&](std::string_view challenge) {
    is_replayed = !is_spent && challenges_.is_used(challenge);
    return challenges_.valid_until(challenge, purpose, user, now).has_value();
  };
  for (;;) {
    auto row = find_credential(user, given.id);
    if (!row) co_return web::invalid("id is no passkey of this account");
    const webauthn::KnownCredential known{.public_key = crypto::from_base64url(row->value.public_key).value_or(""),
                                          .sign_count = static_cast<std::uint32_t>(row->value.sign_count),
                                          .user_handle = user_handle(user)};
    const auto verified = webauthn::verify_assertion(given, known, party(), is_ours);
    if (is_replayed) co_return used_challenge();
    if (!verified) co_return verified.error();
    if (!is_spent) is_spent = co_await challenges_.use(verified->challenge, purpose, user, now);
    if (!is_spent) co_return used_challenge();
    row->value.sign_count = verified->sign_count;
    row->value.last_used_at = now;
    auto change = system_.change();
    change.update(passkeys, *row);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return web::Result<void>();
  }
}

}  // namespace second_factor
