// The settings table as flags of a subcommand.
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <string_view>
#include <vector>

#include "appliance/foundation/settings/load.h"

namespace agentbox::cli {

class SettingFlags {
 public:
  // Adds the settings of these names, or all if there are none, and --config.
  explicit SettingFlags(CLI::App& command, const std::vector<std::string_view>& names = {});

  // After parsing: the values that were given as flags, by Setting::name.
  const Flags& given() const { return values_->flags; }
  // After parsing: resolves the settings from flags, environment and file.
  Settings resolve(bool own_file = true) const;
  // The same without the flags but --data and --config.
  Settings stored() const;
  // Defaults, but for the data folder: for settings that cannot be resolved.
  Settings only_data() const;
  // As resolve(), with where the values come from.
  Settings resolve(SettingSources&) const;

 private:
  Flags data_flag() const;

  struct Values {
    Flags flags;
    std::optional<std::filesystem::path> config;
  };
  std::shared_ptr<Values> values_;  // shared with the command's callbacks; the object itself may move
};

}  // namespace agentbox::cli
