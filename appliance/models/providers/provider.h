// The interface of model providers, and the type of their failures.
#pragma once

#include <boost/describe.hpp>
#include <boost/system/result.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/models/chat.h"
#include "web/result.h"
#include "web/task.h"

namespace models {

BOOST_DEFINE_ENUM_CLASS(Fault, rate_limited, overloaded, bad_key, context_too_long, bad_request, model_not_available,
                        upstream_error, bad_answer, unreachable, timeout, cancelled)

// Why a provider returned no answer. The message is for the caller; it names the provider and never contains a key.
struct Failure {
  Fault fault = Fault::upstream_error;
  std::string message;
  std::optional<std::chrono::seconds> retry_after;
  bool may_be_billed = false;       // the provider may have generated output and charge for it
  bool is_worth_repeating = false;  // the same model may well answer the same request when it is asked once more
};

template <class T>
using Outcome = boost::system::result<T, Failure>;

[[noreturn]] inline void throw_exception_from_error(const Failure& failure, const boost::source_location&) {
  throw std::logic_error("value() of a failed outcome: " + failure.message);
}

std::string_view to_string(Fault);
// The failure as an error of the API; the code is the fault's name.
web::Error to_error(const Failure&);

struct ModelInfo {
  std::string id;
  std::string provider;
  std::int64_t context = 0;  // tokens, as the server lists it; 0: it does not
};
BOOST_DESCRIBE_STRUCT(ModelInfo, (), (id, provider))

// A request that is passed on as it is, and its answer: speech, transcriptions, images.
struct PassedRequest {
  std::string path;          // under the API's base address: /audio/speech
  std::string content_type;  // of the body
  std::string body;
};
struct PassedAnswer {
  std::string content_type, body;
};

class Provider {
 public:
  virtual ~Provider() = default;
  virtual std::string_view name() const = 0;
  // Returns the whole answer; a listener gets its pieces as they arrive. Callable from every io thread, concurrently.
  // Cancelling the coroutine aborts the upstream call and throws operation_aborted.
  virtual web::Task<Outcome<ChatAnswer>> complete(ChatRequest, Listener* = nullptr) = 0;
  // What the provider cannot do of the request, as a sentence that names the field; not set if it can do all.
  virtual std::optional<std::string> cannot(const ChatRequest&) const { return std::nullopt; }
  // Whether the provider fetches an image from this address, https: or http:, by itself. Of one that does not, the
  // request gets the bytes (remote_images.h).
  virtual bool fetches([[maybe_unused]] std::string_view url) const { return true; }
  // The models that the provider lists.
  virtual web::Task<Outcome<std::vector<ModelInfo>>> models() = 0;
  // Passes a body in OpenAI's embeddings form through and returns the body of the answer. bad_request: the provider has
  // no embeddings.
  virtual web::Task<Outcome<std::string>> embeddings(std::string body) const;
  // Passes a request in OpenAI's form on. bad_request: the provider's API is another one.
  virtual web::Task<Outcome<PassedAnswer>> pass(PassedRequest, web::CallOrigin) const;
};

}  // namespace models
