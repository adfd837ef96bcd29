#include "appliance/box/administration/routes.h"

#include "appliance/box/administration/handlers.h"

namespace administration {

namespace {

const web::RateLimit step_up_limit{.group = "second-factor", .limit = 30, .limits_guesses = true};

std::string step_up_description() {
  return std::string(
             "For ten minutes this session may do what asks for a recent proof (403, STEP_UP_REQUIRED); a new "
             "sign-in counts as one. currentPassword is required if the user has a password. ") +
         second_factor::proof_description;
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, "/api/auth/step-up", guards.session, &step_up_limit,
       web::body<second_factor::StepUpProof>(on(confirm_identity)).returns<SteppedUp>().describe(step_up_description()),
       "Confirm password and second factor"}};
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {{web::GET, "/api/admin/settings", guards.backend.box, nullptr,
           web::plain(on(show_settings))
               .returns<SettingList>()
               .describe("`value` is null for secrets, of which only `isSet` is shown. A `flag` overrides the "
                         "`environment`, which overrides the `file`."),
           "List the settings in force and where they come from"}};
}

}  // namespace administration
