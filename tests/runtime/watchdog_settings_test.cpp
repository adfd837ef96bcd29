#include <gmock/gmock.h>

#include "appliance/foundation/settings/load.h"

namespace watchdog_settings_test {

using namespace std::chrono_literals;
using testing::HasSubstr;

agentbox::Settings with(std::string name, std::string value) {
  const auto environment = [&](const std::string& asked) {
    return asked == name ? std::optional(value) : std::nullopt;
  };
  return agentbox::resolve_settings({}, environment, {.named = {}, .own = false});
}

std::string refusal(std::string name, std::string value) {
  try {
    with(std::move(name), std::move(value));
  } catch (const agentbox::UsageError& error) {
    return error.what();
  }
  return {};
}

TEST(WatchdogSettings, DefaultToThoseOfTheContract) {
  const auto settings = with("", "");
  EXPECT_EQ(settings.watchdog_check_interval, 120s);
  EXPECT_EQ(settings.watchdog_degraded_check_interval, 5s);
  EXPECT_EQ(settings.watchdog_startup_failure_threshold, 3u);
  EXPECT_EQ(settings.watchdog_max_repair_attempts, 2u);
  EXPECT_EQ(settings.watchdog_crash_loop_window, 5min);
  EXPECT_EQ(settings.watchdog_crash_loop_threshold, 3u);
  EXPECT_TRUE(settings.watchdog_auto_repair);
}

TEST(WatchdogSettings, TimesAreSecondsOrHaveAUnit) {
  const std::pair<const char*, std::chrono::milliseconds> cases[] = {{"90", 90s},  {"90s", 90s}, {"500ms", 500ms},
                                                                     {"2m", 2min}, {"1h", 1h},   {"24h", 24h}};
  for (const auto& [text, time] : cases) EXPECT_EQ(with("WATCHDOG_CHECK_INTERVAL", text).watchdog_check_interval, time);
}

TEST(WatchdogSettings, AnInvalidTimeIsRefusedWithAnExample) {
  for (const auto* text : {"", "s", "-1", "1.5", "5 s", "5S", "2d", "0", "99ms", "25h", "9999999999999999999h"})
    EXPECT_THAT(refusal("WATCHDOG_CHECK_INTERVAL", text),
                HasSubstr("must be a time such as 90, 500ms, 5s, 2m, 1h or 7d, from 100ms to 86400s"))
        << text;
}

TEST(WatchdogSettings, CountsAreBounded) {
  EXPECT_EQ(with("WATCHDOG_MAX_REPAIR_ATTEMPTS", "7").watchdog_max_repair_attempts, 7u);
  for (const auto* text : {"0", "-1", "many", "101"})
    EXPECT_THAT(refusal("WATCHDOG_MAX_REPAIR_ATTEMPTS", text), HasSubstr("a whole number from 1 to 100")) << text;
}

}  // namespace watchdog_settings_test
