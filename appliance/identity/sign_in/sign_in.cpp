#include "appliance/identity/sign_in/sign_in.h"

#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/trusted_time.h"

namespace sign_in {

namespace {

web::Error no_ticket() { return web::unauthenticated("Sign-in session not found or expired: please begin again"); }

void name_user(audit::Entry& entry, const accounts::User& user) {
  entry.user_id = user.id;
  if (entry.subject.empty()) entry.subject = user.email;
}

}  // namespace

web::Task<web::Result<SignInResult>> SignIn::begin(Client client, audit::Entry entry,
                                                   web::Result<accounts::User> user) {
  if (!user || !factor_.is_on(user->id))
    co_return co_await complete(std::move(client), std::move(entry), std::move(user));
  web::Error challenge = factor_.required(user->id, second_factor::Purpose::sign_in);
  SignInResult result{.user = *user,
                      .cookie = ticket_for(*user, entry.act, client.is_secure),
                      .challenge = challenge,
                      .device = std::nullopt};
  name_user(entry, *user);
  entry.outcome = std::move(challenge.message);
  co_await audit_.note(std::move(entry));
  co_return result;
}

web::Task<web::Result<SignInResult>> SignIn::complete(Client client, audit::Entry entry,
                                                      web::Result<accounts::User> user) {
  web::Result<web::Cookie> cookie = web::unauthenticated();
  if (user) {
    name_user(entry, *user);
    auto current = sessions_.find(client.session_token);
    std::string replaced = current ? std::move(current->session_id) : std::string();
    accounts::SessionOrigin origin{.id = {}, .user_agent = client.user_agent, .address = client.address};
    cookie = co_await sessions_.start_at(std::move(origin), *user, client.is_secure, std::move(replaced));
  } else {
    cookie = user.error();
  }
  if (!cookie) entry.outcome = cookie.error().message;
  co_await audit_.note(std::move(entry));
  if (!cookie) co_return cookie.error();
  auto device = devices_.issue(*user, client.device, client.is_secure, agentbox::trusted_now());
  co_return SignInResult{
      .user = std::move(*user), .cookie = std::move(*cookie), .challenge = std::nullopt, .device = std::move(device)};
}

web::Task<web::Result<SignInResult>> SignIn::resume(Client client, second_factor::Proof proof) {
  const auto ticket = unsealed(client.ticket, key_, agentbox::trusted_now());
  if (!ticket) co_return no_ticket();
  audit::Entry entry{.act = ticket->act, .outcome = "ok", .user_id = ticket->user, .address = client.address};
  auto user = co_await verify_factor(*ticket, std::move(proof));
  if (!user && user.error().code == "SECOND_FACTOR_REQUIRED") co_return user.error();  // not an attempt
  co_return co_await complete(std::move(client), std::move(entry), std::move(user));
}

web::Task<web::Result<accounts::User>> SignIn::verify_factor(const Ticket& ticket, second_factor::Proof proof) {
  auto user = accounts_.find(ticket.user);
  if (!user || user->sessions_since != ticket.sessions_since || replay_guard_.is_used("second factor", ticket.id))
    co_return no_ticket();
  const auto checked = co_await factor_.check(user->id, std::move(proof), second_factor::Purpose::sign_in);
  if (!checked) co_return checked.error();
  const bool is_first = co_await replay_guard_.use("second factor", ticket.id, ticket.until);
  if (!is_first) co_return no_ticket();
  co_return std::move(*user);
}

web::Cookie SignIn::ticket_for(const accounts::User& user, std::string act, bool is_secure) const {
  const Ticket ticket{.user = user.id,
                      .sessions_since = user.sessions_since,
                      .until = agentbox::trusted_now() + ticket_lifetime,
                      .act = std::move(act),
                      .id = crypto::random_hex(16)};
  return {.name = std::string(ticket_cookie),
          .value = sealed(ticket, key_),
          .max_age = ticket_lifetime,
          .secure = is_secure};
}

web::Cookie SignIn::cleared_ticket(bool is_secure) {
  return {.name = std::string(ticket_cookie), .value = {}, .max_age = std::chrono::seconds{0}, .secure = is_secure};
}

}  // namespace sign_in
