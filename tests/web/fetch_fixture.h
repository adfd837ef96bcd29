// Fixture of the tests of web/client/fetch.h: one call at a time on its own io_context.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <string>

#include "tests/support/loopback.h"
#include "web/client/fetch.h"

namespace web::tests {

using test_support::closed_port;
using test_support::Loopback;
using test_support::Peer;

// The answer to every request is 200 with this body.
inline Loopback::Script always(std::string body, std::string headers = {}) {
  return [=](Peer& peer) {
    while (!peer.read_request().empty()) peer.answer(body, headers);
  };
}

class FetchTest : public ::testing::Test {
 protected:
  Result<FetchResponse> get(FetchRequest request) {
    auto answer = boost::asio::co_spawn(io_, fetch(std::move(request)), boost::asio::use_future);
    io_.restart();
    io_.run();
    return answer.get();
  }
  Result<FetchResponse> get_url(std::string url) { return get(FetchRequest{.url = std::move(url)}); }

  void expect_error(const Result<FetchResponse>& answer, Kind kind, const std::string& message) {
    ASSERT_TRUE(answer.has_error()) << answer->status;
    EXPECT_EQ(answer.error().kind, kind) << answer.error().message;
    EXPECT_THAT(answer.error().message, ::testing::HasSubstr(message));
  }

  boost::asio::io_context io_;
};

}  // namespace web::tests
