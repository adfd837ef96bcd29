#include "appliance/hosting/agents/agents.h"

#include <gmock/gmock.h>

#include <future>

#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/agents/handlers.h"
#include "tests/hosting/agent_box.h"
#include "web/routes/reply.h"

namespace agents_test {

using namespace agent_tests;
using agents::Status;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

// Permissions and limits: these agents need not start.
class Agents : public AgentBoxTest {
 protected:
  web::Caller subscriber(billing::Plan plan) {
    web::Caller caller = stranger;
    EXPECT_TRUE(box->run(box->subscriptions.deploy(caller.user_id, plan)));
    return caller;
  }
  // An agent that is `running` in the store, without a process.
  agents::Agent routed() {
    auto agent = box->run(box->agents->provisioning.create(owner.user_id, named("routed"))).value();
    auto edit = [](agents::Agent& edited) { edited.status = Status::running; };
    return *box->run(box->system().modify(agents::records, owner.user_id, agent.id, edit));
  }
  static agents::NewAgent named(std::string name) {
    agents::NewAgent spec;
    spec.name = std::move(name);
    return spec;
  }
  std::optional<web::Result<web::ProxyTarget>> route(const web::Request& request) {
    return box->agents->addresses.host_router()(request);
  }
  int refused(const web::Request& request) {
    auto found = route(request);
    return found && !*found ? web::http_status(found->error().kind) : 0;
  }
};

web::Request request_to(const std::string& host, std::string_view target = "/") {
  web::Request request;
  request.host = host;
  request.target = target;
  const auto mark = target.find('?');
  request.path = target.substr(0, mark);
  if (mark != std::string_view::npos) request.query = target.substr(mark + 1);
  return request;
}

TEST_F(Agents, RequireASubscription) {
  auto refused = try_provision(stranger, "one", "");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, web::Kind::payment_required);
  EXPECT_EQ(refused.error().code, "SUBSCRIPTION_REQUIRED");
  EXPECT_TRUE(box->agents->directory.list(stranger.user_id).empty());
}

TEST_F(Agents, ATierAboveTheSubscriptionIsPaymentRequired) {
  const auto solo = subscriber(billing::Plan::solo);
  auto above = try_provision(solo, "one", "pro");
  ASSERT_FALSE(above);
  EXPECT_EQ(above.error().kind, web::Kind::payment_required);
  EXPECT_TRUE(try_provision(solo, "one", "starter"));
}

TEST_F(Agents, AnUnknownTierIsInvalid) {
  auto refused = try_provision(owner, "one", "platinum");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, web::Kind::invalid);
  EXPECT_THAT(refused.error().message, StartsWith("tier"));
}

TEST_F(Agents, ABlankNameIsInvalid) {
  auto refused = try_provision(owner, "  ");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, web::Kind::invalid);
}

TEST_F(Agents, TheLimitDependsOnTheTier) {
  const auto solo = subscriber(billing::Plan::solo);
  ASSERT_TRUE(try_provision(solo, "one", "starter"));
  auto second = try_provision(solo, "two", "starter");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, web::Kind::too_many);
  EXPECT_EQ(second.error().code, "AGENT_LIMIT_REACHED");
  EXPECT_EQ(second.error().extra.at("current").as_int64(), 1);
  EXPECT_EQ(second.error().extra.at("limit").as_int64(), 1);
}

TEST_F(Agents, TheLimitHoldsForConcurrentRequests) {
  const auto collective = subscriber(billing::Plan::collective);
  std::vector<std::future<web::Result<agents::Agent>>> attempts;
  for (int i = 0; i < 20; ++i)
    attempts.push_back(std::async(std::launch::async, [&] { return try_provision(collective, "racer", "pro"); }));
  int made = 0;
  for (auto& attempt : attempts) {
    auto result = attempt.get();
    if (result) ++made;
    if (result) continue;
    EXPECT_EQ(result.error().kind, web::Kind::too_many);
  }
  EXPECT_EQ(made, 3);
  EXPECT_EQ(box->agents->directory.list(collective.user_id).size(), 3u);
  EXPECT_EQ(box->system().counter(collective.user_id, agents::count), 3);
}

