#include <boost/asio/ip/address.hpp>
#include <boost/json/parse.hpp>

#include "appliance/box/cli/doctor/checks.h"
#include "web/admission/trusted_proxies.h"
#include "web/json.h"

namespace agentbox::cli::doctor {

namespace {

bool is_loopback(const std::string& listen) {
  std::string host = listen.substr(0, listen.rfind(':'));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  boost::system::error_code failed;
  const auto address = boost::asio::ip::make_address(host, failed);
  return failed ? host == "localhost" : address.is_loopback();
}

Finding check_admin_networks(const Settings& settings) {
  const std::string check = "admin networks";
  const web::TrustedProxies networks(settings.admin_networks);
  const bool admits_this_machine = networks.contains(boost::asio::ip::make_address("127.0.0.1"));
  if (admits_this_machine || !is_loopback(settings.web_listen))
    return {check, Level::ok, std::to_string(settings.admin_networks.size()) + " may use the rows of admins", {}};
  if (settings.trusted_proxies.empty())
    return {check, Level::warning,
            "ADMIN_NETWORKS shuts all admins out: on " + settings.web_listen +
                " every client comes from this machine, which is in none of the networks",
            "name the reverse proxy in TRUSTED_PROXIES, or add 127.0.0.1 to ADMIN_NETWORKS"};
  return {check, Level::note, "admins are shut out on this machine itself (an SSH tunnel, for example)",
          "add 127.0.0.1 to ADMIN_NETWORKS if they come that way, too"};
}

Finding check_audit_stream(const BoxClient& client) {
  const std::string check = "audit stream";
  const auto answer = client.health();
  boost::system::error_code malformed;
  const auto health = answer ? boost::json::parse(answer->body, malformed) : boost::json::value();
  const auto state = malformed ? std::string() : web::string_member(health, "auditStream");
  if (state.empty()) return {check, Level::note, "the box does not run: the collector was not asked", {}};
  if (state == "ok") return {check, Level::ok, "the collector takes the entries", {}};
  return {check, Level::problem, web::string_member(health, "auditStreamProblem"),
          "correct AUDIT_STREAM, or start the collector: entries wait in the audit log"};
}

// What the drills after scheduled backups have found.
Finding check_restores(const BoxClient& client) {
  const std::string check = "restore drill";
  if (!client.is_running()) return {check, Level::note, "the box does not run: it was not asked", {}};
  boost::json::object list;
  try {
    list = client.call("GET", "/api/admin/backups").as_object();
  } catch (const UsageError& error) {
    return {check, Level::note, std::string("the box was not asked: ") + error.what(), {}};
  }
  const auto* drill = list.if_contains("restoreDrill");
  if (!drill || !drill->is_object())
    return {check, Level::note, "no scheduled backup was made yet", "the first one is restored on trial"};
  const auto backup = web::string_member(*drill, "backup"), problem = web::string_member(*drill, "problem");
  const std::string proven = backup.empty() ? "no backup was restored on trial" : backup + " was restored on trial";
  if (!problem.empty())
    return {check, Level::problem, "the last backup could not be restored: " + problem,
            "keep the earlier backups, and run agentbox verify"};
  const auto* old = drill->as_object().if_contains("old");
  if (old && old->is_bool() && old->as_bool())
    return {check, Level::warning, proven + ", and none since RESTORE_PROOF_AGE",
            "see backup_failed in the log, and BACKUP_SCHEDULE"};
  return {check, Level::ok, proven + " and found equal", {}};
}

}  // namespace

Findings check_access(const Settings& settings, const BoxClient& client) {
  Findings findings;
  if (!settings.admin_networks.empty()) findings.push_back(check_admin_networks(settings));
  if (!settings.audit_stream.empty()) findings.push_back(check_audit_stream(client));
  if (!settings.backup_schedule.empty()) findings.push_back(check_restores(client));
  return findings;
}

}  // namespace agentbox::cli::doctor
