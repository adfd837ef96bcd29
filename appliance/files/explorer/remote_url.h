// Parses URLs of remotes like git.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace explorer {

// What an account is for: its secret is never sent to another scheme, host or port.
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

  // nullopt for other schemes, URLs without a user, and URLs with a password, path, query or fragment.
  static std::optional<Account> parse(const std::string& url);
};

// An http, https or ssh URL, or ssh's short form (user@host:path).
class RemoteUrl {
 public:
  // nullopt for anything else, and for ssh paths that git on the host would not accept.
  static std::optional<RemoteUrl> parse(const std::string& url);

  const Origin& origin() const { return origin_; }
  // With neither user nor password.
  std::string text() const;
  // For ssh: the path of the repository on the host.
  std::optional<std::string> ssh_path() const;

 private:
  static std::optional<RemoteUrl> parse_short(const std::string&);

  Origin origin_;
  std::string path_;      // as in the URL, with its query
  std::string ssh_path_;  // empty: not for ssh
};

// True if git interprets the text as ssh's short form, not as a folder.
bool is_short_form(const std::string& url);

}  // namespace explorer
