#include "appliance/hosting/agents/detail_handlers.h"

namespace agents {
namespace {

ConfigAnswer config_answer(const Agent& agent) {
  return {
      .id = agent.id, .model = agent.model, .plan = agent.plan, .config = agent.config, .updatedAt = agent.updated_at};
}

VerificationAnswer verification_answer(const Agent& agent) {
  return {.id = agent.id,
          .verified = agent.verified,
          .verificationType = agent.verification_type,
          .attestationUid = agent.attestation_uid,
          .verifierAddress = agent.verifier_address,
          .metadata = agent.verification_metadata,
          .verifiedAt = agent.verified_at};
}

void add(const runtime::InstanceStats& stats, StatsAnswer& answer) {
  answer.cpuPercent = stats.cpu_percent;
  answer.memoryBytes = std::int64_t(stats.memory_bytes);
  if (stats.received_bytes)
    answer.network = {std::int64_t(*stats.received_bytes), std::int64_t(stats.sent_bytes.value_or(0))};
  answer.uptimeSeconds = stats.uptime.count();
}

web::Answer set_verification(const Services& services, web::Result<Agent> target, Verification verification) {
  if (!target) co_return target.error();
  const auto agent = co_await services.agents.editor.verify(target->owner, target->id, std::move(verification));
  if (!agent) co_return agent.error();
  co_return web::reply(verification_answer(*agent), 200);
}

}  // namespace

web::Answer show_config(const Services& services, const Target& target, const web::Request& request) {
  const auto agent = target(services.agents.directory, request, {});
  if (!agent) co_return agent.error();
  co_return web::reply(config_answer(*agent), 200);
}

web::Answer replace_config(const Services& services, const Target& target, const web::Request& request,
                           ConfigRequest body) {
  const auto found = target(services.agents.directory, request, {});
  if (!found) co_return found.error();
  Changes changes{.plan = {}, .ai_provider = {}, .config = std::move(body.config)};
  const auto agent =
      co_await services.agents.editor.change(request.caller, found->owner, found->id, std::move(changes));
  if (!agent) co_return agent.error();
  co_return web::reply(config_answer(*agent), 200);
}

web::Answer patch_agent(const Services& services, const Target& target, const web::Request& request,
                        PatchRequest body) {
  const auto found = target(services.agents.directory, request, {});
  if (!found) co_return found.error();
  Patch patch;
  if (body.name) patch.name = std::move(*body.name);
  if (body.model) patch.model = std::move(*body.model);
  if (body.config) patch.config = std::move(*body.config);
  if (patch.is_empty()) co_return web::invalid("name, model or config is required");
  const auto agent = co_await services.agents.editor.patch(request.caller, found->owner, found->id, std::move(patch));
  if (!agent) co_return agent.error();
  const bool is_changed = agent->model != found->model || agent->config != found->config;
  const PatchAnswer answer{.id = agent->id,
                           .name = agent->name,
                           .model = agent->model,
                           .plan = agent->plan,
                           .config = agent->config,
                           .updatedAt = agent->updated_at,
                           .restartNeeded = is_changed && agent->status == Status::running};
  co_return web::reply(answer, 200);
}

web::Answer show_token(const Services& services, const Target& target, const web::Request& request) {
  const auto agent = target(services.agents.directory, request, {});
  if (!agent) co_return agent.error();
  const TokenAnswer answer{.id = agent->id, .token = agent->gateway_token.clear};
  co_return web::reply(answer, 200).set("Cache-Control", "no-store");
}

web::Answer rotate_token(const Services& services, const Target& target, const web::Request& request) {
  const auto found = target(services.agents.directory, request, {});
  if (!found) co_return found.error();
  auto actor = audit::actor_of(request);
  const auto agent = co_await services.agents.revocation.rotate(std::move(actor), found->owner, found->id);
  if (!agent) co_return agent.error();
  const RotateAnswer answer{.id = agent->id, .token = agent->gateway_token.clear, .status = agent->status};
  co_return web::reply(answer, 200).set("Cache-Control", "no-store");
}

web::Answer show_stats(const Services& services, const Target& target, const web::Request& request) {
  const auto agent = target(services.agents.directory, request, {});
  if (!agent) co_return agent.error();
  StatsAnswer answer{.id = agent->id, .agentStatus = agent->status, .network = {}, .timestamp = store::now()};
  const auto stats = co_await services.agents.monitor.stats(*agent);
  if (stats) {
    add(*stats, answer);
  } else if (stats.error().kind == web::Kind::unavailable) {
    answer.status = StatsSource::mock;
  } else if (stats.error().kind != web::Kind::conflict) {
    co_return stats.error();
  }
  co_return web::reply(answer, 200);
}

web::Answer show_verification(const Services& services, const Target& target, const web::Request& request) {
  const auto agent = target(services.agents.directory, request, {});
  if (!agent) co_return agent.error();
  co_return web::reply(verification_answer(*agent), 200);
}

web::Answer verify_own(const Services& services, const Target& target, const web::Request& request,
                       VerifyRequest body) {
  Verification verification{.verified = true,
                            .type = boost::describe::enum_to_string(body.verificationType, ""),
                            .attestation_uid = std::move(body.attestationUid),
                            .verifier_address = {},
                            .metadata = {}};
  return set_verification(services, target(services.agents.directory, request, {}), std::move(verification));
}

web::Answer verify_any(const Services& services, const Target& target, const web::Request& request,
                       BackendVerifyRequest body) {
  Verification verification{.verified = body.verified.value_or(true),
                            .type = boost::describe::enum_to_string(body.verificationType, ""),
                            .attestation_uid = std::move(body.attestationUid),
                            .verifier_address = std::move(body.verifierAddress),
                            .metadata = std::move(body.metadata)};
  return set_verification(services, target(services.agents.directory, request, {}), std::move(verification));
}

web::Answer remove_verification(const Services& services, const Target& target, const web::Request& request) {
  return set_verification(services, target(services.agents.directory, request, {}), {});
}

}  // namespace agents
