#include "appliance/identity/verification/verification.h"

#include <algorithm>

#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/email.h"
#include "appliance/foundation/trusted_time.h"
#include "store/erase_range.h"

namespace verification {

namespace {

using namespace std::chrono_literals;

constexpr auto mail_window = 1h;

web::Error bad_token() {
  return web::invalid("This link is invalid or has expired, or belongs to another account. Request a new one.");
}

web::Error too_many_mails(std::chrono::seconds wait) {
  web::Error error{.kind = web::Kind::too_many, .message = "Several mails were sent already, please try again later."};
  error.extra["retryAfter"] = wait.count();
  error.extra["rateLimit"] = {{"limit", std::int64_t{mails_per_hour}}, {"remaining", 0}, {"reset", wait.count()}};
  return error;
}

bool is_valid(const Token& token, const accounts::User& user, store::Time now) {
  return token.expires_at > now && token.user_id == user.id && token.email == user.email &&
         token.moment >= user.email_since;
}

std::string letter_text(const std::string& link, const std::string& site) {
  return "An account at " + site + " was set up with this address.\n\nIf it is yours, confirm the address: open\n\n  " +
         link +
         "\n\nwithin seven days, and sign in there if you are asked to.\n\n"
         "If it is not yours, there is nothing to do. The account stays unconfirmed.\n";
}

}  // namespace

web::Task<web::Result<void>> Verification::send(store::UserId id) {
  const auto epoch = accounts_.session_epoch();
  const auto user = accounts_.find(id);
  if (!user) co_return web::not_found("No such user");
  if (user->email_verified) co_return web::conflict("The e-mail address is verified already");
  if (agentbox::is_reserved_email(user->email)) co_return web::conflict("The account has no e-mail address");
  const auto now = agentbox::trusted_now();
  std::vector<store::Time> recent;
  for (const Token& token : system_.find(tokens, "user", id))
    if (token.created_at > now - mail_window) recent.push_back(token.created_at);
  if (recent.size() >= mails_per_hour) {
    const auto next = std::ranges::min(recent) + mail_window;
    co_return too_many_mails(std::chrono::ceil<std::chrono::seconds>(next - now));
  }
  const std::string secret = crypto::random_token(32);
  const Token token{.id = crypto::sha256_hex(secret),
                    .user_id = id,
                    .email = user->email,
                    .created_at = now,
                    .expires_at = now + token_lifetime,
                    .moment = epoch};
  auto change = system_.change();
  change.insert(tokens, token);
  co_await change.commit();
  mail::Letter letter{.to = user->email,
                      .subject = "Confirm your e-mail address",
                      .body = letter_text(site_.page_url("/settings?verify=" + secret), site_.origin())};
  co_await outbox_.post(std::move(letter));
  co_return web::Result<void>();
}

web::Task<web::Result<accounts::User>> Verification::verify(web::Caller caller, std::string secret) {
  const std::string token_id = crypto::sha256_hex(secret);
  const accounts::Accounts::Also also = [&](const accounts::User& before, store::Change& change) {
    return spend(token_id, before, change);
  };
  co_return co_await accounts_.verify_email(std::move(caller), also);
}

web::Result<void> Verification::spend(const std::string& token_id, const accounts::User& user,
                                      store::Change& change) const {
  const auto token = system_.get(tokens, token_id);
  if (!token || !is_valid(token->value, user, agentbox::trusted_now())) return bad_token();
  for (const Token& each : system_.find(tokens, "user", user.id))
    if (const auto row = system_.get(tokens, each.id)) change.erase(tokens, *row);
  return {};
}

web::Task<> Verification::sweep(store::Time now) {
  return store::erase_range(system_, tokens, "expires", store::Time{}, now);
}

}  // namespace verification
