// Mails to all administrators about the box itself.
#pragma once

#include <string>

#include "appliance/foundation/platform.h"
#include "web/task.h"

namespace accounts {
class Accounts;
}
namespace mail {
class Outbox;
}

namespace agentbox {

// To every administrator who is not disabled, as far as there are no more than a hundred. Durable once it returns.
web::Task<> mail_admins(const Platform&, const accounts::Accounts&, mail::Outbox&, std::string subject,
                        std::string text);

}  // namespace agentbox