TEST_F(Agents, AdminsNeedNoSubscription) {
  web::Caller admin = stranger;
  admin.admin = true;
  EXPECT_TRUE(try_provision(admin, "one", ""));
  EXPECT_TRUE(try_provision(admin, "two", ""));
}

TEST_F(Agents, TheKillSwitchRefusesCreationAndStarts) {
  const auto agent = box->run(box->agents->provisioning.create(owner.user_id, named("one"))).value();
  settings.provisioning_enabled = false;
  crash_and_come_back();
  auto refused = try_provision(owner, "two");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, web::Kind::unavailable);
  const auto of_the_backend = box->run(box->agents->provisioning.create(owner.user_id, named("three")));
  ASSERT_FALSE(of_the_backend);
  EXPECT_EQ(of_the_backend.error().kind, web::Kind::unavailable);
  auto start = box->run(box->agents->lifecycle.start(owner.user_id, agent.id));
  ASSERT_FALSE(start);
  EXPECT_EQ(start.error().kind, web::Kind::internal);
}

TEST_F(Agents, AnotherOwnersAgentLooksMissing) {
  const auto agent = box->run(box->agents->provisioning.create(owner.user_id, named("one"))).value();
  EXPECT_FALSE(box->agents->directory.find(stranger.user_id, agent.id));
  auto theirs = box->run(box->agents->lifecycle.stop(stranger.user_id, agent.id));
  auto nobodys = box->run(box->agents->lifecycle.stop(stranger.user_id, "ag_nobody"));
  ASSERT_FALSE(theirs);
  ASSERT_FALSE(nobodys);
  EXPECT_EQ(theirs.error().kind, web::Kind::not_found);
  EXPECT_EQ(theirs.error().message, nobodys.error().message);
  box->run(box->agents->lifecycle.remove(stranger.user_id, agent.id));
  EXPECT_TRUE(box->agents->directory.find(owner.user_id, agent.id));
}

TEST_F(Agents, SubdomainsAreHostNames) {
  for (std::string name : {"Käse & Brot!", "...", "A very long name that goes on and on and on", "simple"}) {
    const auto agent = box->run(box->agents->provisioning.create(owner.user_id, named(name))).value();
    EXPECT_THAT(agent.subdomain, MatchesRegex("[a-z0-9][a-z0-9-]{0,38}[a-z0-9]")) << name;
  }
}

TEST_F(Agents, UrlsContainTheSubdomain) {
  EXPECT_EQ(box->agents->addresses.url("one"), "http://one.localhost:3000");
  EXPECT_EQ(box->agents->addresses.websocket_url("one"), "ws://one.localhost:3000/ws");
  box->agents->set_addresses({.web = "https://box.example.org/", .backend = "", .summarizer = ""});
  EXPECT_EQ(box->agents->addresses.websocket_url("one"), "wss://one.localhost/ws");
}

TEST_F(Agents, TheOwnersIdResolvesToTheOnlyAgent) {
  const auto id = std::to_string(owner.user_id);
  EXPECT_FALSE(box->agents->directory.resolve(owner.user_id, id));
  const auto one = box->run(box->agents->provisioning.create(owner.user_id, named("one"))).value();
  EXPECT_EQ(box->agents->directory.resolve(owner.user_id, id)->id, one.id);
  EXPECT_EQ(box->agents->directory.resolve(owner.user_id, one.id)->id, one.id);
  EXPECT_FALSE(box->agents->directory.resolve(stranger.user_id, id));
  ASSERT_TRUE(box->run(box->agents->provisioning.create(owner.user_id, named("two"))));
  EXPECT_FALSE(box->agents->directory.resolve(owner.user_id, id));
}

