// Handlers of the skills' rows, with the structs of their requests. views.h has those of the answers.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <optional>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/network/skills/installer.h"
#include "appliance/network/skills/views.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace skills {

class BookingSettlement;
class InstantSplit;
class Packages;
class Runs;
class Sales;

// All of them must outlive the rows.
struct Services {
  Catalogue& catalogue;
  Installer& installer;
  Runs& runs;
  BookingSettlement& bookings;
  InstantSplit& splits;
  Sales& sales;
  Packages& packages;
  const billing::Subscriptions& subscriptions;
  audit::Audit& audit;
  boost::asio::thread_pool& uploads;  // unpacks archives and writes the catalogue's folder
};

using AgentId = web::Text<1, 128>;

struct ListQuery {
  std::optional<AgentId> agentId;
};
BOOST_DESCRIBE_STRUCT(ListQuery, (), (agentId))

struct InstallRequest {
  web::Text<1, 64> name;
  AgentId agentId;
};
BOOST_DESCRIBE_STRUCT(InstallRequest, (), (name, agentId))

struct UninstallQuery {
  AgentId agentId;
};
BOOST_DESCRIBE_STRUCT(UninstallQuery, (), (agentId))

struct Uninstalled {
  bool success = true;
  std::string skill, agentId;
};
BOOST_DESCRIBE_STRUCT(Uninstalled, (), (success, skill, agentId))

struct UseRequest {
  std::optional<AgentId> agentId;
  std::optional<boost::json::object> inputs;
  std::optional<web::Prose<1, 16'000>> prompt;
  std::optional<bool> wait;
};
BOOST_DESCRIBE_STRUCT(UseRequest, (), (agentId, inputs, prompt, wait))

struct RunsQuery {
  std::optional<web::Integer<1, std::int64_t(runs_kept)>> limit;
};
BOOST_DESCRIBE_STRUCT(RunsQuery, (), (limit))

struct Removed {
  bool success = true;
  std::string skill;
};
BOOST_DESCRIBE_STRUCT(Removed, (), (success, skill))

using PackageUrl = web::Text<1, 2'000>;
using PackageDigest = web::Text<64, 64>;

struct UploadQuery {
  std::optional<PackageUrl> url;
  std::optional<PackageDigest> digest;
};
BOOST_DESCRIBE_STRUCT(UploadQuery, (), (url, digest))

web::Answer list_skills(const Services&, const web::Request&, ListQuery);
web::Answer install_skill(const Services&, const web::Request&, InstallRequest);
web::Answer show_skill(const Services&, const web::Request&);
web::Answer use_skill(const Services&, const web::Request&, UseRequest);
web::Answer uninstall_skill(const Services&, const web::Request&, UninstallQuery);
web::Answer list_runs(const Services&, const web::Request&, RunsQuery);
web::Answer show_run(const Services&, const web::Request&);

// The administrator's.
web::Answer list_catalogue(const Services&, const web::Request&);
web::Answer upload_skill(const Services&, const web::Request&, UploadQuery, web::BodyStream&);
web::Answer remove_skill(const Services&, const web::Request&);

// /api/skills.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/admin/skills and /api/admin/skills-on-sale.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace skills
