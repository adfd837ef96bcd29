#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/models/administration/local_servers.h"
#include "appliance/models/administration/stored_providers.h"
#include "appliance/models/model_gateway.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace models::administration {

// What the rows depend on; all of it must outlive them.
struct Services {
  ModelGateway& gateway;
  StoredProviders& stored;
  LocalServers& local_servers;
  audit::Audit& audit;
};

BOOST_DEFINE_ENUM_CLASS(Source, settings, stored, none)

// Turns in the queue of a user of each plan.
struct QueueWeights {
  std::optional<web::Integer<1, 12>> label, solo, collective, network;
};
BOOST_DESCRIBE_STRUCT(QueueWeights, (), (label, solo, collective, network))

struct WeightsView {
  std::int64_t label = 1, solo = 1, collective = 1, network = 1;
};
BOOST_DESCRIBE_STRUCT(WeightsView, (), (label, solo, collective, network))

struct ProviderView {
  std::string provider;
  bool configured = false;
  Source source = Source::none;
  std::string setting;  // that decides if it is set; empty for the builtin model and further servers
  std::optional<std::string> baseUrl, keyHint, model, fallbackModel;
  bool billsAfterDisconnect = false;
  std::int64_t maxConcurrent = 0;
  WeightsView queueWeights;
  std::int64_t slots = 0, running = 0, waiting = 0;  // of its queue; slots 0: no limit
  Circuit circuit = Circuit::closed;
  std::optional<store::Time> updatedAt;
  std::optional<std::string> problem;  // why the settings' key is not used
};
BOOST_DESCRIBE_STRUCT(ProviderView, (),
                      (provider, configured, source, setting, baseUrl, keyHint, model, fallbackModel,
                       billsAfterDisconnect, maxConcurrent, queueWeights, slots, running, waiting, circuit, updatedAt,
                       problem))

struct ServerView {
  std::string kind, baseUrl;
  std::vector<std::string> models;
  bool inUse = false;
};
BOOST_DESCRIBE_STRUCT(ServerView, (), (kind, baseUrl, models, inUse))

struct FoundServers {
  std::vector<ServerView> servers;
  std::optional<store::Time> probedAt;
};
BOOST_DESCRIBE_STRUCT(FoundServers, (), (servers, probedAt))

struct ProviderList {
  std::vector<ProviderView> providers;
  FoundServers found;
};
BOOST_DESCRIBE_STRUCT(ProviderList, (), (providers, found))

struct ProviderBody {
  web::Text<1, 20> provider;
  std::optional<web::Text<0, 500>> baseUrl;
  std::optional<web::Text<0, 500>> key;
  std::optional<web::Text<0, 200>> model, fallbackModel;
  std::optional<bool> billsAfterDisconnect;
  std::optional<web::Integer<0, 10'000>> maxConcurrent;
  std::optional<QueueWeights> queueWeights;
};
BOOST_DESCRIBE_STRUCT(ProviderBody, (),
                      (provider, baseUrl, key, model, fallbackModel, billsAfterDisconnect, maxConcurrent, queueWeights))

struct RemovedProvider {
  bool success = true;
  std::string provider;
};
BOOST_DESCRIBE_STRUCT(RemovedProvider, (), (success, provider))

struct TestBody {
  std::optional<web::Text<1, 200>> model;
};
BOOST_DESCRIBE_STRUCT(TestBody, (), (model))

struct TestView {
  bool success = false;
  std::string provider, model;
  std::int64_t latencyMs = 0;
  std::optional<std::int64_t> firstTokenMs;
  std::optional<std::string> answer, error, code;
  std::vector<std::string> models;  // that it lists; empty if it does not
};
BOOST_DESCRIBE_STRUCT(TestView, (), (success, provider, model, latencyMs, firstTokenMs, answer, error, code, models))

// /api/admin/models/providers and /api/admin/models/local-servers.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace models::administration
