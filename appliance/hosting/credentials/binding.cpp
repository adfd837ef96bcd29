#include "appliance/hosting/credentials/binding.h"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/identity/oauth/form.h"
#include "web/ascii.h"

namespace credentials {

namespace {

constexpr std::size_t max_named = 8;  // credentials in one request

// Headers by which servers take another method, or another path, than the request's own.
constexpr std::array method_headers{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"};
constexpr std::array path_headers{"X-Original-URL", "X-Rewrite-URL"};

bool is_name_part(char c) { return (c >= 'A' && c <= 'Z') || web::is_digit(c) || c == '_'; }

// The names after "cred:" in a text. In URLs the colon may be escaped.
void find_names(std::string_view text, std::vector<std::string>& found) {
  for (const std::string_view prefix : {placeholder_prefix, std::string_view("cred%3A"), std::string_view("cred%3a")}) {
    for (std::size_t at = 0; (at = text.find(prefix, at)) != text.npos;) {
      at += prefix.size();
      const auto end = std::find_if_not(text.begin() + std::ptrdiff_t(at), text.end(), is_name_part);
      std::string name(text.begin() + std::ptrdiff_t(at), end);
      if (is_name(name) && std::ranges::find(found, name) == found.end()) found.push_back(std::move(name));
      if (found.size() > max_named) return;
    }
  }
}

constexpr std::string_view basic = "Basic ", bearer = "Bearer ";

std::optional<std::string> basic_pair(std::string_view header_value) {
  if (!web::starts_ignoring_case(header_value, basic)) return std::nullopt;
  return crypto::from_base64(std::string(web::trim(header_value.substr(basic.size()))));
}

bool replace_all(std::string& text, std::string_view what, std::string_view by) {
  bool is_found = false;
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size()) {
    text.replace(at, what.size(), by);
    is_found = true;
  }
  return is_found;
}

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

// A path that servers could read as another one is not below any prefix.
bool is_plain_path(std::string_view path) {
  return path.find("/../") == path.npos && path.find("/./") == path.npos && !path.ends_with("/..") &&
         path.find("/..;") == path.npos && path.find("/.;") == path.npos && path.find('\\') == path.npos &&
         path.find("//") == path.npos && path.find('%') == path.npos;
}

bool is_below(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return false;
  return prefix.ends_with('/') || path.size() == prefix.size() || path[prefix.size()] == '/';
}

web::Error refusal(const Credential& credential, const std::string& why) {
  return web::forbidden("The credential " + credential.name + " " + why + ".");
}

template <class Names>
std::string header_among(const Outgoing& request, const Names& names) {
  for (const auto& header : request.headers)
    if (std::ranges::any_of(names, [&](const char* name) { return web::equal_ignoring_case(header.first, name); }))
      return header.first;
  return {};
}

web::Result<void> check_binding(const Credential& credential, const Outgoing& request) {
  if (request.scheme != credential.scheme) return refusal(credential, "is for " + credential.scheme + " only");
  if (!is_bound_to_host(credential, request.host)) return refusal(credential, "is not bound to " + request.host);
  const auto& methods = credential.methods;
  if (!methods.empty() && std::ranges::find(methods, request.method) == methods.end())
    return refusal(credential, "is not for " + request.method);
  if (const auto header = header_among(request, method_headers); !methods.empty() && !header.empty())
    return refusal(credential, "is not for requests with " + header);
  const auto path = path_of(request.target);
  const auto& prefixes = credential.paths;
  if (prefixes.empty()) return {};
  if (const auto header = header_among(request, path_headers); !header.empty())
    return refusal(credential, "is not for requests with " + header);
  if (!is_plain_path(path) ||
      std::ranges::none_of(prefixes, [path](const std::string& prefix) { return is_below(path, prefix); }))
    return refusal(credential, "is not bound to this path");
  return {};
}

// False: the placeholder is nowhere where the form allows it.
bool put_in_header(Outgoing& request, std::string_view name, std::string_view placeholder, std::string_view secret) {
  bool is_done = false;
  for (auto& [header, value] : request.headers)
    if (web::equal_ignoring_case(header, name)) is_done = replace_all(value, placeholder, secret) || is_done;
  return is_done;
}

bool put_in_query(Outgoing& request, const Credential& credential, const std::string& placeholder) {
  const auto question = request.target.find('?');
  if (question == request.target.npos) return false;
  std::string query = "?";
  bool is_done = false;
  std::string_view rest = std::string_view(request.target).substr(question + 1);
  while (true) {
    const auto part = rest.substr(0, rest.find('&'));
    const auto equals = part.find('=');
    const auto name = part.substr(0, equals);
    auto value = equals == part.npos ? std::string() : std::string(part.substr(equals + 1));
    replace_all(value, "cred%3A", placeholder_prefix);
    replace_all(value, "cred%3a", placeholder_prefix);
    if (name == credential.parameter && value == placeholder) {
      query.append(name).append("=").append(oauth::encoded(credential.secret.clear));
      is_done = true;
    } else {
      query.append(part);
    }
    if (part.size() == rest.size()) break;
    rest.remove_prefix(part.size() + 1);
    query.append("&");
  }
  if (is_done) request.target.replace(question, request.target.npos, query);
  return is_done;
}

bool put_in_basic(Outgoing& request, const Credential& credential, const std::string& placeholder) {
  bool is_done = false;
  for (auto& [header, value] : request.headers) {
    if (!web::equal_ignoring_case(header, "authorization")) continue;
    const auto pair = basic_pair(value);
    if (!pair) continue;
    const auto colon = pair->find(':');
    if (colon == pair->npos || pair->substr(colon + 1) != placeholder) continue;
    const auto user = credential.parameter.empty() ? pair->substr(0, colon) : credential.parameter;
    value = std::string(basic) + crypto::to_base64(user + ":" + credential.secret.clear);
    is_done = true;
  }
  return is_done;
}

bool put_in_form(Outgoing& request, const Credential& credential) {
  const auto placeholder = std::string(placeholder_prefix) + credential.name;
  const auto& secret = credential.secret.clear;
  switch (credential.form) {
    case Form::header:
      return put_in_header(request, credential.parameter, placeholder, secret);
    case Form::bearer:
      return put_in_header(request, "authorization", std::string(bearer) + placeholder, std::string(bearer) + secret);
    case Form::basic:
      return put_in_basic(request, credential, placeholder);
    case Form::query:
      return put_in_query(request, credential, placeholder);
  }
  return false;
}

std::string in_html(std::string_view text) {
  std::string html;
  for (const char c : text) {
    if (c == '&')
      html += "&amp;";
    else if (c == '<')
      html += "&lt;";
    else if (c == '>')
      html += "&gt;";
    else if (c == '"')
      html += "&quot;";
    else if (c == '\'')
      html += "&#39;";
    else
      html += c;
  }
  return html;
}

// "%2F" as "%2f".
std::string lower_case_escapes(std::string text) {
  for (std::size_t at = 0; (at = text.find('%', at)) != text.npos; at += 3)
    for (std::size_t digit = at + 1; digit <= at + 2 && digit < text.size(); ++digit)
      text[digit] = web::to_lower(text[digit]);
  return text;
}

// What base64 of a text has of a part that begins so many bytes after a multiple of three, whatever is around it: the
// user's name is before a password.
std::string base64_within(std::string_view part, std::size_t shift) {
  constexpr std::size_t mixed_before[] = {0, 2, 3};
  auto text = crypto::to_base64(std::string(shift, '\0').append(part));
  while (text.ends_with('=')) text.pop_back();
  if ((shift + part.size()) % 3 != 0) text.pop_back();
  return text.substr(mixed_before[shift]);
}

bool is_host(std::string_view host) {
  const auto name = host.starts_with('.') ? host.substr(1) : host;
  const auto is_part = [](char c) { return web::is_alphanumeric(c) || c == '-' || c == '.' || c == '_'; };
  return !name.empty() && name.size() <= 253 && std::ranges::all_of(name, is_part) && name == web::lower_case(name) &&
         !name.ends_with('.') && name.find("..") == name.npos;
}

bool is_token(std::string_view text) {
  const auto is_part = [](char c) { return web::is_alphanumeric(c) || c == '-' || c == '_'; };
  return !text.empty() && text.size() <= 100 && std::ranges::all_of(text, is_part);
}

}  // namespace

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && name.front() >= 'A' && name.front() <= 'Z' &&
         std::ranges::all_of(name, is_name_part);
}

