// What is said to a Docker Engine and how its answers are read, without one.
#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <random>

#include "appliance/runtime/docker/container.h"
#include "appliance/runtime/docker/image.h"
#include "appliance/runtime/docker/log_frames.h"

namespace docker_wire_test {

namespace json = boost::json;
namespace docker = runtime::docker;
using runtime::Health;
using runtime::State;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const docker::Names names{.box = "0123456789abcdef"};

runtime::AgentSpec spec() {
  runtime::AgentSpec wanted;
  wanted.id = "ag_one";
  wanted.workspace = "/data/agents/ag_one/workspace";
  wanted.port = 20001;
  wanted.gateway_token = "the-gateway-token";
  wanted.box_token = "the-box-token";
  wanted.image_secrets = {{"TELEGRAM_BOT_TOKEN", "a-channel-token"}};
  wanted.backend_url = "http://127.0.0.1:3001";
  wanted.limits = {.memory_bytes = 256u << 20, .open_files = 100, .processes = 32, .cpus = 0.5};
  return wanted;
}

json::value body(bool image_reads_boot, bool image_has_check = true) {
  return docker::create_body(spec(), {.names = names,
                                      .image = "an/image",
                                      .image_reads_boot = image_reads_boot,
                                      .image_has_check = image_has_check,
                                      .boot_file = "/data/agents/ag_one/run/boot.json",
                                      .user = "20001:20001",
                                      .listener_url = "http://172.18.0.1:3001"});
}

TEST(ContainerBody, IsHardenedAndLimited) {
  const auto made = body(true);
  const auto& host = made.at("HostConfig");
  EXPECT_EQ(host.at("CapDrop"), json::array{"ALL"});
  EXPECT_EQ(host.at("SecurityOpt"), json::array{"no-new-privileges=true"});
  EXPECT_EQ(host.at("ReadonlyRootfs"), true);
  EXPECT_EQ(host.at("PidsLimit"), 32);
  EXPECT_EQ(host.at("Memory"), 256 << 20);
  EXPECT_EQ(host.at("MemorySwap"), host.at("Memory"));
  EXPECT_EQ(host.at("NanoCpus"), 500'000'000);
  EXPECT_EQ(host.at("NetworkMode"), "agentbox-0123456789ab");
  EXPECT_EQ(json::serialize(host.at("PortBindings")), R"({"18789/tcp":[{"HostIp":"127.0.0.1","HostPort":"20001"}]})");
  EXPECT_EQ(host.at("Mounts").as_array().size(), 2u);
  EXPECT_EQ(host.at("Mounts").at(1).at("ReadOnly"), true);
  EXPECT_EQ(made.at("User"), "20001:20001");
  EXPECT_EQ(json::serialize(made.at("Healthcheck")),
            R"({"Test":["CMD","/usr/bin/agentbox","agent","--check"],"Interval":30000000000,"Timeout":5000000000,)"
            R"("StartPeriod":20000000000,"Retries":5})");
}

TEST(ContainerBody, HoldsTokensOnlyForForeignImagesWhichReadThemFromTheEnvironment) {
  const auto ours = json::serialize(body(true)), foreign = json::serialize(body(false));
  EXPECT_THAT(ours, Not(HasSubstr("-token")));
  EXPECT_THAT(foreign, HasSubstr("OPENCLAW_GATEWAY_TOKEN=the-gateway-token"));
  EXPECT_THAT(foreign, HasSubstr("OPENAI_BASE_URL=http://172.18.0.1:3001/v1"));
  EXPECT_THAT(foreign, HasSubstr("OPENAI_API_KEY=the-box-token"));
  EXPECT_THAT(foreign, HasSubstr("TELEGRAM_BOT_TOKEN=a-channel-token"));
  EXPECT_THAT(foreign, Not(HasSubstr("Healthcheck"))) << "the image's own is used";
}

TEST(ContainerBody, GivesOnlyForeignImagesWhoseAgentsUseItTheProxy) {
  const runtime::ImageProxy proxy{.address = "172.18.0.1:41000", .authority = "an authority"};
  auto wanted = spec();
  const auto made_of = [&](bool image_reads_boot) {
    return json::value(docker::create_body(wanted, {.names = names,
                                                    .image = "an/image",
                                                    .image_reads_boot = image_reads_boot,
                                                    .boot_file = "/data/agents/ag_one/run/boot.json",
                                                    .user = "20001:20001",
                                                    .listener_url = "http://172.18.0.1:3001",
                                                    .proxy = wanted.proxy ? std::optional(proxy) : std::nullopt,
                                                    .proxy_folder = "/data/agents/ag_one/run/proxy"}));
  };
  EXPECT_THAT(json::serialize(made_of(false)), Not(HasSubstr("HTTPS_PROXY")));
  wanted.proxy = {.user = "ag_one", .password = "p", .variables = {{"FORGE_TOKEN", "cred:FORGE"}}};
  EXPECT_THAT(json::serialize(made_of(true)), Not(HasSubstr("HTTPS_PROXY")));
  const auto made = made_of(false);
  const auto text = json::serialize(made);
  EXPECT_THAT(text, HasSubstr("\"FORGE_TOKEN=cred:FORGE\""));
  EXPECT_THAT(text, HasSubstr("\"https_proxy=http://ag_one:p@172.18.0.1:41000\""));
  EXPECT_THAT(text, HasSubstr("\"NO_PROXY=127.0.0.1,localhost,::1,172.18.0.1\""));
  EXPECT_THAT(text, HasSubstr("\"NODE_EXTRA_CA_CERTS=/run/agentbox/proxy/box.crt\""));
  EXPECT_EQ(made.at("HostConfig").at("Mounts").at(2).at("ReadOnly"), true);
  const auto mark = docker::proxy_mark(proxy);
  EXPECT_EQ(made.at("Labels").at("agentbox.proxy"), json::value(mark));
  EXPECT_NE(mark, docker::proxy_mark({.address = proxy.address, .authority = "another one"}));
}

TEST(ContainerBody, MountsTheVolumesOfForeignImages) {
  const auto image = docker::image_with({{"agentbox.volume.state", "/var/lib/parrot"}});
  ASSERT_TRUE(image);
  auto wanted = spec();
  wanted.volumes = image->volumes;
  const json::value made = docker::create_body(
      wanted, {.names = names, .image = "an/image", .user = "20001:20001", .listener_url = "http://172.18.0.1:3001"});
  const auto& mount = made.at("HostConfig").at("Mounts").at(2);
  EXPECT_EQ(mount.at("Source"), "/data/agents/ag_one/volumes/state");
  EXPECT_EQ(mount.at("Target"), "/var/lib/parrot");
  const auto own = docker::image_with({{"agentbox.boot", "file"}, {"agentbox.volume.state", "/data"}});
  EXPECT_TRUE(own->volumes.empty());
}

TEST(ContainerBody, ForeignImagesWithoutACheckGetTheContracts) {
  const auto check = body(false, false).at("Healthcheck");
  EXPECT_EQ(check.at("Test").at(0), "CMD-SHELL");
  EXPECT_THAT(std::string(check.at("Test").at(1).as_string()),
              HasSubstr("unset http_proxy HTTP_PROXY; u=http://127.0.0.1:18789/healthz"));
  EXPECT_EQ(check.at("Interval"), 30'000'000'000);
  EXPECT_EQ(check.at("Retries"), 5);
}

TEST(ImageLabels, SayWhatTheGatewayTakesAndNeeds) {
  const auto own = docker::image_with({{"agentbox.boot", "file"}}), foreign = docker::image_with(nullptr);
  EXPECT_TRUE(own->reads_boot && own->gateway.takes_forwarded && !own->gateway.wants_history);
  EXPECT_FALSE(foreign->reads_boot || foreign->gateway.takes_forwarded || foreign->memory_min);
  EXPECT_TRUE(foreign->gateway.wants_history);
  EXPECT_FALSE(docker::image_with({{"agentbox.boot", "file"}, {"agentbox.forwarded", "off"}})->gateway.takes_forwarded);
  EXPECT_TRUE(docker::image_with({{"agentbox.forwarded", "on"}})->gateway.takes_forwarded);
  EXPECT_FALSE(docker::image_with({{"agentbox.history", "off"}})->gateway.wants_history);
  EXPECT_EQ(docker::image_with({{"agentbox.memory-min", "1G"}})->memory_min, 1ull << 30);
  EXPECT_EQ(docker::image_with({{"agentbox.memory-min", "much"}}).error().message,
            "its label agentbox.memory-min must be a number of bytes, such as 1G.");
  EXPECT_EQ(docker::image_with({{"agentbox.forwarded", "yes"}}).error().message,
            "its label agentbox.forwarded must be on or off.");
}

TEST(ImageMemory, IsRefusedWithBothFigures) {
  EXPECT_TRUE(docker::has_memory_for("an/image", std::nullopt, 1));
  EXPECT_TRUE(docker::has_memory_for("an/image", 512u << 20, 512u << 20));
  EXPECT_EQ(docker::has_memory_for("an/image", (512u << 20) + 1, 512u << 20).error().message,
            "The image an/image needs 513 MiB of memory, and the plan gives an agent 512 MiB: choose a larger plan.");
}

json::value inspected(std::string_view state) {
  return {{"Id", "c0ffee"},
          {"State", json::parse(state)},
          {"Config", {{"Labels", {{"agentbox.box", names.box}, {"agentbox.agent", "ag_one"}}}}}};
}

TEST(Container, StatesAreThoseOfTheContract) {
  struct Row {
    std::string_view state;
    State is;
    std::optional<Health> health;
  };
  for (const auto& [state, is, health] :
       {Row{R"({"Status":"running","Pid":7,"Health":{"Status":"healthy"}})", State::running, Health::healthy},
        Row{R"({"Status":"running","Pid":7,"Health":{"Status":"starting"}})", State::running, {}},
        Row{R"({"Status":"running","Pid":7})", State::running, {}},
        Row{R"({"Status":"running","Pid":7,"Health":{"Status":"unhealthy"}})", State::running, {}},
        Row{R"({"Status":"paused","Pid":7})", State::running, Health::unhealthy},
        Row{R"({"Status":"exited","ExitCode":137})", State::exited, Health::stopped},
        Row{R"({"Status":"created"})", State::exited, Health::stopped}}) {
    const auto found = docker::parse_container(inspected(state));
    EXPECT_EQ(found.instance.state, is) << state;
    EXPECT_EQ(found.instance.health, health) << state;
    EXPECT_EQ(found.agent, "ag_one");
  }
  EXPECT_EQ(docker::parse_container(inspected(R"({"Status":"exited","ExitCode":137})")).instance.exit_code, 137);
  EXPECT_TRUE(docker::parse_container(inspected(R"({"Status":"exited","ExitCode":137,"OOMKilled":true})"))
                  .instance.out_of_memory);
  EXPECT_EQ(docker::parse_container(json::parse(R"({"State":[1],"Config":null})")).agent, "");
}

TEST(Container, TimesAreRead) {
  using namespace std::chrono;
  const auto at = sys_days(2026y / 11 / 21) + 8h + 5min + 18s;
  EXPECT_EQ(docker::parse_time("2026-11-21T08:05:18.857520964Z"), at + 857ms);
  EXPECT_EQ(docker::parse_time("2026-11-21T08:05:18.5Z"), at + 500ms);
  EXPECT_EQ(docker::parse_time("2026-11-21T08:05:18Z"), sys_time<milliseconds>(at));
  EXPECT_EQ(docker::parse_time("2026-11-21T09:05:18+01:00"), sys_time<milliseconds>(at));
  for (const auto* none : {"0001-01-01T00:00:00Z", "", "yesterday", "2026-13-01T00:00:00Z"})
    EXPECT_EQ(docker::parse_time(none), std::nullopt) << none;
}

TEST(Container, SamplesAreReadWithBothVersionsOfControlGroups) {
  const auto two = docker::parse_sample(json::parse(
      R"({"cpu_stats":{"cpu_usage":{"total_usage":5000000000}},"memory_stats":{"usage":900,"stats":{"inactive_file":200}},)"
      R"("networks":{"eth0":{"rx_bytes":10,"tx_bytes":20},"eth1":{"rx_bytes":1,"tx_bytes":2}}})"));
  EXPECT_EQ(two.cpu_nanoseconds, 5'000'000'000u);
  EXPECT_EQ(two.memory_bytes, 700u);
  EXPECT_EQ(two.received_bytes, 11u);
  EXPECT_EQ(two.sent_bytes, 22u);
  const auto one =
      docker::parse_sample(json::parse(R"({"memory_stats":{"usage":9,"stats":{"total_inactive_file":10}}})"));
  EXPECT_EQ(one.memory_bytes, 0u);
  EXPECT_EQ(docker::parse_sample({}).memory_bytes, 0u);
}

std::string frame(unsigned char stream, std::string_view text) {
  std::string made{char(stream), 0, 0, 0};
  for (int shift = 24; shift >= 0; shift -= 8) made.push_back(char(text.size() >> shift & 255));
  return made.append(text);
}

TEST(LogFrames, AreSplitIntoLinesOfBothStreams) {
  std::vector<std::string> lines;
  docker::LogFrames frames([&](std::string_view line) { lines.emplace_back(line); }, 8);
  EXPECT_TRUE(frames.take(frame(1, "one\ntw") + frame(2, "err\r\n") + frame(1, "o\n\n12345678\n123456789\nend")));
  EXPECT_THAT(lines, ElementsAre("one", "err", "two", "", "12345678", "12345678", "9"));
  frames.finish();
  EXPECT_EQ(lines.back(), "end");
  EXPECT_FALSE(frames.take("a terminal's bytes"));
}

TEST(LogFrames, AreSplitTheSameHoweverTheBytesArrive) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    std::string stream;
    for (int count = 0; count < 6; ++count) {
      std::string text;
      for (auto size = random() % 30; size > 0; --size) text += "ab\r\n"[random() % 4];
      stream += frame(random() % 2 ? 1 : 2, text);
    }
    const auto read = [&stream](auto size_of_piece) {
      std::vector<std::string> lines;
      docker::LogFrames frames([&](std::string_view line) { lines.emplace_back(line); }, 5);
      for (std::size_t at = 0; at < stream.size();) {
        const std::size_t size = size_of_piece();
        EXPECT_TRUE(frames.take(std::string_view(stream).substr(at, size)));
        at += size;
      }
      frames.finish();
      return lines;
    };
    EXPECT_EQ(read([&] { return 1 + random() % 9; }), read([&] { return stream.size(); }));
  }
}

}  // namespace docker_wire_test