TEST_F(Agents, ABoxTokenIdentifiesItsAgent) {
  const auto agent = box->run(box->agents->provisioning.create(owner.user_id, named("one"))).value();
  const auto caller = box->agents->directory.caller_of_box_token(agent.box_token.clear);
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->user_id, owner.user_id);
  EXPECT_EQ(caller->agent, agent.id);
  EXPECT_FALSE(caller->admin);
  EXPECT_FALSE(box->agents->directory.caller_of_box_token(agent.gateway_token.clear));
  EXPECT_FALSE(box->agents->directory.caller_of_box_token(""));
  box->run(box->agents->lifecycle.remove(owner.user_id, agent.id));
  EXPECT_FALSE(box->agents->directory.caller_of_box_token(agent.box_token.clear));
}

TEST_F(Agents, TheRouterIgnoresOtherHosts) {
  for (auto host : {"localhost", "127.0.0.1", "example.org", "notlocalhost", ""})
    EXPECT_FALSE(route(request_to(host))) << host;
  EXPECT_EQ(refused(request_to("unknown.localhost")), 404);
}

TEST_F(Agents, TheRouterRequiresACredential) {
  const auto agent = routed();
  const auto host = agent.subdomain + ".localhost";
  EXPECT_EQ(refused(request_to(host)), 401);
  auto request = request_to(host);
  request.headers.push_back({"Authorization", "Bearer wrong"});
  EXPECT_EQ(refused(request), 401);
  request = request_to(host, "/?token=wrong");
  EXPECT_EQ(refused(request), 401);
}

TEST_F(Agents, TheGatewayTokenIsAccepted) {
  const auto agent = routed();
  const auto host = agent.subdomain + ".LOCALHOST";
  const auto bearer = "Bearer " + agent.gateway_token.clear;
  auto request = request_to(host, "/path?a=1");
  request.headers.push_back({"Authorization", bearer});
  auto target = route(request);
  ASSERT_TRUE(target && *target);
  EXPECT_EQ((*target)->port, *agent.port);
  EXPECT_EQ((*target)->headers.at(0).second, bearer);
  EXPECT_THAT((*target)->drop_headers, testing::Contains("Cookie"));
  EXPECT_EQ((*target)->request_target, "");
}

TEST_F(Agents, ATokenInTheQueryIsAcceptedForWebSocketsOnly) {
  const auto agent = routed();
  const auto host = agent.subdomain + ".localhost", path = "/ws?a=1&token=" + agent.gateway_token.clear + "&b=2";
  auto request = request_to(host, path);
  EXPECT_EQ(refused(request), 401);
  request.headers.push_back({"Upgrade", "WebSocket"});
  auto target = route(request);
  ASSERT_TRUE(target && *target);
  EXPECT_EQ((*target)->request_target, "/ws?a=1&b=2");
}

TEST_F(Agents, ATicketIsExchangedForTheCookieOnce) {
  const auto agent = routed();
  const auto caller = owner;
  const auto host = agent.subdomain + ".localhost";
  const auto url = box->agents->addresses.open_url(agent, caller);
  EXPECT_THAT(url, StartsWith("http://" + agent.subdomain + ".localhost:3000/?ticket="));
  const auto target = url.substr(url.find("/?"));
  auto answered = route(request_to(host, target));
  ASSERT_TRUE(answered && *answered && (*answered)->answer);
  auto& answer = *(*answered)->answer;
  EXPECT_EQ(answer.status, 302);
  std::string set_cookie;
  for (auto& [name, value] : answer.headers)
    if (name == "Set-Cookie") set_cookie = value;
  EXPECT_THAT(set_cookie, HasSubstr("HttpOnly"));
  EXPECT_EQ(refused(request_to(host, target)), 401) << "used";

  const auto cookie = set_cookie.substr(0, set_cookie.find(';'));
  auto request = request_to(host);
  request.headers.push_back({"Cookie", cookie});
  auto admitted = route(request);
  ASSERT_TRUE(admitted && *admitted);

  const auto other = routed();
  const auto other_host = other.subdomain + ".localhost";
  auto elsewhere = request_to(other_host);
  elsewhere.headers.push_back({"Cookie", cookie});
  EXPECT_EQ(refused(elsewhere), 401) << "another agent's host";

  const auto signed_out_at = [&](accounts::SessionEpoch moment) {
    const auto edit = [&](accounts::User& user) { user.sessions_since = moment; };
    ASSERT_TRUE(box->run(box->system().modify(accounts::users, owner.user_id, edit)));
  };
  signed_out_at(1);
  EXPECT_EQ(refused(request), 401) << "signed out everywhere, though the session's record is still there";
  signed_out_at(0);
  EXPECT_TRUE(*route(request));
  auto session = box->system().get(accounts::sessions, caller.credential);
  auto change = box->system().change();
  change.erase(accounts::sessions, *session);
  ASSERT_TRUE(change.commit_blocking().ok());
  EXPECT_EQ(refused(request), 401) << "signed out";
}

