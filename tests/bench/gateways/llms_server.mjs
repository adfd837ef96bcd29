// The server of @musistudio/llms before one provider, at the address of the first argument; prints {"port"}.
import { createRequire } from "node:module";
import { createServer } from "node:net";

const { default: Server } = createRequire(import.meta.url)("@musistudio/llms"); // its ES module cannot be loaded

const port = await new Promise((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port: free } = server.address();
    server.close(() => resolve(free));
  });
});
const providers = [
  { name: "bench", api_base_url: `${process.argv[2]}/chat/completions`, api_key: "sk-bench", models: ["openai/gpt-4o-mini"] },
];
const server = new Server({
  useJsonFile: false,
  useEnvFile: false,
  initialConfig: { providers, HOST: "127.0.0.1", PORT: String(port) },
  logger: false,
});
await server.start();
console.log(JSON.stringify({ port }));
