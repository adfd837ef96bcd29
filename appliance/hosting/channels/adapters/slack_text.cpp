#include "appliance/hosting/channels/adapters/slack_text.h"

#include <array>

#include "web/ascii.h"

namespace channels {

namespace {

std::string without_entities(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, char>, 3> entities{
      {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}}};
  std::string out;
  while (!text.empty()) {
    std::size_t length = 1;
    char c = text.front();
    for (const auto& [entity, meaning] : entities)
      if (text.starts_with(entity)) {
        length = entity.size();
        c = meaning;
      }
    out += c;
    text.remove_prefix(length);
  }
  return out;
}

// What stands between < and >: a mention ("@U1"), a channel ("#C1|name"), a command ("!here") or a link
// ("https://e.test|label").
std::string read_reference(std::string_view inner, std::string_view bot) {
  const auto bar = inner.find('|');
  const auto target = inner.substr(0, bar);
  const auto label = bar == inner.npos ? std::string_view() : inner.substr(bar + 1);
  if (target.starts_with('@')) {
    if (!bot.empty() && target.substr(1) == bot) return {};
    return "@" + without_entities(label.empty() ? target.substr(1) : label);
  }
  if (target.starts_with('#')) return "#" + without_entities(label.empty() ? target.substr(1) : label);
  if (target.starts_with('!')) return "@" + without_entities(label.empty() ? target.substr(1) : label);
  if (label.empty() || label == target) return without_entities(target);
  return without_entities(label) + " (" + without_entities(target) + ")";
}

}  // namespace

std::string read_slack_text(std::string_view text, std::string_view bot) {
  std::string out;
  while (!text.empty()) {
    const auto open = text.find('<');
    const auto close = open == text.npos ? text.npos : text.find('>', open);
    if (close == text.npos) {
      out += without_entities(text);
      break;
    }
    out += without_entities(text.substr(0, open));
    out += read_reference(text.substr(open + 1, close - open - 1), bot);
    text.remove_prefix(close + 1);
  }
  return std::string(web::trim(out, web::white_space));
}

bool mentions_in_slack(std::string_view text, std::string_view bot) {
  if (bot.empty()) return false;
  const auto mention = "<@" + std::string(bot);
  const auto at = text.find(mention);
  return at != text.npos && at + mention.size() < text.size() &&
         (text[at + mention.size()] == '>' || text[at + mention.size()] == '|');
}

}  // namespace channels
