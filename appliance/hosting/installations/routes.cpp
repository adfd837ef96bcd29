#include "appliance/hosting/installations/routes.h"

#include "web/endpoint.h"

namespace installations {

namespace {

using web::Request;
using web::Response;
using web::Result;
using Handled = web::Task<Result<Response>>;

constexpr std::size_t most_listed = 10'000;

BOOST_DEFINE_ENUM_CLASS(Status, active, inactive)

struct RegisterHome {
  web::Text<1, 128> userId;
  std::optional<Mode> mode;
  std::optional<web::Text<1, 512>> gatewayToken;
};
BOOST_DESCRIBE_STRUCT(RegisterHome, (), (userId, mode, gatewayToken))

struct Registered {
  bool success = true;
  std::string message, dashboardUrl;
};
BOOST_DESCRIBE_STRUCT(Registered, (), (success, message, dashboardUrl))

struct View {
  std::string userId;
  Mode mode;
  store::Time registeredAt, lastSeen;
  Status status;
};
BOOST_DESCRIBE_STRUCT(View, (), (userId, mode, registeredAt, lastSeen, status))

struct List {
  bool success = true;
  std::int64_t count = 0;
  std::vector<View> installations;
};
BOOST_DESCRIBE_STRUCT(List, (), (success, count, installations))

struct Beat {
  std::optional<web::Text<1, 128>> userId;
};
BOOST_DESCRIBE_STRUCT(Beat, (), (userId))

struct Heard {
  bool success = true;
  store::Time timestamp;
};
BOOST_DESCRIBE_STRUCT(Heard, (), (success, timestamp))

struct Validity {
  bool valid = true;
  std::string userId;
  std::optional<std::string> plan;
  std::vector<std::string> features;
};
BOOST_DESCRIBE_STRUCT(Validity, (), (valid, userId, plan, features))

// What a plan opens. Every plan has the whole product within its limits; the largest one has no token limit.
std::vector<std::string> features_of(billing::Plan plan) {
  std::vector<std::string> features{"agents",          "chat",   "memory",    "files",
                                    "scheduled-tasks", "skills", "agent-bus", "ai"};
  if (!billing::limits(plan).monthly_tokens) features.emplace_back("unlimited-tokens");
  return features;
}

std::string name_of(Mode mode) { return boost::describe::enum_to_string(mode, ""); }

Handled enrol(const Parts& parts, RegisterHome wanted, Mode mode) {
  co_await parts.service.register_one(std::move(wanted.userId), mode, std::move(wanted.gatewayToken).value_or(""));
  const Registered answer{.message = "The installation is registered in " + name_of(mode) + " mode.",
                          .dashboardUrl = parts.web_url() + "/dashboard"};
  co_return web::reply(answer, 200);
}

}  // namespace

std::vector<web::Route> backend_routes(const Parts& parts) {
  const auto& guards = parts.guards;
  auto register_home = [parts](Request&, RegisterHome wanted) -> Handled {
    const auto mode = wanted.mode.value_or(Mode::home);
    return enrol(parts, std::move(wanted), mode);
  };
  auto register_link = [parts](Request&, RegisterHome wanted) -> Handled {
    return enrol(parts, std::move(wanted), Mode::link);
  };
  auto list = [parts](Request&) -> Handled {
    List answer;
    for (auto& one : parts.service.list(most_listed)) {
      const auto status = parts.service.is_active(one) ? Status::active : Status::inactive;
      answer.installations.push_back({std::move(one.user_id), one.mode, one.registered_at, one.last_seen, status});
    }
    answer.count = std::int64_t(answer.installations.size());
    co_return web::reply(answer, 200);
  };
  auto hear = [parts](Request&, Beat beat) -> Handled {
    if (beat.userId) co_await parts.service.heard_of(std::move(*beat.userId));
    const Heard answer{.timestamp = store::now()};
    co_return web::reply(answer, 200);
  };
  auto validate = [parts](Request& request) -> Handled {
    Validity answer{.userId = std::to_string(request.caller.user_id), .plan = {}, .features = {}};
    if (const auto held = parts.subscriptions.active(request.caller.user_id)) {
      answer.plan = std::string(billing::to_string(held->plan));
      answer.features = features_of(held->plan);
    }
    co_return web::reply(answer, 200);
  };
  return {
      {web::POST, "/api/validate-key", guards.installation_key, nullptr, web::plain(validate).returns<Validity>(),
       "Whose API key the bearer is"},
      {web::POST, "/api/register-home", guards.internal_key, nullptr,
       web::body<RegisterHome>(register_home)
           .returns<Registered>()
           .describe("Registering again replaces mode and token; without gatewayToken the one given before stays."),
       "Register an installation"},
      {web::POST, "/api/register-link", guards.internal_key, nullptr,
       web::body<RegisterHome>(register_link)
           .returns<Registered>()
           .describe("As register-home; the mode is `link`, whatever the body says."),
       "Register an installation in Link mode"},
      {web::GET, "/api/installations", guards.internal_key, nullptr,
       web::plain(list).returns<List>().describe(
           "`inactive` is one that sent no heartbeat for three times INSTALLATION_HEARTBEAT_INTERVAL."),
       "The installations that have registered"},
      {web::POST, "/api/heartbeat", guards.none, nullptr,
       web::body<Beat>(hear).returns<Heard>().describe(
           "The same answer whether or not an installation is registered for this userId."),
       "An installation is alive"},
  };
}

}  // namespace installations
