// A real store in a folder of its own, with the services of people around it, and a loop to run them on.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "appliance/access/events.h"
#include "appliance/access/keys.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/box/open_store.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/foundation/settings/settings.h"
#include "appliance/identity/accounts/accounts.h"
#include "tests/support/temporary_folder.h"
#include "web/protocol/http.h"

namespace people_tests {

class People : public testing::Test {
 protected:
  // Runs one coroutine to its end on a loop of its own.
  template <class T>
  T run(web::Task<T> task) {
    boost::asio::io_context io;
    std::optional<T> result;
    boost::asio::co_spawn(io, std::move(task), [&](std::exception_ptr failure, T value) {
      if (failure) std::rethrow_exception(failure);
      result = std::move(value);
    });
    io.run();
    return std::move(*result);
  }
  void run(web::Task<> task) {
    boost::asio::io_context io;
    boost::asio::co_spawn(io, std::move(task), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
    io.run();
  }

  web::Result<accounts::User> register_as(std::string email, std::string password = "correct horse battery",
                                          std::optional<std::string> code = {}) {
    accounts::Registration wanted{
        .email = std::move(email), .password = std::move(password), .name = {}, .referral_code = std::move(code)};
    return run(accounts.create(std::move(wanted)));
  }
  accounts::User register_admin() {
    const auto user = register_as("root@example.org").value();
    return run(accounts.change_as_admin(user.id, {.password = {}, .is_admin = true, .is_disabled = {}})).value();
  }
  web::Result<accounts::User> log_in(std::string email, std::string password) {
    return run(accounts.authenticate(std::move(email), std::move(password), "network 192.0.2.1"));
  }
  // The value of a new session cookie.
  std::string sign_in(const accounts::User& user) {
    return run(sessions.start(*accounts.find(user.id), false)).value().value;
  }
  // What a guard makes of a new session of the user.
  web::Caller caller(const accounts::User& user) {
    return {.user_id = user.id, .credential = session_of(sign_in(user))->session_id};
  }
  static web::Request with_cookies(const std::string& header) {
    web::Request request;
    request.headers.push_back({"Cookie", header});
    return request;
  }
  std::optional<accounts::Sessions::SignedIn> session_of(const std::string& token) { return sessions.find(token); }

  test_support::TemporaryFolder folder;
  agentbox::Settings settings = [this] {
    agentbox::Settings given;
    given.data = folder.path();
    return given;
  }();
  std::unique_ptr<store::Store> store = agentbox::open_store(settings);
  store::System system = store->system();
  // As cheap as Argon2 gets: these tests are about what is done with hashes.
  accounts::PasswordHasher hasher{{.memory_kib = 64, .passes = 1}, {.threads = 2, .queue = 4}};
  agentbox::Events events;
  accounts::Sessions sessions{system, events};
  accounts::LoginLimit login_limit{{.free = 3, .first = std::chrono::seconds(60)}, true};
  accounts::Accounts accounts{system, hasher, sessions, login_limit, events, {"root@example.com"}};
  keys::Keys keys{system};
  billing::Subscriptions subscriptions{system};
};

}  // namespace people_tests
