// One order at a certificate authority (RFC 8555, section 7.4), from the names to the certificate.
#pragma once

#include <string>
#include <vector>

#include "appliance/box/acme/directory.h"

namespace acme {

struct Wanted {
  std::vector<std::string> names;
  std::string key;  // of the certificate, in PEM
  // The kinds of challenge that the box can meet, the preferred one first.
  std::vector<std::string> challenges;
};

// The certificate and the chain behind it, in PEM. Needs a directory that was entered. Throws Refused. Takes minutes at
// most.
web::Task<std::string> obtain(Directory&, Wanted);

}  // namespace acme
