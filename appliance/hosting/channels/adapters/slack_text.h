// Slack's text: https://docs.slack.dev/messaging/formatting-message-text.
#pragma once

#include <string>
#include <string_view>

namespace channels {

// As people read it: entities, links and mentions are resolved; mentions of `bot` are left out.
std::string read_slack_text(std::string_view text, std::string_view bot);
bool mentions_in_slack(std::string_view text, std::string_view bot);

}  // namespace channels
