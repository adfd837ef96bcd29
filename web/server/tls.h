// TLS for a listener.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "web/server/server.h"

namespace web {

// TLS 1.2 and later with forward secrecy, ALPN http/1.1. Throws std::runtime_error with one sentence naming the file if
// the certificate or key is invalid.
std::shared_ptr<boost::asio::ssl::context> load_tls(const TlsFiles&);

}  // namespace web
