#include <algorithm>
#include <array>
#include <boost/url/parse.hpp>
#include <cctype>
#include <fstream>

#include "appliance/foundation/byte_size.h"
#include "appliance/foundation/chain/amount.h"
#include "appliance/foundation/crypto/ethereum.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/email.h"
#include "appliance/foundation/otlp_headers.h"
#include "appliance/foundation/settings/setting_types.h"
#include "appliance/foundation/settings/whole_number.h"
#include "web/uri.h"

namespace agentbox::setting_types {

Setting data_folder(std::string help) {
  Setting setting = row("AGENTBOX_DATA", "folder", std::move(help));
  setting.flag = setting.key = "data";
  setting.assign = [](Settings& settings, const std::string& value) -> Problem {
    if (value.empty()) return "must name a folder";
    settings.data = value;
    return {};
  };
  setting.show = [](const Settings& settings) { return settings.data.string(); };
  return setting;
}

Setting port_range(std::string help) {
  Setting setting = row("AGENT_PORT_RANGE", "first-last", std::move(help));
  setting.assign = [](Settings& settings, const std::string& value) -> Problem {
    const auto dash = value.find('-');
    const auto first = whole_number(value.substr(0, dash), 1024, 65535);
    const auto last = dash == std::string::npos ? std::nullopt : whole_number(value.substr(dash + 1), 1024, 65535);
    if (!first || !last || *first > *last) return "must be two ports from 1024 to 65535, such as 20000-20999";
    settings.agent_port_first = static_cast<std::uint16_t>(*first);
    settings.agent_port_last = static_cast<std::uint16_t>(*last);
    return {};
  };
  setting.show = [](const Settings& settings) {
    return std::to_string(settings.agent_port_first) + "-" + std::to_string(settings.agent_port_last);
  };
  return setting;
}

Setting chain_id(std::string name, std::uint64_t Settings::*member, std::string help) {
  Setting setting = row(std::move(name), "number", std::move(help));
  setting.assign = [member](Settings& settings, const std::string& value) -> Problem {
    constexpr std::uint64_t highest = 1ull << 52;
    const auto id = whole_number(value, 1, highest);
    if (!id) return range(1, highest);
    settings.*member = *id;
    return {};
  };
  setting.show = [member](const Settings& settings) { return std::to_string(settings.*member); };
  return setting;
}

Setting master_key(std::string help) {
  return checked(secret("AGENTBOX_MASTER_KEY", &Settings::master_key, std::move(help)),
                 [](const std::string& value) -> Problem {
                   if (value.empty() || crypto::unhex(value).size() == 32) return {};
                   return "must be 64 hex digits";
                 });
}

Setting master_key_file(std::string help) {
  Setting setting = row("AGENTBOX_MASTER_KEY_FILE", "path", std::move(help));
  setting.assign = [](Settings& settings, const std::string& value) -> Problem {
    if (value.empty()) return {};
    std::ifstream file(value);
    std::string key;
    file >> key;
    if (crypto::unhex(key).size() != 32) return "must name a file with 64 hex digits that the box can read";
    settings.master_key = key;
    return {};
  };
  setting.show = [](const Settings&) { return std::string(); };
  return setting;
}

Setting provider_key(std::string name, std::string Settings::*member, std::string help) {
  return checked(secret(std::move(name), member, std::move(help)), [](const std::string& value) -> Problem {
    const auto is_visible = [](char c) { return c > ' ' && c < 0x7F; };
    if (std::ranges::all_of(value, is_visible)) return {};
    return "must be visible ASCII characters without spaces";
  });
}

Setting otlp_headers(std::string name, std::string Settings::*member, std::string help) {
  return checked(secret(std::move(name), member, std::move(help)), [](const std::string& value) -> Problem {
    if (parse_otlp_headers(value)) return {};
    return "must be name=value pairs separated by commas, with percent-encoded values";
  });
}

Setting audit_stream(std::string name, std::string Settings::*member, std::string help) {
  return checked(secret(std::move(name), member, std::move(help)), [](const std::string& value) -> Problem {
    const auto url = web::parse_uri(value);
    constexpr std::array<std::string_view, 5> schemes{"syslog+tls", "syslog+tcp", "syslog+udp", "https", "http"};
    if (value.empty()) return {};
    if (url && std::ranges::find(schemes, std::string_view(url->scheme())) != schemes.end() && !url->host().empty() &&
        !url->has_userinfo())
      return {};
    return "must be a URL without credentials that begins with syslog+tls://, syslog+tcp://, syslog+udp://, https:// "
           "or http://";
  });
}

Setting disk_space(std::string name, std::string Settings::*member, std::string help) {
  return checked(text(std::move(name), member, std::move(help), "size"), [](const std::string& value) -> Problem {
    if (value == "auto" || parse_byte_size(value)) return {};
    return "must be auto or a number of bytes, which K, M, G or T may follow, such as 2G";
  });
}

Setting git_name(std::string name, std::string Settings::*member, std::string help) {
  return checked(text(std::move(name), member, std::move(help)), [](const std::string& value) -> Problem {
    const bool has_letter = std::ranges::any_of(value, [](unsigned char c) { return std::isalnum(c) || c >= 0x80; });
    const bool has_bracket = value.find_first_of("<>\n\r") != std::string::npos;
    if (has_letter && !has_bracket) return {};
    return "must hold a letter or digit, and neither angle brackets nor line breaks";
  });
}

Setting smtp_url(std::string name, std::string Settings::*member, std::string help) {
  return checked(secret(std::move(name), member, std::move(help)), [](const std::string& value) -> Problem {
    if (value.empty() || value.starts_with("smtp://") || value.starts_with("smtps://")) return {};
    return "must begin with smtp:// or smtps://";
  });
}

Setting store_url(std::string name, std::string Settings::*member, std::string help) {
  return checked(secret(std::move(name), member, std::move(help)), [](const std::string& value) -> Problem {
    if (value.empty() || value.starts_with("postgres://") || value.starts_with("postgresql://")) return {};
    return "must begin with postgres:// or postgresql://";
  });
}

Setting email(std::string name, std::string Settings::*member, std::string help) {
  return checked(text(std::move(name), member, std::move(help), "e-mail"), [](const std::string& value) -> Problem {
    if (value.empty() || normalised_email(value)) return {};
    return "must be an e-mail address";
  });
}

Setting chain_address(std::string name, std::string Settings::*member, std::string help) {
  return checked(text(std::move(name), member, std::move(help), "0x address"), [](const std::string& value) -> Problem {
    if (value.empty() || crypto::EthereumAddress::parse(value)) return {};
    return "must be 0x and 40 hex digits; in mixed case with its checksum";
  });
}

Setting token_amount(std::string name, std::string Settings::*member, std::string help) {
  return checked(text(std::move(name), member, std::move(help), "number"), [](const std::string& value) -> Problem {
    if (chain::without_point(value, 18)) return {};
    return "must be a decimal number, such as 1250000 or 0.5";
  });
}

Setting price(std::string name, std::string Settings::*member, std::string help) {
  return checked(text(std::move(name), member, std::move(help), "USDC"), [](const std::string& value) -> Problem {
    constexpr std::string_view least = "1", most = "1000000000";  // a thousand, in the token's smallest unit
    const auto units = chain::without_point(value, 6);
    if (units && chain::at_least(*units, least) && chain::at_least(most, *units)) return {};
    return "must be an amount from 0.000001 to 1000 with at most six decimals, such as 0.001";
  });
}

Setting challenge_secret(std::string name, std::string Settings::*member, std::string help) {
  return checked(secret(std::move(name), member, std::move(help)), [](const std::string& value) -> Problem {
    constexpr std::size_t fewest = 32;
    if (value.empty() || value.size() >= fewest) return {};
    return "must have at least " + std::to_string(fewest) + " characters";
  });
}

Setting dollars(std::string name, std::string Settings::*member, std::string help) {
  return checked(text(std::move(name), member, std::move(help), "US dollars"), [](const std::string& value) -> Problem {
    constexpr std::string_view most = "1000000000000000000";  // a million, in units of 10^-12
    const auto units = chain::without_point(value, 12);
    if (units && chain::at_least(most, *units)) return {};
    return "must be an amount from 0 to 1000000 with at most 12 decimals, such as 1 or 0.25";
  });
}

}  // namespace agentbox::setting_types
