// Hands a mail to a server by SMTP submission (RFC 6409).
#pragma once

#include <string>

#include "appliance/hosting/channels/adapter.h"
#include "appliance/hosting/channels/adapters/stream.h"

namespace channels {

struct SubmissionAccount {
  ServerAddress server;
  std::string user, password;
};

// unauthenticated: the server refuses the credentials.
web::Task<web::Result<void>> check_submission(web::CallOrigin, SubmissionAccount, web::Reach);

// The message has CRLF line ends; the addresses are those of the envelope. The result is `id` once the server has taken
// the message.
struct Envelope {
  std::string from, to, id;
};
web::Task<SendResult> submit(web::CallOrigin, SubmissionAccount, web::Reach, Envelope, std::string message);

}  // namespace channels
