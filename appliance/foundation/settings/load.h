// Reads the settings: a flag overrides an environment variable, which overrides the config files, which override the
// default.
#pragma once

#include <boost/describe.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "appliance/foundation/settings/settings.h"

namespace agentbox {

// The values of flags by Setting::name.
using Flags = std::map<std::string, std::string>;
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
Environment process_environment();

// The data folder's own agentbox.toml, if it exists and `own` is on, and then `named` (--config), which overrides it.
struct ConfigFile {
  std::optional<std::filesystem::path> named;
  bool own = true;
};

// Where the value of a setting comes from.
BOOST_DEFINE_ENUM_CLASS(SettingSource, defaults, file, environment, flag)
// By Setting::name; those that are not named have their default.
using SettingSources = std::map<std::string, SettingSource>;

// Resolves every setting, and notes where the values come from if `sources` is set. Throws UsageError for an unreadable
// file, an invalid value, an unknown key (with the nearest known one), and settings that contradict each other.
Settings resolve_settings(const Flags&, const Environment&, const ConfigFile&, SettingSources* sources = nullptr);

// Whether a settings file of this text alone would be accepted. Throws UsageError as resolve_settings() does.
void check_settings(const std::string& text);

}  // namespace agentbox
