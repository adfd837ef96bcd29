#include "appliance/box/administration/settings_file.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "appliance/foundation/data_folder.h"
#include "appliance/foundation/settings/settings_table.h"
#include "appliance/foundation/settings/toml.h"
#include "web/ascii.h"
#include "web/log.h"

namespace administration {

using agentbox::Setting;
using agentbox::Settings;
using agentbox::SettingSource;

namespace {

constexpr std::string_view live = "LOG_LEVEL";

// They decide what the box may do on its machine, or who reaches administration: a stolen session of an administrator
// must not reach further than the console.
constexpr std::array<std::string_view, 13> of_the_machine{
    "DOCKER_HOST",   "AGENT_RUNTIME", "ISOLATION", "ISOLATION_FOR_COMMANDS", "RUN_AS",       "BROWSE_ROOT",
    "STORE_URL",     "STANDBY",       "EGRESS",    "BREAK_GLASS_ADMIN",      "ADMIN_EMAILS", "ADMIN_NETWORKS",
    "COMMAND_HELPER"};

std::map<std::string, std::string> lines_in(const std::string& text) {
  std::istringstream input(text);
  std::map<std::string, std::string> lines;
  for (const auto& entry : agentbox::read_toml(input)) lines[entry.key] = web::join(entry.values, ",");
  return lines;
}

// As it is shown: "true" becomes "on".
std::string normal(const Setting& setting, const std::string& value) {
  Settings read;
  return setting.assign(read, value) ? value : setting.show(read);
}

std::string default_of(const Setting& setting) { return setting.show(Settings()); }

}  // namespace

std::string with_line(const std::string& text, const std::string& key, const std::optional<std::string>& value) {
  const auto line = value ? key + " = " + agentbox::toml_string(*value) + "\n" : std::string();
  std::istringstream input(text);
  std::string made, one;
  bool is_there = false;
  while (std::getline(input, one)) {
    const auto equals = one.find('=');
    const bool is_its = equals != one.npos && web::trim(std::string_view(one).substr(0, equals)) == key;
    if (is_its && !is_there) made += line;
    if (!is_its) made += one + "\n";
    is_there = is_there || is_its;
  }
  return is_there ? made : made + line;
}

SettingsFile::SettingsFile(const Settings& settings, const agentbox::SettingSources& sources)
    : settings_(settings), sources_(sources), file_(settings.data / agentbox::config_file_name) {
  if (const auto text = agentbox::read_folder_file(file_)) at_start_ = lines_in(*text);
}

std::string SettingsFile::locked(const Setting& setting) const {
  if (setting.name.starts_with("AGENTBOX_") || std::ranges::find(of_the_machine, setting.name) != of_the_machine.end())
    return setting.name + " is changed on the machine: in agentbox.toml, the environment or as a flag";
  const auto source = sources_.find(setting.name);
  if (source == sources_.end()) return {};
  if (source->second == SettingSource::flag)
    return setting.name + " is set by a flag, which overrides the file: change it there";
  if (source->second == SettingSource::environment)
    return setting.name + " is set in the environment, which overrides the file: change it there";
  if (source->second == SettingSource::file && !at_start_.contains(setting.key))
    return setting.name + " is set in the file of --config, which overrides the data folder's: change it there";
  return {};
}

SettingsFile::State SettingsFile::state_of(const Setting& setting, const Lines& lines) const {
  State state{.value = setting.show(settings_), .pending = {}, .locked = locked(setting)};
  if (const auto source = sources_.find(setting.name); source != sources_.end()) state.source = source->second;
  state.is_live = setting.name == live;
  if (!state.locked.empty()) return state;
  const auto line = lines.find(setting.key);
  auto next = line == lines.end() ? default_of(setting) : normal(setting, line->second);
  if (const auto changed = live_.find(setting.name); changed != live_.end()) {
    state.value = changed->second;
    state.source = line == lines.end() ? SettingSource::defaults : SettingSource::file;
  }
  if (next != state.value) state.pending = std::move(next);
  return state;
}

std::map<std::string, SettingsFile::State> SettingsFile::states() const {
  Lines lines = at_start_;
  try {
    const auto text = agentbox::read_folder_file(file_);
    lines = text ? lines_in(*text) : Lines();
  } catch (const agentbox::UsageError& error) {
    web::log::warning("settings_file_unreadable", {{"reason", std::string(error.what())}});
  }
  std::map<std::string, State> found;
  const std::lock_guard lock(mutex_);
  for (const auto& setting : agentbox::settings_table()) found.emplace(setting.name, state_of(setting, lines));
  return found;
}

void SettingsFile::apply(const Setting& setting, const std::string& value) {
  using web::log::Level;
  web::log::set_level(value == "debug"     ? Level::debug
                      : value == "warning" ? Level::warning
                      : value == "error"   ? Level::error
                                           : Level::info);
  live_[setting.name] = value;
}

web::Result<void> SettingsFile::set(const std::string& name, const std::optional<std::string>& value) {
  const auto& table = agentbox::settings_table();
  const auto setting = std::ranges::find(table, name, &Setting::name);
  if (setting == table.end()) return web::not_found("No such setting");
  if (auto why = locked(*setting); !why.empty()) return web::conflict(std::move(why));
  if (value)
    if (Settings unused; const auto problem = setting->assign(unused, *value)) return web::invalid("value " + *problem);
  if (value && value->find_first_of("\r\n") != value->npos) return web::invalid("value must be one line");
  const std::lock_guard lock(mutex_);
  try {
    const auto text = with_line(agentbox::read_folder_file(file_).value_or(""), setting->key, value);
    // With what overrides the file, as the next start will find it.
    std::string all;
    for (const auto& [key, line] : lines_in(text)) {
      const auto of_line = std::ranges::find(table, key, &Setting::key);
      if (of_line == table.end() || locked(*of_line).empty()) all += key + " = " + agentbox::toml_string(line) + "\n";
    }
    for (const auto& other : table)
      if (sources_.contains(other.name) && !locked(other).empty() && other.key != table.front().key)
        all += other.key + " = " + agentbox::toml_string(other.show(settings_)) + "\n";
    agentbox::check_settings(all);
    agentbox::write_private_file(file_, text);
  } catch (const agentbox::UsageError& error) {
    return web::invalid(std::string("value: ") + error.what());
  }
  if (name == live) apply(*setting, value ? normal(*setting, *value) : default_of(*setting));
  return {};
}

}  // namespace administration
