#include <iostream>

#include "appliance/box/cli/box_client.h"
#include "appliance/box/cli/commands.h"
#include "appliance/box/rollback.h"
#include "web/json.h"

namespace agentbox::cli {

namespace {

// What the box says of itself: "read-only", with the reason.
std::string problem_in(const std::string& body) {
  boost::system::error_code malformed;
  const auto value = boost::json::parse(body, malformed);
  return malformed ? std::string() : web::string_member(value, "reason");
}

int unhealthy(const Settings& settings, const std::string& problem) {
  std::cout << problem << '\n';
  if (const auto advice = rollback_advice(DataFolder(settings.data)); !advice.empty()) std::cout << advice << '\n';
  return 1;
}

}  // namespace

int health(const Settings& settings) {
  const auto answer = BoxClient(settings).health();
  if (!answer) return unhealthy(settings, "no box answers: " + answer.error().message);
  if (answer->status == 200) {
    std::cout << "healthy\n";
    return 0;
  }
  const auto problem = problem_in(answer->body);
  return unhealthy(settings,
                   "not healthy: " + (problem.empty() ? "it answered " + std::to_string(answer->status) : problem));
}

}  // namespace agentbox::cli
