// What the box itself tells users about their agents.
#pragma once

#include <string>

#include "appliance/billing/usage/records.h"
#include "appliance/hosting/gate/records.h"
#include "appliance/hosting/notices/notices.h"
#include "appliance/runtime/watchdog/watchdog.h"
#include "web/result.h"

namespace notices {

// `link`: of the page that opens the question without a session; only the mail has it.
Report question_report(const gate::Ask&, const std::string& link);
// The id of the question that the path of such a report is about; empty for other paths.
std::string question_of(std::string_view path);
Report health_report(const watchdog::Target&, watchdog::Notice, const std::string& why);
Report limit_report(const usage::Call&, const web::Error&);

}  // namespace notices
