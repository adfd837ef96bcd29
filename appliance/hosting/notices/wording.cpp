#include "appliance/hosting/notices/wording.h"

#include "appliance/hosting/notices/preferences.h"
#include "web/ascii.h"
#include "web/utf8.h"

namespace notices {

namespace {

constexpr std::size_t max_line_bytes = 100, max_push_bytes = 600, max_digest_text = 1'000, max_digest_lines = 40;

std::string headline(const StoredNotice& notice) {
  return on_one_line(notice.subject.empty() ? notice.text : notice.subject);
}

std::string sender_of(const StoredNotice& notice) {
  return notice.agent_name.empty() ? "agentbox" : on_one_line(notice.agent_name);
}

std::string cut_to(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  return std::string(web::utf8_prefix(text, bytes)) + "…";
}

std::string count_of(std::size_t notices) { return std::to_string(notices) + " notices"; }

mail::Letter single_letter(const StoredNotice& notice, const agentbox::Site& site) {
  mail::Letter letter{.to = {}, .subject = notice.mail_subject, .body = notice.mail_body.clear};
  if (letter.subject.empty()) letter.subject = sender_of(notice) + ": " + headline(notice);
  if (!letter.body.empty()) return letter;
  const auto url = site.page_url(notice.path);
  letter.body = notice.text + "\n\n-- \n";
  letter.body += notice.kind == Kind::agent ? "Your agent " + sender_of(notice) + " sent this notice. " + url : url;
  letter.body += "\n";
  return letter;
}

}  // namespace

std::string on_one_line(std::string_view text) {
  std::string line(web::utf8_prefix(web::first_line(web::trim(text, web::white_space)), max_line_bytes));
  std::erase_if(line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
  return line;
}

std::string chat_text(const std::vector<StoredNotice>& notices, const schedule::TimeZone& zone) {
  const auto& first = notices.front();
  if (notices.size() == 1)
    return first.subject.empty() ? first.text : "**" + on_one_line(first.subject) + "**\n\n" + first.text;
  auto text = "**" + count_of(notices.size()) + "**\n";
  std::size_t lines = 0;
  for (const auto& notice : notices) {
    if (++lines > max_digest_lines) {
      text += "\n…";
      break;
    }
    text += "\n- " + local_time(zone, notice.created_at) + ": " + headline(notice);
  }
  return text;
}

mail::Letter letter(const std::vector<StoredNotice>& notices, const schedule::TimeZone& zone,
                    const agentbox::Site& site, std::string address) {
  mail::Letter letter;
  if (notices.size() == 1) {
    letter = single_letter(notices.front(), site);
  } else {
    letter.subject = count_of(notices.size()) + " from your agents";
    for (const auto& notice : notices) {
      letter.body += sender_of(notice) + ", " + local_time(zone, notice.created_at) + "\n";
      if (!notice.subject.empty()) letter.body += on_one_line(notice.subject) + "\n";
      letter.body += "\n" + cut_to(notice.text, max_digest_text) + "\n" + site.page_url(notice.path) + "\n\n";
    }
    letter.body += "-- \nWhen you get notices: " + site.page_url("/settings/notifications") + "\n";
  }
  letter.to = std::move(address);
  return letter;
}

boost::json::object push_payload(const std::vector<StoredNotice>& notices) {
  const auto& first = notices.front();
  if (notices.size() == 1) {
    auto body = first.subject.empty() ? first.text : on_one_line(first.subject) + "\n" + first.text;
    return {
        {"title", sender_of(first)}, {"body", cut_to(body, max_push_bytes)}, {"url", first.path}, {"tag", first.id}};
  }
  std::string body;
  for (const auto& notice : notices) body += sender_of(notice) + ": " + headline(notice) + "\n";
  body.pop_back();
  return {{"title", count_of(notices.size())},
          {"body", cut_to(body, max_push_bytes)},
          {"url", "/settings/notifications"},
          {"tag", first.id}};
}

}  // namespace notices
