#include "appliance/box/administration/handlers.h"

#include "appliance/foundation/settings/settings_table.h"
#include "web/routes/reply.h"

namespace administration {

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

}  // namespace administration
