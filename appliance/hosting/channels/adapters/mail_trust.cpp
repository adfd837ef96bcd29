#include "appliance/hosting/channels/adapters/mail_trust.h"

#include <algorithm>
#include <array>
#include <vector>

#include "web/ascii.h"

namespace channels {

namespace {

// Without comments, which may be nested, and quotation marks.
std::string without_comments(std::string_view text) {
  std::string plain;
  int depth = 0;
  bool is_quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\' && at + 1 < text.size()) {
      ++at;
      if (depth == 0) plain += text[at];
    } else if (c == '"' && depth == 0) {
      is_quoted = !is_quoted;
    } else if (c == '(' && !is_quoted) {
      ++depth;
    } else if (c == ')' && !is_quoted && depth > 0) {
      --depth;
    } else if (depth == 0) {
      // Within quotation marks nothing separates.
      plain += is_quoted && (c == ';' || c == ' ' || c == '=') ? '_' : c;
    }
  }
  return plain;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!(text = web::trim(text, web::white_space)).empty()) {
    const auto word = text.substr(0, text.find_first_of(web::white_space));
    words.push_back(web::lower_case(word));
    text.remove_prefix(word.size());
  }
  return words;
}

std::string_view domain_part(std::string_view address) {
  const auto at = address.rfind('@');
  return at == address.npos ? address : address.substr(at + 1);
}

// The domain that vouches is that of the address or one above it.
bool is_aligned(std::string_view vouching, std::string_view domain) {
  if (vouching.find('.') == vouching.npos) return false;
  return domain == vouching || (domain.size() > vouching.size() && domain.ends_with(vouching) &&
                                domain[domain.size() - vouching.size() - 1] == '.');
}

struct Method {
  std::string result;                                           // "dmarc=pass"
  std::vector<std::pair<std::string, std::string>> properties;  // "header.from", "example.org"

  std::string property(std::string_view name) const {
    const auto found = std::ranges::find(properties, name, [](const auto& one) { return std::string_view(one.first); });
    return found == properties.end() ? std::string() : found->second;
  }
};

// Of "server 1; dmarc=pass header.from=example.org; ...", if it is the server's.
std::vector<Method> methods_of(std::string_view field, std::string_view server) {
  const auto plain = without_comments(field);
  auto rest = std::string_view(plain);
  const auto name = words_of(rest.substr(0, rest.find(';')));
  std::vector<Method> methods;
  if (name.empty() || !web::equal_ignoring_case(name.front(), server)) return methods;
  methods.push_back({.result = "server", .properties = {}});
  while (rest.find(';') != rest.npos) {
    rest.remove_prefix(rest.find(';') + 1);
    Method method;
    for (const auto& word : words_of(rest.substr(0, rest.find(';')))) {
      const auto equals = word.find('=');
      if (method.result.empty())
        method.result = word;
      else if (equals != std::string::npos)
        method.properties.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    }
    methods.push_back(std::move(method));
  }
  return methods;
}

}  // namespace

bool is_authenticated(const MailHeaders& headers, std::string_view server, std::string_view from) {
  const auto domain = domain_part(from);
  for (const auto field : headers.all("authentication-results")) {
    const auto methods = methods_of(field, server);
    if (methods.empty()) continue;
    const auto says = [&](std::string_view result, auto fits) {
      return std::ranges::any_of(methods, [&](const Method& one) { return one.result == result && fits(one); });
    };
    const auto always = [](const Method&) { return true; };
    if (says("dmarc=fail", always)) return false;
    return says("dmarc=pass", [&](const Method& one) { return one.property("header.from") == domain; }) ||
           says("dkim=pass",
                [&](const Method& one) {
                  const auto signer = one.property("header.d");
                  return is_aligned(signer.empty() ? domain_part(one.property("header.i")) : signer, domain);
                }) ||
           says("spf=pass",
                [&](const Method& one) { return is_aligned(domain_part(one.property("smtp.mailfrom")), domain); }) ||
           says("auth=pass", [&](const Method& one) { return one.property("smtp.auth") == from; });
  }
  return false;
}

bool is_automatic(const MailHeaders& headers, std::string_view from) {
  const auto submitted = web::lower_case(headers.first("auto-submitted"));
  if (!submitted.empty() && web::trim(std::string_view(submitted).substr(0, submitted.find(';'))) != "no") return true;
  for (const auto* name : {"list-id", "list-unsubscribe", "x-autoreply", "x-autorespond", "feedback-id"})
    if (!headers.first(name).empty()) return true;
  const auto precedence = web::lower_case(headers.first("precedence"));
  if (precedence == "bulk" || precedence == "junk" || precedence == "list" || precedence == "auto_reply") return true;
  const auto path = headers.all("return-path");
  if (!path.empty() && web::trim(path.front()) == "<>") return true;
  const auto type = web::lower_case(headers.first("content-type"));
  if (type.starts_with("multipart/report")) return true;
  constexpr std::array<std::string_view, 6> programs{"mailer-daemon", "postmaster", "no-reply",
                                                     "noreply",       "donotreply", "do-not-reply"};
  return std::ranges::count(programs, from.substr(0, from.find('@'))) > 0;
}

}  // namespace channels
