-- Money moves between accounts: a script of sysbench's kind, for experiments/lua-script.toml. Two transfers that meet in opposite
-- orders are a deadlock, after which the event begins again; the sum over all accounts stays what it was.

sysbench.cmdline.options = {
  accounts = { "Accounts, each with 100 coins", 10000, sysbench.cmdline.ARG_INT },
  hot = { "Accounts that half of all transfers take from", 10, sysbench.cmdline.ARG_INT },
  read_share = { "Share of events that only look at an account", 0.5 },
}

local opt

function prepare()
  local con = sysbench.sql.driver():connect()
  con:query("CREATE TABLE account (id INTEGER PRIMARY KEY, coins INTEGER NOT NULL)")
  con:bulk_insert_init("INSERT INTO account VALUES")
  for id = 1, sysbench.opt.accounts do con:bulk_insert_next("(" .. id .. ",100)") end
  con:bulk_insert_done()
end

function cleanup()
  sysbench.sql.driver():connect():query("DROP TABLE account")
end

function thread_init()
  opt = sysbench.opt
  con = sysbench.sql.driver():connect()
  look = con:prepare("SELECT coins FROM account WHERE id = ?")
  seen = look:bind_create(sysbench.sql.type.INT)
  look:bind_param(seen)
  move = con:prepare("UPDATE account SET coins = coins + ? WHERE id = ?")
  coins, account = move:bind_create(sysbench.sql.type.INT), move:bind_create(sysbench.sql.type.INT)
  move:bind_param(coins, account)
end

local function take(amount, from)
  coins:set(amount)
  account:set(from)
  move:execute()
end

function event()
  if sysbench.rand.uniform_double() < opt.read_share then
    seen:set(sysbench.rand.uniform(1, opt.accounts))
    look:execute()
    return
  end
  local hot = sysbench.rand.uniform_double() < 0.5
  local from = sysbench.rand.uniform(1, hot and opt.hot or opt.accounts)
  local to = sysbench.rand.uniform(1, opt.accounts)
  con:query("BEGIN")
  take(-1, from)
  take(1, to)
  con:query("COMMIT")
end

function thread_done() con:disconnect() end
