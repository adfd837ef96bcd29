// Engines run agents. One interface, two implementations (ProcessEngine, DockerEngine). All calls are coroutines on an
// io thread and return an Error whose message is a sentence with the engine's own reason; of kind unavailable when the
// engine itself does not respond.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "appliance/runtime/agent_profile.h"
#include "appliance/runtime/isolation.h"
#include "appliance/runtime/log_line.h"
#include "web/result.h"
#include "web/task.h"

namespace runtime {

struct ResourceLimits {
  std::uint64_t memory_bytes = 512ull << 20;
  std::uint64_t open_files = 1024;
  std::uint64_t file_bytes = 1ull << 30;  // of all files in its workspace, and of each
  unsigned processes = 64;
  double cpus = 1;  // cores; enforced if the engine supports it
};

// What the program of a foreign image needs to use the box's proxy: what it signs in with, and variables of its
// environment whose values stand for credentials.
struct ProxyAccess {
  std::string user, password;
  std::vector<std::pair<std::string, std::string>> variables;
};

// Everything an engine needs to run one agent. The gateway token and the box token are passed in the boot file (0600)
// or a pipe, never in argv or the environment, but for foreign images, which read no boot file.
struct AgentSpec {
  std::string id;
  std::string name;
  std::string model;                // empty: the box's default
  std::string image;                // for container engines; empty: the box's default
  std::filesystem::path workspace;  // data/agents/<id>/workspace: a git repository
  // Folders of volumes/ beside it, where only the box can name or replace one, and where the container has each. The
  // engine finds them in the image.
  std::vector<std::pair<std::string, std::string>> volumes;
  std::uint16_t port = 0;     // host port of the agent's gateway
  std::string gateway_token;  // sent by callers of the agent
  std::string box_token;      // sent by the agent to the box's backend
  std::string backend_url, summarizer_url;
  // Secrets that the owner has handed over to the program of a foreign image: names and values of its environment.
  std::vector<std::pair<std::string, std::string>> image_secrets;
  std::optional<ProxyAccess> proxy;  // of a foreign image that uses the box's proxy
  AgentProfile conduct;
  ResourceLimits limits;
  std::uint64_t disk_reserve = 0;  // free space that the agent leaves on the disk of its workspace
};

// The configuration of an agent process: `agentbox agent --boot FILE` reads it as JSON.
struct Boot {
  std::string agent_id, name, model, listen, workspace, gateway_token, box_token, backend_url, summarizer_url;
  std::optional<AgentProfile> conduct;  // always written; missing if the image is newer than the box
  // Likewise: the most that its files may take, and the free space that it leaves on their disk.
  std::optional<std::int64_t> storage_bytes, disk_reserve;
  // The descriptor of a socket that listens on `listen`, in place of one that the agent opens: a process may not.
  std::optional<std::int64_t> listening_socket;
};
BOOST_DESCRIBE_STRUCT(Boot, (),
                      (agent_id, name, model, listen, workspace, gateway_token, box_token, backend_url, summarizer_url,
                       conduct, storage_bytes, disk_reserve, listening_socket))

enum class State { running, exited, missing };

// starting: it runs, but its gateway does not respond (yet or any more); unhealthy: it is in an unexpected state
// (paused, say) or cannot be inspected.
BOOST_DEFINE_ENUM_CLASS(Health, healthy, starting, stopped, unhealthy)

struct Instance {
  State state = State::missing;
  std::int64_t pid = 0;
  std::optional<int> exit_code;  // exited: code, or 128 + signal
  bool out_of_memory = false;    // exited: because it reached its limit of memory
  std::chrono::sys_time<std::chrono::milliseconds> started_at{};
  std::string backend_url, summarizer_url;  // running: from its spec; empty if unknown
  std::optional<Health> health;             // if the engine knows it; otherwise the gateway is asked
  std::string image;                        // of containers: the exact image
};

struct InstanceStats {
  double cpu_percent = 0;          // since the last call, of one core
  std::uint64_t memory_bytes = 0;  // resident
  std::chrono::seconds uptime{0};
  std::optional<std::uint64_t> received_bytes, sent_bytes;  // over the network, if the engine counts it
};

using LogSink = std::function<bool(std::vector<LogLine>)>;

// How the gateway of an agent's program differs from that of other programs.
struct GatewayTraits {
  bool takes_forwarded = true;  // may be sent X-Forwarded-*: foreign images may refuse requests with signs of a proxy
  bool wants_history = false;   // keeps no conversations: each message is sent with those before it
  std::string probe_path;       // what answers 200 while it works; empty: /healthz and /readyz
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string_view name() const = 0;  // process, docker
  virtual bool has_images() const = 0;        // whether AgentSpec::image is used
  virtual Isolation isolation() const = 0;    // of the agents that it starts
  // Starts the agent; returns once it runs (not: once it is ready). Starting a running one is an Error conflict.
  virtual web::Task<web::Result<Instance>> start(const AgentSpec&) = 0;
  // SIGTERM, then SIGKILL after `grace`. Stopping a stopped or missing one is success.
  virtual web::Task<web::Result<void>> stop(std::string id, std::chrono::seconds grace) = 0;
  virtual web::Task<web::Result<Instance>> inspect(std::string id) = 0;
  virtual web::Task<web::Result<InstanceStats>> stats(std::string id) = 0;
  // Last `lines` lines of the agent's log.
  virtual web::Task<web::Result<std::vector<std::string>>> logs(std::string id, std::size_t lines) = 0;
  // The same with ids, for paging.
  virtual web::Task<web::Result<LogPage>> read_log(std::string id, LogQuery) = 0;
  // An id after the current last line.
  virtual web::Task<web::Result<std::string>> log_end(std::string id) = 0;
  // Passes lines after this id to `sink` as they are written, until it returns false, the coroutine is cancelled, or
  // the engine ends the stream (a container has ended). On an io thread.
  virtual web::Task<web::Result<void>> follow_log(std::string id, std::string after, LogSink sink) = 0;
  // Finds agents left running by an earlier process of the box and watches them again. `ids` are those known to the
  // store; the result may contain others. An Error means that the engine does not respond and nothing is known.
  virtual web::Task<web::Result<std::vector<std::string>>> adopt(std::vector<std::string> ids) = 0;
  // Removes the agent's run files and container, not its workspace.
  virtual web::Task<web::Result<void>> remove(std::string id) = 0;
  // Of the program behind this port of the host. Callable from every thread.
  virtual GatewayTraits gateway_traits([[maybe_unused]] std::uint16_t port) const { return {}; }
  // Called on an io thread whenever an agent's process ends, also an adopted one.
  std::function<void(std::string id, std::optional<int> exit_code)> on_exit;
  // Called on an io thread when the engine responds again after an interruption.
  std::function<void()> on_back;
};

}  // namespace runtime
