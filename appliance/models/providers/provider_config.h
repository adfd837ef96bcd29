// What is configured of a provider: in the settings, or at run time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/foundation/settings/settings.h"

namespace models {

inline constexpr std::array<std::string_view, 6> provider_names{"openrouter", "anthropic", "openai",
                                                                "google",     "local",     "builtin"};
// The providers that have keys, those of users as well as the box's.
inline constexpr std::array<std::string_view, 4> keyed_providers{"openrouter", "anthropic", "openai", "google"};

// Whether a further OpenAI-compatible server may have this name: a letter, then at most 19 small letters, digits and
// '-', and none of provider_names.
bool is_server_name(std::string_view);

struct ProviderConfig {
  std::string base_url;                       // empty: that of the settings, or their default
  std::string key;                            // secret; local and further servers: may be empty
  std::string default_model, fallback_model;  // the latter: local only; the former: further servers, too
  // The provider bills the whole answer of a call although the box disconnected.
  bool bills_after_disconnect = false;
  // Requests that it works on at once; further ones wait (ModelQueues). 0: as many as the server tells, or any number.
  std::size_t max_concurrent = 0;
  // Turns in that queue of a user of each plan, in the order of billing::Plan. Empty: one each.
  std::vector<std::int64_t> queue_weights = {};
};

// By provider: keyed ones, local, and further servers by their names.
using ProviderConfigs = std::map<std::string, ProviderConfig, std::less<>>;

// The providers that the settings configure.
ProviderConfigs configs_of(const agentbox::Settings&);
// The setting that decides about a provider: its key, or the local server's address. Empty: there is none.
std::string_view setting_of(std::string_view provider);
// The address of a keyed provider according to the settings; empty for others.
std::string base_url_of(std::string_view provider, const agentbox::Settings&);
// Why the settings' key of a provider is not used, as a sentence; not set: it is used, or there is none.
std::optional<std::string> key_problem(std::string_view provider, const agentbox::Settings&);

}  // namespace models
