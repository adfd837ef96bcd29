#include "appliance/identity/sign_in/sign_in.h"

#include "appliance/foundation/crypto/random.h"
#include "web/reply.h"

namespace sign_in {

namespace {

web::Error no_ticket() {
  return web::unauthenticated("There is no sign-in to go on with, or it is over five minutes old: please begin again");
}

}  // namespace

web::Task<web::Result<SignInResult>> SignIn::enter(const web::Request& request, audit::Entry entry,
                                                   web::Result<accounts::User> proved) {
  if (!proved || !factor_.is_on(proved->id)) co_return co_await admit(request, std::move(entry), std::move(proved));
  web::Error question = factor_.required(proved->id, second_factor::Purpose::sign_in);
  SignInResult halfway{.user = *proved, .cookie = ticket_for(*proved, entry.act, request.secure), .question = question};
  entry.user_id = proved->id;
  if (entry.subject.empty()) entry.subject = proved->email;
  entry.outcome = std::move(question.message);
  co_await audit_.note(std::move(entry));
  co_return halfway;
}

web::Task<web::Result<SignInResult>> SignIn::admit(const web::Request& request, audit::Entry entry,
                                                   web::Result<accounts::User> proved) {
  web::Result<web::Cookie> cookie = web::unauthenticated();
  if (proved) {
    entry.user_id = proved->id;
    if (entry.subject.empty()) entry.subject = proved->email;
    auto before = sessions_.find(request);
    std::string replaced = before ? std::move(before->session_id) : std::string();
    cookie = co_await sessions_.start(*proved, request.secure, std::move(replaced));
  } else {
    cookie = proved.error();
  }
  if (!cookie) entry.outcome = cookie.error().message;
  co_await audit_.note(std::move(entry));
  if (!cookie) co_return cookie.error();
  co_return SignInResult{.user = std::move(*proved), .cookie = std::move(*cookie), .question = std::nullopt};
}

web::Task<web::Result<SignInResult>> SignIn::finish(const web::Request& request, second_factor::Proof proof) {
  const auto ticket = ticket_of(request);
  if (!ticket) co_return no_ticket();
  auto entry = audit::of_request(request, ticket->act, "");
  entry.user_id = ticket->user;
  auto proved = co_await proved_by(*ticket, std::move(proof));
  if (!proved && proved.error().code == "SECOND_FACTOR_REQUIRED") co_return proved.error();  // not an attempt
  co_return co_await admit(request, std::move(entry), std::move(proved));
}

web::Task<web::Result<accounts::User>> SignIn::proved_by(const Ticket& ticket, second_factor::Proof proof) {
  auto user = accounts_.find(ticket.user);
  if (!user || user->sessions_since != ticket.sessions_since || replay_guard_.is_used("second factor", ticket.id))
    co_return no_ticket();
  const auto checked = co_await factor_.check(user->id, std::move(proof), second_factor::Purpose::sign_in);
  if (!checked) co_return checked.error();
  const bool is_first = co_await replay_guard_.use("second factor", ticket.id, ticket.until);
  if (!is_first) co_return no_ticket();
  co_return std::move(*user);
}

web::Cookie SignIn::ticket_for(const accounts::User& user, std::string act, bool secure) const {
  const Ticket ticket{.user = user.id,
                      .sessions_since = user.sessions_since,
                      .until = store::now() + ticket_lifetime,
                      .act = std::move(act),
                      .id = crypto::random_hex(16)};
  return {
      .name = std::string(ticket_cookie), .value = sealed(ticket, key_), .max_age = ticket_lifetime, .secure = secure};
}

std::optional<Ticket> SignIn::ticket_of(const web::Request& request) const {
  const auto cookies = request.cookies(ticket_cookie);
  if (cookies.size() != 1) return std::nullopt;
  return unsealed(cookies.front(), key_, store::now());
}

web::Cookie SignIn::cleared_ticket(bool secure) {
  return {.name = std::string(ticket_cookie), .value = {}, .max_age = std::chrono::seconds{0}, .secure = secure};
}

web::Response ask(const SignInResult& entered) {
  return web::error_response(*entered.question).set("Set-Cookie", web::to_string(entered.cookie));
}

web::Response answer(const SignInResult& entered) {
  if (entered.question) return ask(entered);
  const LoggedIn answer{.user = {std::to_string(entered.user.id), entered.user.name}};
  return web::reply(answer, 200).set("Set-Cookie", web::to_string(entered.cookie));
}

}  // namespace sign_in
