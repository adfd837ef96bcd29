#include "appliance/identity/invites/routes.h"

#include "appliance/identity/invites/handlers.h"

namespace invites {

namespace {

const web::RateLimit validate_limit{.group = "invite", .limit = 20, .limits_guesses = true};

constexpr const char* generate_text =
    "Makes `count` codes (1), each for `uses` registrations (1) within `expiresInDays` (30). `plan` is given to those "
    "who register with them. The codes are shown only once; `code` is the first of `codes`.";
constexpr const char* validate_text =
    "Uses the code once, also if many ask at the same time, and returns `inviteCode`: a code for one registration "
    "within the hour. An unused invite code can also be sent with the registration itself, which then uses it. 404 "
    "{error, valid: false} for codes that are unknown, used up or expired.";

std::vector<web::Route> shared_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, "/api/invite/generate", guards.backend.internal, nullptr,
       web::body<GenerateRequest>(on(generate_invites)).returns<GeneratedView>(201).describe(generate_text),
       "Make invite codes"},
      {web::POST, "/api/invite/validate", guards.none, &validate_limit,
       web::body<ValidateRequest>(on(validate_invite))
           .returns<PassView>()
           .fails({web::Kind::not_found})
           .describe(validate_text),
       "Use an invite code"},
  };
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  std::vector<web::Route> rows{
      {web::GET, "/api/registration", guards.none, nullptr,
       web::plain(on(show_registration))
           .returns<RegistrationView>()
           .describe("`registration` is the setting REGISTRATION: open, invite or closed."),
       "Who may register"},
  };
  web::append(rows, shared_routes(guards, on));
  return rows;
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  std::vector<web::Route> rows{
      {web::GET, "/api/admin/invites", guards.backend.users, nullptr,
       web::query<InviteQuery>(on(list_invites))
           .returns<InviteList>()
           .describe("By id, without the secrets of the codes. Expired codes stay in the list for a month. `next` is "
                     "the `after` of "
                     "the next page, or null."),
       "List the invite codes"},
      {web::POST, "/api/admin/invites", guards.backend.internal, nullptr,
       web::body<GenerateRequest>(on(generate_invites)).returns<GeneratedView>(201).describe(generate_text),
       "Make invite codes, as POST /api/invite/generate"},
      {web::DELETE, "/api/admin/invites/:id", guards.backend.users, nullptr,
       web::plain(on(revoke_invite)).returns<web::Succeeded>().describe("The code admits nobody from then on."),
       "Revoke an invite code"},
  };
  web::append(rows, shared_routes(guards, on));
  return rows;
}

}  // namespace invites
