// Listening sockets from a supervisor.
#include "appliance/box/socket_activation.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

#include "appliance/foundation/settings/settings.h"
#include "web/server/listening_socket.h"

namespace agentbox {
namespace socket_activation_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr int first = 200;  // no other descriptor of the test program

class SocketActivation : public testing::Test {
 protected:
  SocketActivation() {
    for (int at = 0; at < 3; ++at) ::dup2(sockets[at].descriptor(), first + at);
  }
  ~SocketActivation() override {
    for (int at = 0; at < 3; ++at) ::close(first + at);
  }
  web::ListeningSocket sockets[3]{web::ListeningSocket("127.0.0.1:0"), web::ListeningSocket("127.0.0.1:0"),
                                  web::ListeningSocket("[::1]:0")};
};

TEST_F(SocketActivation, NamesSayWhichListenerASocketIsFor) {
  const auto named = named_sockets(first, 2, "backend:web");
  EXPECT_EQ(named.backend, first);
  EXPECT_EQ(named.web, first + 1);
  EXPECT_EQ(named.summarizer, std::nullopt);
  EXPECT_EQ(::fcntl(first, F_GETFD), FD_CLOEXEC) << "children do not inherit it";
}

TEST_F(SocketActivation, HasASocketForRedirectsByNameOnly) {
  const auto named = named_sockets(first, 2, "web:redirect");
  EXPECT_EQ(named.web, first);
  EXPECT_EQ(named.redirect, first + 1);
  EXPECT_EQ(named_sockets(first, 3, "").redirect, std::nullopt);
}

TEST_F(SocketActivation, WithoutKnownNamesTheOrderCounts) {
  for (const auto* names : {"", "box.socket:box.socket"}) {
    const auto ordered = named_sockets(first, 2, names);
    EXPECT_EQ(ordered.web, first);
    EXPECT_EQ(ordered.backend, first + 1);
  }
}

TEST_F(SocketActivation, WhatDoesNotFitIsRefused) {
  EXPECT_THAT([] { named_sockets(first, 2, "web"); }, ThrowsMessage<UsageError>(HasSubstr("LISTEN_FDNAMES")));
  EXPECT_THAT([] { named_sockets(first, 2, "web:web"); }, ThrowsMessage<UsageError>(HasSubstr("at most once")));
  EXPECT_THAT([] { named_sockets(first, 2, "web:mail"); }, ThrowsMessage<UsageError>(HasSubstr("\"mail\"")));
  EXPECT_THAT([] { named_sockets(first, 4, ""); }, ThrowsMessage<UsageError>(HasSubstr("LISTEN_FDS")));
  ::dup2(STDERR_FILENO, first);
  EXPECT_THAT([] { named_sockets(first, 1, ""); }, ThrowsMessage<UsageError>(HasSubstr("not a listening TCP socket")));
}

TEST_F(SocketActivation, VariablesForAnotherProcessAreRemovedAndIgnored) {
  ::setenv("LISTEN_PID", "1", 1);
  ::setenv("LISTEN_FDS", "1", 1);
  EXPECT_EQ(take_activated_sockets().web, std::nullopt);
  EXPECT_EQ(std::getenv("LISTEN_PID"), nullptr);
  EXPECT_EQ(std::getenv("LISTEN_FDS"), nullptr);
}

}  // namespace socket_activation_test
}  // namespace agentbox
