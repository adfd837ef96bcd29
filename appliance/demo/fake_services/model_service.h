// A router to the models of several vendors, in OpenAI's form. Its answers are those of the builtin model, so they cost
// nothing to make; what the box counts and prices is what the catalogue says of the model that was asked.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "appliance/foundation/crypto/random.h"
#include "web/routes/route.h"

namespace demo {

class ModelService {
 public:
  // POST /models/chat/completions and GET /models/models. Must not outlive the service.
  std::vector<web::Route> routes();

  static std::vector<std::string> models();
  std::string key() const { return key_; }
  // From now on answers take their time, as those of real models do. Callable from every thread.
  void slow_down() { is_slow_ = true; }

 private:
  web::Answer complete(const web::Request&) const;

  const std::string key_ = "sk-demo-" + crypto::random_token(24);
  std::atomic<bool> is_slow_ = false;
};

}  // namespace demo
