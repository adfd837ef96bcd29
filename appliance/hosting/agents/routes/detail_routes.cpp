#include <algorithm>

#include "appliance/hosting/agents/routes/routes.h"
#include "appliance/hosting/agents/routes/target.h"
#include "appliance/hosting/agents/routes/views.h"
#include "web/endpoint.h"

namespace agents {
namespace {

using web::Request;
using web::Response;
using web::Result;
using web::Task;

// ---- config

struct Config {
  std::string id, model, plan;
  boost::json::object config;
  store::Time updatedAt;
};
BOOST_DESCRIBE_STRUCT(Config, (), (id, model, plan, config, updatedAt))

struct ConfigEdit {
  boost::json::object config;
};
BOOST_DESCRIBE_STRUCT(ConfigEdit, (), (config))

Config config_of(const Agent& agent) {
  return {
      .id = agent.id, .model = agent.model, .plan = agent.plan, .config = agent.config, .updatedAt = agent.updated_at};
}

web::Endpoint read_config(Target target) {
  auto handle = [target = std::move(target)](Request& request) -> Task<Result<Response>> {
    const auto agent = target(request, {});
    if (!agent) co_return agent.error();
    co_return web::reply(config_of(*agent), 200);
  };
  return web::plain(handle).returns<Config>().describe(
      "Keys, tokens, secrets and passwords in it are kept sealed and shown as {\"sealed\": true}.");
}

// `granted`: what a change by this request is bound to, if to anything.
web::Endpoint write_config(Agents& service, Target target, std::function<Also(const Request&)> granted) {
  auto handle = [&service, target = std::move(target), granted = std::move(granted)](
                    Request& request, ConfigEdit wanted) -> Task<Result<Response>> {
    const auto agent = target(request, {});
    if (!agent) co_return agent.error();
    Changes changes{.plan = {}, .ai_provider = {}, .config = std::move(wanted.config)};
    auto also = granted(request);
    const auto edited = co_await service.change(agent->owner, agent->id, std::move(changes), std::move(also));
    if (!edited) co_return edited.error();
    co_return web::reply(config_of(*edited), 200);
  };
  return web::body<ConfigEdit>(handle).returns<Config>().describe(
      "Replaces the config. A secret that is written back as {\"sealed\": true}, as it was read, stays as it is. What "
      "the box and the agent read is checked: `model` (one of this box's, or auto), `aiProvider` (who is asked for it: "
      "auto, openrouter, anthropic, openai, google, local, builtin), `plan` (a plan's name; what counts is the agent's "
      "own), `channels` {name: {enabled, botToken}}, `systemPrompt` (instructions to the agent, at most 16,000 "
      "characters), `temperature` (0 to 2), `topP` (0 to 1), `maxTokens` (of one answer of the model) and `tools` (the "
      "names of those it may use; without it all). The agent answers by it from its next start on; of another image "
      "than the box's own that is its own affair.");
}

// ---- token

struct Token {
  std::string id, token;
};
BOOST_DESCRIBE_STRUCT(Token, (), (id, token))

web::Endpoint gateway_token(Target target) {
  auto handle = [target = std::move(target)](Request& request) -> Task<Result<Response>> {
    const auto agent = target(request, {});
    if (!agent) co_return agent.error();
    const Token answer{.id = agent->id, .token = agent->gateway_token.clear};
    co_return web::reply(answer, 200).set("Cache-Control", "no-store");
  };
  return web::plain(handle).returns<Token>().describe("What callers of the agent's own address present as a bearer.");
}

// ---- stats

BOOST_DEFINE_ENUM_CLASS(Source, ok, mock)

struct Stats {
  struct Network {
    std::int64_t receivedBytes = 0, sentBytes = 0;
    BOOST_DESCRIBE_CLASS(Network, (), (receivedBytes, sentBytes), (), ())
  };
  std::string id;
  Source status = Source::ok;
  Status agentStatus;
  double cpuPercent = 0;
  std::int64_t memoryBytes = 0;
  std::optional<Network> network;
  std::int64_t uptimeSeconds = 0;
  store::Time timestamp;
};
BOOST_DESCRIBE_STRUCT(Stats, (), (id, status, agentStatus, cpuPercent, memoryBytes, network, uptimeSeconds, timestamp))

web::Endpoint stats(Agents& service, Target target) {
  auto handle = [&service, target = std::move(target)](Request& request) -> Task<Result<Response>> {
    const auto agent = target(request, {});
    if (!agent) co_return agent.error();
    Stats answer{.id = agent->id, .agentStatus = agent->status, .network = {}, .timestamp = store::now()};
    const auto measured = co_await service.stats(*agent);
    if (measured) {
      answer.cpuPercent = measured->cpu_percent;
      answer.memoryBytes = std::int64_t(measured->memory_bytes);
      if (measured->received_bytes)
        answer.network = {std::int64_t(*measured->received_bytes), std::int64_t(measured->sent_bytes.value_or(0))};
      answer.uptimeSeconds = measured->uptime.count();
    } else if (measured.error().kind == web::Kind::unavailable) {
      answer.status = Source::mock;
    } else if (measured.error().kind != web::Kind::conflict) {
      co_return measured.error();
    }
    co_return web::reply(answer, 200);
  };
  return web::plain(handle).returns<Stats>().describe(
      "Processor time in percent of one core since the last call. All zero for an agent that does not run, and with "
      "`status` mock while the engine does not answer. `network` where the engine counts it.");
}

// ---- verification

BOOST_DEFINE_ENUM_CLASS(VerificationType, eas, coinbase, ens, webauthn)

struct Verified {
  std::string id;
  bool verified = false;
  std::optional<std::string> verificationType, attestationUid, verifierAddress;
  std::optional<boost::json::object> metadata;
  std::optional<store::Time> verifiedAt;
};
BOOST_DESCRIBE_STRUCT(Verified, (),
                      (id, verified, verificationType, attestationUid, verifierAddress, metadata, verifiedAt))

struct VerifyOwn {
  VerificationType verificationType;
  std::optional<web::Text<1, 200>> attestationUid;
};
BOOST_DESCRIBE_STRUCT(VerifyOwn, (), (verificationType, attestationUid))

struct VerifyAnybodys {
  VerificationType verificationType;
  std::optional<bool> verified;
  std::optional<web::Text<1, 200>> attestationUid, verifierAddress;
  std::optional<boost::json::object> metadata;
};
BOOST_DESCRIBE_STRUCT(VerifyAnybodys, (), (verificationType, verified, attestationUid, verifierAddress, metadata))

Verified verified_of(const Agent& agent) {
  return {.id = agent.id,
          .verified = agent.verified,
          .verificationType = agent.verification_type,
          .attestationUid = agent.attestation_uid,
          .verifierAddress = agent.verifier_address,
          .metadata = agent.verification_metadata,
          .verifiedAt = agent.verified_at};
}

Verification given_by(VerifyOwn wanted) {
  return {.verified = true,
          .type = boost::describe::enum_to_string(wanted.verificationType, ""),
          .attestation_uid = std::move(wanted.attestationUid),
          .verifier_address = {},
          .metadata = {}};
}
Verification given_by(VerifyAnybodys wanted) {
  return {.verified = wanted.verified.value_or(true),
          .type = boost::describe::enum_to_string(wanted.verificationType, ""),
          .attestation_uid = std::move(wanted.attestationUid),
          .verifier_address = std::move(wanted.verifierAddress),
          .metadata = std::move(wanted.metadata)};
}

web::Endpoint verification(Target target) {
  auto handle = [target = std::move(target)](Request& request) -> Task<Result<Response>> {
    const auto agent = target(request, {});
    if (!agent) co_return agent.error();
    co_return web::reply(verified_of(*agent), 200);
  };
  return web::plain(handle).returns<Verified>();
}

Task<Result<Response>> set_verification(Agents& service, Result<Agent> agent, Verification given) {
  if (!agent) co_return agent.error();
  const auto edited = co_await service.verify(agent->owner, agent->id, std::move(given));
  if (!edited) co_return edited.error();
  co_return web::reply(verified_of(*edited), 200);
}

template <class Wanted>
web::Endpoint verify(Agents& service, Target target) {
  auto handle = [&service, target = std::move(target)](Request& request, Wanted wanted) -> Task<Result<Response>> {
    return set_verification(service, target(request, {}), given_by(std::move(wanted)));
  };
  return web::body<Wanted>(handle).template returns<Verified>();
}

web::Endpoint unverify(Agents& service, Target target) {
  auto handle = [&service, target = std::move(target)](Request& request) -> Task<Result<Response>> {
    return set_verification(service, target(request, {}), {});
  };
  return web::plain(handle).returns<Verified>();
}

const web::RateLimit agents_rate{.group = "agents", .limit = 100};
const web::RateLimit instance_rate{.group = "instance", .limit = 30};

}  // namespace

std::vector<web::Route> web_detail_routes(Agents& service, const agentbox::Guards& guards) {
  const auto& session = guards.session;
  const auto by_id = own(service, "id"), by_user = own(service, "userId");
  const auto by_session = [&service](const Request& request) { return service.granted_to(request.caller); };
  return {
      {web::GET, "/api/agents/:id/config", session, &agents_rate, read_config(by_id), "An agent's config"},
      {web::PUT, "/api/agents/:id/config", session, &agents_rate, write_config(service, by_id, by_session),
       "Set an agent's config"},
      {web::GET, "/api/agents/:id/token", session, &agents_rate, gateway_token(by_id), "An agent's gateway token"},
      {web::GET, "/api/agents/:id/stats", session, &agents_rate, stats(service, by_id), "What an agent uses"},
      {web::GET, "/api/agents/:id/verify", session, &agents_rate, verification(by_id), "Whether an agent is verified"},
      {web::POST, "/api/agents/:id/verify", session, &agents_rate, verify<VerifyOwn>(service, by_id),
       "Verify an agent"},
      {web::DELETE, "/api/agents/:id/verify", session, &agents_rate, unverify(service, by_id),
       "Take an agent's verification away"},
      {web::GET, "/api/instance/:userId/stats", session, &instance_rate, with_agent_id(stats(service, by_user)),
       "What an agent uses"},
  };
}

std::vector<web::Route> backend_detail_routes(Agents& service, const agentbox::Guards& guards) {
  const auto& key = guards.internal_key;
  const auto target = anybodys(service);
  const auto by_box = [](const Request&) { return Also(); };
  return {
      {web::GET, "/api/agents/:id/config", key, nullptr, read_config(target), "An agent's config"},
      {web::PUT, "/api/agents/:id/config", key, nullptr, write_config(service, target, by_box),
       "Set an agent's config"},
      {web::GET, "/api/agents/:id/token", key, nullptr, gateway_token(target), "An agent's gateway token"},
      {web::GET, "/api/agents/:id/stats", key, nullptr, stats(service, target), "What an agent uses"},
      {web::GET, "/api/agents/:id/verification", key, nullptr, verification(target), "Whether an agent is verified"},
      {web::POST, "/api/agents/:id/verify", key, nullptr, verify<VerifyAnybodys>(service, target), "Verify an agent"},
      {web::DELETE, "/api/agents/:id/verify", key, nullptr, unverify(service, target),
       "Take an agent's verification away"},
      {web::GET, "/api/runtime/instances/:id/stats", key, nullptr, stats(service, target), "What an agent uses"},
  };
}

}  // namespace agents
