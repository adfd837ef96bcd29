// The providers of the box as administrators configure them while it runs. What the settings configure wins.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "appliance/models/administration/records.h"
#include "appliance/models/providers/providers.h"
#include "web/result.h"
#include "web/task.h"

namespace models {

// Of these members those that are not set keep their values.
struct ProviderChange {
  std::string provider;
  std::optional<std::string> base_url, key, model, fallback_model;
  std::optional<bool> bills_after_disconnect;
  std::optional<std::int64_t> max_concurrent;
  std::optional<std::vector<std::int64_t>> queue_weights = {};
  // Whether it changes more than what is beside the settings: the address, the key, models.
  bool is_about_settings() const { return base_url || key || model || fallback_model; }
  bool is_beside_settings() const { return bills_after_disconnect || max_concurrent || queue_weights; }
};

// Callable from every thread; the arguments must outlive it.
class StoredProviders {
 public:
  StoredProviders(store::System system, Providers& providers) : system_(std::move(system)), providers_(providers) {}

  // Puts what is stored into effect. Reads the store: blocks.
  void apply();
  std::optional<StoredProvider> find(const std::string& provider) const;
  // In effect when it returns. invalid, naming the field: not a provider and no possible name of a further server, not
  // a URL, not a possible key, the key or the URL is missing; conflict, SET_BY_SETTINGS: the settings configure this
  // provider, and more than bills_after_disconnect, max_concurrent and queue_weights is to be changed.
  web::Task<web::Result<StoredProvider>> put(ProviderChange);
  // Returns false if there is none.
  web::Task<bool> remove(std::string provider);

 private:
  web::Result<StoredProvider> changed(const std::optional<StoredProvider>&, const ProviderChange&) const;

  const store::System system_;
  Providers& providers_;
  std::mutex applying_;  // held while the store is read and put into effect, so that the latest state wins
};

}  // namespace models
