#include <set>

#include "appliance/access/guards.h"
#include "appliance/access/operator_keys.h"
#include "appliance/access/session_cookie.h"
#include "appliance/foundation/crypto/random.h"
#include "tests/identity/people_fixture.h"

namespace session_test {

using people_tests::People;

class Sessions : public People {};

TEST_F(Sessions, ACookieNamesItsUserUntilItIsEnded) {
  const auto user = register_as("ada@example.com").value();
  const std::string token = sign_in(user);
  const auto found = session_of(token);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->user->id, user.id);
  run(sessions.end(found->session_id));
  EXPECT_FALSE(session_of(token));
  run(sessions.end(found->session_id));  // again: nothing happens
}

TEST_F(Sessions, TheStoreHoldsNoToken) {
  const std::string token = sign_in(register_as("ada@example.com").value());
  EXPECT_FALSE(system.get(accounts::sessions, token));
  EXPECT_NE(session_of(token)->session_id.find_first_not_of("0123456789abcdef"), 0u);
}

TEST_F(Sessions, TheCookieIsForThirtyDaysAndSecureOnHttps) {
  const auto user = register_as("ada@example.com").value();
  const auto cookie = run(sessions.start(user, true)).value();
  EXPECT_EQ(cookie.name, "app-session");
  EXPECT_EQ(cookie.max_age, std::chrono::days(30));
  EXPECT_TRUE(cookie.secure);
  EXPECT_GE(cookie.value.size(), 43u);  // 256 bits
  EXPECT_EQ(accounts::Sessions::cleared(false).max_age.count(), 0);
}

TEST_F(Sessions, EachSignInStartsANewSessionInPlaceOfTheCurrentOne) {
  const auto user = register_as("ada@example.com").value();
  const std::string before = sign_in(user);
  const auto old = session_of(before)->session_id;
  const auto cookie = run(sessions.start(user, false, old)).value();
  EXPECT_NE(cookie.value, before);
  EXPECT_FALSE(session_of(before));
  EXPECT_TRUE(session_of(cookie.value));
}

TEST_F(Sessions, TwoCookiesAreRefused) {
  const std::string token = sign_in(register_as("ada@example.com").value());
  const std::string twice = "app-session=" + token + "; app-session=" + token;
  EXPECT_FALSE(accounts::session_token(with_cookies(twice)));
  EXPECT_FALSE(accounts::session_token(with_cookies("other=1")));
  EXPECT_FALSE(accounts::session_token(with_cookies("app-session=")));
  EXPECT_FALSE(sessions.find(std::nullopt));
}

TEST_F(Sessions, TheCompanionNamesTheBoxsOwnOfTwoCookies) {
  const std::string own = sign_in(register_as("ada@example.com").value());
  const std::string planted = sign_in(register_as("eve@example.com").value());
  const std::string companion = "; __Host-app-session=" + crypto::sha256_hex(own);
  const auto token = [](const std::string& header) {
    const auto request = with_cookies(header);
    const auto found = accounts::session_token(request);
    return found ? std::string(*found) : std::string("none");
  };
  EXPECT_EQ(token("app-session=" + planted + "; app-session=" + own + companion), own);
  EXPECT_EQ(token("app-session=" + own + "; app-session=" + planted + companion), own);
  EXPECT_EQ(token("app-session=" + own + companion), own);
  EXPECT_EQ(token("app-session=" + own + "; app-session=" + companion), own);
  EXPECT_EQ(token("app-session=" + planted + companion), "none") << "planted after the session ended";
  EXPECT_EQ(token("app-session=" + own + "; app-session=" + planted + companion + companion), "none");
  EXPECT_EQ(token("app-session=" + own), own) << "clients that keep one cookie only";
}

TEST_F(Sessions, CookiesOfTheDomainsAboveAreCleared) {
  const std::string two = "app-session=a; app-session=b", one = "app-session=a";  // requests refer to their headers
  auto request = with_cookies(two);
  request.path = "/api/auth/session";
  const auto cleared = [&](std::string_view host) {
    request.host = host;
    std::vector<std::string> lines;
    const auto response = accounts::without_planted_cookies({}, request);
    for (const auto& [name, value] : response.headers) lines.push_back(value);
    return lines;
  };
  const auto lines = cleared("box.example.org");
  ASSERT_EQ(lines.size(), 8u);
  EXPECT_TRUE(lines[0].starts_with("app-session=; Domain=box.example.org; Path=/; Max-Age=0")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("app-session=; Domain=box.example.org; Path=/api; ")) << lines[1];
  EXPECT_TRUE(lines[7].starts_with("app-session=; Domain=example.org; Path=/api/auth/session; ")) << lines[7];
  for (const auto* host : {"localhost", "127.0.0.1", "[::1]", "", "box.example.org;", "box.example."})
    EXPECT_TRUE(cleared(host).empty()) << host;
  request = with_cookies(one);
  EXPECT_TRUE(accounts::without_planted_cookies({}, request).headers.empty());
}

