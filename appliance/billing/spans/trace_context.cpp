#include "appliance/billing/spans/trace_context.h"

#include <algorithm>

#include "appliance/foundation/crypto/random.h"

namespace spans {

namespace {

constexpr std::size_t trace_digits = 32, span_digits = 16;

bool is_lower_case_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_id(std::string_view text, std::size_t digits) {
  return text.size() == digits && is_lower_case_hex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

}  // namespace

bool is_trace_id(std::string_view text) { return is_id(text, trace_digits); }

bool is_span_id(std::string_view text) { return is_id(text, span_digits); }

std::string new_trace_id() { return crypto::random_hex(trace_digits / 2); }

std::string new_span_id() { return crypto::random_hex(span_digits / 2); }

// version "-" trace-id "-" parent-id "-" flags. Later versions may be longer; ff is invalid.
TraceContext TraceContext::parse(std::string_view header) {
  constexpr std::size_t version_digits = 2, length = 55;
  if (header.size() < length) return {};
  const auto version = header.substr(0, version_digits);
  const bool has_more = header.size() > length;
  if (!is_lower_case_hex(version) || version == "ff" || (has_more && (version == "00" || header[length] != '-')))
    return {};
  if (header[2] != '-' || header[35] != '-' || header[52] != '-' || !is_lower_case_hex(header.substr(53, 2))) return {};
  const auto trace = header.substr(3, trace_digits), parent = header.substr(36, span_digits);
  if (!is_trace_id(trace) || !is_span_id(parent)) return {};
  return {.trace_id = std::string(trace), .parent_id = std::string(parent)};
}

}  // namespace spans
