// Terminals in agents' workspaces, for their owners: shells in the sandbox of agents' commands. A terminal ends with
// the page that shows it, when nobody types, with its agent, and with its session or the right to it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/subscriptions/plans.h"
#include "appliance/hosting/agents/records.h"
#include "appliance/hosting/commands/programs.h"
#include "appliance/identity/audit/audit.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace terminals {

inline constexpr std::size_t max_of_agent = 2, max_of_user = 4, max_of_box = 32;

// Of an agent's plan: no plan includes terminals until the administrator adds them.
bool is_included(const store::System&, const agents::Agent&);
bool is_included(const store::System&, billing::Plan);
web::Task<> set_included(store::System, billing::Plan, bool);

// Others' terminals are not found.
struct TerminalKey {
  store::UserId owner = 0;
  std::string agent, id;
};

struct TerminalOutput {
  std::string text;        // UTF-8; other bytes are replaced
  std::int64_t next = 0;   // where the next piece begins, in bytes since the start
  bool is_running = true;  // false: this is the last piece
  std::optional<int> exit_code;
  std::string ended_because;  // a sentence; empty: the shell ended by itself
};

struct TerminalSummary {
  std::string id;
  store::Time started_at{};
};

// Thread-safe.
class Terminals {
 public:
  struct Options {
    std::chrono::milliseconds idle_time;  // without input, after which a terminal ends
    // Why the owner may have no terminal of the agent any more by this session; empty: they may.
    std::function<std::string(const web::Caller& owner, const std::string& agent)> why_over;
  };
  // All of them must outlive it.
  Terminals(const commands::Programs&, audit::Audit&, boost::asio::io_context& home, Options);
  ~Terminals();  // after stop(), or with `home` stopped

  // too_many beyond the limits; otherwise as Programs::serve. Its opening and its end are audited, what is typed is
  // not.
  web::Task<web::Result<std::string>> open(audit::Actor, std::string agent, runtime::TerminalSize);
  // Waits up to `patience` for output after `from`, or the end. A terminal that is not read for a while ends.
  // not_found.
  web::Task<web::Result<TerminalOutput>> read(TerminalKey, std::int64_t from, std::chrono::milliseconds patience);
  // not_found; conflict if it has ended or does not read what it was sent.
  web::Task<web::Result<void>> type(TerminalKey, std::string text);
  web::Task<web::Result<void>> resize(TerminalKey, runtime::TerminalSize);  // not_found
  web::Task<web::Result<void>> end(TerminalKey);                            // not_found
  // Of those that run, the oldest first.
  web::Task<std::vector<TerminalSummary>> list(store::UserId owner, std::string agent);
  // Ends all. Called on `home`.
  web::Task<> stop();

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace terminals
