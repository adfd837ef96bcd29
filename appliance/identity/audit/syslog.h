// The forms in which the audit log is sent to a collector: syslog (RFC 5424) over TLS (RFC 5425), TCP (RFC 6587, octet
// counting) or UDP (RFC 5426), and JSON lines by POST.
#pragma once

#include <string>
#include <vector>

#include "appliance/identity/audit/stream.h"
#include "web/result.h"

namespace audit {

// One message: facility 13 (log audit), severity notice for "ok" and warning for all else, the id as MSGID, the fields
// as structured data audit@32473, and the same as a JSON object in the message. One line.
std::string syslog_message(const Entry&, const std::string& host);
// One line with its end: what GET /api/admin/audit?format=jsonl shows, and `hash`.
std::string json_line(const Entry&);

// See Stream::Send. Over TLS and TCP the box closes its side and waits up to 5 s for the collector to close the other,
// which shows that all was read. UDP confirms nothing. An answer of https or http other than 2xx is an error.
web::Result<void> send(const Collector&, const std::vector<Entry>&);

}  // namespace audit
