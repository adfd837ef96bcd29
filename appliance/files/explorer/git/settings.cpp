#include "appliance/files/explorer/git/settings.h"

#include <array>
#include <optional>
#include <span>

#include "appliance/files/explorer/git/handles.h"

namespace git {

namespace {

constexpr auto settings_action = "read the configuration";

// The value of the setting, one of `values`; nullopt if it is not set.
template <class Value>
std::optional<Value> setting(git_repository* repository, const char* name, std::span<const git_configmap> values) {
  const auto config =
      made<ConfigHandle>([&](auto** out) { return git_repository_config_snapshot(out, repository); }, settings_action);
  int value = 0;
  const int code = git_config_get_mapped(&value, config.get(), name, values.data(), values.size());
  if (code == GIT_ENOTFOUND) return std::nullopt;
  check(code, settings_action);
  return static_cast<Value>(value);
}

std::optional<Pairing> pairing(git_repository* repository, const char* name) {
  static constexpr std::array<git_configmap, 4> values{{{GIT_CONFIGMAP_FALSE, nullptr, int(Pairing::none)},
                                                        {GIT_CONFIGMAP_TRUE, nullptr, int(Pairing::renames)},
                                                        {GIT_CONFIGMAP_STRING, "copies", int(Pairing::copies)},
                                                        {GIT_CONFIGMAP_STRING, "copy", int(Pairing::copies)}}};
  return setting<Pairing>(repository, name, values);
}

}  // namespace

Pairing pairing_in_diffs(git_repository* repository) {
  return pairing(repository, "diff.renames").value_or(Pairing::renames);
}

Pairing pairing_in_status(git_repository* repository) {
  const auto own = pairing(repository, "status.renames");
  return own ? *own : pairing_in_diffs(repository);
}

Untracked untracked_in_status(git_repository* repository) {
  static constexpr std::array<git_configmap, 3> values{{{GIT_CONFIGMAP_STRING, "no", int(Untracked::none)},
                                                        {GIT_CONFIGMAP_STRING, "normal", int(Untracked::folder)},
                                                        {GIT_CONFIGMAP_STRING, "all", int(Untracked::file)}}};
  return setting<Untracked>(repository, "status.showuntrackedfiles", values).value_or(Untracked::folder);
}

}  // namespace git
