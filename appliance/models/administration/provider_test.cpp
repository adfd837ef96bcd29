#include "appliance/models/administration/provider_test.h"

#include "web/utf8.h"

namespace models {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t max_reply_shown = 200;
constexpr std::int64_t max_tokens_of_test = 64;

class FirstToken final : public Listener {
 public:
  explicit FirstToken(Clock::time_point begun) : begun_(begun) {}
  void text(std::string_view) override { arrived(); }
  void call(std::size_t, std::string_view, std::string_view, std::string_view) override { arrived(); }
  void other(const AnswerPiece&) override { arrived(); }
  std::optional<std::chrono::milliseconds> after() const { return after_; }

 private:
  void arrived() {
    if (!after_) after_ = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun_);
  }
  const Clock::time_point begun_;
  std::optional<std::chrono::milliseconds> after_;
};

// The name by which the provider knows its primary model.
std::string primary_model(const Catalogue& catalogue, std::string_view provider) {
  const auto* substitutes = catalogue.substitutes(provider);
  const auto* model = substitutes ? catalogue.find(substitutes->primary) : nullptr;
  if (!model) return {};
  return model->direct_provider == provider ? model->direct_name : model->id;
}

}  // namespace

web::Task<ProviderTest> test_provider(Provider& provider, const Catalogue& catalogue, std::string model) {
  ProviderTest result;
  if (model.empty()) model = primary_model(catalogue, provider.name());
  result.model = model;
  ChatRequest request{.model = std::move(model), .max_tokens = max_tokens_of_test};
  request.messages.push_back({.role = Role::user, .content = "Say hello in one short sentence."});
  const auto begun = Clock::now();
  FirstToken first(begun);
  auto answer = co_await provider.complete(std::move(request), &first);
  result.latency = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun);
  result.first_token = first.after();
  if (answer) {
    if (!answer->model.empty()) result.model = answer->model;
    result.answer = std::string(web::utf8_prefix(answer->message.content, max_reply_shown));
  } else {
    result.failure = answer.error();
  }
  co_return result;
}

}  // namespace models
