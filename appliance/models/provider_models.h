// What providers have now: the models that keyed providers list, and those that the local server has loaded.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "appliance/models/catalogue.h"
#include "appliance/models/providers/provider.h"
#include "web/task.h"

namespace models {

// Lists are kept for ten minutes. A provider that does not list its models counts as having none for one minute, so
// that requests for unknown models do not wait for it each time. Callable from every thread.
class ProviderModels {
 public:
  // `account` tells lists of one provider apart that come with different keys.
  web::Task<bool> lists(Provider& provider, std::string account, std::string model) {
    const auto listed = co_await look_up(provider, std::move(account), std::move(model));
    co_return listed.value_or(false);
  }
  // Whether a provider was found to list it with the box's own key.
  bool is_known(std::string_view model) const;
  // The same as lists(); not set: the provider does not say.
  web::Task<std::optional<bool>> look_up(Provider&, std::string account, std::string model);

 private:
  using Clock = std::chrono::steady_clock;
  struct Listed {
    std::optional<std::set<std::string, std::less<>>> names;  // without dates; not set: the provider did not answer
    Clock::time_point until;
    std::optional<bool> has(const std::string& model) const {
      return names ? std::optional(names->contains(without_date(model))) : std::nullopt;
    }
  };
  // Not set: there is no list, or it is too old.
  std::optional<Listed> known(const std::string& account) const;

  mutable std::mutex mutex_;  // protects listed_
  std::map<std::string, Listed> listed_;
};

// The largest model that an Ollama server has in memory (/api/ps): a request for it need not wait for another to be
// loaded. Asked again after half a minute. Callable from every thread.
class LoadedModels {
 public:
  // Not set: none is loaded, or the server does not tell. `base_url` ends in /v1.
  web::Task<std::optional<std::string>> largest(std::string base_url);

 private:
  using Clock = std::chrono::steady_clock;
  mutable std::mutex mutex_;  // protects all below
  std::string base_url_;
  std::optional<std::string> largest_;
  Clock::time_point until_{};
};

// The context that a server has given a model, in tokens, as llama.cpp (/props, for each slot) and Ollama (/api/ps)
// tell it. Asked again after a minute. Callable from every thread.
class ServerContexts {
 public:
  // Not set: the server does not tell, or has not loaded the model. `base_url` ends in /v1.
  web::Task<std::optional<std::int64_t>> find(std::string base_url, std::string model);

 private:
  using Clock = std::chrono::steady_clock;
  struct Told {
    std::optional<std::int64_t> of_all;  // llama.cpp has one model
    std::map<std::string, std::int64_t> of_models;
    Clock::time_point until;
  };
  mutable std::mutex mutex_;  // protects told_
  std::map<std::string, Told> told_;
};

// The answer of /api/ps; not set if it is none or has no models.
std::optional<std::string> largest_in(std::string_view body);

}  // namespace models
