// Changes of settings over the API: lines of the data folder's agentbox.toml. Most come into force with the next start.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "appliance/foundation/settings/load.h"
#include "appliance/foundation/settings/setting_types.h"
#include "web/result.h"

namespace administration {

// Callable from every thread; the settings and sources, which are those of the start, must outlive it.
class SettingsFile {
 public:
  SettingsFile(const agentbox::Settings&, const agentbox::SettingSources&);

  struct State {
    std::string value;  // in force
    agentbox::SettingSource source = agentbox::SettingSource::defaults;
    std::optional<std::string> pending;  // in force after the next start, if it is another
    bool is_live = false;                // changes are in force at once
    std::string locked;                  // why it cannot be changed here, in a sentence; empty: it can
  };
  // By Setting::name. A file that cannot be read leaves all as they are.
  std::map<std::string, State> states() const;

  // Writes the line, or removes it, so that the default applies. Blocks. not_found, conflict (locked), invalid (names
  // `value`), unavailable (the file cannot be written).
  web::Result<void> set(const std::string& name, const std::optional<std::string>& value);

 private:
  using Lines = std::map<std::string, std::string>;  // values by Setting::key
  State state_of(const agentbox::Setting&, const Lines&) const;
  std::string locked(const agentbox::Setting&) const;
  void apply(const agentbox::Setting&, const std::string& value);

  const agentbox::Settings& settings_;
  const agentbox::SettingSources& sources_;
  const std::filesystem::path file_;
  Lines at_start_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> live_;  // by Setting::name, changed since the start; protected by mutex_
};

// The text of a settings file with this line in the place of the key's own, or at its end; without it if `value` is not
// set. All else stays as it is.
std::string with_line(const std::string& text, const std::string& key, const std::optional<std::string>& value);

}  // namespace administration
