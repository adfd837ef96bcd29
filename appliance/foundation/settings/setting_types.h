// The kinds of settings: each function makes a row whose text is checked and parsed as its kind demands.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/settings/settings.h"

namespace agentbox {

struct Setting {
  std::string name;  // FOO_BAR: the environment variable
  std::string type;  // as --help and the docs show it: host:port, on|off, ...
  std::string help;
  bool secret = false;
  std::string flag;  // foo-bar
  std::string key;   // foo_bar
  // Checks and stores a value. Returns why the value is invalid ("must be ..."), or nothing.
  std::function<std::optional<std::string>(Settings&, const std::string&)> assign;
  std::function<std::string(const Settings&)> show;  // its text form; empty when unset
};

}  // namespace agentbox

namespace agentbox::setting_types {

using Problem = std::optional<std::string>;

// A row without assign and show.
Setting row(std::string name, std::string type, std::string help);
Setting text(std::string name, std::string Settings::*member, std::string help, std::string type = "text");
Setting secret(std::string name, std::string Settings::*member, std::string help);
// `setting` with a check that runs before a text is stored.
Setting checked(Setting setting, std::function<Problem(const std::string&)> check);

Setting address(std::string name, std::string Settings::*member, std::string help);
// The same, or empty.
Setting optional_address(std::string name, std::string Settings::*member, std::string help);
Setting url(std::string name, std::string Settings::*member, std::string help);
Setting secret_url(std::string name, std::string Settings::*member, std::string help);
Setting domain(std::string name, std::string Settings::*member, std::string help);
Setting choice(std::string name, std::string Settings::*member, std::vector<std::string> choices, std::string help);
Setting boolean(std::string name, bool Settings::*member, std::string help);
Setting count(std::string name, unsigned Settings::*member, unsigned lowest, unsigned highest, std::string help);
Setting folder(std::string name, std::filesystem::path Settings::*member, std::string help);
// A whole number of seconds.
Setting seconds(std::string name, std::chrono::seconds Settings::*member, std::uint64_t lowest, std::uint64_t highest,
                std::string help);
// A whole number of milliseconds.
Setting milliseconds(std::string name, std::chrono::milliseconds Settings::*member, std::uint64_t lowest,
                     std::uint64_t highest, std::string help);
// "120", "120s", "2m", "1h", "7d", "500ms".
Setting time_span(std::string name, std::chrono::milliseconds Settings::*member, std::chrono::milliseconds lowest,
                  std::chrono::milliseconds highest, std::string help);
// Separated by commas. `normalise` returns nothing for an invalid item; `problem` then follows that item in the
// message.
Setting list(std::string name, std::vector<std::string> Settings::*member, std::string type, std::string help,
             std::function<std::optional<std::string>(const std::string&)> normalise, std::string problem);

// Each of these is the kind of one setting, or of a few of one subject.
Setting data_folder(std::string help);
Setting port_range(std::string help);
Setting chain_id(std::string name, std::uint64_t Settings::*member, std::string help);
Setting master_key(std::string help);
// A file with that key, read when the setting is.
Setting master_key_file(std::string help);
// The key becomes a header of calls. One that is too short is reported, and does not keep the box from starting.
Setting provider_key(std::string name, std::string Settings::*member, std::string help);
// git writes it into commits, between angle brackets of its own.
Setting git_name(std::string name, std::string Settings::*member, std::string help);
Setting smtp_url(std::string name, std::string Settings::*member, std::string help);
// name=value pairs, as OpenTelemetry has them; values are secrets.
Setting otlp_headers(std::string name, std::string Settings::*member, std::string help);
// A collector of the audit log: a URL of syslog+tls, syslog+tcp, syslog+udp, https or http.
Setting audit_stream(std::string name, std::string Settings::*member, std::string help);
// postgres:// or postgresql://, as libpq reads them; the URL is a secret.
Setting store_url(std::string name, std::string Settings::*member, std::string help);
Setting email(std::string name, std::string Settings::*member, std::string help);
Setting chain_address(std::string name, std::string Settings::*member, std::string help);
Setting token_amount(std::string name, std::string Settings::*member, std::string help);
// USDC, more than zero, with at most six decimals.
Setting price(std::string name, std::string Settings::*member, std::string help);
// At least 32 characters.
Setting challenge_secret(std::string name, std::string Settings::*member, std::string help);
// US dollars, with at most twelve decimals.
Setting dollars(std::string name, std::string Settings::*member, std::string help);
// Host names and addresses without a port; a leading dot stands for all names under a domain.
Setting hosts(std::string name, std::vector<std::string> Settings::*member, std::string help);
// Scheme, host and port, as browsers send them in Origin.
Setting origins(std::string name, std::vector<std::string> Settings::*member, std::string help);
// mailto:, tel: and https:// URIs. An e-mail address becomes a mailto: URI.
Setting contacts(std::string name, std::vector<std::string> Settings::*member, std::string help);
// https:// only.
Setting https_url(std::string name, std::string Settings::*member, std::string help);
// rtmp:// or rtmps://, a host and a path.
Setting rtmp_url(std::string name, std::string Settings::*member, std::string help);
// host:port; either may be *, and a leading dot stands for all names under a domain.
Setting destinations(std::string name, std::vector<std::string> Settings::*member, std::string help);
// An amount of disk space, or "auto".
Setting disk_space(std::string name, std::string Settings::*member, std::string help);
Setting language_tags(std::string name, std::string Settings::*member, std::string help);
Setting point_in_time(std::string name, std::string Settings::*member, std::string help);

}  // namespace agentbox::setting_types
