// The boot file, and an agent as a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>

#include "appliance/agent/agent.h"
#include "appliance/agent/boot_file.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temporary_folder.h"
#include "web/client/fetch.h"

namespace agent_process_test {

using namespace agent_process;
using namespace test_support;
using testing::HasSubstr;
namespace json = boost::json;
namespace fs = std::filesystem;

class BootFileTest : public testing::Test {
 protected:
  fs::path write(const std::string& text) {
    const auto path = folder.path() / "boot.json";
    std::ofstream(path) << text;
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
    return path;
  }
  std::string boot(const std::string& listen, const std::string& backend) {
    return json::serialize(json::object{{"agent_id", "a1"},
                                        {"name", "Ada"},
                                        {"model", ""},
                                        {"listen", listen},
                                        {"workspace", (folder.path() / "workspace").string()},
                                        {"gateway_token", "gate"},
                                        {"box_token", "box"},
                                        {"backend_url", backend},
                                        {"summarizer_url", ""}});
  }
  TemporaryFolder folder;
};

TEST_F(BootFileTest, ErrorsNameTheReasonWithoutSecrets) {
  EXPECT_THAT(read_boot_file(folder.path() / "absent").error().message, HasSubstr("cannot open"));
  EXPECT_THAT(read_boot_file(write("{")).error().message, HasSubstr("boot file"));
  EXPECT_THAT(read_boot_file(write("{}")).error().message, HasSubstr("is required"));
  EXPECT_THAT(read_boot_file(write(boot("", "http://x"))).error().message, HasSubstr("listen"));
  EXPECT_TRUE(read_boot_file(write(boot("127.0.0.1:1", "http://x"))));
}

TEST_F(BootFileTest, HoldsTheAgentProfileAsAnEngineWritesIt) {
  runtime::Boot given;
  given.listen = "127.0.0.1:1";
  given.workspace = "/w";
  given.gateway_token = "gate";
  given.backend_url = "http://x";
  // The largest that a config of 64 KB can hold: control characters take six bytes each.
  given.conduct = {.instructions = std::string(10'000, '\t') + "\n\"Ahoy\"",
                   .temperature = 1.5,
                   .top_p = {},
                   .max_tokens = 9,
                   .tools = std::vector<std::string>{"recall"},
                   .specialization = "support"};
  const auto read = read_boot_file(write(json::serialize(json::value_from(given))));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(read->conduct);
  EXPECT_EQ(read->conduct->instructions, given.conduct->instructions);
  EXPECT_EQ(read->conduct->temperature, 1.5);
  EXPECT_FALSE(read->conduct->top_p);
  EXPECT_EQ(read->conduct->max_tokens, 9);
  EXPECT_EQ(read->conduct->tools, std::vector<std::string>{"recall"});
  EXPECT_EQ(read->conduct->specialization, "support");
}

TEST_F(BootFileTest, ExitsWith2WhenItCannotStart) { EXPECT_EQ(run(folder.path() / "absent"), 2); }

// A port nobody listens on: the kernel has just given it out and taken it back.
std::string free_address() {
  const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = ::bind(probe, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(probe);
  if (!bound) throw std::runtime_error("no free port");
  return "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

TEST_F(BootFileTest, ServesUntilSigterm) {
  const auto listen = free_address();
  const auto path = write(boot(listen, "http://127.0.0.1:9"));
  const auto child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(run(path));

  const auto ready = [&]() -> web::Task<int> {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < deadline) {
      web::FetchRequest probe{.url = "http://" + listen + "/readyz"};
      const auto answer = co_await web::fetch(std::move(probe));
      if (answer) co_return answer->status;
      co_await web::sleep_for(std::chrono::milliseconds(10));
    }
    co_return 0;
  };
  EXPECT_EQ(await(ready()), 200);
  EXPECT_TRUE(fs::exists(path)) << "the boot file is its engine's";
  EXPECT_TRUE(fs::exists(folder.path() / "workspace" / ".git" / "HEAD"));
  ::kill(child, SIGTERM);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace agent_process_test
