#include "appliance/box/administration/handlers.h"

#include "appliance/foundation/settings/settings_table.h"
#include "web/routes/reply.h"

namespace administration {

namespace {

web::Answer confirm_identity(const Services& services, const web::Request& request, second_factor::StepUpProof proof) {
  auto actor = audit::actor_of(request);
  const auto until = co_await services.step_up.prove(std::move(actor), std::move(proof));
  if (!until) co_return until.error();
  const SteppedUp answer{.validUntil = *until};
  co_return web::reply(answer, 200);
}

web::Answer show_settings(const Services& services, const web::Request&) {
  SettingList answer;
  for (const agentbox::Setting& setting : agentbox::settings_table()) {
    auto value = setting.show(services.settings);
    const auto source = services.sources.find(setting.name);
    SettingView view{.name = setting.name,
                     .type = setting.type,
                     .help = setting.help,
                     .value = std::nullopt,
                     .isSet = !value.empty(),
                     .isSecret = setting.secret};
    if (!setting.secret) view.value = std::move(value);
    if (source != services.sources.end()) view.source = source->second;
    answer.settings.push_back(std::move(view));
  }
  answer.count = static_cast<std::int64_t>(answer.settings.size());
  co_return web::reply(answer, 200);
}

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
