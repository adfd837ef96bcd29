#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/models/administration/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace models::administration {

BOOST_DEFINE_ENUM_CLASS(Source, settings, stored, none)

struct ProviderView {
  std::string provider;
  bool configured = false;
  Source source = Source::none;
  std::string setting;  // that decides if it is set; empty for the builtin model
  std::optional<std::string> baseUrl, keyHint, model, fallbackModel;
  Circuit circuit = Circuit::closed;
  std::optional<store::Time> updatedAt;
};
BOOST_DESCRIBE_STRUCT(ProviderView, (),
                      (provider, configured, source, setting, baseUrl, keyHint, model, fallbackModel, circuit,
                       updatedAt))

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
};
BOOST_DESCRIBE_STRUCT(ProviderBody, (), (provider, baseUrl, key, model, fallbackModel))

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
};
BOOST_DESCRIBE_STRUCT(TestView, (), (success, provider, model, latencyMs, firstTokenMs, answer, error, code))

web::Answer list_providers(const Services&, const web::Request&);
web::Answer put_provider(const Services&, const web::Request&, ProviderBody);
web::Answer remove_provider(const Services&, const web::Request&);
web::Answer try_provider(const Services&, const web::Request&, TestBody);
web::Answer probe(const Services&, const web::Request&);

}  // namespace models::administration
