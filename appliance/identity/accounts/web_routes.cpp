#include "appliance/identity/accounts/routes.h"
#include "appliance/identity/second_factor/step_up.h"
#include "web/endpoint.h"

namespace accounts {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

const web::RateLimit registrations{.group = "register", .limit = 20};
const web::RateLimit sign_ins{.group = "login", .limit = 60};
const web::RateLimit password_changes{.group = "password", .limit = 20};

struct Register {
  web::Text<1, 254> email;
  web::Text<8, 256> password;
  std::optional<web::Text<1, 100>> name;
  std::optional<web::Text<1, 20>> referralCode;
  std::optional<std::string> website;
};
BOOST_DESCRIBE_STRUCT(Register, (), (email, password, name, referralCode, website))

struct Registered {
  std::string id, email, name;
};
BOOST_DESCRIBE_STRUCT(Registered, (), (id, email, name))

struct Login {
  web::Text<1, 254> email;
  web::Text<1, 256> password;
  std::optional<web::Text<1, 32>> code;
  std::optional<webauthn::Asserted> passkey;
};
BOOST_DESCRIBE_STRUCT(Login, (), (email, password, code, passkey))

struct SessionUser {
  std::string id, name, email;
  bool isAdmin = false;
};
BOOST_DESCRIBE_STRUCT(SessionUser, (), (id, name, email, isAdmin))

struct SessionView {
  std::optional<SessionUser> user;
};
BOOST_DESCRIBE_STRUCT(SessionView, (), (user))

struct Done {
  bool ok = true;
};
BOOST_DESCRIBE_STRUCT(Done, (), (ok))

// The browser has forgotten the session, the box has not.
struct HalfDone {
  bool ok = true, sessionEnded = false;
  std::string message =
      "This browser is signed out. The session itself could not be ended, because the box cannot write just now: end "
      "it in the settings once it can.";
};
BOOST_DESCRIBE_STRUCT(HalfDone, (), (ok, sessionEnded, message))

struct Succeeded {
  bool success = true;
};
BOOST_DESCRIBE_STRUCT(Succeeded, (), (success))

struct Profile {
  std::string id, name, email;
  bool isAdmin = false;
  std::optional<std::string> plan;
  std::string referralCode;
  std::int64_t credits = 0;
  store::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(Profile, (), (id, name, email, isAdmin, plan, referralCode, credits, createdAt))

struct EditSettings {
  std::optional<web::Text<1, 100>> name;
  std::optional<web::Text<1, 254>> email;
  std::optional<web::Text<1, 256>> currentPassword;
  std::optional<web::Text<1, 32>> code;
  std::optional<webauthn::Asserted> passkey;
};
BOOST_DESCRIBE_STRUCT(EditSettings, (), (name, email, currentPassword, code, passkey))

struct ChangePassword {
  web::Text<1, 256> currentPassword;
  web::Text<8, 256> newPassword;
};
BOOST_DESCRIBE_STRUCT(ChangePassword, (), (currentPassword, newPassword))

Profile profile(const RouteServices& services, const User& user) {
  auto held = services.plans.held(user.id);
  return {.id = std::to_string(user.id),
          .name = user.name,
          .email = user.email,
          .isAdmin = services.accounts.is_admin(user),
          .plan = held ? std::optional(std::move(held->plan)) : std::nullopt,
          .referralCode = user.referral_code,
          .credits = services.accounts.credits_of(user.id),
          .createdAt = user.created_at};
}

// People fill in what they see and send a User-Agent; form-filling robots do neither reliably.
bool looks_like_a_bot(const web::Request& request, const Register& form) {
  return request.header("User-Agent").empty() || (form.website && !form.website->empty());
}

Answer register_user(RouteServices services, web::Request& request, Register form) {
  if (looks_like_a_bot(request, form)) co_return web::forbidden("Registration was refused");
  Registration wanted{.email = std::move(form.email), .password = std::move(form.password)};
  if (form.name) wanted.name = std::move(*form.name);
  if (form.referralCode) wanted.referral_code = std::move(*form.referralCode);
  auto entry = audit::of_request(request, "registered", wanted.email);
  const auto user = co_await services.accounts.create(std::move(wanted));
  entry.user_id = user ? user->id : 0;
  if (!user) entry.outcome = user.error().message;
  co_await services.audit.note(std::move(entry));
  if (!user) co_return user.error();
  const Registered answer{std::to_string(user->id), user->email, user->name};
  co_return web::reply(answer, 200);
}

// Password and, for who has one, second factor.
web::Task<web::Result<User>> proved_user(RouteServices services, Login form) {
  auto user = co_await services.accounts.authenticate(std::move(form.email), std::move(form.password));
  if (!user || !services.second_factor.is_on(user->id)) co_return user;
  second_factor::Proof proof{.code = std::move(form.code), .passkey = std::move(form.passkey)};
  const auto checked =
      co_await services.second_factor.check(user->id, std::move(proof), second_factor::Purpose::sign_in);
  if (!checked) co_return checked.error();
  co_return user;
}

Answer log_in(RouteServices services, web::Request& request, Login form) {
  auto entry = audit::of_request(request, "sign-in by password", form.email);
  auto user = co_await proved_user(services, std::move(form));
  const auto entered = co_await services.sign_in.admit(request, std::move(entry), std::move(user));
  if (!entered) co_return entered.error();
  co_return sign_in::answer(*entered);
}

Answer current_session(RouteServices services, web::Request& request) {
  SessionView answer;
  auto found = services.sessions.find(request);
  if (found) {
    answer.user = SessionUser{.id = std::to_string(found->user->id),
                              .name = found->user->name,
                              .email = found->user->email,
                              .isAdmin = services.accounts.is_admin(*found->user)};
  }
  auto response = web::reply(answer, 200);
  if (found) response.set("X-CSRF-Token", std::move(found->session_id));
  co_return response;
}

// The live sessions of all session cookies there are, each found as if it were the only one: two at once sign nobody
// in, but who signs out means all that the browser sent.
std::vector<Sessions::SignedIn> all_named(const Sessions& sessions, const web::Request& request) {
  std::vector<Sessions::SignedIn> found;
  for (const auto secret : request.cookies(session_cookie)) {
    const auto cookie = std::string(session_cookie) + '=' + std::string(secret);
    web::Request alone;
    alone.headers = {{"Cookie", cookie}};
    if (auto session = sessions.find(alone)) found.push_back(std::move(*session));
  }
  return found;
}

// False when the store takes no writes: sessions that are not ended yet stay.
web::Task<bool> end_all_named(RouteServices services, const web::Request& request) {
  const auto named = all_named(services.sessions, request);
  try {
    for (const auto& session : named) {
      co_await services.sessions.end(session.session_id);
      auto entry = audit::of_request(request, "signed out", session.user->email);
      entry.user_id = session.user->id;
      co_await services.audit.note(std::move(entry));
    }
    co_return true;
  } catch (const store::Unavailable&) {
    co_return false;
  }
}

Answer sign_out(RouteServices services, web::Request& request) {
  const bool is_ended = co_await end_all_named(services, request);
  auto answer = is_ended ? web::reply(Done(), 200) : web::reply(HalfDone(), 200);
  answer.set("Set-Cookie", web::to_string(Sessions::cleared(request.secure)));
  co_return answer;
}

Answer show_settings(RouteServices services, web::Request& request) {
  const auto user = services.accounts.find(request.caller.user_id);
  if (!user) co_return web::unauthenticated();
  co_return web::reply(profile(services, *user), 200);
}

// The caller with what the form asks for; another address is for who proves once more to be the user.
web::Task<web::Result<User>> edited_user(RouteServices services, const web::Request& request, EditSettings form) {
  ProfileChange wanted;
  if (form.name) wanted.name = std::move(*form.name);
  if (form.email) {
    const auto user = services.accounts.find(request.caller.user_id);
    if (!user) co_return web::unauthenticated();
    auto email = services.accounts.new_email(*user, *form.email);
    if (!email) co_return email.error();
    wanted.email = std::move(*email);
  }
  if (wanted.email) {
    second_factor::ProofAgain given{std::move(form.currentPassword), std::move(form.code), std::move(form.passkey)};
    const auto proved = co_await second_factor::step_up(services.accounts, services.sessions, services.second_factor,
                                                        request.caller, std::move(given));
    if (!proved) co_return proved.error();
  }
  co_return co_await services.accounts.change_profile(request.caller, std::move(wanted));
}

Answer edit_settings(RouteServices services, web::Request& request, EditSettings form) {
  if (!form.name && !form.email) co_return web::invalid("name or email is required");
  const bool names_email = form.email.has_value();
  auto entry = audit::of_request(request, "email changed", names_email ? std::string(*form.email) : "");
  const auto before = names_email ? services.accounts.find(request.caller.user_id) : std::nullopt;
  const auto user = co_await edited_user(services, request, std::move(form));
  if (!user) entry.outcome = user.error().message;
  const bool is_question = !user && user.error().code == "SECOND_FACTOR_REQUIRED";  // not an attempt
  const bool is_noted = before && !is_question && (!user || user->email != before->email);
  if (is_noted) co_await services.audit.note(std::move(entry));
  if (!user) co_return user.error();
  co_return web::reply(profile(services, *user), 200);
}

Answer change_password(RouteServices services, web::Request& request, ChangePassword form) {
  auto entry = audit::of_request(request, "password changed", "");
  const auto changed = co_await services.accounts.change_password(
      request.caller.user_id, request.caller.credential, std::move(form.currentPassword), std::move(form.newPassword));
  if (!changed) entry.outcome = changed.error().message;
  co_await services.audit.note(std::move(entry));
  if (!changed) co_return changed.error();
  const Succeeded answer;
  co_return web::reply(answer, 200);
}

// Binds the services in front: `handler` is one of the coroutines above, and its frame holds its own copy of them.
template <class... Inputs>
auto with(const RouteServices& services, Answer (*handler)(RouteServices, web::Request&, Inputs...)) {
  return [services, handler](web::Request& request, Inputs... inputs) {
    return handler(services, request, std::move(inputs)...);
  };
}

}  // namespace

std::vector<web::Route> web_routes(RouteServices services) {
  const auto& guards = services.guards;
  const auto edit = [&] {
    return web::body<EditSettings>(with(services, edit_settings))
        .returns<Profile>()
        .describe(std::string("Only the given fields change. Another email needs currentPassword of who has a "
                              "password. ") +
                  second_factor::how_to_prove);
  };
  return {
      {web::POST, "/api/register", guards.none, &registrations,
       web::body<Register>(with(services, register_user))
           .returns<Registered>()
           .describe("No session is created. `website` is a honeypot: filled, or without a User-Agent, the answer is "
                     "403. Passwords have 8 to 256 characters and are not among the most used ones."),
       "Create an account"},
      {web::POST, "/api/auth/login", guards.none, &sign_ins,
       web::body<Login>(with(services, log_in))
           .returns<sign_in::LoggedIn>()
           .describe(
               "Ten failures within 15 minutes close an account's sign-in for the rest of that time (429). With a "
               "second factor `code` or `passkey` is required: without either the answer to the right password is 401, "
               "SECOND_FACTOR_REQUIRED, with `passkey` for PublicKeyCredential.parseRequestOptionsFromJSON(), or null "
               "for who has none. `code` is the app's or a recovery code; `passkey` is what "
               "navigator.credentials.get() made of these options, as its toJSON() writes it, within five minutes."),
       "Sign in"},
      {web::GET, "/api/auth/session", guards.none, nullptr,
       web::plain(with(services, current_session))
           .returns<SessionView>()
           .describe("`user` is null without a live session. With one, X-CSRF-Token carries the session's token."),
       "Who is signed in"},
      {web::POST, "/api/auth/signout", guards.none, nullptr,
       web::plain(with(services, sign_out))
           .returns<Done>()
           .describe(
               "Always 200, and the cookie is cleared. Every session is ended whose cookie comes along; where the "
               "box cannot write, `sessionEnded` is false and `message` says so."),
       "Sign out"},
      {web::GET, "/api/settings", guards.session, nullptr, web::plain(with(services, show_settings)).returns<Profile>(),
       "One's profile"},
      {web::POST, "/api/settings", guards.session, nullptr, edit(), "Change one's profile"},
      {web::PATCH, "/api/settings", guards.session, nullptr, edit(), "Change one's profile"},
      {web::POST, "/api/settings/password", guards.session, &password_changes,
       web::body<ChangePassword>(with(services, change_password))
           .returns<Succeeded>()
           .describe("All other sessions of the user end."),
       "Change one's password"},
  };
}

}  // namespace accounts
