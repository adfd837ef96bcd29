// Handlers for one part of an agent: config, token, stats, verification. The same on both listeners.
#pragma once

#include <boost/json/object.hpp>

#include "appliance/hosting/agents/handlers.h"
#include "appliance/hosting/agents/target.h"
#include "web/routes/endpoint.h"

namespace agents {

// ---- Config

struct ConfigAnswer {
  std::string id, model, plan;
  boost::json::object config;
  store::Time updatedAt;
};
BOOST_DESCRIBE_STRUCT(ConfigAnswer, (), (id, model, plan, config, updatedAt))

struct ConfigRequest {
  boost::json::object config;
};
BOOST_DESCRIBE_STRUCT(ConfigRequest, (), (config))

struct PatchRequest {
  std::optional<web::Text<1, 100>> name;
  std::optional<web::Text<1, 200>> model;
  std::optional<boost::json::object> config;
};
BOOST_DESCRIBE_STRUCT(PatchRequest, (), (name, model, config))

struct PatchAnswer {
  std::string id, name, model, plan;
  boost::json::object config;
  store::Time updatedAt;
  bool restartNeeded = false;
};
BOOST_DESCRIBE_STRUCT(PatchAnswer, (), (id, name, model, plan, config, updatedAt, restartNeeded))

web::Answer patch_agent(const Services&, const Target&, const web::Request&, PatchRequest);
web::Answer show_config(const Services&, const Target&, const web::Request&);
web::Answer replace_config(const Services&, const Target&, const web::Request&, ConfigRequest);

// ---- Token

struct TokenAnswer {
  std::string id, token;
};
BOOST_DESCRIBE_STRUCT(TokenAnswer, (), (id, token))

struct RotateAnswer {
  std::string id, token;
  Status status{};
};
BOOST_DESCRIBE_STRUCT(RotateAnswer, (), (id, token, status))

web::Answer show_token(const Services&, const Target&, const web::Request&);
web::Answer rotate_token(const Services&, const Target&, const web::Request&);

// ---- Stats

BOOST_DEFINE_ENUM_CLASS(StatsSource, ok, mock)

struct StatsAnswer {
  struct Network {
    std::int64_t receivedBytes = 0, sentBytes = 0;
    BOOST_DESCRIBE_CLASS(Network, (), (receivedBytes, sentBytes), (), ())
  };
  std::string id;
  StatsSource status = StatsSource::ok;
  Status agentStatus{};
  double cpuPercent = 0;
  std::int64_t memoryBytes = 0;
  std::optional<Network> network;
  std::int64_t uptimeSeconds = 0;
  store::Time timestamp;
};
BOOST_DESCRIBE_STRUCT(StatsAnswer, (),
                      (id, status, agentStatus, cpuPercent, memoryBytes, network, uptimeSeconds, timestamp))

web::Answer show_stats(const Services&, const Target&, const web::Request&);

// ---- Verification

BOOST_DEFINE_ENUM_CLASS(VerificationType, eas, coinbase, ens, webauthn)

struct VerificationAnswer {
  std::string id;
  bool verified = false;
  std::optional<std::string> verificationType, attestationUid, verifierAddress;
  std::optional<boost::json::object> metadata;
  std::optional<store::Time> verifiedAt;
};
BOOST_DESCRIBE_STRUCT(VerificationAnswer, (),
                      (id, verified, verificationType, attestationUid, verifierAddress, metadata, verifiedAt))

// Of the owner.
struct VerifyRequest {
  VerificationType verificationType{};
  std::optional<web::Text<1, 200>> attestationUid;
};
BOOST_DESCRIBE_STRUCT(VerifyRequest, (), (verificationType, attestationUid))

struct BackendVerifyRequest {
  VerificationType verificationType{};
  std::optional<bool> verified;
  std::optional<web::Text<1, 200>> attestationUid, verifierAddress;
  std::optional<boost::json::object> metadata;
};
BOOST_DESCRIBE_STRUCT(BackendVerifyRequest, (), (verificationType, verified, attestationUid, verifierAddress, metadata))

web::Answer show_verification(const Services&, const Target&, const web::Request&);
web::Answer verify_own(const Services&, const Target&, const web::Request&, VerifyRequest);
web::Answer verify_any(const Services&, const Target&, const web::Request&, BackendVerifyRequest);
web::Answer remove_verification(const Services&, const Target&, const web::Request&);

}  // namespace agents
