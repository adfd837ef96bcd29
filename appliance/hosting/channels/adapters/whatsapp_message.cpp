#include "appliance/hosting/channels/adapters/whatsapp_message.h"

#include <boost/json.hpp>

#include "web/utf8.h"

namespace channels {

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

// Answers are free for a day after a person's message. The margin is for the way there.
constexpr auto answer_window = 24h - 5min;
constexpr std::size_t max_label = 20, max_parameter = 1'000;

// A template's parameter is one line.
std::string as_parameter(std::string_view markdown) {
  std::string line;
  for (const char c : render(markdown, Format::whatsapp)) {
    const bool is_space = c == '\n' || c == '\t' || c == '\r' || c == ' ';
    if (!is_space || (!line.empty() && line.back() != ' ')) line += is_space ? ' ' : c;
  }
  if (line.size() > max_parameter) line = std::string(web::utf8_prefix(line, max_parameter)) + "…";
  return line;
}

}  // namespace

web::Result<json::object> whatsapp_message(const Sending& sending, const WhatsAppTemplate& prepared, store::Time now) {
  json::object body{{"messaging_product", "whatsapp"}, {"recipient_type", "individual"}, {"to", sending.chat}};
  if (!sending.key.empty()) body["biz_opaque_callback_data"] = sending.key;
  const bool is_late = sending.last_heard && now - *sending.last_heard > answer_window;
  if (is_late) {
    if (prepared.name.empty())
      return web::forbidden(
          "The person last wrote more than 24 hours ago. WhatsApp then takes only templates, and the channel has "
          "none.");
    const auto text = sending.file_name.empty() ? as_parameter(sending.text) : "📎 " + sending.file_name;
    const json::value parameters = json::array{{{"type", "text"}, {"text", text}}};
    body["type"] = "template";
    body["template"] = {{"name", prepared.name},
                        {"language", {{"code", prepared.language.empty() ? "en" : prepared.language}}},
                        {"components", json::array{{{"type", "body"}, {"parameters", parameters}}}}};
    return body;
  }
  if (!sending.reply_to.empty()) body["context"] = {{"message_id", sending.reply_to}};
  const auto text = render(sending.text, Format::whatsapp);
  if (sending.buttons.empty()) {
    body["type"] = "text";
    body["text"] = {{"preview_url", false}, {"body", text}};
    return body;
  }
  json::array buttons;
  for (const auto& button : sending.buttons)
    buttons.push_back(
        {{"type", "reply"}, {"reply", {{"id", button.data}, {"title", web::utf8_prefix(button.label, max_label)}}}});
  body["type"] = "interactive";
  body["interactive"] = {{"type", "button"}, {"body", {{"text", text}}}, {"action", {{"buttons", std::move(buttons)}}}};
  return body;
}

}  // namespace channels
