// The stack people would build instead: Fastify and PostgreSQL doing the same three things with real tables.
// usage: node fastify_stack.mjs PG_SOCKET_FOLDER PG_PORT [tuned]; prints {"port": N} when it listens.
// As the documentation of both packages writes it, or tuned by hand: each statement named, so that PostgreSQL parses and
// plans it once a connection, and 16 connections instead of 10.
import Fastify from "fastify";
import pg from "pg";

const [host, port, tuned] = process.argv.slice(2);
const pool = new pg.Pool({ host, port: Number(port), user: "bench", database: "postgres", ...(tuned ? { max: 16 } : {}) });
const query = (name, text, values) => pool.query(tuned ? { name, text, values } : { text, values });

await pool.query(`
  create table users (id bigserial primary key, email text unique not null, name text not null, is_admin boolean not null default false);
  create table sessions (hash text primary key, user_id bigint not null references users(id), expires_at timestamptz not null);
  create table agents (id text primary key, owner bigint not null references users(id), name text, model text, status text,
                       websocket_url text, created_at timestamptz default now(), updated_at timestamptz default now());
  create index on agents(owner);
  create table writes (id bigserial primary key, user_id bigint not null, body text not null);
  insert into users (email, name) values ('bench@example.org', 'bench');
  insert into sessions values ('bench-session', 1, now() + interval '30 days');
  insert into agents (id, owner, name, model, status, websocket_url)
    select 'ag_' || n, 1, 'Agent ' || n, 'builtin', 'running', 'ws://agent-' || n || '.localhost:3000/ws' from generate_series(1, 20) n;`);

const app = Fastify();
const user_of = async (request) => {
  const token = /app-session=([^;]+)/.exec(request.headers.cookie ?? "")?.[1];
  const { rows } = await query(
    "session",
    "select u.id, u.name, u.email, u.is_admin from sessions s join users u on u.id = s.user_id where s.hash = $1 and s.expires_at > now()",
    [token],
  );
  return rows[0];
};

app.get("/api/auth/session", async (request) => {
  const user = await user_of(request);
  return { user: user ? { id: String(user.id), name: user.name, email: user.email, isAdmin: user.is_admin } : null };
});

app.get("/api/agents", async (request) => {
  const user = await user_of(request);
  const { rows } = await query(
    "agents",
    "select id, name, model, status, websocket_url, created_at, updated_at from agents where owner = $1 order by id",
    [user.id],
  );
  const agents = rows.map((row) => ({
    id: row.id,
    name: row.name,
    model: row.model,
    status: row.status,
    websocketUrl: row.websocket_url,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }));
  return { agents, count: agents.length, status: "ok" };
});

app.patch("/api/settings", async (request) => {
  const user = await user_of(request);
  await query("write", "insert into writes (user_id, body) values ($1, $2)", [user.id, JSON.stringify(request.body)]);
  return { id: String(user.id), name: request.body.name };
});

await app.listen({ host: "127.0.0.1", port: 0 });
console.log(JSON.stringify({ port: app.server.address().port }));
