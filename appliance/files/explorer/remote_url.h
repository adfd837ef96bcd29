// Where a remote is, read from its URL as git reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace explorer {

// What an account is for: neither another scheme nor another port gets its secret.
struct Origin {
  std::string scheme;  // http, https or ssh
  std::string host;    // lower case; IPv6 without brackets
  std::uint16_t port = 0;

  bool operator==(const Origin&) const = default;
  std::string text() const;  // ssh://git.example.org:22
};

// A user at an origin: https://box@git.example.org.
struct Account {
  Origin origin;
  std::string user;

  // Nothing for another scheme, for a URL without a user, and for one with a password, a path or more.
  static std::optional<Account> parse(const std::string& url);
};

// An http, https or ssh URL, or ssh's short form (user@host:path).
class RemoteUrl {
 public:
  // Nothing for all else, and for an ssh path that git at the other end would not take for one.
  static std::optional<RemoteUrl> parse(const std::string& url);

  const Origin& origin() const { return origin_; }
  // With neither user nor password.
  std::string text() const;
  // For ssh: where the repository is at the host, as a program there names it.
  std::optional<std::string> ssh_path() const;

 private:
  static std::optional<RemoteUrl> parse_short(const std::string&);

  Origin origin_;
  std::string path_;      // with its query, as it is in the URL
  std::string ssh_path_;  // empty: not for ssh
};

// Whether git takes the text for ssh's short form and not for a folder.
bool is_short_form(const std::string& url);

}  // namespace explorer
