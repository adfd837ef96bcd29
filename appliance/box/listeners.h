// What the box's listeners are opened with, and functions that they share.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/settings/settings.h"
#include "web/server/server.h"

namespace agentbox {

// Options of a listener that may use this share of the process's descriptor limit.
web::ListenerOptions listener_options(const Settings&, std::string name, std::string listen,
                                      double share_of_descriptors);

// Each of the box's listeners, with its rows and without a host router.
web::ListenerOptions web_listener(const Settings&, std::vector<web::Route>);
web::ListenerOptions backend_listener(const Settings&, std::vector<web::Route>);
web::ListenerOptions summarizer_listener(const Settings&);
// Answers every request with a redirect to the same path at BASE_URL, or else at the host that was asked for and the
// port of `web_url`.
web::ListenerOptions redirect_listener(const Settings&, const std::string& web_url);

// Logs loudly if anybody who reaches the box can register, or guess passwords without limit.
void warn_of_open_settings(const Settings&);

// Maps exceptions of a read-only or damaged store to an error; returns nothing for any other.
std::optional<web::Error> explain(std::exception_ptr);
// The same with file paths, for operators, who have the internal key.
std::optional<web::Error> explain_fully(std::exception_ptr);

// The reason of any exception, for the log.
std::string reason_of(std::exception_ptr);

// The address of the web listener for links, if there is no BASE_URL: on a listener for all addresses with the first of
// ALLOWED_HOSTS that is a whole name, and never with one that a request claims.
std::string public_url(std::string url, const Settings&);

// A URL that programs on this machine can connect to: loopback if the listener is bound to every address.
std::string reachable(std::string url);

}  // namespace agentbox
