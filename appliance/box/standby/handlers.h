#pragma once

#include <boost/asio/thread_pool.hpp>
#include <optional>
#include <string>

#include "appliance/access/guards.h"
#include "appliance/box/standby/bucket_copy.h"
#include "appliance/box/standby/shipper.h"
#include "appliance/identity/audit/audit.h"
#include "store/codec.h"
#include "web/metrics.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace standby {

// All outlive the rows.
struct Services {
  Shipper* shipper;          // null: STANDBY is off
  const BucketCopy* bucket;  // null: there is none
  store::System system;
  store::Store& store;
  audit::Audit& audit;
  boost::asio::thread_pool& backups;  // for reads of the whole store
};

struct ProofView {
  store::Time at{};
  std::int64_t records = 0, compared = 0;
  std::optional<std::string> problem;
};
BOOST_DESCRIBE_STRUCT(ProofView, (), (at, records, compared, problem))

struct BucketView {
  std::string place;
  bool behind = false;
  std::optional<std::string> problem;
  std::int64_t lagMs = 0;
  std::uint64_t newest = 0, stored = 0;
  std::optional<store::Time> baseAt, foldersAt, lastProvenRestore;
  std::optional<std::string> restoreProblem;
};
BOOST_DESCRIBE_STRUCT(BucketView, (),
                      (place, behind, problem, lagMs, newest, stored, baseAt, foldersAt, lastProvenRestore,
                       restoreProblem))

struct StandbyView {
  std::string mode = "off";   // off, async, sync
  std::string state = "off";  // off, waiting, base, catching_up, following
  bool degraded = false;
  std::optional<std::string> problem, address;
  std::uint64_t epoch = 0, newest = 0, acknowledged = 0, bases = 0;
  std::int64_t lagMs = 0;
  std::optional<store::Time> foldersAt;
  std::optional<ProofView> proof;
  std::optional<BucketView> bucket;
};
BOOST_DESCRIBE_STRUCT(StandbyView, (),
                      (mode, state, degraded, problem, address, epoch, newest, acknowledged, bases, lagMs, foldersAt,
                       proof, bucket))

StandbyView view_of(const Services&);

// GET /api/admin/standby and POST /api/admin/standby/prove.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

void add_gauges(const Shipper&);
void remove_gauges();

}  // namespace standby
