// Messages in the form of WhatsApp's Cloud API.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "appliance/hosting/channels/adapter.h"

namespace channels {

// An approved template with one parameter, for messages more than 24 hours after the person's last one.
struct WhatsAppTemplate {
  std::string name, language;  // name empty: none; language empty: en
};

// Of a text, or of a file without its content. forbidden: WhatsApp would not take it now, and there is no template.
web::Result<boost::json::object> whatsapp_message(const Sending&, const WhatsAppTemplate&, store::Time now);

}  // namespace channels
