-- Counts over many ranges of the indexed column at once. Each user draws from its own part of the values.

require("oltp_common")

sysbench.cmdline.options.number_of_ranges = {"ranges of a statement", 10}
sysbench.cmdline.options.delta = {"width of a range", 5}

local ends

function prepare_statements()
   assert(sysbench.opt.tables == 1, "this script reads one table: --tables=1")
   local ranges = sysbench.opt.number_of_ranges
   local range = "k BETWEEN ? AND ?"
   local where = string.rep(range .. " OR ", ranges - 1) .. range
   stmt.ranges = con:prepare("SELECT count(k) FROM sbtest1 WHERE " .. where)
   ends = {}
   for at = 1, 2 * ranges do
      ends[at] = stmt.ranges:bind_create(sysbench.sql.type.INT)
   end
   stmt.ranges:bind_param(unpack(ends, 1, 2 * ranges))
end

function event()
   local width = sysbench.opt.table_size / sysbench.opt.threads
   local first = width * sysbench.tid
   for at = 1, #ends, 2 do
      local from = sysbench.rand.default(first, first + width)
      ends[at]:set(from)
      ends[at + 1]:set(from + sysbench.opt.delta)
   end
   stmt.ranges:execute()
   check_reconnect()
end
