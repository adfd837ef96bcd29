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
};

// Callable from every thread; the arguments must outlive it.
class StoredProviders {
 public:
  StoredProviders(store::System system, Providers& providers) : system_(std::move(system)), providers_(providers) {}

  // Puts what is stored into effect. Reads the store: blocks.
  void apply();
  std::optional<StoredProvider> find(const std::string& provider) const;
  // In effect when it returns. invalid, naming the field: no such provider, not a URL, not a possible key, the key is
  // missing; conflict, SET_BY_SETTINGS: the settings configure this provider.
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
