#include "web/client/outbound.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <utility>

#include "web/ascii.h"

namespace web {

namespace {

constexpr std::size_t max_lines = 2'000;
constexpr const char* the_policy = "EGRESS";
constexpr const char* the_list = "EGRESS_ALLOW";

// Lower case, without the dot of an absolute name, and with brackets around IPv6.
std::string normalised(std::string_view host) {
  auto text = lower_case(host);
  if (text.size() > 1 && text.ends_with('.')) text.pop_back();
  return text.find(':') != text.npos && !text.starts_with('[') ? "[" + text + "]" : text;
}

bool matches(std::string_view pattern, std::string_view host, std::string_view port) {
  const auto colon = pattern.rfind(':');
  const auto names = pattern.substr(0, colon), ports = pattern.substr(colon + 1);
  if (ports != "*" && ports != port) return false;
  if (names == "*" || names == host) return true;
  return names.starts_with('.') && host.size() > names.size() && host.ends_with(names);
}

// The setting that admits the destination; nothing if none does.
std::optional<std::string> admitting_setting(const OutboundPolicy& policy, const std::string& host,
                                             const std::string& port) {
  const auto entry =
      std::ranges::find_if(policy.allow, [&](const std::string& pattern) { return matches(pattern, host, port); });
  if (entry != policy.allow.end()) return std::string(the_list) + " " + *entry;
  return policy.denies ? std::nullopt : std::optional<std::string>(the_policy);
}

}  // namespace

OutboundCount& OutboundCount::operator+=(const OutboundCount& more) {
  calls += more.calls;
  refused += more.refused;
  bytes_out += more.bytes_out;
  bytes_in += more.bytes_in;
  return *this;
}

bool is_inside(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (equal_ignoring_case(host, "localhost")) return true;
  boost::system::error_code not_an_address;
  const auto address = boost::asio::ip::make_address(host, not_an_address);
  if (not_an_address) return false;
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6()).is_loopback();
  return address.is_loopback();
}

Outbound::Passage::Passage(Passage&& other) noexcept
    : to_(std::exchange(other.to_, nullptr)), line_(std::move(other.line_)), count_(other.count_) {}

Outbound::Passage::~Passage() {
  if (to_ != nullptr) to_->add({.line = std::move(line_), .count = count_});
}

void Outbound::Passage::add_bytes(std::int64_t out, std::int64_t in) {
  count_.bytes_out += out;
  count_.bytes_in += in;
}

void Outbound::set_policy(OutboundPolicy policy) {
  const std::lock_guard lock(mutex_);
  policy_ = std::move(policy);
}

OutboundPolicy Outbound::policy() const {
  const std::lock_guard lock(mutex_);
  return policy_;
}

Result<std::optional<OutboundLine>> Outbound::admitted(const CallOrigin& origin, std::string_view host,
                                                       std::uint16_t port) {
  if (is_inside(host)) return std::optional<OutboundLine>();
  OutboundLine line{.origin = origin, .host = normalised(host), .port = port, .setting = the_policy};
  const auto port_text = std::to_string(port);
  const auto setting = [&] {
    const std::lock_guard lock(mutex_);
    return admitting_setting(policy_, line.host, port_text);
  }();
  if (setting) {
    line.setting = *setting;
    return std::optional(std::move(line));
  }
  const auto destination = line.host + ":" + port_text;
  add({.line = std::move(line), .count = {.refused = 1}});
  return unavailable("the box may not connect to " + destination +
                     ": EGRESS is deny and EGRESS_ALLOW does not list it");
}

Result<Outbound::Passage> Outbound::admit(const CallOrigin& origin, std::string_view host, std::uint16_t port) {
  auto line = admitted(origin, host, port);
  if (!line) return line.error();
  return *line ? Passage(*this, std::move(**line)) : Passage();
}

Result<void> Outbound::check(const CallOrigin& origin, std::string_view host, std::uint16_t port) {
  const auto line = admitted(origin, host, port);
  return line ? Result<void>() : Result<void>(line.error());
}

void Outbound::add(const OutboundEntry& entry) {
  const std::lock_guard lock(mutex_);
  const auto known = counted_.find(entry.line);
  if (known != counted_.end() || counted_.size() < max_lines) {
    counted_[entry.line] += entry.count;
    return;
  }
  const OutboundLine rest{
      .origin = {.part = entry.line.origin.part}, .host = "*", .port = 0, .setting = entry.line.setting};
  counted_[rest] += entry.count;
}

std::vector<OutboundEntry> Outbound::take() {
  std::map<OutboundLine, OutboundCount> taken;
  {
    const std::lock_guard lock(mutex_);
    taken.swap(counted_);
  }
  std::vector<OutboundEntry> entries;
  entries.reserve(taken.size());
  for (auto& [line, count] : taken) entries.push_back({.line = line, .count = count});
  return entries;
}

Outbound& outbound() {
  static Outbound one;
  return one;
}

std::string to_text(const std::vector<std::string>& destinations) {
  std::string text;
  for (const auto& destination : destinations) text.append(text.empty() ? "" : ",").append(destination);
  return text;
}

}  // namespace web
