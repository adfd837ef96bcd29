// Which mails are answered: those whose sender the receiving server has authenticated, and which a person has written.
#pragma once

#include <string>
#include <string_view>

#include "appliance/hosting/channels/adapters/mime.h"

namespace channels {

// Whether the receiving server, by its name in Authentication-Results (RFC 8601), says that the mail comes from the
// address in From: DMARC, or SPF or DKIM of the address' domain or one above it, or the sender's own sign-in. Only the
// topmost field with that name counts: what is below it may have come with the mail.
bool is_authenticated(const MailHeaders&, std::string_view server, std::string_view from);

// Whether a program (RFC 3834) or a list has sent it, or it came back. Answers to those could loop.
bool is_automatic(const MailHeaders&, std::string_view from);

}  // namespace channels
