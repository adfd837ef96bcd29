#include "appliance/access/operator_keys.h"

#include "appliance/access/acting_as.h"
#include "appliance/access/backend_guards.h"
#include "appliance/identity/audit/audit.h"
#include "tests/identity/people_fixture.h"

namespace operator_keys_test {

using namespace std::chrono_literals;

class OperatorKeys : public people_tests::People {
 protected:
  std::string create(std::string name, std::vector<std::string> scopes, std::optional<store::Time> expires_at = {}) {
    return make(std::move(name), std::move(scopes), expires_at).value().secret;
  }
  web::Result<operator_keys::Created> make(std::string name, std::vector<std::string> scopes,
                                           std::optional<store::Time> expires_at = {}) {
    operator_keys::NewOperatorKey given{
        .name = std::move(name), .scopes = std::move(scopes), .created_by = "ada", .expires_at = expires_at};
    return run(keys.create(std::move(given)));
  }
  agentbox::BackendGuards make_guards(std::string next = "", bool is_admin_required = false) {
    return agentbox::make_backend_guards(std::make_shared<const agentbox::BackendSources>(agentbox::BackendSources{
        .internal_api_key = "first",
        .internal_api_key_next = std::move(next),
        .operator_keys = keys,
        .is_admin = [](std::string_view email) { return email == "root@example.org"; },
        .is_admin_required = is_admin_required,
        .on_wrong_key = [this](const web::Request&) { ++wrong_keys; },
        .on_refused = [this](const web::Request&, const std::string& caller,
                             const std::string& reason) { refused.push_back(caller + ": " + reason); }}));
  }
  static web::Request request(const std::string& key, web::Method method = web::Method::get) {
    static std::vector<std::string> kept;
    kept.reserve(1'000);
    web::Request made;
    made.method = method;
    made.headers.push_back({"Authorization", kept.emplace_back("Bearer " + key)});
    return made;
  }
  // "ok", or the status's kind and what the error says.
  static std::string outcome(const web::Guard& guard, const web::Request& request) {
    const auto caller = guard.admit(request);
    if (caller) return "ok";
    const auto& error = caller.error();
    if (error.kind == web::Kind::unauthenticated) return "401";
    const auto* scope = error.extra.if_contains("scope");
    return (error.kind == web::Kind::forbidden ? "403 " : "other ") + error.code +
           (scope ? " " + std::string(scope->as_string()) : "");
  }

  operator_keys::OperatorKeys keys{system};
  int wrong_keys = 0;
  std::vector<std::string> refused;
};

TEST_F(OperatorKeys, AKeyIsValidUntilItExpiresOrIsRevoked) {
  const auto key = create("ci", {"agents"});
  ASSERT_TRUE(keys.validate(key));
  EXPECT_EQ(keys.validate(key)->name, "ci");
  EXPECT_FALSE(keys.validate(key.substr(0, key.size() - 1) + (key.back() == 'x' ? "y" : "x")));
  EXPECT_FALSE(keys.validate(key + "x"));
  EXPECT_FALSE(keys.validate("op_"));
  EXPECT_EQ(keys.list().front().secret_hash.find(key.substr(16)), std::string::npos) << "only its hash is stored";

  const auto brief = create("brief", {"agents"}, store::now() + 50ms);
  ASSERT_TRUE(keys.validate(brief));
  while (store::now() < keys.list().front().expires_at.value()) continue;
  EXPECT_FALSE(keys.validate(brief));

  run(keys.flush_uses());
  EXPECT_TRUE(keys.list().back().last_used_at);
  EXPECT_TRUE(run(keys.revoke("ci")));
  EXPECT_FALSE(keys.validate(key));
  EXPECT_EQ(run(keys.revoke("ci")).error().kind, web::Kind::not_found);
}

TEST_F(OperatorKeys, WrongNamesAndScopesAreRefusedByName) {
  EXPECT_TRUE(make("ci-1.x_y", {"users", "read-only"}));
  EXPECT_EQ(make("ci-1.x_y", {"users"}).error().kind, web::Kind::conflict);
  for (const auto* name : {"", "Ci", "a b", "ä", "a/b"})
    EXPECT_NE(make(name, {"users"}).error().message.find("name"), std::string::npos) << name;
  EXPECT_EQ(make(std::string(41, 'a'), {"users"}).error().kind, web::Kind::invalid);
  for (const std::vector<std::string>& scopes : {std::vector<std::string>{}, {"all"}, {"users", "users"}})
    EXPECT_NE(make("other", scopes).error().message.find("scopes"), std::string::npos);
  EXPECT_EQ(make("late", {"users"}, store::now() - 1s).error().kind, web::Kind::invalid);
}

TEST_F(OperatorKeys, AScopeOpensItsRows) {
  const auto guards = make_guards();
  const auto agents = create("agents", {"agents"}), reader = create("reader", {"read-only"}),
             agents_reader = create("agents-reader", {"agents", "read-only"});
  constexpr auto post = web::Method::post;
  EXPECT_EQ(outcome(guards.agents, request(agents)), "ok");
  EXPECT_EQ(outcome(guards.agents, request(agents, post)), "ok");
  EXPECT_EQ(outcome(guards.agents_secrets, request(agents)), "ok");
  EXPECT_EQ(outcome(guards.agents_logs, request(agents)), "ok");
  for (const auto* other : {&guards.users, &guards.files, &guards.backup, &guards.box, &guards.internal})
    EXPECT_EQ(outcome(*other, request(agents)).substr(0, 18), "403 SCOPE_REQUIRED") << other->name;
  EXPECT_EQ(outcome(guards.users, request(agents)), "403 SCOPE_REQUIRED users");
  EXPECT_EQ(outcome(guards.files, request(agents)), "403 SCOPE_REQUIRED files");

  for (const auto* read : {&guards.users, &guards.agents, &guards.agents_logs, &guards.files, &guards.box}) {
    EXPECT_EQ(outcome(*read, request(reader)), "ok") << read->name;
    EXPECT_EQ(outcome(*read, request(reader, post)).substr(0, 18), "403 SCOPE_REQUIRED") << read->name;
  }
  for (const auto* secret : {&guards.users_secrets, &guards.agents_secrets, &guards.internal})
    EXPECT_EQ(outcome(*secret, request(reader)).substr(0, 18), "403 SCOPE_REQUIRED") << secret->name;

  EXPECT_EQ(outcome(guards.agents, request(agents_reader)), "ok");
  EXPECT_EQ(outcome(guards.agents, request(agents_reader, web::Method::head)), "ok");
  EXPECT_EQ(outcome(guards.agents, request(agents_reader, web::Method::del)), "403 SCOPE_REQUIRED agents");
  EXPECT_EQ(outcome(guards.users, request(agents_reader)), "403 SCOPE_REQUIRED users");
  EXPECT_EQ(outcome(guards.box, request(agents_reader)), "403 SCOPE_REQUIRED read-only");

  EXPECT_EQ(guards.agents.admit(request(agents)).value().credential, "operator:agents");
  EXPECT_NE(std::ranges::find(refused, "operator:agents: This key lacks the scope users"), refused.end());
  EXPECT_EQ(wrong_keys, 0);
  run(keys.revoke("agents"));
  EXPECT_EQ(outcome(guards.agents, request(agents)), "401");
}

TEST_F(OperatorKeys, TheNextInternalKeyIsAsGoodAsTheFirst) {
  const auto both = make_guards("second"), one = make_guards();
  for (const auto* key : {"first", "second"}) {
    EXPECT_EQ(both.internal.admit(request(key)).value().credential, "internal") << key;
    EXPECT_EQ(outcome(both.files, request(key, web::Method::post)), "ok") << key;
  }
  EXPECT_EQ(outcome(one.internal, request("second")), "403 ");
  EXPECT_EQ(outcome(one.files, request("second")), "401");
  EXPECT_EQ(wrong_keys, 2);
  EXPECT_EQ(outcome(one.internal, request("")), "401") << "an unset second key is not an empty one";
}

TEST_F(OperatorKeys, AdminRowsFollowTheContractsHeader) {
  const auto guards = make_guards(), strict = make_guards("", true);
  const auto ask = [](const web::Guard& guard, std::string_view route, std::string_view email) {
    auto asked = request("first");
    asked.route = route;
    if (!email.empty()) asked.headers.push_back({"X-User-Email", email});
    return outcome(guard, asked);
  };
  constexpr auto admin_row = "/api/admin/users";
  for (const auto* guard : {&guards.users, &strict.users}) {
    EXPECT_EQ(ask(*guard, admin_row, " ROOT@example.org"), "403 ADMIN_REQUIRED") << "not an address";
    EXPECT_EQ(ask(*guard, admin_row, "ROOT@example.org"), "ok");
    EXPECT_EQ(ask(*guard, admin_row, "eve@example.org"), "403 ADMIN_REQUIRED");
    EXPECT_EQ(ask(*guard, "/api/agents", "eve@example.org"), "ok");
    EXPECT_EQ(ask(*guard, "/api/agents", ""), "ok");
  }
  EXPECT_EQ(ask(guards.users, admin_row, ""), "ok");
  EXPECT_EQ(ask(strict.users, admin_row, ""), "403 ADMIN_REQUIRED");
}

TEST_F(OperatorKeys, TheRecordNamesTheKeyAndThePerson) {
  const auto guards = make_guards();
  auto asked = request(create("ci", {"agents"}));
  asked.headers.push_back({"X-Agentbox-As", "Grace"});
  asked.caller = guards.agents.admit(asked).value();
  const auto entry = audit::of_request(asked, "act", "subject");
  EXPECT_EQ(entry.by, "operator:ci");
  EXPECT_EQ(entry.acting_as, "Grace");

  auto of_user = asked;
  of_user.caller = {.user_id = 7, .credential = "a session"};
  EXPECT_EQ(audit::of_request(of_user, "act", "").by, "");
  EXPECT_EQ(audit::of_request(of_user, "act", "").acting_as, "") << "users cannot claim another name";

  auto bad = request("first");
  bad.headers.push_back({"X-Agentbox-As", "line\tend"});
  EXPECT_EQ(guards.agents.admit(bad).error().kind, web::Kind::invalid);
}

}  // namespace operator_keys_test
