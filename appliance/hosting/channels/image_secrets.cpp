#include "appliance/hosting/channels/image_secrets.h"

#include <boost/json.hpp>

#include "web/json.h"

namespace channels {

namespace {

struct SecretName {
  Kind kind;
  bool is_option;           // else a secret
  std::string_view member;  // of Channel::secrets or options
  std::string_view variable;
};

// As OpenClaw and the providers' own examples name them.
constexpr SecretName secret_names[] = {{Kind::telegram, false, "token", "TELEGRAM_BOT_TOKEN"},
                                       {Kind::slack, false, "token", "SLACK_BOT_TOKEN"},
                                       {Kind::slack, false, "appToken", "SLACK_APP_TOKEN"},
                                       {Kind::slack, false, "signingSecret", "SLACK_SIGNING_SECRET"},
                                       {Kind::discord, false, "token", "DISCORD_BOT_TOKEN"},
                                       {Kind::whatsapp, false, "token", "WHATSAPP_ACCESS_TOKEN"},
                                       {Kind::whatsapp, false, "appSecret", "WHATSAPP_APP_SECRET"},
                                       {Kind::whatsapp, false, "verifyToken", "WHATSAPP_VERIFY_TOKEN"},
                                       {Kind::whatsapp, true, "phoneNumberId", "WHATSAPP_PHONE_NUMBER_ID"}};

}  // namespace

bool has_image_secrets(Kind kind) {
  for (const auto& name : secret_names)
    if (name.kind == kind) return true;
  return false;
}

std::vector<std::pair<std::string, std::string>> image_secrets_of(const store::System& system, store::UserId owner,
                                                                  const std::string& agent) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& channel : system.tenant(owner).find(table, "agent", agent)) {
    if (channel.used_by != TokenUser::image || !channel.is_enabled) continue;
    boost::system::error_code failed;
    const auto secrets = boost::json::parse(channel.secrets.clear, failed);
    for (const auto& name : secret_names) {
      if (name.kind != channel.kind) continue;
      auto value = name.is_option ? web::string_member(channel.options, name.member)
                   : failed       ? std::string()
                                  : web::string_member(secrets, name.member);
      if (!value.empty()) found.emplace_back(name.variable, std::move(value));
    }
  }
  return found;
}

}  // namespace channels
