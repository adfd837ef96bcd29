#include "appliance/box/standby/handlers.h"

#include "appliance/box/maintenance/restore_drill.h"
#include "appliance/foundation/redaction.h"
#include "web/routes/reply.h"

namespace standby {

namespace {

constexpr std::size_t samples = 1'000;
constexpr const char* lag_gauge = "agentbox_standby_lag_seconds";
constexpr const char* degraded_gauge = "agentbox_standby_degraded";
constexpr const char* connected_gauge = "agentbox_standby_following";

BucketView view_of_bucket(const BucketCopy& bucket, const store::System& system) {
  const auto status = bucket.status();
  BucketView view{.place = status.place,
                  .behind = status.is_behind,
                  .problem = {},
                  .lagMs = status.lag.count(),
                  .newest = status.newest,
                  .stored = status.stored,
                  .baseAt = status.base_at,
                  .foldersAt = status.folders_at,
                  .lastProvenRestore = {},
                  .restoreProblem = {}};
  if (!status.problem.empty()) view.problem = agentbox::redact_paths(status.problem);
  const auto proof = maintenance::last_restore_proof(system, maintenance::from_bucket);
  if (!proof) return view;
  view.lastProvenRestore = proof->proven_at;
  if (!proof->problem.empty()) view.restoreProblem = agentbox::redact_paths(proof->problem);
  return view;
}

web::Answer show_standby(const Services& services, const web::Request&) { co_return web::reply(view_of(services)); }

web::Answer prove_standby(const Services& services, const web::Request& request) {
  if (!services.shipper) co_return web::conflict("STANDBY is off");
  if (services.shipper->status().state != Status::State::following)
    co_return web::conflict("No standby is following at the moment");
  auto& store = services.store;
  auto census = co_await web::offload(services.backups, [&store] { return store.census(samples); });
  const bool is_sent = services.shipper->prove(std::move(census));
  if (!is_sent) co_return web::conflict("No standby is following at the moment");
  auto entry = audit::of_request(request, "standby asked for a proof", "");
  co_await services.audit.note(std::move(entry));
  co_return web::reply(view_of(services), 202);
}

constexpr const char* show_text =
    "`mode` is STANDBY. `state` is waiting (none is connected), base (it receives a copy of the store), catching_up or "
    "following. `lagMs` is the age of the oldest change that is not on the standby's disk. `degraded` is true while "
    "durable changes do not wait for the standby although STANDBY is sync. `proof` is the result of the last "
    "POST /api/admin/standby/prove, `foldersAt` when the workspaces were last the same. `bucket` is there with "
    "STANDBY_S3_ENDPOINT: `lagMs` is the age of the oldest change that it does not have, `behind` whether that is more "
    "than 30 seconds, `baseAt` when it got its last whole copy, `lastProvenRestore` when it was last restored on trial "
    "and found equal.";
constexpr const char* prove_text =
    "Counts the records of each table and picks 1,000 at random; the standby compares them with its own, and receives "
    "the workspaces at once. The answer is 202: `proof` of GET /api/admin/standby has the result when it is there. 409 "
    "unless a standby is following.";

}  // namespace

StandbyView view_of(const Services& services) {
  StandbyView view;
  if (services.bucket) view.bucket = view_of_bucket(*services.bucket, services.system);
  if (!services.shipper) return view;
  const auto status = services.shipper->status();
  view.mode = status.is_sync ? "sync" : "async";
  view.state = to_string(status.state);
  view.degraded = status.is_degraded;
  if (!status.problem.empty()) view.problem = agentbox::redact_paths(status.problem);
  if (!status.address.empty()) view.address = status.address;
  view.epoch = status.epoch;
  view.newest = status.newest;
  view.acknowledged = status.acknowledged;
  view.bases = status.bases;
  view.lagMs = status.lag.count();
  view.foldersAt = status.folders_at;
  if (!status.proof) return view;
  view.proof = ProofView{
      .at = status.proof->at, .records = status.proof->records, .compared = status.proof->compared, .problem = {}};
  if (!status.proof->problem.empty()) view.proof->problem = status.proof->problem;
  return view;
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.backup;
  return {
      {web::GET, "/api/admin/standby", key, nullptr,
       web::plain(on(show_standby)).returns<StandbyView>().describe(show_text), "State of the standby"},
      {web::POST, "/api/admin/standby/prove", key, nullptr,
       web::plain(on(prove_standby)).returns<StandbyView>(202).describe(prove_text).fails({web::Kind::conflict}),
       "Compare the standby with the box"},
  };
}

void add_gauges(const Shipper& shipper) {
  web::metrics().gauge(lag_gauge, "Age of the oldest change that is not on the standby's disk",
                       [&shipper] { return static_cast<double>(shipper.status().lag.count()) / 1'000; });
  web::metrics().gauge(degraded_gauge, "1 while durable changes do not wait for the standby although STANDBY is sync",
                       [&shipper] { return shipper.status().is_degraded ? 1.0 : 0.0; });
  web::metrics().gauge(connected_gauge, "1 while a standby follows",
                       [&shipper] { return shipper.status().state == Status::State::following ? 1.0 : 0.0; });
}

void remove_gauges() {
  for (const auto* name : {lag_gauge, degraded_gauge, connected_gauge}) web::metrics().remove(name);
}

}  // namespace standby