TEST_F(Sessions, AnExpiredSessionIsInvalidAndSwept) {
  const auto user = register_as("ada@example.com").value();
  const std::string token = sign_in(user), kept = sign_in(user);
  auto change = system.change();
  auto row = system.get(accounts::sessions, session_of(token)->session_id);
  row->value.expires_at = store::now() - std::chrono::seconds(1);
  change.update(accounts::sessions, *row);
  ASSERT_TRUE(change.commit_blocking().ok());
  EXPECT_FALSE(session_of(token));
  EXPECT_EQ(run(sessions.sweep(store::now())), 1u);
  EXPECT_FALSE(system.get(accounts::sessions, row->value.id));
  EXPECT_TRUE(session_of(kept));
}

// The idle time-out, with records as if they had been written earlier.
class IdleSessions : public Sessions {
 protected:
  void backdate(const std::string& id, std::chrono::hours created, std::optional<std::chrono::hours> used = {}) {
    auto apply = [&](accounts::Session& session) {
      session.created_at = store::now() - created;
      if (used) session.last_used_at = store::now() - *used;
    };
    ASSERT_TRUE(run(system.modify(accounts::sessions, id, apply)));
  }
  store::Time last_use(const std::string& id) { return system.get(accounts::sessions, id)->value.last_used_at; }
};

TEST_F(IdleSessions, AnUnusedSessionEndsAfterSevenDays) {
  const auto user = register_as("ada@example.com").value();
  const std::string fresh = sign_in(user), idle = sign_in(user), used = sign_in(user);
  const auto idle_id = session_of(idle)->session_id, used_id = session_of(used)->session_id;
  backdate(idle_id, std::chrono::hours(7 * 24 + 1));
  backdate(used_id, std::chrono::hours(20 * 24), std::chrono::hours(7 * 24 - 1));
  EXPECT_FALSE(session_of(idle));
  EXPECT_FALSE(sessions.began(idle_id));
  EXPECT_TRUE(session_of(used));
  EXPECT_TRUE(session_of(fresh));
  EXPECT_EQ(sessions.of_user(user.id).size(), 2u);
  EXPECT_FALSE(session_of(idle)) << "asking again does not revive it";
}

TEST_F(IdleSessions, AUseIsWrittenAtMostOnceAnHour) {
  const auto user = register_as("ada@example.com").value();
  const std::string token = sign_in(user);
  const auto id = session_of(token)->session_id;
  run(sessions.flush_uses());
  EXPECT_EQ(last_use(id), store::Time()) << "it has just begun";
  backdate(id, std::chrono::hours(2));
  const auto before = store::now();
  ASSERT_TRUE(session_of(token));
  EXPECT_EQ(last_use(id), store::Time()) << "a request does not write";
  run(sessions.flush_uses());
  const auto written = last_use(id);
  EXPECT_GE(written, before);
  ASSERT_TRUE(session_of(token));
  run(sessions.flush_uses());
  EXPECT_EQ(last_use(id), written);
}

TEST_F(IdleSessions, AUseCountsBeforeItIsWritten) {
  accounts::Sessions brief{system, events, std::chrono::hours(8)};
  const auto user = register_as("ada@example.com").value();
  const std::string token = sign_in(user);
  const auto id = session_of(token)->session_id;
  backdate(id, std::chrono::hours(7));
  const auto session = system.get(accounts::sessions, id)->value;
  const auto ends_before = brief.ends_at(session);
  ASSERT_TRUE(brief.find(token));
  EXPECT_GE(brief.ends_at(session) - ends_before, std::chrono::hours(7) - std::chrono::minutes(1));
  run(brief.end(id));
  run(brief.flush_uses());
  EXPECT_FALSE(system.get(accounts::sessions, id)) << "a late use does not bring it back";
}

TEST_F(IdleSessions, UseDoesNotExtendTheLifetime) {
  const auto user = register_as("ada@example.com").value();
  const std::string token = sign_in(user);
  const auto id = session_of(token)->session_id;
  const auto session = system.get(accounts::sessions, id)->value;
  auto old = session;
  old.created_at -= std::chrono::days(29);
  old.expires_at -= std::chrono::days(29);
  old.last_used_at = store::now();
  EXPECT_EQ(sessions.ends_at(old), old.expires_at);
  EXPECT_EQ(sessions.ends_at(session), session.created_at + std::chrono::days(7));
}

