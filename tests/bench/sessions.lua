-- wrk script: GET with each of the session cookies of a file (its one argument: a token a line) in turn; prints the same
-- line as report.lua.
local tokens, at = {}, 0
dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "report.lua")

function init(args)
  for token in io.lines(args[1]) do tokens[#tokens + 1] = "app-session=" .. token end
end

function request()
  at = at % #tokens + 1
  return wrk.format("GET", nil, { Cookie = tokens[at] })
end