TEST_F(Agents, AStoppedAgentIsUnavailable) {
  const auto agent = box->run(box->agents->provisioning.create(owner.user_id, named("one"))).value();
  const auto host = agent.subdomain + ".localhost", bearer = "Bearer " + agent.gateway_token.clear;
  auto request = request_to(host);
  request.headers.push_back({"Authorization", bearer});
  EXPECT_EQ(refused(request), 503);
}

TEST_F(Agents, TheBackendCreatesPendingAgentsWithoutAnOwner) {
  const auto agent = box->run(box->agents->provisioning.create(0, named("one"))).value();
  EXPECT_EQ(agent.status, Status::pending);
  EXPECT_EQ(agent.plan, "label");
  EXPECT_TRUE(box->agents->directory.find(agent.id));
  EXPECT_EQ(box->agents->directory.list_all(10).size(), 1u);
  agents::Changes changes;
  changes.plan = "solo";
  changes.ai_provider = "local";
  auto changed = box->run(box->agents->editor.change({}, 0, agent.id, changes));
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->plan, "solo");
  EXPECT_EQ(changed->config.at("aiProvider").as_string(), "local");
  changes.plan = "free";
  EXPECT_FALSE(box->run(box->agents->editor.change({}, 0, agent.id, changes)));
}

// The rows of both listeners, called like the dispatcher does after the guard.
class AgentRoutes : public Agents {
 protected:
  struct Answer {
    int status;
    boost::json::value body;
  };
  Answer call(const std::vector<web::Route>& table, web::Method method, std::string_view pattern,
              const web::Caller& caller, std::string parameter = {}, std::string_view body = {}) {
    for (auto& row : table) {
      if (row.method != method || row.path != pattern) continue;
      web::Request request;
      request.method = method;
      request.caller = caller;
      request.body = body;
      if (auto colon = pattern.find(':'); colon != std::string_view::npos) {
        auto name = pattern.substr(colon + 1);
        request.params.emplace_back(name.substr(0, name.find('/')), std::move(parameter));
      }
      auto result = box->run(row.endpoint.handle(request));
      const auto response = result ? std::move(*result) : web::error_response(result.error());
      const auto& text = std::get<std::string>(response.body);
      return {response.status, text.empty() ? boost::json::value() : boost::json::parse(text)};
    }
    ADD_FAILURE() << "no row " << pattern;
    return {};
  }
  Answer web(web::Method method, std::string_view pattern, const web::Caller& caller, std::string parameter = {},
             std::string_view body = {}) {
    return call(agents::web_routes(guards, agents::Services{*box->agents}), method, pattern, caller,
                std::move(parameter), body);
  }
  Answer backend(web::Method method, std::string_view pattern, std::string parameter = {}, std::string_view body = {}) {
    return call(agents::backend_routes(guards, agents::Services{*box->agents}), method, pattern, {},
                std::move(parameter), body);
  }

  const agentbox::Guards guards = agentbox::documented_guards();
};

