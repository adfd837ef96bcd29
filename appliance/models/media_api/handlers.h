// Sound and images in OpenAI's form, passed on to the provider or local server that offers them: POST
// /v1/audio/transcriptions, /v1/audio/speech and /v1/images/generations.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/models/openai_api/handlers.h"

namespace models::media_api {

using openai_api::Services;

// As OpenAI has it.
inline constexpr std::size_t max_audio_bytes = 25u << 20;

struct SpeechBody {
  web::Text<1, 200> model;
  web::Prose<1, 4'096> input;
  web::Text<1, 100> voice;
  std::optional<web::Prose<0, 4'096>> instructions;
  std::optional<web::Text<1, 20>> response_format;
  std::optional<web::NumberBetween<0, 4>> speed;
};
BOOST_DESCRIBE_STRUCT(SpeechBody, (), (model, input, voice, instructions, response_format, speed))

struct ImageBody {
  web::Text<1, 200> model;
  web::Prose<1, 32'000> prompt;
  std::optional<web::Integer<1, 10>> n;
  std::optional<web::Text<1, 20>> size, quality, style, background, output_format, response_format, moderation;
  std::optional<web::Integer<0, 100>> output_compression;
};
BOOST_DESCRIBE_STRUCT(ImageBody, (),
                      (model, prompt, n, size, quality, style, background, output_format, response_format, moderation,
                       output_compression))

// The value of a field of multipart/form-data, within the body; not set if the body has none or several of that name,
// is no such form, or one that readers could take for different ones.
std::optional<std::string_view> form_field(std::string_view content_type, std::string_view body, std::string_view name);

// The model for POST /api/transcriptions: one of the local server's whose name says so, else the catalogue's first that
// OpenAI or the router serves. Not set: there is none.
web::Task<std::optional<std::string>> transcription_model(ModelGateway&, const billing::Payer&);

// The text of what is said. unavailable: there is no such model. Callable from every io thread.
web::Task<web::Result<std::string>> write_down(ModelGateway&, billing::Payer, std::string sound);

struct Transcript {
  std::string text;
};
BOOST_DESCRIBE_STRUCT(Transcript, (), (text))

// For the console: /api/transcriptions.
std::vector<web::Route> session_routes(const web::Guard& session, const web::Bind<Services>&);

// The listener must use messages::error_forms(). The rows also answer without /v1.
std::vector<web::Route> routes(const web::Guard&, const web::Bind<Services>&);

}  // namespace models::media_api
