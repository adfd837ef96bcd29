
#include "appliance/identity/accounts/handlers.h"
#include "appliance/identity/sign_in/http.h"
#include "web/routes/endpoint.h"

namespace accounts {

namespace {

const web::RateLimit register_limit{.group = "register", .limit = 20};
const web::RateLimit login_limit{.group = "login", .limit = 60, .limits_guesses = true};
const web::RateLimit password_limit{.group = "password", .limit = 20, .limits_guesses = true};

constexpr const char* register_description =
    "No session is created. `website` is a honeypot: if it is filled, or there is no User-Agent, the answer is 403. "
    "The answer is also 403 where REGISTRATION is closed (REGISTRATION_CLOSED), or is invite and there is no "
    "`inviteCode` "
    "(INVITATION_REQUIRED), or the code is not a valid invitation. "
    "An address that has an account is refused with 409; where mail is sent (SMTP_URL), it gets the answer of a new "
    "one, "
    "nothing changes, and a mail tells its owner. "
    "Passwords have 8 to 256 characters and must not be among the most used ones.";
constexpr const char* login_description =
    "Ten failures for an account from one network (an IPv4 address, or a /64 of IPv6) are followed by a delay of 30 s "
    "(429), which each further failure doubles, up to 15 minutes. They delay no other user. A browser that has signed "
    "in "
    "to the account before, as its cookie agentbox-device shows, is counted by itself. With a second "
    "factor `code` or `passkey` is required: without either the answer to the right password is 401, "
    "SECOND_FACTOR_REQUIRED, with `passkey` for PublicKeyCredential.parseRequestOptionsFromJSON(), or null for users "
    "without passkeys. `code` is the app's or a recovery code; `passkey` is the result of navigator.credentials.get() "
    "for these options, as its toJSON() writes it, within five minutes.";
constexpr const char* session_description =
    "`user` is null without a live session. With one, X-CSRF-Token carries the session's token. If the request carries "
    "several cookies app-session, those of the domains above the host are cleared. `secondFactorDue` is set for users "
    "who have no second factor and need one: from then on they can only set it up.";
constexpr const char* sign_out_description =
    "Always 200, and the cookie is cleared. Every session whose cookie is sent ends; if the box cannot write, "
    "`sessionEnded` is false and `message` says so.";
constexpr const char* create_user_description =
    "Whatever REGISTRATION is. Without a password the user signs in in another way, or resets the password by mail. "
    "With `emailVerified` the address counts as proved. `plan` as in a change of a user.";
constexpr const char* edit_user_description =
    "Only the given fields change. `isSupport`: the user may read users, states of agents, usage and events of all, "
    "and "
    "nothing else. `plan` is the name of a plan, or none to cancel. A new password, and disabling, end "
    "all sessions and replace the gateway tokens of the user's agents. Disabling also stops these agents. A new "
    "password also ends the delays after failed sign-ins. 409, LAST_ADMIN: the box keeps one administrator.";
constexpr const char* sessions_description =
    "The latest first. `browser` (such as Firefox on Linux), `userAgent` and `address` are those of the sign-in; they "
    "are "
    "null for sessions of before the box kept them. `lastUsedAt` is exact to an hour.";
constexpr const char* all_ended_description =
    "Also replaces the gateway tokens of the user's agents; those that run restart with the new one.";

std::string settings_description() {
  return std::string(
             "Only the given fields change. Another email requires currentPassword if the user has a "
             "password. ") +
         second_factor::proof_description;
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto edit = [&] {
    return web::body<EditSettings>(on(edit_settings)).returns<Profile>().describe(settings_description());
  };
  return {
      {web::POST, "/api/register", guards.none, &register_limit,
       web::body<Register>(on(register_user)).returns<Registered>().describe(register_description),
       "Create an account"},
      {web::POST, "/api/auth/login", guards.none, &login_limit,
       web::body<Login>(on(log_in)).returns<sign_in::LoggedIn>().describe(login_description), "Sign in"},
      {web::GET, "/api/auth/session", guards.none, nullptr,
       web::plain(on(show_session)).returns<SessionView>().describe(session_description), "Current session"},
      {web::POST, "/api/auth/signout", guards.none, nullptr,
       web::plain(on(sign_out)).returns<SignedOut>().describe(sign_out_description), "Sign out"},
      {web::GET, "/api/settings", guards.session, nullptr, web::plain(on(show_settings)).returns<Profile>(),
       "Show the profile"},
      {web::POST, "/api/settings", guards.session, nullptr, edit(), "Change the profile"},
      {web::PATCH, "/api/settings", guards.session, nullptr, edit(), "Change the profile"},
      {web::POST, "/api/settings/password", guards.session, &password_limit,
       web::body<ChangePassword>(on(change_password))
           .returns<web::Succeeded>()
           .describe("All other sessions of the user end. " + std::string(all_ended_description)),
       "Change the password"},

      {web::GET, "/api/auth/sessions", guards.session, nullptr,
       web::plain(on(list_sessions)).returns<SessionList>().describe(sessions_description), "List sessions"},
      {web::DELETE, "/api/auth/sessions", guards.session, nullptr,
       web::plain(on(end_other_sessions)).returns<web::Succeeded>().describe(all_ended_description),
       "End all other sessions"},
      {web::DELETE, "/api/auth/sessions/:id", guards.session, nullptr,
       web::plain(on(end_session)).returns<web::Succeeded>(), "End a session"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.users;
  return {
      {web::GET, "/api/admin/users", key, nullptr,
       web::query<UserQuery>(on(list_users))
           .returns<UserPage>()
           .describe("In the order of their ids; `next` is the `after` of the following page. `search` is part of the "
                     "e-mail or the name; `admin` and `disabled` (true or false) narrow the list."),
       "List users"},
      {web::POST, "/api/admin/users", key, nullptr,
       web::body<CreateUser>(on(create_user)).returns<UserView>(201).describe(create_user_description),
       "Create a user"},
      {web::GET, "/api/admin/users/:user", key, nullptr,
       web::plain(on(show_user)).returns<UserView>().describe("`user` is an id or an e-mail."), "Show a user"},
      {web::PATCH, "/api/admin/users/:user", key, nullptr,
       web::body<EditUser>(on(edit_user)).returns<UserView>().describe(edit_user_description),
       "Change a user's rights, plan or password"},
      {web::GET, "/api/admin/users/:user/sessions", key, nullptr,
       web::plain(on(list_user_sessions)).returns<SessionList>(), "List a user's sessions"},
      {web::DELETE, "/api/admin/users/:user/sessions/:id", key, nullptr,
       web::plain(on(end_user_session)).returns<web::Succeeded>().describe("`id` as the list of sessions has it."),
       "End a session of a user"},
      {web::DELETE, "/api/admin/users/:user/sessions", key, nullptr,
       web::plain(on(end_user_sessions)).returns<web::Succeeded>().describe(all_ended_description),
       "End all sessions of a user"},
      {web::DELETE, "/api/admin/users/:user/failed-sign-ins", key, nullptr,
       web::plain(on(unlock))
           .returns<web::Succeeded>()
           .describe("Ends the delays that follow wrong passwords and wrong codes of the user."),
       "Unlock a user"},
      {web::DELETE, "/api/admin/users/:user/second-factor", key, nullptr,
       web::plain(on(remove_second_factor))
           .returns<web::Succeeded>()
           .describe("Removes the user's app, passkeys and recovery codes."),
       "Remove a user's second factor"},
  };
}

}  // namespace accounts
