#include "appliance/foundation/settings/load.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "appliance/foundation/settings/nearest.h"
#include "appliance/foundation/settings/settings_table.h"
#include "tests/support/temporary_folder.h"

namespace config_test {

using agentbox::UsageError;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::Throws;
using testing::ThrowsMessage;

class Config : public testing::Test {
 protected:
  agentbox::Settings resolve(const std::map<std::string, std::string>& flags = {}) {
    agentbox::Flags all = flags;
    all.try_emplace("AGENTBOX_DATA", folder.path().string());
    const auto environment_of = [this](const std::string& name) -> std::optional<std::string> {
      const auto found = environment.find(name);
      return found == environment.end() ? std::nullopt : std::optional(found->second);
    };
    return agentbox::resolve_settings(all, environment_of, file);
  }
  void write(const std::string& text) { std::ofstream(folder.path() / "agentbox.toml") << text; }

  test_support::TemporaryFolder folder;
  std::map<std::string, std::string> environment;
  agentbox::ConfigFile file;
};

TEST_F(Config, AFlagBeatsTheEnvironmentBeatsTheFileBeatsTheDefault) {
  EXPECT_EQ(resolve().backend_listen, "127.0.0.1:3001");
  write("backend_listen = \"127.0.0.1:1\"");
  EXPECT_EQ(resolve().backend_listen, "127.0.0.1:1");
  environment["BACKEND_LISTEN"] = "127.0.0.1:2";
  EXPECT_EQ(resolve().backend_listen, "127.0.0.1:2");
  EXPECT_EQ(resolve({{"BACKEND_LISTEN", "127.0.0.1:3"}}).backend_listen, "127.0.0.1:3");
}

TEST_F(Config, ANamedFileOverridesTheFoldersOwn) {
  write("log_level = \"error\"\nrate_limits = true");
  const auto named = folder.path() / "other.toml";
  std::ofstream(named) << "rate_limits = false";
  file.named = named;
  EXPECT_EQ(resolve().log_level, "error");
  EXPECT_FALSE(resolve().rate_limits);
  file = {.named = {}, .own = false};
  EXPECT_EQ(resolve().log_level, "info");
}

TEST_F(Config, TheFileTakesStringsNumbersBooleansListsAndComments) {
  write(
      "# a comment\n\n"
      "admin_emails = [\"Root@example.com\", 'second@example.com']  # two\n"
      "idle_timeout = 5\r\n"
      "ai_builtin = false\n"
      "agent_port_range = \"21000-21009\"\n"
      "local_model = \"a # is no comment \\\"here\\\"\"\n");
  const auto settings = resolve();
  EXPECT_THAT(settings.admin_emails, testing::ElementsAre("root@example.com", "second@example.com"));
  EXPECT_EQ(settings.idle_timeout, std::chrono::seconds(5));
  EXPECT_FALSE(settings.ai_builtin);
  EXPECT_EQ(settings.agent_port_first, 21000);
  EXPECT_EQ(settings.agent_port_last, 21009);
  EXPECT_EQ(settings.local_model, "a # is no comment \"here\"");
}

TEST_F(Config, AnUnknownKeyIsReportedWithTheNearestKnownOne) {
  write("backend_listn = \"127.0.0.1:1\"");
  EXPECT_THAT([&] { resolve(); }, ThrowsMessage<UsageError>(AllOf(HasSubstr("line 1"), HasSubstr("backend_listn"),
                                                                  HasSubstr("did you mean 'backend_listen'"))));
  write("flux_capacitor = true");
  EXPECT_THAT([&] { resolve(); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("flux_capacitor"), Not(HasSubstr("mean")))));
}

TEST_F(Config, AnInvalidFileIsReportedWithTheLine) {
  for (const char* text : {"log_level \"info\"", "log_level = info", "log_level = \"info", "[section]", "= 1",
                           "log_level = \"info\" x", "log_level = \"\\q\"", "admin_emails = [\"a@b.cd\""}) {
    write(std::string("\n") + text);
    EXPECT_THAT([&] { resolve(); }, ThrowsMessage<UsageError>(HasSubstr("line 2"))) << text;
  }
  write("log_level = \"info\"\nlog_level = \"debug\"");
  EXPECT_THAT([&] { resolve(); }, ThrowsMessage<UsageError>(HasSubstr("set twice")));
}

TEST_F(Config, AMissingFileIsAnError) {
  file.named = folder.path() / "absent.toml";
  EXPECT_THAT([&] { resolve(); }, ThrowsMessage<UsageError>(HasSubstr("absent.toml")));
  file.named = folder.path();
  EXPECT_THAT([&] { resolve(); }, ThrowsMessage<UsageError>(HasSubstr("is a folder")));
}