TEST_F(AgentRoutes, ProvisionListDetailDelete) {
  const auto made = web(web::POST, "/api/agents/provision", owner, {}, R"({"name": "One", "tier": "enterprise"})");
  EXPECT_EQ(made.status, 201);
  EXPECT_TRUE(made.body.at("success").as_bool());
  const auto& agent = made.body.at("agent").as_object();
  const std::string id(agent.at("id").as_string());
  EXPECT_EQ(agent.at("status").as_string(), "provisioning");
  EXPECT_THAT(std::string(agent.at("websocketUrl").as_string()), MatchesRegex("ws://one-[a-z0-9]+.localhost:3000/ws"));

  const auto list = web(web::GET, "/api/agents", owner);
  EXPECT_EQ(list.body.at("count").as_int64(), 1);
  EXPECT_EQ(list.body.at("status").as_string(), "ok");
  EXPECT_EQ(list.body.at("agents").at(0).at("id").as_string(), id);
  EXPECT_EQ(web(web::GET, "/api/agents/:id", owner, id).body.at("agent").at("name").as_string(), "One");

  EXPECT_EQ(boost::json::serialize(web(web::DELETE, "/api/agents/:id", owner, id).body),
            R"({"id":")" + id + R"(","deleted":true})");
  EXPECT_EQ(web(web::GET, "/api/agents/:id", owner, id).status, 404);
  EXPECT_EQ(web(web::DELETE, "/api/agents/:id", owner, id).status, 404);
}

TEST_F(AgentRoutes, WithoutASessionTheListIsEmpty) {
  EXPECT_EQ(boost::json::serialize(web(web::GET, "/api/agents", {}).body),
            R"({"agents":[],"count":0,"status":"ok","next":null})");
}

TEST_F(AgentRoutes, ErrorsNameTheInvalidField) {
  for (auto [body, field] :
       {std::pair(R"({})", "name"), std::pair(R"({"name": ""})", "name"),
        std::pair(R"({"name": "x", "tier": "platinum"})", "tier"),
        std::pair(R"({"name": "x", "config": []})", "config"), std::pair(R"({"name": 7})", "name")}) {
    const auto refused = web(web::POST, "/api/agents/provision", owner, {}, body);
    EXPECT_EQ(refused.status, 400) << body;
    EXPECT_THAT(std::string(refused.body.at("error").as_string()), StartsWith(field));
  }
  EXPECT_TRUE(box->agents->directory.list(owner.user_id).empty());
}

TEST_F(AgentRoutes, AnotherOwnersAgentIsNotFound) {
  const auto agent = box->run(box->agents->provisioning.create(owner.user_id, named("one"))).value();
  for (auto [method, pattern] :
       {std::pair(web::GET, "/api/agents/:id"), std::pair(web::GET, "/api/agents/:id/open"),
        std::pair(web::GET, "/api/instance/:userId"), std::pair(web::POST, "/api/instance/:userId/stop")}) {
    const auto foreign = web(method, pattern, stranger, agent.id),
               missing = web(method, pattern, stranger, "ag_nobody");
    EXPECT_EQ(foreign.status, 404) << pattern;
    EXPECT_EQ(foreign.body, missing.body) << pattern;
  }
}

TEST_F(AgentRoutes, BackendCreateListEditDelete) {
  const auto nameless = backend(web::POST, "/api/agents", {}, "{}");
  EXPECT_EQ(nameless.status, 400);
  EXPECT_EQ(nameless.body.at("error").as_string(), "Agent name is required");
  const auto made = backend(web::POST, "/api/agents", {}, R"({"name": "One", "config": {"plan": "solo"}})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.body.at("status").as_string(), "pending");
  EXPECT_EQ(made.body.at("agentId"), made.body.at("id"));
  const std::string id(made.body.at("id").as_string());
  const auto list = backend(web::GET, "/api/agents");
  ASSERT_TRUE(list.body.is_array());
  EXPECT_EQ(list.body.at(0).at("id").as_string(), id);
  const auto edited = backend(web::PUT, "/api/agents/:id", id, R"({"plan": "network"})");
  EXPECT_EQ(edited.body.at("plan").as_string(), "network");
  EXPECT_EQ(edited.body.at("aiProvider").as_string(), "openrouter");
  EXPECT_EQ(backend(web::GET, "/api/agents/:id", id).body.at("plan").as_string(), "network");
  EXPECT_EQ(backend(web::DELETE, "/api/agents/:id", id).body.at("deleted").as_bool(), true);
  EXPECT_EQ(backend(web::GET, "/api/agents/:id", id).status, 404);
}

}  // namespace agents_test
