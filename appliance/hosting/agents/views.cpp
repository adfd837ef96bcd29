#include "appliance/hosting/agents/views.h"

#include "appliance/hosting/agents/new_agent.h"

namespace agents {
namespace {

template <class Record>
AgentView view_of_summary(const Record& agent, const AgentAddresses& addresses) {
  AgentView view;
  view.id = agent.id;
  view.name = agent.name;
  view.status = agent.status;
  view.model = agent.model;
  view.subdomain = agent.subdomain;
  view.url = addresses.url(agent.subdomain);
  view.websocketUrl = addresses.websocket_url(agent.subdomain);
  view.createdAt = agent.created_at;
  view.updatedAt = agent.updated_at;
  return view;
}

// An agent that was never watched counts as stopped since it was created.
WatchView view_of(watchdog::Watch watch, store::Time created) {
  WatchView view{.state = watch.state,
                 .since = watch.history.empty() ? created : watch.since,
                 .lastProbe = watch.last_probe,
                 .crashes = watch.crashes,
                 .repairs = watch.repairs,
                 .history = {}};
  for (auto& event : watch.history) view.history.push_back({event.at, event.state, std::move(event.reason)});
  return view;
}

}  // namespace

AgentView view_of(const AgentSummary& agent, const AgentAddresses& addresses) {
  return view_of_summary(agent, addresses);
}

AgentView view_of(const Agent& agent, const AgentAddresses& addresses) {
  auto view = view_of_summary(agent, addresses);
  view.statusReason = agent.status_reason;
  view.plan = agent.plan;
  view.tier = agent.tier;
  view.aiProvider = shown_provider(agent.config);
  view.runtimeVersion = agent.runtime_version;
  view.verified = agent.verified;
  view.verificationType = agent.verification_type;
  view.attestationUid = agent.attestation_uid;
  view.verifiedAt = agent.verified_at;
  view.startedAt = agent.started_at;
  return view;
}

web::Task<Detail> detail_of(AgentMonitor& monitor, const AgentAddresses& addresses, Agent agent) {
  auto watch = co_await monitor.watch(agent);
  auto detail = show<Detail>(view_of(agent, addresses));
  detail.watchdog = view_of(std::move(watch), agent.created_at);
  co_return detail;
}

}  // namespace agents
