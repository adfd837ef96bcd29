#include "appliance/identity/wallet_sign_in/message.h"

#include <algorithm>
#include <boost/url/parse.hpp>
#include <charconv>

#include "appliance/foundation/timestamp.h"
#include "web/ascii.h"
#include "web/uri.h"

namespace wallet_sign_in {

namespace {

constexpr std::size_t max_bytes = 8 * 1024;
constexpr std::string_view request_words = " wants you to sign in with your Ethereum account:";
constexpr std::size_t nonce_min = 8;

web::Error not_of_the_grammar(std::string_view what) {
  return web::invalid("message is not a sign-in message (ERC-4361): " + std::string(what));
}

// RFC 3986's unreserved characters and sub-delims, which its other sets build upon.
bool is_plain(char c) {
  return web::is_alphanumeric(c) || std::string_view("-._~!$&'()*+,;=").find(c) != std::string_view::npos;
}

// RFC 3986, 3.1.
bool is_scheme(std::string_view text) {
  const auto belongs = [](char c) { return web::is_alphanumeric(c) || c == '+' || c == '-' || c == '.'; };
  return !text.empty() && web::is_letter(text.front()) && std::ranges::all_of(text, belongs);
}

// 1*( reserved / unreserved / " " )
bool is_statement(std::string_view text) {
  const auto belongs = [](char c) {
    return is_plain(c) || std::string_view(":/?#[]@ ").find(c) != std::string_view::npos;
  };
  return !text.empty() && std::ranges::all_of(text, belongs);
}

// *pchar: a percent sign stands before two hex digits only.
bool is_request_id(std::string_view text) {
  while (!text.empty()) {
    const bool is_encoded = text.size() >= 3 && text[0] == '%' && web::all_hex_digits(text.substr(1, 2));
    if (!is_encoded && !is_plain(text[0]) && text[0] != ':' && text[0] != '@') return false;
    text.remove_prefix(is_encoded ? 3 : 1);
  }
  return true;
}

bool is_uri(std::string_view text) { return web::parse_uri(text).has_value(); }

// The lines of a text, one after the other; after the last one there is none.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  std::optional<std::string_view> next() {
    auto line = peek();
    if (line) rest_ = line->size() == rest_->size() ? std::nullopt : std::optional(rest_->substr(line->size() + 1));
    return line;
  }
  // What follows `label` on the next line; nothing, and the line stays, when it has another.
  std::optional<std::string_view> next_field(std::string_view label) {
    const auto line = peek();
    if (!line || !line->starts_with(label)) return std::nullopt;
    next();
    return line->substr(label.size());
  }
  bool next_is_empty() {
    const auto line = peek();
    if (!line || !line->empty()) return false;
    next();
    return true;
  }
  bool at_end() const { return !rest_; }

 private:
  std::optional<std::string_view> peek() const {
    if (!rest_) return std::nullopt;
    return rest_->substr(0, rest_->find('\n'));
  }
  std::optional<std::string_view> rest_;
};

bool read_site(std::string_view line, Message& message) {
  if (!line.ends_with(request_words)) return false;
  line.remove_suffix(request_words.size());
  if (const auto mark = line.find("://"); mark != std::string_view::npos) {
    message.scheme = line.substr(0, mark);
    if (!is_scheme(message.scheme)) return false;
    line.remove_prefix(mark + 3);
  }
  message.domain = line;
  const auto authority = boost::urls::parse_authority(line);
  return authority && !authority->has_userinfo() && !authority->host().empty();
}

// An empty line, a statement and an empty line, or two empty lines alone.
bool read_statement(Lines& lines, Message& message) {
  if (!lines.next_is_empty()) return false;
  if (lines.next_is_empty()) return true;
  const auto statement = lines.next();
  if (!statement || !is_statement(*statement)) return false;
  message.statement = *statement;
  return lines.next_is_empty();
}

bool read_number(std::string_view text, std::uint64_t& number) {
  if (text.empty() || !web::all_digits(text)) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// A field that may be missing, but not be anything else than a time.
bool read_optional_time(Lines& lines, std::string_view label, std::optional<store::Time>& time) {
  const auto text = lines.next_field(label);
  if (!text) return true;
  time = agentbox::parse_timestamp(*text);
  return time.has_value();
}

}  // namespace

web::Result<Message> parse_message(std::string_view text) {
  if (text.size() > max_bytes) return not_of_the_grammar("it is too long");
  Lines lines(text);
  const auto first = lines.next(), second = lines.next();
  const auto address = crypto::EthereumAddress::parse(second.value_or(""));
  if (!address) return not_of_the_grammar("the second line is no address, or its checksum is wrong");
  Message message{.scheme = {},
                  .domain = {},
                  .address = *address,
                  .statement = {},
                  .uri = {},
                  .nonce = {},
                  .issued_at = {},
                  .expires_at = {},
                  .not_before = {},
                  .request_id = {},
                  .resources = {}};
  if (!read_site(*first, message)) return not_of_the_grammar("the first line does not name a site");
  if (!read_statement(lines, message))
    return not_of_the_grammar("the statement is not one line of the characters it may have");

  const auto uri = lines.next_field("URI: ");
  if (!uri || !is_uri(*uri)) return not_of_the_grammar("URI");
  message.uri = *uri;
  if (lines.next_field("Version: ") != "1") return not_of_the_grammar("Version");
  if (!read_number(lines.next_field("Chain ID: ").value_or(""), message.chain_id))
    return not_of_the_grammar("Chain ID");
  const auto nonce = lines.next_field("Nonce: ");
  if (!nonce || nonce->size() < nonce_min || !std::ranges::all_of(*nonce, web::is_alphanumeric))
    return not_of_the_grammar("Nonce");
  message.nonce = *nonce;
  const auto issued = agentbox::parse_timestamp(lines.next_field("Issued At: ").value_or(""));
  if (!issued) return not_of_the_grammar("Issued At");
  message.issued_at = *issued;

  if (!read_optional_time(lines, "Expiration Time: ", message.expires_at)) return not_of_the_grammar("Expiration Time");
  if (!read_optional_time(lines, "Not Before: ", message.not_before)) return not_of_the_grammar("Not Before");
  if (const auto id = lines.next_field("Request ID: ")) {
    if (!is_request_id(*id)) return not_of_the_grammar("Request ID");
    message.request_id = *id;
  }
  if (const auto rest = lines.next_field("Resources:")) {
    if (!rest->empty()) return not_of_the_grammar("Resources");
    while (const auto resource = lines.next_field("- ")) {
      if (!is_uri(*resource)) return not_of_the_grammar("Resources");
      message.resources.emplace_back(*resource);
    }
  }
  if (!lines.at_end()) return not_of_the_grammar("there is a line that does not belong there");
  return message;
}

}  // namespace wallet_sign_in
