// How notices read: one by itself, or several together.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/notices/records.h"
#include "appliance/hosting/schedule/time_zone.h"
#include "appliance/identity/mail/smtp.h"
#include "appliance/identity/site.h"

namespace notices {

// The first line, as a mail's subject is: printable and at most 100 bytes.
std::string on_one_line(std::string_view text);

// None of them may be empty. Times are those of the zone.
std::string chat_text(const std::vector<StoredNotice>&,
                      const schedule::TimeZone&);  // Markdown, for one agent's channel
mail::Letter letter(const std::vector<StoredNotice>&, const schedule::TimeZone&, const agentbox::Site&,
                    std::string address);
// What the service worker shows: {title, body, url, tag}.
boost::json::object push_payload(const std::vector<StoredNotice>&);

}  // namespace notices
