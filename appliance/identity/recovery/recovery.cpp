#include "appliance/identity/recovery/recovery.h"

#include <algorithm>

#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/email.h"
#include "appliance/foundation/trusted_time.h"
#include "store/erase_range.h"

namespace recovery {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t page = 500;

web::Error bad_token() { return web::invalid("This link is invalid or has expired. Request a new one."); }

bool is_valid(const Token& token, const accounts::User& user) {
  return token.expires_at > agentbox::trusted_now() && token.email == user.email && !user.is_disabled &&
         token.moment >= user.sessions_since && token.moment >= user.email_since;
}

std::string letter_text(const std::string& link, const std::string& site) {
  return "Somebody, probably you, asked for a new password for your account at " + site +
         ".\n\nTo choose one, open\n\n  " + link +
         "\n\nwithin 30 minutes. It works once, and signs you out everywhere.\n\n"
         "If it was not you, there is nothing to do: your password stays as it is.\n";
}

}  // namespace

Recovery::Recovery(store::System system, accounts::Accounts& accounts, identities::Identities& identities,
                   second_factor::SecondFactor& factor, mail::Outbox& outbox, const agentbox::Site& site,
                   boost::asio::io_context& home)
    : system_(std::move(system)),
      accounts_(accounts),
      identities_(identities),
      factor_(factor),
      outbox_(outbox),
      site_(site),
      worker_(home, "password recovery", 500ms, [this] { return work(); }) {}

web::Task<> Recovery::request(std::string email) {
  auto address = agentbox::normalised_email(email);
  if (!address) co_return;
  const std::int64_t id = co_await system_.next_id("reset_requests");
  const Request request{.id = id, .email = std::move(*address)};
  auto change = system_.change();
  change.insert(requests, request);
  co_await change.commit();
}

web::Task<> Recovery::work() {
  std::vector<Request> waiting;
  system_.each<Request, std::int64_t>(requests, [&](const Request& request) {
    waiting.push_back(request);
    return waiting.size() < page;
  });
  for (auto& request : waiting) co_await process(std::move(request));
}

// After a crash in between the mail is sent again.
web::Task<> Recovery::process(Request request) {
  const auto epoch = accounts_.session_epoch();
  auto user = accounts_.find_by_email(request.email);
  const bool may_reset = user && !user->is_disabled && accounts_.admit_password_of(*user);
  if (may_reset && !agentbox::is_reserved_email(user->email)) co_await send_token(std::move(*user), epoch);
  const auto row = system_.get(requests, request.id);
  if (!row) co_return;
  auto change = system_.change();
  change.erase(requests, *row);
  co_await change.commit();
}

web::Task<> Recovery::send_token(accounts::User user, accounts::SessionEpoch epoch) {
  const auto now = agentbox::trusted_now();
  const auto issued = system_.find(tokens, "user", user.id);
  const auto live = std::ranges::count_if(issued, [&](const Token& token) { return is_valid(token, user); });
  if (static_cast<std::size_t>(live) >= tokens_at_once) co_return;
  const std::string secret = crypto::random_token(32);
  const Token token{.id = crypto::sha256_hex(secret),
                    .user_id = user.id,
                    .email = user.email,
                    .created_at = now,
                    .expires_at = now + token_lifetime,
                    .moment = epoch};
  auto change = system_.change();
  change.insert(tokens, token);
  co_await change.commit();
  mail::Letter letter{.to = user.email,
                      .subject = "A new password for your account",
                      .body = letter_text(site_.page_url("/login?reset=" + secret), site_.origin())};
  co_await outbox_.post(std::move(letter));
}

web::Task<web::Result<accounts::User>> Recovery::reset(std::string secret, std::string password,
                                                       second_factor::Proof proof) {
  const std::string token_id = crypto::sha256_hex(secret);
  const auto token = system_.get(tokens, token_id);
  if (!token) co_return bad_token();
  const auto user = accounts_.find(token->value.user_id);
  if (!user || !is_valid(token->value, *user)) co_return bad_token();
  if (const auto admitted = accounts_.admit_password_of(*user); !admitted) co_return admitted.error();
  if (auto refused = accounts::Accounts::refuse_password(password, user->email)) co_return std::move(*refused);
  const bool asks_factor = factor_.is_on(user->id);
  if (asks_factor && proof.is_empty()) co_return factor_.required(user->id, second_factor::Purpose::reset);
  auto hashed = co_await accounts_.hash_password(std::move(password));
  if (!hashed) co_return hashed.error();
  if (asks_factor) {
    const auto checked = co_await factor_.check(user->id, std::move(proof), second_factor::Purpose::reset);
    if (!checked) co_return checked.error();
  }
  const accounts::Accounts::Also also = [&](const accounts::User& before, store::Change& change) {
    return spend(token_id, before, change);
  };
  auto owner = co_await accounts_.reset_password(user->id, std::move(*hashed), also);
  if (owner && !user->email_verified) identities_.claimed(owner->id);
  co_return owner;
}

web::Result<void> Recovery::spend(const std::string& token_id, const accounts::User& user,
                                  store::Change& change) const {
  const auto token = system_.get(tokens, token_id);
  if (!token || !is_valid(token->value, user)) return bad_token();
  for (const Token& each : system_.find(tokens, "user", user.id))
    if (const auto row = system_.get(tokens, each.id)) change.erase(tokens, *row);
  if (!user.email_verified) identities_.claim(user, change);
  return {};
}

web::Task<> Recovery::sweep(store::Time now) {
  return store::erase_range(system_, tokens, "expires", store::Time{}, now);
}

}  // namespace recovery
