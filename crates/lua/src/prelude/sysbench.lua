-- The table `sysbench`, the event loop, and the report functions that hooks may be set to.
local host = ...
local C, x, ask, suspend = ffi.C, host.x, host.ask, host.suspend
local TURN, RESTART = host.TURN, host.RESTART
local YES, YES_AND_TELL = 1, 3

sysbench = {
  tid = host.tid, version = host.version, version_string = "sysbench " .. host.version,
  error = { NONE = 0, RESTART_EVENT = 1 }, hooks = {},
}

function C.sb_more_events()
  if x.dropped ~= 0 then host.let_go() end
  local outcome = suspend(x, TURN, nil)
  if outcome == YES then return true end
  if outcome ~= YES_AND_TELL then return false end
  host.tell_code()
  return true
end
function C.sb_event_start() end
-- How the event ended travels with the next request for a turn.
function C.sb_event_stop() x.ended = 1 end

local function restarts(problem)
  return type(problem) == "table" and problem.errcode == sysbench.error.RESTART_EVENT
end

-- Calls event() again for as long as it ends in an error that is to be ignored. The hook may meet such an error too: then
-- the event is begun again all the same.
local function begun_again(thread_id, problem)
  while true do
    if not restarts(problem) then error(problem, 0) end
    ask(RESTART)
    local hook = sysbench.hooks.before_restart_event
    if hook then
      local told, other = pcall(hook, problem)
      if not told and not restarts(other) then error(other, 0) end
    end
    local done, result = pcall(event, thread_id)
    if done then return result end
    problem = result
  end
end

-- No loop within the loop: with one, LuaJIT would not compile an event as a whole.
function thread_run(thread_id)
  while C.sb_more_events(thread_id) do
    C.sb_event_start(thread_id)
    local done, result = pcall(event, thread_id)
    if not done then result = begun_again(thread_id, result) end
    if result then break end
    C.sb_event_stop(thread_id)
  end
end

local function per_second(stat, amount) return amount / stat.time_interval end

function sysbench.report_csv(stat)
  local queries = stat.reads + stat.writes + stat.other
  print(string.format("%.0f,%u,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f", stat.time_total, stat.threads_running,
    per_second(stat, stat.events), per_second(stat, queries), per_second(stat, stat.reads), per_second(stat, stat.writes),
    per_second(stat, stat.other), stat.latency_pct * 1000, per_second(stat, stat.errors),
    per_second(stat, stat.reconnects)))
end

-- An array of objects, opened by the first one in a state and closed with the state.
local closing
function sysbench.report_json(stat)
  if closing then
    io.write(",\n")
  else
    io.write("[\n")
    closing = newproxy(true)
    getmetatable(closing).__gc = function() io.write("\n]\n") end
  end
  local queries = stat.reads + stat.writes + stat.other
  io.write(string.format([[
  {
    "time": %4.0f,
    "threads": %u,
    "tps": %4.2f,
    "qps": {
      "total": %4.2f,
      "reads": %4.2f,
      "writes": %4.2f,
      "other": %4.2f
    },
    "latency": %4.2f,
    "errors": %4.2f,
    "reconnects": %4.2f
  }]], stat.time_total, stat.threads_running, per_second(stat, stat.events), per_second(stat, queries),
    per_second(stat, stat.reads), per_second(stat, stat.writes), per_second(stat, stat.other), stat.latency_pct * 1000,
    per_second(stat, stat.errors), per_second(stat, stat.reconnects)))
end

function sysbench.report_default(stat)
  local queries = stat.reads + stat.writes + stat.other
  print(string.format("[ %.0fs ] thds: %u tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) lat (ms,%u%%): %4.2f err/s "
    .. "%4.2f reconn/s: %4.2f", stat.time_total, stat.threads_running, per_second(stat, stat.events),
    per_second(stat, queries), per_second(stat, stat.reads), per_second(stat, stat.writes), per_second(stat, stat.other),
    sysbench.opt.percentile, stat.latency_pct * 1000, per_second(stat, stat.errors), per_second(stat, stat.reconnects)))
end
