// One short question to a provider, to see whether it answers and how fast.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "appliance/models/catalogue.h"
#include "appliance/models/providers/provider.h"
#include "web/task.h"

namespace models {

struct ProviderTest {
  std::string model;                    // that served, or was asked for
  std::chrono::milliseconds latency{};  // of the whole answer, or until it failed
  std::optional<std::chrono::milliseconds> first_token;
  std::string answer;              // its first words
  std::optional<Failure> failure;  // not set: it has answered
};

// Without a model: the local server's default, else the provider's primary model in the catalogue. Not metered.
web::Task<ProviderTest> test_provider(Provider&, const Catalogue&, std::string model);

}  // namespace models
