#include "appliance/hosting/uploads/multipart.h"

#include <algorithm>
#include <utility>

#include "web/ascii.h"

namespace uploads {

namespace {

using web::Result;

constexpr std::size_t longest_boundary = 70, longest_padding = 64;
constexpr std::string_view line_end = "\r\n", white = " \t";

bool is_token_character(unsigned char c) {
  return c > 0x20 && c < 0x7f && std::string_view("()<>@,;:\\\"/[]?={}").find(char(c)) == std::string_view::npos;
}

bool is_boundary_character(char c) {
  return web::is_alphanumeric(c) || std::string_view("'()+_,-./:=? ").find(c) != std::string_view::npos;
}

// `; name=value` one after the other, the value a token or quoted. Browsers write `"` in a quoted value as %22 (HTML,
// 'multipart/form-data encoding algorithm') and other clients as \"; every other backslash is itself, as some write
// paths.
class Parameters {
 public:
  explicit Parameters(std::string_view text) : rest_(text) {}

  // The next one; nothing at the end, and `malformed` when that is not the end.
  std::optional<std::pair<std::string, std::string>> next() {
    rest_ = web::trim(rest_);
    if (rest_.empty()) return std::nullopt;
    const auto equals = rest_.find('=');
    if (rest_.front() != ';' || equals == std::string_view::npos) return fail();
    const auto name = web::trim(rest_.substr(1, equals - 1));
    if (name.empty() || !std::ranges::all_of(name, is_token_character)) return fail();
    rest_.remove_prefix(equals + 1);
    auto value = rest_.starts_with('"') ? quoted() : token();
    if (!value) return fail();
    return std::pair(web::lower_case(name), std::move(*value));
  }
  bool malformed = false;

 private:
  std::optional<std::pair<std::string, std::string>> fail() {
    malformed = true;
    return std::nullopt;
  }

  std::optional<std::string> token() {
    const auto end = std::ranges::find_if_not(rest_, is_token_character);
    std::string value(rest_.begin(), end);
    rest_.remove_prefix(value.size());
    return value.empty() ? std::nullopt : std::optional(value);
  }

  std::optional<std::string> quoted() {
    std::string value;
    for (std::size_t at = 1; at < rest_.size(); ++at) {
      if (rest_[at] == '"') {
        rest_.remove_prefix(at + 1);
        return value;
      }
      if (rest_.substr(at, 2) == "\\\"") ++at;
      const bool is_quote = rest_.substr(at, 3) == "%22";
      value += is_quote ? '"' : rest_[at];
      if (is_quote) at += 2;
    }
    return std::nullopt;
  }