bool is_bound_to_host(const Credential& credential, std::string_view host) {
  return std::ranges::any_of(credential.hosts, [host](const std::string& entry) {
    return entry == host || (entry.starts_with('.') && host.ends_with(entry));
  });
}

std::vector<std::string> named_in(const Outgoing& request) {
  std::vector<std::string> found;
  find_names(request.target, found);
  for (const auto& [name, value] : request.headers) {
    find_names(value, found);
    if (const auto pair = basic_pair(value)) find_names(*pair, found);
  }
  return found;
}

web::Result<std::vector<std::string>> put_in(Outgoing& request, const std::vector<Credential>& known) {
  const auto names = named_in(request);
  if (names.size() > max_named) return web::forbidden("The request names too many credentials.");
  // All are checked against the request as it was written.
  std::vector<const Credential*> used;
  for (const auto& name : names) {
    const auto found = std::ranges::find(known, name, &Credential::name);
    if (found == known.end()) return web::forbidden("There is no credential named " + name + " for this agent.");
    if (const auto bound = check_binding(*found, request); !bound) return bound.error();
    used.push_back(&*found);
  }
  for (const auto* credential : used)
    if (!put_in_form(request, *credential))
      return refusal(*credential, std::string("is to be sent in the form ") +
                                      boost::describe::enum_to_string(credential->form, "") +
                                      (credential->parameter.empty() ? "" : " " + credential->parameter));
  return names;
}