TEST_F(Sessions, TheEndOfAllSessionsIsReported) {
  std::vector<store::UserId> reported;
  events.sessions_ended.subscribe([&](store::UserId user) -> web::Task<> {
    reported.push_back(user);
    co_return;
  });
  register_admin();  // who stays when the other one is disabled
  const auto user = register_as("ada@example.com").value();
  const std::string here = sign_in(user);
  const auto id = session_of(here)->session_id;
  run(sessions.end(session_of(sign_in(user))->session_id));
  EXPECT_TRUE(reported.empty()) << "one session";
  ASSERT_TRUE(run(accounts.change_password(user.id, id, "correct horse battery", "an even better one")));
  run(sessions.end_all(user.id));
  ASSERT_TRUE(run(accounts.change_as_admin(user.id, {.password = {}, .is_admin = true, .is_disabled = {}})));
  ASSERT_TRUE(run(accounts.change_as_admin(user.id, {.password = {}, .is_admin = {}, .is_disabled = true})));
  EXPECT_EQ(reported, (std::vector<store::UserId>{user.id, user.id, user.id}));
}

TEST_F(Sessions, ANewPasswordEndsAllOtherSessions) {
  const auto user = register_as("ada@example.com").value();
  const std::string here = sign_in(user), elsewhere = sign_in(user);
  const auto changed = run(
      accounts.change_password(user.id, session_of(here)->session_id, "correct horse battery", "an even better one"));
  ASSERT_TRUE(changed);
  EXPECT_TRUE(session_of(here));
  EXPECT_FALSE(session_of(elsewhere));
  EXPECT_FALSE(log_in("ada@example.com", "correct horse battery"));
  EXPECT_TRUE(log_in("ada@example.com", "an even better one"));
}

TEST_F(Sessions, NoSessionStartsWithAnOldPassword) {
  const auto proved_before = register_as("ada@example.com").value();
  ASSERT_TRUE(run(accounts.change_password(proved_before.id, "", "correct horse battery", "an even better one")));
  EXPECT_FALSE(run(sessions.start(proved_before, false)));
}

TEST_F(Sessions, TheWrongCurrentPasswordChangesNothing) {
  const auto user = register_as("ada@example.com").value();
  EXPECT_FALSE(run(accounts.change_password(user.id, "", "wrong password", "an even better one")));
  EXPECT_TRUE(log_in("ada@example.com", "correct horse battery"));
}

TEST_F(Sessions, ACsrfTokenBelongsToOneSession) {
  const auto user = register_as("ada@example.com").value();
  const std::string one = sign_in(user), two = sign_in(user);
  const auto token = sessions.find(one)->session_id;
  const auto valid = [](std::optional<std::string_view> session, std::string_view csrf) {
    return accounts::Sessions::csrf_token_valid(session, csrf);
  };
  EXPECT_TRUE(valid(one, token));
  EXPECT_FALSE(valid(two, token));
  EXPECT_FALSE(valid(one, ""));
  EXPECT_FALSE(valid(std::nullopt, token));
}

class Guards : public People {
 protected:
  agentbox::Guards make(std::string internal_key) {
    return agentbox::make_guards({.system = system,
                                  .sessions = sessions,
                                  .keys = keys,
                                  .backend = std::make_shared<const agentbox::BackendSources>(agentbox::BackendSources{
                                      .internal_api_key = std::move(internal_key),
                                      .internal_api_key_next = "",
                                      .operator_keys = operator_keys,
                                      .is_admin = [](std::string_view) { return false; },
                                      .on_wrong_key = [this](const web::Request&) { ++wrong_keys; },
                                      .on_refused = {}}),
                                  .agent_of = [this](std::string_view token) -> std::optional<web::Caller> {
                                    if (token != "agents-token") return std::nullopt;
                                    return web::Caller{.user_id = agents_owner, .admin = true, .agent = "ag_1"};
                                  },
                                  .is_admin = [this](const accounts::User& user) { return accounts.is_admin(user); },
                                  .must_enrol = [this](const accounts::User& user) { return user.id == enrolling; }});
  }
  static web::Request with_authorization(const std::string& value) {
    web::Request request;
    request.headers.push_back({"Authorization", value});
    return request;
  }
  operator_keys::OperatorKeys operator_keys{system};
  store::UserId agents_owner = 0, enrolling = 0;
  int wrong_keys = 0;
};

