// Reports that an account's password or codes are being guessed: to the log, the metrics and the audit log.
#pragma once

#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/audit/audit.h"
#include "web/metrics.h"
#include "web/task.h"

namespace accounts {

enum class Guessed { password, code };

// Callable from every thread; the arguments must outlive it.
class BruteForceAlert {
 public:
  BruteForceAlert(const Accounts&, audit::Audit&);

  web::Task<> raise(Guessed, store::UserId, unsigned failures);

 private:
  const Accounts& accounts_;
  audit::Audit& audit_;
  web::Counter &passwords_, &codes_;
};

}  // namespace accounts
