#include "appliance/box/administration/handlers.h"

#include <algorithm>

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

SettingView view_of(const agentbox::Setting& setting, SettingsFile::State state) {
  SettingView view{.name = setting.name,
                   .type = setting.type,
                   .help = setting.help,
                   .value = std::nullopt,
                   .isSet = !state.value.empty(),
                   .isSecret = setting.secret,
                   .source = state.source,
                   .isPending = state.pending.has_value(),
                   .pending = std::nullopt,
                   .isLive = state.is_live,
                   .locked = std::nullopt};
  if (!setting.secret) {
    view.value = std::move(state.value);
    view.pending = std::move(state.pending);
  }
  if (!state.locked.empty()) view.locked = std::move(state.locked);
  return view;
}

web::Answer show_settings(const Services& services, const web::Request&) {
  SettingList answer;
  auto states = services.settings_file.states();
  for (const agentbox::Setting& setting : agentbox::settings_table())
    answer.settings.push_back(view_of(setting, std::move(states.at(setting.name))));
  answer.count = static_cast<std::int64_t>(answer.settings.size());
  co_return web::reply(answer, 200);
}

web::Answer change_setting(const Services& services, const web::Request& request, SettingChange body) {
  const std::string name(body.name);
  const auto value = body.value ? std::optional<std::string>(*body.value) : std::nullopt;
  auto entry = audit::of_request(request, "setting changed by admin", name);
  const auto changed = services.settings_file.set(name, value);
  if (!changed) entry.outcome = changed.error().message;
  co_await services.audit.note(std::move(entry));
  if (!changed) co_return changed.error();
  const auto& table = agentbox::settings_table();
  const auto setting = std::ranges::find(table, name, &agentbox::Setting::name);
  auto states = services.settings_file.states();
  ChangedSetting answer{.setting = view_of(*setting, std::move(states.at(name)))};
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
                         "`environment`, which overrides the `file`. `pending` comes into force with the next start."),
           "List the settings in force and where they come from"},
          {web::PUT, "/api/admin/settings", guards.backend.box, nullptr,
           web::body<SettingChange>(on(change_setting))
               .returns<ChangedSetting>()
               .fails({web::Kind::not_found, web::Kind::conflict})
               .describe("Writes the line into the data folder's agentbox.toml; without `value` it is removed, so that "
                         "the default applies. What flags and the environment set is locked, and so is what decides "
                         "what the box may do on its machine and who is an administrator."),
           "Change a setting"}};
}

}  // namespace administration
