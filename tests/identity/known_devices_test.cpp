#include "appliance/identity/accounts/known_devices.h"

#include <gtest/gtest.h>

namespace known_devices_test {

using accounts::KnownDevices;
using accounts::User;
using namespace std::chrono_literals;

User user(std::int64_t id, accounts::SessionEpoch sessions_since = 3) {
  User made;
  made.id = id;
  made.sessions_since = sessions_since;
  return made;
}

const store::Time now = store::Time{} + 500000h;
const KnownDevices devices{"key"};

std::string cookie_of(const User& signed_in, std::string_view cookie = "") {
  return devices.issue(signed_in, cookie, false, now).value;
}

TEST(KnownDevices, ADeviceIsKnownToTheAccountItSignedInTo) {
  const auto cookie = devices.issue(user(7), "", true, now);
  EXPECT_EQ(cookie.name, "agentbox-device");
  EXPECT_TRUE(cookie.secure);
  EXPECT_EQ(cookie.max_age, accounts::device_lifetime);
  EXPECT_TRUE(devices.find(cookie.value, user(7), now));
  EXPECT_FALSE(devices.find(cookie.value, user(8), now));
  EXPECT_FALSE(devices.find("", user(7), now));
}

TEST(KnownDevices, TheEndOfAllSessionsAndTimeEndIt) {
  const auto cookie = cookie_of(user(7));
  EXPECT_FALSE(devices.find(cookie, user(7, 4), now));
  EXPECT_TRUE(devices.find(cookie, user(7), now + accounts::device_lifetime - 1s));
  EXPECT_FALSE(devices.find(cookie, user(7), now + accounts::device_lifetime));
}

TEST(KnownDevices, ItCannotBeForged) {
  const auto cookie = cookie_of(user(7));
  for (std::size_t i = 0; i < cookie.size(); ++i) {
    auto wrong = cookie;
    wrong[i] = wrong[i] == '1' ? '2' : '1';
    EXPECT_FALSE(devices.find(wrong, user(7), now)) << i;
  }
  EXPECT_FALSE(KnownDevices("another key").find(cookie, user(7), now));
  for (const char* text : {".", "~", "~~~~~~~~", "7.3", "7.3.99999999999999.id.", "a.b.c.d.e.f"})
    EXPECT_FALSE(devices.find(text, user(7), now)) << text;
}

TEST(KnownDevices, SeveralAccountsShareADeviceTheLatestFive) {
  std::string cookie;
  for (std::int64_t id = 1; id <= 7; ++id) cookie = cookie_of(user(id), cookie);
  for (std::int64_t id = 1; id <= 7; ++id) EXPECT_EQ(devices.find(cookie, user(id), now).has_value(), id > 2) << id;
  EXPECT_LT(cookie.size(), 600u);
  const auto id_of_four = devices.find(cookie, user(4), now);
  cookie = cookie_of(user(4), cookie);
  EXPECT_EQ(devices.find(cookie, user(4), now), id_of_four) << "the device stays the same one";
  cookie = cookie_of(user(4, 9), cookie);
  EXPECT_NE(devices.find(cookie, user(4, 9), now), id_of_four) << "but for an id from before the sessions ended";
  EXPECT_TRUE(devices.find(cookie, user(7), now));
}

}  // namespace known_devices_test