TEST_F(Config, BadValuesNameTheSettingAndWhereItWasSet) {
  const std::vector<std::pair<std::string, std::string>> bad{
      {"WEB_LISTEN", "3000"},          {"WEB_LISTEN", "127.0.0.1:70000"},
      {"WEB_LISTEN", ":3000"},         {"BASE_URL", "box.example.com"},
      {"ADMIN_EMAILS", "root"},        {"AGENTBOX_MASTER_KEY", "abc"},
      {"RATE_LIMITS", "maybe"},        {"NETWORK_THREADS", "-1"},
      {"NETWORK_THREADS", "1000"},     {"IDLE_TIMEOUT", "0"},
      {"IDLE_TIMEOUT", "60s"},         {"AGENT_RUNTIME", "podman"},
      {"AGENT_PORT_RANGE", "20000"},   {"AGENT_PORT_RANGE", "9-8"},
      {"AI_MODEL_TIMEOUT_MS", "1"},    {"LOG_LEVEL", "loud"},
      {"AGENT_DOMAIN", "a b"},         {"AGENT_DOMAIN", "http://agents.example.org"},
      {"AGENTBOX_DATA", ""},           {"REGISTRATION", "ask"},
      {"SESSION_IDLE", "0"},           {"SESSION_IDLE", "31d"},
      {"SESSION_IDLE", "1w"},          {"ALLOWED_HOSTS", "http://box.example.org"},
      {"ALLOWED_HOSTS", "a,b:3000"},   {"ALLOWED_HOSTS", "[box]"},
      {"ALLOWED_HOSTS", "a b"},        {"DEMO_CHAT", "maybe"},
      {"DEMO_DAILY_USD", "-1"},        {"DEMO_DAILY_USD", "1.0000000000001"},
      {"DEMO_DAILY_USD", "1e3"},       {"DEMO_DAILY_USD", "1000001"},
      {"DEMO_DAILY_USD", ""},          {"SECURITY_CONTACT", "http://example.org"},
      {"SECURITY_CONTACT", "me"},      {"SECURITY_CONTACT", "https://a b"},
      {"SECURITY_EXPIRES", "2027"},    {"SECURITY_POLICY", "http://example.org"},
      {"SECURITY_LANGUAGES", "en;de"}, {"STREAMS_PER_USER", "0"},
      {"STREAMS_TOTAL", "many"}};
  for (const auto& [name, value] : bad) {
    environment = {{name, value}};
    const agentbox::Flags none = name == "AGENTBOX_DATA" ? agentbox::Flags{{name, value}} : agentbox::Flags{};
    EXPECT_THAT([&] { resolve(none); }, ThrowsMessage<UsageError>(HasSubstr(name))) << name << '=' << value;
  }
}

TEST_F(Config, HostsContactsAmountsAndDaysAreRead) {
  environment = {{"ALLOWED_HOSTS", "Box.Example.org, .lan, [FD00::1],192.0.2.1"},
                 {"SECURITY_CONTACT", "Security@Example.org, https://example.org/report,tel:+1-201-555-0123"},
                 {"DEMO_DAILY_USD", "0.000000000001"},
                 {"SESSION_IDLE", "2d"}};
  const auto settings = resolve();
  EXPECT_THAT(settings.allowed_hosts, testing::ElementsAre("box.example.org", ".lan", "[fd00::1]", "192.0.2.1"));
  EXPECT_THAT(settings.security_contact,
              testing::ElementsAre("mailto:security@example.org", "https://example.org/report", "tel:+1-201-555-0123"));
  EXPECT_EQ(settings.demo_daily_usd, "0.000000000001");
  EXPECT_EQ(settings.session_idle, std::chrono::hours(48));
  environment = {{"DEMO_DAILY_USD", "1000000"}};
  EXPECT_EQ(resolve().demo_daily_usd, "1000000");
}

TEST_F(Config, ASecretsValueIsNeverInTheError) {
  environment["AGENTBOX_MASTER_KEY"] = "hunter2hunter2";
  EXPECT_THAT([&] { resolve(); }, ThrowsMessage<UsageError>(Not(HasSubstr("hunter2"))));
}

TEST_F(Config, ACertificateNeedsItsKey) {
  EXPECT_THAT([&] { resolve({{"TLS_CERT", "cert.pem"}}); }, Throws<UsageError>());
}

TEST(SettingsTable, NamesAreUniqueAndDefaultsPassTheirOwnChecks) {
  std::set<std::string> names, flags, keys;
  agentbox::Settings settings;
  for (const auto& setting : agentbox::settings_table()) {
    EXPECT_TRUE(names.insert(setting.name).second && flags.insert(setting.flag).second &&
                keys.insert(setting.key).second)
        << setting.name;
    EXPECT_FALSE(setting.help.empty());
    EXPECT_EQ(setting.assign(settings, setting.show(settings)), std::nullopt) << setting.name;
    if (setting.secret) {
      EXPECT_EQ(setting.show(settings), "") << setting.name;
    }
  }
  EXPECT_THAT(agentbox::settings_markdown(),
              HasSubstr("| `WEB_LISTEN` | `--web-listen` | host:port | `127.0.0.1:3000` |"));
}

TEST(Nearest, IsNearOrNothing) {
  EXPECT_EQ(agentbox::nearest("web_listn", {"web_listen", "log_level"}), "web_listen");
  EXPECT_EQ(agentbox::nearest("zzz", {"web_listen", "log_level"}), std::nullopt);
}

}  // namespace config_test
