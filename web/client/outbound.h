// Every connection that leaves the box asks here first, and is counted here: one policy and one ledger for the whole
// process. They are not passed around, because a caller that forgets to pass them would be a way out.
//
// Loopback addresses, `localhost` and Unix sockets are inside the box, and so are requests with Reach::own. They are
// neither held against the policy nor counted.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/client/call_origin.h"
#include "web/result.h"

namespace web {

struct OutboundPolicy {
  bool denies = false;             // only destinations in `allow` are admitted
  std::vector<std::string> allow;  // "host:port" in lower case; ".example.org:443" is every name under, * is any
};

// One line of the ledger: what one origin did at one destination under one setting.
struct OutboundLine {
  CallOrigin origin;
  std::string host;  // lower case; IPv6 in brackets
  std::uint16_t port = 0;
  std::string setting;  // that admitted it, "EGRESS" or "EGRESS_ALLOW .example.org:443"; of a refusal "EGRESS"

  auto operator<=>(const OutboundLine&) const = default;
};

struct OutboundCount {
  std::int64_t calls = 0, refused = 0;       // a redirect that is followed is a call of its own
  std::int64_t bytes_out = 0, bytes_in = 0;  // as far as the connection's library knows them

  OutboundCount& operator+=(const OutboundCount&);
};

struct OutboundEntry {
  OutboundLine line;
  OutboundCount count;
};

// A loopback address or localhost; `host` as in a URL.
bool is_inside(std::string_view host);

// Thread-safe.
class Outbound {
 public:
  // A connection, or an exchange over one, that was admitted. Counted when it ends; movable.
  class Passage {
   public:
    Passage() = default;  // inside the box: not counted
    Passage(Passage&&) noexcept;
    Passage& operator=(Passage&&) = delete;
    ~Passage();

    void add_bytes(std::int64_t out, std::int64_t in);

   private:
    friend class Outbound;
    Passage(Outbound& to, OutboundLine line) : to_(&to), line_(std::move(line)) {}

    Outbound* to_ = nullptr;
    OutboundLine line_;
    OutboundCount count_{.calls = 1};
  };

  // Connections that are admitted already stay open.
  void set_policy(OutboundPolicy);
  OutboundPolicy policy() const;

  // Kind::unavailable with a sentence that names the destination and the setting. Ask before resolving the name.
  Result<Passage> admit(const CallOrigin&, std::string_view host, std::uint16_t port);
  // The same, if the name is resolved some time before the connection is made: an admission is not counted.
  Result<void> check(const CallOrigin&, std::string_view host, std::uint16_t port);

  // What another process of the box has counted.
  void add(const OutboundEntry&);
  // What was counted since the last call. Until then at most 2,000 lines are kept apart; what exceeds them is added up
  // for each part and setting, with "*" as the host and port 0.
  std::vector<OutboundEntry> take();

 private:
  // Nothing: inside the box.
  Result<std::optional<OutboundLine>> admitted(const CallOrigin&, std::string_view host, std::uint16_t port);

  mutable std::mutex mutex_;
  OutboundPolicy policy_;
  std::map<OutboundLine, OutboundCount> counted_;
};

// Of this process. Until a policy is set, it admits everything.
Outbound& outbound();

// "host:port,...", to hand a list to another process.
std::string to_text(const std::vector<std::string>& destinations);

}  // namespace web