Headers traces_of(const Credential& credential) {
  const auto& secret = credential.secret.clear;
  const auto placeholder = std::string(placeholder_prefix) + credential.name;
  Headers found{{secret, placeholder}};
  const auto add = [&](std::string text) {
    if (std::ranges::find(found, text, &Headers::value_type::first) == found.end())
      found.emplace_back(std::move(text), placeholder);
  };
  const auto encoded = oauth::encoded(secret);
  add(encoded);
  add(lower_case_escapes(encoded));
  auto in_json = boost::json::serialize(boost::json::value(secret));
  in_json = in_json.substr(1, in_json.size() - 2);
  add(in_json);
  replace_all(in_json, "/", "\\/");
  add(std::move(in_json));
  add(in_html(secret));
  add(crypto::hex(secret));
  if (credential.form == Form::basic) add(crypto::to_base64(credential.parameter + ":" + secret));
  auto alone = crypto::to_base64(secret);
  while (alone.ends_with('=')) alone.pop_back();
  add(std::move(alone));
  for (const std::size_t shift : {0, 1, 2}) {
    auto within = base64_within(secret, shift);
    add(within);
    std::ranges::replace(within, '+', '-');
    std::ranges::replace(within, '/', '_');
    add(std::move(within));
  }
  return found;
}

web::Result<void> check(const Credential& credential) {
  constexpr std::size_t shortest_secret = 8;
  if (!is_name(credential.name))
    return web::invalid("name must be capital letters, digits and _, and begin with a letter");
  if (credential.secret.clear.size() < shortest_secret)
    return web::invalid(
        "secret must have at least 8 characters: shorter ones "
        "cannot be told apart in answers");
  if (std::ranges::any_of(credential.secret.clear, [](char c) { return c <= 0x20 || c == 0x7F; }))
    return web::invalid("secret must be visible ASCII");
  if (credential.scheme != "https" && credential.scheme != "http") return web::invalid("scheme must be https or http");
  if (credential.hosts.empty()) return web::invalid("hosts must name at least one host");
  for (std::size_t at = 0; at < credential.hosts.size(); ++at)
    if (!is_host(credential.hosts[at]))
      return web::invalid("hosts[" + std::to_string(at) +
                          "] must be a host name in lower case, or one with a dot before it");
  for (std::size_t at = 0; at < credential.paths.size(); ++at)
    if (!credential.paths[at].starts_with('/') || !is_plain_path(credential.paths[at]))
      return web::invalid("paths[" + std::to_string(at) + "] must be a plain path that begins with /");
  for (std::size_t at = 0; at < credential.methods.size(); ++at)
    if (!std::ranges::all_of(credential.methods[at], [](char c) { return c >= 'A' && c <= 'Z'; }))
      return web::invalid("methods[" + std::to_string(at) + "] must be in capital letters");
  const bool needs_parameter = credential.form == Form::header || credential.form == Form::query;
  if (needs_parameter && !is_token(credential.parameter))
    return web::invalid("parameter must name the header, or the parameter of the query");
  if (credential.form == Form::basic && credential.parameter.find(':') != std::string::npos)
    return web::invalid("parameter is the user name, without a colon");
  return {};
}

}  // namespace credentials