  std::string_view rest_;
};

// The value of a Content-Disposition. `filename*` is not for forms (RFC 7578, 4.2) and counts as unknown.
Result<PartHead> head_of(std::string_view disposition) {
  const auto type = web::trim(disposition.substr(0, disposition.find(';')));
  if (!web::equal_ignoring_case(type, "form-data"))
    return web::invalid("A part's Content-Disposition must be form-data");
  PartHead head;
  bool has_name = false;
  Parameters parameters(disposition.substr(std::min(disposition.size(), disposition.find(';'))));
  while (auto parameter = parameters.next()) {
    auto& [name, value] = *parameter;
    if ((name == "name" && has_name) || (name == "filename" && head.filename))
      return web::invalid("A part's Content-Disposition has its " + name + " twice");
    if (name == "name") {
      head.name = std::move(value);
      has_name = true;
    } else if (name == "filename") {
      head.filename = std::move(value);
    }
  }
  if (parameters.malformed || !has_name) return web::invalid("A part's Content-Disposition must have a name");
  return head;
}

Result<PartHead> read_head(std::string_view lines) {
  std::optional<PartHead> head;
  while (!lines.empty()) {
    const auto end = std::min(lines.find(line_end), lines.size());
    const auto line = lines.substr(0, end);
    lines.remove_prefix(std::min(lines.size(), end + line_end.size()));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return web::invalid("A part's header is malformed");
    const auto name = web::lower_case(line.substr(0, colon));
    if (name == "content-transfer-encoding" && !web::equal_ignoring_case(web::trim(line.substr(colon + 1)), "binary"))
      return web::invalid("A part must not have a Content-Transfer-Encoding");
    if (name != "content-disposition") continue;
    if (head) return web::invalid("A part has two Content-Dispositions");
    auto read = head_of(line.substr(colon + 1));
    if (!read) return read.error();
    head = std::move(*read);
  }
  if (!head) return web::invalid("A part has no Content-Disposition");
  return std::move(*head);
}

}  // namespace

Result<std::string> boundary_of(std::string_view content_type) {
  const auto type = web::trim(content_type.substr(0, content_type.find(';')));
  if (!web::equal_ignoring_case(type, "multipart/form-data"))
    return web::invalid("Content-Type must be multipart/form-data");
  Parameters parameters(content_type.substr(std::min(content_type.size(), content_type.find(';'))));
  std::optional<std::string> boundary;
  while (auto parameter = parameters.next()) {
    if (parameter->first != "boundary") continue;
    if (boundary) return web::invalid("Content-Type has two boundaries");
    boundary = std::move(parameter->second);
  }
  const bool is_good = boundary && !boundary->empty() && boundary->size() <= longest_boundary &&
                       !boundary->ends_with(' ') && std::ranges::all_of(*boundary, is_boundary_character);
  if (parameters.malformed || !is_good)
    return web::invalid("Content-Type must name a boundary of RFC 2046's characters");
  return std::move(*boundary);
}

Result<void> Multipart::take(std::string_view bytes) {
  // The bytes that were read leave once in a call, so that none moves twice.
  received_.erase(0, std::exchange(at_, 0));
  received_.append(bytes);
  for (;;) {
    const auto next = step();
    if (!next) return next.error();
    if (*next == Next::more) return {};
  }
}

Result<void> Multipart::finish() {
  if (state_ != State::epilogue) return web::invalid("The multipart body ends before its closing delimiter");
  return {};
}

Result<Multipart::Next> Multipart::step() {
  switch (state_) {
    case State::content:
      return read_content();
    case State::headers:
      return read_headers();
    case State::epilogue:
      break;
  }
  at_ = received_.size();
  return Next::more;
}

Result<void> Multipart::pass_data(std::size_t size) {
  if (size == 0) return {};
  if (!in_part_) {
    preamble_ += size;
    if (preamble_ > limits_.preamble_bytes)
      return web::invalid("The multipart body has no delimiter in its first " + std::to_string(limits_.preamble_bytes) +
                          " bytes");
  } else if (auto taken = sink_.data(unread().substr(0, size)); !taken) {
    return taken;
  }
  at_ += size;
  return {};
}

// Up to the next delimiter. What begins like one and goes on differently is content.
Result<Multipart::Next> Multipart::read_content() {
  const auto at = unread().find(delimiter_);
  if (at == std::string_view::npos) {
    const auto sure = unread().size() - std::min(unread().size(), delimiter_.size() - 1);
    if (auto passed = pass_data(sure); !passed) return passed.error();
    return Next::more;
  }
  if (auto passed = pass_data(at); !passed) return passed.error();
  const auto behind = unread().substr(delimiter_.size(), longest_padding + line_end.size());
  const bool closes = behind.starts_with("--");
  const auto text = std::min(behind.find_first_not_of(white), behind.size());
  if (!closes && behind.substr(text, line_end.size()) != line_end) {
    const bool may_become_one = behind == "-" || (text <= longest_padding && line_end.starts_with(behind.substr(text)));
    if (may_become_one) return Next::more;
    if (auto passed = pass_data(1); !passed) return passed.error();
    return Next::again;
  }
  if (in_part_)
    if (auto ended = sink_.end(); !ended) return ended.error();
  in_part_ = false;
  state_ = closes ? State::epilogue : State::headers;
  searched_ = 0;
  // Of the line's end is left what a part without headers begins with.
  at_ += delimiter_.size() + (closes ? 2 : text);
  return Next::again;
}

// From the delimiter's line end to the empty line.
Result<Multipart::Next> Multipart::read_headers() {
  constexpr std::string_view end_of_headers = "\r\n\r\n";
  const auto received = unread().substr(0, limits_.header_bytes + end_of_headers.size());
  const auto end = received.find(end_of_headers, searched_);
  if (end == std::string_view::npos) {
    if (received.size() == limits_.header_bytes + end_of_headers.size())
      return web::invalid("A part's headers are too long");
    searched_ = received.size() - std::min(received.size(), end_of_headers.size() - 1);
    return Next::more;
  }
  if (++parts_ > limits_.parts)
    return web::invalid("The body must have at most " + std::to_string(limits_.parts) + " parts");
  const auto lines = end == 0 ? std::string_view() : received.substr(2, end - 2);
  auto head = read_head(lines);
  if (!head) return head.error();
  if (auto begun = sink_.begin(*head); !begun) return begun.error();
  in_part_ = true;
  state_ = State::content;
  at_ += end + end_of_headers.size();
  return Next::again;
}

}  // namespace uploads
