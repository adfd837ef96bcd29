#include <gmock/gmock.h>

#include <atomic>
#include <future>

#include "appliance/identity/accounts/common_passwords.h"
#include "tests/identity/people_fixture.h"

namespace password_test {

using accounts::PasswordHasher;

class Passwords : public people_tests::People {};

TEST_F(Passwords, AHashMatchesOnlyItsPassword) {
  const std::string encoded = run(hasher.hash("correct horse battery")).value();
  EXPECT_TRUE(run(hasher.matches("correct horse battery", encoded)).value());
  EXPECT_FALSE(run(hasher.matches("correct horse batterz", encoded)).value());
  EXPECT_FALSE(run(hasher.matches("", encoded)).value());
}

TEST_F(Passwords, EqualPasswordsHashDifferently) {
  EXPECT_NE(run(hasher.hash("correct horse battery")).value(), run(hasher.hash("correct horse battery")).value());
}

TEST_F(Passwords, AnEmptyHashMatchesNothing) {
  EXPECT_FALSE(run(hasher.matches("", "")).value());
  EXPECT_FALSE(run(hasher.matches("AAAAAAAA", "")).value());
}

TEST(PasswordCost, TheDefaultIsAtLeastTheRecommendedMinimum) {
  const PasswordHasher hasher;
  EXPECT_THAT(hasher.hash_blocking("correct horse battery"), testing::StartsWith("$argon2id$v=19$m=19456,t=2,p=1$"));
}

TEST(PasswordCost, AHashMadeUnderAnotherCostStillMatches) {
  const PasswordHasher cheap({.memory_kib = 64, .passes = 1}, {.threads = 1, .queue = 1});
  PasswordHasher dear({.memory_kib = 128, .passes = 2}, {.threads = 1, .queue = 1});
  boost::asio::io_context io;
  bool matches = false;
  boost::asio::co_spawn(io, dear.matches("correct horse battery", cheap.hash_blocking("correct horse battery")),
                        [&](std::exception_ptr, web::Result<bool> answer) { matches = answer && *answer; });
  io.run();
  EXPECT_TRUE(matches);
}

TEST(PasswordQueue, CallsBeyondTheQueueAreRefused) {
  // Two places, and hashes so slow that none ends before all calls were made.
  PasswordHasher hasher({.memory_kib = 8 * 1024, .passes = 4}, {.threads = 1, .queue = 1});
  boost::asio::io_context io;
  int served = 0, refused = 0;
  for (int i = 0; i < 5; ++i) {
    boost::asio::co_spawn(io, hasher.hash("correct horse battery"),
                          [&](std::exception_ptr, web::Result<std::string> hash) {
                            if (hash)
                              ++served;
                            else if (hash.error().kind == web::Kind::unavailable && hash.error().code == "OVERLOADED")
                              ++refused;
                          });
  }
  io.run();
  EXPECT_EQ(served, 2);
  EXPECT_EQ(refused, 3);
  boost::asio::co_spawn(io, hasher.hash("correct horse battery"),
                        [&](std::exception_ptr, web::Result<std::string> hash) { served += hash ? 1 : 0; });
  io.restart();
  io.run();
  EXPECT_EQ(served, 3) << "the places are free again";
}

TEST(PasswordQueue, CallsThatWouldWaitTooLongAreRefused) {
  using namespace std::chrono_literals;
  // Each hash takes longer than the longest wait.
  PasswordHasher hasher({.memory_kib = 8 * 1024, .passes = 4},
                        {.threads = 1, .queue = 100, .wait = 1ms, .short_queue = 2});
  boost::asio::io_context io;
  int served = 0, refused = 0;
  const auto call = [&](int times) {
    for (int i = 0; i < times; ++i)
      boost::asio::co_spawn(io, hasher.hash("correct horse battery"),
                            [&](std::exception_ptr, web::Result<std::string> hash) { ++(hash ? served : refused); });
    io.restart();
    io.run();
  };
  call(1);
  call(20);
  EXPECT_EQ(served, 1 + 3) << "one that runs and the short queue";
  EXPECT_EQ(refused, 17);
}

TEST(PasswordQueue, SignInHasPlacesThatNewPasswordsCannotTake) {
  PasswordHasher hasher({.memory_kib = 8 * 1024, .passes = 4}, {.threads = 1, .queue = 1});
  const std::string known = hasher.hash_blocking("correct horse battery");
  boost::asio::io_context io;
  int made = 0, refused = 0;
  bool matches = false;
  for (int i = 0; i < 5; ++i)
    boost::asio::co_spawn(io, hasher.hash("correct horse battery"),
                          [&](std::exception_ptr, web::Result<std::string> hash) { ++(hash ? made : refused); });
  boost::asio::co_spawn(io, hasher.matches("correct horse battery", known),
                        [&](std::exception_ptr, web::Result<bool> answer) { matches = answer && *answer; });
  io.run();
  EXPECT_EQ(made, 2);
  EXPECT_EQ(refused, 3);
  EXPECT_TRUE(matches) << "the queue of registrations is full, that of sign-in is not";
}

TEST(CommonPasswords, AreKnownWhateverTheirCase) {
  EXPECT_TRUE(accounts::is_common_password("password"));
  EXPECT_TRUE(accounts::is_common_password("QWERTYUIOP"));
  EXPECT_TRUE(accounts::is_common_password("zxcvbnm1"));
  EXPECT_FALSE(accounts::is_common_password("correct horse battery"));
  EXPECT_FALSE(accounts::is_common_password(""));
}

}  // namespace password_test
