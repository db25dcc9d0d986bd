-- A server whose users hold each other up exactly as the universal scalability law has it: of N users each waits for its answer
-- 1 + contention (N - 1) + coherency N (N - 1) times as long as one alone. The server sleeps that long; no two CPUs would bend a curve so.

sysbench.cmdline.options = {
  contention = { "Share of the work that only one user at a time can do", 0.05 },
  coherency = { "Share of it that each pair of users adds", 0.005 },
  alone_ms = { "What one user alone waits, in milliseconds", 4 },
}

local question

function prepare()
  local con = sysbench.sql.driver():connect()
  con:query("CREATE TABLE law (id INTEGER PRIMARY KEY)")
  con:query("INSERT INTO law VALUES (1)")
end

function cleanup()
  sysbench.sql.driver():connect():query("DROP TABLE law")
end

function thread_init()
  con = sysbench.sql.driver():connect()
  local opt, others = sysbench.opt, sysbench.opt.threads - 1
  local times = 1 + opt.contention * others + opt.coherency * others * (others + 1)
  question = ("SELECT id, SLEEP(%.6f) FROM law"):format(opt.alone_ms / 1000 * times)
end

function event() con:query(question) end

function thread_done() con:disconnect() end
