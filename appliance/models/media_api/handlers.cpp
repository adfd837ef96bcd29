#include "appliance/models/media_api/handlers.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "appliance/foundation/crypto/random.h"
#include "appliance/models/media_api/sound.h"
#include "appliance/models/openai_api/model_call.h"
#include "web/ascii.h"
#include "web/json.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"
#include "web/utf8.h"

namespace models::media_api {

namespace json = boost::json;

namespace {

constexpr const char* transcription_text =
    "OpenAI's transcriptions: multipart/form-data of up to 25 MB with `file` and `model`, passed on as it is to the "
    "local server if it lists the model, else to OpenAI or the router. Its price is the catalogue's; where a cap or a "
    "budget limits money, a model without one is refused. The most that the call can cost is reserved, by the length "
    "of the sound, and settled by what the provider reports.";
constexpr const char* note_text =
    "multipart/form-data of up to 25 MB with `file`, the sound. The model is `transcription` of GET /api/models; the "
    "call "
    "counts like those of your API keys.";
constexpr const char* speech_text =
    "OpenAI's speech: answers with the sound in `response_format` (mp3 by default). Served and metered as "
    "transcriptions, by characters of `input`.";
constexpr const char* image_text =
    "OpenAI's images: answers with `data` of `url` or `b64_json`. Served and metered as transcriptions, by images or "
    "tokens.";

// More tokens than any model has for a second of sound, and for the prompt of a transcription.
constexpr std::int64_t tokens_in_second = 50, tokens_in_prompt = 2'000;

// How many images of 1024 x 1024 have the pixels of one of this size, rounded up; the vendors' largest of the sizes
// that they choose by themselves if it is not given.
std::int64_t relative_size(std::string_view size) {
  constexpr std::int64_t unit = 1024 * 1024, of_auto = 2, largest = 64;
  std::int64_t width = 0, height = 0;
  const auto cross = size.find('x');
  if (cross == size.npos) return of_auto;
  const auto* end = size.data() + size.size();
  const auto read_width = std::from_chars(size.data(), size.data() + cross, width),
             read_height = std::from_chars(size.data() + cross + 1, end, height);
  if (read_width.ec != std::errc() || read_height.ec != std::errc() || read_height.ptr != end) return of_auto;
  if (width <= 0 || height <= 0 || width > 10'000 || height > 10'000) return largest;
  return std::min(largest, (width * height + unit - 1) / unit);
}

// What upstreams may send under the address of the box: nothing that a browser would run.
std::string safe_type(const std::string& content_type) {
  constexpr std::array<std::string_view, 7> prefixes{"audio/",   "image/png",        "image/jpeg",       "image/webp",
                                                     "text/vtt", "application/json", "text/event-stream"};
  if (std::ranges::any_of(prefixes, [&](auto prefix) { return content_type.starts_with(prefix); })) return content_type;
  return content_type.starts_with("text/") ? "text/plain; charset=utf-8" : "application/octet-stream";
}

// Members that are not given are left out.
template <class Body>
std::string body_text(const Body& body) {
  auto value = web::to_json(body);
  auto& object = value.as_object();
  for (auto member = object.begin(); member != object.end();)
    member = member->value().is_null() ? object.erase(member) : std::next(member);
  return json::serialize(object);
}

web::Answer pass(const Services& services, const web::Request& request, std::string model, PassedRequest passed,
                 MediaUse most) {
  auto payer = services.gateway.policy().payer_of(request.caller);
  if (!payer) co_return payer.error();
  auto answer = co_await services.gateway.pass(std::move(model), std::move(passed), most, std::move(*payer));
  if (!answer) co_return openai_api::as_openai_has_it(answer.error());
  web::Response response;
  response.content_type = safe_type(answer->content_type);
  response.body = std::move(answer->body);
  co_return response;
}

web::Answer speak(const Services& services, const web::Request& request, SpeechBody body) {
  PassedRequest passed{.path = "/audio/speech", .content_type = "application/json", .body = body_text(body)};
  MediaUse most;
  most.characters = static_cast<std::int64_t>(web::count_characters(body.input));
  most.input_tokens = static_cast<std::int64_t>(passed.body.size());
  co_return co_await pass(services, request, std::move(body.model), std::move(passed), most);
}

web::Answer draw(const Services& services, const web::Request& request, ImageBody body) {
  PassedRequest passed{.path = "/images/generations", .content_type = "application/json", .body = body_text(body)};
  MediaUse most;
  most.images = body.n ? body.n->value : 1;
  most.input_tokens = static_cast<std::int64_t>(passed.body.size());
  most.output_tokens = most.images * relative_size(body.size ? std::string_view(*body.size) : std::string_view());
  co_return co_await pass(services, request, std::move(body.model), std::move(passed), most);
}

// The one boundary of a form's type.
std::optional<std::string_view> boundary_of(std::string_view content_type) {
  constexpr std::string_view form = "multipart/form-data", mark = "boundary=";
  if (!web::starts_ignoring_case(content_type, form)) return std::nullopt;
  std::optional<std::string_view> found;
  for (auto rest = content_type.substr(form.size()); !rest.empty();) {
    const auto part = web::trim(rest.substr(0, rest.find(';')));
    rest.remove_prefix(std::min(rest.size(), rest.find(';') == rest.npos ? rest.size() : rest.find(';') + 1));
    if (!web::starts_ignoring_case(part, "boundary")) continue;
    if (found || !web::starts_ignoring_case(part, mark)) return std::nullopt;
    found = part.substr(mark.size());
    if (found->size() >= 2 && found->starts_with('"') && found->ends_with('"'))
      found = found->substr(1, found->size() - 2);
  }
  if (!found || found->empty() || found->find_first_of("\"\\") != found->npos) return std::nullopt;
  return found;
}

// The name of a part: the only quoted one in a head in which nothing else looks like a name.
std::optional<std::string_view> name_in(std::string_view head) {
  constexpr std::string_view mark = "name=\"";
  std::optional<std::string_view> found;
  const auto lower = web::lower_case(head);
  for (std::size_t at = lower.find("name"); at != lower.npos; at = lower.find("name", at + 1)) {
    if (at >= 4 && lower.compare(at - 4, 4, "file") == 0) continue;
    const bool begins = at > 0 && (head[at - 1] == ' ' || head[at - 1] == ';' || head[at - 1] == '\t');
    if (!begins) continue;  // within a word
    const auto after = lower.find_first_not_of(" \t", at + 4);
    if (after == lower.npos || (lower[after] != '=' && lower[after] != '*')) continue;  // a word
    const auto end = head.find('"', at + mark.size());
    if (found || head.compare(at, mark.size(), mark) != 0 || end == head.npos) return std::nullopt;
    found = head.substr(at + mark.size(), end - at - mark.size());
    if (found->find('\\') != found->npos) return std::nullopt;
  }
  return found;
}

web::Task<web::Result<std::string>> read(web::BodyStream& body) {
  std::string content;
  for (;;) {
    const auto piece = co_await body.next();
    if (!piece) co_return piece.error();
    if (piece->empty()) break;
    content += *piece;
  }
  co_return content;
}

// The most that a transcription of this sound can use.
MediaUse bound_of(std::string_view sound) {
  MediaUse most{.seconds = seconds_of_sound(sound)};
  most.sound_tokens = most.seconds * tokens_in_second;
  most.input_tokens = most.sound_tokens + tokens_in_prompt;
  most.output_tokens = 1;
  return most;
}

web::Answer transcribe(const Services& services, const web::Request& request, web::BodyStream& body) {
  PassedRequest passed{.path = "/audio/transcriptions", .content_type = std::string(request.header("Content-Type"))};
  auto content = co_await read(body);
  if (!content) co_return content.error();
  passed.body = std::move(*content);
  const auto model = form_field(passed.content_type, passed.body, "model");
  if (!model || model->empty() || model->size() > 200)
    co_return web::invalid("model must be one field of multipart/form-data");
  const auto sound = form_field(passed.content_type, passed.body, "file").value_or(passed.body);
  const auto most = bound_of(sound);
  std::string name(*model);
  co_return co_await pass(services, request, std::move(name), std::move(passed), most);
}

// Providers tell the form of sound by the name of its file. What browsers record is WebM, or MP4 in Safari.
std::string_view file_name(std::string_view sound) {
  if (sound.starts_with("OggS")) return "note.ogg";
  if (sound.starts_with("RIFF")) return "note.wav";
  if (sound.starts_with("ID3")) return "note.mp3";
  if (sound.substr(0, 12).find("ftyp") == 4) return "note.mp4";
  return "note.webm";
}

PassedRequest form_of(std::string_view model, std::string_view sound) {
  const auto boundary = crypto::random_hex(24);
  const auto part = [&](std::string_view head, std::string_view value) {
    return "--" + boundary + "\r\nContent-Disposition: form-data; name=" + std::string(head) + "\r\n\r\n" +
           std::string(value) + "\r\n";
  };
  const auto name = "\"file\"; filename=\"" + std::string(file_name(sound)) + "\"";
  return {.path = "/audio/transcriptions",
          .content_type = "multipart/form-data; boundary=" + boundary,
          .body = part("\"model\"", model) + part(name, sound) + "--" + boundary + "--\r\n"};
}

// A note that the user speaks, as the text of a message.
web::Answer transcribe_note(const Services& services, const web::Request& request, web::BodyStream& body) {
  const auto content = co_await read(body);
  if (!content) co_return content.error();
  const auto sound = form_field(request.header("Content-Type"), *content, "file");
  if (!sound || sound->empty()) co_return web::invalid("file must be one field of multipart/form-data");
  web::Caller caller = request.caller;
  caller.credential.clear();  // of the session, which is not an API key
  auto payer = services.gateway.policy().payer_of(caller);
  if (!payer) co_return payer.error();
  auto text = co_await write_down(services.gateway, std::move(*payer), std::string(*sound));
  if (!text) co_return text.error();
  const Transcript transcript{.text = std::move(*text)};
  co_return web::reply(transcript);
}

}  // namespace

web::Task<std::optional<std::string>> transcription_model(ModelGateway& gateway, const billing::Payer& payer) {
  const auto here = (co_await gateway.router().listed_locally()).value_or(std::vector<ModelInfo>());
  for (const auto& model : here) {
    const auto name = web::lower_case(model.id);
    if (!may_use(payer, model.id)) continue;
    if (name.find("whisper") != name.npos || name.find("transcri") != name.npos) co_return model.id;
  }
  const auto catalogue = gateway.catalogues().current();
  for (const auto& model : catalogue->media()) {
    if (model.kind != MediaKind::transcription) continue;
    // By the name that it has at its vendor, or through the router.
    const std::array ways{std::pair(model.direct_name, model.provider), std::pair(model.id, std::string("openrouter"))};
    for (const auto& way : ways) {
      const auto served = co_await gateway.router().embedder(way.first, payer, *catalogue);
      if (served && served->provider->name() == way.second) co_return way.first;
    }
  }
  co_return std::nullopt;
}

web::Task<web::Result<std::string>> write_down(ModelGateway& gateway, billing::Payer payer, std::string sound) {
  auto model = co_await transcription_model(gateway, payer);
  if (!model) co_return web::unavailable("No model of this box writes down what is said");
  auto form = form_of(*model, sound);
  const auto most = bound_of(sound);
  const auto answer = co_await gateway.pass(std::move(*model), std::move(form), most, std::move(payer));
  if (!answer) co_return answer.error();
  boost::system::error_code failed;
  const auto said = json::parse(answer->body, failed);
  const auto* object = failed ? nullptr : said.if_object();
  if (!object || !object->contains("text")) co_return web::bad_gateway("The model answered without a text");
  co_return web::string_member(*object, "text");
}

std::vector<web::Route> session_routes(const web::Guard& session, const web::Bind<Services>& on) {
  return {{web::POST, "/api/transcriptions", session, nullptr,
           web::stream(max_audio_bytes, on(transcribe_note)).returns<Transcript>().describe(note_text),
           "Write down what was said"}};
}

// The provider must find the same value as the box does: returns nothing where another parser could see a second field
// of the name, or another boundary.
std::optional<std::string_view> form_field(std::string_view content_type, std::string_view body,
                                           std::string_view name) {
  const auto boundary = boundary_of(content_type);
  if (!boundary) return std::nullopt;
  const auto delimiter = "\r\n--" + std::string(*boundary);
  if (!body.starts_with(std::string_view(delimiter).substr(2))) return std::nullopt;
  std::optional<std::string_view> found;
  for (auto rest = body.substr(delimiter.size() - 2); !rest.starts_with("--");) {
    constexpr std::string_view line_end = "\r\n", blank_line = "\r\n\r\n";
    const auto head_end = rest.find(blank_line);
    if (!rest.starts_with(line_end) || head_end == rest.npos) return std::nullopt;
    const auto head = rest.substr(0, head_end + line_end.size());
    const auto value = rest.substr(head_end + blank_line.size());
    const auto end = value.find(delimiter);
    if (end == value.npos) return std::nullopt;
    const auto named = name_in(head);
    if (!named || (*named == name && found)) return std::nullopt;
    if (*named == name) found = value.substr(0, end);
    rest = value.substr(end + delimiter.size());
  }
  return found;
}

std::vector<web::Route> routes(const web::Guard& guard, const web::Bind<Services>& on) {
  const auto with_form = [](web::Endpoint endpoint) {
    endpoint.problem = openai::error_schema;
    return endpoint;
  };
  std::vector<web::Route> rows;
  for (const std::string prefix : {"/v1", ""}) {
    rows.push_back({web::POST, prefix + "/audio/transcriptions", guard, nullptr,
                    with_form(web::stream(max_audio_bytes, on(transcribe))).describe(transcription_text),
                    "Transcribe sound"});
    rows.push_back({web::POST, prefix + "/audio/speech", guard, nullptr,
                    with_form(web::body<SpeechBody>(on(speak))).describe(speech_text), "Speak a text"});
    rows.push_back({web::POST, prefix + "/images/generations", guard, nullptr,
                    with_form(web::body<ImageBody>(on(draw))).describe(image_text), "Draw images"});
  }
  return rows;
}

}  // namespace models::media_api
