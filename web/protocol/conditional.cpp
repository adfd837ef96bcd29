#include "web/protocol/conditional.h"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <ctime>
#include <optional>
#include <string_view>
#include <vector>

#include "web/ascii.h"

namespace web {

namespace {

using Time = std::chrono::sys_seconds;

std::vector<std::string_view> fields(const Request& request, std::string_view name) {
  std::vector<std::string_view> values;
  for (const auto& header : request.headers) {
    if (equal_ignoring_case(header.name, name)) values.push_back(header.value);
  }
  return values;
}

// The three forms of section 5.6.7. Returns nothing for anything else.
std::optional<Time> parse_date(std::string_view text) {
  const std::string date(text);
  for (const auto* form : {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"}) {
    std::tm parts{};
    const char* end = ::strptime(date.c_str(), form, &parts);
    if (end && *end == '\0') return Time(std::chrono::seconds(::timegm(&parts)));
  }
  return std::nullopt;
}

std::optional<Time> date_in(const Request& request, std::string_view name) {
  const auto values = fields(request, name);
  return values.size() == 1 ? parse_date(values.front()) : std::nullopt;
}

bool is_weak(std::string_view etag) { return etag.starts_with("W/"); }
std::string_view opaque(std::string_view etag) { return is_weak(etag) ? etag.substr(2) : etag; }

enum class Comparison { strong, weak };

// Whether a list of entity tags, or "*", contains ours. Section 8.8.3.2: a strong comparison needs two strong tags.
bool names(const std::vector<std::string_view>& lists, std::string_view ours, Comparison comparison) {
  for (auto list : lists) {
    if (trim(list) == "*") return true;
    while (!list.empty()) {
      const auto begin = list.find_first_not_of(" \t,");
      if (begin == std::string_view::npos) break;
      list.remove_prefix(begin);
      const auto quote = list.find('"');
      const auto end = quote == std::string_view::npos ? quote : list.find('"', quote + 1);
      if (end == std::string_view::npos) break;
      const auto tag = list.substr(0, end + 1);
      list.remove_prefix(end + 1);
      const bool may = comparison == Comparison::weak || (!is_weak(tag) && !is_weak(ours));
      if (may && opaque(tag) == opaque(ours)) return true;
    }
  }
  return false;
}

std::optional<std::uint64_t> number(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || end != digits.data() + digits.size()) return std::nullopt;
  // A number that overflows is beyond every end; from_chars has consumed its digits.
  return error == std::errc::result_out_of_range ? std::numeric_limits<std::uint64_t>::max() : value;
}

// Returns nothing if the whole is to be sent.
std::optional<Selection> part_of(std::string_view range, std::uint64_t size) {
  constexpr std::string_view unit = "bytes=";
  if (!starts_ignoring_case(range, unit)) return std::nullopt;
  const auto set = trim(range.substr(unit.size()));
  const auto dash = set.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto before = set.substr(0, dash), after = set.substr(dash + 1);
  const auto first = number(before), last = number(after);
  const bool is_suffix = before.empty() && last;
  if (!is_suffix && (!first || (!last && !after.empty()) || (last && *last < *first))) return std::nullopt;
  const auto begin = is_suffix ? size - std::min(size, *last) : *first;
  if (begin >= size) return Selection{.kind = Selection::Kind::unsatisfiable};
  const auto end = is_suffix || !last ? size : std::min(*last, size - 1) + 1;
  return Selection{.kind = Selection::Kind::part, .begin = begin, .length = end - begin};
}

// Section 13.1.5: a strong comparison of tags, or an equal date. If the tag is weak, two versions may share the date,
// too.
bool is_for_this_version(const Request& request, const Validators& ours) {
  const auto conditions = fields(request, "if-range");
  if (conditions.empty()) return true;
  if (conditions.size() > 1 || is_weak(ours.etag)) return false;
  if (conditions.front().find('"') != std::string_view::npos) return trim(conditions.front()) == ours.etag;
  return parse_date(conditions.front()) == ours.modified;
}

// Section 13.2.2, steps 1 to 4.
std::optional<Selection::Kind> judge_preconditions(const Request& request, const Validators& ours) {
  if (const auto condition = fields(request, "if-match"); !condition.empty()) {
    if (!names(condition, ours.etag, Comparison::strong)) return Selection::Kind::precondition_failed;
  } else if (const auto date = date_in(request, "if-unmodified-since"); date && ours.modified > *date) {
    return Selection::Kind::precondition_failed;
  }
  if (const auto known = fields(request, "if-none-match"); !known.empty()) {
    if (names(known, ours.etag, Comparison::weak)) return Selection::Kind::not_modified;
  } else if (const auto date = date_in(request, "if-modified-since"); date && ours.modified <= *date) {
    return Selection::Kind::not_modified;
  }
  return std::nullopt;
}

int status_of(Selection::Kind kind) {
  switch (kind) {
    case Selection::Kind::whole:
      return 200;
    case Selection::Kind::part:
      return 206;
    case Selection::Kind::not_modified:
      return 304;
    case Selection::Kind::precondition_failed:
      return 412;
    case Selection::Kind::unsatisfiable:
      return 416;
  }
  return 500;
}

}  // namespace

std::string http_date(Time time) {
  const auto seconds = static_cast<std::time_t>(time.time_since_epoch().count());
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  std::array<char, 40> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &utc)};
}

Selection select(const Request& request, const Validators& ours, std::uint64_t size) {
  if (const auto verdict = judge_preconditions(request, ours)) return {.kind = *verdict};
  const Selection whole{.length = size};
  const auto ranges = fields(request, "range");
  // Range is defined for GET alone (section 14.2).
  if (request.method != Method::get || ranges.size() != 1 || !is_for_this_version(request, ours)) return whole;
  return part_of(ranges.front(), size).value_or(whole);
}

Response selected(const Selection& selection, const Validators& ours, std::uint64_t size) {
  Response response;
  response.status = status_of(selection.kind);
  response.content_type.clear();
  if (selection.kind == Selection::Kind::precondition_failed || selection.kind == Selection::Kind::unsatisfiable) {
    const bool is_range = selection.kind == Selection::Kind::unsatisfiable;
    response = json(boost::json::object{{"error", is_range ? "Range not satisfiable"
                                                           : "Precondition failed: the content has changed"}},
                    response.status);
    if (is_range) response.set("Content-Range", "bytes */" + std::to_string(size));
    return response;
  }
  response.set("ETag", ours.etag).set("Last-Modified", http_date(ours.modified)).set("Accept-Ranges", "bytes");
  if (selection.kind == Selection::Kind::part) {
    response.set("Content-Range", "bytes " + std::to_string(selection.begin) + "-" +
                                      std::to_string(selection.begin + selection.length - 1) + "/" +
                                      std::to_string(size));
  }
  return response;
}

}  // namespace web
