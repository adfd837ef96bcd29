#include "summarizer/outbound_report.h"

#include <algorithm>
#include <boost/json.hpp>

namespace summarizer {

namespace json = boost::json;

namespace {

constexpr std::size_t longest_agent = 64, longest_host = 255, longest_setting = 300;

std::optional<std::string> printable_member(const json::object& report, const char* name, std::size_t longest) {
  const auto* value = report.if_contains(name);
  if (!value || !value->is_string() || value->get_string().size() > longest) return std::nullopt;
  const auto& text = value->get_string();
  const bool is_printable = std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7F; });
  return is_printable ? std::optional(std::string(text)) : std::nullopt;
}

std::optional<std::int64_t> number_in(const json::object& report, const char* name, std::int64_t most) {
  const auto* value = report.if_contains(name);
  if (!value || !value->is_int64() || value->get_int64() < 0 || value->get_int64() > most) return std::nullopt;
  return value->get_int64();
}

}  // namespace

std::string report_of(const std::vector<web::OutboundEntry>& entries) {
  std::string lines;
  for (const auto& [line, count] : entries) {
    const json::object report{{"agent", line.origin.agent}, {"host", line.host},    {"port", line.port},
                              {"setting", line.setting},    {"calls", count.calls}, {"refused", count.refused},
                              {"out", count.bytes_out},     {"in", count.bytes_in}};
    lines += json::serialize(report) + "\n";
  }
  return lines;
}

std::optional<web::OutboundEntry> read_report(std::string_view line) {
  constexpr std::int64_t max_calls = 1'000'000, max_bytes = std::int64_t{1} << 40, max_port = 65'535;
  boost::system::error_code error;
  const auto value = json::parse(line, error);
  if (error || !value.is_object()) return std::nullopt;
  const auto& report = value.get_object();
  auto agent = printable_member(report, "agent", longest_agent), host = printable_member(report, "host", longest_host),
       setting = printable_member(report, "setting", longest_setting);
  const auto port = number_in(report, "port", max_port), calls = number_in(report, "calls", max_calls),
             refused = number_in(report, "refused", max_calls), out = number_in(report, "out", max_bytes),
             in = number_in(report, "in", max_bytes);
  if (!agent || !host || host->empty() || !setting || !port || !calls || !refused || !out || !in) return std::nullopt;
  return web::OutboundEntry{.line = {.origin = {.part = "summarizer", .agent = std::move(*agent)},
                                     .host = std::move(*host),
                                     .port = static_cast<std::uint16_t>(*port),
                                     .setting = std::move(*setting)},
                            .count = {.calls = *calls, .refused = *refused, .bytes_out = *out, .bytes_in = *in}};
}

}  // namespace summarizer