TEST_F(Guards, TheInternalKeyIsChecked) {
  const auto guards = make("the-key");
  const auto kind = [&](const web::Request& request) { return guards.backend.internal.admit(request).error().kind; };
  EXPECT_EQ(kind(web::Request{}), web::Kind::unauthenticated);
  EXPECT_EQ(kind(with_authorization("the-key")), web::Kind::unauthenticated);
  EXPECT_EQ(kind(with_authorization("Basic the-key")), web::Kind::unauthenticated);
  EXPECT_EQ(kind(with_authorization("Bearer ")), web::Kind::unauthenticated);
  EXPECT_EQ(kind(with_authorization("Bearer the-kez")), web::Kind::forbidden);
  EXPECT_EQ(wrong_keys, 1) << "a request without a key is not counted";
  EXPECT_TRUE(guards.backend.internal.admit(with_authorization("Bearer the-key")));
  EXPECT_EQ(wrong_keys, 1);
}

TEST_F(Guards, WithoutAnInternalKeyTheBackendIsMisconfigured) {
  const auto guards = make("");
  const auto refused = guards.backend.internal.admit(with_authorization("Bearer ")).error();
  EXPECT_EQ(refused.kind, web::Kind::internal);
  EXPECT_EQ(refused.message, "Server misconfigured");
}

TEST_F(Guards, ASessionIdentifiesItsCaller) {
  const auto guards = make("k");
  const auto admin = register_admin();
  const std::string header = "app-session=" + sign_in(admin);
  const auto caller = guards.session.admit(with_cookies(header)).value();
  EXPECT_EQ(caller.user_id, admin.id);
  EXPECT_TRUE(caller.admin);
  EXPECT_EQ(guards.session.admit(web::Request{}).error().kind, web::Kind::unauthenticated);
  EXPECT_EQ(guards.session_optional.admit(web::Request{})->user_id, 0);
  EXPECT_EQ(guards.session_optional.admit(with_cookies(header))->user_id, admin.id);
}

TEST_F(Guards, OnlyAdminsPassTheAdminGuard) {
  const auto guards = make("k");
  const std::string admin = "app-session=" + sign_in(register_admin());
  const std::string other = "app-session=" + sign_in(register_as("ada@example.com").value());
  EXPECT_TRUE(guards.admin_session.admit(with_cookies(admin))->admin);
  EXPECT_EQ(guards.admin_session.admit(with_cookies(other)).error().code, "ADMIN_REQUIRED");
  EXPECT_EQ(guards.admin_session.admit(web::Request{}).error().kind, web::Kind::unauthenticated);
}

TEST_F(Guards, TwoSessionCookiesAreRefusedEvenWhereNoneIsNeeded) {
  const auto guards = make("k");
  const std::string token = sign_in(register_as("ada@example.com").value());
  const std::string twice = "app-session=" + token + "; app-session=" + token;
  EXPECT_FALSE(guards.session.admit(with_cookies(twice)));
  EXPECT_FALSE(guards.session_optional.admit(with_cookies(twice)));
}

TEST_F(Guards, AUserWhoMustEnrolPassesOnlyTheEnrollingGuard) {
  const auto guards = make("k");
  const auto admin = register_admin();
  const std::string header = "app-session=" + sign_in(admin);
  const std::string bearer = "Bearer " + run(keys.create(caller(admin), "laptop", std::nullopt)).value().secret;
  const auto request = with_cookies(header), with_key = with_authorization(bearer);
  ASSERT_TRUE(guards.session.admit(request));
  ASSERT_TRUE(guards.user_key.admit(with_key));
  enrolling = admin.id;
  EXPECT_EQ(guards.session_enrolling.admit(request)->user_id, admin.id);
  for (const auto* refused : {&guards.session, &guards.session_optional}) {
    EXPECT_EQ(refused->admit(request).error().kind, web::Kind::forbidden);
    EXPECT_EQ(refused->admit(request).error().code, "SECOND_FACTOR_SETUP_REQUIRED");
  }
  EXPECT_EQ(guards.user_key.admit(with_key).error().code, "SECOND_FACTOR_SETUP_REQUIRED");
  EXPECT_EQ(guards.session_enrolling.admit(web::Request{}).error().kind, web::Kind::unauthenticated);
}

TEST_F(Guards, AnAgentActsForItsOwnerButNeverAsAdmin) {
  const auto guards = make("k");
  const auto owner = register_admin();
  const auto other = register_as("eve@example.com").value();
  ASSERT_TRUE(run(accounts.change_as_admin(other.id, {.password = {}, .is_admin = true, .is_disabled = {}})));
  agents_owner = owner.id;
  const auto caller = guards.agent_token.admit(with_authorization("Bearer agents-token")).value();
  EXPECT_EQ(caller.agent, "ag_1");
  EXPECT_FALSE(caller.admin);
  EXPECT_FALSE(guards.agent_token.admit(with_authorization("Bearer other")));
  ASSERT_TRUE(run(accounts.change_as_admin(owner.id, {.password = {}, .is_admin = {}, .is_disabled = true})));
  EXPECT_FALSE(guards.agent_token.admit(with_authorization("Bearer agents-token")));
}

}  // namespace session_test
