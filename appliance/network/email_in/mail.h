// A mail as the webhook's body has it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/result.h"

namespace email_in {

struct Attachment {
  std::string name;                    // as the sender wrote it
  std::optional<std::string> content;  // none: the webhook does not have it
};

struct Mail {
  std::string from;             // normalised
  std::vector<std::string> to;  // normalised
  std::string subject, text;
  std::vector<Attachment> attachments;
};

// Nothing for events that are about something other than a received mail. invalid names the field.
web::Result<std::optional<Mail>> read_mail(std::string_view body);

}  // namespace email_in
