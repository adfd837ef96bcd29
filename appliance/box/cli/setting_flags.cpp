#include "appliance/box/cli/setting_flags.h"

#include <algorithm>

#include "appliance/foundation/settings/settings_table.h"

namespace agentbox::cli {

SettingFlags::SettingFlags(CLI::App& command, const std::vector<std::string_view>& names)
    : values_(std::make_shared<Values>()) {
  const Settings defaults;
  for (const Setting& setting : settings_table()) {
    if (!names.empty() && std::ranges::find(names, setting.name) == names.end()) continue;
    const auto keep = [values = values_, name = setting.name](const std::string& value) {
      values->flags[name] = value;
    };
    const std::string fallback = setting.show(defaults);
    command
        .add_option_function<std::string>(
            "--" + setting.flag, keep,
            setting.help + (fallback.empty() ? "" : " [" + fallback + "]") + " (" + setting.name + ")")
        ->type_name(setting.type)
        ->group("Settings");
  }
  const auto keep_config = [values = values_](const std::string& path) { values->config = path; };
  command
      .add_option_function<std::string>("--config", keep_config,
                                        "file with settings [agentbox.toml in the data folder]")
      ->type_name("FILE");
}

Settings SettingFlags::resolve(bool own_file) const {
  return resolve_settings(values_->flags, process_environment(), {.named = values_->config, .own = own_file});
}

Flags SettingFlags::data_flag() const {
  Flags flags;
  if (const auto given = values_->flags.find("AGENTBOX_DATA"); given != values_->flags.end()) flags.insert(*given);
  return flags;
}

Settings SettingFlags::stored() const {
  return resolve_settings(data_flag(), process_environment(), {.named = values_->config, .own = true});
}

Settings SettingFlags::only_data() const {
  const auto environment = [all = process_environment()](const std::string& name) {
    return name == "AGENTBOX_DATA" ? all(name) : std::nullopt;
  };
  return resolve_settings(data_flag(), environment, {.named = {}, .own = false});
}

Settings SettingFlags::resolve(SettingSources& sources) const {
  return resolve_settings(values_->flags, process_environment(), {.named = values_->config, .own = true}, &sources);
}

}  // namespace agentbox::cli
